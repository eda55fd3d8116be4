//! Features in units that people can read: means by class, differences with their errors, p-values.

use super::class_moments::{Grouped, Scratch};
use super::comoments::CoMoments;
use super::cox::{self, CoxEstimate};
use super::linear::EffectEstimate;
use super::moments::Moments;
use super::{Scale, Scores, Statistic};
use crate::base::{Progress, Result};
use crate::numeric::special::{ndtr, normal_two_sided, t_quantile, t_two_sided};
use crate::table::{ComparedClasses, Target, View};
use rayon::prelude::*;

/// A feature in its own units.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct FeatureSummary {
    /// How many rows have the feature.
    pub rows: u32,
    /// The mean of every class, NaN for one without values; empty for a numeric target and for categories.
    pub means: Vec<f64>,
    /// Of several classes the one that stands out: its mean differs most from that of the reference, or of all other rows
    /// where none is named, in standard errors.
    pub stands_out: Option<u32>,
    /// t, or F for several classes; NaN where the score is made of neither.
    pub statistic: f64,
    /// Its (second) degrees of freedom.
    pub df: f64,
    /// Positive class minus reference, or change per unit of a numeric target; of several classes, the one that stands out
    /// minus the reference or all other rows. NaN where there is none.
    pub difference: f64,
    /// The standard error of the difference.
    pub standard_error: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability of a score at least as extreme where the feature does not matter.
    pub p_value: f64,
}

/// All features in their own units.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct FeatureSummaries {
    /// The names of the classes that have means.
    pub classes: Vec<String>,
    /// One per feature.
    pub features: Vec<FeatureSummary>,
}

/// Scores below this say nothing about the scale of an estimate.
const SMALL: f64 = 1e-3;

/// What a score of 1 stands for in an estimate's own unit: estimate by score. Where the score is the estimate by its
/// standard error, that is the standard error, and so it is near a score of 0. With few degrees of freedom it is more: of 4,
/// t = 8 is a score of 3.2. NaN where the standard error is unknown.
pub(crate) fn unit_of_score(estimate: f64, standard_error: f64, score: f64) -> f64 {
    let unit = estimate / score;
    if score.abs() > SMALL && unit.is_finite() && !standard_error.is_nan() { unit } else { standard_error }
}

/// Summaries of the features of a view that have these scores.
///
/// Cost: a pass over the table; for survival times, log hazard ratios by Newton's method.
pub fn summaries(data: &View, scores: &Scores, scale: Scale, progress: &mut dyn Progress) -> Result<FeatureSummaries> {
    if let Target::Survival { .. } = data.target() {
        let ratios = cox::log_hazard_ratios(data, scores.z(), progress)?;
        let features = ratios.iter().enumerate().map(|(feature, ratio)| of_hazard(ratio, feature, scores)).collect();
        return Ok(FeatureSummaries { classes: vec![], features });
    }
    let weights = data.weights_by_class();
    let summary = Summariser::new(data, weights.as_deref(), scores, scale);
    let one = |scratch: &mut Scratch, feature: usize| summary.of(feature, scratch);
    let classes = match data.target() {
        Target::Classes { labels, .. } => labels.clone(),
        Target::Real { .. } | Target::Survival { .. } => vec![],
    };
    let features = (0..data.n_features()).into_par_iter().with_min_len(16).map_init(Scratch::default, one).collect();
    Ok(FeatureSummaries { classes, features })
}

/// A feature in terms of its log hazard ratio.
fn of_hazard(ratio: &CoxEstimate, feature: usize, scores: &Scores) -> FeatureSummary {
    let (z, one_sided) = (scores.z()[feature], scores.one_sided()[feature]);
    FeatureSummary {
        rows: scores.rows[feature],
        means: vec![],
        stands_out: None,
        statistic: z,
        df: f64::NAN,
        difference: ratio.log_hazard_ratio,
        standard_error: ratio.standard_error,
        low: ratio.low,
        high: ratio.high,
        p_value: if one_sided { ndtr(-z) } else { normal_two_sided(z) },
    }
}

