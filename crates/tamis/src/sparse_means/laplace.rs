//! `prior=laplace`: relevant effects have the density (a/2) e^(−a|μ|), a its rate (Johnstone & Silverman 2004).
//!
//! Given z, a relevant μ is a mixture of two normals cut off at 0: N(z − a, 1) above and N(z + a, 1) below, with
//! weights e^(−az) Φ(z − a) and e^(az) Φ(−z − a). The posterior median is a true threshold: 0 up to some |z|.

use crate::numeric::special::{LN_SQRT_2PI, log_ndtr, z_from_log_sf};
use crate::sparse_means::parametric::Family;
use std::f64::consts::LN_2;

/// γ_a(μ) = (a/2) e^(−a|μ|).
pub(crate) struct Laplace;

/// ln of the weights of the two halves, up to a common term.
fn halves(a: f64, z: f64) -> (f64, f64) {
    (-a * z + log_ndtr(z - a), a * z + log_ndtr(-z - a))
}

/// The share of the positive half.
fn share_above(a: f64, z: f64) -> f64 {
    let (above, below) = halves(a, z);
    1.0 / (1.0 + (below - above).exp())
}

/// E[X | X > 0] for X ~ N(m, 1).
fn mean_above_zero(m: f64) -> f64 {
    m + (-0.5 * m * m - LN_SQRT_2PI - log_ndtr(m)).exp()
}

impl Family for Laplace {
    fn range(&self, largest: f64) -> (f64, f64) {
        (1.0 / (10.0 + 2.0 * largest), 100.0)
    }

    fn ln_marginal(&self, a: f64, z: f64) -> f64 {
        let (above, below) = halves(a, z);
        let top = above.max(below);
        a.ln() - LN_2 + 0.5 * a * a + top + ((above - top).exp() + (below - top).exp()).ln()
    }

    fn mean(&self, a: f64, z: f64) -> f64 {
        let above = share_above(a, z);
        let part = |share: f64, mean: f64| if share > 0.0 { share * mean } else { 0.0 };
        part(above, mean_above_zero(z - a)) - part(1.0 - above, mean_above_zero(-z - a))
    }

    /// P(μ > m) = relevant · share · Φ(z − a − m)/Φ(z − a) = ½.
    fn median(&self, a: f64, z: f64, relevant: f64) -> f64 {
        let above = relevant * share_above(a, z);
        if above <= 0.5 {
            return 0.0;
        }
        let ln_part = log_ndtr(z - a) - (2.0 * above).ln();
        (z - a + z_from_log_sf(ln_part)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums over a fine grid of μ: density of z, posterior mean and P(μ > m), by brute force.
    fn by_sums(a: f64, z: f64, m: f64) -> (f64, f64, f64) {
        let (mut density, mut mean, mut above) = (0.0, 0.0, 0.0);
        let step = 1e-4;
        for i in -300_000..300_000 {
            let mu = (f64::from(i) + 0.5) * step;
            let d = 0.5 * a * (-a * mu.abs()).exp() * (-0.5 * (z - mu) * (z - mu) - LN_SQRT_2PI).exp() * step;
            density += d;
            mean += d * mu;
            above += if mu > m { d } else { 0.0 };
        }
        (density, mean / density, above / density)
    }

    #[test]
    fn marginal_mean_and_median_agree_with_sums() {
        for (a, z) in [(0.5, 0.0), (0.5, 3.0), (1.5, 1.0), (0.2, 8.0), (3.0, 6.0), (0.9, 2.2)] {
            let median = Laplace.median(a, z, 1.0);
            let (density, mean, above) = by_sums(a, z, median);
            assert!((Laplace.ln_marginal(a, z).exp() / density - 1.0).abs() < 1e-7, "{a} {z}");
            assert!((Laplace.mean(a, z) - mean).abs() < 1e-6, "{a} {z}");
            assert!(median == 0.0 || (above - 0.5).abs() < 1e-4, "{a} {z}: {above}");
        }
    }

    #[test]
    fn the_median_is_a_threshold() {
        assert_eq!(Laplace.median(0.5, 1.0, 0.4), 0.0);
        assert!(Laplace.median(0.5, 6.0, 0.99) > 5.0);
    }
}
