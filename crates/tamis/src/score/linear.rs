//! Scores of features that are regressed on the target: t or F, with their own or with moderated variances.

use super::design::Design;
use super::design::feature_variance::Variance;
use super::design::linear_fit::{self, ClassSquares, FeatureFit, LinearFit};
use super::design::variance_prior::{PriorRule, VariancePrior};
use super::score_from_moments::Outcome;
use super::{Scale, Scoring, Statistic, choice, each_column};
use crate::base::note::{Note, NoteKind};
use crate::base::{Auto, Progress, Result};
use crate::numeric::special::{f_to_z, log_ndtr, t_to_z, z_from_log_tail};
use crate::table::View;

/// Classes whose noise differs by more than this, as seen by the pooled error, are told apart.
const EVEN: std::ops::RangeInclusive<f64> = 0.8..=1.25;
/// A class needs so many rows for a prior of its own.
const ENOUGH_FOR_WELCH: f64 = 7.0;

/// How variances were moderated.
#[derive(Debug, Clone)]
pub(crate) enum Moderation {
    /// One variance per feature.
    Pooled(VariancePrior),
    /// One per feature and class: of the reference and of the positive class.
    Welch([VariancePrior; 2]),
}

/// Whether the prior of the variances follows the features' means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TrendUse {
    /// Whether it does.
    pub(crate) on: bool,
    /// The share of the variances' spread that the means explain, where that decided.
    pub(crate) share: Option<f64>,
}

/// A feature's difference between classes, or slope, with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct EffectEstimate {
    /// t, or F for several classes.
    pub statistic: f64,
    /// Its (second) degrees of freedom.
    pub df: f64,
    /// Positive class minus reference, or change per unit of a numeric target; NaN for several classes.
    pub difference: f64,
    /// The standard error of the difference.
    pub standard_error: f64,
}

impl EffectEstimate {
    /// No estimate.
    pub(super) fn nothing() -> EffectEstimate {
        EffectEstimate { statistic: f64::NAN, df: f64::NAN, difference: f64::NAN, standard_error: f64::NAN }
    }
}

/// The scores of a design.
pub(super) struct LinearScores {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) estimates: Vec<Option<EffectEstimate>>,
    pub(super) moderation: Option<Moderation>,
    pub(super) trend: Option<TrendUse>,
    pub(super) notes: Vec<Note>,
}

impl LinearScores {
    /// Leaves out columns of categories, of so many rows, which cannot be adjusted.
    pub(super) fn set_aside(&mut self, categories: impl Iterator<Item = usize>, names: &[String], rows: u32) {
        let mut named = vec![];
        for at in categories {
            self.outcomes[at] = Outcome::SetAside { rows };
            named.push(names[at].clone());
        }
        let text = "{} of categories set aside: they cannot be adjusted for covariates, blocks or other classes";
        self.notes.extend(Note::counting(NoteKind::CategoriesSetAside, text, named));
    }
}

/// Scores the features of a view by its design.
pub(super) fn scores(
    data: &View,
    design: &Design,
    scoring: &Scoring,
    statistic: Statistic,
    progress: &mut dyn Progress,
) -> Result<LinearScores> {
    let fits = linear_fit::fit_all(data, &design.samples, &design.complete, progress)?;
    let several = design.samples.several_classes;
    let mut scores = of_fits(&fits, scoring, statistic, several, !choice::is_adjusted(data));
    let categories = each_column::categories(data, statistic, scoring.scale);
    if choice::is_adjusted(data) {
        let rows = data.rows().len() as u32;
        scores.set_aside(categories.iter().map(|(at, _)| *at), data.names(), rows);
    } else {
        categories.into_iter().for_each(|(at, outcome)| scores.outcomes[at] = outcome);
    }
    scores.notes.splice(0..0, design.notes.iter().cloned());
    Ok(scores)
}

