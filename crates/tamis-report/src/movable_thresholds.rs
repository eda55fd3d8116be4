//! The decisions a reader may make from a result, and their false discoveries.

use serde::Serialize;
use serde_json::Value;
use tamis::Method;
use tamis::result::SelectionResult;
use tamis::selection::detail::{NpfsDetail, PairsDetail};
use tamis::sparse_means::Decide;

/// A rule with a threshold to move.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Rule {
    pub label: &'static str,
    /// The column it looks at; `rank` is the rank.
    pub column: &'static str,
    pub test: Test,
    pub from: f64,
    pub to: f64,
    pub step: f64,
    pub start: f64,
    pub errors: Errors,
}

/// The side of the threshold on which a feature is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Test {
    Above,
    AtMost,
}

/// How the number of false discoveries follows from a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Errors {
    /// The sum of 1 − probability over the chosen features.
    Sum,
    /// The threshold is the expected share among the chosen features.
    Share,
    /// The threshold is the level of the test of each feature.
    Each,
    /// The threshold is the chance of any false discovery.
    Any,
    Unknown,
}

/// The rules that make sense for a result; the first is shown first.
pub(crate) fn rules(saved: &SelectionResult) -> Vec<Rule> {
    if saved.detail.dependence.is_some() {
        return vec![tested("q-value at most", "q_value", saved.fdr.unwrap_or(0.05), Errors::Share)];
    }
    let means = match Method::from_record(&saved.method).ok() {
        Some(Method::Snbl(snbl)) => Some(snbl.means),
        Some(Method::Shrink(means)) => Some(means),
        _ => None,
    };
    let decide = means.map(|means| means.decide_resolved());
    let decide = match saved.fdr {
        Some(rate) => Some(Decide::FalseDiscoveryRate(rate)), // which names the same but for features below one half
        None => decide,
    };
    if saved.has_probabilities() {
        return by_probability(decide);
    }
    if decide.is_some() {
        return vec![]; // without evidence there is nothing to decide
    }
    if let Some(npfs) = &saved.detail.npfs {
        return vec![by_bootstraps(saved, npfs)];
    }
    if let Some(pairs) = &saved.detail.pairs {
        return vec![by_permutations(pairs)];
    }
    vec![by_rank(saved)]
}

/// Probabilities and q-values, the one that the method decided by first.
fn by_probability(decide: Option<Decide>) -> Vec<Rule> {
    let (mut p, mut q) = (0.5, 0.1);
    match decide {
        Some(Decide::Probability(given)) => p = given,
        Some(Decide::FalseDiscoveryRate(given)) => q = given,
        _ => {}
    }
    let probability = Rule {
        label: "probability above",
        column: "probability",
        test: Test::Above,
        from: 0.0,
        to: 1.0,
        step: 0.01,
        start: p,
        errors: Errors::Sum,
    };
    let rate = Rule {
        label: "false discovery rate at most",
        column: "q_value",
        test: Test::AtMost,
        from: 0.0,
        to: 0.5,
        step: 0.005,
        start: q,
        errors: Errors::Sum,
    };
    match decide {
        Some(Decide::FalseDiscoveryRate(_)) => vec![rate, probability],
        _ => vec![probability, rate],
    }
}

/// Adjusted p-values of npfs, or where it has none the frequency.
fn by_bootstraps(saved: &SelectionResult, npfs: &NpfsDetail) -> Rule {
    let parameters = &saved.method.parameters;
    let text = |key: &str| parameters.get(key).and_then(Value::as_str).unwrap_or("auto");
    let binomial = text("null") == "binomial";
    if npfs.adjusted.is_empty() {
        return Rule {
            label: "chosen in a share of bootstraps above",
            column: "frequency",
            test: Test::Above,
            from: 0.0,
            to: 1.0,
            step: 0.01,
            start: npfs.critical_value.map_or(0.9, |c| c as f64 / npfs.bootstraps.max(1) as f64),
            errors: Errors::Unknown,
        };
    }
    let errors = match (text("adjust"), binomial) {
        ("bh", _) | ("auto", false) => Errors::Share,
        ("holm", _) => Errors::Any,
        _ => Errors::Each,
    };
    let level = if binomial { 0.01 } else { 0.05 };
    let start = parameters.get("alpha").and_then(Value::as_f64).unwrap_or(level);
    tested("adjusted p at most", "adjusted", start, errors)
}

/// P-values of pairs, from the least that the permutations can give.
fn by_permutations(pairs: &PairsDetail) -> Rule {
    tested("p at most", "p_value", 1.0 / (pairs.null.len() as f64 + 1.0), Errors::Any)
}

fn by_rank(saved: &SelectionResult) -> Rule {
    let start = saved.n_selected as f64;
    Rule {
        label: "the first by rank",
        column: "rank",
        test: Test::AtMost,
        from: 0.0,
        to: (saved.features.len() as f64).min((4.0 * start).max(50.0)),
        step: 1.0,
        start,
        errors: Errors::Unknown,
    }
}

/// A rule on p-values.
fn tested(label: &'static str, column: &'static str, start: f64, errors: Errors) -> Rule {
    Rule { label, column, test: Test::AtMost, from: 0.0, to: 0.5, step: 0.001, start, errors }
}
