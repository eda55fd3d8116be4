//! Moderated variances (Smyth 2004): what the variances of all features say about each.
//!
//! A feature's variance s² on d degrees of freedom is drawn from s0²·χ²_d0-scaled noise; the prior's d0 and s0² follow from
//! the mean and spread of ln s² over all features. A feature's own variance and the prior's are then averaged by their
//! degrees of freedom.

use super::feature_variance::Variance;
use super::robust_variance_prior::{robust_prior, too_large};
use super::variance_trend::{TrendCheck, expected_logs};
use super::variance_trend_spline::NaturalSpline;
use crate::numeric::lowess::{distinct_points, interpolated};
use crate::numeric::order_statistics::median;
use crate::numeric::special::{Fisher, digamma, trigamma, trigamma_inverse};

/// Variances below this share of their median count as that share when the prior is fitted.
const FLOOR: f64 = 1e-5;
/// The same for the robust prior.
const ROBUST_FLOOR: f64 = 1e-12;

/// The prior of the variances.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VariancePrior {
    /// d0; infinite where all variances are equal but for noise.
    pub(crate) df: f64,
    /// d0 of every feature, where they differ.
    dfs: Option<Vec<f64>>,
    /// s0² of every feature, one entry where all share it.
    variances: Vec<f64>,
    /// Degrees of freedom of all features together.
    most_df: f64,
    /// The ratio to s0² that no variance exceeds by chance; infinite where all follow the prior whatever they are.
    ceiling: f64,
}

/// How a prior is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PriorRule {
    /// Whether s0² follows a curve of the feature's mean.
    pub(crate) trend: bool,
    /// Whether features whose variance is too large have a prior of their own.
    pub(crate) robust: bool,
}

impl VariancePrior {
    /// The prior of features with these variances; `None` for one that is set aside.
    pub(crate) fn fit(features: &[Option<Variance>], rule: PriorRule) -> VariancePrior {
        let used = usable(features);
        let most_df = used.iter().map(|feature| feature.df).sum();
        let values = floored(&used, FLOOR);
        if used.len() < 2 || values.is_empty() {
            return VariancePrior { df: 0.0, dfs: None, variances: vec![0.0], most_df, ceiling: f64::INFINITY };
        }
        let logs = expected_logs(&used, &values);
        let n = used.len() as f64;
        let noise = used.iter().map(|feature| trigamma(0.5 * feature.df)).sum::<f64>() / n;
        let level = if rule.trend {
            let means: Vec<f64> = used.iter().map(|feature| feature.mean).collect();
            Level::Curve(NaturalSpline::fit(&means, &logs))
        } else {
            Level::Mean(logs.iter().sum::<f64>() / n)
        };
        let squares: f64 = used.iter().zip(&logs).map(|(feature, e)| (e - level.at(feature.mean)).powi(2)).sum();
        let spread = squares / (n - level.degrees()) - noise;
        let df = if spread > 0.0 { 2.0 * trigamma_inverse(spread) } else { f64::INFINITY };
        let shift = if df.is_finite() { digamma(0.5 * df) - (0.5 * df).ln() } else { 0.0 };
        let variance = |feature: &Variance| match &level {
            Level::Mean(_) if df.is_infinite() => values.iter().sum::<f64>() / n,
            level => (level.at(feature.mean) + shift).exp(),
        };
        let most = used.iter().map(|feature| feature.df).fold(0.0, f64::max);
        let ceiling = |df| if rule.robust { too_large(Fisher { d1: most, d2: df }, n) } else { f64::INFINITY };
        if rule.robust {
            let known: Vec<Variance> = used
                .iter()
                .zip(floored(&used, ROBUST_FLOOR))
                .map(|(feature, variance)| Variance { variance, ..*feature })
                .collect();
            let plain: Vec<f64> = known.iter().map(variance).collect();
            if let Some(found) = robust_prior(&known, (df, &plain), rule.trend) {
                let means: Vec<f64> = known.iter().map(|feature| feature.mean).collect();
                let (variances, dfs) = spread_out(features, &means, &found.variances, (found.df, &found.dfs));
                let variances = if rule.trend { variances } else { found.variances[..1].to_vec() };
                return VariancePrior { df: found.df, dfs: Some(dfs), variances, most_df, ceiling: ceiling(found.df) };
            }
        }
        let variances = match &level {
            Level::Mean(_) => vec![variance(&used[0])],
            Level::Curve(_) => features.iter().map(|feature| feature.as_ref().map_or(f64::NAN, variance)).collect(),
        };
        VariancePrior { df, dfs: None, variances, most_df, ceiling: ceiling(df) }
    }

    /// Whether the variances of these features follow their means; `None` where there are too few to say.
    pub(crate) fn trend_of(features: &[Option<Variance>]) -> Option<TrendCheck> {
        let used = usable(features);
        let values = floored(&used, FLOOR);
        let enough = used.len() > 4 && !values.is_empty();
        enough.then(|| TrendCheck::of(&used, &expected_logs(&used, &values)))
    }

    /// Whether there were features enough to learn it from.
    pub(crate) fn is_known(&self) -> bool {
        self.df > 0.0
    }

