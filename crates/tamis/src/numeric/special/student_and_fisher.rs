//! Student's t and Fisher's F: tails, and the scores they map to.

use super::beta::log_beta_lower;
use super::normal::{normal_quantile, z_from_central, z_from_log_sf, z_from_log_tail};
use super::studentised_range::least;
use crate::numeric::linalg::widely;
use std::f64::consts::LN_2;

/// The z with Φ(z) = P(T ≤ t) for Student's t with `df` degrees of freedom (any real `df` > 0).
///
/// Two routes. Where it is exact, Hill's Cornish–Fisher type series in w = √((ν−½) ln(1+t²/ν)):
/// about 20 ns, and that is most features of most tables. Elsewhere ln P(T > t) from the incomplete
/// beta function, inverted on the log scale. Relative error below 1e-12 for |z| ≤ 37.
///
/// Reference: G. W. Hill (1970), *Algorithm 395: Student's t-distribution*, CACM 13(10).
pub fn t_to_z(t: f64, df: f64) -> f64 {
    t_to_z_within(1e-14, t, df)
}

/// [`t_to_z`] to a relative error of about 1e-9, several times as fast for few degrees of freedom: for scores that are
/// only compared with others.
pub(crate) fn t_to_z_roughly(t: f64, df: f64) -> f64 {
    t_to_z_within(1e-9, t, df)
}

fn t_to_z_within(error: f64, t: f64, df: f64) -> f64 {
    if t.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if t == 0.0 || t.is_infinite() {
        return t;
    }
    let size = t.abs();
    let ln_ratio = if size > 1e150 { 2.0 * size.ln() - df.ln() } else { (size * size / df).ln_1p() };
    let (by_series, exact) = hill_series(ln_ratio, df, error);
    let z = if exact { by_series } else { t_to_z_by_beta(size, df, ln_ratio) };
    z.copysign(t)
}

/// [`t_to_z_roughly`] for many at once, in a loop that the machine's vector width carries out: NaN where the series is
/// not exact enough, or t²/ν is beyond ½.
pub(crate) fn t_to_z_by_series(t: &[f64], df: &[f64], z: &mut [f64]) {
    widely!((t: &'a [f64], df: &'a [f64], z: &'a mut [f64]) -> () {
        let many = z.len();
        let (t, df) = (&t[..many], &df[..many]);
        for i in 0..many {
            let ratio = t[i] * t[i] / df[i];
            let (found, exact) = hill_series(ln_1p_of_small(ratio), df[i], 1e-9);
            z[i] = if exact & (ratio <= 0.5) { found.copysign(t[i]) } else { f64::NAN };
        }
    });
}

/// ln(1 + x) for 0 ≤ x ≤ ½: 2·artanh(x/(2 + x)) by its series, to 1e-15.
#[inline(always)]
fn ln_1p_of_small(x: f64) -> f64 {
    let s = x / (2.0 + x);
    let q = s * s;
    let mut sum = 1.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * q + 1.0 / odd;
    }
    2.0 * s * sum
}

/// Hill's series, and whether its first neglected term is below this error.
#[inline(always)]
fn hill_series(ln_ratio: f64, df: f64, error: f64) -> (f64, bool) {
    let a = df - 0.5;
    let b = 48.0 * a * a;
    let w2 = a * ln_ratio;
    let w = w2.sqrt();
    let t1 = (w2 + 3.0) / b;
    let t2 = (((4.0 * w2 + 33.0) * w2 + 240.0) * w2 + 855.0) / (10.0 * b * b);
    let t3 = (((((64.0 * w2 + 788.0) * w2 + 9801.0) * w2 + 89775.0) * w2 + 543_375.0) * w2 + 1_788_885.0)
        / (210.0 * b * b * b);
    // The terms fall roughly geometrically; the next one is about t3·(t3/t2), taken tenfold.
    (w * (1.0 + (t1 - t2 + t3)), (a >= 1.0) & (10.0 * t3 * t3 < error * t2))
}

fn t_to_z_by_beta(size: f64, df: f64, ln_ratio: f64) -> f64 {
    let a = 0.5 * df;
    let ln_x = -ln_ratio;
    let q = df / size / size;
    let (x, y) = (q / (1.0 + q), 1.0 / (1.0 + q));
    let ln_y = -q.ln_1p();
    if size < 1.0 {
        z_from_central(log_beta_lower(0.5, a, y, x, ln_y, ln_x).exp())
    } else {
        z_from_log_tail(log_beta_lower(a, 0.5, x, y, ln_x, ln_y) - LN_2)
    }
}

/// The one-sided z of an F statistic: 1 − Φ(z) = P(F > f) with (`d1`, `d2`) degrees of freedom.
pub fn f_to_z(f: f64, d1: f64, d2: f64) -> f64 {
    if f.is_nan() || d1.is_nan() || d2.is_nan() || d1 <= 0.0 || d2 <= 0.0 || f < 0.0 {
        return f64::NAN;
    }
    if f == 0.0 {
        return f64::NEG_INFINITY;
    }
    if f.is_infinite() {
        return f64::INFINITY;
    }
    let (a, b) = (0.5 * d2, 0.5 * d1);
    let q = d1 * f / d2;
    let (x, y) = (1.0 / (1.0 + q), q / (1.0 + q));
    let (ln_x, ln_y) = (-q.ln_1p(), -(1.0 / q).ln_1p());
    if x * (a + b) < a {
        z_from_log_sf(log_beta_lower(a, b, x, y, ln_x, ln_y))
    } else {
        -z_from_log_sf(log_beta_lower(b, a, y, x, ln_y, ln_x))
    }
}

/// P(F > f) with (`d1`, `d2`) degrees of freedom, exact in relative terms on either side.
pub fn f_upper(f: f64, d1: f64, d2: f64) -> f64 {
    if f.is_nan() || d1.is_nan() || d2.is_nan() || d1 <= 0.0 || d2 <= 0.0 || f < 0.0 {
        return f64::NAN;
    }
    let (a, b) = (0.5 * d2, 0.5 * d1);
    let q = d1 * f / d2;
    if q == 0.0 || q.is_infinite() {
        return if q == 0.0 { 1.0 } else { 0.0 };
    }
    let (x, y) = (1.0 / (1.0 + q), q / (1.0 + q));
    let (ln_x, ln_y) = (-q.ln_1p(), -(1.0 / q).ln_1p());
    if x * (a + b) < a {
        log_beta_lower(a, b, x, y, ln_x, ln_y).exp()
    } else {
        -log_beta_lower(b, a, y, x, ln_y, ln_x).exp_m1()
    }
}

/// P(|T| > |t|) for Student's t with `df` degrees of freedom.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    f_upper(t * t, 1.0, df)
}

/// The t with P(T ≤ t) = `p` for Student's t with `df` degrees of freedom, by bisection on [`t_to_z`]: about 10 µs.
pub fn t_quantile(p: f64, df: f64) -> f64 {
    let z = normal_quantile(p);
    if z.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if z == 0.0 || z.is_infinite() {
        return z;
    }
    let reaches = |t: f64| t_to_z(t, df) >= z.abs();
    let mut high = 1.0;
    while !reaches(high) && high < f64::MAX {
        high *= 2.0;
    }
    least(0.0, high, reaches).copysign(z)
}