struct Summariser<'a> {
    data: &'a View<'a>,
    /// A weight per row of the table.
    weights: Option<&'a [f64]>,
    scores: &'a Scores,
    scale: Scale,
    groups: Option<Grouped<'a>>,
}

impl<'a> Summariser<'a> {
    fn new(data: &'a View<'a>, weights: Option<&'a [f64]>, scores: &'a Scores, scale: Scale) -> Self {
        let groups = match data.target() {
            Target::Classes { codes, labels, .. } => Some(Grouped::new(data.rows(), codes, labels.len(), weights)),
            Target::Real { .. } | Target::Survival { .. } => None,
        };
        Summariser { data, weights, scores, scale, groups }
    }

    fn of(&self, feature: usize, scratch: &mut Scratch) -> FeatureSummary {
        let scored = (feature, self.scores, self.scale);
        match (self.data.numbers(feature), &self.groups) {
            (None, _) => FeatureSummary::of_estimate(feature, self.scores, self.scale, None),
            (Some(column), None) => {
                FeatureSummary::of_estimate(feature, self.scores, self.scale, Some(self.slope(&column)))
            }
            (Some(column), Some(groups)) => {
                let (classes, _, unit) = groups.scaled_moments(&column, scratch);
                from_class_moments(classes, unit, (self.data.target().positive(), self.data.comparison()), scored)
            }
        }
    }

    /// The slope of a feature on a numeric target.
    fn slope(&self, column: &[f64]) -> EffectEstimate {
        let Target::Real { values } = self.data.target() else { return EffectEstimate::nothing() };
        let weight = |row: usize| self.weights.map_or(1.0, |w| w[row]);
        let rows = self.data.rows().iter().map(|&row| row as usize).filter(|&row| !column[row].is_nan());
        let mut pairs: Vec<(f64, f64, f64)> = rows.map(|row| (column[row], values[row], weight(row))).collect();
        from_joint_moments(&CoMoments::of_pairs(&mut pairs), self.scores.statistic, 1.0)
    }
}

impl FeatureSummary {
    /// The summary of a feature by its score and by this estimate, or by the one that the score rests on.
    pub(super) fn of_estimate(
        feature: usize,
        scores: &Scores,
        scale: Scale,
        own: Option<EffectEstimate>,
    ) -> FeatureSummary {
        let regressed = scores.estimates.as_ref().map(|estimates| estimates[feature]);
        let estimate = regressed.unwrap_or(own).unwrap_or(EffectEstimate::nothing());
        let EffectEstimate { statistic, df, difference, standard_error } = estimate;
        let half = if df > 0.0 { t_quantile(0.975, df) * standard_error } else { f64::NAN };
        let (z, one_sided) = (scores.z()[feature], scores.one_sided()[feature]);
        let p_value = match scale {
            Scale::Raw if !one_sided => t_two_sided(statistic, df),
            _ if z.is_nan() => f64::NAN,
            _ if one_sided => ndtr(-z),
            _ => normal_two_sided(z),
        };
        FeatureSummary {
            rows: scores.rows[feature],
            means: vec![],
            stands_out: None,
            statistic,
            df,
            difference,
            standard_error,
            low: difference - half,
            high: difference + half,
            p_value,
        }
    }
}

/// The summary of a feature by its moments in every class, of values that were multiplied by `unit`. Roles are the positive
/// class of two and which of several are compared.
pub(super) fn from_class_moments(
    classes: &[Moments],
    unit: f64,
    (positive, comparison): (usize, ComparedClasses),
    (feature, scores, scale): (usize, &Scores, Scale),
) -> FeatureSummary {
    let mean = |m: &Moments| if m.count > 0.0 { (m.mean + m.rest) / unit } else { f64::NAN };
    let own = difference(classes, positive, unit, scores.statistic);
    let mut summary = FeatureSummary::of_estimate(feature, scores, scale, Some(own));
    summary.means = classes.iter().map(mean).collect();
    if classes.len() > 2 && comparison.contrast.is_none() {
        let found = outstanding(classes, comparison.reference.map(|class| class as usize));
        summary.stands_out = found.map(|(class, _)| class);
        summary.difference = found.map_or(f64::NAN, |(_, difference)| difference / unit);
    }
    summary
}

