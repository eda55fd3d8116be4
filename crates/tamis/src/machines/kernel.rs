//! Kernels with a weight per feature, and their derivatives by it, in matrix products.

use crate::numeric::linalg::{Matrix, dot, exp_of_distance, scale, vectorised};
use serde::{Deserialize, Serialize};

/// The shape of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelShape {
    /// s Σ θ_k x_k z_k.
    #[default]
    Linear,
    /// exp(−s Σ θ_k (x_k − z_k)²).
    Rbf,
    /// (1 + s Σ θ_k x_k z_k)^P.
    Poly,
}

/// A kernel: its shape, its degree and its fixed scale s, one over the number of features there were at first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// The shape.
    pub shape: KernelShape,
    /// P of a polynomial.
    pub degree: u32,
    /// s.
    pub scale: f64,
}

/// A kernel between rows and bases, in blocks of rows: its values and the factors of its derivative.
pub(crate) struct KernelValues {
    /// k(x_i, z_j).
    blocks: Vec<Matrix>,
    /// 1 + s Σ θ x z, of a polynomial.
    bases: Vec<Matrix>,
}

impl KernelValues {
    /// How many rows there are.
    pub(crate) fn n_rows(&self) -> usize {
        self.blocks.iter().map(Matrix::n_rows).sum()
    }

    /// How many blocks.
    pub(crate) fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The values of a block of rows.
    pub(crate) fn block(&self, at: usize) -> &Matrix {
        &self.blocks[at]
    }
}

/// The rows of a matrix in blocks, so that a block beside `width` bases or features fits a core's cache.
pub(crate) fn blocks_of(x: &Matrix, width: usize) -> Vec<Matrix> {
    const NUMBERS: usize = 1 << 16;
    let size = (NUMBERS / width.max(1)).clamp(256, 4096);
    let starts = (0..x.n_rows()).step_by(size);
    starts.map(|from| x.select_rows(from..(from + size).min(x.n_rows()))).collect()
}

impl Kernel {
    /// Whether f is linear in the features' weights.
    pub(crate) fn is_linear(&self) -> bool {
        self.shape == KernelShape::Linear
    }

    /// k between the rows of `x` and those of `z`, features weighted by `theta`.
    ///
    /// Cost: one product of rows × features × bases.
    pub(crate) fn values(&self, x: &[Matrix], z: &Matrix, theta: &[f64]) -> KernelValues {
        let weighted = self.weighted(z, theta);
        let nz = self.norms(z, theta);
        let one = |x: &Matrix| self.one_block(x, &weighted, &nz, theta);
        let (blocks, bases): (Vec<Matrix>, Vec<Option<Matrix>>) = x.iter().map(one).unzip();
        KernelValues { blocks, bases: bases.into_iter().flatten().collect() }
    }

    /// k between the rows of one block and those of `z`.
    pub(crate) fn matrix(&self, x: &Matrix, z: &Matrix, theta: &[f64]) -> Matrix {
        self.one_block(x, &self.weighted(z, theta), &self.norms(z, theta), theta).0
    }

    /// s θ_k z_k.
    fn weighted(&self, z: &Matrix, theta: &[f64]) -> Matrix {
        Matrix::from_columns(z.n_rows(), z.n_columns(), |k, out| {
            out.iter_mut().zip(z.column(k)).for_each(|(o, v)| *o = v * theta[k] * self.scale);
        })
    }

