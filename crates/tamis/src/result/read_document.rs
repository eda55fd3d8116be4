//! Documents of any kind: read, told apart and checked in one place.

use super::{Evaluation, FORMAT_VERSION, SelectionResult};
use crate::base::{Command, Error, Place, Result, Text, text};
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
    let wrong = |reason: String| {
        let remedy = "please report it, with the data if you can";
        Error::data(Place::default(), format!("the result could not be read back ({reason})"), remedy)
    };
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

fn checked(value: Value, file: &str) -> Result<SelectionResult> {
    let result: SelectionResult = shaped(value, "a selection", file)?;
    if Method::find(&result.method.name).is_err() {
        let problem = format!("there is no method `{}`, which it names", result.method.name);
        return Err(refuse(file, problem, "update tamis".into()));
    }
    match result.fault() {
        Some(fault) => Err(refuse(file, format!("it is damaged: {fault}"), "run tamis again".into())),
        None => Ok(result),
    }
}
