//! Null scores of some features.

use crate::numeric::linalg::Matrix;

/// Null scores of some features: a column per feature, a row per null target.
#[derive(Debug, Clone)]
pub(crate) struct NullBlock {
    /// Of the table as it is.
    pub(crate) gate: Matrix,
    /// Of the table without the real target's part.
    pub(crate) states: Matrix,
}

impl NullBlock {
    pub(super) fn new(count: usize, features: usize) -> NullBlock {
        NullBlock { gate: Matrix::zeros(count, features), states: Matrix::zeros(count, features) }
    }
}
