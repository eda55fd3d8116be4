//! `prior=npmle`: the Kiefer–Wolfowitz maximum-likelihood mixture on a grid, with an atom at zero.
//!
//! μ takes values on multiples of 0.1 over the range of the scores; the weights maximise
//! Σ ln f(z_i) + 10 ln w, w the weight at 0: concave, with one optimum, found by the interior point of `mixture.rs`
//! and certified by its gradient. Scores beyond ±20 matter with certainty and stay out of the fit.
//!
//! Cost: 10–25 steps of points × values² flops; above 2,000 scores the points are bins of width 0.02.

use super::kde::EXACT;
use super::{Curve, FitDetail, PriorFit, floor, mixture};
use crate::numeric::special::{LN_SQRT_2PI, normal_density};
use crate::{Progress, Result};
use rayon::prelude::*;

/// Scores beyond this matter with certainty.
const CERTAIN: f64 = 20.0;
/// Spacing of the values μ may take.
const STEP: f64 = 0.1;
/// Width of the bins for many scores.
const BIN: f64 = 0.02;
/// Weight of the penalty that favours the atom at zero.
const PENALTY: f64 = 10.0;

/// Fits the mixture to sorted, finite scores.
pub(crate) fn fit(sorted: &[f64], progress: &mut dyn Progress) -> Result<PriorFit> {
    progress.step("fitting the prior", 0, 1)?;
    let first = sorted.partition_point(|z| *z < -CERTAIN);
    let last = sorted.partition_point(|z| *z <= CERTAIN);
    let inside = &sorted[first..last];
    let (mut irrelevant, mut effects) = (vec![0.0; sorted.len()], sorted.to_vec());
    let mut detail = FitDetail::default();
    if let (Some(&low), Some(&high)) = (inside.first(), inside.last()) {
        let values: Vec<f64> =
            (floor(low.min(0.0) / STEP)..=-floor(-high.max(0.0) / STEP)).map(|i| i as f64 * STEP).collect();
        let (x, mut counts) = points(inside);
        counts.push(PENALTY);
        let fitted = mixture::fit(&counts, values.len(), |b, j| match x.get(b) {
            Some(x) => -0.5 * (x - values[j]).powi(2) - LN_SQRT_2PI,
            None if values[j] == 0.0 => 0.0,
            None => f64::NEG_INFINITY,
        });
        let kept: Vec<(f64, f64)> =
            fitted.weights.iter().zip(&values).filter(|(w, _)| **w > 1e-15).map(|(w, v)| (*w, *v)).collect();
        let answer = |z: f64| {
            let (mut f, mut at_zero, mut mean) = (0.0, 0.0, 0.0);
            for (weight, value) in &kept {
                let d = weight * normal_density(z - value);
                f += d;
                mean += d * value;
                at_zero += if *value == 0.0 { d } else { 0.0 };
            }
            (at_zero / f, mean / f, f)
        };
        let zone = irrelevant[first..last].par_iter_mut().zip(effects[first..last].par_iter_mut());
        zone.with_min_len(1024).for_each(|(p, e)| (*p, *e, _) = answer(*e));
        let mut curve = Curve::default();
        let (low, high) = (low.min(-4.0), high.max(4.0));
        for i in 0..=400 {
            let z = low + (high - low) * f64::from(i) / 400.0;
            let (p, effect, f) = answer(z);
            curve.z.push(z);
            curve.irrelevant_density.push(p * f);
            curve.relevant_density.push((1.0 - p) * f);
            curve.effect.push(effect);
        }
        detail.curve = curve;
    }
    Ok(PriorFit { irrelevant, effects, converged: true, iterations: 0, detail })
}

/// The scores, or linear bins of them.
fn points(inside: &[f64]) -> (Vec<f64>, Vec<f64>) {
    if inside.len() <= EXACT {
        return (inside.to_vec(), vec![1.0; inside.len()]);
    }
    super::auto::bin(inside, BIN)
}