    /// s Σ θ_k x_k² of each row, where the shape needs it.
    fn norms(&self, rows: &Matrix, theta: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; rows.n_rows()];
        if self.shape == KernelShape::Rbf {
            for k in 0..rows.n_columns() {
                let t = theta[k] * self.scale;
                vectorised(|| sums.iter_mut().zip(rows.column(k)).for_each(|(s, v)| *s += t * v * v));
            }
        }
        sums
    }

    fn one_block(&self, x: &Matrix, weighted: &Matrix, nz: &[f64], theta: &[f64]) -> (Matrix, Option<Matrix>) {
        let mut inner = Matrix::zeros(x.n_rows(), weighted.n_rows());
        x.product_transposed(weighted, &mut inner);
        match self.shape {
            KernelShape::Linear => (inner, None),
            KernelShape::Poly => {
                let bases = inner.map(|v| 1.0 + v);
                (bases.map(|b| b.powi(self.degree as i32)), Some(bases))
            }
            KernelShape::Rbf => {
                let nx = self.norms(x, theta);
                nz.iter().enumerate().for_each(|(j, nz)| exp_of_distance(inner.column_mut(j), &nx, *nz));
                (inner, None)
            }
        }
    }

    /// ∂f/∂θ for f = Σ_j v_j k(x, z_j) and the rows of block `at`: a row per row, a column per feature.
    ///
    /// Cost: a product of rows × bases × features for `poly`, twice that for `rbf`, a pass for `linear`.
    pub(crate) fn derivative(&self, x: &Matrix, z: &Matrix, values: &KernelValues, at: usize, v: &[f64]) -> Matrix {
        let (n, features) = (x.n_rows(), x.n_columns());
        let s = self.scale;
        match self.shape {
            KernelShape::Linear => {
                let sums: Vec<f64> = (0..features).map(|k| s * dot(v, z.column(k))).collect();
                Matrix::from_columns(n, features, |k, out| {
                    out.iter_mut().zip(x.column(k)).for_each(|(o, x)| *o = x * sums[k]);
                })
            }
            KernelShape::Poly => {
                let factor = s * f64::from(self.degree);
                let weighted = Matrix::from_columns(z.n_rows(), features, |k, out| {
                    out.iter_mut().zip(z.column(k)).zip(v).for_each(|((o, z), v)| *o = z * v * factor);
                });
                let mut out = Matrix::zeros(n, features);
                match (values.bases.get(at), self.degree) {
                    (Some(bases), 2) => bases.product(&weighted, &mut out),
                    (Some(bases), degree) => {
                        bases.map(|b| b.powi(degree as i32 - 1)).product(&weighted, &mut out);
                    }
                    (None, _) => {} // a polynomial has its bases
                }
                for k in 0..features {
                    out.column_mut(k).iter_mut().zip(x.column(k)).for_each(|(o, x)| *o *= x);
                }
                out
            }
            KernelShape::Rbf => {
                // K·[v∘Z, v∘Z², v] at once
                let weighted = Matrix::from_columns(z.n_rows(), 2 * features + 1, |k, out| match k {
                    k if k < features => scale(z.column(k), v, 1.0, out),
                    k if k < 2 * features => {
                        let column = z.column(k - features);
                        out.iter_mut().zip(column).zip(v).for_each(|((o, z), v)| *o = z * z * v);
                    }
                    _ => out.copy_from_slice(v),
                });
                let mut sums = Matrix::zeros(n, 2 * features + 1);
                values.block(at).product(&weighted, &mut sums);
                let total = sums.column(2 * features);
                Matrix::from_columns(n, features, |k, out| {
                    let (one, two) = (sums.column(k), sums.column(features + k));
                    let parts = out.iter_mut().zip(x.column(k)).zip(one).zip(two).zip(total);
                    vectorised(|| {
                        parts.for_each(|((((o, x), one), two), total)| *o = -s * (x * x * total - 2.0 * x * one + two));
                    });
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use rand::RngExt;

    #[test]
    fn derivatives_are_those_of_the_values() {
        let mut rng = random::stream(8, 0);
        let mut draw = |n: usize, k: usize| Matrix::from_fn(n, k, |_, _| rng.random::<f64>() * 2.0 - 1.0);
        let (x, z) = (draw(7, 4), draw(5, 4));
        let v = [0.5, -1.0, 2.0, 0.25, -0.75];
        let theta = [0.7, 0.2, 1.3, 0.9];
        for (shape, degree) in [
            (KernelShape::Linear, 1),
            (KernelShape::Rbf, 1),
            (KernelShape::Poly, 1),
            (KernelShape::Poly, 2),
            (KernelShape::Poly, 5),
        ] {
            let kernel = Kernel { shape, degree, scale: 0.25 };
            let f = |theta: &[f64]| {
                let mut out = vec![0.0; 7];
                kernel.matrix(&x, &z, theta).times(&v, &mut out);
                out
            };
            let values = kernel.values(std::slice::from_ref(&x), &z, &theta);
            let exact = kernel.derivative(&x, &z, &values, 0, &v);
            for k in 0..4 {
                let shifted = |by: f64| {
                    let mut moved = theta;
                    moved[k] += by;
                    f(&moved)
                };
                let (up, down) = (shifted(1e-6), shifted(-1e-6));
                for i in 0..7 {
                    let slope = (up[i] - down[i]) / 2e-6;
                    assert!(
                        (slope - exact.column(k)[i]).abs() < 1e-8,
                        "{shape:?} {degree}: {slope} {}",
                        exact.column(k)[i]
                    );
                }
            }
        }
    }
}
