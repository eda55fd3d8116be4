//! Least squares of every feature on the target and on what is adjusted for.

use super::adjustment::{Adjustment, Samples};
use crate::base::{Progress, Result};
use crate::numeric::linalg::{Matrix, dot};
use crate::table::{View, column_source};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Features between two progress reports.
const BATCH: usize = 4096;

/// Features that are fitted together.
pub(super) const BLOCK: usize = 64;

/// Variances below this share of the mean square say nothing: the values agree to ten digits.
const ROUNDING: f64 = 1e-20;
/// Variances below this share of the mean square are 0 but for the last digits of sums.
const LAST_DIGITS: f64 = 1e-28;

/// A feature with less variance than this tells nothing about the precision of samples.
pub(crate) const ROUNDING_VARIANCE: f64 = 1e-15;

/// A feature's regression on the target, adjusted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinearFit {
    /// Rows that have the feature.
    pub(crate) rows: u32,
    /// Their mean.
    pub(crate) mean: f64,
    /// The mean of their squares.
    pub(crate) mean_square: f64,
    /// The coefficient of each column of the target's coding.
    pub(crate) coefficients: Vec<f64>,
    /// √v of each coefficient, whose standard error is that times the noise's standard deviation.
    pub(crate) unscaled: Arc<[f64]>,
    /// Squares that the target explains.
    pub(crate) explained: f64,
    /// Squares that are left.
    pub(crate) residual: f64,
    /// Degrees of freedom of the residuals.
    pub(crate) df: f64,
    /// Where there are two classes: of the reference and of the positive one.
    pub(crate) classes: Option<[ClassSquares; 2]>,
}

impl LinearFit {
    /// Whether the residuals are nothing but rounding errors.
    pub(crate) fn is_exact(&self) -> bool {
        is_rounding(self.residual, self.df, self.mean_square)
    }

    /// The variance of residuals with these squares, the feature's own or those of one class; exactly 0 where they are 0 but
    /// for the last digits.
    pub(crate) fn variance(&self, squares: f64, df: f64) -> f64 {
        let variance = squares / df;
        if variance <= LAST_DIGITS * self.mean_square { 0.0 } else { variance }
    }

    /// Whether neither the target nor anything unknown makes the feature vary: it is constant, or a sum of covariates.
    pub(crate) fn is_constant(&self) -> bool {
        self.is_exact() && is_rounding(self.explained, self.df, self.mean_square)
    }
}

/// The residuals of one class.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ClassSquares {
    /// The weight of its rows.
    pub(crate) count: f64,
    /// Their squared residuals.
    pub(crate) squares: f64,
}

/// Why a feature has no fit, or its fit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FeatureFit {
    Fitted(LinearFit),
    /// One value only.
    Constant {
        rows: u32,
    },
    /// Its rows do not tell the target apart from what is adjusted for.
    Undetermined {
        rows: u32,
        /// What the columns of the model leave of it, whose variance counts with those of the others.
        left: Option<Box<LinearFit>>,
    },
    /// A column of categories.
    Categories,
}

/// Fits every feature of a view whose samples are these rows.
///
/// Cost: 4·rows·(covariates + target columns) flops a feature, one matrix product for many.
pub(crate) fn fit_all(
    data: &View,
    samples: &Samples,
    complete: &Adjustment,
    progress: &mut dyn Progress,
) -> Result<Vec<FeatureFit>> {
    let total = data.n_features();
    let complete = Shared { unscaled: complete.unscaled_deviations().into(), adjustment: complete.clone() };
    let fitter = Fitter { data, samples, complete: Arc::new(complete) };
    let starts: Vec<usize> = (0..total).step_by(BLOCK).collect();
    let mut fits = Vec::with_capacity(total);
    for batch in starts.chunks(BATCH / BLOCK) {
        progress.step("scoring", fits.len() as u64, total as u64)?;
        let block = |known: &mut Patterns, &from: &usize| fitter.block(from..(from + BLOCK).min(total), known);
        let found: Vec<Result<Vec<FeatureFit>>> = batch.par_iter().map_init(HashMap::new, block).collect();
        for some in found {
            fits.extend(some?);
        }
    }
    progress.step("scoring", total as u64, total as u64)?;
    Ok(fits)
}

/// An adjustment that features with the same rows share.
struct Shared {
    adjustment: Adjustment,
    unscaled: Arc<[f64]>,
}

/// Adjustments by pattern of missing values; `None` where the rows do not determine the target.
type Patterns = HashMap<Vec<usize>, Option<Arc<Shared>>>;

struct Fitter<'a> {
    data: &'a View<'a>,
    samples: &'a Samples,
    complete: Arc<Shared>,
}

