//! The derivative of f by the features' weights, in matrix products.

use crate::machines::block::MatrixBlock;
use crate::machines::kernel::{Kernel, KernelShape, KernelValues};
use crate::numeric::linalg::{Matrix, SingleMatrix, dot, scale, vectorised};

impl Kernel {
    /// ∂f/∂θ for f = Σ_j v_j k(x, z_j) and the rows of block `at`: a row per row, a column per feature.
    ///
    /// Cost: a product of rows × bases × features for `poly`, twice that for `rbf`, a pass for `linear`.
    pub(crate) fn derivative(&self, z: &Matrix, values: &KernelValues, at: usize, v: &[f64]) -> MatrixBlock {
        match (self.shape, values.rows(at)) {
            (KernelShape::Linear, x) => {
                let sums: Vec<f64> = (0..z.n_columns()).map(|k| self.scale * dot(v, z.column(k))).collect();
                x.scaled(&vec![1.0; x.n_rows()], &sums, false)
            }
            (KernelShape::Poly, x) => values.with(at, |_, bases| self.of_polynomial(x, z, bases, v)),
            (KernelShape::Rbf, x) => values.with(at, |block, _| self.of_rbf(x, z, block, v)),
        }
    }

    fn of_polynomial(&self, x: &MatrixBlock, z: &Matrix, bases: Option<&Matrix>, v: &[f64]) -> MatrixBlock {
        let features = z.n_columns();
        let factor = self.scale * f64::from(self.degree);
        let weighted = Matrix::from_columns(z.n_rows(), features, |k, out| {
            out.iter_mut().zip(z.column(k)).zip(v).for_each(|((o, z), v)| *o = z * v * factor);
        });
        let mut out = Matrix::zeros(x.n_rows(), features);
        match (bases, self.degree) {
            (Some(bases), 2) => bases.product(&weighted, &mut out),
            (Some(bases), degree) => bases.map(|b| b.powi(degree as i32 - 1)).product(&weighted, &mut out),
            (None, _) => {} // a polynomial has its bases
        }
        let ones = vec![1.0; x.n_rows()];
        let mut column = ones.clone();
        for k in 0..features {
            x.scaled_column(k, &ones, 1.0, &mut column);
            out.column_mut(k).iter_mut().zip(&column).for_each(|(o, x)| *o *= x);
        }
        MatrixBlock::Double(out)
    }

