//! Columns and responses in the basis of the eigenvectors of XXᵀ, in which a background's variance is diagonal.

use super::column_blocks::ColumnBlocks;
use super::projection::Projected;
use crate::base::{Error, Place, Result};
use crate::numeric::linalg::{Eigen, Matrix, dot};

/// Eigenvalues below this share of the largest are rounding.
const ROUNDING: f64 = 1e-9;

/// Z = UᵀX and UᵀY with the eigenvalues of XXᵀ, largest first.
pub(super) struct Eigenbasis {
    pub(super) z: ColumnBlocks,
    pub(super) values: Vec<f64>,
    /// A row of numbers per response.
    pub(super) y: Vec<Vec<f64>>,
    /// |Y|².
    pub(super) total: f64,
    /// The part of |Y|² outside the span of the columns.
    pub(super) rest: f64,
    /// Degrees of freedom m.
    pub(super) freedom: f64,
}

/// The cross-products of columns of length 1 and responses, from which everything follows where rows are more than columns.
pub(super) struct CrossProducts {
    /// XᵀX, lower half.
    pub(super) gram: Matrix,
    /// XᵀY, a list per response.
    pub(super) xy: Vec<Vec<f64>>,
    /// |Y|².
    pub(super) total: f64,
    pub(super) freedom: f64,
}

impl Eigenbasis {
    /// N ≤ K: of XXᵀ, the columns turned in place. N > K: of XᵀX, and then rows are no longer needed.
    ///
    /// Cost: N²K + N³, or NK² + K³.
    ///
    /// # Errors
    ///
    /// Numbers so large that products are infinite.
    pub(super) fn of(data: Projected) -> Result<Eigenbasis> {
        let Projected { columns, y, freedom, .. } = data;
        let total = y.iter().map(|y| dot(y, y)).sum();
        if columns.n_rows() > columns.n_columns() {
            let product = |y: &Vec<f64>| {
                let mut out = vec![0.0; columns.n_columns()];
                columns.transpose_times(y, &mut out);
                out
            };
            let xy = y.iter().map(product).collect();
            let gram = columns.gram();
            drop(columns);
            return CrossProducts { gram, xy, total, freedom }.eigenbasis();
        }
        let (values, u) = decomposed(&columns.outer_gram())?;
        let turned = |y: &Vec<f64>| {
            let mut out = vec![0.0; values.len()];
            u.transpose_times(y, &mut out);
            out
        };
        let y: Vec<Vec<f64>> = y.iter().map(turned).collect();
        Ok(Eigenbasis { z: columns.rotated(&u), rest: rest(total, &y, freedom), y, values, total, freedom })
    }
}

impl CrossProducts {
    /// Z = diag(√w)Uᵀ and diag(1/√w)UᵀXᵀY.
    pub(super) fn eigenbasis(self) -> Result<Eigenbasis> {
        let CrossProducts { gram, xy, total, freedom } = self;
        let (values, u) = decomposed(&gram)?;
        drop(gram);
        let columns = (0..u.n_rows())
            .map(|j| values.iter().enumerate().map(|(i, value)| value.sqrt() * u.column(i)[j]).collect())
            .collect();
        let turned =
            |xy: &Vec<f64>| values.iter().enumerate().map(|(i, value)| dot(u.column(i), xy) / value.sqrt()).collect();
        let y: Vec<Vec<f64>> = xy.iter().map(turned).collect();
        let z = ColumnBlocks::new(values.len(), columns);
        Ok(Eigenbasis { z, rest: rest(total, &y, freedom), y, values, total, freedom })
    }
}

fn rest(total: f64, y: &[Vec<f64>], freedom: f64) -> f64 {
    let inside: f64 = y.iter().map(|y| dot(y, y)).sum();
    if freedom > y.first().map_or(0.0, |y| y.len() as f64) { (total - inside).max(0.0) } else { 0.0 }
}

/// The eigenvalues that are more than rounding, largest first, with their vectors.
fn decomposed(gram: &Matrix) -> Result<(Vec<f64>, Matrix)> {
    let Some(Eigen { values, vectors }) = Eigen::of(gram) else {
        let problem = "products of the columns are not finite";
        return Err(Error::data(Place::default(), problem, "rescale columns of very large numbers"));
    };
    let largest = values.last().copied().unwrap_or(0.0);
    let order: Vec<usize> = (0..values.len()).rev().filter(|&i| values[i] > ROUNDING * largest).collect();
    Ok((order.iter().map(|&i| values[i]).collect(), vectors.select_columns(&order)))
}
