//! The whole table of features as a file, best rank first.

use super::{FeatureColumn, FeatureValues, SelectionResult};
use crate::table::Format;
use crate::table::write::{Named, Values, write_columns};
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

    /// Writes the table of features in a format of tables: delimited text, Parquet or Arrow (numbers as 64-bit floats).
    pub fn write_table(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Csv => return self.write_csv(',', out),
            Format::Tsv => return self.write_csv('\t', out),
            _ => {}
        }
        let mut order: Vec<usize> = (0..self.features.len()).collect();
        order.sort_by_key(|&i| self.features[i].rank);
        let table = self.feature_table();
        let numbers: Vec<Vec<f64>> = table
            .iter()
            .map(|column| match &column.values {
                FeatureValues::Numbers(x) => order.iter().map(|&i| x[i].unwrap_or(f64::NAN)).collect(),
                FeatureValues::Counts(x) => order.iter().map(|&i| x[i].map_or(f64::NAN, |x| x as f64)).collect(),
                FeatureValues::Texts(_) | FeatureValues::Flags(_) => vec![],
            })
            .collect();
        let named = |(column, numbers)| -> Named<'_> {
            let (column, numbers): (&FeatureColumn, &Vec<f64>) = (column, numbers);
            let values = match &column.values {
                FeatureValues::Texts(_) | FeatureValues::Flags(_) => {
                    let text = |row: usize| Some(column.values.text(order[row])).filter(|text| !text.is_empty());
                    Values::Text(Box::new(text))
                }
                FeatureValues::Numbers(_) | FeatureValues::Counts(_) => Values::Numbers(numbers),
            };
            Named { name: &column.name, values }
        };
        let columns: Vec<Named<'_>> = table.iter().zip(&numbers).map(named).collect();
        write_columns(&columns, order.len(), format, out)
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