impl Fitter<'_> {
    /// The fits of neighbouring features.
    fn block(&self, range: Range<usize>, known: &mut Patterns) -> Result<Vec<FeatureFit>> {
        let rows = self.data.rows();
        let mut fits: Vec<Option<FeatureFit>> = vec![None; range.len()];
        let mut together: Vec<(usize, Vec<f64>)> = vec![];
        for (at, feature) in range.enumerate() {
            let Some(numbers) = self.data.numbers(feature) else {
                fits[at] = Some(FeatureFit::Categories);
                continue;
            };
            let column: Vec<f64> = rows.iter().map(|&row| numbers[row as usize]).collect();
            column_source::check_finite(&column, Some(rows), &self.data.names()[feature])?;
            if let Some(own) = self.samples.of_feature(feature) {
                fits[at] = Some(self.by_itself(column, own));
            } else if column.iter().any(|x| x.is_nan()) {
                fits[at] = Some(self.with_gaps(column, known));
            } else if is_constant(&column) {
                fits[at] = Some(FeatureFit::Constant { rows: rows.len() as u32 });
            } else {
                together.push((at, column));
            }
        }
        let (places, columns): (Vec<usize>, Vec<Vec<f64>>) = together.into_iter().unzip();
        for (at, fit) in places.into_iter().zip(fitted(columns, &self.complete, self.samples)) {
            fits[at] = Some(fit);
        }
        Ok(fits.into_iter().flatten().collect())
    }

    /// The fit of a feature whose cells have precisions of their own.
    fn by_itself(&self, column: Vec<f64>, samples: Samples) -> FeatureFit {
        let rows = column.len() as u32;
        if is_constant(&column) {
            return FeatureFit::Constant { rows };
        }
        let fit = Adjustment::new(&samples).ok().and_then(|adjustment| {
            let shared = Shared { unscaled: adjustment.unscaled_deviations().into(), adjustment };
            fitted(vec![column], &shared, &samples).pop()
        });
        fit.unwrap_or(FeatureFit::Undetermined { rows, left: None })
    }

    /// The fit of a feature on its own rows.
    fn with_gaps(&self, column: Vec<f64>, known: &mut Patterns) -> FeatureFit {
        let present: Vec<usize> = (0..column.len()).filter(|&i| !column[i].is_nan()).collect();
        let values: Vec<f64> = present.iter().map(|&i| column[i]).collect();
        let rows = values.len() as u32;
        if is_constant(&values) {
            return FeatureFit::Constant { rows };
        }
        let samples = self.samples.only(&present);
        let shared = known.entry(present).or_insert_with(|| {
            let adjustment = Adjustment::new(&samples).ok()?;
            Some(Arc::new(Shared { unscaled: adjustment.unscaled_deviations().into(), adjustment }))
        });
        let values_again = values.clone();
        let fit = shared.as_ref().and_then(|shared| fitted(vec![values], shared, &samples).pop());
        fit.unwrap_or_else(|| FeatureFit::Undetermined { rows, left: self.without_test(values_again, samples) })
    }

    /// The fit of a feature on all columns of a model whose test its rows do not determine.
    fn without_test(&self, values: Vec<f64>, mut samples: Samples) -> Option<Box<LinearFit>> {
        if self.data.coded_test().is_none() && self.data.row_noise().is_none() {
            return None;
        }
        samples.covariates.append(&mut samples.target);
        samples.two_classes = false;
        let adjustment = Adjustment::new(&samples).ok()?;
        let shared = Shared { unscaled: Arc::new([]), adjustment };
        match fitted(vec![values], &shared, &samples).pop() {
            Some(FeatureFit::Fitted(fit)) => Some(Box::new(fit)),
            _ => None,
        }
    }
}

/// The fits of columns that have these rows.
fn fitted(columns: Vec<Vec<f64>>, shared: &Shared, samples: &Samples) -> Vec<FeatureFit> {
    let Some(height) = columns.first().map(Vec::len) else { return vec![] };
    let adjustment = &shared.adjustment;
    let df = samples.weight() - (adjustment.rank() + adjustment.n_target()) as f64;
    let mut means = Vec::with_capacity(columns.len());
    let mut left = Matrix::from_columns(height, columns.len(), |j, out| {
        out.copy_from_slice(&columns[j]);
        means.push(adjustment.centre(out));
    });
    let shares = adjustment.residuals(&mut left);
    let residuals = left.column_squares();
    (0..columns.len())
        .map(|j| {
            let along = shares.column(j);
            FeatureFit::Fitted(LinearFit {
                rows: height as u32,
                mean: means[j],
                mean_square: mean_square(&columns[j]),
                coefficients: adjustment.coefficients(along),
                unscaled: Arc::clone(&shared.unscaled),
                explained: along.iter().map(|share| share * share).sum(),
                residual: residuals[j],
                df,
                classes: samples.two_classes.then(|| class_squares(left.column(j), samples)),
            })
        })
        .collect()
}

/// Squared residuals by class, of which the target's only column tells.
fn class_squares(residuals: &[f64], samples: &Samples) -> [ClassSquares; 2] {
    let mut classes = [ClassSquares::default(); 2];
    if samples.roots.is_none() {
        let target = &samples.target[0];
        let of_positive: Vec<f64> = residuals.iter().zip(target).map(|(x, positive)| x * positive).collect();
        let (count, squares) = (dot(target, target), dot(&of_positive, &of_positive));
        let others = (dot(residuals, residuals) - squares).max(0.0);
        classes[0] = ClassSquares { count: residuals.len() as f64 - count, squares: others };
        classes[1] = ClassSquares { count, squares };
        return classes;
    }
    for (at, (residual, positive)) in residuals.iter().zip(&samples.target[0]).enumerate() {
        let class = &mut classes[usize::from(*positive > 0.5)];
        class.count += samples.roots.as_ref().map_or(1.0, |roots| roots[at] * roots[at]);
        class.squares += residual * residual;
    }
    classes
}

/// Whether squares on so many degrees of freedom are nothing but rounding errors of numbers with this mean square.
pub(crate) fn is_rounding(squares: f64, df: f64, mean_square: f64) -> bool {
    squares <= df.max(1.0) * ROUNDING * mean_square
}

/// The mean of the squares of numbers.
pub(crate) fn mean_square(values: &[f64]) -> f64 {
    dot(values, values) / values.len() as f64
}

fn is_constant(values: &[f64]) -> bool {
    values.iter().all(|x| *x == values[0])
}
