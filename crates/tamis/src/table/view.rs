//! The part of a table a method may look at.

use crate::base::Result;
use crate::base::error::Place;
use crate::table::check::{check_length, check_rows, check_weights};
use crate::table::{Column, Table, Target};
use std::sync::Arc;

/// Rows of a table: all that have a target, or some of them (a fold, a bootstrap).
#[derive(Debug, Clone)]
pub struct View<'a> {
    table: &'a Table,
    rows: Vec<u32>,
    target: &'a Target,
    weights: Option<&'a [f64]>,
}

impl<'a> View<'a> {
    /// Every row that has a target and any weight.
    pub(super) fn new(table: &'a Table) -> Self {
        let whole = View { weights: table.weights(), ..View::every_row(table) };
        View { rows: whole.counting(&whole.rows), ..whole }
    }

    /// Only these rows of the table, numbered from 0; those without a target or without weight are left out.
    ///
    /// # Errors
    ///
    /// A row number that the table does not have.
    pub fn of_rows(table: &'a Table, rows: &[u32]) -> Result<Self> {
        View { weights: table.weights(), ..View::every_row(table) }.of_these_rows(rows)
    }

    /// All rows, whether they have a target and weight or not: rows to be predicted.
    pub fn every_row(table: &'a Table) -> Self {
        let rows = (0..table.n_rows() as u32).collect();
        View { table, rows, target: &table.target, weights: None }
    }

    /// The view's rows with other weights, one per row of the table. Rows without weight are left out.
    ///
    /// # Errors
    ///
    /// Another number of weights than the table has rows; a weight that is negative, missing or infinite; weights that
    /// sum to nothing.
    pub fn with_weights<'b>(&self, weights: &'b [f64]) -> Result<View<'b>>
    where
        'a: 'b,
    {
        check_length(weights.len(), "weight", self.table.n_rows())?;
        check_weights(weights, &Place::default())?;
        Ok(self.bootstrapped(weights))
    }

    /// [`View::with_weights`] for weights that were drawn here and need no check.
    pub(crate) fn bootstrapped<'b>(&self, weights: &'b [f64]) -> View<'b>
    where
        'a: 'b,
    {
        let rows = self.rows.iter().copied().filter(|&r| weights[r as usize] > 0.0).collect();
        View { table: self.table, rows, target: self.target, weights: Some(weights) }
    }

    /// The view's rows with another target, one value per row of the table. Rows without one are left out.
    ///
    /// # Errors
    ///
    /// Another number of values than the table has rows, and codes out of range.
    pub fn with_target<'b>(&self, target: &'b Target) -> Result<View<'b>>
    where
        'a: 'b,
    {
        check_length(target.len(), "target value", self.table.n_rows())?;
        target.check_codes(&Place::default())?;
        let view = self.permuted(target);
        Ok(View { rows: view.counting(&view.rows), ..view })
    }

    /// [`View::with_target`] for the view's own target in another order, which needs no check.
    pub(crate) fn permuted<'b>(&self, target: &'b Target) -> View<'b>
    where
        'a: 'b,
    {
        View { table: self.table, rows: self.rows.clone(), target, weights: self.weights }
    }

    /// Only these rows of the table, numbered from 0, with the view's target and weights.
    ///
    /// # Errors
    ///
    /// A row number that the table does not have.
    pub fn of_these_rows(&self, rows: &[u32]) -> Result<View<'a>> {
        check_rows(rows, self.table.n_rows())?;
        Ok(View { rows: self.counting(rows), ..*self })
    }

    /// Those of the rows that have a target and any weight.
    fn counting(&self, rows: &[u32]) -> Vec<u32> {
        let counts = |row: usize| self.target.has(row) && self.weights.is_none_or(|w| w[row] > 0.0);
        rows.iter().copied().filter(|&r| counts(r as usize)).collect()
    }

    /// A table of only these features, over all rows, with the view's target and weights.
    pub fn narrowed(&self, features: &[u32]) -> Table {
        Table {
            names: features.iter().map(|&i| self.table.names[i as usize].clone()).collect::<Vec<_>>().into(),
            columns: features.iter().map(|&i| self.table.columns[i as usize].clone()).collect(),
            target_name: self.table.target_name.clone(),
            target: self.target.clone(),
            ids: vec![],
            weights: self.weights.map(|w| ("weight".into(), w.to_vec())),
            groups: None,
            keep: vec![],
            notes: vec![],
        }
    }

    /// The rows' numbers in the table.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The features, over all rows of the table: index them with [`View::rows`].
    pub fn columns(&self) -> &'a [Column] {
        &self.table.columns
    }

    /// The features' names.
    pub fn names(&self) -> &'a Arc<[String]> {
        &self.table.names
    }

    /// The target's name.
    pub fn target_name(&self) -> &'a str {
        self.table.target_name()
    }

    /// The target, over all rows of the table.
    pub fn target(&self) -> &'a Target {
        self.target
    }

    /// The weight of each row of the table, if rows are weighted.
    pub fn weights(&self) -> Option<&'a [f64]> {
        self.weights
    }

    /// Features that are selected whatever the method says.
    pub fn keep(&self) -> &'a [u32] {
        self.table.keep()
    }

    /// How many rows of the view each class has; empty for a real target.
    pub fn class_counts(&self) -> Vec<u64> {
        let Target::Classes { codes, labels, .. } = self.target else { return vec![] };
        let mut counts = vec![0; labels.len()];
        for &row in self.rows.iter() {
            counts[codes[row as usize] as usize] += 1;
        }
        counts
    }
}
