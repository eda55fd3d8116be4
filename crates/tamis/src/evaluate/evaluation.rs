//! A whole evaluation as it is saved: tables, pipelines, folds, comparison, recommendation.

use super::summary::Run;
use super::verdict::{Comparison, Recommendation, compare, recommend};
use crate::error::Place;
use crate::note::Note;
use crate::result::{FORMAT_VERSION, InputFacts};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// An evaluation. Numbers read back to the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl Evaluation {
    /// Compares and recommends.
    pub fn new(inputs: Vec<InputFacts>, runs: Vec<Run>, plan: String, notes: Vec<Note>, seed: u64) -> Evaluation {
        let comparison = compare(&runs, inputs.len());
        let recommendation = recommend(&runs, &comparison, inputs.len());
        Evaluation {
            format_version: FORMAT_VERSION,
            tamis: env!("CARGO_PKG_VERSION").into(),
            kind: "evaluate".into(),
            input: inputs.first().cloned().unwrap_or_default(),
            inputs,
            seed,
            seconds: 0.0,
            plan,
            runs,
            comparison,
            recommendation,
            notes,
        }
    }

    /// Writes the evaluation.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// Reads an evaluation.
    pub fn read(text: &[u8], file: &str) -> Result<Evaluation> {
        let refuse = |problem: String, remedy: &str| Err(Error::data(Place::file(file), problem, remedy));
        match serde_json::from_slice::<Evaluation>(text) {
            Ok(found) if found.format_version > FORMAT_VERSION => {
                let problem = format!("it is in format {}, newer than {FORMAT_VERSION}", found.format_version);
                refuse(problem, "update tamis")
            }
            Ok(found) if found.kind == "evaluate" => Ok(found),
            Ok(_) => refuse("it is not an evaluation".into(), "write one with `tamis evaluate --json`"),
            Err(e) => refuse(format!("it is not an evaluation ({e})"), "write one with `tamis evaluate --json`"),
        }
    }
}
