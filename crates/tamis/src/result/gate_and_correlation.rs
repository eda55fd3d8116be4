//! What a selection rests on, in short: its rates, its gate, the correlation of its features.

use crate::base::MethodRecord;
use crate::catalogue::Method;
use crate::selection::detail::{Correlation, Gate, GateTest};
use crate::sparse_means::{Decide, Prior, SparseMeans};
use serde::{Deserialize, Serialize};

/// The evidence that anything matters at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GateSummary {
    /// Whether there is evidence.
    pub open: bool,
    /// The test that found it, where null targets decided.
    pub by: Option<GateTest>,
}

impl From<Gate> for GateSummary {
    fn from(gate: Gate) -> Self {
        GateSummary { open: gate.passed, by: gate.by }
    }
}

/// How the scores of noise move together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CorrelationSummary {
    /// The overdispersion of counts of scores.
    pub phi: f64,
    /// How far a score vector's own width counts, 0…1.
    pub a: f64,
    /// How far a score vector's own centre counts, 0…1.
    pub b: f64,
    /// The width of noise about its own centre, if below 1.
    pub w0: f64,
    /// The smallest score, standardised, of a feature that may be named; null where there is no such limit.
    pub guard: Option<f64>,
    /// Null targets.
    pub permutations: usize,
}

impl From<&Correlation> for CorrelationSummary {
    fn from(found: &Correlation) -> Self {
        let &Correlation { phi, a, b, w0, guard, permutations, .. } = found;
        CorrelationSummary { phi, a, b, w0, guard, permutations }
    }
}

/// The settings of the step from scores to probabilities, for methods that have one.
pub(super) fn sparse_means(method: &MethodRecord) -> Option<SparseMeans> {
    match Method::from_record(method).ok()? {
        Method::Snbl(snbl) => Some(snbl.means),
        Method::Shrink(means) => Some(means),
        _ => None,
    }
}

/// `fdr` and `quiet`, where they had a say.
pub(super) fn rates(method: &MethodRecord) -> (Option<f64>, Option<f64>) {
    if let Ok(Method::Dependence(dependence)) = Method::from_record(method) {
        return (Some(dependence.fdr), None);
    }
    let Some(means) = sparse_means(method).filter(|means| means.prior == Prior::Auto) else { return (None, None) };
    ((means.decide == Decide::Auto).then_some(means.fdr), Some(means.quiet))
}
