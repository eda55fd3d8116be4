//! A step towards the mode of a log posterior over weights that cannot be negative.

use super::effect::Effect;
use super::point::{Likelihood, Weights};

/// A projected Newton step: weights at zero that would go below stay there. `None` at the mode, or where no step along
/// the direction improves Q, of which the other weights' prior is `others`. `attempt` says what the likelihood is at other weights, and what else is worth keeping.
pub(crate) fn newton<T>(
    at: &Likelihood,
    effect: &Effect,
    weights: &Weights,
    others: f64,
    mut attempt: impl FnMut(&[f64]) -> (Likelihood, T),
) -> Option<(Vec<f64>, Likelihood, T)> {
    const ENOUGH: f64 = 1e-4;
    let from = weights.positive_from;
    let q = at.log + weights.log_prior() + others;
    let seen = at.look(effect, weights);
    let gradient = &seen.gradient;
    let free: Vec<usize> =
        (0..gradient.len()).filter(|&i| i < from || weights.values[i] > 0.0 || gradient[i] > 0.0).collect();
    let slope = at.slope(effect, &seen, weights, &free)?;
    let mut direction = slope.gradient.clone();
    slope.curvature.solve(&mut direction);
    let rise: f64 = direction.iter().zip(&slope.gradient).map(|(d, g)| d * g).sum();
    if rise < 1e-8 * (1.0 + q.abs()) {
        return None;
    }
    let mut step = 1.0;
    while step > 1e-10 {
        let mut moved = weights.values.clone();
        for (&i, d) in free.iter().zip(&direction) {
            moved[i] += step * d;
            if i >= from {
                moved[i] = moved[i].max(0.0);
            }
        }
        let promised: f64 = moved.iter().zip(&weights.values).zip(gradient).map(|((a, b), g)| (a - b) * g).sum();
        let (likelihood, kept) = attempt(&moved);
        if likelihood.log + weights.with_values(moved.clone()).log_prior() + others >= q + ENOUGH * promised {
            return Some((moved, likelihood, kept));
        }
        step *= 0.5;
    }
    None
}
