//! Resampling of rows: bootstraps, half-samples, permutations, and plans of training and test rows.

pub(crate) mod arrangements;
pub mod bootstrap_and_half_samples;
pub mod folds;
pub mod given;
mod groups;
mod requested_folds;

pub use folds::{Fold, Plan};
pub use given::given;
pub use requested_folds::RequestedFolds;
