//! What the design leaves of a feature: its deviations from class means, blocks and regressions on covariates.

use super::cox;
use super::design::linear_fit::{is_rounding, mean_square};
use super::design::{Adjustment, Design, Samples};
use crate::numeric::linalg::Matrix;
use crate::table::View;

/// A design that features can be freed of.
///
/// Classes have their means and a numeric target its regression line. Survival times are represented by their martingale
/// residuals, a feature's regression on which is removed.
pub(crate) struct FeatureResiduals {
    samples: Samples,
    complete: Adjustment,
    /// The view's rows in its table.
    rows: Vec<u32>,
}

impl FeatureResiduals {
    /// The design of a view; `None` where its rows do not determine it.
    pub(crate) fn of(data: &View) -> Option<FeatureResiduals> {
        let as_numbers = cox::permutable_target(data).ok()?;
        let data = as_numbers.as_ref().map_or_else(|| data.clone(), |target| data.permuted(target));
        let Design { samples, complete, .. } = Design::of(&data).ok()?;
        Some(FeatureResiduals { samples, complete, rows: data.rows().to_vec() })
    }

    /// The degrees of freedom that the design leaves to a feature without missing values.
    pub(crate) fn df(&self) -> f64 {
        self.samples.weight() - (self.complete.rank() + self.complete.n_target()) as f64
    }

    /// The weight of all rows.
    pub(crate) fn weight(&self) -> f64 {
        self.samples.weight()
    }

    /// The root of the weight of each row.
    pub(crate) fn roots(&self) -> Vec<f64> {
        self.samples.roots.clone().unwrap_or_else(|| vec![1.0; self.rows.len()])
    }

    /// What is left of a column at the view's rows, each times the root of its weight; NaN where the value is missing.
    /// `None` where nothing is left, or where the rows that have a value do not determine the design.
    pub(crate) fn of_column(&self, column: &[f64]) -> Option<Vec<f64>> {
        let values: Vec<f64> = self.rows.iter().map(|&row| column[row as usize]).collect();
        let present: Vec<usize> = (0..values.len()).filter(|&at| !values[at].is_nan()).collect();
        if present.len() == values.len() {
            return residuals(&values, &self.samples, &self.complete);
        }
        let own = self.samples.only(&present);
        let known: Vec<f64> = present.iter().map(|&at| values[at]).collect();
        let left = residuals(&known, &own, &Adjustment::new(&own).ok()?)?;
        let mut all = vec![f64::NAN; values.len()];
        present.iter().zip(left).for_each(|(&at, left)| all[at] = left);
        Some(all)
    }
}

/// The residuals of complete values; `None` where only rounding errors are left.
fn residuals(values: &[f64], samples: &Samples, adjustment: &Adjustment) -> Option<Vec<f64>> {
    let df = samples.weight() - (adjustment.rank() + adjustment.n_target()) as f64;
    let mut left = Matrix::from_columns(values.len(), 1, |_, out| {
        out.copy_from_slice(values);
        adjustment.centre(out);
    });
    adjustment.residuals(&mut left);
    let exact = is_rounding(left.column_squares()[0], df, mean_square(values));
    (df > 0.0 && !exact).then(|| left.column(0).to_vec())
}
