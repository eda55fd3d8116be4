//! Checks of data that callers bring: lengths, codes, row numbers and weights.

use crate::base::counted;
use crate::base::error::Place;
use crate::base::{Error, Result};
use std::collections::HashSet;

/// Refuses another number of values than there are rows; `noun` is one of the values.
pub(super) fn check_length(found: usize, noun: &str, rows: usize) -> Result<()> {
    if found == rows {
        return Ok(());
    }
    let problem = format!("{} for {}", counted(found, noun), counted(rows, "row"));
    Err(Error::data(Place::default(), problem, format!("give one {noun} per row")))
}

/// The error of weights of which none counts.
pub(crate) fn no_weight(place: Place) -> Error {
    Error::data(place, "the weights sum to zero", "give some rows a positive weight")
}

/// Refuses row numbers beyond the table.
pub(super) fn check_rows(rows: &[u32], n_rows: usize) -> Result<()> {
    match rows.iter().find(|&&row| row as usize >= n_rows) {
        None => Ok(()),
        Some(row) => {
            let problem = format!("there is no row number {row}: the table has {}", counted(n_rows, "row"));
            Err(Error::data(Place::default(), problem, "number the rows from 0"))
        }
    }
}

/// A weight that is none.
pub(crate) fn wrong_weight(weight: f64, place: Place) -> Error {
    let problem = if weight.is_nan() { "the weight is missing".into() } else { format!("the weight is {weight:?}") };
    Error::data(place, problem, "a weight must be a number of at least 0, and at most 1e100")
}

/// Whether a number can be a weight: sums of weights and of their squares are numbers.
pub(crate) fn is_weight(weight: f64) -> bool {
    (0.0..=1e100).contains(&weight)
}

/// Refuses weights that are missing, negative or too large, or that sum to nothing.
pub(crate) fn check_weights(weights: &[f64], place: &Place) -> Result<()> {
    if let Some(row) = weights.iter().position(|w| !is_weight(*w)) {
        return Err(wrong_weight(weights[row], place.clone().at_row(row as u64 + 1)));
    }
    if weights.iter().sum::<f64>() <= 0.0 {
        return Err(no_weight(place.clone()));
    }
    Ok(())
}

pub(crate) fn first_repeated(names: &[String]) -> Option<&String> {
    let mut seen = HashSet::with_capacity(names.len());
    names.iter().find(|name| !seen.insert(name.as_str()))
}
