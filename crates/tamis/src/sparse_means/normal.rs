//! `prior=normal`: relevant effects are N(0, a²), a their standard deviation (SNBL eq. 23–24).

use crate::numeric::special::{LN_SQRT_2PI, z_from_log_sf};
use crate::sparse_means::parametric::Family;

/// γ_a = N(0, a²); g_a = N(0, 1 + a²).
pub(crate) struct Normal;

impl Family for Normal {
    fn range(&self, largest: f64) -> (f64, f64) {
        (0.01, 10.0_f64.max(2.0 * largest))
    }

    fn ln_marginal(&self, a: f64, z: f64) -> f64 {
        let v = 1.0 + a * a;
        -0.5 * z * z / v - 0.5 * v.ln() - LN_SQRT_2PI
    }

    /// a²/(1+a²)·z, eq. (24).
    fn mean(&self, a: f64, z: f64) -> f64 {
        a * a / (1.0 + a * a) * z
    }

    /// μ | z, μ ≠ 0 is N(cz, c): P(μ > m) = relevant·Φ((cz − m)/√c) = ½.
    fn median(&self, a: f64, z: f64, relevant: f64) -> f64 {
        if relevant <= 0.5 {
            return 0.0;
        }
        let c = a * a / (1.0 + a * a);
        (c * z + c.sqrt() * z_from_log_sf(-(2.0 * relevant).ln())).max(0.0)
    }
}
