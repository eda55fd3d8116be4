//! Tables that are mostly zero: only the other values are held.

use crate::base::Result;
use crate::base::note::Note;
use crate::table::{Columns, IdColumn, Study, Table, View};
use std::ops::Range;
use std::sync::Arc;

/// A table whose values are 0 but for some, by column; 12 bytes each.
#[derive(Debug, Clone)]
pub struct SparseTable {
    pub(super) names: Arc<[String]>,
    pub(super) n_rows: usize,
    /// Where the entries of each column begin; one more at the end.
    pub(super) starts: Vec<usize>,
    /// The row of each entry, ascending within a column.
    pub(super) rows: Vec<u32>,
    pub(super) values: Vec<f64>,
    pub(super) study: Study,
    pub(super) ids: Vec<IdColumn>,
    pub(super) notes: Vec<Note>,
}

impl SparseTable {
    /// All rows that have a target.
    pub fn view(&self) -> View<'_> {
        View::of_study(self, &self.study)
    }

    /// The target's name.
    pub fn target_name(&self) -> &str {
        self.study.target_name()
    }

    /// How many values are held.
    pub fn n_entries(&self) -> usize {
        self.values.len()
    }

    /// Notes on how the files were read.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Some features with all values written out, and the columns that identify rows.
    ///
    /// # Errors
    ///
    /// An infinite number.
    pub fn dense(&self, features: &[u32]) -> Result<Table> {
        let mut table = self.view().narrowed(features);
        table.study = Study { keep: vec![], ..self.study.clone() };
        table.ids = self.ids.clone();
        table.notes = self.notes.clone();
        table.check_each_finite()?;
        Ok(table)
    }

    /// The entries of a column.
    fn entries(&self, column: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let stored = self.starts[column]..self.starts[column + 1];
        self.rows[stored.clone()].iter().copied().zip(self.values[stored].iter().copied())
    }
}

impl Columns for SparseTable {
    fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn nonzeros(&self, column: usize, entries: &mut Vec<(u32, f64)>) -> bool {
        entries.clear();
        entries.extend(self.entries(column));
        true
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        let mut room = vec![0.0; if rows.is_some() { self.n_rows } else { 0 }];
        let height = rows.map_or(self.n_rows, <[u32]>::len);
        for (j, out) in columns.zip(out.chunks_exact_mut(height.max(1))) {
            let column: &mut [f64] = if rows.is_some() { &mut room } else { out };
            column.fill(0.0);
            self.entries(j).for_each(|(row, x)| column[row as usize] = x);
            if let Some(rows) = rows {
                out.iter_mut().zip(rows).for_each(|(o, &row)| *o = room[row as usize]);
            }
        }
    }
}
