//! Writing tables.

mod arff;
#[cfg(feature = "temporary-files")]
#[doc(hidden)]
pub mod atomic_file;
#[cfg(feature = "parquet")]
mod columnar;
#[cfg(feature = "temporary-files")]
mod temporary_file;
mod values;

#[cfg(not(feature = "parquet"))]
use crate::table::read::columnar;
use crate::table::{Column, Format, Table, Target};
use std::io::{self, Write};
pub(crate) use values::{Named, Values, only_numbers, refuse, refuse_nul, target_numbers, write_number};

/// Writes a table with only the features `kept` (in that order): its identifying columns, weights and groups, the
/// features, events, the target. Numbers are written so that they read back to the same bits.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let mut text = vec![];
/// write_reduced(&table, &[7, 11], Format::Csv, &mut text).unwrap();
/// assert!(text.starts_with(b"f08,f12,group\n"));
/// # Ok::<(), Error>(())
/// ```
pub fn write_reduced(table: &Table, kept: &[u32], format: Format, out: &mut dyn Write) -> io::Result<()> {
    let columns = columns_of(table, kept);
    match format {
        Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow => {
            write_columns(&columns, table.n_rows(), format, out)
        }
        Format::Libsvm => crate::table::read::libsvm::write(table, kept, out),
        Format::Arff => arff::write(table, kept, out),
        Format::Npy => crate::table::read::npy::write(table, kept, out),
        Format::Npz => crate::table::read::npz::write(table, kept, out),
        Format::Xlsx | Format::Geo | Format::Mtx => {
            let reason = format!("tables are not written in the format {format}; end the name in `.csv`");
            Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
        }
    }
}

/// Writes columns of `rows` rows as delimited text, Parquet or Arrow.
pub(crate) fn write_columns(columns: &[Named<'_>], rows: usize, format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Parquet | Format::Arrow => columnar::write(columns, rows, format, out),
        Format::Tsv => write_csv(columns, rows, b'\t', out),
        _ => write_csv(columns, rows, b',', out),
    }
}

/// All columns of the reduced table, in order.
fn columns_of<'a>(table: &'a Table, kept: &[u32]) -> Vec<Named<'a>> {
    let mut columns: Vec<Named<'a>> = Vec::new();
    for id in table.ids() {
        let text = |row: usize| Some(id.values[row].clone());
        columns.push(Named { name: &id.name, values: Values::Text(Box::new(text)) });
    }
    if let Some((name, weights)) = &table.study.weights {
        columns.push(Named { name, values: Values::Numbers(&weights.values) });
    }
    if let Some((name, groups)) = &table.study.groups {
        let text = |row: usize| groups.get(row).map(str::to_owned);
        columns.push(Named { name, values: Values::Text(Box::new(text)) });
    }
    for &feature in kept {
        let values = match &table.columns()[feature as usize] {
            Column::Numbers(values) => Values::Numbers(values),
            Column::Categories(c) => Values::Text(Box::new(|row| c.get(row).map(str::to_owned))),
        };
        columns.push(Named { name: &table.names()[feature as usize], values });
    }
    if let (Some(name), Target::Survival { times, events }) = (&table.study.event_name, table.target()) {
        let text = |row: usize| (!times[row].is_nan()).then(|| u8::from(events[row]).to_string());
        columns.push(Named { name, values: Values::Text(Box::new(text)) });
    }
    if !table.target_name().is_empty() {
        let text = |row: usize| table.target().has(row).then(|| table.target().text(row));
        columns.push(Named { name: table.target_name(), values: Values::Text(Box::new(text)) });
    }
    columns
}

fn write_csv(columns: &[Named<'_>], rows: usize, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    let mut cells = Cells::new(out, delimiter);
    for column in columns {
        cells.text(column.name)?;
    }
    cells.end()?;
    for row in 0..rows {
        for column in columns {
            match &column.values {
                Values::Numbers(values) => cells.number(values[row])?,
                Values::Text(text) => cells.text(&text(row).unwrap_or_default())?,
            }
        }
        cells.end()?;
    }
    Ok(())
}

/// Fields of delimited text, quoted where they must be.
pub struct Cells<'a> {
    out: &'a mut dyn Write,
    delimiter: u8,
    first: bool,
}

impl<'a> Cells<'a> {
    /// A writer of fields.
    pub fn new(out: &'a mut dyn Write, delimiter: u8) -> Self {
        Cells { out, delimiter, first: true }
    }

    fn separate(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.first) {
            self.out.write_all(&[self.delimiter])?;
        }
        Ok(())
    }

    /// A text field.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        refuse_nul(text, Format::Csv)?;
        let alone = self.first && text.is_empty();
        self.separate()?;
        if alone || text.bytes().any(|c| c == self.delimiter || matches!(c, b'"' | b'\n' | b'\r')) {
            write!(self.out, "\"{}\"", text.replace('"', "\"\""))
        } else {
            self.out.write_all(text.as_bytes())
        }
    }

    /// A number; empty if it is missing or infinite, which not every reader takes for a number.
    pub fn number(&mut self, x: f64) -> io::Result<()> {
        if !x.is_finite() {
            return self.separate();
        }
        self.separate()?;
        write_number(self.out, x)
    }

    /// The end of a row.
    pub fn end(&mut self) -> io::Result<()> {
        self.first = true;
        self.out.write_all(b"\n")
    }
}
