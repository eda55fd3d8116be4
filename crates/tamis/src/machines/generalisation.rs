//! How far the posterior moved from the prior, and what that bounds: §5 of Jiang et al. 2019, as diagnostics.

use crate::machines::laplace::FittedWeights;
use crate::machines::log_posterior::BIAS_PRECISION;
use crate::numeric::special::{log_ndtr, ndtr};
use crate::selection::detail::Generalisation;

/// Parameters of the bound: Lipschitz constant 1/c, ratio and least size of the entropic constraint, and its risk.
const MARGIN: f64 = 1.0;
const RATIO: f64 = 2.0;
const LEAST: f64 = 1.0;
const RISK: f64 = 0.05;

/// The diagnostics of a run whose priors started with precision 1.
pub(crate) fn diagnostics(fitted: &FittedWeights, y: &[f64]) -> Generalisation {
    let variance = |j: usize| fitted.covariance.column(j)[j];
    let bias = kl_normal(fitted.w[0], variance(0), BIAS_PRECISION);
    let samples: f64 = (1..fitted.w.len()).map(|j| kl_truncated(fitted.w[j], variance(j), 1.0)).sum();
    let features = fitted.theta.iter().zip(&fitted.theta_variances);
    let kl_features: f64 = features.map(|(t, v)| kl_truncated(*t, *v, 1.0)).sum();
    let kl_samples = bias + samples;
    // E sign(f) over the posterior, f being normal
    let vote = |f: f64, variance: f64| 2.0 * ndtr(f / variance.max(1e-300).sqrt()) - 1.0;
    let losses = fitted.f.iter().zip(&fitted.f_variances).zip(y);
    let sum: f64 = losses.map(|((f, v), y)| (1.0 - y * vote(*f, *v) / MARGIN).clamp(0.0, 1.0)).sum();
    let n = y.len() as f64;
    let empirical_loss = sum / n;
    let constraint = RATIO * (kl_samples + kl_features).max(LEAST);
    let complexity = 2.0 / MARGIN * (2.0 * constraint / n).sqrt();
    let steps = (RATIO * constraint / LEAST).ln() / RATIO.ln();
    let confidence = ((steps.ln() + 0.5 * (1.0 / RISK).ln()) / n).sqrt();
    Generalisation { kl_samples, kl_features, empirical_loss, bound: empirical_loss + complexity + confidence }
}

/// KL of N(u, s²) restricted to positive numbers from a half-normal of this precision.
fn kl_truncated(u: f64, variance: f64, precision: f64) -> f64 {
    let s = variance.max(1e-300).sqrt();
    let z = u / s;
    // φ(z)/Φ(z), the mean of the part cut off
    let ratio = (-0.5 * z * z - 0.5 * (2.0 * std::f64::consts::PI).ln() - log_ndtr(z)).exp();
    let square = variance + u * u + u * s * ratio;
    -log_ndtr(z) - std::f64::consts::LN_2 - 0.5 * (variance.max(1e-300) * precision).ln() - 0.5 * (1.0 - z * ratio)
        + 0.5 * precision * square
}

/// KL of N(u, s²) from N(0, 1/precision).
fn kl_normal(u: f64, variance: f64, precision: f64) -> f64 {
    let ratio = variance.max(1e-300) * precision;
    0.5 * (ratio - 1.0 - ratio.ln() + precision * u * u)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::special::normal_density;

    /// ∫ q ln(q/p) by the trapezium rule.
    fn integral(low: f64, high: f64, q: impl Fn(f64) -> f64, p: impl Fn(f64) -> f64) -> f64 {
        let n = 400_000;
        let step = (high - low) / f64::from(n);
        let value = |x: f64| if q(x) > 0.0 { q(x) * (q(x) / p(x)).ln() } else { 0.0 };
        (0..=n).map(|i| value(low + f64::from(i) * step) * if i == 0 || i == n { 0.5 } else { 1.0 }).sum::<f64>() * step
    }

    #[test]
    fn divergences_are_the_integrals() {
        for (u, variance, precision) in [(0.3, 0.04, 1.0_f64), (2.0, 0.5, 0.5), (0.0, 1.0, 1.0), (0.05, 0.3, 2.0)] {
            let s: f64 = f64::sqrt(variance);
            let q = |x: f64| normal_density((x - u) / s) / s;
            let p = |x: f64| normal_density(x * precision.sqrt()) * precision.sqrt();
            let mass = ndtr(u / s);
            let half = integral(0.0, u + 12.0 * s, |x| q(x) / mass, |x| 2.0 * p(x));
            assert!((kl_truncated(u, variance, precision) - half).abs() < 1e-7, "{u}");
            let whole = integral(u - 12.0 * s, u + 12.0 * s, q, p);
            assert!((kl_normal(u, variance, precision) - whole).abs() < 1e-7, "{u}");
        }
        assert!(kl_truncated(0.0, 1.0, 1.0).abs() < 1e-15, "the prior itself");
    }
}
