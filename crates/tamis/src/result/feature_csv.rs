//! The whole table of features as a file, best rank first.

use super::SelectionResult;
use super::column_values::{Cell, ColumnValues};
use super::feature_table::FeatureColumn;
use crate::table::Format;
use crate::table::write::{Named, Values, write_columns};
use std::io::{self, Write};

impl SelectionResult {
    /// Writes the table of features as delimited text, Parquet or Arrow (numbers as 64-bit floats); a cell without a value is
    /// empty. Truth values are `TRUE` and `FALSE`, as R and pandas read them.
    pub fn write_table(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        let features = &self.features;
        let order = features.by_rank();
        let in_order = |column: &FeatureColumn| -> Option<Vec<f64>> {
            match &column.values {
                ColumnValues::Numbers(x) => Some(order.iter().map(|&i| x[i].unwrap_or(f64::NAN)).collect()),
                ColumnValues::Counts(x) => Some(order.iter().map(|&i| x[i].map_or(f64::NAN, f64::from)).collect()),
                ColumnValues::Texts(_) | ColumnValues::Features(_) => None,
            }
        };
        let ranks: Vec<f64> = order.iter().map(|&i| f64::from(features.ranks[i])).collect();
        let numbers: Vec<Option<Vec<f64>>> = features.columns().map(in_order).collect();
        let name = |row: usize| Some(features.names[order[row]].clone());
        let selected = |row: usize| Some(if features.selected[order[row]] { "TRUE" } else { "FALSE" }.to_string());
        let mut columns = vec![
            Named { name: "rank", values: Values::Numbers(&ranks) },
            Named { name: "name", values: Values::Text(Box::new(name)) },
            Named { name: "selected", values: Values::Text(Box::new(selected)) },
        ];
        for (column, numbers) in features.columns().zip(&numbers) {
            let text = |row: usize| match column.values.cell(order[row], &features.names) {
                Some(Cell::Text(text)) => Some(text.to_string()),
                _ => None,
            };
            let values = match numbers {
                Some(numbers) => Values::Numbers(numbers),
                None => Values::Text(Box::new(text)),
            };
            columns.push(Named { name: &column.name, values });
        }
        write_columns(&columns, order.len(), format, out)
    }
}
