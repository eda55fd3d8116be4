//! The Cholesky factor of a positive definite matrix.

use crate::Matrix;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::{Mat, Par, Spec};

/// The factor L of a symmetric positive definite matrix LLᵀ.
#[derive(Debug)]
pub struct Cholesky(Mat<f64>);

/// The matrix is not positive definite: the pivot at `index` is not positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NonPositivePivot {
    /// Which pivot.
    pub index: usize,
}

impl Cholesky {
    /// Factors a matrix given by its lower half. Cost: n³/3 flops, one thread.
    pub fn factor(matrix: Matrix) -> Result<Self, NonPositivePivot> {
        let mut m = matrix.0;
        let params = Spec::default();
        let mut memory = MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(m.nrows(), Par::Seq, params));
        llt::factor::cholesky_in_place(m.as_mut(), Default::default(), Par::Seq, MemStack::new(&mut memory), params)
            .map_err(|llt::factor::LltError::NonPositivePivot { index }| NonPositivePivot { index })?;
        Ok(Cholesky(m))
    }

    /// Replaces every column of `x` by L⁻¹ times it. Cost: n² flops a column, one thread.
    pub fn half_solve(&self, x: &mut Matrix) {
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(self.0.as_ref(), x.0.as_mut(), Par::Seq);
    }

    /// L⁻¹. Cost: n³/3 flops, one thread.
    pub fn inverse_factor(&self) -> Matrix {
        let n = self.0.nrows();
        let mut inverse = Mat::zeros(n, n);
        faer::linalg::triangular_inverse::invert_lower_triangular(inverse.as_mut(), self.0.as_ref(), Par::Seq);
        Matrix(inverse)
    }

    /// The smallest pivot, the least of L's diagonal squared: what is left of a column once those before it are known.
    pub fn smallest_pivot(&self) -> f64 {
        (0..self.0.nrows()).map(|i| self.0[(i, i)].powi(2)).fold(f64::INFINITY, f64::min)
    }

    /// ln det LLᵀ.
    pub fn log_determinant(&self) -> f64 {
        (0..self.0.nrows()).map(|i| 2.0 * self.0[(i, i)].ln()).sum()
    }

    /// Replaces `x` by (LLᵀ)⁻¹x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = x.len();
        let rhs = faer::MatMut::from_column_major_slice_mut(x, n, 1);
        llt::solve::solve_in_place(self.0.as_ref(), rhs, Par::Seq, MemStack::new(&mut []));
    }
}
