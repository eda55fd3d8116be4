//! Checks of data that callers bring: lengths, codes, row numbers and weights.

use crate::base::counted;
use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::table::target_rule::check_used;
use crate::table::{MISSING, Target, first_repeated};

/// Refuses another number of values than there are rows; `noun` is one of the values.
pub(super) fn check_length(found: usize, noun: &str, rows: usize) -> Result<()> {
    if found == rows {
        return Ok(());
    }
    let problem = format!("{} for {}", counted(found, noun), counted(rows, "row"));
    Err(Error::data(Place::default(), problem, format!("give one {noun} per row")))
}

/// Refuses codes that no label belongs to, and labels that stand twice; `noun` is what a label names.
pub(super) fn check_codes(labels: &[String], codes: &[u32], noun: &str, place: &Place) -> Result<()> {
    if let Some(label) = first_repeated(labels) {
        let problem = format!("`{label}` is the name of more than one {noun}");
        return Err(Error::data(place.clone(), problem, "give every name once"));
    }
    let wrong = |code: u32| code != MISSING && code as usize >= labels.len();
    match codes.iter().position(|&code| wrong(code)) {
        None => Ok(()),
        Some(row) => {
            let problem = format!(
                "the code {} is not that of any of {} (the first is 0)",
                codes[row],
                counted(labels.len(), "name")
            );
            let remedy = format!("give each row the number of its {noun}, or `MISSING`");
            Err(Error::data(place.clone().at_row(row as u64 + 1), problem, remedy))
        }
    }
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

/// Refuses weights that leave a class with fewer than two rows, or a numeric target with one value; `rows` are how many
/// rows each row is.
pub(crate) fn check_target_weights(target: &Target, rows: &[f64], place: &Place) -> Result<()> {
    if let Target::Real { values } = target {
        let mut weighted = values.iter().zip(rows).filter(|(y, n)| !y.is_nan() && **n > 0.0).map(|(y, _)| *y);
        let first = weighted.next().unwrap_or(f64::NAN);
        if weighted.all(|y| y == first) {
            let problem = "the target has one value only in the rows with a positive weight";
            return Err(Error::data(place.clone(), problem, "give rows of other values a weight"));
        }
    }
    let Target::Classes { labels, codes, .. } = target else { return Ok(()) };
    let mut counts = vec![0_u64; labels.len()];
    for (code, rows) in codes.iter().zip(rows) {
        if let Some(count) = counts.get_mut(*code as usize) {
            *count = count.saturating_add(*rows as u64);
        }
    }
    check_used(labels, &counts, place)
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
