//! The whole table of features as delimited text, best rank first.

use super::SelectionResult;
use std::io::{self, Write};

impl SelectionResult {
    /// Writes the table of features with this separator; a cell without a value is empty.
    pub fn write_csv(&self, separator: char, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.feature_table();
        let head: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        write_line(&head, separator, out)?;
        let mut order: Vec<usize> = (0..self.features.len()).collect();
        order.sort_by_key(|&i| self.features[i].rank);
        for i in order {
            let cells: Vec<String> = columns.iter().map(|column| column.values.text(i)).collect();
            write_line(&cells, separator, out)?;
        }
        Ok(())
    }
}

/// Writes cells, in quotation marks where they need them.
fn write_line(cells: &[String], separator: char, out: &mut dyn Write) -> io::Result<()> {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            write!(out, "{separator}")?;
        }
        if cell.contains([separator, '"', '\n', '\r']) {
            write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            out.write_all(cell.as_bytes())?;
        }
    }
    out.write_all(b"\n")
}
