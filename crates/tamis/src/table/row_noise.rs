//! How the noise of rows differs from independent noise of one size.

use std::sync::Arc;

/// The noise of the rows of a study, as it was estimated. Unlike importance weights, none of it changes how many rows
/// there are.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowNoise {
    /// The precision of every row of the table: in proportion to one over its variance.
    pub(crate) precisions: Option<Vec<f64>>,
    /// The correlation of rows of a block; blocks are then neither adjusted for nor averaged.
    pub(crate) correlation: Option<f64>,
    /// The precision of every cell, feature by feature over the rows of the table.
    pub(crate) cells: Option<Arc<Vec<Vec<f64>>>>,
}
