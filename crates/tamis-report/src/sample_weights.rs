//! The weights of samples, the lightest first.

use crate::escape::html;
use tamis::result::SelectionResult;

/// A sample with a smaller weight is marked.
const LIGHT: f64 = 1.0 / 3.0;

/// The section of weights; nothing where samples have none.
pub(crate) fn section(saved: &SelectionResult) -> String {
    let mut weights = saved.design.as_ref().map_or_else(Vec::new, |design| design.sample_weights.clone());
    if weights.is_empty() {
        return String::new();
    }
    weights.sort_by(|a, b| a.weight.total_cmp(&b.weight));
    let largest = weights.last().map_or(1.0, |last| last.weight);
    let rows: String = weights
        .iter()
        .map(|sample| {
            let class = if sample.weight < LIGHT { " class=\"chosen\"" } else { "" };
            let (name, weight) = (html(&sample.sample), sample.weight);
            let bar = format!("<meter min=\"0\" max=\"{largest:.3}\" value=\"{weight:.3}\">{weight:.2}</meter>");
            format!("<tr{class}><th scope=\"row\">{name}</th><td>{weight:.2}</td><td>{bar}</td></tr>\n")
        })
        .collect();
    format!(
        "<section id=\"samples\" aria-labelledby=\"samples-h\">\n<h2 id=\"samples-h\">Weights of samples</h2>\n\
         <p>How precise each sample is, by the residuals of all features: in proportion to one over its variance, 1 on \
         average. Samples that weigh less than a third are marked.</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of samples\">\n<table>\n\
         <thead><tr><th scope=\"col\">sample</th><th scope=\"col\">weight</th><th scope=\"col\"></th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</div>\n</section>\n"
    )
}