/// What a difference between classes rests on, where values were multiplied by `unit`.
fn difference(classes: &[Moments], positive: usize, unit: f64, statistic: Statistic) -> EffectEstimate {
    if classes.len() > 2 {
        return EffectEstimate { statistic: f_of(classes), df: f_df(classes), ..EffectEstimate::nothing() };
    }
    let (p, n) = (&classes[positive], &classes[1 - positive]);
    if p.count <= 1.0 || n.count <= 1.0 {
        return EffectEstimate::nothing();
    }
    let difference = n.difference(p) / unit;
    let (vp, vn) = (p.variance() / p.count, n.variance() / n.count);
    let (variance, df) = if statistic == Statistic::Pooled {
        let df = p.count + n.count - 2.0;
        ((p.m2 + n.m2) / df * (1.0 / p.count + 1.0 / n.count), df)
    } else {
        let (a, b) = (vp / (vp + vn), vn / (vp + vn));
        (vp + vn, 1.0 / (a * a / (p.count - 1.0) + b * b / (n.count - 1.0)))
    };
    let standard_error = variance.sqrt() / unit;
    let by_t = matches!(statistic, Statistic::Welch | Statistic::Pooled);
    let statistic = if by_t { difference / standard_error } else { f64::NAN };
    EffectEstimate { statistic, df, difference, standard_error }
}

/// The class that stands out, and how much higher its mean is than that of the reference or of all other rows.
fn outstanding(classes: &[Moments], reference: Option<usize>) -> Option<(u32, f64)> {
    let others = |class: usize| match reference {
        Some(reference) => classes[reference],
        None => {
            let rest = classes.iter().enumerate().filter(|(at, _)| *at != class).map(|(_, m)| *m);
            Moments::merge_in_order(&rest.collect::<Vec<_>>())
        }
    };
    let mut best: Option<(f64, u32, f64)> = None;
    for (class, own) in classes.iter().enumerate().filter(|(class, own)| Some(*class) != reference && own.count > 0.0) {
        let others = others(class);
        let difference = others.difference(own);
        let distance = difference.abs() / (1.0 / own.count + 1.0 / others.count).sqrt();
        if others.count > 0.0 && best.is_none_or(|(most, _, _)| distance > most) {
            best = Some((distance, class as u32, difference));
        }
    }
    best.map(|(_, class, difference)| (class, difference))
}

/// The slope of a feature on a numeric target, of numbers whose slope is to be multiplied by `unit`.
pub(super) fn from_joint_moments(m: &CoMoments, statistic: Statistic, unit: f64) -> EffectEstimate {
    let df = m.count - 2.0;
    if !(df > 0.0 && m.yy > 0.0) {
        return EffectEstimate::nothing();
    }
    let slope = m.xy / m.yy;
    let difference = slope * unit;
    let standard_error = ((m.xx - slope * m.xy).max(0.0) / df / m.yy).sqrt() * unit;
    let by_t = statistic == Statistic::Pearson;
    let statistic = if by_t { difference / standard_error } else { f64::NAN };
    EffectEstimate { statistic, df, difference, standard_error }
}

/// F of several classes, over those that have values.
fn f_of(classes: &[Moments]) -> f64 {
    let occurring: Vec<Moments> = classes.iter().copied().filter(|c| c.count > 0.0).collect();
    let total = Moments::merge_in_order(&occurring);
    let between: f64 = occurring.iter().map(|c| c.count * total.difference(c).powi(2)).sum();
    let within: f64 = occurring.iter().map(|c| c.m2).sum();
    between / (occurring.len() as f64 - 1.0) / (within / f_df(classes))
}

/// The second degrees of freedom of F.
fn f_df(classes: &[Moments]) -> f64 {
    let occurring = classes.iter().filter(|c| c.count > 0.0);
    occurring.map(|c| c.count - 1.0).sum()
}
