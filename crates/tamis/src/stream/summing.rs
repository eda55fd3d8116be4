//! Moments by class, file after file: the first walk of `snbl`, and the only one where no null targets are summed.

use super::Stream;
use super::rows_for_null_sums::MOST_COLUMNS;
use crate::base::{Note, Place, Result};
use crate::merge::feature::FeatureState;
use crate::merge::pass::{Pass, PieceHead, Sink};
use crate::merge::sum_pass::{PassScratch, PieceTarget, SumPass};
use crate::merge::{Frame, State};
use crate::sparse_means::Snbl;
use crate::table::Column;
use std::sync::Arc;

/// Files being summed up.
pub(super) struct SumSink<'a> {
    pub(super) stream: &'a Stream,
    /// Whether null targets are to be summed in a second walk.
    pub(super) wanted: bool,
    pub(super) state: &'a mut Option<State>,
    pub(super) facts: WalkFacts,
}

/// Facts about the rows that a second walk needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WalkFacts {
    /// Rows of the largest piece.
    pub(super) largest_piece: u64,
    /// The weight of all rows that count.
    pub(super) weight: f64,
    /// Whether every weight is a whole number.
    pub(super) whole_weights: bool,
}

impl WalkFacts {
    /// Of no rows.
    pub(super) const NONE: WalkFacts = WalkFacts { largest_piece: 0, weight: 0.0, whole_weights: true };

    fn of(piece: &PieceTarget<'_>) -> WalkFacts {
        let weights = || piece.used().iter().map(|&row| piece.weight(row as usize));
        WalkFacts {
            largest_piece: piece.n_rows(),
            weight: weights().sum(),
            whole_weights: weights().all(|weight| weight.fract() == 0.0),
        }
    }

    fn merge(&mut self, other: WalkFacts) {
        self.largest_piece = self.largest_piece.max(other.largest_piece);
        self.weight += other.weight;
        self.whole_weights &= other.whole_weights;
    }
}

/// Sums of columns against the target, with facts about the rows.
pub(super) struct WalkPass(SumPass);

impl Pass for WalkPass {
    type Target<'a> = PieceTarget<'a>;
    type Column = FeatureState;
    type Part = (State, WalkFacts);

    fn frame(&self) -> &Arc<Frame> {
        self.0.frame()
    }

    fn target<'a>(&'a self, head: PieceHead<'a>) -> Result<PieceTarget<'a>> {
        self.0.target(head)
    }

    fn column(
        &self,
        rows: &PieceTarget<'_>,
        at: usize,
        column: &Column,
        room: &mut PassScratch,
    ) -> Result<FeatureState> {
        self.0.column(rows, at, column, room)
    }

    fn part(&self, rows: PieceTarget<'_>, columns: Vec<FeatureState>) -> (State, WalkFacts) {
        let facts = WalkFacts::of(&rows);
        (self.0.part(rows, columns), facts)
    }
}

impl Sink for SumSink<'_> {
    type Pass = WalkPass;

    fn begin(&mut self, names: &[String], place: &Place, notes: &[Note]) -> Result<WalkPass> {
        let state = match self.state.take() {
            Some(state) => state,
            None => {
                let mut method = self.stream.method.clone();
                if self.wanted && names.len() <= MOST_COLUMNS {
                    method.means.permutations = Snbl::default().means.permutations;
                }
                State::new(&self.stream.frame(names, place, &method)?)
            }
        };
        let state = self.state.insert(state);
        notes.iter().for_each(|note| state.note(note.clone()));
        Ok(WalkPass(SumPass(Arc::clone(state.frame()))))
    }

    fn take(&mut self, (part, facts): (State, WalkFacts), place: &Place) -> Result<()> {
        self.facts.merge(facts);
        match &mut *self.state {
            Some(state) => state.merge(part, place),
            none => {
                *none = Some(part);
                Ok(())
            }
        }
    }

    fn n_rows(&self) -> u64 {
        self.state.as_ref().map_or(0, State::n_rows)
    }
}
