//! What is read of a file whose columns have types, and calls into the libraries that read it.

use super::columns_builder::ReadAs;
use crate::base::{Error, OptionName, Result, Text, text};
use arrow_schema::Fields;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The kind that every column of a file is read as.
pub(super) type ReadPlan<'a> = dyn FnMut(&Fields) -> Result<Vec<ReadAs>> + 'a;

/// The remedy for a file that is not what its name says, behind the problem.
pub(super) fn say_what_it_is() -> Text {
    text!["; pass ", OptionName::Format, " to say what it is"]
}

/// Calls into a library that may refuse or panic on a damaged file; both become an error that says so.
pub(super) fn guarded<T, E: Display>(file: &str, work: impl FnOnce() -> Result<T, E>) -> Result<T> {
    let reason = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(e)) => format!("the file is damaged or uses something this build does not know ({e})"),
        Err(_) => "the file is damaged".into(),
    };
    Err(Error::read(file, format!("{reason}; write it again, or convert it to CSV")))
}
