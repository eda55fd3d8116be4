//! `prior=npmle`: the Kiefer–Wolfowitz maximum-likelihood mixture on a grid, with an atom at zero.
//!
//! μ takes values on multiples of 0.1 over the range of the scores; the weights maximise
//! Σ ln f(z_i) + 10 ln w, w the weight at 0: concave, with one optimum, found by the interior point of `mixture_interior_point.rs`
//! and certified by its gradient. Scores beyond ±20 matter with certainty and stay out of the fit.
//!
//! Cost: 10–25 steps of points × values² flops; above 2,000 scores the points are bins of width 0.02.

use crate::base::{Progress, Result};
use crate::numeric::special::{LN_SQRT_2PI, normal_density};
use crate::selection::detail::{FitDetail, FittedCurve};
use crate::sparse_means::binned::Binned;
use crate::sparse_means::binned::floor;
use crate::sparse_means::kde::EXACT;
use crate::sparse_means::{PriorFit, mixture_interior_point};
use rayon::prelude::*;

/// Scores beyond this matter with certainty.
const CERTAIN: f64 = 20.0;
/// Spacing of the values μ may take.
const STEP: f64 = 0.1;
/// Width of the bins for many scores.
const BIN: f64 = 0.02;
/// Weight of the penalty that favours the atom at zero.
const PENALTY: f64 = 10.0;

/// The log likelihood is within this of its optimum, or the fit has not converged.
const CERTIFIED: f64 = 1e-6;

/// Fits the mixture to sorted, finite scores.
pub(crate) fn fit(sorted: &[f64], progress: &mut dyn Progress) -> Result<PriorFit> {
    progress.step("fitting the prior", 0, 1)?;
    let first = sorted.partition_point(|z| *z < -CERTAIN);
    let last = sorted.partition_point(|z| *z <= CERTAIN);
    let inside = &sorted[first..last];
    let (mut irrelevant, mut effects) = (vec![0.0; sorted.len()], sorted.to_vec());
    let mut detail = FitDetail::default();
    let mut iterations = 0;
    if let (Some(&low), Some(&high)) = (inside.first(), inside.last()) {
        let (values, fitted) = optimum(inside, low, high);
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
            // far from all that has weight, which only a fit that did not converge leaves: nothing is known but z
            if f > 0.0 { (at_zero / f, mean / f, f) } else { (0.0, z, 0.0) }
        };
        let zone = irrelevant[first..last].par_iter_mut().zip(effects[first..last].par_iter_mut());
        zone.with_min_len(1024).for_each(|(p, e)| (*p, *e, _) = answer(*e));
        let mut curve = FittedCurve::default();
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
        detail.optimum_gap = Some(fitted.gap);
        iterations = fitted.steps;
    }
    let converged = detail.optimum_gap.is_none_or(|gap| gap <= CERTIFIED);
    Ok(PriorFit { irrelevant, effects, sign_errors: None, effects_95: None, converged, iterations, detail })
}

/// The values μ may take, and the likeliest mixture of them, for sorted scores from `low` to `high`.
fn optimum(inside: &[f64], low: f64, high: f64) -> (Vec<f64>, mixture_interior_point::Mixture) {
    let multiples = floor(low.min(0.0) / STEP)..=-floor(-high.max(0.0) / STEP);
    let values: Vec<f64> = multiples.map(|i| i as f64 * STEP).collect();
    let (x, mut counts) = points(inside);
    counts.push(PENALTY);
    let fitted = mixture_interior_point::fit(&counts, values.len(), |b, j| match x.get(b) {
        Some(x) => -0.5 * (x - values[j]).powi(2) - LN_SQRT_2PI,
        None if values[j] == 0.0 => 0.0,
        None => f64::NEG_INFINITY,
    });
    (values, fitted)
}

/// The scores, or linear bins of them.
fn points(inside: &[f64]) -> (Vec<f64>, Vec<f64>) {
    if inside.len() <= EXACT {
        return (inside.to_vec(), vec![1.0; inside.len()]);
    }
    let Binned { x, count } = Binned::new(inside, BIN);
    (x, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use crate::numeric::random;
    use rand_distr::{Distribution, StandardNormal};

    /// The certificate once more, with densities computed the plain way: Σ_b c_b A_bj / f_b is nowhere above Σc by
    /// more than the log likelihood may be short of its optimum.
    #[test]
    fn the_gradient_certifies_the_likelihood() {
        for (n, effect) in [(50, 0.0), (500, 3.0), (2_000, 1.5), (30_000, 4.0)] {
            let mut rng = random::stream(5, n as u64);
            let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
            let mut z: Vec<f64> =
                (0..n).map(|i| draw() + if i % 10 == 0 { effect * (1.0 + 0.3 * draw()) } else { 0.0 }).collect();
            z.sort_by(f64::total_cmp);
            let (values, fitted) = optimum(&z, z[0], z[n - 1]);
            let (x, counts) = points(&z);
            let mut gradient = vec![0.0; values.len()];
            for (x, c) in x.iter().zip(&counts) {
                let density: Vec<f64> = values.iter().map(|v| normal_density(x - v)).collect();
                let f: f64 = density.iter().zip(&fitted.weights).map(|(d, w)| d * w).sum();
                gradient.iter_mut().zip(&density).for_each(|(g, d)| *g += c * d / f);
            }
            let zero = values.iter().position(|v| *v == 0.0).expect("zero is a value");
            gradient[zero] += PENALTY / fitted.weights[zero];
            let steepest = gradient.iter().copied().fold(0.0, f64::max);
            let gap = steepest - counts.iter().sum::<f64>() - PENALTY;
            assert!(gap < 1e-6, "{n}: {gap}");
            assert!((gap - fitted.gap).abs() < 1e-6, "{n}: {gap} {}", fitted.gap);
            assert!(fit(&z, &mut Context::default()).expect("fits").converged);
        }
    }
}
