//! Results as documents: the findings of a run, the settings needed to repeat it, and how it is shown.

mod answer_lines;
mod column_values;
mod description;
mod evaluation;
mod feature_csv;
mod feature_groups;
mod feature_table;
mod gate_and_noise;
mod needed;
mod needed_summary;
mod plotted_features;
mod read_document;
mod remarks;
pub mod samples;
mod saved_features;
mod selection;
mod sentences;
mod shown_columns;

pub use crate::table::InputFacts;
pub use column_values::{Cell, ColumnValues};
pub use description::{BlockDescription, CovariateDescription, TableDescription};
pub use evaluation::Evaluation;
pub use feature_groups::{GroupSummary, SET_QUESTIONS, SetSummary};
pub use feature_table::{FeatureColumn, FeatureTable};
pub use gate_and_noise::{GateSummary, NoiseSummary};
pub use needed_summary::FindingSummary;
pub use read_document::Document;
pub use samples::SampleValues;
#[doc(hidden)]
pub use selection::peak_memory;
pub use selection::{FORMAT_VERSION, SelectionResult};
pub use shown_columns::{P_DIGITS, ResultColumn};
