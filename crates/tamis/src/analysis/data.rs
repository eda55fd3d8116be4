//! Rows to analyse, and what is known of them.

use crate::base::{Note, Result};
use crate::table::{Columns, SampleColumn, SparseTable, Study, Table, View, notes_on_unused, sample_like_columns};

/// Rows to analyse, wherever they lie.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let data = Data::of_table("drawn", &table);
/// assert_eq!(data.view.n_features(), 50);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Data<'a> {
    /// What the user calls them: a file, an expression.
    pub name: String,
    /// The rows.
    pub view: View<'a>,
    /// Notes on how they were read, and on what is known of the samples.
    pub notes: Vec<Note>,
}

impl<'a> Data<'a> {
    /// All rows of a table that have a target.
    pub fn of_table(name: impl Into<String>, table: &'a Table) -> Data<'a> {
        Data { name: name.into(), view: table.view(), notes: table.notes().to_vec() }
    }

    /// All rows of a sparse table that have a target.
    pub fn of_sparse(name: impl Into<String>, table: &'a SparseTable) -> Data<'a> {
        Data { name: name.into(), view: table.view(), notes: table.notes().to_vec() }
    }

    /// The rows of another library's matrix.
    ///
    /// # Errors
    ///
    /// Columns of another length than the target.
    pub fn of_columns(name: impl Into<String>, columns: &'a dyn Columns, study: &'a Study) -> Result<Data<'a>> {
        Ok(Data { name: name.into(), view: View::new(columns, study)?, notes: study.notes() })
    }

    /// With what else is known of the samples: a note on columns that nobody asked for, though they go together with the
    /// target.
    pub fn beside<'c>(mut self, target: &SampleColumn<'c>, unused: impl IntoIterator<Item = SampleColumn<'c>>) -> Self {
        self.notes.extend(notes_on_unused(target, unused, ""));
        self
    }

    /// Notes on the rows and on columns that seem to describe them.
    pub(super) fn all_notes(&self) -> Vec<Note> {
        let names = self.view.names().iter().map(String::as_str);
        self.notes.iter().cloned().chain(sample_like_columns(names)).collect()
    }
}
