//! Clusters of correlated features, to be folded out.

use crate::escape::html;
use tamis::front::{Cell, counted};
use tamis::result::SelectionResult;

/// The section of the clusters; empty if every selected feature stands alone.
pub(crate) fn section(saved: &SelectionResult) -> String {
    let clusters = saved.clusters();
    let several: Vec<&Vec<usize>> = clusters.iter().filter(|cluster| cluster.len() > 1).collect();
    if several.is_empty() {
        return String::new();
    }
    let (all, alone) = (clusters.iter().map(Vec::len).sum::<usize>(), clusters.len() - several.len());
    let list: String = several.iter().map(|cluster| folded(saved, cluster)).collect();
    let rest =
        if alone > 0 { format!("{} alone, and those below", counted(alone, "feature")) } else { "those below".into() };
    format!(
        "<section id=\"clusters\" aria-labelledby=\"clusters-h\">\n<h2 id=\"clusters-h\">Clusters</h2>\n\
         <p>The {all} selected features form {} of features whose residuals correlate by 0.8 or more, directly or through \
         others: {rest}, each under its best feature. A cluster is a group of features that move together, not one \
         finding.</p>\n{list}</section>\n",
        counted(clusters.len(), "cluster"),
    )
}

/// A cluster under its leader.
fn folded(saved: &SelectionResult, cluster: &[usize]) -> String {
    let (names, ranks) = (&saved.features.names, &saved.features.ranks);
    let Some(Cell::Count(number)) = saved.features.cell("cluster", cluster[0]) else { return String::new() };
    let member = |&i: &usize| format!("<li>{} <small>rank {}</small></li>", html(&names[i]), ranks[i]);
    let members: String = cluster.iter().map(member).collect();
    format!(
        "<details class=\"cluster\"><summary>{}. {} <small>and {} more</small></summary><ul>{members}</ul></details>\n",
        number,
        html(&names[cluster[0]]),
        cluster.len() - 1,
    )
}
