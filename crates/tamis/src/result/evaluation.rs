//! A whole evaluation as it is saved: tables, pipelines, folds, comparison, recommendation.

use super::read_document;
use crate::base::remedies::GIVE_ONE;
use crate::base::{Error, FORMAT_VERSION, Note, Place, Result, Voice, note};
use crate::evaluate::summary::Run;
use crate::evaluate::verdict::{Comparison, Recommendation, compare, recommend};
use crate::table::InputFacts;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// An evaluation. Numbers read back to the same bits.
///
/// ```
/// use tamis::front::{Compared, RequestedSplits};
/// use tamis::prelude::*;
/// use tamis::resample::RequestedFolds;
///
/// let table = TwoGroups { rows: 40, features: 30, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let compared = Compared { methods: vec!["t".into(), "none".into()], ..Compared::default() };
/// let data = Data::of_table("drawn", &table);
/// let splits = RequestedSplits::Folds(RequestedFolds::Count { folds: 4, repeats: 1 });
/// let found = Analysis::default().evaluate(&compared, &splits, &data, &mut Silent)?;
/// assert_eq!(found.runs.len(), 2);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// The version of the format.
    pub format_version: u32,
    /// The version of the program.
    pub tamis: String,
    /// `evaluate`, which tells it from a selection.
    pub kind: String,
    /// The first table.
    pub input: InputFacts,
    /// All tables.
    pub inputs: Vec<InputFacts>,
    /// The seed of folds and methods.
    pub seed: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// How rows were split.
    pub plan: String,
    /// Every pipeline on every table.
    pub runs: Vec<Run>,
    /// Tests between pipelines.
    pub comparison: Comparison,
    /// The pipeline to use; null where none could be used.
    pub recommendation: Option<Recommendation>,
    /// Remarks for the user.
    pub notes: Vec<Note>,
}

impl Evaluation {
    /// Compares the runs on these tables, of which there must be one at least, and recommends one.
    pub fn new(
        inputs: Vec<InputFacts>,
        runs: Vec<Run>,
        plan: String,
        notes: Vec<Note>,
        seed: u64,
    ) -> Result<Evaluation> {
        let Some(input) = inputs.first().cloned() else {
            return Err(Error::data(Place::default(), "there is no table to compare on", GIVE_ONE));
        };
        let comparison = compare(&runs, inputs.len());
        let recommendation = recommend(&runs, &comparison, inputs.len());
        Ok(Evaluation {
            format_version: FORMAT_VERSION,
            tamis: env!("CARGO_PKG_VERSION").into(),
            kind: "evaluate".into(),
            input,
            inputs,
            seed,
            seconds: 0.0,
            plan,
            runs,
            comparison,
            recommendation,
            notes,
        })
    }

    /// The evaluation in the words of a front end, with those notes first that would change the answer.
    pub fn said(mut self, voice: &dyn Voice) -> Evaluation {
        self.notes = note::said(self.notes, voice);
        for run in &mut self.runs {
            run.failed = run.failed.take().map(|reason| reason.said(voice));
        }
        self
    }

    /// The document as it is saved, read back and checked: what is written can be read.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] for an evaluation that has a number which is none.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        read_document::checked_bytes::<Self>(|out| self.write(out), |read| read.fault())
    }

    /// The reason why it cannot be shown, if its parts do not fit together.
    pub(super) fn fault(&self) -> Option<&'static str> {
        if self.inputs.is_empty() || self.runs.iter().any(|run| run.input >= self.inputs.len()) {
            return Some("a run is of a table that it does not name");
        }
        None
    }

    /// Writes the evaluation.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// Reads an evaluation.
    pub fn read(text: &[u8], file: &str) -> Result<Evaluation> {
        read_document::evaluation(text, file)
    }
}
