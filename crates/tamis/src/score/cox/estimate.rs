//! Log hazard ratios with their intervals.

use super::log_hazard_ratio::CoxEstimate;
use super::score_test::{CoxTest, each_feature};
use crate::base::{Progress, Result};
use crate::table::View;

/// So many features, those of the largest |z|, are estimated to convergence; the others by one step.
const TO_CONVERGENCE: usize = 1000;

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
