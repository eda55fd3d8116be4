//! Writing tables back as delimited text.

use super::Table;
use std::io::{self, Write};

/// Writes the rows with their identifying columns, the features `kept` (in that order) and the target, separated
/// by `delimiter`. Numbers are written so that they read back to the same bits; missing values are empty.
pub fn write_reduced(table: &Table, kept: &[u32], delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    let mut cells = Cells { out, delimiter, first: true };
    for id in table.ids() {
        cells.text(&id.name)?;
    }
    for &feature in kept {
        cells.text(&table.names()[feature as usize])?;
    }
    cells.text(table.target_name())?;
    cells.end()?;
    for row in 0..table.n_rows() {
        for id in table.ids() {
            cells.text(&id.values[row])?;
        }
        for &feature in kept {
            cells.number(table.columns()[feature as usize][row])?;
        }
        cells.text(&table.target().text(row))?;
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
        // shortest form that reads back to the same bits; exponents keep extreme numbers short
        if x != 0.0 && !(1e-5..1e16).contains(&x.abs()) { write!(self.out, "{x:e}") } else { write!(self.out, "{x}") }
    }

    /// The end of a row.
    pub fn end(&mut self) -> io::Result<()> {
        self.first = true;
        self.out.write_all(b"\n")
    }
}