    /// s0² of a feature.
    pub(crate) fn variance(&self, feature: usize) -> f64 {
        if self.variances.len() == 1 { self.variances[0] } else { self.variances[feature] }
    }

    /// s0² where all features share it; the median where it follows a trend.
    pub(crate) fn typical_variance(&self) -> f64 {
        let mut known: Vec<f64> = self.variances.iter().copied().filter(|s| !s.is_nan()).collect();
        known.sort_by(f64::total_cmp);
        known.get(known.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The moderated variance of a feature whose own is this on `df` degrees of freedom, and the degrees of freedom it
    /// counts for.
    pub(crate) fn squeeze(&self, variance: f64, df: f64, feature: usize) -> (f64, f64) {
        let own = self.dfs.as_ref().map_or(self.df, |dfs| dfs[feature]);
        let total = (df + own).min(self.most_df);
        if !self.is_known() {
            return (variance, total);
        }
        let prior = self.variance(feature);
        if own.is_infinite() || df <= 0.0 {
            return (prior, total);
        }
        ((own * prior + df * variance) / (own + df), total)
    }

    /// The same with a target other than the real one. A feature that follows the real target varies far too much within
    /// other classes: there its variance is its own, as it would be if the other target were the real one.
    pub(crate) fn squeeze_of_null(&self, variance: f64, df: f64, feature: usize) -> (f64, f64) {
        let known = self.dfs.as_ref().is_some_and(|dfs| dfs[feature] < self.df);
        if !known && df > 0.0 && variance > self.ceiling * self.variance(feature) {
            return (variance, df.min(self.most_df));
        }
        self.squeeze(variance, df, feature)
    }

    /// The degrees of freedom that most features count for which have `df` of their own.
    pub(crate) fn usual_df(&self, df: f64) -> f64 {
        (df + self.df).min(self.most_df)
    }
}

/// The features that have a variance.
fn usable(features: &[Option<Variance>]) -> Vec<Variance> {
    features.iter().flatten().copied().filter(|feature| feature.df > 0.0).collect()
}

/// s0² and d0 of all features from those of the ones that have a variance of their own: others have the common d0, and the
/// s0² of features with their mean.
fn spread_out(
    features: &[Option<Variance>],
    means: &[f64],
    variances: &[f64],
    (df, dfs): (f64, &[f64]),
) -> (Vec<f64>, Vec<f64>) {
    let logs: Vec<f64> = variances.iter().map(|variance| variance.ln()).collect();
    let (places, heights) = distinct_points(means, &logs);
    let mut known = variances.iter().copied().zip(dfs.iter().copied());
    features
        .iter()
        .map(|feature| match feature {
            None => (f64::NAN, df),
            Some(feature) if feature.df > 0.0 => known.next().unwrap_or((f64::NAN, df)),
            Some(feature) => (interpolated(&places, &heights, feature.mean).exp(), df),
        })
        .unzip()
}

/// Variances that are not too far below their median for a logarithm; none if all are 0. Where most are 0, the median is
/// that of the others.
fn floored(used: &[Variance], share: f64) -> Vec<f64> {
    let mut known: Vec<f64> = used.iter().map(|feature| feature.variance).collect();
    let mut middle = median(&mut known);
    if middle == 0.0 {
        known.retain(|variance| *variance > 0.0);
        middle = median(&mut known);
    }
    let floor = (share * middle).max(f64::MIN_POSITIVE);
    if middle > 0.0 { used.iter().map(|feature| feature.variance.max(floor)).collect() } else { vec![] }
}

/// The expected ln s² of a feature, but for constants.
enum Level {
    Mean(f64),
    Curve(NaturalSpline),
}

impl Level {
    fn at(&self, mean: f64) -> f64 {
        match self {
            Level::Mean(level) => *level,
            Level::Curve(spline) => spline.at(mean),
        }
    }

    /// Numbers that were fitted.
    fn degrees(&self) -> f64 {
        match self {
            Level::Mean(_) => 1.0,
            Level::Curve(spline) => spline.degrees() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variance_that_no_feature_has_by_chance_is_its_own_with_another_target() {
        // all alike but for one that varies too much
        let variance = |j: usize| if j == 7 { 400.0 } else { 1.0 + 0.01 * (j % 5) as f64 };
        let features: Vec<Option<Variance>> =
            (0..200).map(|j| Some(Variance { variance: variance(j), df: 6.0, mean: 0.0 })).collect();
        let prior = VariancePrior::fit(&features, PriorRule { trend: false, robust: true });
        assert!(prior.df.is_infinite());
        assert_eq!(prior.squeeze_of_null(50.0, 6.0, 3), (50.0, 6.0));
        assert_eq!(prior.squeeze_of_null(2.0, 6.0, 3), prior.squeeze(2.0, 6.0, 3));
        // what is known of a feature holds with any target
        assert_eq!(prior.squeeze_of_null(390.0, 6.0, 7), prior.squeeze(390.0, 6.0, 7));
        let plain = VariancePrior::fit(&features, PriorRule { trend: false, robust: false });
        assert_eq!(plain.squeeze_of_null(50.0, 6.0, 3), plain.squeeze(50.0, 6.0, 3));
    }
}
