//! Derivatives of ln Γ: digamma and trigamma, and the inverse of the latter.

/// From here on the asymptotic series have all digits.
const LARGE: f64 = 12.0;

/// Coefficients B₂ₖ of the asymptotic series, k = 1 … 8.
const BERNOULLI: [f64; 8] =
    [1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2730.0, 7.0 / 6.0, -3617.0 / 510.0];

/// ψ(x) = d ln Γ(x)/dx, for x > 0.
pub(crate) fn digamma(mut x: f64) -> f64 {
    let mut rest = 0.0;
    while x < LARGE {
        rest -= 1.0 / x;
        x += 1.0;
    }
    // ln x − 1/(2x) − Σ B₂ₖ/(2k x²ᵏ)
    rest + x.ln() - 0.5 / x - series(x, |k| 1.0 / (2.0 * k))
}

/// ψ′(x), for x > 0.
pub(crate) fn trigamma(mut x: f64) -> f64 {
    let mut rest = 0.0;
    while x < LARGE {
        rest += 1.0 / (x * x);
        x += 1.0;
    }
    // 1/x + 1/(2x²) + Σ B₂ₖ/x²ᵏ⁺¹
    rest + 1.0 / x + 0.5 / (x * x) + series(x, |_| 1.0) / x
}

/// ψ″(x), for x > 0.
fn tetragamma(mut x: f64) -> f64 {
    let mut rest = 0.0;
    while x < LARGE {
        rest -= 2.0 / (x * x * x);
        x += 1.0;
    }
    // −1/x² − 1/x³ − Σ (2k + 1) B₂ₖ/x²ᵏ⁺²
    rest - (1.0 + 1.0 / x + series(x, |k| 2.0 * k + 1.0)) / (x * x)
}

/// Σ f(k) B₂ₖ/x²ᵏ, from the smallest term on.
fn series(x: f64, factor: impl Fn(f64) -> f64) -> f64 {
    let square = 1.0 / (x * x);
    (0..BERNOULLI.len()).rev().fold(0.0, |sum, at| (sum + factor(at as f64 + 1.0) * BERNOULLI[at]) * square)
}

/// The y with ψ′(y) = x, for x > 0: Newton's method on 1/ψ′, which is nearly a straight line.
pub(crate) fn trigamma_inverse(x: f64) -> f64 {
    let mut y = if x > 1e4 { 1.0 / x.sqrt() } else { 0.5 + 1.0 / x };
    for _ in 0..50 {
        let found = trigamma(y);
        let step = found * (1.0 - found / x) / tetragamma(y);
        y += step;
        if step.abs() <= 1e-15 * y {
            break;
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} {b}");
        let euler = 0.577_215_664_901_532_9;
        close(digamma(1.0), -euler);
        close(digamma(0.5), -euler - 2.0 * 2.0_f64.ln());
        close(digamma(30.0), (1..30).map(|k| 1.0 / f64::from(k)).sum::<f64>() - euler);
        let sixth = std::f64::consts::PI * std::f64::consts::PI / 6.0;
        close(trigamma(1.0), sixth);
        close(trigamma(0.5), 3.0 * sixth);
        close(trigamma(20.0), sixth - (1..20).map(|k| 1.0 / f64::from(k * k)).sum::<f64>());
        let zeta_three = 1.202_056_903_159_594_2;
        close(tetragamma(1.0), -2.0 * zeta_three);
    }

    #[test]
    fn the_inverse_inverts() {
        for y in [1e-4, 0.01, 0.3, 1.0, 2.5, 40.0, 1e4, 1e6] {
            let back = trigamma_inverse(trigamma(y));
            assert!((back - y).abs() < 1e-10 * y, "{y} {back}");
        }
    }
}
