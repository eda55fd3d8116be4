//! Who asked for an analysis, and when: that makes a document theirs.

use crate::base::{Progress, Voice};
use crate::catalogue::Model;
use crate::result::{Evaluation, SelectionResult};
use std::time::Instant;

/// A front end that asked for an analysis, and when it did.
#[derive(Clone, Copy)]
pub struct Caller {
    voice: &'static dyn Voice,
    since: Instant,
}

impl Caller {
    /// A front end that asks now.
    pub fn of(progress: &dyn Progress) -> Caller {
        Caller { voice: progress.voice(), since: Instant::now() }
    }

    /// Wall-clock seconds since the caller asked.
    pub(super) fn seconds(&self) -> f64 {
        self.since.elapsed().as_secs_f64()
    }

    /// A selection in the caller's words.
    pub(super) fn selection(&self, result: SelectionResult) -> SelectionResult {
        let mut said = result.said(self.voice);
        said.seconds = self.seconds();
        said
    }

    /// An evaluation in the caller's words.
    pub(super) fn evaluation(&self, evaluation: Evaluation) -> Evaluation {
        let mut said = evaluation.said(self.voice);
        said.seconds = self.seconds();
        said
    }

    /// A model in the caller's words.
    pub(super) fn model(&self, model: Model) -> Model {
        model.said(self.voice)
    }
}
