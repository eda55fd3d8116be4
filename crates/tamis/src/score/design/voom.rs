//! Precisions of log counts (Law and others 2014): the variance of a count follows its mean, whatever the feature.
//!
//! The square roots of the features' residual deviations, smoothed over their mean log counts, are a curve; the precision of a
//! cell is the curve at its fitted log count, to the power −4.

use super::linear_fit::BLOCK;
use super::{Adjustment, Samples};
use crate::base::{Error, Place, Progress, Result};
use crate::numeric::linalg::Matrix;
use crate::numeric::lowess::{distinct_points, interpolated, lowess};
use crate::table::View;
use rayon::prelude::*;

/// The share of features that a point of the curve rests on.
const SPAN: f64 = 0.5;

/// A feature's fit.
struct LogCounts {
    /// Of the samples.
    fitted: Vec<f64>,
    mean: f64,
    deviation: f64,
    /// Whether it has any count.
    occurs: bool,
}

/// The precision of every cell, feature by feature over the view's rows; its values are log₂ counts per million of libraries
/// of these sizes.
///
/// Cost: a fit of every feature, and the curve.
///
/// # Errors
///
/// Fewer rows than coefficients, and values that are missing.
pub(crate) fn cell_precisions(
    data: &View,
    samples: &Samples,
    sizes: &[f64],
    progress: &mut dyn Progress,
) -> Result<Vec<Vec<f64>>> {
    progress.step("precision of counts", 0, 1)?;
    let plain = Samples { cells: None, ..samples.clone() };
    let none = || Error::data(Place::default(), "the design leaves no residuals", "give more rows");
    let adjustment = Adjustment::new(&plain).map_err(|_| none())?;
    let df = plain.len() as f64 - (adjustment.rank() + adjustment.n_target()) as f64;
    if df <= 0.0 {
        return Err(none());
    }
    let logs: Vec<f64> = sizes.iter().map(|size| (size + 1.0).log2() - 1e6_f64.log2()).collect();
    let starts: Vec<usize> = (0..data.n_features()).step_by(BLOCK).collect();
    let of_block = |&from: &usize| {
        let features = from..(from + BLOCK).min(data.n_features());
        let columns: Vec<Vec<f64>> = features.map(|at| values(data, at)).collect();
        fits(&columns, &plain, &adjustment, &logs, df)
    };
    let fits: Vec<LogCounts> = starts.par_iter().flat_map_iter(of_block).collect();
    let depth = logs.iter().sum::<f64>() / logs.len() as f64;
    let mut points: Vec<(f64, f64)> =
        fits.iter().filter(|fit| fit.occurs).map(|fit| (fit.mean + depth, fit.deviation.sqrt())).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
    let (places, heights) = distinct_points(&x, &lowess(&x, &y, SPAN));
    let precision = |log_count: f64| interpolated(&places, &heights, log_count).powi(-4);
    let cells = |fit: &LogCounts| fit.fitted.iter().zip(&logs).map(|(mu, log)| precision(mu + log)).collect();
    let cells: Vec<Vec<f64>> = fits.par_iter().map(cells).collect();
    match cells.iter().flatten().all(|precision| *precision > 0.0 && precision.is_finite()) {
        true => Ok(cells),
        false => {
            let problem = "log counts that do not vary have no precision";
            Err(Error::data(Place::default(), problem, "leave the constant features out, or normalise by `tmm`"))
        }
    }
}

fn values(data: &View, feature: usize) -> Vec<f64> {
    let numbers = data.numbers(feature).unwrap_or_default();
    data.rows().iter().map(|&row| numbers.get(row as usize).copied().unwrap_or(f64::NAN)).collect()
}

/// The fits of some features.
fn fits(columns: &[Vec<f64>], samples: &Samples, adjustment: &Adjustment, logs: &[f64], df: f64) -> Vec<LogCounts> {
    let n = samples.len();
    let mut left = Matrix::from_columns(n, columns.len(), |j, out| {
        out.copy_from_slice(&columns[j]);
        adjustment.centre(out);
    });
    adjustment.residuals(&mut left);
    let squares = left.column_squares();
    let one = |(j, values): (usize, &Vec<f64>)| {
        let mut residuals = left.column(j).to_vec();
        samples.in_own_unit(&mut residuals);
        // the log of half a count in every sample
        let occurs = values.iter().zip(logs).any(|(y, log)| (y + log).exp2() > 0.75);
        LogCounts {
            fitted: values.iter().zip(residuals).map(|(y, r)| y - r).collect(),
            mean: values.iter().sum::<f64>() / n as f64,
            deviation: (squares[j] / df).sqrt(),
            occurs,
        }
    };
    columns.iter().enumerate().map(one).collect()
}
