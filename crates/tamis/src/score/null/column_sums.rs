//! The sums of one column over every null class.

use super::centred_columns::ColumnFacts;

/// Everything about one column that its null scores follow from; sums are of centred values.
pub(super) struct ColumnSums<'a> {
    /// Null classes whose sums are taken, per null target: all but the last (of two: the positive one).
    pub(super) coded: usize,
    pub(super) facts: ColumnFacts,
    /// Per real class: the sum over the samples of every coded null class.
    pub(super) sums: Vec<&'a [f64]>,
    /// Per real class: the sum of squares likewise.
    pub(super) squares: Vec<&'a [f64]>,
    /// Per real class: the weight likewise.
    pub(super) overlaps: Vec<&'a [f64]>,
    /// Per real class: (weight, mean, squared deviations).
    pub(super) means: Vec<(f64, f64, f64)>,
}
