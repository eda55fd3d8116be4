//! The χ² distribution: its upper tail, and the score it maps to.

use super::beta::stirling_rest;
use super::normal::{LN_SQRT_2PI, z_from_log_sf};
use libm::lgamma;

/// The one-sided z of a χ² statistic: 1 − Φ(z) = P(χ² > x) with `df` degrees of freedom.
///
/// The smaller side of the incomplete gamma function, by its series below the mean and its continued fraction
/// above, in logarithms.
pub(crate) fn chi2_to_z(x: f64, df: f64) -> f64 {
    match log_chi2_side(x, df) {
        Side::Lower(ln_p) => -z_from_log_sf(ln_p),
        Side::Upper(ln_p) => z_from_log_sf(ln_p),
    }
}

/// P(χ² > x) with `df` degrees of freedom.
pub fn chi2_upper(x: f64, df: f64) -> f64 {
    match log_chi2_side(x, df) {
        Side::Lower(ln_p) => -ln_p.exp_m1(),
        Side::Upper(ln_p) => ln_p.exp(),
    }
}

/// −ln P(χ² > x) with `df` degrees of freedom.
pub(crate) fn surprise_chi2(x: f64, df: f64) -> f64 {
    match log_chi2_side(x, df) {
        Side::Lower(ln_p) => -(-ln_p.exp()).ln_1p(),
        Side::Upper(ln_p) => -ln_p,
    }
}

/// ln P(χ² ≤ x) and ln P(χ² > x) with `df` degrees of freedom.
pub(super) fn log_chi2_tails(x: f64, df: f64) -> (f64, f64) {
    match log_chi2_side(x, df) {
        Side::Lower(ln_p) => (ln_p, (-ln_p.exp()).ln_1p()),
        Side::Upper(ln_p) => ((-ln_p.exp()).ln_1p(), ln_p),
    }
}

/// The logarithm of one side of a distribution, the one that is small.
enum Side {
    Lower(f64),
    Upper(f64),
}

fn log_chi2_side(x: f64, df: f64) -> Side {
    if x.is_nan() || df.is_nan() || df <= 0.0 || x < 0.0 {
        return Side::Upper(f64::NAN);
    }
    if x == 0.0 {
        return Side::Lower(f64::NEG_INFINITY);
    }
    if x.is_infinite() {
        return Side::Upper(f64::NEG_INFINITY);
    }
    let (a, x) = (0.5 * df, 0.5 * x);
    // ln of x^a e^{−x}/Γ(a)
    let front = if a < 10.0 {
        a * x.ln() - x - lgamma(a)
    } else {
        a * (x / a).ln() - (x - a) + 0.5 * a.ln() - LN_SQRT_2PI - stirling_rest(a)
    };
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > 1e-17 * sum {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return Side::Lower(front + f64::ln(sum));
    }
    // Q = x^a e^{−x}/Γ(a) · 1/(x+1−a − 1(1−a)/(x+3−a − …)), by Lentz
    let mut b = x + 1.0 - a;
    let mut c = 1e300;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for n in 1..100_000 {
        let n = f64::from(n);
        let numerator = -n * (n - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        fraction *= c * d;
        if (c * d - 1.0).abs() < 2e-16 {
            break;
        }
    }
    Side::Upper(front + fraction.ln())
}
