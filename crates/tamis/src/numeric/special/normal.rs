//! The normal distribution: density, tails, quantiles, and scores from tails.

use libm::{erf, erfc};
use std::f64::consts::{FRAC_1_SQRT_2, LN_2, PI, SQRT_2};

/// The normal quantile of every 95 % interval.
pub(crate) const Z_95: f64 = 1.959_963_984_540_054;

/// ln √(2π).
pub(crate) const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;

/// The standard normal density φ(x).
#[inline]
pub(crate) fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x - LN_SQRT_2PI).exp()
}

/// The standard normal distribution function Φ(x) = ½ erfc(−x/√2).
#[inline]
pub fn ndtr(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

/// ln Φ(x), relative error below 1e-13 for every x (Φ itself underflows at x < −38).
pub fn log_ndtr(x: f64) -> f64 {
    if x > 0.0 {
        (-ndtr(-x)).ln_1p()
    } else if x > -20.0 {
        ndtr(x).ln()
    } else {
        // Mills ratio: Φ(x)/φ(x) = (1/|x|)(1 − 1/x² + 1·3/x⁴ − 1·3·5/x⁶ + …)
        let r = 1.0 / (x * x);
        let (mut term, mut sum) = (1.0, 1.0);
        for n in 1..10 {
            term *= -r * f64::from(2 * n - 1);
            sum += term;
        }
        -0.5 * x * x - LN_SQRT_2PI - (-x).ln() + sum.ln()
    }
}

/// The z ≥ 0 whose upper tail ln(1 − Φ(z)) is `log_tail`, by Newton's method on the concave log tail.
///
/// `log_tail` above ln ½ gives 0; −∞ gives +∞.
pub(crate) fn z_from_log_tail(log_tail: f64) -> f64 {
    if log_tail >= -LN_2 {
        return 0.0;
    }
    if log_tail == f64::NEG_INFINITY {
        return f64::INFINITY;
    }
    let guess = -2.0 * log_tail;
    let mut z = if guess > 4.0 { (guess - (2.0 * PI * guess).ln()).max(1.0).sqrt() } else { 0.8 };
    for _ in 0..50 {
        let tail = log_ndtr(-z);
        let hazard = (-0.5 * z * z - LN_SQRT_2PI - tail).exp();
        let step = (tail - log_tail) / hazard;
        z = (z + step).max(0.0);
        if step.abs() <= 4e-16 * z.abs() {
            break;
        }
    }
    z
}

/// The z ≥ 0 with Φ(z) − Φ(−z) = `central`, exact in relative terms for small probabilities.
pub(super) fn z_from_central(central: f64) -> f64 {
    let mut z = central * (PI / 2.0).sqrt();
    for _ in 0..50 {
        let step = (central - erf(z * FRAC_1_SQRT_2)) / (2.0 * normal_density(z));
        z += step;
        if step.abs() <= 4e-16 * z.abs() {
            break;
        }
    }
    z
}

/// The z with 1 − Φ(z) = exp(`log_tail`), of either sign.
pub(crate) fn z_from_log_sf(log_tail: f64) -> f64 {
    if log_tail <= -LN_2 { z_from_log_tail(log_tail) } else { -z_from_log_tail((-log_tail.exp_m1()).ln()) }
}

/// P(|X| ≤ `limit`) for X ~ N(`mean`, `sd`²).
#[inline]
pub(crate) fn normal_within(limit: f64, mean: f64, sd: f64) -> f64 {
    let scale = 1.0 / (sd * SQRT_2);
    let m = mean.abs();
    0.5 * (erfc((m - limit) * scale) - erfc((m + limit) * scale))
}

/// P(|Z| > |z|) for a standard normal Z.
pub fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() * FRAC_1_SQRT_2)
}

/// The z with Φ(z) = `p`.
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        f64::NAN
    } else if p < 0.5 {
        -z_from_log_tail(p.ln())
    } else {
        z_from_log_tail((-p).ln_1p())
    }
}
