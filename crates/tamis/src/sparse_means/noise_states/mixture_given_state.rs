//! A table's scores of one kind explained given a state: noise of that shape, and the same noise moved by effects.
//!
//! The components are the state's density and the densities of noise + N(m, .2²), m on multiples of .4 other than 0. The
//! weight π₀ of the first has the prior density (a + 1)π₀^a; the counts are divided by the overdispersion φ.

use super::movable_density::MovableDensity;
use super::score_grid::{NODES, OnGrid, STEP, blurred};
use super::table_scores::TableScores;
use crate::numeric::special::normal_within;
use crate::sparse_means::mixture_newton::{MixtureProblem, maximise, spread_weights};
use std::ops::Range;

/// The standard deviation of effects about their component's mean.
pub(super) const SPREAD: f64 = 0.2;
/// Nodes between the means of neighbouring components.
const NODES_APART: i32 = 4;
/// The largest mean is so many times that.
const MOST_MEANS: i32 = 20;
/// The gap of a fit, as a share of the number of scores.
const TOLERANCE: f64 = 1e-11;

/// The scores of one kind and the components that may explain them.
pub(super) struct MixtureGivenState<'a> {
    scores: &'a TableScores,
    /// The means of the components after the first, in nodes.
    moves: Vec<i32>,
    /// The counts of scores on their nodes, divided by φ.
    counts: Vec<f64>,
}

/// A fit given a state.
pub(super) struct StateFit {
    pub(super) weights: Vec<f64>,
    /// The largest log likelihood with the logarithm of the prior density.
    pub(super) evidence: f64,
}

/// The averaged explanation of one kind of scores, at nodes.
#[derive(Clone)]
pub(super) struct Average {
    /// The posterior probability of each component.
    pub(super) shares: Vec<OnGrid>,
    /// The density of the scores.
    pub(super) density: OnGrid,
}

impl<'a> MixtureGivenState<'a> {
    pub(super) fn new(scores: &'a TableScores, phi: f64) -> MixtureGivenState<'a> {
        let farthest = scores.strongest + 0.4;
        let within = |k: &i32| f64::from(*k) * 0.4 <= farthest;
        let above: Vec<i32> = (1..=MOST_MEANS).filter(within).map(|k| k * NODES_APART).collect();
        let below = above.iter().rev().filter(|_| !scores.one_sided).map(|by| -by);
        let counts = scores.counts[scores.nodes.clone()].iter().map(|c| c / phi).collect();
        MixtureGivenState { scores, moves: below.chain(above.iter().copied()).collect(), counts }
    }

    /// The mean effect of each component; 0 for the first.
    pub(super) fn means(&self) -> Vec<f64> {
        std::iter::once(0.0).chain(self.moves.iter().map(|by| STEP * f64::from(*by))).collect()
    }

    /// The probability of an effect beyond ±`limit` in each component.
    pub(super) fn beyond(&self, limit: f64) -> Vec<f64> {
        let effect = self.means().into_iter().skip(1).map(|m| 1.0 - normal_within(limit, m, SPREAD));
        std::iter::once(0.0).chain(effect).collect()
    }

    /// Where the first fit starts.
    pub(super) fn start(&self) -> Vec<f64> {
        spread_weights(self.moves.len() + 1)
    }

    /// Fits the weights of the components with the prior exponent `prior`, from `start`.
    pub(super) fn fit(&self, state: &StateColumns, prior: f64, start: &[f64]) -> StateFit {
        if self.counts.is_empty() {
            return StateFit { weights: start.to_vec(), evidence: 0.0 };
        }
        let components = self.components(state, &self.scores.nodes);
        let factors = vec![1.0; components.len()];
        let problem = MixtureProblem { components: &components, factors: &factors, counts: &self.counts, prior };
        let found = maximise(&problem, start, TOLERANCE);
        StateFit { evidence: found.maximum + (prior + 1.0).ln(), weights: found.weights }
    }

    /// Adds `by` times the density, and the posterior probability of each component, at each node.
    pub(super) fn add_posterior(&self, state: &StateColumns, fit: &StateFit, by: f64, average: &mut Average) {
        if self.counts.is_empty() {
            return;
        }
        let components = self.components(state, &(0..NODES));
        let used: Vec<usize> = (0..components.len()).filter(|&j| fit.weights[j] > 0.0).collect();
        let mut density = [0.0; NODES];
        for &j in &used {
            density.iter_mut().zip(components[j]).for_each(|(f, h)| *f += fit.weights[j] * h);
        }
        average.density.iter_mut().zip(density).for_each(|(sum, f)| *sum += by * f);
        let factor = density.map(|f| by / f);
        for &j in &used {
            let added = components[j].iter().zip(&factor).map(|(h, factor)| fit.weights[j] * h * factor);
            average.shares[j].iter_mut().zip(added).for_each(|(share, added)| *share += added);
        }
    }

    fn components<'s>(&self, state: &'s StateColumns, nodes: &Range<usize>) -> Vec<&'s [f64]> {
        let moved = self.moves.iter().map(|by| state.effects.moved(*by, nodes));
        std::iter::once(state.noise.moved(0, nodes)).chain(moved).collect()
    }
}

