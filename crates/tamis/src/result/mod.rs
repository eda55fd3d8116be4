//! Results as documents: the findings of a run, the settings needed to repeat it, and how it is shown.

mod columns;
mod evaluation;
mod evidence;
mod read_document;
mod remarks;
mod selection;
mod words;

pub use crate::table::InputFacts;
pub use columns::{ColumnValues, P_DIGITS, ResultColumn};
pub use evaluation::Evaluation;
pub use evidence::{CorrelationSummary, GateSummary};
pub use read_document::Document;
pub use selection::{FORMAT_VERSION, Feature, SelectionResult, peak_memory};
