//! Documents of any kind: read, told apart and checked in one place.

use super::{Evaluation, FORMAT_VERSION, SelectionResult};
use crate::base::remedies::REPORT;
use crate::base::{Command, Error, NoteKind, Place, Result, Text, text};
use crate::catalogue::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{self, Write};

/// A saved result.
#[derive(Debug, Clone)]
pub enum Document {
    /// Which features matter.
    Selection(Box<SelectionResult>),
    /// Methods compared.
    Evaluation(Box<Evaluation>),
}

impl Document {
    /// Reads a saved result of any kind; `file` is its name, for messages.
    pub fn read(text: &[u8], file: &str) -> Result<Document> {
        let value = parse(text, file)?;
        if value.get("runs").is_some() {
            return Ok(Document::Evaluation(Box::new(checked_evaluation(value, file)?)));
        }
        Ok(Document::Selection(Box::new(checked(value, file)?)))
    }
}

pub(super) fn selection(text: &[u8], file: &str) -> Result<SelectionResult> {
    checked(parse(text, file)?, file)
}

pub(super) fn evaluation(text: &[u8], file: &str) -> Result<Evaluation> {
    let value = parse(text, file)?;
    if value.get("kind").and_then(Value::as_str) != Some("evaluate") {
        let remedy = text!["write one with ", Command::Evaluate];
        return Err(refuse(file, "it is not an evaluation".into(), remedy));
    }
    checked_evaluation(value, file)
}

fn checked_evaluation(value: Value, file: &str) -> Result<Evaluation> {
    let evaluation: Evaluation = shaped(value, "an evaluation", file)?;
    match evaluation.fault() {
        Some(fault) => Err(refuse(file, format!("it is damaged: {fault}"), "run tamis again".into())),
        None => Ok(evaluation),
    }
}

/// The bytes of a document that can be read back, and whose parts fit together then.
pub(super) fn checked_bytes<T: DeserializeOwned>(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    fault: impl FnOnce(&T) -> Option<&'static str>,
) -> Result<Vec<u8>> {
    let wrong =
        |reason: String| Error::data(Place::default(), format!("the result could not be read back ({reason})"), REPORT);
    let mut bytes = vec![];
    write(&mut bytes).map_err(|e| wrong(e.to_string()))?;
    let read: T = serde_json::from_slice(&bytes).map_err(|e| wrong(e.to_string()))?;
    match fault(&read) {
        Some(fault) => Err(wrong(fault.into())),
        None => Ok(bytes),
    }
}

fn refuse(file: &str, problem: String, remedy: Text) -> Error {
    Error::data(Place::file(file), problem, remedy)
}

/// JSON of a version that is known, and not a model.
fn parse(text: &[u8], file: &str) -> Result<Value> {
    let wanted = || text!["give a file written by ", Command::Save];
    let value: Value = serde_json::from_slice(text)
        .map_err(|e| refuse(file, format!("it is not JSON, or damaged ({e})"), wanted()))?;
    match value.get("format_version").and_then(Value::as_u64) {
        Some(0) => return Err(refuse(file, "format version 0 is no longer read".into(), "run tamis again".into())),
        Some(v) if v > u64::from(FORMAT_VERSION) => {
            let problem = format!("it has format version {v}, newer than {FORMAT_VERSION}");
            return Err(refuse(file, problem, "update tamis".into()));
        }
        Some(_) => {}
        None => return Err(refuse(file, "it is not a tamis result".into(), wanted())),
    }
    if value.get("classifier").is_some() {
        return Err(refuse(file, "it is a model, not a result".into(), wanted()));
    }
    Ok(value)
}

fn shaped<T: DeserializeOwned>(value: Value, kind: &str, file: &str) -> Result<T> {
    serde_json::from_value(value).map_err(|e| {
        let remedy = text!["give a file written by ", Command::Save];
        refuse(file, format!("it is not {kind}, or damaged ({e})"), remedy)
    })
}

/// Facts that files of earlier versions hold in notes only.
fn facts_from_notes(result: &mut SelectionResult) {
    for note in &result.notes {
        match note.kind {
            NoteKind::NoEvidence => result.no_evidence = true,
            NoteKind::CountsNormalised => result.log_counts = true,
            NoteKind::Kept => result.kept.extend(note.features.iter().cloned()),
            _ => {}
        }
    }
}

fn checked(value: Value, file: &str) -> Result<SelectionResult> {
    let only_notes = value.get("no_evidence").is_none();
    let mut result: SelectionResult = shaped(value, "a selection", file)?;
    if only_notes {
        facts_from_notes(&mut result);
    }
    if Method::find(&result.method.name).is_err() {
        let problem = format!("there is no method `{}`, which it names", result.method.name);
        return Err(refuse(file, problem, "update tamis".into()));
    }
    match result.fault() {
        Some(fault) => Err(refuse(file, format!("it is damaged: {fault}"), "run tamis again".into())),
        None => Ok(SelectionResult { features: result.features.with_detail(&result.detail), ..result }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Context, RustVoice, Weight};
    use crate::result::InputFacts;
    use crate::sparse_means::{SparseMeans, shrink};
    use serde_json::json;

    #[test]
    fn files_whose_notes_alone_hold_a_fact_are_read() {
        let names = ["a", "b"].map(String::from).to_vec();
        let found = shrink(&SparseMeans::default(), names.into(), &[0.5, 0.1], &mut Context::default());
        let result = SelectionResult::new(&found.expect("a selection"), InputFacts::default(), 0.0).said(&RustVoice);
        let mut saved = serde_json::to_value(&result).expect("JSON");
        assert_eq!((&saved["no_evidence"], &saved["log_counts"]), (&json!(true), &json!(false)));
        for field in ["no_evidence", "log_counts", "kept"] {
            saved.as_object_mut().expect("an object").remove(field);
        }
        saved["notes"] = json!([
            { "kind": "counts_normalised", "message": "counts" },
            { "kind": "kept", "message": "1 kept: `b`", "features": ["b"] },
        ]);
        let old = SelectionResult::read(saved.to_string().as_bytes(), "old.json").expect("it is read");
        assert_eq!((old.no_evidence, old.log_counts, &old.kept[..]), (false, true, &["b".to_string()][..]));
        assert_eq!((old.notes[1].weight, old.notes[1].to_string()), (Weight::HowRead, "1 kept: `b`".into()));
        saved["notes"] = json!([{ "kind": "no_evidence", "message": "none" }]);
        assert!(SelectionResult::read(saved.to_string().as_bytes(), "old.json").expect("it is read").no_evidence);
    }
}
