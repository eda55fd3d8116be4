//! Log hazard ratios with their intervals.

use super::each_feature;
use super::score_test::CoxTest;
use crate::base::{Progress, Result};
use crate::numeric::special::normal_quantile;
use crate::table::View;

/// So many features, those of the largest |z|, are estimated to convergence; the others by one step.
const TO_CONVERGENCE: usize = 1000;

/// The log hazard ratio β of a unit of a feature, with Wald's 95 % interval β ± 1.96·error.
///
/// All four are NaN for categories and where nothing is known about β. Where the partial likelihood grows without end, so
/// that β has no finite estimate, `log_hazard_ratio` is where the search stopped, and the others are NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoxEstimate {
    /// β̂: the hazard is multiplied by exp(β̂) for each unit of the feature.
    pub log_hazard_ratio: f64,
    /// Its standard error, from the information at β̂.
    pub standard_error: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

impl CoxEstimate {
    /// Nothing is known.
    pub(super) const NONE: CoxEstimate =
        CoxEstimate { log_hazard_ratio: f64::NAN, standard_error: f64::NAN, low: f64::NAN, high: f64::NAN };

    /// From the coefficient of a column that was divided by `unit`, and the information about it.
    pub(super) fn new(coefficient: f64, information: f64, unit: f64) -> CoxEstimate {
        let (log_hazard_ratio, standard_error) = (coefficient / unit, 1.0 / information.sqrt() / unit);
        let reach = normal_quantile(0.975) * standard_error;
        CoxEstimate { log_hazard_ratio, standard_error, low: log_hazard_ratio - reach, high: log_hazard_ratio + reach }
    }
}

/// The log hazard ratio of every feature beside the covariates, for features that have these scores: to convergence for
/// the thousand of the largest |z|, by the first step of Newton's method, U/V, for the others.
///
/// Cost: about five times that of the scores for each feature that is estimated to convergence.
///
/// # Errors
///
/// A target that is not survival times, rows that have importance weights, and cancellation.
pub fn log_hazard_ratios(data: &View, z: &[f64], progress: &mut dyn Progress) -> Result<Vec<CoxEstimate>> {
    let mut strongest: Vec<usize> = (0..z.len()).filter(|&feature| !z[feature].is_nan()).collect();
    strongest.sort_by(|&a, &b| z[b].abs().total_cmp(&z[a].abs()).then(a.cmp(&b)));
    let mut to_convergence = vec![false; data.n_features()];
    strongest.iter().take(TO_CONVERGENCE).for_each(|&feature| to_convergence[feature] = true);
    let test = CoxTest::of(data)?;
    each_feature(data, progress, |feature, column| {
        Ok(column.map_or(CoxEstimate::NONE, |values| test.estimate(values, to_convergence[feature])))
    })
}
