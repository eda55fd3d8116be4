//! Dense linear algebra for tamis: the one room that knows the faer library.
//!
//! It is a crate of its own because faer is generic to the bottom: its machine code is made where it is called
//! with `f64`, and that takes a minute and a half. Here it is made once, and the library compiles in seconds.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, Par, Spec};
use pulp::Arch;

/// A dense matrix of f64, stored by columns.
#[derive(Debug, Clone)]
pub struct Matrix(Mat<f64>);

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Matrix(Mat::zeros(rows, columns))
    }

    /// A matrix whose entry (i, j) is `entry(i, j)`.
    pub fn from_fn(rows: usize, columns: usize, entry: impl FnMut(usize, usize) -> f64) -> Self {
        Matrix(Mat::from_fn(rows, columns, entry))
    }

    /// A matrix whose columns are filled one by one.
    pub fn from_columns(rows: usize, columns: usize, mut fill: impl FnMut(usize, &mut [f64])) -> Self {
        let mut matrix = Matrix::zeros(rows, columns);
        (0..columns).for_each(|j| fill(j, matrix.column_mut(j)));
        matrix
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

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.0.nrows()
    }

    /// The number of columns.
    pub fn n_columns(&self) -> usize {
        self.0.ncols()
    }

    /// Column `j` as a slice.
    pub fn column(&self, j: usize) -> &[f64] {
        self.0.col_as_slice(j)
    }

    /// Column `j` as a mutable slice.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        self.0.col_as_slice_mut(j)
    }

    /// A·x. Cost: one pass over A.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        Arch::new().dispatch(|| {
            // four columns at a time: `out` is read and written a quarter as often
            let whole = x.len() / 4 * 4;
            for j in (0..whole).step_by(4) {
                let columns = (self.column(j), self.column(j + 1), self.column(j + 2), self.column(j + 3));
                let rows = out.iter_mut().zip(columns.0).zip(columns.1).zip(columns.2).zip(columns.3);
                for ((((o, a), b), c), d) in rows {
                    *o += (a * x[j] + b * x[j + 1]) + (c * x[j + 2] + d * x[j + 3]);
                }
            }
            for (j, &xj) in x.iter().enumerate().skip(whole) {
                out.iter_mut().zip(self.column(j)).for_each(|(o, a)| *o += a * xj);
            }
        });
    }

    /// Aᵀ·x. Cost: one pass over A.
    pub fn transpose_times(&self, x: &[f64], out: &mut [f64]) {
        Arch::new().dispatch(|| {
            for (j, o) in out.iter_mut().enumerate() {
                *o = lanes(self.column(j), x);
            }
        });
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

    /// Adds `d` to the diagonal.
    pub fn add_diagonal(&mut self, d: &[f64]) {
        for (j, &v) in d.iter().enumerate() {
            self.column_mut(j)[j] += v;
        }
    }
}

/// Σ xᵢyᵢ in eight interleaved sums, so that the order of additions is fixed and the loop vectorises.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    Arch::new().dispatch(|| lanes(x, y))
}

/// Runs loops compiled for the widest vectors this machine has.
#[inline(always)]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(work)
}

/// Replaces each x by x·a·b, with its own a. Cost: one pass.
pub fn scale(x: &[f64], a: &[f64], b: f64, out: &mut [f64]) {
    Arch::new().dispatch(|| out.iter_mut().zip(x).zip(a).for_each(|((o, x), a)| *o = x * a * b));
}

/// Replaces each x by exp(−max(a + b − 2x, 0)), with its own a: a kernel from an inner product and two norms.
/// The error is below 2 units in the last place; what is below e⁻⁷⁰⁸ is 0. Cost: one pass, vectorised.
pub fn exp_of_distance(x: &mut [f64], a: &[f64], b: f64) {
    Arch::new().dispatch(|| x.iter_mut().zip(a).for_each(|(x, a)| *x = exp_of_minus((a + b - 2.0 * *x).max(0.0))));
}

/// e⁻ˣ for x ≥ 0 without a branch: 2ⁿeʳ with |r| ≤ ½ ln 2 and a Taylor sum. No fused operations, so that every
/// machine has the same bits.
#[inline(always)]
fn exp_of_minus(x: f64) -> f64 {
    const LARGEST: f64 = 708.0;
    const TO_INTEGER: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²: adding it leaves the nearest whole number in the low bits
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8; // ln 2 in 32 bits, so that n·ln 2 is exact
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let bounded = -x.min(LARGEST);
    let shifted = bounded * std::f64::consts::LOG2_E + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    let r = (bounded - n * LN_2_HIGH) - n * LN_2_LOW;
    let mut sum = 1.0 / 6_227_020_800.0;
    for factorial in
        [479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0]
    {
        sum = sum * r + 1.0 / factorial;
    }
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    if x > LARGEST { 0.0 } else { sum * power }
}

