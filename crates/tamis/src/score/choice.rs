//! Which statistic `auto` takes, and which ones a design allows.

use super::{Scale, Scoring, Statistic};
use crate::base::{Error, OptionName, Result, text};
use crate::table::{Target, View};

/// With fewer features their variances say nothing about each other.
const ENOUGH_FEATURES: usize = 20;

/// What the choice of a statistic depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableShape {
    pub(crate) n_features: usize,
    /// How many classes are compared; `None` for a numeric target.
    pub(crate) n_classes: Option<usize>,
    /// Whether features are adjusted for something.
    pub(crate) adjusted: bool,
}

/// The statistic for a view, `auto` resolved; an error where it does not suit the target or the design.
pub(super) fn statistic(scoring: &Scoring, data: &View) -> Result<Statistic> {
    if let Target::Survival { .. } = data.target() {
        return survival(scoring, data);
    }
    let shape = TableShape { n_features: data.n_features(), n_classes: data.n_compared(), adjusted: is_adjusted(data) };
    for_shape(scoring, &shape)
}

/// The statistic for a table of this shape without survival times.
pub(crate) fn for_shape(scoring: &Scoring, shape: &TableShape) -> Result<Statistic> {
    use Statistic::{Auto, F, Moderated, Pearson, Pooled};
    let TableShape { n_features, n_classes, adjusted } = *shape;
    let as_the_papers = scoring.scale == Scale::Raw;
    let follows_trend = scoring.trend.or(false);
    let needs_moderation = follows_trend || scoring.min_difference > 0.0;
    let chosen = match scoring.statistic {
        Auto if needs_moderation => Moderated,
        Auto if n_features >= ENOUGH_FEATURES && (adjusted || !as_the_papers) => Moderated,
        Auto if adjusted => match n_classes {
            None => Pearson,
            Some(2) => Pooled,
            Some(_) => F,
        },
        other => other,
    };
    if adjusted && !matches!(chosen, Moderated | Pooled | F | Pearson) {
        let expected = text![
            "it cannot be adjusted for covariates, blocks or other classes; pass ",
            OptionName::from("score").set("moderated")
        ];
        return Err(Error::parameter("score", chosen.name(), expected));
    }
    if needs_moderation && chosen != Moderated {
        let key = if follows_trend { "trend" } else { "min_difference" };
        let value = if follows_trend { "true".to_string() } else { scoring.min_difference.to_string() };
        let expected = text!["it needs moderated variances; pass ", OptionName::from("score").set("moderated")];
        return Err(Error::parameter(key, value, expected));
    }
    if scoring.min_difference > 0.0 && n_classes.is_some_and(|n| n > 2) {
        let expected = text!["several classes have no single difference; compare two with ", OptionName::Contrast];
        return Err(Error::parameter(OptionName::MinDifference, scoring.min_difference, expected));
    }
    chosen.resolve_scaled(scoring.scale, n_classes)
}

/// The statistic for survival times, which have no variances to moderate.
fn survival(scoring: &Scoring, data: &View) -> Result<Statistic> {
    let expected = "it does not apply to survival times; leave it out";
    if scoring.trend.or(false) {
        return Err(Error::parameter("trend", true, expected));
    }
    if scoring.min_difference > 0.0 {
        return Err(Error::parameter(OptionName::MinDifference, scoring.min_difference, expected));
    }
    scoring.statistic.resolve_for(data.target(), scoring.scale)
}

/// Whether features are adjusted for something: covariates, blocks, classes other than the two that are compared, or the
/// noise of rows.
pub(super) fn is_adjusted(data: &View) -> bool {
    data.row_noise().is_some()
        || !data.covariates().is_empty()
        || data.blocks().is_some()
        || data.comparison().contrast.is_some()
}
