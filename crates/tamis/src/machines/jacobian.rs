//! The Jacobian of f by the weights, one block of rows at a time, so that
//! what is made of it stays in a core's cache.

use crate::machines::block::MatrixBlock;
use crate::machines::kernel::{Kernel, KernelValues};
use crate::numeric::linalg::Matrix;

/// J of f = Jw for the samples' weights, or ∂f/∂θ for the features'.
pub(crate) enum Jacobian<'a> {
    /// A column of ones for the bias, if it is among the weights, then y_1 k(·, z_1), …
    Samples { values: &'a KernelValues, signs: &'a [f64], bias: bool },
    /// The derivative by the features' weights, from the kernel, the bases and the bases' signed weights.
    Features { kernel: Kernel, z: &'a Matrix, values: &'a KernelValues, v: Vec<f64> },
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

    /// Calls `with` with every block of rows of J and the place of its first row. Cost: a copy, or what the kernel's
    /// derivative costs.
    pub(crate) fn each_block(&self, mut with: impl FnMut(MatrixBlock, usize)) {
        let mut from = 0;
        for at in 0..self.values().n_blocks() {
            let rows = self.values().block_rows(at);
            let block = match self {
                Jacobian::Samples { values, signs, bias } => {
                    values.with(at, |block, _| block.scaled(&vec![1.0; rows], signs, *bias))
                }
                Jacobian::Features { kernel, z, values, v } => kernel.derivative(z, values, at, v),
            };
            with(block, from);
            from += rows;
        }
    }

    /// Jw. Cost: one pass.
    pub(crate) fn times(&self, w: &[f64]) -> Vec<f64> {
        let mut f = vec![0.0; self.n_rows()];
        match self {
            Jacobian::Features { .. } => {
                self.each_block(|block, from| block.times(w, &mut f[from..from + block.n_rows()]));
            }
            Jacobian::Samples { values, signs, bias } => {
                let first = usize::from(*bias);
                let signed: Vec<f64> = w[first..].iter().zip(*signs).map(|(w, s)| w * s).collect();
                let mut out = f.as_mut_slice();
                for at in 0..values.n_blocks() {
                    let (here, rest) = out.split_at_mut(values.block_rows(at));
                    values.with(at, |block, _| block.times(&signed, here));
                    if *bias {
                        here.iter_mut().for_each(|f| *f += w[0]);
                    }
                    out = rest;
                }
            }
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
            let to = from + self.values().block_rows(at);
            let r = &r[from..to];
            let roots: Vec<f64> = c.map_or(vec![], |c| c[from..to].iter().map(|c| c.sqrt()).collect());
            // C^½J of the block, where it is wanted
            let scaled = match self {
                Jacobian::Samples { values, signs, bias } => values.with(at, |block, _| {
                    let first = usize::from(*bias);
                    block.transpose_times(r, &mut part[first..]);
                    gradient[first..].iter_mut().zip(&part[first..]).zip(*signs).for_each(|((g, p), s)| *g += p * s);
                    gradient[..first].iter_mut().for_each(|g| *g += r.iter().sum::<f64>());
                    gram.is_some().then(|| block.scaled(&roots, signs, *bias))
                }),
                Jacobian::Features { kernel, z, values, v } => {
                    let mut block = kernel.derivative(z, values, at, v);
                    block.transpose_times(r, &mut part);
                    gradient.iter_mut().zip(&part).for_each(|(g, p)| *g += p);
                    gram.is_some().then(|| {
                        block.scale_rows(&roots);
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
        self.each_block(|block, from| {
            let to = from + block.n_rows();
            for (k, &column) in which.iter().enumerate() {
                block.scaled_column(column, &rows[from..to], factors[k], &mut all.column_mut(k)[from..to]);
            }
        });
        all
    }
}
