//! A dense matrix in single precision, for values of which there are many and of which few digits count.

use crate::by_columns::by_columns;
use crate::matrix::Matrix;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, Par};
use pulp::Arch;

/// A dense matrix of f32, stored by columns. Products with vectors are summed in f64.
#[derive(Debug, Clone)]
pub struct SingleMatrix(Mat<f32>);

by_columns!(SingleMatrix, f32);

impl SingleMatrix {
    /// A matrix rounded to single precision.
    pub fn rounded(matrix: &Matrix) -> Self {
        SingleMatrix::from_columns(matrix.n_rows(), matrix.n_columns(), |j, out| {
            out.iter_mut().zip(matrix.column(j)).for_each(|(o, v)| *o = *v as f32);
        })
    }

    /// `out` = AB. Cost: 2·rows·columns·columns flops, one thread.
    pub fn product(&self, other: &SingleMatrix, out: &mut SingleMatrix) {
        faer::linalg::matmul::matmul(out.0.as_mut(), Accum::Replace, self.0.as_ref(), other.0.as_ref(), 1.0, Par::Seq);
    }

    /// `out` = ABᵀ. Cost: 2·rows·rows·columns flops, one thread.
    pub fn product_transposed(&self, other: &SingleMatrix, out: &mut SingleMatrix) {
        faer::linalg::matmul::matmul(
            out.0.as_mut(),
            Accum::Replace,
            self.0.as_ref(),
            other.0.transpose(),
            1.0,
            Par::Seq,
        );
    }

    /// Adds AᵀA to `out` (lower half only), summed in single precision over the rows of A. Cost: rows·columns² flops, one
    /// thread.
    pub fn add_gram(&self, out: &mut Matrix) {
        let size = self.n_columns();
        let mut gram = Mat::<f32>::zeros(size, size);
        matmul(
            gram.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            self.0.transpose(),
            BlockStructure::Rectangular,
            self.0.as_ref(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        for j in 0..size {
            let sums = out.column_mut(j)[j..].iter_mut().zip(&gram.col_as_slice(j)[j..]);
            sums.for_each(|(o, g)| *o += f64::from(*g));
        }
    }
}

/// Replaces each x by exp(−max(a + b − 2x, 0)), with its own a; the error is some units in the last place of an f32, and
/// what is below e⁻⁸⁷ is 0. Cost: one pass, vectorised.
pub fn exp_of_distance_single(x: &mut [f32], a: &[f32], b: f32) {
    Arch::new().dispatch(|| x.iter_mut().zip(a).for_each(|(x, a)| *x = exp_of_minus((a + b - 2.0 * *x).max(0.0))));
}

/// e⁻ˣ for x ≥ 0 without a branch: 2ⁿeʳ with |r| ≤ ½ ln 2 and a Taylor sum.
#[inline(always)]
fn exp_of_minus(x: f32) -> f32 {
    const LARGEST: f32 = 87.0;
    const TO_INTEGER: f32 = 12_582_912.0; // 1.5·2²³: adding it leaves the nearest whole number in the low bits
    const LN_2_HIGH: f32 = 0.693_359_4; // ln 2 in 12 bits, so that n·ln 2 is exact
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let bounded = -x.min(LARGEST);
    let shifted = bounded * std::f32::consts::LOG2_E + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    let r = (bounded - n * LN_2_HIGH) - n * LN_2_LOW;
    let mut sum = 1.0 / 5_040.0;
    for factorial in [720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        sum = sum * r + 1.0 / factorial;
    }
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    if x > LARGEST { 0.0 } else { sum * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_double_precision_rounded() {
        let a = Matrix::from_fn(37, 6, |i, j| ((i * 7 + j * 3) % 11) as f64 * 0.3 - 1.4);
        let b = Matrix::from_fn(5, 6, |i, j| ((i * 5 + j) % 7) as f64 * 0.2 - 0.5);
        let (one, two) = (SingleMatrix::rounded(&a), SingleMatrix::rounded(&b));
        let (mut wanted, mut got) = (Matrix::zeros(37, 5), SingleMatrix::zeros(37, 5));
        a.product_transposed(&b, &mut wanted);
        one.product_transposed(&two, &mut got);
        for j in 0..5 {
            assert!(wanted.column(j).iter().zip(got.column(j)).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-5));
        }
        let (mut gram, mut single) = (Matrix::zeros(6, 6), Matrix::zeros(6, 6));
        a.add_gram(&mut gram);
        one.add_gram(&mut single);
        let x: Vec<f64> = (0..37).map(|i| f64::from(i) * 0.1).collect();
        let (mut p, mut q) = (vec![0.0; 6], vec![0.0; 6]);
        a.transpose_times(&x, &mut p);
        one.transpose_times(&x, &mut q);
        for j in 0..6 {
            assert!(gram.column(j)[j..].iter().zip(&single.column(j)[j..]).all(|(a, b)| (a - b).abs() < 1e-4));
            assert!((p[j] - q[j]).abs() < 1e-4);
        }
        let (mut p, mut q) = (vec![0.0; 37], vec![0.0; 37]);
        a.times(&x[..6], &mut p);
        one.times(&x[..6], &mut q);
        assert!(p.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-6));
    }

    #[test]
    fn exp_is_exact_to_some_units() {
        let distances: Vec<f32> = (0..100_000).map(|i| i as f32 * 0.001).collect();
        let mut x: Vec<f32> = distances.iter().map(|d| -0.5 * d).collect();
        exp_of_distance_single(&mut x, &vec![0.0; distances.len()], 0.0);
        for (d, got) in distances.iter().zip(&x) {
            let want = (-f64::from(*d)).exp();
            if *d > 87.0 {
                assert!(*got < 2e-38);
            } else {
                assert!((f64::from(*got) - want).abs() <= 4e-7 * want, "{d}: {got} {want}");
            }
        }
    }
}
