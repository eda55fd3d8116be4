//! A result of tamis as one HTML page: no other file, no network, light and dark, on paper and on a phone.
//!
//! The page says the answer first and then lets the reader doubt it: scores and the fitted model, every feature, a
//! table with the decision to move, and what each method has to show. Data are embedded once, as JSON; names are text
//! wherever they appear; a content-security policy allows the page's own script and style and nothing else.
//!
//! ```
//! use tamis::{Context, Selector, Snbl, result::{InputFacts, SampleValues, SelectionResult}, simulate::TwoGroups};
//!
//! let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
//! let view = drawn.table.view();
//! let selection = Snbl::default().select(&view, &mut Context::default())?;
//! let result = SelectionResult::new(&selection, InputFacts::of("data.csv", "group", &view), 0.1);
//! let page = tamis_report::selection_page(&result, SampleValues::of(&view, &selection).as_ref())?;
//! assert!(page.starts_with("<!doctype html>"));
//! # Ok::<(), tamis::Error>(())
//! ```

mod clusters;
mod escape;
mod evaluation;
mod frame;
mod groups;
mod movable_thresholds;
mod needed;
mod relations;
mod sample_weights;
mod selection;
mod values;
mod volcano;

use tamis::Result;
use tamis::result::{Document, Evaluation, SampleValues, SelectionResult};

/// The page of a saved result of any command, as the bytes of its file; `file` is its name, for messages.
pub fn page(text: &[u8], file: &str) -> Result<String> {
    match Document::read(text, file)? {
        Document::Selection(result) => selection_page(&result, None),
        Document::Evaluation(evaluation) => evaluation_page(&evaluation),
    }
}

/// The page of a selection; with the values of its selected features it also shows them by class, against a numeric
/// target, or as curves of survival.
pub fn selection_page(result: &SelectionResult, values: Option<&SampleValues>) -> Result<String> {
    selection::page(result, values)
}

/// The page of a comparison of methods.
pub fn evaluation_page(evaluation: &Evaluation) -> Result<String> {
    evaluation::page(evaluation)
}
