//! The beta function, whole and incomplete.

use super::normal::LN_SQRT_2PI;
use libm::lgamma;

/// ln I_x(a, b) for x on the small side (x below the mean a/(a+b), roughly), with y = 1 − x.
///
/// A power series where x and b·x are small, else the continued fraction of Didonato & Morris (1992) in
/// λ = (a+b)y − b, whose terms do not cancel when a or b is large.
pub(super) fn log_beta_lower(a: f64, b: f64, x: f64, y: f64, ln_x: f64, ln_y: f64) -> f64 {
    let front = a * ln_x + b * ln_y - ln_beta(a, b);
    if x <= 0.7 && b * x <= 1.0 {
        // I_x = x^a y^b / (a B) · Σ (a+b)_n/(a+1)_n xⁿ
        let (mut term, mut sum, mut n) = (1.0, 1.0, 0.0);
        while term > 1e-17 * sum && n < 10_000.0 {
            term *= (a + b + n) / (a + 1.0 + n) * x;
            sum += term;
            n += 1.0;
        }
        return front - a.ln() + f64::ln(sum);
    }
    let lambda = if a > b { (a + b) * y - b } else { a - (a + b) * x };
    front + beta_fraction(a, b, x, y, lambda).ln()
}

/// The continued fraction for I_x(a,b)·B(a,b)/(x^a y^b).
fn beta_fraction(a: f64, b: f64, x: f64, y: f64, lambda: f64) -> f64 {
    let c = 1.0 + lambda;
    let c0 = b / a;
    let c1 = 1.0 + 1.0 / a;
    let (mut p, mut s) = (1.0, a + 1.0);
    let (mut an, mut bn, mut an1, mut bn1) = (0.0, 1.0, 1.0, c / c1);
    let mut r = c1 / c;
    let mut n = 0.0;
    while n < 20_000.0 {
        n += 1.0;
        let t = n / a;
        let w = n * (b - n) * x;
        let e = a / s;
        let alpha = p * (p + c0) * e * e * (w * x);
        let e = (1.0 + t) / (c1 + t + t);
        let beta = n + w / s + e * (c + n * (1.0 + y));
        p = 1.0 + t;
        s += 2.0;
        (an, an1) = (an1, alpha * an + beta * an1);
        (bn, bn1) = (bn1, alpha * bn + beta * bn1);
        let next = an1 / bn1;
        let done = (next - r).abs() <= 2e-16 * next;
        r = next;
        if done {
            break;
        }
        (an, bn, an1, bn1) = (an / bn1, bn / bn1, r, 1.0);
    }
    r
}

/// ln B(a, b), without the cancellation of three log-gammas when an argument is large.
pub fn ln_beta(a: f64, b: f64) -> f64 {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    if a >= 10.0 {
        let h = a / b;
        LN_SQRT_2PI + stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b) - 0.5 * b.ln()
            + (a - 0.5) * (h / (1.0 + h)).ln()
            - b * h.ln_1p()
    } else if b >= 10.0 {
        let ratio = stirling_rest(b) - stirling_rest(a + b) + a - (a + b - 0.5) * (a / b).ln_1p() - a * b.ln();
        lgamma(a) + ratio
    } else {
        lgamma(a) + lgamma(b) - lgamma(a + b)
    }
}

/// ln Γ(x) − [(x−½) ln x − x + ½ ln 2π] for x ≥ 10.
pub(super) fn stirling_rest(x: f64) -> f64 {
    let r = 1.0 / (x * x);
    (1.0 / 12.0
        + r * (-1.0 / 360.0
            + r * (1.0 / 1260.0 + r * (-1.0 / 1680.0 + r * (1.0 / 1188.0 + r * (-691.0 / 360_360.0 + r / 156.0))))))
        / x
}
