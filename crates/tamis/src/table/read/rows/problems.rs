//! What is wrong with rows and cells, for every reader of delimited text.

use crate::base::remedies::SAVE_AS_UTF8;
use crate::base::{Error, OptionName, Place, Text, counted, text};
use crate::table::read::column_roles::MOST_CATEGORIES;

/// What is wrong with a row that is longer or shorter than others.
pub(crate) fn wrong_width(found: usize, width: usize) -> String {
    format!("the row has {} instead of {width}", counted(found, "field"))
}

/// The remedy for a row that is too short.
pub(crate) fn complete_the_row() -> Text {
    text!["complete the row, or check ", OptionName::Delimiter]
}

/// The error of a cell that is no text.
pub(crate) fn not_text(place: Place) -> Error {
    Error::data(place, "the cell is not UTF-8 text", SAVE_AS_UTF8)
}

/// What is wrong with a column of text of which this is the first value.
pub(crate) fn too_many_values(first: &str) -> String {
    format!("it holds text with more than {MOST_CATEGORIES} distinct values (first: `{first}`)")
}
