//! Errors, reasons and remedies that several modules share, so that each is written once.

use super::wording::{OptionName, Text, text};
use super::{Error, Place};

/// For a number that arithmetic cannot hold.
pub(crate) const REPLACE: &str = "replace it by a number";
/// For such a number where a value may be missing.
pub(crate) const REPLACE_OR_LEAVE: &str = "replace it by a number, or leave it missing";
/// For an empty list of what something is made of.
pub(crate) const GIVE_ONE: &str = "give at least one";
/// For bytes that are no text.
pub(crate) const SAVE_AS_UTF8: &str = "save the file as UTF-8";
/// For what should not have happened.
pub(crate) const REPORT: &str = "please report it, with the data if you can";
/// For a fit that breaks down.
pub(crate) const CHECK_RANGE: &str = "check for values out of range";
/// For a column of another length than the table.
pub(crate) const ONE_VALUE_PER_ROW: &str = "give one value per row";
/// For what cannot be done in pieces.
pub(crate) const READ_WHOLE: &str = "read the table whole";
/// For states that differ in how they were made.
pub(crate) const SAME_OPTIONS: &str = "make all pieces with the same options";
/// For a share.
pub(crate) const BETWEEN_0_AND_1: &str = "it takes a number between 0 and 1";
/// For a folder that is given as a file.
pub(crate) const NAME_A_FILE: &str = "it is a folder; name a file in it";

/// Behind the option that adjusts for a column.
pub(crate) const TO_ADJUST: &str = " to adjust for it";
/// Behind the option that drops a column.
pub(crate) const TO_LEAVE_OUT: &str = " to leave it out";
/// Behind the option that names a text that means *missing*.
pub(crate) const IF_MISSING: &str = " if it means missing";

/// Of a state that was made with other cuts.
pub(crate) const OTHER_CUTS: &str = "its columns are cut differently from those of other pieces";

/// For a column that cannot be used.
pub(crate) fn another_column(option: OptionName) -> Text {
    text!["name another column with ", option]
}

/// For a category of too many values.
pub(crate) fn leave_out_or_join(column: &str) -> Text {
    text!["leave it out with ", OptionName::Drop.set(column), ", or join categories"]
}

/// The error of a table of which nothing can be used, for this reason.
pub(crate) fn no_usable_feature(problem: &'static str) -> Error {
    Error::data(Place::default(), problem, "check that the right columns and rows are read")
}

/// The error of features none of which has a score.
pub(crate) fn no_scored_feature() -> Error {
    no_usable_feature("no feature can be scored: every one is constant or has too few values")
}

/// The error of a view without rows.
pub(crate) fn no_rows() -> Error {
    Error::data(Place::default(), "there is no row to learn from", "give rows that have a target")
}

/// The error of two columns of one name.
pub(crate) fn same_name(name: &str, place: Place) -> Error {
    Error::data(place, format!("two columns are called `{name}`"), "rename one of them")
}

/// The error of a table that holds a target alone.
pub(crate) fn no_feature(place: Place) -> Error {
    Error::data(place, "there is no feature besides the target", "add columns")
}

/// The error of an empty list of files.
pub(crate) fn no_file() -> Error {
    Error::data(Place::default(), "there is no file to read", "name at least one")
}

/// The error of an empty list of states.
pub(crate) fn nothing_to_merge(remedy: impl Into<Text>) -> Error {
    Error::data(Place::default(), "there is nothing to merge", remedy)
}

/// The error of degrees of freedom that are none.
pub(crate) fn wrong_df(df: f64) -> Error {
    Error::parameter(OptionName::Df, df, "degrees of freedom are more than 0")
}

/// Of numbers of copies that cannot be written out as rows.
pub(crate) fn too_many_copies(all: f64) -> Error {
    let problem = format!("the weights stand for {all} rows, which are too many to write out");
    Error::data(Place::default(), problem, text!["pass ", OptionName::WeightKind.set("importance")])
}
