//! The log hazard ratio of a feature with its interval.

use crate::numeric::special::normal_quantile;

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
