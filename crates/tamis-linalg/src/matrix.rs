//! A dense matrix by columns, and its products.

use crate::by_columns::by_columns;
use crate::vectors::lanes;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, Par};
use pulp::Arch;

/// A dense matrix of f64, stored by columns.
#[derive(Debug, Clone)]
pub struct Matrix(pub(crate) Mat<f64>);

by_columns!(Matrix, f64);

impl Matrix {
    /// A matrix whose entry (i, j) is `entry(i, j)`.
    pub fn from_fn(rows: usize, columns: usize, entry: impl FnMut(usize, usize) -> f64) -> Self {
        Matrix(Mat::from_fn(rows, columns, entry))
    }

    /// The same matrix with `f` applied to every entry.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        Matrix::from_columns(self.n_rows(), self.n_columns(), |j, out| {
            out.iter_mut().zip(self.column(j)).for_each(|(o, v)| *o = f(*v));
        })
    }

    /// Only these columns.
    pub fn select_columns(&self, columns: &[usize]) -> Self {
        Matrix::from_columns(self.n_rows(), columns.len(), |j, out| out.copy_from_slice(self.column(columns[j])))
    }

    /// Only these rows.
    pub fn select_rows(&self, rows: std::ops::Range<usize>) -> Self {
        Matrix::from_columns(rows.len(), self.n_columns(), |j, out| out.copy_from_slice(&self.column(j)[rows.clone()]))
    }

    /// Σ of each column's squares. Cost: one pass.
    pub fn column_squares(&self) -> Vec<f64> {
        Arch::new().dispatch(|| (0..self.n_columns()).map(|j| lanes(self.column(j), self.column(j))).collect())
    }

    /// `out` = AᵀDA with D = diag(`d`), d ≥ 0 (lower half only). Cost: rows·columns² flops, one thread.
    pub fn weighted_gram(&self, d: &[f64], scratch: &mut Matrix, out: &mut Matrix) {
        let roots: Vec<f64> = d.iter().map(|v| v.sqrt()).collect();
        for j in 0..self.n_columns() {
            for ((s, a), r) in scratch.column_mut(j).iter_mut().zip(self.column(j)).zip(&roots) {
                *s = a * r;
            }
        }
        matmul(
            out.0.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            scratch.0.transpose(),
            BlockStructure::Rectangular,
            scratch.0.as_ref(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    }

    /// `out` = AB. Cost: 2·rows·columns·columns flops, one thread.
    pub fn product(&self, other: &Matrix, out: &mut Matrix) {
        faer::linalg::matmul::matmul(out.0.as_mut(), Accum::Replace, self.0.as_ref(), other.0.as_ref(), 1.0, Par::Seq);
    }

    /// Subtracts AB. Cost: 2·rows·columns·columns flops, one thread.
    pub fn subtract_product(&mut self, a: &Matrix, b: &Matrix) {
        faer::linalg::matmul::matmul(self.0.as_mut(), Accum::Add, a.0.as_ref(), b.0.as_ref(), -1.0, Par::Seq);
    }

    /// `out` = ABᵀ. Cost: 2·rows·rows·columns flops, one thread.
    pub fn product_transposed(&self, other: &Matrix, out: &mut Matrix) {
        faer::linalg::matmul::matmul(
            out.0.as_mut(),
            Accum::Replace,
            self.0.as_ref(),
            other.0.transpose(),
            1.0,
            Par::Seq,
        );
    }

    /// `out` = AAᵀ (lower half only). Cost: rows²·columns flops, one thread.
    pub fn outer_gram(&self, out: &mut Matrix) {
        matmul(
            out.0.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            self.0.as_ref(),
            BlockStructure::Rectangular,
            self.0.transpose(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    }

    /// Adds AAᵀ to `out` (lower half only). Cost: rows²·columns flops, one thread.
    pub fn add_outer_gram(&self, out: &mut Matrix) {
        matmul(
            out.0.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            self.0.as_ref(),
            BlockStructure::Rectangular,
            self.0.transpose(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    }

    /// Adds AᵀA to `out` (lower half only). Cost: rows·columns² flops, one thread.
    pub fn add_gram(&self, out: &mut Matrix) {
        matmul(
            out.0.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            self.0.transpose(),
            BlockStructure::Rectangular,
            self.0.as_ref(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    }

    /// `out` = AᵀB. Cost: 2·rows·columns·columns flops, one thread.
    pub fn transpose_product(&self, other: &Matrix, out: &mut Matrix) {
        faer::linalg::matmul::matmul(
            out.0.as_mut(),
            Accum::Replace,
            self.0.transpose(),
            other.0.as_ref(),
            1.0,
            Par::Seq,
        );
    }

    /// Adds another matrix of the same shape.
    pub fn add(&mut self, other: &Matrix) {
        self.0 += &other.0;
    }

    /// Adds AᵀB to `out`. Cost: 2·rows·columns·columns flops, one thread.
    pub fn add_transpose_product(&self, other: &Matrix, out: &mut Matrix) {
        faer::linalg::matmul::matmul(out.0.as_mut(), Accum::Add, self.0.transpose(), other.0.as_ref(), 1.0, Par::Seq);
    }

    /// Adds `d` to the diagonal.
    pub fn add_diagonal(&mut self, d: &[f64]) {
        for (j, &v) in d.iter().enumerate() {
            self.column_mut(j)[j] += v;
        }
    }
}
