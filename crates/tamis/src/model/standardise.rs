//! Columns standardised by the means and variances of the training rows.

use crate::base::remedies::no_usable_feature;
use crate::base::{Note, NoteKind, Result};
use crate::model::faults::{NOT_FINITE, SIZES_DIFFER};
use crate::model::model_columns::{holds_categories, unknown_column};
use crate::numeric::linalg::Matrix;
use crate::table::View;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// Standardised values are cut off here.
pub(crate) const MOST: f64 = 1e100;

/// How rows become standardised rows, learned once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standardise {
    /// The features, in order; those of one value are not among them.
    pub names: Vec<String>,
    /// Their means; a missing value is taken as the mean.
    pub means: Vec<f64>,
    /// Their standard deviations.
    pub spreads: Vec<f64>,
    /// Whether each row is brought to mean 0 and variance 1 over all features first.
    pub samplewise: bool,
}

/// Means and spreads with the standardised training rows.
pub(crate) struct StandardisedRows {
    pub(crate) standardise: Standardise,
    pub(crate) x: Matrix,
    /// Positions in the table.
    pub(crate) features: Vec<u32>,
    pub(crate) notes: Vec<Note>,
}

impl Standardise {
    /// Learns from the rows of a view; columns of categories are refused, columns of one value set aside.
    pub(crate) fn learn(data: &View, samplewise: bool) -> Result<StandardisedRows> {
        let (rows, names) = (data.rows(), data.names());
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut missing = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let values = data.numbers(at).ok_or_else(|| holds_categories(name))?;
            let known: Vec<f64> = rows.iter().map(|&r| values[r as usize]).filter(|x| !x.is_nan()).collect();
            if known.len() < rows.len() {
                missing.push(name.clone());
            }
            let mean = if known.is_empty() { 0.0 } else { mean(&known) };
            let impute = |&r: &u32| if values[r as usize].is_nan() { mean } else { values[r as usize] };
            columns.push(rows.iter().map(impute).collect());
        }
        if samplewise {
            by_row(&mut columns);
        }
        let mut learned = Standardise { names: vec![], means: vec![], spreads: vec![], samplewise };
        let (mut kept, mut features, mut constant) = (Vec::new(), Vec::new(), Vec::new());
        for (at, column) in columns.into_iter().enumerate() {
            let mean = mean(&column);
            let spread = spread(&column, mean);
            if spread > 0.0 {
                learned.names.push(names[at].clone());
                learned.means.push(mean);
                learned.spreads.push(spread);
                kept.push(column);
                features.push(at as u32);
            } else {
                constant.push(names[at].clone());
            }
        }
        if kept.is_empty() {
            return Err(no_usable_feature("no feature varies: there is nothing to learn from"));
        }
        let x = Matrix::from_columns(rows.len(), kept.len(), |k, out| {
            let column = std::mem::take(&mut kept[k]); // its memory is not needed any more
            out.iter_mut().zip(&column).for_each(|(o, v)| *o = (v - learned.means[k]) / learned.spreads[k]);
        });
        let missing_text = "{} with missing values, replaced by the feature's mean";
        let notes = [Note::constant(constant), Note::counting(NoteKind::MissingValues, missing_text, missing)];
        let notes = notes.into_iter().flatten().collect();
        Ok(StandardisedRows { standardise: learned, x, features, notes })
    }

    /// The reason why it cannot be used, if there is one.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let k = self.names.len();
        if self.means.len() != k || self.spreads.len() != k || k == 0 {
            return Some(SIZES_DIFFER);
        }
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        if !self.means.iter().all(|x| x.is_finite()) || !self.spreads.iter().all(positive) {
            return Some(NOT_FINITE);
        }
        None
    }

    /// Finds these of the features (by position among the names) in a table by name; with `samplewise` all of them.
    pub(crate) fn bind<'a>(&'a self, data: &View<'a>, wanted: Vec<usize>) -> Result<BoundColumns<'a>> {
        let places: HashMap<&str, usize> = data.names().iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
        let all: Vec<usize> = if self.samplewise { (0..self.names.len()).collect() } else { wanted.clone() };
        let column = |&k: &usize| -> Result<Cow<'a, [f64]>> {
            let name = &self.names[k];
            let at = places.get(name.as_str()).ok_or_else(|| unknown_column(name, data))?;
            data.numbers(*at).ok_or_else(|| holds_categories(name))
        };
        Ok(BoundColumns { columns: all.iter().map(column).collect::<Result<_>>()?, standardise: self, wanted })
    }
}

/// The model's columns in a table.
pub(crate) struct BoundColumns<'a> {
    standardise: &'a Standardise,
    /// The wanted ones in their order; all of them with `samplewise`.
    columns: Vec<Cow<'a, [f64]>>,
    wanted: Vec<usize>,
}

impl BoundColumns<'_> {
    /// These rows of the table, standardised, a column per wanted feature. Cost: one pass over what is needed.
    pub(crate) fn standardised(&self, rows: &[u32]) -> Matrix {
        let Standardise { means, spreads, samplewise, .. } = self.standardise;
        let known = |values: &[f64], k: usize, r: u32| {
            let x = values[r as usize];
            if x.is_nan() { means[k] } else { x }
        };
        if !samplewise {
            return Matrix::from_columns(rows.len(), self.wanted.len(), |j, out| {
                let k = self.wanted[j];
                let values = &self.columns[j];
                out.iter_mut().zip(rows).for_each(|(o, &r)| *o = (known(values, k, r) - means[k]) / spreads[k]);
            });
        }
        // the mean and variance of a row are those over all features the model has seen
        let impute = |(k, values): (usize, &Cow<'_, [f64]>)| rows.iter().map(|&r| known(values, k, r)).collect();
        let mut columns: Vec<Vec<f64>> = self.columns.iter().enumerate().map(impute).collect();
        by_row(&mut columns);
        Matrix::from_columns(rows.len(), self.wanted.len(), |j, out| {
            let k = self.wanted[j];
            out.iter_mut().zip(&columns[k]).for_each(|(o, v)| *o = (v - means[k]) / spreads[k]);
        })
    }
}

/// Mean, relative to the first value so that a large offset costs no digits, scaled so that nothing overflows.
pub(crate) fn mean(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let first = values[0];
    let mean = first + values.iter().map(|x| (x - first) / n).sum::<f64>();
    if mean.is_finite() { mean } else { values.iter().map(|x| x / n).sum() }
}

/// Standard deviation, without overflow; 0 where all values are the same but for rounding.
pub(crate) fn spread(values: &[f64], mean: f64) -> f64 {
    let largest = values.iter().map(|x| (x - mean).abs()).fold(0.0, f64::max);
    if largest <= 1e-14 * mean.abs() || largest == 0.0 || !largest.is_finite() {
        return 0.0;
    }
    let squares: f64 = values.iter().map(|x| ((x - mean) / largest).powi(2)).sum();
    largest * (squares / values.len() as f64).sqrt()
}

/// Brings every row to mean 0 and variance 1 over the columns.
fn by_row(columns: &mut [Vec<f64>]) {
    let rows = columns.first().map_or(0, Vec::len);
    for row in 0..rows {
        let values: Vec<f64> = columns.iter().map(|c| c[row]).collect();
        let mean = mean(&values);
        let spread = spread(&values, mean);
        let unit = if spread > 0.0 { spread } else { 1.0 };
        columns.iter_mut().for_each(|c| c[row] = (c[row] - mean) / unit);
    }
}
