//! Moments by class, file after file: the first walk of `snbl`, and the only one where no null targets are summed.

use super::Stream;
use super::rows_for_null_sums::MOST_COLUMNS;
use crate::base::{Auto, Note, Place, Result};
use crate::merge::State;
use crate::merge::pass::Sink;
use crate::merge::sum_pass::{PieceFacts, SumPass};
use std::sync::Arc;

/// Files being summed up.
pub(super) struct SumSink<'a> {
    pub(super) stream: &'a Stream,
    /// Whether null targets are to be summed in a second walk.
    pub(super) wanted: bool,
    pub(super) state: &'a mut Option<State>,
    pub(super) facts: PieceFacts,
}

impl Sink for SumSink<'_> {
    type Pass = SumPass;

    fn begin(&mut self, names: &[String], place: &Place, notes: &[Note]) -> Result<SumPass> {
        let state = match self.state.take() {
            Some(state) => state,
            None => {
                let mut method = self.stream.method.clone();
                if self.wanted && names.len() <= MOST_COLUMNS {
                    method.means.permutations = Auto::Auto;
                }
                State::new(&self.stream.frame(names, place, &method)?)
            }
        };
        let state = self.state.insert(state);
        notes.iter().for_each(|note| state.note(note.clone()));
        Ok(SumPass(Arc::clone(state.frame())))
    }

    fn take(&mut self, (part, facts): (State, PieceFacts), place: &Place) -> Result<()> {
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
