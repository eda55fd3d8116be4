//! In place of Parquet and Arrow where the feature `parquet` is off: how to get them.

use crate::base::{Error, Progress, Result};
use crate::table::read::ColumnChoice;
use crate::table::write::Named;
use crate::table::{Format, Input, ReadOptions, StatisticTable, Table};
use std::io::{self, Write};

/// Refuses, and says what to do.
pub(crate) fn read_table(input: Input, format: Format, _: &ReadOptions, _: &mut dyn Progress) -> Result<Table> {
    Err(Error::read(input.name(), remedy(format, "read", "convert the file to CSV")))
}

/// Refuses, and says what to do.
pub(crate) fn read_statistics(
    input: Input,
    format: Format,
    _: &ReadOptions,
    _: &ColumnChoice<'_>,
    _: &mut dyn Progress,
) -> Result<StatisticTable> {
    Err(Error::read(input.name(), remedy(format, "read", "convert the file to CSV")))
}

/// Refuses, and says what to do.
pub(crate) fn write(_: &[Named<'_>], _: usize, format: Format, _: &mut dyn Write) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, remedy(format, "write", "end the name in `.csv`")))
}

fn remedy(format: Format, verb: &str, otherwise: &str) -> String {
    let name = if format == Format::Parquet { "Parquet" } else { "Arrow" };
    format!(
        "this build does not {verb} {name}; build with `cargo install --path crates/tamis-cli --features parquet`, \
         or {otherwise}"
    )
}
