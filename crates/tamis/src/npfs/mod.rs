//! NPFS: run a selector on many bootstraps of the rows, and test how often each feature is chosen.

pub mod decide;

mod coded;
mod lanes;
mod select;

pub use coded::SomeRuns;
pub use decide::Adjust;
pub use lanes::choose;
pub use select::{Base, Npfs, NullModel, decide_matrix, matrix_test};
