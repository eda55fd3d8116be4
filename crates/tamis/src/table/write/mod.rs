//! Writing tables.

mod arff;
#[cfg(feature = "temporary-files")]
pub mod atomic_file;
#[cfg(feature = "parquet")]
mod columnar;
#[cfg(feature = "temporary-files")]
mod temporary_file;

use crate::base::visible;
#[cfg(not(feature = "parquet"))]
use crate::table::read::columnar;
use crate::table::read::number;
use crate::table::{Column, Format, Table, Target};
use std::io::{self, Write};

/// Writes a table with only the features `kept` (in that order): its identifying columns, weights and groups, the
/// features, events, the target. Numbers are written so that they read back to the same bits.
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

/// A column to be written.
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) values: Values<'a>,
}

/// The values of a column.
pub(crate) enum Values<'a> {
    Numbers(&'a [f64]),
    /// One text per row; `None` is missing.
    Text(Box<dyn Fn(usize) -> Option<String> + 'a>),
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

/// Writes the [text](number_text) of a number.
pub(crate) fn write_number(out: &mut dyn Write, x: f64) -> io::Result<()> {
    out.write_all(number_text(x).as_bytes())
}

/// The shortest text that reads back to the same bits; exponents keep extreme numbers short.
pub(crate) fn number_text(x: f64) -> String {
    if x != 0.0 && !(1e-5..1e16).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}

/// Refuses values that a format cannot hold.
pub(crate) fn refuse<T>(format: Format, problem: impl std::fmt::Display) -> io::Result<T> {
    let text = format!("{problem}, which the format {format} has no place for; write CSV instead");
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

/// Refuses a text with a NUL byte, which no reader of text takes.
pub(crate) fn refuse_nul(text: &str, format: Format) -> io::Result<()> {
    if !text.contains('\0') {
        return Ok(());
    }
    let problem =
        format!("`{}` holds a NUL byte, which the format {format} has no place for; rename it", visible(text));
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}

/// The features `kept`, for a format that holds numbers and a target, nothing else.
pub(crate) fn only_numbers<'a>(table: &'a Table, kept: &[u32], format: Format) -> io::Result<Vec<&'a [f64]>> {
    let ids = table.ids().iter().map(|id| id.name.as_str());
    let weights = table.study.weights.iter().map(|(name, _)| name.as_str());
    let groups = table.study.groups.iter().map(|(name, _)| name.as_str());
    let events = table.study.event_name.iter().map(String::as_str);
    if let Some(name) = ids.chain(weights).chain(groups).chain(events).next() {
        return refuse(format, format!("the column `{name}` is neither a feature nor the target"));
    }
    let numbers = |&feature: &u32| match &table.columns()[feature as usize] {
        Column::Numbers(values) => Ok(values.as_slice()),
        Column::Categories(_) => refuse(format, format!("`{}` holds text", table.names()[feature as usize])),
    };
    kept.iter().map(numbers).collect()
}

/// The target as numbers, NaN where it is missing, for a format that holds nothing else.
pub(crate) fn target_numbers(target: &Target, format: Format) -> io::Result<Vec<f64>> {
    match target {
        Target::Real { values } | Target::Survival { times: values, .. } => Ok(values.clone()),
        Target::Classes { labels, codes, .. } => {
            let number = |label: &String| number::whole(label.as_bytes()).filter(|x| x.is_finite());
            let Some(numbers) = labels.iter().map(number).collect::<Option<Vec<f64>>>() else {
                let text = labels.iter().find(|label| number(label).is_none()).map_or("", String::as_str);
                return refuse(format, format!("the class `{text}` is not a number"));
            };
            Ok(codes.iter().map(|&code| numbers.get(code as usize).copied().unwrap_or(f64::NAN)).collect())
        }
    }
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

    /// A number; empty if it is missing.
    pub fn number(&mut self, x: f64) -> io::Result<()> {
        if x.is_nan() {
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