/// The densities of a state that components are made of.
pub(super) struct StateColumns {
    noise: MovableDensity,
    effects: MovableDensity,
}

impl StateColumns {
    pub(super) fn new(density: &OnGrid) -> StateColumns {
        StateColumns { noise: MovableDensity::new(density), effects: MovableDensity::new(&blurred(density, SPREAD)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse_means::noise_states::features::Kind;
    use crate::sparse_means::noise_states::score_grid::standard_normal;

    fn scores(n: usize, effects: usize, size: f64) -> Vec<f64> {
        let noise = |i: usize| 1.7 * (2.0 * (i as f64 + 0.5) / n as f64 - 1.0);
        (0..n).map(|i| noise((i * 37) % n) + if i < effects { size } else { 0.0 }).collect()
    }

    #[test]
    fn effects_are_found_where_they_are_and_on_their_side() {
        let z = scores(400, 60, 4.0);
        let table = TableScores::new(&z, &Kind { one_sided: false, places: 0..400 });
        let mixture = MixtureGivenState::new(&table, 1.0);
        let state = StateColumns::new(&standard_normal());
        let fit = mixture.fit(&state, 5.0, &mixture.start());
        let near = |m: &f64| (3.0..5.0).contains(m);
        let weight = |of: &dyn Fn(&f64) -> bool| {
            fit.weights.iter().zip(mixture.means()).filter(|(_, m)| of(m)).map(|(w, _)| w).sum::<f64>()
        };
        assert!((weight(&near) - 0.15).abs() < 0.02 && weight(&|m| *m < 0.0) < 0.02);
        let mut average = Average { shares: vec![[0.0; NODES]; mixture.means().len()], density: [0.0; NODES] };
        mixture.add_posterior(&state, &fit, 1.0, &mut average);
        // what the components beyond 4 have beyond the grid is lost
        assert!((average.density.iter().sum::<f64>() - 1.0).abs() < 1e-4);
        let shares = average.shares;
        assert!((0..NODES).all(|b| (shares.iter().map(|share| share[b]).sum::<f64>() - 1.0).abs() < 1e-12));
        assert!(shares[0][80] > 0.95 && shares[0][120] < 0.01);
    }

    #[test]
    fn components_reach_just_beyond_the_scores() {
        let z = [-1.0, 0.3, 3.6];
        let signed = TableScores::new(&z, &Kind { one_sided: false, places: 0..3 });
        let means = MixtureGivenState::new(&signed, 1.0).means();
        assert_eq!(means.len(), 21);
        assert!((means[1] + 4.0).abs() < 1e-12 && (means[20] - 4.0).abs() < 1e-12);
        let one_sided = TableScores::new(&z, &Kind { one_sided: true, places: 0..3 });
        let mixture = MixtureGivenState::new(&one_sided, 1.0);
        assert!(mixture.means().iter().all(|m| *m >= 0.0));
        let beyond = mixture.beyond(2.0);
        assert!(beyond[0] == 0.0 && beyond[1] < 1e-9 && (beyond[5] - 0.5).abs() < 1e-9 && beyond[10] > 1.0 - 1e-9);
    }
}
