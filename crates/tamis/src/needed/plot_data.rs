//! What plots of an answer need: chains side by side, correlations, and components.

use super::model::Model;
use super::sampler::Visits;
use crate::selection::detail::{ComponentLoadings, NeededDetail, Neighbours};
use crate::selection::{FactorProbability, Finding};

/// Features that every chain gives less are not drawn.
const DRAWN: f64 = 0.01;
/// Features whose correlations are compared pair by pair, at most.
const COMPARED: usize = 120;
/// Weaker correlations are not drawn.
const LEAST_CORRELATION: f64 = 0.3;
/// Components whose scores are drawn.
const COMPONENTS: usize = 2;

/// `features` has the feature of every column of the model.
pub(super) fn plot_data(
    model: &Model,
    visits: &[Visits],
    features: &[u32],
    findings: &[Finding],
    working_set: &[u32],
    factors: &[FactorProbability],
) -> NeededDetail {
    let shown: Vec<usize> =
        (0..model.features).filter(|&j| visits.iter().any(|chain| chain.inclusion[j] >= DRAWN)).collect();
    let column = |feature: u32| features.binary_search(&feature).ok();
    let correlation = |a: u32, b: u32| match (column(a), column(b)) {
        (Some(a), Some(b)) => model.correlation(a, b).clamp(-1.0, 1.0),
        _ => 0.0,
    };
    let with_lead = |finding: &Finding| finding.members.iter().map(|&at| correlation(finding.lead(), at)).collect();
    let mut nodes: Vec<u32> =
        findings.iter().flat_map(|finding| &finding.members).chain(working_set).copied().collect();
    nodes.truncate(COMPARED);
    nodes.sort_unstable();
    nodes.dedup();
    let pairs = (1..nodes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let neighbours = pairs
        .map(|(a, b)| Neighbours::new([nodes[a], nodes[b]], correlation(nodes[a], nodes[b])))
        .filter(|pair| pair.correlation.abs() >= LEAST_CORRELATION)
        .collect();
    NeededDetail {
        features: shown.iter().map(|&j| features[j]).collect(),
        chains: visits.iter().map(|chain| shown.iter().map(|&j| chain.inclusion[j]).collect()).collect(),
        with_lead: findings.iter().map(with_lead).collect(),
        neighbours,
        loadings: loadings(model, features, factors),
    }
}

/// Σ_j x_j·z_j[i]/λ_i is the score of component i: its weights, for the most probable ones.
fn loadings(model: &Model, features: &[u32], factors: &[FactorProbability]) -> Vec<ComponentLoadings> {
    let mut best: Vec<&FactorProbability> = factors.iter().collect();
    best.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let of_component = |factor: &&FactorProbability| {
        let i = factor.component - 1;
        let mut weights = vec![0.0; features.last().map_or(0, |&last| last as usize + 1)];
        for (j, &feature) in features.iter().enumerate() {
            weights[feature as usize] = model.basis.z.column(j)[i] / model.basis.values[i];
        }
        ComponentLoadings::new(factor.component, weights)
    };
    best.iter().take(COMPONENTS).map(of_component).collect()
}
