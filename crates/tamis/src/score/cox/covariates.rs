//! Covariates as columns of numbers of mean 0 and size one, in the order of the risk sets.

use crate::base::Result;
use crate::numeric::linalg::dot;
use crate::score::design::covariate_columns::CovariateCoding;
use crate::score::moments::scale_to_one;
use crate::table::Covariate;

/// A column per number and per level of a factor but the first in sorted order, at these rows of the table, of mean 0
/// and size one; columns that do not vary are left out.
pub(super) fn columns(covariates: &[Covariate], rows: &[u32]) -> Result<Vec<Vec<f64>>> {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for covariate in covariates {
        columns.extend(CovariateCoding::of(covariate, rows).columns(covariate, rows)?);
    }
    columns.retain_mut(|column| standardise(column).is_some());
    Ok(columns)
}

/// Brings a column to mean 0 and mean square one, and returns by what it was divided; `None` where it does not vary.
pub(super) fn standardise(column: &mut [f64]) -> Option<f64> {
    let unit = centre(column)?;
    let size = (dot(column, column) / column.len() as f64).sqrt();
    column.iter_mut().for_each(|x| *x /= size);
    Some(size / unit)
}

/// Takes the mean from a column and brings its largest value near one by a power of two, which is returned; `None`
/// where it does not vary.
pub(super) fn centre(column: &mut [f64]) -> Option<f64> {
    let first = *column.first()?;
    if column.iter().all(|x| *x == first) {
        return None;
    }
    let unit = scale_to_one(column.iter().fold(0.0, |largest, x| x.abs().max(largest)));
    column.iter_mut().for_each(|x| *x *= unit);
    let first = first * unit;
    let mean = first + column.iter().map(|x| x - first).sum::<f64>() / column.len() as f64;
    column.iter_mut().for_each(|x| *x -= mean);
    Some(unit)
}
