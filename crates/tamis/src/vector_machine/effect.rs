//! How weights move f: a matrix that is never copied only to carry signs or a column of ones.

use crate::numeric::linalg::{Matrix, scale};

/// J of f = Jw: a column of ones for the bias, if there is one, then the columns of a matrix, each with its sign.
pub(crate) struct Effect<'a> {
    columns: &'a Matrix,
    signs: Option<&'a [f64]>,
    bias: bool,
}

impl<'a> Effect<'a> {
    /// Of the bias and the samples' weights: 1, y_1 k(·, z_1), …
    pub(crate) fn of_samples(kernel: &'a Matrix, signs: &'a [f64]) -> Effect<'a> {
        Effect { columns: kernel, signs: Some(signs), bias: true }
    }

    /// The same where the bias is known.
    pub(crate) fn without_bias(kernel: &'a Matrix, signs: &'a [f64]) -> Effect<'a> {
        Effect { columns: kernel, signs: Some(signs), bias: false }
    }

    /// Of the features' weights: ∂f/∂θ.
    pub(crate) fn of_features(derivative: &'a Matrix) -> Effect<'a> {
        Effect { columns: derivative, signs: None, bias: false }
    }

    /// How many rows f has.
    pub(crate) fn rows(&self) -> usize {
        self.columns.rows()
    }

    /// How many weights there are.
    pub(crate) fn len(&self) -> usize {
        self.columns.columns() + usize::from(self.bias)
    }

    fn sign(&self, column: usize) -> f64 {
        self.signs.map_or(1.0, |s| s[column])
    }

    /// Jw. Cost: one pass.
    pub(crate) fn times(&self, w: &[f64]) -> Vec<f64> {
        let first = usize::from(self.bias);
        let signed: Vec<f64> = w[first..].iter().enumerate().map(|(j, w)| w * self.sign(j)).collect();
        let mut out = vec![0.0; self.rows()];
        self.columns.times(&signed, &mut out);
        if self.bias {
            out.iter_mut().for_each(|f| *f += w[0]);
        }
        out
    }

    /// Jᵀr. Cost: one pass.
    pub(crate) fn transpose_times(&self, r: &[f64]) -> Vec<f64> {
        let first = usize::from(self.bias);
        let mut out = vec![0.0; self.len()];
        self.columns.transpose_times(r, &mut out[first..]);
        out[first..].iter_mut().enumerate().for_each(|(j, o)| *o *= self.sign(j));
        if self.bias {
            out[0] = r.iter().sum();
        }
        out
    }

    /// Only the columns `which` of J, row i times `rows[i]`, column k times `factors[k]`. Cost: one pass.
    pub(crate) fn scaled(&self, which: &[usize], rows: &[f64], factors: &[f64]) -> Matrix {
        let first = usize::from(self.bias);
        Matrix::from_columns(self.rows(), which.len(), |k, out| match which[k].checked_sub(first) {
            None => out.iter_mut().zip(rows).for_each(|(o, c)| *o = c * factors[k]),
            Some(j) => scale(self.columns.column(j), rows, factors[k] * self.sign(j), out),
        })
    }
}
