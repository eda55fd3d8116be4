//! Null scores of some features.

use crate::numeric::linalg::Matrix;

/// How many null targets there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NullCounts {
    /// For the gate.
    pub(crate) gate: usize,
    /// For the states of the noise, which need more: at least as many.
    pub(crate) states: usize,
}

/// Null scores of some features: a column per feature, a row per null target.
#[derive(Debug, Clone)]
pub(crate) struct NullBlock {
    /// Of the table as it is.
    pub(crate) gate: Matrix,
    /// Of the table without the real target's part.
    pub(crate) states: Matrix,
}

impl NullBlock {
    /// Of so many null targets: those of the gate are the first ones of those of the states.
    pub(super) fn new(counts: NullCounts, features: usize) -> NullBlock {
        NullBlock { gate: Matrix::zeros(counts.gate, features), states: Matrix::zeros(counts.states, features) }
    }
}
