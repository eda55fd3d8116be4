//! A result of tamis as one HTML page: no other file, no network, light and dark, on paper and on a phone.
//!
//! The page says the answer first and then lets the reader doubt it: scores and the fitted model, every feature, a
//! table with the decision to move, and what each method has to show. Data are embedded once, as JSON; names are text
//! wherever they appear; a content-security policy allows the page's own script and style and nothing else.
//!
//! ```
//! use tamis::{Selector, Silent, Snbl, result::{InputFacts, SavedSelection}, simulate::TwoGroups};
//!
//! let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
//! let view = drawn.table.view();
//! let selection = Snbl::default().select(&view, &mut Silent)?;
//! let saved = SavedSelection::new(&selection, InputFacts::of("data.csv", "group", &view), 0.1);
//! let page = tamis_report::selection_page(&saved)?;
//! assert!(page.starts_with("<!doctype html>"));
//! # Ok::<(), tamis::Error>(())
//! ```

mod columns;
mod decision;
mod escape;
mod evaluation;
mod frame;
mod selection;

pub use evaluation::{Evaluation, Fold, Frequency, Input, Recommendation, Run};

use serde_json::Value;
use tamis::error::Place;
use tamis::result::{FORMAT_VERSION, SavedSelection};
use tamis::{Error, Result};

/// The page of a saved result of any command, as the bytes of its file; `file` is its name, for messages.
pub fn page(text: &[u8], file: &str) -> Result<String> {
    let refuse = |problem: String, remedy: &str| Err(Error::data(Place::file(file), problem, remedy));
    let wanted = "give a file written by `--json`";
    let value: Value = match serde_json::from_slice(text) {
        Ok(value) => value,
        Err(e) => return refuse(format!("it is not JSON, or damaged ({e})"), wanted),
    };
    match value.get("format_version").and_then(Value::as_u64) {
        Some(v) if v == u64::from(FORMAT_VERSION) => {}
        Some(v) if v > u64::from(FORMAT_VERSION) => {
            return refuse(format!("it has format version {v}, newer than {FORMAT_VERSION}"), "update tamis");
        }
        Some(v) => return refuse(format!("it has format version {v}, which is no longer read"), "run tamis again"),
        None => return refuse("it is not a tamis result".into(), wanted),
    }
    if value.get("classifier").is_some() {
        return refuse("it is a model, which `tamis predict` applies".into(), wanted);
    }
    if value.get("runs").is_some() {
        return match serde_json::from_value::<Evaluation>(value) {
            Ok(evaluation) => evaluation_page(&evaluation),
            Err(e) => refuse(format!("it is not an evaluation, or damaged ({e})"), "run `tamis evaluate` again"),
        };
    }
    let saved: SavedSelection = match serde_json::from_value(value) {
        Ok(saved) => saved,
        Err(e) => return refuse(format!("it is not a selection, or damaged ({e})"), wanted),
    };
    if let Some(fault) = selection::fault(&saved) {
        return refuse(format!("it is damaged: {fault}"), "run tamis again");
    }
    selection_page(&saved)
}

/// The page of a selection.
pub fn selection_page(saved: &SavedSelection) -> Result<String> {
    if let Some(fault) = selection::fault(saved) {
        return Err(Error::data(Place::default(), format!("the result is damaged: {fault}"), "run tamis again"));
    }
    selection::page(saved)
}

/// The page of a comparison of methods.
pub fn evaluation_page(evaluation: &Evaluation) -> Result<String> {
    evaluation::page(evaluation)
}
