//! Weighted tempered Gibbs sampling of S, with the share h and the variance t drawn again beside it.

use super::evidence::Evidence;
use super::flips::State;
use super::model::{Model, SHARES};
use crate::base::{Progress, Result};
use crate::numeric::random;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Chains have streams of their own.
const CHAINS: u64 = 1 << 42;
/// Chains start with t = 30.
const START: usize = 2;
/// Flips between reports of progress.
const STRETCH: usize = 250;
/// Flips between draws of h and t, which cost as much as |S| flips.
const SCALES_EVERY: usize = 4;

/// What a chain has seen.
pub(super) struct Visits {
    /// The weighted mean of P(in S) of every column and factor.
    pub(super) inclusion: Vec<f64>,
    /// The visited sets one after the other, and where each ends.
    members: Vec<u32>,
    ends: Vec<usize>,
    /// Weights of the sets; they sum to 1.
    pub(super) weights: Vec<f64>,
    /// The weight of every share of the background.
    pub(super) shares: [f64; SHARES.len()],
}

impl Visits {
    /// The visited sets.
    pub(super) fn sets(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.members[start..*end])
    }
}

struct Chain<'m> {
    model: &'m Model,
    state: State,
    trial: State,
    evidence: Evidence,
    rng: ChaCha8Rng,
    visits: Visits,
}

/// Runs chains keyed by (seed, chain): `burn` flips that are not counted, then `draws` that are.
///
/// # Errors
///
/// Cancelled only.
pub(super) fn run(
    model: &Model,
    chains: usize,
    [burn, draws]: [usize; 2],
    seed: u64,
    progress: &mut dyn Progress,
) -> Result<Vec<Visits>> {
    let mut all: Vec<Chain> =
        (0..chains as u64).map(|chain| Chain::new(model, draws, random::stream(seed, CHAINS + chain))).collect();
    let total = burn + draws;
    for from in (0..total).step_by(STRETCH) {
        progress.step("flips", from as u64, total as u64)?;
        let stretch = from..total.min(from + STRETCH);
        all.par_iter_mut().for_each(|chain| stretch.clone().for_each(|at| chain.step(at, at >= burn)));
    }
    Ok(all.into_iter().map(Chain::into_visits).collect())
}

impl<'m> Chain<'m> {
    fn new(model: &'m Model, draws: usize, rng: ChaCha8Rng) -> Chain<'m> {
        let visits = Visits {
            inclusion: vec![0.0; model.len()],
            members: Vec::with_capacity(16 * draws),
            ends: Vec::with_capacity(draws),
            weights: Vec::with_capacity(draws),
            shares: [0.0; SHARES.len()],
        };
        let state = || State::new(model, 0, START);
        Chain { model, state: state(), trial: state(), evidence: Evidence::new(model), rng, visits }
    }

    fn step(&mut self, at: usize, counted: bool) {
        if at.is_multiple_of(SCALES_EVERY) {
            self.draw_scales();
        }
        if counted {
            let weight = 1.0 / self.state.total;
            self.visits
                .inclusion
                .iter_mut()
                .zip(&self.state.odds)
                .for_each(|(sum, odds)| *sum += weight * (odds / (1.0 + odds)));
            self.visits.shares[self.state.share] += weight;
            self.visits.members.extend(&self.state.members);
            self.visits.ends.push(self.visits.members.len());
            self.visits.weights.push(weight);
        }
        let j = self.state.pick(self.rng.random());
        self.state.flip(self.model, j);
        self.evidence.flip(self.model, j);
    }

    /// (h, t) proposed from exp(evidence | S), and accepted by the ratio of the total rates.
    fn draw_scales(&mut self) {
        self.evidence.evaluate(self.model);
        let logs = &self.evidence.logs;
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        let mut left = self.rng.random::<f64>() * sum;
        let mut at = 0;
        while at + 1 < logs.len() {
            left -= (logs[at] - most).exp();
            if left < 0.0 {
                break;
            }
            at += 1;
        }
        let (share, variance) = (at / self.model.variances.len(), at % self.model.variances.len());
        if (share, variance) == (self.state.share, self.state.variance) {
            return;
        }
        self.trial.reset(self.model, &self.state.members, share, variance);
        if self.rng.random::<f64>() * self.state.total < self.trial.total {
            std::mem::swap(&mut self.state, &mut self.trial);
        }
    }

    fn into_visits(self) -> Visits {
        let mut visits = self.visits;
        let sum: f64 = visits.weights.iter().sum();
        visits.weights.iter_mut().chain(&mut visits.inclusion).chain(&mut visits.shares).for_each(|x| *x /= sum);
        visits
    }
}