/// Scores from fits, by F where there are several classes; `may_part` says whether classes may have variances of their own.
pub(super) fn of_fits(
    fits: &[FeatureFit],
    scoring: &Scoring,
    statistic: Statistic,
    several: bool,
    may_part: bool,
) -> LinearScores {
    let mut notes = vec![];
    let trend = (statistic == Statistic::Moderated).then(|| trend_use(fits, scoring.trend));
    let rule = PriorRule { trend: trend.is_some_and(|trend| trend.on), robust: scoring.robust };
    let moderation = (statistic == Statistic::Moderated).then(|| {
        let uneven = unevenness(fits).is_some_and(|q| !EVEN.contains(&q));
        let enough = smallest_class(fits) >= ENOUGH_FOR_WELCH;
        if uneven && may_part && enough && scoring.min_difference == 0.0 {
            notes.push(Note::new(NoteKind::UnequalVariances, PARTED));
            return Moderation::Welch([0, 1].map(|class| class_prior(fits, class, rule)));
        }
        if uneven {
            notes.push(Note::new(NoteKind::UnequalVariances, NOT_PARTED));
        }
        Moderation::Pooled(prior(fits, rule))
    });
    let (mut outcomes, mut estimates) = (Vec::with_capacity(fits.len()), Vec::with_capacity(fits.len()));
    for (feature, fit) in fits.iter().enumerate() {
        let (outcome, estimate) = score(fit, feature, moderation.as_ref(), several, scoring);
        outcomes.push(outcome);
        estimates.push(estimate);
    }
    LinearScores { outcomes, estimates, moderation, trend, notes }
}

const PARTED: &str = "classes of different size have different variances: each class has its own (moderated Welch)";
const NOT_PARTED: &str = "classes of different size have different variances, which the pooled error does not show: \
                          probabilities may be too high or too low";

/// The score of a fitted feature and what it rests on.
fn score(
    fit: &FeatureFit,
    feature: usize,
    moderation: Option<&Moderation>,
    several: bool,
    scoring: &Scoring,
) -> (Outcome, Option<EffectEstimate>) {
    let fit = match fit {
        FeatureFit::Categories => return (Outcome::TooFew { rows: 0 }, None),
        FeatureFit::Constant { rows } => return (Outcome::Constant { rows: *rows }, None),
        FeatureFit::Undetermined { rows, .. } => return (Outcome::TooFew { rows: *rows }, None),
        FeatureFit::Fitted(fit) => fit,
    };
    let rows = fit.rows;
    if fit.is_constant() {
        return (Outcome::Constant { rows }, None);
    }
    let own = if fit.df > 0.0 { fit.variance(fit.residual, fit.df) } else { f64::NAN };
    let (variance, df) = match moderation {
        Some(Moderation::Pooled(prior)) if prior.is_known() => prior.squeeze(own, fit.df, feature),
        Some(Moderation::Welch(priors)) => return welch(fit, feature, priors, scoring.scale),
        _ if fit.df > 0.0 && fit.is_exact() => return determined(fit, several),
        _ => (own, fit.df),
    };
    if !(df > 0.0 && variance > 0.0) {
        return (Outcome::TooFew { rows }, None);
    }
    if several {
        let coded = fit.coefficients.len() as f64;
        let f = fit.explained / coded / variance;
        let estimate = EffectEstimate { statistic: f, df, difference: f64::NAN, standard_error: f64::NAN };
        return (Outcome::one_sided(f_to_z(f, coded, df), rows), Some(estimate));
    }
    let (difference, error) = (fit.coefficients[0], variance.sqrt() * fit.unscaled[0]);
    two_sided(difference, error, df, rows, scoring)
}

/// The score of a feature that the target determines, and whose variance no other feature moderates.
fn determined(fit: &LinearFit, several: bool) -> (Outcome, Option<EffectEstimate>) {
    let rows = fit.rows;
    if several {
        return (Outcome::Perfect { sign: 1.0, rows }, None);
    }
    let difference = fit.coefficients[0];
    let estimate = EffectEstimate { difference, ..EffectEstimate::nothing() };
    (Outcome::Perfect { sign: difference.signum(), rows }, Some(estimate))
}

/// The score of a difference beyond the least one that matters.
fn two_sided(difference: f64, error: f64, df: f64, rows: u32, scoring: &Scoring) -> (Outcome, Option<EffectEstimate>) {
    let least = scoring.min_difference;
    let t = difference.signum() * (difference.abs() - least).max(0.0) / error;
    let estimate = EffectEstimate { statistic: t, df, difference, standard_error: error };
    let z = match scoring.scale {
        Scale::Raw => t,
        Scale::Z if least == 0.0 => t_to_z(t, df),
        Scale::Z => {
            let tail = |t: f64| log_ndtr(-t_to_z(t, df));
            let (near, far) = (tail((difference.abs() - least) / error), tail((difference.abs() + least) / error));
            let both = near.max(far) + (-(near - far).abs()).exp().ln_1p();
            difference.signum() * z_from_log_tail((both - std::f64::consts::LN_2).min(-std::f64::consts::LN_2))
        }
    };
    (Outcome::Score { z, rows }, Some(estimate))
}

