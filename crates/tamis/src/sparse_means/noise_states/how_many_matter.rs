//! How many effects exceed a limit: an interval from bounds on their profile likelihood, averaged over states.
//!
//! Given a state, let M(v) be the largest penalised likelihood over mixtures of the noise moved by atoms, the density of
//! atom j multiplied by v_j. With κ the share of effects beyond the limit, n′ the number of scores over φ, and u > 0,
//!
//! l(κ) ≤ M(e^−u on the atoms beyond) + n′κu, l(κ) ≤ M(e^−u on the atoms within) + (n′(1 − κ) + a)u,
//!
//! a the exponent of the prior of no effect. The least of such bounds stands for l: the interval is never too short.

use super::movable_density::MovableDensity;
use super::score_grid::{NODES, OnGrid};
use super::table_scores::TableScores;
use crate::base::{Progress, Result};
use crate::sparse_means::mixture_newton::{MixtureProblem, maximise, spread_weights};
use rayon::prelude::*;

/// The limits δ.
const LIMITS: [f64; 2] = [1.0, 2.0];
/// Tilts u.
const TILTS: [f64; 6] = [0.1, 0.3, 1.0, 3.0, 8.0, 20.0];
/// The interval holds what lies no farther below twice the largest log likelihood: the 5 % point of ½χ²₁ + ¼χ²₂.
const DROP: f64 = 4.2306;
/// States that are used.
const MOST_STATES: usize = 20;
/// The exponent of the prior of no effect; less where one state and few features are all there is.
const PRIOR: f64 = 10.0;
const MANY: f64 = 500.0;
/// Atoms lie so many nodes apart.
const NODES_APART: i32 = 2;
/// Shares of effects at which the likelihood is known, beside 0.
const SHARES: usize = 160;
/// The gap of a fit, as a share of the number of scores.
const TOLERANCE: f64 = 1e-9;

/// For scores of one kind, the two ends of the interval for each limit.
pub(super) fn intervals(
    table: &TableScores,
    densities: &[OnGrid],
    phi: f64,
    progress: &mut dyn Progress,
) -> Result<[[f64; 2]; 2]> {
    progress.step("counting effects", 0, 0)?;
    let (far, n) = (table.far as f64, table.n as f64);
    if table.n == 0 {
        return Ok([[far; 2]; 2]);
    }
    let share = if densities.len() == 1 { (n / MANY).min(1.0) } else { 1.0 };
    let atoms = Atoms::new(table, phi, PRIOR * share);
    let curves: Vec<[Vec<f64>; 2]> =
        some_states(densities.len()).into_par_iter().map(|s| atoms.bounds(&densities[s])).collect();
    Ok([0, 1].map(|limit| {
        let curves: Vec<&Vec<f64>> = curves.iter().map(|of_limits| &of_limits[limit]).collect();
        within(&curves).map(|share| far + n * atoms.shares[share])
    }))
}

/// The states used of `n`: evenly spread.
fn some_states(n: usize) -> Vec<usize> {
    let m = n.min(MOST_STATES);
    let place = |i: usize| ((i * (n - 1)) as f64 / (m.max(2) - 1) as f64).round_ties_even() as usize;
    let mut states: Vec<usize> = (0..m).map(place).collect();
    states.dedup();
    states
}

/// The first and the last share whose averaged likelihood is close to the largest.
fn within(curves: &[&Vec<f64>]) -> [usize; 2] {
    let top = curves.iter().flat_map(|curve| curve.iter()).copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = |at: usize| curves.iter().map(|curve| (curve[at] - top).exp()).sum::<f64>() / curves.len() as f64;
    let likelihood: Vec<f64> = (0..curves[0].len()).map(|at| mean(at).max(1e-300).ln()).collect();
    let largest = likelihood.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let close = |l: &f64| 2.0 * (largest - l) <= DROP;
    [likelihood.iter().position(close), likelihood.iter().rposition(close)].map(|at| at.unwrap_or(0))
}

/// The atoms of the mixtures, and the table they explain.
struct Atoms<'a> {
    table: &'a TableScores,
    /// Where each lies, in nodes; the one at 0 first.
    moves: Vec<i32>,
    counts: Vec<f64>,
    /// n′.
    total: f64,
    prior: f64,
    shares: Vec<f64>,
}

