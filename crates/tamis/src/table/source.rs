//! Numbers in the memory layout of another library.

use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::table::check::{check_length, check_weights};
use crate::table::{Column, Table, Target, View};
use rayon::prelude::*;
use std::ops::Range;

/// A matrix of numbers that is read some columns at a time, so that it need not be copied as a whole. NaN is missing.
pub trait Source: Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// How many columns there are.
    fn columns(&self) -> usize;

    /// The column as a contiguous slice, if it is stored so.
    fn slice(&self, _column: usize) -> Option<&[f64]> {
        None
    }

    /// Writes columns one after the other into `out`, which has room for exactly them: all rows, or these in their order.
    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]);
}

/// Columns filled in at a time: as many as a core's cache has room for, but some at least since rows may be contiguous.
pub(crate) fn block(rows: usize) -> usize {
    (65_536 / rows.max(1)).clamp(8, 64)
}

/// Refuses an infinite number in a column of this name; `order` are the rows that the values are of.
pub(crate) fn check_finite(values: &[f64], order: Option<&[u32]>, name: &str) -> Result<()> {
    if crate::table::column::all_finite(values) {
        return Ok(());
    }
    let row = values.iter().position(|x| x.is_infinite()).unwrap_or(0);
    let row = order.map_or(row as u64, |order| u64::from(order[row]));
    let place = Place::default().at_row(row + 1).at_column(name);
    Err(Error::data(place, "the value is infinite", "replace it by a number, or leave it missing"))
}

/// Copies of some columns.
pub fn copy(source: &dyn Source, wanted: &[usize]) -> Vec<Vec<f64>> {
    let rows = source.rows();
    let neighbours = |some: &[usize]| some.windows(2).all(|w| w[1] == w[0] + 1);
    let of_block = |some: &[usize]| -> Vec<Vec<f64>> {
        let at_once = if neighbours(some) { some.len() } else { 1 };
        let fill = |part: &[usize]| -> Vec<Vec<f64>> {
            let mut flat = vec![0.0; rows * part.len()];
            source.fill(part[0]..part[0] + part.len(), None, &mut flat);
            if part.len() == 1 {
                vec![flat]
            } else {
                (0..part.len()).map(|j| flat[j * rows..][..rows].to_vec()).collect()
            }
        };
        some.chunks(at_once).flat_map(fill).collect()
    };
    wanted.par_chunks(block(rows)).flat_map_iter(of_block).collect()
}

impl Table {
    /// A table of all columns of a source, copied; rows may be weighted.
    pub fn from_source(
        source: &dyn Source,
        names: Vec<String>,
        target: Target,
        weights: Option<Vec<f64>>,
    ) -> Result<Table> {
        let wanted: Vec<usize> = (0..source.columns()).collect();
        let columns = copy(source, &wanted).into_iter().map(Column::Numbers).collect();
        let table = Table { columns, ..Table::frame(names, target, weights)? };
        table.check_shape(&Place::default())?;
        table
            .columns
            .par_iter()
            .zip(table.names.par_iter())
            .try_for_each(|(column, name)| check_finite(column.numbers().unwrap_or_default(), None, name))?;
        Ok(table)
    }

    /// A table of rows whose target is not known, to be predicted: use it through [`View::every_row`](crate::table::View::every_row).
    pub fn to_predict(names: Vec<String>, columns: Vec<Vec<f64>>, rows: usize) -> Result<Table> {
        columns.par_iter().zip(names.par_iter()).try_for_each(|(column, name)| check_finite(column, None, name))?;
        let table = Table {
            names: names.into(),
            columns: columns.into_iter().map(Column::Numbers).collect(),
            target_name: String::new(),
            target: Target::Real { values: vec![f64::NAN; rows] },
            ids: vec![],
            weights: None,
            groups: None,
            keep: vec![],
            notes: vec![],
        };
        if !table.names.is_empty() || !table.columns.is_empty() {
            table.check_shape(&Place::default())?;
        }
        Ok(table)
    }

    /// The target and weights of these rows, in their order, and nothing else.
    pub(crate) fn reordered(data: &View, order: &[u32]) -> Result<Table> {
        let target = match data.target() {
            Target::Classes { labels, codes, positive } => Target::Classes {
                labels: labels.clone(),
                codes: order.iter().map(|&r| codes[r as usize]).collect(),
                positive: *positive,
            },
            Target::Real { values } => Target::Real { values: order.iter().map(|&r| values[r as usize]).collect() },
        };
        let weights = data.weights().map(|w| order.iter().map(|&r| w[r as usize]).collect());
        Table::frame(vec![], target, weights)
    }

    /// Names, target and weights without columns, for numbers held by another library.
    pub(crate) fn frame(names: Vec<String>, target: Target, weights: Option<Vec<f64>>) -> Result<Table> {
        target.check_codes(&Place::default())?;
        if let Some(weights) = &weights {
            check_length(weights.len(), "weight", target.len())?;
            check_weights(weights, &Place::default())?;
        }
        target.check_weighted(weights.as_deref(), &Place::default())?;
        Ok(Table {
            names: names.into(),
            columns: vec![],
            target_name: "y".into(),
            target,
            ids: vec![],
            weights: weights.map(|w| ("weight".into(), w)),
            groups: None,
            keep: vec![],
            notes: vec![],
        })
    }
}
