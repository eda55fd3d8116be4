//! Files that are turned into delimited text before they are read: spreadsheets and GEO's series matrices.

mod cells;
#[cfg(feature = "spreadsheet")]
mod declared_texts;
pub(crate) mod geo;
#[cfg(feature = "spreadsheet")]
mod spreadsheet;
#[cfg(not(feature = "spreadsheet"))]
#[path = "without_spreadsheet.rs"]
mod spreadsheet;

use crate::base::{Progress, Result};
use crate::table::{Format, Input, ReadOptions};
pub(super) use cells::Dates;

/// A sheet of a spreadsheet as delimited text, with the options to read it by.
pub(super) fn sheet(
    input: Input,
    options: &ReadOptions,
    dates: Dates,
    progress: &mut dyn Progress,
) -> Result<(Input, ReadOptions)> {
    let text = spreadsheet::as_text(input, options, dates, progress)?;
    let options =
        ReadOptions { format: Some(Format::Csv), delimiter: Some(b','), decimal: None, sheet: None, ..options.clone() };
    Ok((text, options))
}
