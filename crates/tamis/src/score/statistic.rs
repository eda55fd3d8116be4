//! The statistics: from moments to a score, and every way a feature can fail to have one.

use super::comoments::CoMoments;
use super::moments::Moments;
use crate::numeric::special::{f_to_z, t_to_z};
use crate::table::Target;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The least that "the largest finite score" can be: beyond it Φ(−z) underflows.
pub(super) const LARGEST: f64 = 37.5;

/// How a feature is scored against the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// `welch` for two classes, `f` for several, `pearson` for a number.
    #[default]
    Auto,
    /// Welch's two-sample t with Satterthwaite's degrees of freedom (SNBL eq. 1).
    Welch,
    /// One-way analysis of variance.
    F,
    /// Pearson's correlation.
    Pearson,
}

/// The scale scores are reported on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Mapped to a standard normal through the degrees of freedom.
    #[default]
    Z,
    /// The t statistic itself, as in the papers.
    Raw,
}

impl Statistic {
    /// `auto` resolved for a target, or an error where the statistic does not fit it.
    pub fn resolve(self, target: &Target) -> Result<Statistic> {
        let classes = target.n_classes();
        let wrong = |expected: &str| Err(Error::parameter("score", self.name(), expected));
        match (self, classes) {
            (Statistic::Auto, None) => Ok(Statistic::Pearson),
            (Statistic::Auto, Some(2)) => Ok(Statistic::Welch),
            (Statistic::Auto, Some(_)) => Ok(Statistic::F),
            (Statistic::Welch, Some(2)) | (Statistic::F, Some(_)) | (Statistic::Pearson, None) => Ok(self),
            (Statistic::Welch, _) => wrong("it needs a target of two classes; pass `score=auto`"),
            (Statistic::F, None) => wrong("it needs classes; pass `--task classes` or `score=auto`"),
            (Statistic::Pearson, _) => wrong("it needs a target that is a number; pass `--task real` or `score=auto`"),
        }
    }

    /// The name users type.
    pub fn name(self) -> &'static str {
        match self {
            Statistic::Auto => "auto",
            Statistic::Welch => "welch",
            Statistic::F => "f",
            Statistic::Pearson => "pearson",
        }
    }
}

/// What scoring a feature came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outcome {
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
    /// No variance is left once the target is known.
    Perfect {
        sign: f64,
        rows: u32,
    },
}

impl Outcome {
    /// t = (m⁺ − m⁻)/√(s²⁺/n⁺ + s²⁻/n⁻), df by Satterthwaite.
    pub(super) fn welch(positive: &Moments, negative: &Moments, scale: Scale) -> Outcome {
        let rows = (positive.count + negative.count) as u32;
        let difference = negative.difference(positive);
        if positive.m2 == 0.0 && negative.m2 == 0.0 && (difference == 0.0 || rows < 2) {
            return Outcome::Constant { rows };
        }
        if positive.count < 2 || negative.count < 2 {
            return Outcome::TooFew { rows };
        }
        let (np, nn) = (positive.count as f64, negative.count as f64);
        let (vp, vn) = (positive.variance() / np, negative.variance() / nn);
        let t = difference / (vp + vn).sqrt();
        if t.is_infinite() {
            return Outcome::Perfect { sign: difference.signum(), rows };
        }
        // df = (vp + vn)² / (vp²/(np−1) + vn²/(nn−1)), in shares so that nothing overflows
        let (a, b) = (vp / (vp + vn), vn / (vp + vn));
        let df = 1.0 / (a * a / (np - 1.0) + b * b / (nn - 1.0));
        Outcome::from_t(t, df, rows, scale)
    }

    /// F = (between/(k−1))/(within/(N−k)) over the classes that have values.
    pub(super) fn f(classes: &[Moments]) -> Outcome {
        let total = Moments::merge_in_order(classes);
        let rows = total.count as u32;
        let within: f64 = classes.iter().map(|c| c.m2).sum();
        let between: f64 =
            classes.iter().filter(|c| c.count > 0).map(|c| c.count as f64 * total.difference(c).powi(2)).sum();
        if within == 0.0 && classes.iter().filter(|c| c.count > 0).all(|c| total.difference(c) == 0.0) {
            return Outcome::Constant { rows };
        }
        let k = classes.iter().filter(|c| c.count > 0).count() as f64;
        let n = f64::from(rows);
        if k < 2.0 || n - k < 1.0 {
            return Outcome::TooFew { rows };
        }
        let f = (between / (k - 1.0)) / (within / (n - k));
        if f.is_infinite() {
            return Outcome::Perfect { sign: 1.0, rows };
        }
        Outcome::Score { z: f_to_z(f, k - 1.0, n - k).max(-LARGEST), rows }
    }

    /// r = Sxy/√(Sxx·Syy), t = r√(df/(1−r²)), df = N − 2.
    pub(super) fn pearson(m: &CoMoments, scale: Scale) -> Outcome {
        let rows = m.count as u32;
        if m.xx == 0.0 {
            return Outcome::Constant { rows };
        }
        if m.count < 3 || m.yy == 0.0 {
            return Outcome::TooFew { rows };
        }
        let df = m.count as f64 - 2.0;
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

    pub(super) fn rows(&self) -> u32 {
        match *self {
            Outcome::Score { rows, .. }
            | Outcome::Constant { rows }
            | Outcome::TooFew { rows }
            | Outcome::Perfect { rows, .. } => rows,
        }
    }

    pub(super) fn finite(&self) -> Option<f64> {
        match *self {
            Outcome::Score { z, .. } => Some(z),
            _ => None,
        }
    }

    /// The score, with `largest` for perfect separation.
    pub(super) fn score(&self, largest: f64) -> f64 {
        match *self {
            Outcome::Score { z, .. } => z,
            Outcome::Perfect { sign, .. } => sign * largest,
            Outcome::Constant { .. } | Outcome::TooFew { .. } => f64::NAN,
        }
    }
}
