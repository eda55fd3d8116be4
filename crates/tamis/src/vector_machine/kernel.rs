//! Kernels with a weight per feature, and their derivatives by it, in matrix products.

use crate::numeric::linalg::{Matrix, dot, exp_of_distance, scale};
use serde::{Deserialize, Serialize};

/// The shape of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
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
    pub shape: Shape,
    /// P of a polynomial.
    pub degree: u32,
    /// s.
    pub scale: f64,
}

/// What is needed of a kernel between rows and bases: its values, and what the derivative is made of.
pub(crate) struct Values {
    /// k(x_i, z_j).
    pub(crate) values: Matrix,
    /// 1 + s Σ θ x z, of a polynomial.
    bases: Option<Matrix>,
}

impl Kernel {
    /// Whether f is linear in the features' weights.
    pub(crate) fn is_linear(&self) -> bool {
        self.shape == Shape::Linear
    }

    /// k between the rows of `x` and those of `z`, features weighted by `theta`.
    ///
    /// Cost: one product of rows × features × bases.
    pub(crate) fn values(&self, x: &Matrix, z: &Matrix, theta: &[f64]) -> Values {
        let (n, m) = (x.rows(), z.rows());
        let weighted = Matrix::from_columns(m, z.columns(), |k, out| {
            out.iter_mut().zip(z.column(k)).for_each(|(o, v)| *o = v * theta[k] * self.scale);
        });
        let mut inner = Matrix::zeros(n, m);
        x.product_transposed(&weighted, &mut inner);
        match self.shape {
            Shape::Linear => Values { values: inner, bases: None },
            Shape::Poly => {
                let bases = inner.map(|v| 1.0 + v);
                Values { values: bases.map(|b| b.powi(self.degree as i32)), bases: Some(bases) }
            }
            Shape::Rbf => {
                let norms = |rows: &Matrix| {
                    let mut sums = vec![0.0; rows.rows()];
                    for k in 0..rows.columns() {
                        let t = theta[k] * self.scale;
                        sums.iter_mut().zip(rows.column(k)).for_each(|(s, v)| *s += t * v * v);
                    }
                    sums
                };
                let (nx, nz) = (norms(x), norms(z));
                (0..m).for_each(|j| exp_of_distance(inner.column_mut(j), &nx, nz[j]));
                Values { values: inner, bases: None }
            }
        }
    }

    /// ∂f/∂θ for f = Σ_j v_j k(x, z_j): a row per row of `x`, a column per feature.
    ///
    /// Cost: a product of rows × bases × features for `poly`, twice that for `rbf`, a pass for `linear`.
    pub(crate) fn derivative(&self, x: &Matrix, z: &Matrix, values: &Values, v: &[f64]) -> Matrix {
        let (n, features) = (x.rows(), x.columns());
        let s = self.scale;
        match self.shape {
            Shape::Linear => {
                let sums: Vec<f64> = (0..features).map(|k| s * dot(v, z.column(k))).collect();
                Matrix::from_columns(n, features, |k, out| {
                    out.iter_mut().zip(x.column(k)).for_each(|(o, x)| *o = x * sums[k]);
                })
            }
            Shape::Poly => {
                let factor = s * f64::from(self.degree);
                let weighted = Matrix::from_columns(z.rows(), features, |k, out| {
                    out.iter_mut().zip(z.column(k)).zip(v).for_each(|((o, z), v)| *o = z * v * factor);
                });
                let mut out = Matrix::zeros(n, features);
                match (&values.bases, self.degree) {
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
            Shape::Rbf => {
                // K·[v∘Z, v∘Z², v] at once
                let weighted = Matrix::from_columns(z.rows(), 2 * features + 1, |k, out| match k {
                    k if k < features => scale(z.column(k), v, 1.0, out),
                    k if k < 2 * features => {
                        let column = z.column(k - features);
                        out.iter_mut().zip(column).zip(v).for_each(|((o, z), v)| *o = z * z * v);
                    }
                    _ => out.copy_from_slice(v),
                });
                let mut sums = Matrix::zeros(n, 2 * features + 1);
                values.values.product(&weighted, &mut sums);
                let total = sums.column(2 * features);
                Matrix::from_columns(n, features, |k, out| {
                    let (one, two) = (sums.column(k), sums.column(features + k));
                    let parts = out.iter_mut().zip(x.column(k)).zip(one).zip(two).zip(total);
                    parts.for_each(|((((o, x), one), two), total)| *o = -s * (x * x * total - 2.0 * x * one + two));
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
        for (shape, degree) in
            [(Shape::Linear, 1), (Shape::Rbf, 1), (Shape::Poly, 1), (Shape::Poly, 2), (Shape::Poly, 5)]
        {
            let kernel = Kernel { shape, degree, scale: 0.25 };
            let f = |theta: &[f64]| {
                let mut out = vec![0.0; 7];
                kernel.values(&x, &z, theta).values.times(&v, &mut out);
                out
            };
            let exact = kernel.derivative(&x, &z, &kernel.values(&x, &z, &theta), &v);
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
