//! Fisher's F as a distribution: both tails in logarithms, the points that cut tails off, the density.

use super::beta::{ln_beta, log_beta_lower};
use super::chi_square::log_chi2_tails;
use libm::lgamma;

/// F with `d1` and `d2` degrees of freedom; with infinite `d2` χ² with `d1` of them, divided by `d1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fisher {
    pub(crate) d1: f64,
    pub(crate) d2: f64,
}

/// A side of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    Lower,
    Upper,
}

impl Fisher {
    /// ln P(F ≤ f) and ln P(F > f).
    pub(crate) fn log_tails(self, f: f64) -> (f64, f64) {
        let Fisher { d1, d2 } = self;
        if f <= 0.0 {
            return (f64::NEG_INFINITY, 0.0);
        }
        if f.is_infinite() {
            return (0.0, f64::NEG_INFINITY);
        }
        if d2.is_infinite() {
            return log_chi2_tails(f * d1, d1);
        }
        let (a, b) = (0.5 * d2, 0.5 * d1);
        let q = d1 * f / d2;
        let (x, y) = (1.0 / (1.0 + q), q / (1.0 + q));
        let (ln_x, ln_y) = (-q.ln_1p(), -(1.0 / q).ln_1p());
        if x * (a + b) < a {
            let upper = log_beta_lower(a, b, x, y, ln_x, ln_y);
            ((-upper.exp()).ln_1p(), upper)
        } else {
            let lower = log_beta_lower(b, a, y, x, ln_y, ln_x);
            (lower, (-lower.exp()).ln_1p())
        }
    }

    fn log_tail(self, tail: Tail, f: f64) -> f64 {
        let (lower, upper) = self.log_tails(f);
        if tail == Tail::Lower { lower } else { upper }
    }

    /// The logarithm of the density.
    pub(crate) fn ln_density(self, f: f64) -> f64 {
        let Fisher { d1, d2 } = self;
        let (a, b) = (0.5 * d1, 0.5 * d2);
        if d2.is_infinite() {
            return a * a.ln() - lgamma(a) + (a - 1.0) * f.ln() - a * f;
        }
        let q = d1 * f / d2;
        a * q.ln() - f.ln() - (a + b) * q.ln_1p() - ln_beta(a, b)
    }

    /// The point beyond which, on this side, lies the probability with this logarithm: Newton's method in ln f, kept
    /// between bounds.
    pub(crate) fn point(self, tail: Tail, log_probability: f64) -> f64 {
        if log_probability >= 0.0 || log_probability == f64::NEG_INFINITY {
            let upwards = (log_probability >= 0.0) == (tail == Tail::Lower);
            return if upwards { f64::INFINITY } else { 0.0 };
        }
        // the excess falls with f in the upper tail, and rises in the lower one
        let sign = if tail == Tail::Upper { -1.0 } else { 1.0 };
        let excess = |u: f64| sign * (self.log_tail(tail, u.exp()) - log_probability);
        let (mut low, mut high) = (-1.0, 1.0);
        while excess(low) > 0.0 && low > -700.0 {
            (low, high) = (2.0 * low, low);
        }
        while excess(high) < 0.0 && high < 700.0 {
            (low, high) = (high, 2.0 * high);
        }
        let mut u = 0.5 * (low + high);
        for _ in 0..200 {
            let found = excess(u);
            if found > 0.0 {
                high = u
            } else {
                low = u
            }
            let f = u.exp();
            let slope = (self.ln_density(f) + u - self.log_tail(tail, f)).exp();
            let step = u - found / slope;
            let next = if step > low && step < high { step } else { 0.5 * (low + high) };
            let moved = (next - u).abs();
            u = next;
            if moved <= 1e-16 * u.abs().max(1.0) || high - low <= 1e-16 * u.abs() {
                break;
            }
        }
        u.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_cut_off_the_tails_they_are_for() {
        for (d1, d2) in [(1.0, 3.0), (4.0, 7.3), (8.0, 1e6), (30.0, f64::INFINITY), (200.0, 2.5)] {
            let fisher = Fisher { d1, d2 };
            for tail in [Tail::Lower, Tail::Upper] {
                for ln_p in [-0.01, -0.7, -3.0, -40.0] {
                    let f = fisher.point(tail, ln_p);
                    let found = fisher.log_tail(tail, f);
                    assert!((found - ln_p).abs() <= 1e-11 * f64::abs(ln_p).max(1.0), "{d1} {d2} {tail:?}: {found}");
                }
            }
        }
    }

    #[test]
    fn the_density_is_the_slope_of_the_distribution() {
        for d2 in [5.0, f64::INFINITY] {
            let fisher = Fisher { d1: 6.0, d2 };
            for f in [0.2, 1.0, 3.0] {
                let below = |f: f64| fisher.log_tails(f).0.exp();
                let slope = (below(f + 1e-6) - below(f - 1e-6)) / 2e-6;
                assert!((slope - fisher.ln_density(f).exp()).abs() < 1e-8);
            }
        }
    }
}
