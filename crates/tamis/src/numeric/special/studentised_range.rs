//! The studentised range of normal means with a known variance.

use super::normal::{log_ndtr, normal_density, z_from_log_tail};
use std::f64::consts::SQRT_2;

/// P(Q > q) for the studentised range of `k` ≥ 2 normal means with known variance (infinite degrees of freedom):
/// k ∫ φ(z) {Φ(z)ᵏ⁻¹ − [Φ(z) − Φ(z−q)]ᵏ⁻¹} dz, z being the largest of the k.
///
/// The trapezoidal rule, which converges exponentially on a smooth function that vanishes at both ends; about 1,200
/// points. The difference of powers is taken so that small tails keep their relative precision.
pub fn studentised_range_upper(q: f64, k: u32) -> f64 {
    if q.is_nan() || k < 2 {
        return f64::NAN;
    }
    if q <= 0.0 {
        return 1.0;
    }
    const STEPS_PER_UNIT: i32 = 64;
    // below −9 the powers vanish; above, φ(z) does, but a far tail has its mass near z = q/2 and beyond
    let last = ((10.0 + q.min(80.0)) * f64::from(STEPS_PER_UNIT)) as i32;
    let power = f64::from(k - 1);
    let sum: f64 = (-9 * STEPS_PER_UNIT..=last)
        .map(|i| {
            let z = f64::from(i) / f64::from(STEPS_PER_UNIT);
            let ln_largest = log_ndtr(z);
            let outside = (log_ndtr(z - q) - ln_largest).exp().min(1.0);
            normal_density(z) * (power * ln_largest).exp() * -(power * (-outside).ln_1p()).exp_m1()
        })
        .sum();
    (f64::from(k) * sum / f64::from(STEPS_PER_UNIT)).min(1.0)
}

/// The q with P(Q > q) = `tail` for the studentised range of `k` ≥ 2 normal means with known variance, by bisection:
/// some milliseconds.
pub fn studentised_range_quantile(tail: f64, k: u32) -> f64 {
    if !(tail > 0.0 && tail < 1.0) || k < 2 {
        return f64::NAN;
    }
    // each of the k(k−1)/2 differences exceeds q with probability 2Φ(−q/√2)
    let pairs = f64::from(k) * f64::from(k - 1);
    let high = SQRT_2 * z_from_log_tail((tail / pairs).ln()) + 1.0;
    least(0.0, high, |q| studentised_range_upper(q, k) <= tail)
}

/// The least x in (low, high] for which an increasing condition holds, to the last bit or two.
pub(super) fn least(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..2_000 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high || high - low <= 2e-16 * high {
            break;
        }
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}
