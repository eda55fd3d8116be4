//! Special functions that stay exact far out in the tails.
//!
//! Everything is evaluated on whichever side of a distribution is small, and in logarithms where
//! that side underflows, so that a score of 37 standard deviations is as exact as one of 0.37.

mod beta;
mod chi_square;
mod fisher;
mod gamma;
mod normal;
mod student_and_fisher;
mod studentised_range;

pub use beta::ln_beta;
pub use chi_square::chi2_upper;
pub(crate) use chi_square::{chi2_to_z, surprise_chi2};
pub(crate) use fisher::{Fisher, Tail};
pub(crate) use gamma::{digamma, trigamma, trigamma_inverse};
pub(crate) use normal::{LN_SQRT_2PI, Z_95, normal_density, normal_within, z_from_log_sf, z_from_log_tail};
pub use normal::{log_ndtr, ndtr, normal_quantile, normal_two_sided};
pub use student_and_fisher::{f_to_z, f_upper, t_quantile, t_to_z, t_two_sided};
pub(crate) use student_and_fisher::{t_to_z_by_series, t_to_z_roughly};
pub use studentised_range::{studentised_range_quantile, studentised_range_upper};
