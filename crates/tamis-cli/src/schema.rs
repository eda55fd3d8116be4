//! `tamis schema`: the files that tamis writes, as JSON Schema.

use crate::args;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use tamis::Error;

/// JSON Schema (2020-12) of a result, an evaluation and a model.
const SCHEMA: &str = include_str!("schema.json");

/// The kinds of files, by the names of their definitions.
const KINDS: [&str; 3] = ["result", "evaluation", "model"];

pub fn run(args: &args::Schema) -> anyhow::Result<()> {
    let whole: Value = serde_json::from_str(SCHEMA)?;
    let shown = match &args.kind {
        None => whole,
        Some(kind) if KINDS.contains(&kind.as_str()) => of_kind(&whole, kind),
        Some(kind) => {
            let known = KINDS.map(String::from).to_vec();
            return Err(Error::Unknown { kind: "schema", name: kind.clone(), known }.into());
        }
    };
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &shown).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// The schema of one kind: the definition itself, with those it refers to.
fn of_kind(whole: &Value, kind: &str) -> Value {
    let mut definitions = whole["$defs"].as_object().cloned().unwrap_or_default();
    KINDS.iter().for_each(|other| drop(definitions.remove(*other)));
    let mut schema = Map::from_iter([("$schema".to_string(), whole["$schema"].clone())]);
    schema.extend(whole["$defs"][kind].as_object().cloned().unwrap_or_default());
    schema.insert("$defs".into(), json!(definitions));
    Value::Object(schema)
}
