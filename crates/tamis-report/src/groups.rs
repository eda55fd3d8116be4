//! Groups of features as a table: how many are named, and the tests of each as a set.

use crate::escape::html;
use tamis::front::{GroupSummary, SET_QUESTIONS, SetSummary};
use tamis::result::SelectionResult;

/// Groups that the page lists.
const LISTED: usize = 200;

/// The section of groups; nothing where none were given.
pub(crate) fn section(saved: &SelectionResult) -> String {
    let groups = &saved.feature_groups;
    if groups.is_empty() {
        return String::new();
    }
    let tested = groups.iter().any(|group| group.test.is_some());
    let mut heads = vec!["group", "features", "named", "expected effects"];
    if tested {
        heads.extend([
            "direction",
            "mean score",
            "mean difference",
            "q direction",
            "q mixed",
            "q competitive, direction",
            "q competitive, mixed",
            "leading features",
        ]);
    }
    let head: String = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let rows: String = groups.iter().take(LISTED).map(|group| row(group, heads.len())).collect();
    let more = match groups.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("<p>… and {more} more.</p>\n"),
    };
    let words = if tested { SET_QUESTIONS.join(" ") } else { String::new() };
    format!(
        "<section id=\"groups\" aria-labelledby=\"groups-h\">\n<h2 id=\"groups-h\">Groups of features</h2>\n<p>{words}</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of groups\">\n<table>\n<thead><tr>{head}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</div>\n{more}</section>\n"
    )
}

fn row(group: &GroupSummary, width: usize) -> String {
    let number = |x: Option<f64>| x.map_or_else(|| "–".into(), shown);
    let mut cells = vec![group.size.to_string(), group.selected.to_string(), number(group.expected)];
    if let Some(test) = &group.test {
        cells.extend([test.direction_word().into(), shown(test.mean_score), number(test.mean_difference)]);
        cells.extend(test.questions().map(|(_, _, q)| number(q)));
    }
    cells.resize(width.saturating_sub(if width > 4 { 2 } else { 1 }), "–".into());
    let mut cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
    if width > 4 {
        let leading = group.test.as_ref().map_or_else(String::new, |test: &SetSummary| test.leading.join(", "));
        cells.push_str(&format!("<td>{}</td>", html(&leading)));
    }
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", html(&group.name))
}

/// Three digits; small p-values as powers of ten.
fn shown(x: f64) -> String {
    if x != 0.0 && x.abs() < 5e-4 { format!("{x:.0e}") } else { format!("{x:.3}") }
}
