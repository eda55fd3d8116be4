//! Which features are needed, given the others: findings as rows, and the parts that the script draws.

use crate::escape::{html, prose, rounded};
use serde::Serialize;
use std::collections::HashMap;
use tamis::front::counted;
use tamis::result::samples::{ComponentScores, WorkingSetCurve};
use tamis::result::{FindingSummary, SampleValues, SelectionResult};
use tamis::table::Target;

/// Digits of a probability or a correlation.
const DIGITS: usize = 4;
/// Members of a finding that are listed before the rest is folded.
const LISTED: usize = 8;
/// Values and numeric targets are coloured in so many parts.
const PARTS: usize = 5;

/// Input of the script; features are positions.
#[derive(Serialize)]
pub(crate) struct NeededPart {
    /// The members of every finding, the lead first.
    findings: Vec<Vec<usize>>,
    working: Vec<usize>,
    /// The probability that each feature is needed; null where it is set aside.
    inclusion: Vec<Option<f64>>,
    /// The features that chains are compared on, and their probabilities chain by chain.
    shown: Vec<u32>,
    chains: Vec<Vec<f64>>,
    /// Two features and their correlation.
    neighbours: Vec<(u32, u32, f64)>,
    components: Option<Components>,
    curve: Option<Curve>,
}

#[derive(Serialize)]
struct Components {
    /// The names of the parts of the target, and the part of every sample.
    parts: Vec<String>,
    part: Vec<usize>,
    axes: Vec<Axis>,
}

#[derive(Serialize)]
struct Axis {
    component: usize,
    probability: f64,
    scores: Vec<f64>,
}

/// The ROC curve of the working set.
#[derive(Serialize)]
struct Curve {
    words: String,
    points: Vec<(f64, f64)>,
}

/// The part of the script; `None` where `needed` has not looked.
pub(crate) fn part(saved: &SelectionResult, values: Option<&SampleValues>) -> Option<NeededPart> {
    let findings = saved.findings.as_ref()?;
    let place: HashMap<&str, usize> = saved.features.names.iter().map(String::as_str).zip(0..).collect();
    let places = |names: &[String]| names.iter().filter_map(|name| place.get(name.as_str()).copied()).collect();
    let inclusion = (0..saved.features.len()).map(|i| saved.features.number("inclusion_probability", i));
    let detail = saved.detail.needed.clone().unwrap_or_default();
    let all = |values: &Vec<f64>| values.iter().map(|x| rounded(*x, DIGITS)).collect();
    let components = values.and_then(|values| values.components.as_ref());
    Some(NeededPart {
        findings: findings.iter().map(|finding| places(&finding.members)).collect(),
        working: places(&saved.working_set),
        inclusion: inclusion.map(|p| p.map(|p| rounded(p, DIGITS))).collect(),
        shown: detail.features,
        chains: detail.chains.iter().map(all).collect(),
        neighbours: detail
            .neighbours
            .iter()
            .map(|pair| (pair.features[0], pair.features[1], rounded(pair.correlation, DIGITS)))
            .collect(),
        components: components.map(|(target, found)| components_part(saved, target, found)),
        curve: values.and_then(|values| values.working_set.as_ref()).map(curve_part),
    })
}

fn components_part(saved: &SelectionResult, target: &Target, found: &[ComponentScores]) -> Components {
    let (parts, part) = match target {
        Target::Classes { labels, codes, .. } => (labels.clone(), codes.iter().map(|code| *code as usize).collect()),
        Target::Real { values } | Target::Survival { times: values, .. } => {
            let name = if matches!(target, Target::Real { .. }) { saved.input.target.as_str() } else { "time" };
            by_size(name, values)
        }
    };
    let axis = |component: &ComponentScores| Axis {
        component: component.component,
        probability: component.probability,
        scores: component.scores.iter().map(|x| rounded(*x, DIGITS)).collect(),
    };
    Components { parts, part, axes: found.iter().map(axis).collect() }
}

/// Fifths of the rows by size.
fn by_size(name: &str, values: &[f64]) -> (Vec<String>, Vec<usize>) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cuts: Vec<f64> =
        (1..PARTS).filter_map(|k| sorted.get((k * sorted.len() / PARTS).checked_sub(1)?)).copied().collect();
    let number = |x: f64| rounded(x, DIGITS).to_string();
    let name_of = |k: usize| match (k.checked_sub(1).and_then(|below| cuts.get(below)), cuts.get(k)) {
        (None, Some(high)) => format!("{name} up to {}", number(*high)),
        (Some(low), Some(high)) => format!("{} to {}", number(*low), number(*high)),
        (Some(low), None) => format!("above {}", number(*low)),
        (None, None) => name.to_string(),
    };
    let part = values.iter().map(|x| cuts.partition_point(|cut| cut < x)).collect();
    ((0..=cuts.len()).map(name_of).collect(), part)
}

fn curve_part(found: &WorkingSetCurve) -> Curve {
    let interval = found.auc_95.map_or_else(String::new, |[low, high]| format!(" ({low:.2} to {high:.2})"));
    Curve {
        words: format!(
            "Area under the curve {:.3}{interval}, by {}-fold cross-validation. Every fold chooses its own working set, of {:.1} \
             features on average, and predicts by logistic regression.",
            found.auc, found.folds, found.features
        ),
        points: found
            .roc
            .iter()
            .map(|p| (rounded(p.false_positive_rate, DIGITS), rounded(p.true_positive_rate, DIGITS)))
            .collect(),
    }
}