/// Welch's t with each class's variance moderated by its own prior; degrees of freedom by Satterthwaite.
fn welch(
    fit: &LinearFit,
    feature: usize,
    priors: &[VariancePrior; 2],
    scale: Scale,
) -> (Outcome, Option<EffectEstimate>) {
    let rows = fit.rows;
    let Some(classes) = fit.classes.filter(|classes| classes.iter().all(|class| class.count > 1.0)) else {
        return (Outcome::TooFew { rows }, None);
    };
    let [one, two] = [0, 1].map(|at: usize| {
        let ClassSquares { count, squares } = classes[at];
        let (variance, df) = priors[at].squeeze(fit.variance(squares, count - 1.0), count - 1.0, feature);
        (variance / count, df)
    });
    let error = (one.0 + two.0).sqrt();
    let (a, b) = (one.0 / (one.0 + two.0), two.0 / (one.0 + two.0));
    let df = 1.0 / (a * a / one.1 + b * b / two.1);
    if error == 0.0 {
        return determined(fit, false);
    }
    if !(error > 0.0 && df > 0.0) {
        return (Outcome::TooFew { rows }, None);
    }
    two_sided(fit.coefficients[0], error, df, rows, &Scoring { scale, ..Scoring::default() })
}

/// Whether the prior follows the features' means, as wanted or as their variances show.
fn trend_use(fits: &[FeatureFit], wanted: Auto<bool>) -> TrendUse {
    match wanted {
        Auto::Set(on) => TrendUse { on, share: None },
        Auto::Auto => match VariancePrior::trend_of(&variances(fits, &pooled)) {
            Some(check) => TrendUse { on: check.on, share: Some(check.share) },
            None => TrendUse { on: false, share: None },
        },
    }
}

/// A feature's variance with all classes together.
fn pooled(fit: &LinearFit) -> Variance {
    Variance { variance: fit.variance(fit.residual, fit.df), df: fit.df, mean: fit.mean }
}

/// The prior of the variances of all features.
fn prior(fits: &[FeatureFit], rule: PriorRule) -> VariancePrior {
    VariancePrior::fit(&variances(fits, &pooled), rule)
}

/// The prior of the variances of one class.
fn class_prior(fits: &[FeatureFit], class: usize, rule: PriorRule) -> VariancePrior {
    let one = |fit: &LinearFit| {
        let ClassSquares { count, squares } = fit.classes.unwrap_or_default()[class];
        Variance { variance: fit.variance(squares, count - 1.0), df: count - 1.0, mean: fit.mean }
    };
    VariancePrior::fit(&variances(fits, &one), rule)
}

/// The variances of the features that take part in the prior.
fn variances(fits: &[FeatureFit], one: &dyn Fn(&LinearFit) -> Variance) -> Vec<Option<Variance>> {
    fits.iter()
        .map(|fit| match fit {
            FeatureFit::Fitted(fit) if !fit.is_constant() => Some(one(fit)),
            FeatureFit::Undetermined { left: Some(fit), .. } if !fit.is_constant() => Some(one(fit)),
            _ => None,
        })
        .collect()
}

/// The median over features of the error that classes of their own variances have, relative to the pooled one, squared;
/// `None` unless there are two classes.
fn unevenness(fits: &[FeatureFit]) -> Option<f64> {
    let ratio = |fit: &LinearFit| {
        let [one, two] = fit.classes?;
        if !(one.count > 1.0 && two.count > 1.0) || fit.is_exact() {
            return None;
        }
        let own = |class: ClassSquares| class.squares / (class.count - 1.0) / class.count;
        let pooled = (one.squares + two.squares) / (one.count + two.count - 2.0);
        Some((own(one) + own(two)) / (pooled * (1.0 / one.count + 1.0 / two.count)))
    };
    let mut ratios: Vec<f64> = fitted(fits).filter_map(ratio).filter(|ratio| ratio.is_finite()).collect();
    if ratios.is_empty() {
        return None;
    }
    let middle = ratios.len() / 2;
    let (_, median, _) = ratios.select_nth_unstable_by(middle, f64::total_cmp);
    Some(*median)
}

/// The size of the smaller class in the feature that has most of it.
fn smallest_class(fits: &[FeatureFit]) -> f64 {
    let smaller = |fit: &LinearFit| fit.classes.map_or(0.0, |[one, two]| one.count.min(two.count));
    fitted(fits).map(smaller).fold(0.0, f64::max)
}

fn fitted(fits: &[FeatureFit]) -> impl Iterator<Item = &LinearFit> {
    fits.iter().filter_map(|fit| match fit {
        FeatureFit::Fitted(fit) => Some(fit),
        _ => None,
    })
}