impl<'a> Atoms<'a> {
    fn new(table: &'a TableScores, phi: f64, prior: f64) -> Atoms<'a> {
        let farthest = (((table.largest + 0.2) / 0.2).ceil() as i32).min(NODES as i32 / NODES_APART);
        let above = (1..=farthest).map(|k| k * NODES_APART);
        let below = (1..=farthest).rev().filter(|_| !table.one_sided).map(|k| -k * NODES_APART);
        let counts: Vec<f64> = table.counts[table.nodes.clone()].iter().map(|c| c / phi).collect();
        let least = 0.2 / table.n as f64;
        let step = |i: usize| least * (1.0 / least).powf(i as f64 / (SHARES - 1) as f64);
        let shares = std::iter::once(0.0).chain((0..SHARES - 1).map(step)).chain([1.0]).collect();
        Atoms {
            table,
            moves: std::iter::once(0).chain(below).chain(above).collect(),
            total: counts.iter().sum(),
            counts,
            prior,
            shares,
        }
    }

    /// For each limit, the least bound of the log likelihood at every share.
    fn bounds(&self, density: &OnGrid) -> [Vec<f64>; 2] {
        let movable = MovableDensity::new(density);
        let components: Vec<&[f64]> = self.moves.iter().map(|by| movable.moved(*by, &self.table.nodes)).collect();
        let fit = |factors: &[f64], start: &[f64]| {
            let problem = MixtureProblem { components: &components, factors, counts: &self.counts, prior: self.prior };
            let found = maximise(&problem, start, TOLERANCE);
            (found.maximum + found.gap + self.prior * factors[0].ln(), found.weights)
        };
        let all = vec![1.0; components.len()];
        let (untilted, start) = fit(&all, &spread_weights(components.len()));
        LIMITS.map(|limit| {
            let edge = (limit * 10.0) as i32; // in nodes
            let mut least = vec![untilted; self.shares.len()];
            let mut lower = |bound: &dyn Fn(f64) -> f64| {
                least.iter_mut().zip(&self.shares).for_each(|(l, share)| *l = l.min(bound(*share)));
            };
            let (mut beyond, mut inside) = (start.clone(), start.clone());
            for tilt in TILTS {
                let tilted = |is: &dyn Fn(i32) -> bool| -> Vec<f64> {
                    self.moves.iter().map(|by| if is(by.abs()) { f64::exp(-tilt) } else { 1.0 }).collect()
                };
                let (maximum, weights) = fit(&tilted(&|at| at > edge), &beyond);
                lower(&|share| maximum + self.total * share * tilt);
                beyond = weights;
                let (maximum, weights) = fit(&tilted(&|at| at < edge), &inside);
                lower(&|share| maximum + (self.total * (1.0 - share) + self.prior) * tilt);
                inside = weights;
            }
            least
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Silent;
    use crate::sparse_means::noise_states::features::Kind;
    use crate::sparse_means::noise_states::score_grid::standard_normal;

    #[test]
    fn the_interval_holds_the_planted_number() {
        // a regular normal sample, of which every tenth has an effect of 4
        let quantile = |i: usize| crate::numeric::special::normal_quantile((i as f64 + 0.5) / 1000.0);
        let z: Vec<f64> = (0..1000).map(|i| quantile((i * 389) % 1000) + if i < 100 { 4.0 } else { 0.0 }).collect();
        let table = TableScores::new(&z, &Kind { one_sided: false, places: 0..1000 });
        let [one, two] = intervals(&table, &[standard_normal()], 1.0, &mut Silent).expect("not cancelled");
        for [low, high] in [one, two] {
            assert!(low < 100.0 && low > 60.0 && high > 100.0, "{low} {high}");
        }
        assert!(two[1] < 130.0, "{two:?}");
        // the upper end for 1 depends on the penalty, which weighs more when counts weigh less
        let [_, dispersed] = intervals(&table, &[standard_normal()], 3.0, &mut Silent).expect("not cancelled");
        assert!(dispersed[0] < two[0] && dispersed[1] > two[1], "{dispersed:?} {two:?}");
    }

    #[test]
    fn states_used_are_spread_evenly() {
        assert_eq!(some_states(1), [0]);
        assert_eq!(some_states(3), [0, 1, 2]);
        let of_many = some_states(398);
        assert_eq!((of_many.len(), of_many[0], of_many[19]), (20, 0, 397));
    }
}
