//! The correlation of features within the classes, shrunk towards none.

use crate::base::remedies::CHECK_RANGE;
use crate::base::{Error, Place, Result};
use crate::model::standardised_matrix::{StandardisedMatrix, row_squares, squared_gram};
use crate::model::training_classes::TrainingClasses;
use crate::numeric::linalg::{Eigen, Matrix, dot};
use crate::score::score_from_moments::LARGEST;
use crate::table::View;

/// The least intensity: with none at all a singular correlation could not be inverted.
const LEAST: f64 = 1e-8;

/// The correlation (1−λ)R + λI within the classes, with λ estimated from the data (Schäfer & Strimmer 2005).
pub(crate) struct ShrunkenCorrelation {
    pub(crate) design: StandardisedMatrix,
    /// The classes' means, in units of the design.
    pub(crate) means: Vec<Vec<f64>>,
    /// Standard deviations within the classes, in units of the design.
    pub(crate) units: Vec<f64>,
    /// The rows minus the mean of their class, scaled so that ZᵀZ is the correlation.
    pub(crate) z: Matrix,
    pub(crate) intensity: f64,
}

impl ShrunkenCorrelation {
    /// `None` where there is nothing to learn from.
    pub(crate) fn learn(data: &View, classes: &TrainingClasses) -> Result<Option<ShrunkenCorrelation>> {
        let design = StandardisedMatrix::learn(data)?;
        let (n, present) = (design.x.n_rows(), classes.occurring.len());
        if design.x.n_columns() == 0 || present < 2 || n <= present {
            return Ok(None);
        }
        let (means, mut z) = design.centred(classes);
        let df = (n - present) as f64;
        let mut units = Vec::with_capacity(z.n_columns());
        for j in 0..z.n_columns() {
            let squares = dot(z.column(j), z.column(j));
            let apart = means.iter().map(|m| m[j].abs()).fold(0.0, f64::max);
            if squares > 1e-24 * n as f64 {
                let scale = 1.0 / squares.sqrt();
                z.column_mut(j).iter_mut().for_each(|x| *x *= scale);
                units.push((squares / df).sqrt());
            } else {
                // no variance within the classes: the largest score is large but finite
                z.column_mut(j).fill(0.0);
                units.push(apart * (n as f64).sqrt() / LARGEST);
            }
        }
        let intensity = intensity(&z);
        Ok(Some(ShrunkenCorrelation { design, means, units, z, intensity }))
    }

    /// Replaces x by ((1−λ)ZᵀZ + λI)^power x = λ^p x + V[((1−λ)d² + λ)^p − λ^p]Vᵀx, where Z = UDVᵀ comes from the
    /// eigenvectors of ZZᵀ or ZᵀZ, whichever is smaller.
    pub(crate) fn multiply_by_power(&self, x: &mut [f64], power: f64) -> Result<()> {
        let ShrunkenCorrelation { z, intensity, .. } = self;
        let intensity = *intensity;
        let size = z.n_rows().min(z.n_columns());
        let mut gram = Matrix::zeros(size, size);
        let by_rows = z.n_rows() < z.n_columns();
        if by_rows {
            z.outer_gram(&mut gram);
        } else {
            z.add_gram(&mut gram);
        }
        let Eigen { values, vectors } = Eigen::of(&gram).ok_or_else(out_of_range)?;
        let largest = values.last().copied().unwrap_or(0.0);
        let base = intensity.powf(power);
        // x seen from the smaller side, where V = ZᵀU/d for the rows
        let mut inner = vec![0.0; size];
        if by_rows {
            z.times(x, &mut inner);
        } else {
            inner.copy_from_slice(x);
        }
        let mut along = vec![0.0; size];
        vectors.transpose_times(&inner, &mut along);
        for (a, &d2) in along.iter_mut().zip(&values) {
            let change = ((1.0 - intensity) * d2.max(0.0) + intensity).powf(power) - base;
            *a *= match (d2 > 1e-13 * largest, by_rows) {
                (false, true) => 0.0, // nothing of x lies there
                (true, true) => change / d2,
                (_, false) => change,
            };
        }
        vectors.times(&along, &mut inner);
        x.iter_mut().for_each(|x| *x *= base);
        if by_rows {
            x.iter_mut().enumerate().for_each(|(k, x)| *x += dot(z.column(k), &inner));
        } else {
            x.iter_mut().zip(&inner).for_each(|(x, i)| *x += i);
        }
        Ok(())
    }
}

/// λ = Σ_{i≠j} Var(r_ij)/Σ_{i≠j} r_ij² for columns of squared length 1. With w_tij = z_ti z_tj, Var(r_ij) is
/// n/(n−1) · Σ_t (w_tij − w̄_ij)²; all by sums over rows, never over pairs of features.
fn intensity(z: &Matrix) -> f64 {
    let n = z.n_rows() as f64;
    if z.n_columns() < 2 || n < 2.0 {
        return 1.0;
    }
    let (mut fourth, mut diagonal) = (0.0, 0.0);
    for j in 0..z.n_columns() {
        let (mut second, mut here) = (0.0, 0.0);
        for x in z.column(j) {
            second += x * x;
            here += (x * x) * (x * x);
        }
        fourth += here;
        diagonal += second * second;
    }
    // Σ_{i≠j} r_ij², and Σ_{i≠j} Σ_t w_tij²
    let correlations = squared_gram(z) - diagonal;
    let products = row_squares(z).iter().map(|q| q * q).sum::<f64>() - fourth;
    if correlations <= 1e-14 * diagonal {
        return 1.0;
    }
    let variance = n / (n - 1.0) * (products - correlations / n);
    (variance / correlations).clamp(LEAST, 1.0)
}

pub(crate) fn out_of_range() -> Error {
    Error::data(Place::default(), "the features' covariance cannot be factored", CHECK_RANGE)
}
