//! The counts of some rows, checked.

use crate::base::counted;
use crate::base::{Error, OptionName, Place, Result, text};
use crate::table::View;
use rayon::prelude::*;
use std::borrow::Cow;

/// Counts of some features in some rows of a table.
pub(super) struct CountColumns<'a> {
    /// For each feature, the counts over all rows of the table.
    columns: Vec<Cow<'a, [f64]>>,
    /// The rows of the table that are looked at.
    rows: &'a [u32],
}

impl<'a> CountColumns<'a> {
    /// The counts of these features in the rows of a view.
    ///
    /// # Errors
    ///
    /// Categories, and a value that is missing, negative or infinite. Estimated counts need not be whole.
    pub(super) fn of(data: &'a View, features: &[u32]) -> Result<CountColumns<'a>> {
        let is_category = |&&f: &&u32| data.columns().categories(f as usize).is_some();
        let categories: Vec<&String> =
            features.iter().filter(is_category).map(|&f| &data.names()[f as usize]).collect();
        if !categories.is_empty() {
            return Err(not_counts(&categories));
        }
        let columns: Vec<Cow<'a, [f64]>> =
            features.par_iter().map(|&f| data.numbers(f as usize).unwrap_or_default()).collect();
        let fault = |(column, &feature): (&Cow<'a, [f64]>, &u32)| {
            let row = data.rows().iter().find(|&&row| !is_count(column[row as usize]))?;
            Some(wrong_count(column[*row as usize], *row, &data.names()[feature as usize]))
        };
        match columns.par_iter().zip(features).find_map_first(fault) {
            Some(error) => Err(error),
            None => Ok(CountColumns { columns, rows: data.rows() }),
        }
    }

    /// How many rows there are.
    pub(super) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Each feature's counts in the rows, in the order of the features.
    pub(super) fn features(&self) -> impl IndexedParallelIterator<Item = impl Iterator<Item = f64> + '_> + '_ {
        self.columns.par_iter().map(|column| self.rows.iter().map(move |&row| column[row as usize]))
    }

    /// The counts of one row, feature by feature.
    pub(super) fn row(&self, at: usize) -> Vec<f64> {
        let row = self.rows[at] as usize;
        self.columns.iter().map(|column| column[row]).collect()
    }

    /// Only the features that `wanted` marks.
    pub(super) fn keep(&mut self, wanted: &[bool]) {
        let mut wanted = wanted.iter();
        self.columns.retain(|_| wanted.next() == Some(&true));
    }

    /// The sum of each row's counts.
    ///
    /// # Errors
    ///
    /// A row without any count above 0.
    pub(super) fn library_sizes(&self) -> Result<Vec<f64>> {
        let mut sizes = vec![0.0; self.n_rows()];
        for column in &self.columns {
            sizes.iter_mut().zip(self.rows).for_each(|(size, &row)| *size += column[row as usize]);
        }
        match sizes.iter().position(|&size| size <= 0.0) {
            None => Ok(sizes),
            Some(at) => {
                let place = Place::default().at_row(u64::from(self.rows[at]) + 1);
                let problem = format!("the counts of all {} used are 0", counted(self.columns.len(), "feature"));
                Err(Error::data(place, problem, "leave out the row: nothing was counted in it"))
            }
        }
    }
}

fn is_count(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

/// The error of columns of text among counts; there is at least one.
fn not_counts(columns: &[&String]) -> Error {
    const SHOWN: usize = 5;
    let named: Vec<String> = columns.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = match columns.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let problem = format!("categories are no counts: {}{more}", named.join(", "));
    let drop = OptionName::Drop.set(columns.first().map_or("", |name| name));
    Error::data(Place::default(), problem, text!["leave them out with ", drop, ", or do not normalise"])
}

/// The error of a value that is no count.
fn wrong_count(value: f64, row: u32, name: &str) -> Error {
    let place = Place::default().at_row(u64::from(row) + 1).at_column(name);
    if value.is_nan() {
        let remedy = text!["write 0 if nothing was counted, or leave the column out with ", OptionName::Drop.set(name)];
        return Error::data(place, "the count is missing", remedy);
    }
    let problem = format!("{value} is not a count, which is not negative");
    let remedy = text![
        "give the counts as they were counted or estimated, before any transformation; leave out columns that are no counts with ",
        OptionName::Drop.set(name)
    ];
    Error::data(place, problem, remedy)
}
