//! Passes over the pieces of a table.

use crate::base::Result;
use crate::base::error::Place;
use crate::base::note::Note;
use crate::merge::Frame;
use crate::merge::sum_pass::PassScratch;
use crate::table::Column;
use crate::table::target_cells::TargetCells;
use std::sync::Arc;

/// The target, weights and covariates of a piece, and the position of its first row.
pub(crate) struct PieceHead<'a> {
    pub(crate) labels: TargetCells,
    pub(crate) weights: Option<&'a [f64]>,
    /// The frame's covariates.
    pub(crate) covariates: &'a [Column],
    pub(crate) place: &'a Place,
    pub(crate) before: u64,
}

/// A pass that turns pieces into parts, on any thread and in any order.
pub(crate) trait Pass: Sync {
    /// The target and weights of a piece, ready for its columns.
    type Target<'a>: Sync
    where
        Self: 'a;
    /// The result for one column of a piece.
    type Column: Send;
    /// The result for one piece.
    type Part: Send;

    /// The frame shared by all pieces.
    fn frame(&self) -> &Arc<Frame>;

    /// Begins a piece.
    fn target<'a>(&'a self, head: PieceHead<'a>) -> Result<Self::Target<'a>>;

    /// The column at this position of the frame.
    fn column(
        &self,
        rows: &Self::Target<'_>,
        at: usize,
        column: &Column,
        room: &mut PassScratch,
    ) -> Result<Self::Column>;

    /// Ends a piece.
    fn part(&self, rows: Self::Target<'_>, columns: Vec<Self::Column>) -> Self::Part;
}

/// Collects the parts in the order of the pieces.
pub(crate) trait Sink {
    /// The pass that makes the parts.
    type Pass: Pass;

    /// Whether features are of no use to it.
    fn only_target(&self) -> bool {
        false
    }

    /// Begins a file with these features; the notes say how it was read.
    fn begin(&mut self, names: &[String], place: &Place, notes: &[Note]) -> Result<Self::Pass>;

    /// Takes the part of the next piece.
    fn take(&mut self, part: <Self::Pass as Pass>::Part, place: &Place) -> Result<()>;

    /// Rows so far.
    fn n_rows(&self) -> u64;
}
