//! The part of a table a method may look at.

use super::{Table, Target};
use std::borrow::Cow;
use std::sync::Arc;

/// Rows of a table: all that have a target, or some of them (a fold, a bootstrap).
#[derive(Debug, Clone)]
pub struct View<'a> {
    table: &'a Table,
    rows: Cow<'a, [u32]>,
}

impl<'a> View<'a> {
    /// Every row that has a target.
    pub(super) fn new(table: &'a Table) -> Self {
        View { table, rows: Cow::Owned(table.target.labelled_rows()) }
    }

    /// Only these rows of the table (without a target they are left out).
    pub fn of_rows(table: &'a Table, rows: &[u32]) -> Self {
        let rows = rows.iter().copied().filter(|&r| table.target.has(r as usize)).collect();
        View { table, rows: Cow::Owned(rows) }
    }

    /// The rows' numbers in the table.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The features, over all rows of the table: index them with [`View::rows`].
    pub fn columns(&self) -> &'a [Vec<f64>] {
        &self.table.columns
    }

    /// The features' names.
    pub fn names(&self) -> &'a Arc<[String]> {
        &self.table.names
    }

    /// The target, over all rows of the table.
    pub fn target(&self) -> &'a Target {
        &self.table.target
    }

    /// How many rows of the view each class has; empty for a real target.
    pub fn class_counts(&self) -> Vec<u64> {
        let Target::Classes { codes, labels, .. } = &self.table.target else { return vec![] };
        let mut counts = vec![0; labels.len()];
        for &row in self.rows.iter() {
            counts[codes[row as usize] as usize] += 1;
        }
        counts
    }
}
