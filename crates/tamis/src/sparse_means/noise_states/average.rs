//! The explanations of a table given each state, averaged with the weight each deserves.

use super::mixture_given_state::{Average, MixtureGivenState, StateColumns, StateFit};
use super::posterior::Posterior;
use super::score_grid::NODES;
use super::states::States;
use super::table_scores::TableScores;
use crate::base::{Progress, Result};
use rayon::prelude::*;

/// Exponents of the prior of the share without effect: one for tables with many effects, one for few.
const PRIORS: [f64; 2] = [5.0, 40.0];
/// States fitted between two reports.
const STATES_OF_A_WAVE: usize = 64;
/// Neighbouring states that are fitted one after the other.
const NEIGHBOURS: usize = 8;
/// States whose posteriors one task sums.
const STATES_OF_A_TASK: usize = 16;

/// Explains the scores of every kind given each state, and averages. The prior exponents are multiplied by `prior_share`.
pub(super) fn explain(
    tables: &[TableScores],
    states: &States,
    prior_share: f64,
    progress: &mut dyn Progress,
) -> Result<Vec<Posterior>> {
    let mixtures: Vec<_> = tables.iter().map(|table| MixtureGivenState::new(table, states.phi)).collect();
    let explained = Explained { mixtures, states, priors: PRIORS.map(|prior| prior * prior_share) };
    let fits = explained.fits(progress)?;
    let averages = explained.average(&fits, &weights(&fits));
    let kinds = averages.into_iter().zip(&explained.mixtures).zip(tables);
    Ok(kinds.map(|((average, mixture), table)| Posterior::new(average, mixture, table)).collect())
}

/// The weight of each fit: proportional to the exponential of its evidence, summed over kinds.
fn weights(fits: &[FitsGivenState]) -> Vec<[f64; 2]> {
    let evidence = |fits: &[StateFit]| fits.iter().map(|fit| fit.evidence).sum::<f64>();
    let evidence: Vec<[f64; 2]> = fits.iter().map(|[many, few]| [evidence(many), evidence(few)]).collect();
    let most = evidence.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = evidence.iter().flatten().map(|e| (e - most).exp()).sum();
    evidence.into_iter().map(|e| e.map(|e| (e - most).exp() / sum)).collect()
}

/// The weights of fits to all kinds.
fn weights_of(fits: &[StateFit]) -> Vec<Vec<f64>> {
    fits.iter().map(|fit| fit.weights.clone()).collect()
}

struct Explained<'a> {
    /// Kind by kind.
    mixtures: Vec<MixtureGivenState<'a>>,
    states: &'a States,
    priors: [f64; 2],
}

/// Fits given a state: prior by prior, kind by kind.
type FitsGivenState = [Vec<StateFit>; 2];

impl Explained<'_> {
    /// Fits given every state. The first of neighbours starts from a fit to the state in the middle, the others from the one
    /// before them.
    fn fits(&self, progress: &mut dyn Progress) -> Result<Vec<FitsGivenState>> {
        let n = self.states.len();
        let start: Vec<Vec<f64>> = self.mixtures.iter().map(MixtureGivenState::start).collect();
        let start = self.given(n / 2, [&start, &start]);
        let start: [Vec<Vec<f64>>; 2] = start.each_ref().map(|fits| weights_of(fits));
        let states: Vec<usize> = (0..n).collect();
        let mut fits = Vec::with_capacity(n);
        for wave in states.chunks(STATES_OF_A_WAVE) {
            progress.step("fitting the states of the noise", wave[0] as u64, n as u64)?;
            let some: Vec<Vec<FitsGivenState>> =
                wave.par_chunks(NEIGHBOURS).map(|some| self.given_some(some, &start)).collect();
            fits.extend(some.into_iter().flatten());
        }
        Ok(fits)
    }

    /// The fits given some states, one after the other.
    fn given_some(&self, states: &[usize], start: &[Vec<Vec<f64>>; 2]) -> Vec<FitsGivenState> {
        let mut fits: Vec<FitsGivenState> = Vec::with_capacity(states.len());
        for &s in states {
            let before = fits.last().map(|fits| fits.each_ref().map(|fits| weights_of(fits)));
            let [many, few] = before.as_ref().unwrap_or(start);
            fits.push(self.given(s, [many, few]));
        }
        fits
    }

    /// The fits given state `s`, from weights to start with for each prior.
    fn given(&self, s: usize, start: [&Vec<Vec<f64>>; 2]) -> FitsGivenState {
        let columns = self.columns(s);
        [0, 1].map(|at| {
            let kinds = self.mixtures.iter().zip(&columns).zip(start[at]);
            kinds.map(|((mixture, state), start)| mixture.fit(state, self.priors[at], start)).collect()
        })
    }

    fn columns(&self, s: usize) -> Vec<StateColumns> {
        self.states.densities.iter().map(|densities| StateColumns::new(&densities[s])).collect()
    }

    /// The averages, kind by kind.
    fn average(&self, fits: &[FitsGivenState], weights: &[[f64; 2]]) -> Vec<Average> {
        let nothing = |mixture: &MixtureGivenState<'_>| Average {
            shares: vec![[0.0; NODES]; mixture.means().len()],
            density: [0.0; NODES],
        };
        let none = || -> Vec<Average> { self.mixtures.iter().map(nothing).collect() };
        let of_some = |some: &[usize]| {
            let mut averages = none();
            for &s in some {
                for (k, state) in self.columns(s).iter().enumerate() {
                    for (fits, weight) in fits[s].iter().zip(weights[s]) {
                        self.mixtures[k].add_posterior(state, &fits[k], weight, &mut averages[k]);
                    }
                }
            }
            averages
        };
        let states: Vec<usize> = (0..fits.len()).collect();
        let parts: Vec<Vec<Average>> = states.par_chunks(STATES_OF_A_TASK).map(of_some).collect();
        let mut averages = none();
        for (sum, part) in parts.iter().flat_map(|part| (0..part.len()).zip(part)) {
            let sum = &mut averages[sum];
            sum.shares.iter_mut().flatten().zip(part.shares.iter().flatten()).for_each(|(sum, part)| *sum += part);
            sum.density.iter_mut().zip(part.density).for_each(|(sum, part)| *sum += part);
        }
        averages
    }
}
