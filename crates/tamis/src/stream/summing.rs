//! Moments by class, file after file: the only walk of `snbl` where no null targets are summed.

use super::Stream;
use crate::base::{Note, Place, Result};
use crate::merge::State;
use crate::merge::pass::Sink;
use crate::merge::sum_pass::SumPass;
use std::sync::Arc;

/// Files being summed up.
pub(super) struct SumSink<'a> {
    pub(super) stream: &'a Stream,
    pub(super) state: &'a mut Option<State>,
}

impl Sink for SumSink<'_> {
    type Pass = SumPass;

    fn begin(&mut self, names: &[String], place: &Place, notes: &[Note]) -> Result<SumPass> {
        let state = match self.state.take() {
            Some(state) => state,
            None => State::new(&self.stream.frame(names, place, &self.stream.method)?),
        };
        let state = self.state.insert(state);
        notes.iter().for_each(|note| state.note(note.clone()));
        Ok(SumPass(Arc::clone(state.frame())))
    }

    fn take(&mut self, part: State, place: &Place) -> Result<()> {
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
