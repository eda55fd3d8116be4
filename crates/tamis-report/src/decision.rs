//! The decisions a reader may make from a result, and what each says of false discoveries.

use serde::Serialize;
use serde_json::Value;
use tamis::Method;
use tamis::result::SelectionResult;
use tamis::sparse_means::Decide;

/// A rule with a threshold to move.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Rule {
    pub label: &'static str,
    /// The column it looks at; `rank` is the rank.
    pub column: &'static str,
    /// `above` or `at_most` the threshold.
    pub test: &'static str,
    pub from: f64,
    pub to: f64,
    pub step: f64,
    pub start: f64,
    /// How the number of false discoveries follows: `sum` of what the probabilities leave, a `share` of those chosen,
    /// `each` feature tested at that level, the chance of `any`; or `unknown`.
    pub errors: &'static str,
}

/// The rules that make sense for a result; the first is shown first.
pub(crate) fn rules(saved: &SelectionResult) -> Vec<Rule> {
    let decide = match Method::from_record(&saved.method).ok() {
        Some(Method::Snbl(snbl)) => Some(snbl.means.decide_resolved()),
        Some(Method::Shrink(means)) => Some(means.decide_resolved()),
        _ => None,
    };
    if saved.has_probabilities() {
        let (mut p, mut q) = (0.5, 0.1);
        match decide {
            Some(Decide::Probability(given)) => p = given,
            Some(Decide::FalseDiscoveryRate(given)) => q = given,
            _ => {}
        }
        let probability = Rule {
            label: "probability above",
            column: "probability",
            test: "above",
            from: 0.0,
            to: 1.0,
            step: 0.01,
            start: p,
            errors: "sum",
        };
        let rate = Rule {
            label: "false discovery rate at most",
            column: "q_value",
            test: "at_most",
            from: 0.0,
            to: 0.5,
            step: 0.005,
            start: q,
            errors: "sum",
        };
        let first_rate = matches!(decide, Some(Decide::FalseDiscoveryRate(_)));
        return if first_rate { vec![rate, probability] } else { vec![probability, rate] };
    }
    if decide.is_some() {
        return vec![]; // without evidence there is nothing to decide
    }
    let parameters = &saved.method.parameters;
    let text = |key: &str| parameters.get(key).and_then(Value::as_str).unwrap_or("auto").to_string();
    let level = |default: f64| parameters.get("alpha").and_then(Value::as_f64).unwrap_or(default);
    let tested = |label, column, start, errors| Rule {
        label,
        column,
        test: "at_most",
        from: 0.0,
        to: 0.5,
        step: 0.001,
        start,
        errors,
    };
    if let Some(npfs) = &saved.detail.npfs {
        let binomial = text("null") == "binomial";
        if !npfs.adjusted.is_empty() {
            let errors = match (text("adjust").as_str(), binomial) {
                ("bh", _) | ("auto", false) => "share",
                ("holm", _) => "any",
                _ => "each",
            };
            return vec![tested("adjusted p at most", "adjusted", level(if binomial { 0.01 } else { 0.05 }), errors)];
        }
        let start = npfs.critical_value.map_or(0.9, |c| c as f64 / npfs.bootstraps.max(1) as f64);
        return vec![Rule {
            label: "chosen in a share of bootstraps above",
            column: "frequency",
            test: "above",
            from: 0.0,
            to: 1.0,
            step: 0.01,
            start,
            errors: "unknown",
        }];
    }
    if let Some(pairs) = &saved.detail.pairs {
        let least = 1.0 / (pairs.null.len() as f64 + 1.0);
        return vec![tested("p at most", "p", least, "any")];
    }
    let n = saved.features.len() as f64;
    let start = saved.n_selected as f64;
    vec![Rule {
        label: "the first by rank",
        column: "rank",
        test: "at_most",
        from: 0.0,
        to: n.min((4.0 * start).max(50.0)),
        step: 1.0,
        start,
        errors: "unknown",
    }]
}
