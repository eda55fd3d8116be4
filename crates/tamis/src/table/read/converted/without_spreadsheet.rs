//! In place of spreadsheets where the feature `spreadsheet` is off: how to get them.

use crate::base::{Error, Progress, Result};
use crate::table::{Input, ReadOptions};

/// Refuses, and says what to do.
pub(super) fn as_text(input: Input, _: &ReadOptions, _: super::Dates, _: &mut dyn Progress) -> Result<Input> {
    let reason =
        "this build does not read spreadsheets; build with the feature `spreadsheet`, or save the sheet as CSV";
    Err(Error::read(input.name(), reason))
}