/// The section: findings, working set, what else explains the target; empty where `needed` has not looked.
pub(crate) fn section(saved: &SelectionResult, part: Option<&NeededPart>) -> String {
    let (Some(findings), Some(part)) = (&saved.findings, part) else { return String::new() };
    let table = if findings.is_empty() {
        "<p>No feature can be singled out.</p>\n".to_string()
    } else {
        let head = "<th scope=\"col\">set</th><th scope=\"col\">probability</th><th scope=\"col\">needed: one of</th>";
        let rows: String = (0..findings.len()).map(|at| row(saved, at, &findings[at])).collect();
        format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Findings\">\n<table class=\"findings\">\n\
             <thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
        )
    };
    format!(
        "<section id=\"needed\" aria-labelledby=\"needed-h\">\n<h2 id=\"needed-h\">Needed, given the others</h2>\n\
         <p>Each row is a set of interchangeable features, of which at least one is needed for the smallest linear explanation \
         of the target. Numbers in brackets are correlations with the first feature. This is about prediction, not about causes.\
         </p>\n{table}{}<div class=\"figures\"></div>\n{}</section>\n",
        facts(saved),
        if part.curve.is_none() { about_prediction(saved) } else { String::new() },
    )
}

fn row(saved: &SelectionResult, at: usize, finding: &FindingSummary) -> String {
    let correlations = saved.detail.needed.as_ref().and_then(|detail| detail.with_lead.get(at));
    let member = |(k, name): (usize, &String)| {
        let correlation = correlations.and_then(|all| all.get(k)).filter(|_| k > 0);
        let correlation = correlation
            .map_or_else(String::new, |r| format!(" <small>({})</small>", format!("{r:.2}").replace('-', "\u{2212}")));
        let name = html(name);
        if k == 0 { format!("<strong>{name}</strong>") } else { format!("{name}{correlation}") }
    };
    let members: Vec<String> = finding.members.iter().enumerate().map(member).collect();
    let (listed, rest) = members.split_at(members.len().min(LISTED));
    let mut cell = listed.join(", ");
    if !rest.is_empty() {
        cell.push_str(&format!("<details><summary>{} more</summary>{}</details>", rest.len(), rest.join(", ")));
    }
    if finding.disputed {
        cell.push_str("<br><small>Independent chains disagree: this is the smallest of their probabilities.</small>");
    }
    let p = if finding.probability > 0.99 { "&gt; 0.99".into() } else { format!("{:.2}", finding.probability) };
    format!("<tr><td>{}</td><td>{p}</td><td class=\"members\">{cell}</td></tr>\n", at + 1)
}

/// The working set, components, small effects, and whether anything is related at all.
fn facts(saved: &SelectionResult) -> String {
    let mut facts: Vec<(&str, String)> = vec![];
    if !saved.working_set.is_empty() {
        let names: Vec<String> = saved.working_set.iter().map(|name| html(name)).collect();
        let words = format!("{}: {}", counted(names.len(), "feature"), names.join(", "));
        facts.push(("working set", format!("{words}. They predict together; another set may do as well.")));
    }
    let likely: Vec<String> = saved
        .factors
        .iter()
        .filter(|factor| factor.probability > 0.1)
        .map(|factor| format!("component {} with probability {:.2}", factor.component, factor.probability))
        .collect();
    if !likely.is_empty() {
        facts.push(("the target follows", format!("{}; many features share it. Is it a batch?", likely.join(", "))));
    }
    if let Some(share) = saved.background.filter(|share| *share > 0.01) {
        let words = format!("{:.0} % of what single features leave", 100.0 * share);
        facts.push(("many small effects explain", words));
    }
    if let Some(gate) = saved.related_at_all {
        let words = format!(
            "p = {:.3}: {} of {} permuted targets are as strongly related to some feature",
            gate.p_value, gate.exceeded, gate.permutations
        );
        facts.push(("related at all", words));
    }
    if facts.is_empty() {
        return String::new();
    }
    let list: String = facts.iter().map(|(name, words)| format!("<dt>{name}</dt><dd>{words}</dd>\n")).collect();
    format!("<dl class=\"facts\">\n{list}</dl>\n")
}

/// Which command tells how well the working set predicts, where the page does not.
fn about_prediction(saved: &SelectionResult) -> String {
    if saved.working_set.is_empty() {
        return String::new();
    }
    let words = if saved.input.classes.is_none() {
        "How well the working set predicts new rows is not computed here: `tamis evaluate` compares classes only."
            .into()
    } else {
        format!(
            "How well a working set predicts new rows is not computed here; `tamis evaluate {} --target {} --method \
             needed` computes it.",
            quoted(saved.input.file.rsplit(['/', '\\']).next().unwrap_or("")),
            quoted(&saved.input.target)
        )
    };
    format!("<p class=\"words\">{}</p>\n", prose(&words))
}

/// A word of a command line.
fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
    if plain { word.to_string() } else { format!("'{}'", word.replace('\'', "'\\''").replace('`', "")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_coloured_by_fifths_and_few_or_tied_ones_still_have_parts() {
        let (names, part) = by_size("age", &(1..=10).map(f64::from).collect::<Vec<_>>());
        assert_eq!(names, ["age up to 2", "2 to 4", "4 to 6", "6 to 8", "above 8"]);
        assert_eq!(part, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
        let (names, part) = by_size("age", &[1.0, 1.0, 1.0]);
        assert!(part.iter().all(|&k| k < names.len()));
        assert_eq!(by_size("age", &[]).0, ["age"]);
    }

    #[test]
    fn a_file_with_a_space_is_one_word_of_the_command() {
        assert_eq!([quoted("a.csv"), quoted("my 'data'.csv")], ["a.csv", "'my '\\''data'\\''.csv'"]);
    }
}
