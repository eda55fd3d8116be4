//! What a walk over the pieces of a table does with them.

use crate::base::Result;
use crate::base::error::Place;
use crate::base::note::Note;
use crate::merge::Frame;
use crate::merge::piece::Room;
use crate::table::Column;
use crate::table::target::Labels;
use std::sync::Arc;

/// What a piece is before any of its columns: the target and weights of its rows, behind so many rows from its place.
pub(crate) struct Head<'a> {
    pub(crate) labels: Labels,
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) place: &'a Place,
    pub(crate) before: u64,
}

/// What is made of a piece, by any thread and in any order.
pub(crate) trait Pass: Sync {
    /// The target and weights of a piece, ready for its columns.
    type Rows<'a>: Sync
    where
        Self: 'a;
    /// What is made of a column of a piece.
    type Column: Send;
    /// What is made of a piece.
    type Part: Send;

    /// What the pieces have in common.
    fn frame(&self) -> &Arc<Frame>;

    /// Begins a piece.
    fn rows<'a>(&'a self, head: Head<'a>) -> Result<Self::Rows<'a>>;

    /// The column at this position of the frame.
    fn column(&self, rows: &Self::Rows<'_>, at: usize, column: &Column, room: &mut Room) -> Result<Self::Column>;

    /// Ends a piece.
    fn part(&self, rows: Self::Rows<'_>, columns: Vec<Self::Column>) -> Self::Part;
}

/// What takes the parts, in the order of the pieces.
pub(crate) trait Sink {
    /// What makes them.
    type Pass: Pass;

    /// Begins a file that has these features; what reading it had to decide is in the notes.
    fn begin(&mut self, names: &[String], place: &Place, notes: &[Note]) -> Result<Self::Pass>;

    /// Takes what was made of the next piece.
    fn take(&mut self, part: <Self::Pass as Pass>::Part, place: &Place) -> Result<()>;

    /// Rows so far.
    fn rows(&self) -> u64;
}
