//! Which statistic `auto` takes, and which ones a design allows.

use super::{Scoring, Statistic};
use crate::base::{Error, OptionName, Result, text};
use crate::table::{Target, View};

/// A class with fewer rows than this has too few for a variance of its own.
const FEW_IN_CLASS: f64 = 15.0;
/// A numeric target with fewer rows than this likewise.
const FEW_ROWS: f64 = 30.0;
/// With fewer features their variances say nothing about each other.
const ENOUGH_FEATURES: usize = 20;

/// The statistic for a view, `auto` resolved; an error where it does not suit the target or the design.
pub(super) fn statistic(scoring: &Scoring, data: &View) -> Result<Statistic> {
    use Statistic::{Auto, F, Moderated, Pearson, Pooled};
    if let Target::Survival { .. } = data.target() {
        return survival(scoring, data);
    }
    let n_classes = data.n_compared();
    let needs_moderation = scoring.trend || scoring.min_difference > 0.0;
    let chosen = match scoring.statistic {
        Auto if needs_moderation => Moderated,
        Auto if data.n_features() >= ENOUGH_FEATURES && (is_adjusted(data) || has_few_rows(data)) => Moderated,
        Auto if is_adjusted(data) => match n_classes {
            None => Pearson,
            Some(2) => Pooled,
            Some(_) => F,
        },
        other => other,
    };
    if is_adjusted(data) && !matches!(chosen, Moderated | Pooled | F | Pearson) {
        let expected =
            text!["it cannot be adjusted for covariates, blocks or other classes; pass ", OptionName::from("score").set("moderated")];
        return Err(Error::parameter("score", chosen.name(), expected));
    }
    if needs_moderation && chosen != Moderated {
        let key = if scoring.trend { "trend" } else { "min_difference" };
        let value = if scoring.trend { "true".to_string() } else { scoring.min_difference.to_string() };
        let expected = text!["it needs moderated variances; pass ", OptionName::from("score").set("moderated")];
        return Err(Error::parameter(key, value, expected));
    }
    if scoring.min_difference > 0.0 && n_classes.is_some_and(|n| n > 2) {
        let expected = "several classes have no single difference; compare two of them";
        return Err(Error::parameter(OptionName::MinDifference, scoring.min_difference, expected));
    }
    chosen.resolve_scaled(scoring.scale, n_classes)
}

/// The statistic for survival times, which have no variances to moderate.
fn survival(scoring: &Scoring, data: &View) -> Result<Statistic> {
    let expected = "it does not apply to survival times; leave it out";
    if scoring.trend {
        return Err(Error::parameter("trend", true, expected));
    }
    if scoring.min_difference > 0.0 {
        return Err(Error::parameter(OptionName::MinDifference, scoring.min_difference, expected));
    }
    scoring.statistic.resolve_for(data.target(), scoring.scale)
}

/// Whether features are adjusted for something: covariates, blocks, or classes other than the two that are compared.
pub(super) fn is_adjusted(data: &View) -> bool {
    !data.covariates().is_empty() || data.blocks().is_some() || data.comparison().contrast.is_some()
}

/// Whether a class, or the whole, has few rows.
fn has_few_rows(data: &View) -> bool {
    let weight = |row: u32| data.weights().map_or(1.0, |w| w[row as usize]);
    match data.target() {
        Target::Real { .. } | Target::Survival { .. } => {
            data.rows().iter().map(|&row| weight(row)).sum::<f64>() < FEW_ROWS
        }
        Target::Classes { codes, labels, .. } => {
            let mut sizes = vec![0.0; labels.len()];
            data.rows().iter().for_each(|&row| sizes[codes[row as usize] as usize] += weight(row));
            sizes.into_iter().any(|size| size < FEW_IN_CLASS)
        }
    }
}
