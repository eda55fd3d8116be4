//! Resampling of rows: bootstraps, half-samples, permutations, plans of training and test rows, and splits inside training rows.

pub(crate) mod arrangements;
#[doc(hidden)]
pub mod bootstrap_and_half_samples;
mod deal;
pub mod folds;
#[doc(hidden)]
pub mod given;
pub mod inner;
mod requested_folds;

pub use folds::{Fold, Plan};
pub use given::given;
pub use requested_folds::RequestedFolds;
