//! Eigenvalues and eigenvectors of a symmetric matrix.

use crate::Matrix;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par, Spec};

/// The eigenvalues of a symmetric matrix, ascending, and its eigenvectors.
#[derive(Debug, Clone)]
pub struct Eigen {
    /// Ascending.
    pub values: Vec<f64>,
    /// One per column, of length 1.
    pub vectors: Matrix,
}

impl Eigen {
    /// Decomposes a matrix given by its lower half; `None` where its numbers are not finite or the iteration fails.
    /// Cost: about 9n³ flops, one thread: with more its bits would depend on their number.
    pub fn of(matrix: &Matrix) -> Option<Eigen> {
        let n = matrix.n_rows();
        if n == 0 {
            return Some(Eigen { values: vec![], vectors: Matrix::zeros(0, 0) });
        }
        if (0..n).any(|j| matrix.column(j)[j..].iter().any(|x| !x.is_finite())) {
            return None;
        }
        let mut vectors = Mat::zeros(n, n);
        let mut values = faer::Col::<f64>::zeros(n);
        let params = Spec::default();
        let need = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, params);
        let mut memory = MemBuffer::new(need);
        self_adjoint_evd(
            matrix.0.as_ref(),
            values.as_diagonal_mut(),
            Some(vectors.as_mut()),
            Par::Seq,
            MemStack::new(&mut memory),
            params,
        )
        .ok()?;
        Some(Eigen { values: values.iter().copied().collect(), vectors: Matrix(vectors) })
    }
}
