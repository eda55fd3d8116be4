//! What a selection rests on, in short: its rates, its gate, the states of its noise.

use crate::base::MethodRecord;
use crate::catalogue::Method;
use crate::selection::detail::{Gate, NoiseDetail};
use crate::sparse_means::{Decide, Prior, SparseMeans};
use serde::{Deserialize, Serialize};

/// The evidence that anything differs at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GateSummary {
    /// Whether there is evidence.
    pub open: bool,
    /// Vectors of null scores as extreme as the data's; not in version 2.
    #[serde(default)]
    pub exceeded: Option<usize>,
    /// Vectors of null scores; not in version 2.
    #[serde(default)]
    pub permutations: Option<usize>,
}

impl From<Gate> for GateSummary {
    fn from(gate: Gate) -> Self {
        GateSummary { open: gate.passed, exceeded: gate.exceeded, permutations: gate.permutations }
    }
}

/// The states the noise may be in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NoiseSummary {
    /// How many were averaged; 1 where features are independent, 0 in version 2.
    #[serde(default)]
    pub states: usize,
    /// The overdispersion of counts of scores within a state.
    pub phi: f64,
    /// The weight of the average null row in every state.
    #[serde(default)]
    pub lambda: Option<f64>,
    /// The dispersion of counts of scores over null rows: 1 where features are independent.
    #[serde(default)]
    pub dispersion: Option<f64>,
}

impl From<&NoiseDetail> for NoiseSummary {
    fn from(found: &NoiseDetail) -> Self {
        let &NoiseDetail { states, phi, lambda, dispersion, .. } = found;
        NoiseSummary { states, phi, lambda, dispersion }
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
    if let Ok(Method::Needed(needed)) = Method::from_record(method) {
        return (Some(needed.fdr), None);
    }
    let Some(means) = sparse_means(method).filter(|means| means.prior == Prior::Auto) else { return (None, None) };
    ((means.decide == Decide::Auto).then_some(means.fdr), Some(means.quiet))
}
