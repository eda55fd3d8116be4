//! A step towards the mode of a log posterior over weights that cannot be negative.

use crate::machines::jacobian::Jacobian;
use crate::machines::log_posterior::{Likelihood, Weights};
use crate::numeric::factored_hessian::Curvature;
use crate::numeric::linalg::Matrix;

/// A step counts as the mode when it promises less than this, relative to 1 + |Q|.
const AT_MODE: f64 = 1e-8;
/// A step that promised less than this may have been the last: worth a look along the same curvature, which costs no
/// factorisation, and which is believed if it promises a tenth of what the point's own curvature may.
const NEAR_MODE: f64 = 1e-2;
const BELIEVED: f64 = 0.1;
/// The share of the promise that a step must keep.
const ENOUGH: f64 = 1e-4;

/// What is known of the curvature from before.
#[derive(Default)]
pub(crate) struct Known {
    /// That of the step before, where that step was nearly at the mode: it tells whether that was the last.
    chord: Option<Chord>,
    /// JᵀCJ (lower half) at weights close by, enough for the first step.
    gram: Option<Matrix>,
}

impl Known {
    /// JᵀCJ (lower half) at weights close by, if it is known.
    pub(crate) fn with_gram(gram: Option<Matrix>) -> Known {
        Known { chord: None, gram }
    }
}

struct Chord {
    free: Vec<usize>,
    curvature: Curvature,
}

/// Where a step goes: weights, likelihood, and what `attempt` wants kept.
type NewtonStep<T> = (Vec<f64>, Likelihood, T);

/// The direction of a projected Newton step: weights at zero that would go below stay there.
pub(crate) struct Ascent {
    /// Q, of which the other weights' prior is `others`.
    q: f64,
    others: f64,
    gradient: Vec<f64>,
    free: Vec<usize>,
    curvature: Curvature,
    direction: Vec<f64>,
    /// What a whole step promises.
    rise: f64,
}

/// A projected Newton step. `None` at the mode, or where no step along the direction improves Q, of which the other
/// weights' prior is `others`. `attempt` says what the likelihood is at other weights, and what else is worth keeping.
pub(crate) fn newton<T>(
    at: &Likelihood,
    effect: &Jacobian,
    weights: &Weights,
    others: f64,
    known: &mut Known,
    attempt: impl FnMut(&[f64]) -> (Likelihood, T),
) -> Option<NewtonStep<T>> {
    Ascent::new(at, effect, weights, others, known)?.along(weights, known, attempt)
}

impl Ascent {
    /// The direction from here; `None` at the mode.
    pub(crate) fn new(
        at: &Likelihood,
        effect: &Jacobian,
        weights: &Weights,
        others: f64,
        known: &mut Known,
    ) -> Option<Ascent> {
        let q = at.log + weights.log_prior() + others;
        let unit = 1.0 + q.abs();
        if let Some(old) = known.chord.take() {
            let products = at.products(effect, weights, false);
            let (_, rise) = direction(&old.curvature, &old.free, &products.gradient);
            if rise < BELIEVED * AT_MODE * unit && weights.free(&products.gradient) == old.free {
                return None;
            }
        }
        let gram = known.gram.take();
        let mut products = at.products(effect, weights, gram.is_none());
        if gram.is_some() {
            products.gram = gram;
        }
        let free = weights.free(&products.gradient);
        let curvature = at.curvature(effect, &products, weights, &free)?.curvature;
        let gradient = products.gradient;
        let (direction, rise) = direction(&curvature, &free, &gradient);
        (rise >= AT_MODE * unit).then_some(Ascent { q, others, gradient, free, curvature, direction, rise })
    }

    /// The first of the whole step, half of it, a quarter … that keeps enough of its promise.
    pub(crate) fn along<T>(
        self,
        weights: &Weights,
        known: &mut Known,
        mut attempt: impl FnMut(&[f64]) -> (Likelihood, T),
    ) -> Option<NewtonStep<T>> {
        let mut step = 1.0;
        while step > 1e-10 {
            let moved = weights.moved(&self.free, &self.direction, step);
            let changes = moved.iter().zip(&weights.values);
            let promised: f64 = changes.zip(&self.gradient).map(|((a, b), g)| (a - b) * g).sum();
            let (likelihood, kept) = attempt(&moved);
            let there = likelihood.log + weights.with_values(moved.clone()).log_prior() + self.others;
            if there >= self.q + ENOUGH * promised {
                if step == 1.0 && self.rise < NEAR_MODE * (1.0 + self.q.abs()) {
                    known.chord = Some(Chord { free: self.free, curvature: self.curvature });
                }
                return Some((moved, likelihood, kept));
            }
            step *= 0.5;
        }
        None
    }
}

/// H⁻¹g over the free weights, and gᵀH⁻¹g.
fn direction(curvature: &Curvature, free: &[usize], gradient: &[f64]) -> (Vec<f64>, f64) {
    let gradient: Vec<f64> = free.iter().map(|&i| gradient[i]).collect();
    let mut direction = gradient.clone();
    curvature.solve(&mut direction);
    let rise = direction.iter().zip(&gradient).map(|(d, g)| d * g).sum();
    (direction, rise)
}

impl Weights {
    /// Weights that are not at zero with a gradient that would push them below.
    fn free(&self, gradient: &[f64]) -> Vec<usize> {
        let from = self.positive_from;
        (0..gradient.len()).filter(|&i| i < from || self.values[i] > 0.0 || gradient[i] > 0.0).collect()
    }

    /// The values after a step, cut off at zero.
    fn moved(&self, free: &[usize], direction: &[f64], step: f64) -> Vec<f64> {
        let mut moved = self.values.clone();
        for (&i, d) in free.iter().zip(direction) {
            moved[i] += step * d;
            if i >= self.positive_from {
                moved[i] = moved[i].max(0.0);
            }
        }
        moved
    }
}
