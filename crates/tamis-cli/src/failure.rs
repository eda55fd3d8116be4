//! How a failure is told: a line for people, or one JSON object where standard output is JSON too.

use crate::args::Cli;
use crate::first_contact::TargetMissing;
use crate::option_names::Program;
use crate::screen;
use clap::Parser;
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::io::{self, Write};
use tamis::Error;
use tamis::front::{is_hidden, visible};

/// The form in which a failure is told on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Text,
    Json,
}

impl Form {
    /// JSON where the command line has `--json -`, read before the rest of it is understood.
    pub fn of(arguments: &[OsString]) -> Form {
        let next_is_dash = arguments.windows(2).any(|pair| pair[0] == "--json" && pair[1] == "-");
        if next_is_dash || arguments.iter().any(|word| word == "--json=-") { Form::Json } else { Form::Text }
    }
}

/// Tells why a command failed and returns its exit status.
pub fn tell(error: &anyhow::Error, form: Form) -> u8 {
    // Whoever reads our output may stop reading: that is no failure.
    if error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe) {
        return 0;
    }
    let library = error.downcast_ref::<Error>();
    let status = match library {
        Some(Error::Cancelled) => 130,
        Some(e) if is_usage(e) => 2,
        None if error.is::<TargetMissing>() => 2,
        _ => 1,
    };
    let message = match library {
        Some(error) => error.say(&Program), // it tells its own source
        None => format!("{error:#}"),
    };
    match form {
        Form::Text => {
            let label = if status == 130 { "tamis" } else { "error" };
            write_text(&format!("{label}: {message}"));
        }
        Form::Json => {
            let (kind, facts) = match (library, error.downcast_ref::<TargetMissing>()) {
                (Some(error), _) => facts_of(error),
                (None, Some(missing)) => ("no-target", likely_facts(missing)),
                (None, None) => ("other", Map::new()),
            };
            write_json(kind, &message, status, facts);
        }
    }
    status
}

/// Tells why the command line was not understood; help and version, which come here too, stay text.
pub fn tell_usage(told: &clap::Error, arguments: &[OsString], form: Form) -> u8 {
    let status = told.exit_code() as u8;
    if form == Form::Text || status == 0 {
        // clap shows words as they are: it is given them with hidden characters as escapes
        let shown = arguments.iter().map(|word| visible(&word.to_string_lossy()).into_owned());
        let _ = match Cli::try_parse_from(shown) {
            Err(told) => told.print(),
            Ok(_) => write!(screen::stderr(), "{}", told.render()), // without colours
        };
        return status; // nothing can be done if it could not be written
    }
    let text = told.render().to_string();
    write_json("usage", text.trim().trim_start_matches("error: "), status, Map::new());
    status
}

/// Tells of a panic, in its own words.
pub fn tell_bug(said: &str, form: Form) -> u8 {
    let message = "this is a bug in tamis, not in your data; please report the lines above";
    match form {
        Form::Text => write_text(&format!("{said}\nerror: {message}")),
        Form::Json => write_json("bug", said, 1, Map::new()),
    }
    1
}

/// The kind of an error, and what a program may want to know beside the message.
fn facts_of(error: &Error) -> (&'static str, Map<String, Value>) {
    let (kind, facts) = match error {
        Error::Read { file, .. } => ("read", json!({ "file": file })),
        Error::Data { place, remedy, .. } => (
            "data",
            json!({ "file": place.file, "row": place.row, "column": place.column, "remedy": remedy.say(&Program) }),
        ),
        Error::Parameter { name, value, .. } => ("parameter", json!({ "name": name.stem(), "value": value })),
        Error::NoEffect { name, beside } => ("no-effect", json!({ "name": name.stem(), "beside": beside })),
        Error::Method { method, remedy, .. } => ("method", json!({ "method": method, "remedy": remedy.say(&Program) })),
        Error::Unknown { kind, name, known } => ("unknown", json!({ "what": kind, "name": name, "known": known })),
        Error::NoTarget { columns } => ("no-target", json!({ "columns": columns })),
        Error::Write { path, .. } | Error::NoFolder { path, .. } => {
            ("write", json!({ "file": path.display().to_string() }))
        }
        Error::Cancelled => ("interrupted", json!({})),
        _ => ("other", json!({})),
    };
    (kind, facts.as_object().cloned().unwrap_or_default())
}

fn likely_facts(missing: &TargetMissing) -> Map<String, Value> {
    let one = |target: &tamis::front::LikelyTarget| {
        let classes: Map<String, Value> =
            target.classes.iter().map(|(label, count)| (label.clone(), (*count).into())).collect();
        let mut facts = json!({ "name": target.name, "classes": classes, "range": target.range });
        if let Some(event) = &target.event {
            facts["event"] = json!({ "column": event.column, "label": event.label, "rows": event.rows });
        }
        facts
    };
    let likely: Vec<Value> = missing.likely.iter().map(one).collect();
    json!({ "file": missing.file, "columns": missing.columns, "likely": likely, "row_names": missing.row_names })
        .as_object()
        .cloned()
        .unwrap_or_default()
}

fn write_json(kind: &str, message: &str, status: u8, facts: Map<String, Value>) {
    let mut error = Map::from_iter([
        ("kind".to_string(), kind.into()),
        ("message".to_string(), message.into()),
        ("status".to_string(), status.into()),
    ]);
    error.extend(facts.into_iter().filter(|(_, fact)| !fact.is_null()));
    // Nothing can be done if it cannot be written.
    let _ = writeln!(io::stderr(), "{}", with_json_escapes(&json!({ "error": error }).to_string()));
}

/// JSON of the same meaning without hidden characters: they are in its texts alone, where `\u` and four digits stand for one.
fn with_json_escapes(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match is_hidden(c) {
            true => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
            false => out.push(c),
        }
    }
    out
}

fn write_text(line: &str) {
    let _ = writeln!(screen::stderr(), "{line}"); // nothing can be done if it cannot be written
}

/// Whether the user can mend this by changing the command line or the data.
fn is_usage(error: &Error) -> bool {
    match error {
        // a table that the chosen format cannot hold, as opposed to a disk that is full
        Error::Write { source, .. } => source.kind() == io::ErrorKind::InvalidInput,
        Error::Cancelled => false,
        _ => true,
    }
}