    /// −s[x²∘(K v) − 2x∘(K(v∘Z)) + K(v∘Z²)], from one product K·[v∘Z, v∘Z², v].
    fn of_rbf(&self, x: &MatrixBlock, z: &Matrix, block: &MatrixBlock, v: &[f64]) -> MatrixBlock {
        let features = z.n_columns();
        let weighted = Matrix::from_columns(z.n_rows(), 2 * features + 1, |k, out| match k {
            k if k < features => scale(z.column(k), v, 1.0, out),
            k if k < 2 * features => {
                let column = z.column(k - features);
                out.iter_mut().zip(column).zip(v).for_each(|((o, z), v)| *o = z * z * v);
            }
            _ => out.copy_from_slice(v),
        });
        let s = self.scale;
        match (x, block) {
            (MatrixBlock::Double(x), MatrixBlock::Double(block)) => {
                let mut sums = Matrix::zeros(x.n_rows(), 2 * features + 1);
                block.product(&weighted, &mut sums);
                let total = sums.column(2 * features);
                MatrixBlock::Double(Matrix::from_columns(x.n_rows(), features, |k, out| {
                    let (one, two) = (sums.column(k), sums.column(features + k));
                    let parts = out.iter_mut().zip(x.column(k)).zip(one).zip(two).zip(total);
                    vectorised(|| {
                        parts.for_each(|((((o, x), one), two), total)| *o = -s * (x * x * total - 2.0 * x * one + two));
                    });
                }))
            }
            (MatrixBlock::Single(x), MatrixBlock::Single(block)) => {
                let mut sums = SingleMatrix::zeros(x.n_rows(), 2 * features + 1);
                block.product(&SingleMatrix::rounded(&weighted), &mut sums);
                let total = sums.column(2 * features);
                let s = s as f32;
                MatrixBlock::Single(SingleMatrix::from_columns(x.n_rows(), features, |k, out| {
                    let (one, two) = (sums.column(k), sums.column(features + k));
                    let parts = out.iter_mut().zip(x.column(k)).zip(one).zip(two).zip(total);
                    vectorised(|| {
                        parts.for_each(|((((o, x), one), two), total)| *o = -s * (x * x * total - 2.0 * x * one + two));
                    });
                }))
            }
            // rows and their kernel are of one precision
            _ => MatrixBlock::Double(Matrix::zeros(x.n_rows(), features)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::block::row_blocks;
    use crate::numeric::random;
    use rand::RngExt;
    use std::sync::Arc;

    fn numbers(block: &MatrixBlock, k: usize) -> Vec<f64> {
        let ones = vec![1.0; block.n_rows()];
        let mut out = ones.clone();
        block.scaled_column(k, &ones, 1.0, &mut out);
        out
    }

    #[test]
    fn derivatives_are_those_of_the_values() {
        let mut rng = random::stream(8, 0);
        let mut draw = |n: usize, k: usize| Matrix::from_fn(n, k, |_, _| rng.random::<f64>() * 2.0 - 1.0);
        let z = draw(5, 4);
        let v = [0.5, -1.0, 2.0, 0.25, -0.75];
        let theta = [0.7, 0.2, 1.3, 0.9];
        // the second is so long that it is in single precision
        for (rows, within) in [(7, 1e-8), (6000, 2e-6)] {
            let x = draw(rows, 4);
            for (shape, degree) in [
                (KernelShape::Linear, 1),
                (KernelShape::Rbf, 1),
                (KernelShape::Poly, 1),
                (KernelShape::Poly, 2),
                (KernelShape::Poly, 5),
            ] {
                let kernel = Kernel { shape, degree, scale: 0.25 };
                let f = |theta: &[f64]| {
                    let mut out = vec![0.0; rows];
                    kernel.matrix(&x, &z, theta).times(&v, &mut out);
                    out
                };
                let blocks = Arc::new(row_blocks(&x, &[0, 1, 2, 3], 5));
                let values = kernel.values(&blocks, &z, &theta);
                let exact: Vec<MatrixBlock> =
                    (0..values.n_blocks()).map(|at| kernel.derivative(&z, &values, at, &v)).collect();
                for k in 0..4 {
                    let shifted = |by: f64| {
                        let mut moved = theta;
                        moved[k] += by;
                        f(&moved)
                    };
                    let (up, down) = (shifted(1e-6), shifted(-1e-6));
                    let slopes = up.iter().zip(&down).map(|(up, down)| (up - down) / 2e-6);
                    let exact = exact.iter().flat_map(|block| numbers(block, k));
                    for (slope, exact) in slopes.zip(exact) {
                        assert!((slope - exact).abs() < within, "{shape:?} {degree}: {slope} {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn single_precision_differs_in_the_seventh_digit() {
        let mut rng = random::stream(9, 0);
        let mut draw = |n: usize, k: usize| Matrix::from_fn(n, k, |_, _| rng.random::<f64>() * 4.0 - 2.0);
        let (x, z) = (draw(6000, 6), draw(20, 6));
        let theta = [1.0, 0.5, 2.0, 0.1, 1.0, 0.0];
        for shape in [KernelShape::Linear, KernelShape::Rbf] {
            let kernel = Kernel { shape, degree: 1, scale: 1.0 / 6.0 };
            let exact = kernel.matrix(&x, &z, &theta);
            let values = kernel.values(&Arc::new(row_blocks(&x, &[0, 1, 2, 3, 4, 5], 20)), &z, &theta);
            let mut from = 0;
            for at in 0..values.n_blocks() {
                values.with(at, |block, _| {
                    assert!(matches!(block, MatrixBlock::Single(_)));
                    for j in 0..20 {
                        for (i, value) in numbers(block, j).iter().enumerate() {
                            assert!((value - exact.column(j)[from + i]).abs() < 3e-6, "{shape:?}");
                        }
                    }
                });
                from += values.block_rows(at);
            }
        }
    }
}
