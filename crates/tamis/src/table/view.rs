//! The part of a table a method may look at.

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
        let all: Vec<u32> = (0..table.n_rows() as u32).collect();
        Self::of_rows(table, &all)
    }

    /// Only these rows of the table; those without a target or without weight are left out.
    pub fn of_rows(table: &'a Table, rows: &[u32]) -> Self {
        let counts = |row: usize| table.target.has(row) && table.weights().is_none_or(|w| w[row] > 0.0);
        let rows = rows.iter().copied().filter(|&r| counts(r as usize)).collect();
        View { table, rows, target: &table.target, weights: table.weights() }
    }

    /// All rows, whether they have a target and weight or not: rows to be predicted.
    pub fn every_row(table: &'a Table) -> Self {
        let rows = (0..table.n_rows() as u32).collect();
        View { table, rows, target: &table.target, weights: None }
    }

    /// The same rows with other weights, one per row of the table: a bootstrap. Rows without weight are left out.
    pub fn with_weights<'b>(&self, weights: &'b [f64]) -> View<'b>
    where
        'a: 'b,
    {
        let rows = self.rows.iter().copied().filter(|&r| weights[r as usize] > 0.0).collect();
        View { table: self.table, rows, target: self.target, weights: Some(weights) }
    }

    /// The same rows with another target, one value per row of the table: a permutation.
    pub fn with_target<'b>(&self, target: &'b Target) -> View<'b>
    where
        'a: 'b,
    {
        View { table: self.table, rows: self.rows.clone(), target, weights: self.weights }
    }

    /// Only these rows of the table, with the same target and weights.
    pub fn of_these_rows(&self, rows: &[u32]) -> View<'a> {
        let counts = |row: usize| self.target.has(row) && self.weights.is_none_or(|w| w[row] > 0.0);
        let rows = rows.iter().copied().filter(|&r| counts(r as usize)).collect();
        View { rows, ..self.clone() }
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
