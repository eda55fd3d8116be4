//! Tables that are mostly zero: only the other values are held.

use crate::base::Result;
use crate::base::note::Note;
use crate::table::{Columns, IdColumn, OwnedSparseLines, SparseLines, Study, Table, View};
use std::ops::Range;
use std::sync::Arc;

/// A table whose values are 0 but for some, by column; 12 bytes each.
#[derive(Debug, Clone)]
pub struct SparseTable {
    pub(super) names: Arc<[String]>,
    pub(super) n_rows: usize,
    /// The entries, rows ascending within a column.
    pub(super) columns: OwnedSparseLines,
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
        self.columns.values.len()
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
}

impl Columns for SparseTable {
    fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn sparse_columns(&self) -> Option<SparseLines<'_>> {
        Some(self.columns.lines())
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        self.columns.lines().fill(columns, self.n_rows, rows, out);
    }
}
