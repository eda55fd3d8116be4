//! The Jacobian of f by the weights, one block of rows at a time, so that
//! what is made of it stays in a core's cache.

use crate::machines::kernel::{Kernel, KernelValues};
use crate::numeric::linalg::{Matrix, scale, vectorised};

/// J of f = Jw for the samples' weights, or ∂f/∂θ for the features'.
pub(crate) enum Jacobian<'a> {
    /// A column of ones for the bias, if it is among the weights, then y_1 k(·, z_1), …
    Samples { values: &'a KernelValues, signs: &'a [f64], bias: bool },
    /// The derivative by the features' weights, from the rows, the bases and the bases' signed weights.
    Features { kernel: Kernel, x: &'a [Matrix], z: &'a Matrix, values: &'a KernelValues, v: Vec<f64> },
}

/// One pass over J.
pub(crate) struct JacobianProducts {
    /// Jᵀr.
    pub(crate) gradient: Vec<f64>,
    /// JᵀCJ (lower half), where rows are not fewer than weights.
    pub(crate) gram: Option<Matrix>,
}

impl<'a> Jacobian<'a> {
    /// Of the bias and the samples' weights.
    pub(crate) fn of_samples(values: &'a KernelValues, signs: &'a [f64]) -> Jacobian<'a> {
        Jacobian::Samples { values, signs, bias: true }
    }

    /// Of the samples' weights where the bias is known.
    pub(crate) fn without_bias(values: &'a KernelValues, signs: &'a [f64]) -> Jacobian<'a> {
        Jacobian::Samples { values, signs, bias: false }
    }

    fn values(&self) -> &KernelValues {
        match self {
            Jacobian::Samples { values, .. } | Jacobian::Features { values, .. } => values,
        }
    }

    /// How many rows f has.
    pub(crate) fn n_rows(&self) -> usize {
        self.values().n_rows()
    }

    /// How many weights there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Jacobian::Samples { signs, bias, .. } => signs.len() + usize::from(*bias),
            Jacobian::Features { z, .. } => z.n_columns(),
        }
    }

    /// Rows of J: block `at`. Cost: a copy, or what the kernel's derivative costs.
    fn block(&self, at: usize) -> Matrix {
        match self {
            Jacobian::Samples { values, signs, bias } => {
                let block = values.block(at);
                let first = usize::from(*bias);
                Matrix::from_columns(block.n_rows(), self.len(), |k, out| match k.checked_sub(first) {
                    None => out.fill(1.0),
                    Some(j) => out.iter_mut().zip(block.column(j)).for_each(|(o, v)| *o = v * signs[j]),
                })
            }
            Jacobian::Features { kernel, x, z, values, v } => kernel.derivative(&x[at], z, values, at, v),
        }
    }

    /// Jw. Cost: one pass.
    pub(crate) fn times(&self, w: &[f64]) -> Vec<f64> {
        let mut f = vec![0.0; self.n_rows()];
        let mut out = f.as_mut_slice();
        for at in 0..self.values().n_blocks() {
            let (here, rest) = out.split_at_mut(self.values().block(at).n_rows());
            match self {
                Jacobian::Samples { values, signs, bias } => {
                    let first = usize::from(*bias);
                    let signed: Vec<f64> = w[first..].iter().zip(*signs).map(|(w, s)| w * s).collect();
                    values.block(at).times(&signed, here);
                    if *bias {
                        here.iter_mut().for_each(|f| *f += w[0]);
                    }
                }
                Jacobian::Features { .. } => self.block(at).times(w, here),
            }
            out = rest;
        }
        f
    }

    /// Jᵀr and, given C, JᵀCJ where there are as many rows as weights. Cost: rows × weights² flops, or one pass.
    pub(crate) fn products(&self, r: &[f64], c: Option<&[f64]>) -> JacobianProducts {
        let (n, p) = (self.n_rows(), self.len());
        let mut gradient = vec![0.0; p];
        let mut part = vec![0.0; p];
        let mut gram = (n >= p && c.is_some()).then(|| Matrix::zeros(p, p));
        let mut from = 0;
        for at in 0..self.values().n_blocks() {
            let to = from + self.values().block(at).n_rows();
            let r = &r[from..to];
            let roots: Vec<f64> = c.map_or(vec![], |c| c[from..to].iter().map(|c| c.sqrt()).collect());
            // C^½J of the block, where it is wanted
            let scaled = match self {
                Jacobian::Samples { values, signs, bias } => {
                    let block = values.block(at);
                    let first = usize::from(*bias);
                    block.transpose_times(r, &mut part[first..]);
                    gradient[first..].iter_mut().zip(&part[first..]).zip(*signs).for_each(|((g, p), s)| *g += p * s);
                    gradient[..first].iter_mut().for_each(|g| *g += r.iter().sum::<f64>());
                    gram.is_some().then(|| {
                        Matrix::from_columns(block.n_rows(), p, |k, out| match k.checked_sub(first) {
                            None => out.copy_from_slice(&roots),
                            Some(j) => scale(block.column(j), &roots, signs[j], out),
                        })
                    })
                }
                Jacobian::Features { .. } => {
                    let mut block = self.block(at);
                    block.transpose_times(r, &mut part);
                    gradient.iter_mut().zip(&part).for_each(|(g, p)| *g += p);
                    gram.is_some().then(|| {
                        vectorised(|| {
                            (0..p).for_each(|k| block.column_mut(k).iter_mut().zip(&roots).for_each(|(v, c)| *v *= c));
                        });
                        block
                    })
                }
            };
            if let (Some(gram), Some(scaled)) = (&mut gram, scaled) {
                scaled.add_gram(gram);
            }
            from = to;
        }
        JacobianProducts { gradient, gram }
    }

    /// Only the columns `which` of J, row i times `rows[i]`, column k times `factors[k]`. Cost: one pass.
    pub(crate) fn scaled(&self, which: &[usize], rows: &[f64], factors: &[f64]) -> Matrix {
        let mut all = Matrix::zeros(self.n_rows(), which.len());
        let mut from = 0;
        for at in 0..self.values().n_blocks() {
            let block = self.block(at);
            let to = from + block.n_rows();
            for (k, &column) in which.iter().enumerate() {
                scale(block.column(column), &rows[from..to], factors[k], &mut all.column_mut(k)[from..to]);
            }
            from = to;
        }
        all
    }
}