#[inline(always)]
fn lanes(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (xc, yc) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xc.remainder().iter().zip(yc.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in xc.zip(yc) {
        for i in 0..8 {
            lanes[i] += a[i] * b[i];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cholesky_solves_what_gram_builds() {
        let a = Matrix::from_fn(30, 5, |i, j| ((i * 7 + j * 3) % 11) as f64 - 4.0 + 0.1 * j as f64);
        let d: Vec<f64> = (0..30).map(|i| 0.5 + (i % 3) as f64).collect();
        let (mut scratch, mut gram) = (Matrix::zeros(30, 5), Matrix::zeros(5, 5));
        a.weighted_gram(&d, &mut scratch, &mut gram);
        gram.add_diagonal(&[0.1; 5]);
        let truth = [1.0, -2.0, 0.5, 3.0, -1.0];
        // right-hand side by plain sums over the full matrix
        let mut rhs: Vec<f64> = (0..5)
            .map(|p| {
                let gram_row: f64 = (0..5)
                    .map(|q| truth[q] * (0..30).map(|i| d[i] * a.column(p)[i] * a.column(q)[i]).sum::<f64>())
                    .sum();
                gram_row + 0.1 * truth[p]
            })
            .collect();
        let factor = Cholesky::factor(gram).expect("positive definite");
        assert!(factor.smallest_pivot() > 0.1);
        factor.solve(&mut rhs);
        for (got, want) in rhs.iter().zip(truth) {
            assert!((got - want).abs() < 1e-11, "{got} {want}");
        }
    }

    #[test]
    fn products_are_what_sums_say() {
        let a = Matrix::from_fn(7, 3, |i, j| ((i + 2 * j) % 5) as f64);
        let b = Matrix::from_fn(7, 4, |i, j| ((3 * i + j) % 4) as f64);
        let mut out = Matrix::zeros(3, 4);
        a.transpose_product(&b, &mut out);
        let mut gram = Matrix::zeros(3, 3);
        a.add_gram(&mut gram);
        let c = Matrix::from_fn(3, 2, |i, j| (i + 2 * j) as f64 - 1.0);
        let (mut ac, mut aa, mut acc) = (Matrix::zeros(7, 2), Matrix::zeros(7, 7), Matrix::zeros(3, 7));
        a.product(&c, &mut ac);
        a.outer_gram(&mut aa);
        c.product_transposed(&ac, &mut acc);
        for i in 0..7 {
            for j in 0..2 {
                assert_eq!(ac.column(j)[i], (0..3).map(|k| a.column(k)[i] * c.column(j)[k]).sum::<f64>());
            }
            for k in 0..=i {
                assert_eq!(aa.column(k)[i], (0..3).map(|j| a.column(j)[i] * a.column(j)[k]).sum::<f64>());
            }
            for p in 0..3 {
                assert_eq!(acc.column(i)[p], (0..2).map(|j| c.column(j)[p] * ac.column(j)[i]).sum::<f64>());
            }
        }
        for p in 0..3 {
            for q in 0..=p {
                assert_eq!(gram.column(q)[p], (0..7).map(|i| a.column(p)[i] * a.column(q)[i]).sum::<f64>());
            }
        }
        for p in 0..3 {
            for q in 0..4 {
                let sum: f64 = (0..7).map(|i| a.column(p)[i] * b.column(q)[i]).sum();
                assert_eq!(out.column(q)[p], sum);
            }
        }
    }

    #[test]
    fn exp_is_exact_to_two_units() {
        let mut least: Vec<f64> = (0..200_000).map(|i| -0.5 * (f64::from(i) * 0.003_571 + 1e-12)).collect();
        let wanted: Vec<f64> = least.iter().map(|x| (2.0 * x).exp()).collect();
        let zeros = vec![0.0; least.len()];
        // a + b − 2x with a = b = 0 is −2x
        exp_of_distance(&mut least, &zeros, 0.0);
        for (at, (got, want)) in least.iter().zip(&wanted).enumerate() {
            let x = f64::from(at as u32) * 0.003_571 + 1e-12;
            if x > 708.0 {
                assert_eq!(*got, 0.0);
            } else {
                assert!((got - want).abs() <= 4.5e-16 * want, "{x}: {got} {want}");
            }
        }
        let mut ends = [0.0, 1e300, -1.0, f64::INFINITY];
        exp_of_distance(&mut ends, &[0.0; 4], 0.0);
        assert_eq!(ends, [1.0, 1.0, (-2.0_f64).exp(), 1.0], "a distance is never negative");
    }

    #[test]
    fn the_inverse_factor_inverts() {
        let a = Matrix::from_fn(12, 6, |i, j| ((i * 5 + j * 3) % 7) as f64 - 2.0);
        let mut gram = Matrix::zeros(6, 6);
        a.add_gram(&mut gram);
        gram.add_diagonal(&[1.0; 6]);
        let factor = Cholesky::factor(gram).expect("positive definite");
        let inverse = factor.inverse_factor();
        for k in 0..6 {
            let mut unit = [0.0; 6];
            unit[k] = 1.0;
            factor.solve(&mut unit);
            assert!((dot(inverse.column(k), inverse.column(k)) - unit[k]).abs() < 1e-14);
        }
    }

    #[test]
    fn eigenvectors_put_the_matrix_together_again() {
        for n in [1, 2, 7, 40] {
            let entry = |i: usize, j: usize| ((i * j + i + j) % 13) as f64 - 0.3 * i.abs_diff(j) as f64;
            let lower = Matrix::from_fn(n, n, |i, j| if i >= j { entry(i, j) } else { f64::NAN });
            let Eigen { values, vectors } = Eigen::of(&lower).expect("finite");
            assert!(values.windows(2).all(|w| w[0] <= w[1]));
            let sum = |i: usize, j: usize| -> f64 {
                (0..n).map(|k| values[k] * vectors.column(k)[i] * vectors.column(k)[j]).sum()
            };
            for i in 0..n {
                for j in 0..=i {
                    assert!((sum(i, j) - entry(i, j)).abs() < 1e-11 * n as f64, "{n}: {i} {j}");
                }
            }
        }
        assert!(Eigen::of(&Matrix::from_fn(2, 2, |_, _| f64::NAN)).is_none());
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let m = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 2.0 });
        assert_eq!(Cholesky::factor(m).err(), Some(NonPositivePivot { index: 1 }));
    }
}
