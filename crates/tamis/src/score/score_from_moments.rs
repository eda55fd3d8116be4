//! From moments to a score, and every way a feature can fail to have one.

use crate::numeric::special::{f_to_z, t_to_z};
use crate::score::Scale;
use crate::score::comoments::CoMoments;
use crate::score::moments::Moments;

/// The least that "the largest finite score" can be: beyond it Φ(−z) underflows.
pub(crate) const LARGEST: f64 = 37.5;

/// The outcome of scoring a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    Score {
        z: f64,
        rows: u32,
    },
    /// One value only.
    Constant {
        rows: u32,
    },
    /// Not enough values to estimate a variance.
    TooFew {
        rows: u32,
    },
    /// It cannot be scored by this design.
    SetAside {
        rows: u32,
    },
    /// No variance is left once the target is known.
    Perfect {
        sign: f64,
        rows: u32,
    },
}

impl Outcome {
    /// Welch: t = (m⁺ − m⁻)/√(s²⁺/n⁺ + s²⁻/n⁻), df by Satterthwaite (SNBL eq. 1).
    pub(crate) fn welch(positive: &Moments, negative: &Moments, scale: Scale, rows: u32) -> Outcome {
        Self::two_sample(positive, negative, scale, rows, |vp, vn| {
            // df = (vp + vn)² / (vp²/(np−1) + vn²/(nn−1)), in shares so that nothing overflows
            let (a, b) = (vp / (vp + vn), vn / (vp + vn));
            (vp + vn, 1.0 / (a * a / (positive.count - 1.0) + b * b / (negative.count - 1.0)))
        })
    }

    /// Pooled: t = (m⁺ − m⁻)/(s √(1/n⁺ + 1/n⁻)) = √(n⁺n⁻/n)·β̂ (adaptive sparsity eq. 27), df = n − 2.
    pub(crate) fn pooled(positive: &Moments, negative: &Moments, scale: Scale, rows: u32) -> Outcome {
        let df = positive.count + negative.count - 2.0;
        Self::two_sample(positive, negative, scale, rows, |_, _| {
            ((positive.m2 + negative.m2) / df * (1.0 / positive.count + 1.0 / negative.count), df)
        })
    }

    /// t from the difference of means; `spread` turns the means' own variances into (variance, df).
    fn two_sample(
        positive: &Moments,
        negative: &Moments,
        scale: Scale,
        rows: u32,
        spread: impl Fn(f64, f64) -> (f64, f64),
    ) -> Outcome {
        let difference = negative.difference(positive);
        let one_sided = positive.count == 0.0 || negative.count == 0.0;
        if positive.m2 == 0.0 && negative.m2 == 0.0 && (difference == 0.0 || one_sided) {
            return Outcome::Constant { rows };
        }
        if positive.count <= 1.0 || negative.count <= 1.0 {
            return Outcome::TooFew { rows };
        }
        let (variance, df) = spread(positive.variance() / positive.count, negative.variance() / negative.count);
        let t = difference / variance.sqrt();
        if t.is_infinite() {
            return Outcome::Perfect { sign: difference.signum(), rows };
        }
        Outcome::from_t(t, df, rows, scale)
    }

    /// F = (between/(k−1))/(within/(N−k)) over the classes that have values.
    pub(crate) fn f(classes: &[Moments], rows: u32) -> Outcome {
        let occurring: Vec<Moments> = classes.iter().copied().filter(|c| c.count > 0.0).collect();
        let total = Moments::merge_in_order(&occurring);
        let within: f64 = occurring.iter().map(|c| c.m2).sum();
        if within == 0.0 && occurring.iter().all(|c| total.difference(c) == 0.0) {
            return Outcome::Constant { rows };
        }
        let between: f64 = occurring.iter().map(|c| c.count * total.difference(c).powi(2)).sum();
        let (k, n) = (occurring.len() as f64, total.count);
        if k < 2.0 || n <= k {
            return Outcome::TooFew { rows };
        }
        let f = (between / (k - 1.0)) / (within / (n - k));
        if f.is_infinite() {
            return Outcome::Perfect { sign: 1.0, rows };
        }
        Outcome::one_sided(f_to_z(f, k - 1.0, n - k), rows)
    }

    /// r = Sxy/√(Sxx·Syy), t = r√(df/(1−r²)), df = N − 2.
    pub(crate) fn pearson(m: &CoMoments, scale: Scale, rows: u32) -> Outcome {
        if m.xx == 0.0 {
            return Outcome::Constant { rows };
        }
        if m.count <= 2.0 || m.yy == 0.0 {
            return Outcome::TooFew { rows };
        }
        let df = m.count - 2.0;
        let r = (m.xy / m.xx.sqrt() / m.yy.sqrt()).clamp(-1.0, 1.0);
        let t = r * (df / ((1.0 - r) * (1.0 + r))).sqrt();
        if t.is_infinite() {
            return Outcome::Perfect { sign: r.signum(), rows };
        }
        Outcome::from_t(t, df, rows, scale)
    }

    fn from_t(t: f64, df: f64, rows: u32, scale: Scale) -> Outcome {
        let z = match scale {
            Scale::Raw => t,
            Scale::Z => t_to_z(t, df),
        };
        Outcome::Score { z, rows }
    }

    /// A one-sided z; a statistic of exactly 0 must not become −∞.
    pub(crate) fn one_sided(z: f64, rows: u32) -> Outcome {
        Outcome::Score { z: z.max(-LARGEST), rows }
    }

    pub(crate) fn n_rows(&self) -> u32 {
        match *self {
            Outcome::Score { rows, .. }
            | Outcome::Constant { rows }
            | Outcome::TooFew { rows }
            | Outcome::SetAside { rows }
            | Outcome::Perfect { rows, .. } => rows,
        }
    }

    pub(crate) fn finite(&self) -> Option<f64> {
        match *self {
            Outcome::Score { z, .. } => Some(z),
            _ => None,
        }
    }

    /// The score, with `largest` for perfect separation.
    pub(crate) fn score(&self, largest: f64) -> f64 {
        match *self {
            Outcome::Score { z, .. } => z,
            Outcome::Perfect { sign, .. } => sign * largest,
            Outcome::Constant { .. } | Outcome::TooFew { .. } | Outcome::SetAside { .. } => f64::NAN,
        }
    }
}
