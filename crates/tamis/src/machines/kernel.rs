//! Kernels with a weight per feature, in matrix products.

use crate::machines::block::MatrixBlock;
use crate::machines::rounded_block::RoundedBlock;
use crate::numeric::linalg::{Matrix, SingleMatrix, exp_of_distance, exp_of_distance_single, vectorised};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The shape of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KernelShape {
    /// s Σ θ_k x_k z_k.
    #[default]
    Linear,
    /// exp(−s Σ θ_k (x_k − z_k)²).
    Rbf,
    /// (1 + s Σ θ_k x_k z_k)^P.
    Poly,
}

impl KernelShape {
    /// The name users type.
    pub fn name(self) -> &'static str {
        match self {
            KernelShape::Linear => "linear",
            KernelShape::Rbf => "rbf",
            KernelShape::Poly => "poly",
        }
    }
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

/// Numbers of a kernel that are kept in memory as they are computed.
const MOST_EXACT: usize = 1 << 26;
/// Numbers of a larger kernel that are kept in 16 bits; blocks beyond them are computed again whenever they are needed.
const MOST_ROUNDED: usize = 200 << 20;

/// A kernel between rows and bases, in blocks of rows.
pub(crate) struct KernelValues {
    x: Arc<Vec<MatrixBlock>>,
    bases: WeightedBases,
    /// The first blocks, or none where they are too many.
    stored: Vec<StoredBlock>,
}

/// A block of kernel values in memory.
enum StoredBlock {
    /// k(x_i, z_j) and, of a polynomial, 1 + s Σ θ x z.
    Exact(MatrixBlock, Option<Matrix>),
    /// k(x_i, z_j) of a kernel whose values are between 0 and 1.
    Rounded(RoundedBlock),
}

/// Bases with the features' weights, ready for products with rows.
struct WeightedBases {
    kernel: Kernel,
    theta: Vec<f64>,
    /// s θ_k z_k.
    weighted: Matrix,
    single: Option<SingleMatrix>,
    /// s Σ θ_k z_k² of each basis, where the shape needs it.
    norms: Vec<f64>,
}

impl KernelValues {
    /// How many rows there are.
    pub(crate) fn n_rows(&self) -> usize {
        self.x.iter().map(MatrixBlock::n_rows).sum()
    }

    /// How many blocks.
    pub(crate) fn n_blocks(&self) -> usize {
        self.x.len()
    }

    /// How many rows a block has.
    pub(crate) fn block_rows(&self, at: usize) -> usize {
        self.x[at].n_rows()
    }

    /// The rows themselves.
    pub(crate) fn rows(&self, at: usize) -> &MatrixBlock {
        &self.x[at]
    }

    /// Calls `with` with the values of a block of rows and, of a polynomial, its bases.
    pub(crate) fn with<R>(&self, at: usize, with: impl FnOnce(&MatrixBlock, Option<&Matrix>) -> R) -> R {
        match self.stored.get(at) {
            Some(StoredBlock::Exact(block, bases)) => with(block, bases.as_ref()),
            Some(StoredBlock::Rounded(block)) => with(&MatrixBlock::Single(block.numbers()), None),
            None => {
                let (block, bases) = self.bases.one_block(&self.x[at]);
                with(&block, bases.as_ref())
            }
        }
    }

    /// Frees the memory of the values: they are computed again if they are needed.
    pub(crate) fn forget(&mut self) {
        self.stored = vec![];
    }

    /// The values for only these of the bases, which are the rows of `z`; `None` where they are to be computed.
    pub(crate) fn of_bases(self, kept: &[usize], z: &Matrix) -> Option<KernelValues> {
        let few = self.n_rows() * kept.len() <= MOST_EXACT;
        let KernelValues { x, bases, stored } = self;
        if stored.len() < x.len() || few && stored.iter().any(|block| matches!(block, StoredBlock::Rounded(_))) {
            return None;
        }
        let stored = stored.into_iter().map(|block| block.of_bases(kept)).collect();
        Some(KernelValues {
            x,
            bases: WeightedBases::new(bases.kernel, z, &bases.theta, bases.single.is_some()),
            stored,
        })
    }
}

impl StoredBlock {
    fn of_bases(self, kept: &[usize]) -> StoredBlock {
        match self {
            StoredBlock::Exact(block, bases) => {
                StoredBlock::Exact(block.select_columns(kept), bases.map(|bases| bases.select_columns(kept)))
            }
            StoredBlock::Rounded(mut block) => {
                block.keep(kept);
                StoredBlock::Rounded(block)
            }
        }
    }
}

impl WeightedBases {
    fn new(kernel: Kernel, z: &Matrix, theta: &[f64], single: bool) -> WeightedBases {
        let weighted = Matrix::from_columns(z.n_rows(), z.n_columns(), |k, out| {
            out.iter_mut().zip(z.column(k)).for_each(|(o, v)| *o = v * theta[k] * kernel.scale);
        });
        WeightedBases {
            kernel,
            theta: theta.to_vec(),
            single: single.then(|| SingleMatrix::rounded(&weighted)),
            weighted,
            norms: kernel.norms(z, theta),
        }
    }

    /// k between the rows of one block and the bases.
    fn one_block(&self, x: &MatrixBlock) -> (MatrixBlock, Option<Matrix>) {
        match (x, &self.single) {
            (MatrixBlock::Single(x), Some(weighted)) => self.one_single(x, weighted),
            (MatrixBlock::Single(x), None) => {
                // in double precision where that is wanted of few rows
                let x = Matrix::from_fn(x.n_rows(), x.n_columns(), |i, k| f64::from(x.column(k)[i]));
                self.one_double(&x)
            }
            (MatrixBlock::Double(x), _) => self.one_double(x),
        }
    }

    fn one_double(&self, x: &Matrix) -> (MatrixBlock, Option<Matrix>) {
        let mut inner = Matrix::zeros(x.n_rows(), self.weighted.n_rows());
        x.product_transposed(&self.weighted, &mut inner);
        match self.kernel.shape {
            KernelShape::Linear => (MatrixBlock::Double(inner), None),
            KernelShape::Poly => {
                let bases = inner.map(|v| 1.0 + v);
                (MatrixBlock::Double(bases.map(|b| b.powi(self.kernel.degree as i32))), Some(bases))
            }
            KernelShape::Rbf => {
                let nx = self.kernel.norms(x, &self.theta);
                self.norms.iter().enumerate().for_each(|(j, nz)| exp_of_distance(inner.column_mut(j), &nx, *nz));
                (MatrixBlock::Double(inner), None)
            }
        }
    }

    fn one_single(&self, x: &SingleMatrix, weighted: &SingleMatrix) -> (MatrixBlock, Option<Matrix>) {
        let n = x.n_rows();
        let mut inner = SingleMatrix::zeros(n, weighted.n_rows());
        x.product_transposed(weighted, &mut inner);
        if self.kernel.shape == KernelShape::Rbf {
            let mut nx = vec![0.0_f32; n];
            for k in 0..x.n_columns() {
                let t = (self.theta[k] * self.kernel.scale) as f32;
                vectorised(|| nx.iter_mut().zip(x.column(k)).for_each(|(s, v)| *s += t * v * v));
            }
            let columns = self.norms.iter().enumerate();
            columns.for_each(|(j, nz)| exp_of_distance_single(inner.column_mut(j), &nx, *nz as f32));
        }
        (MatrixBlock::Single(inner), None)
    }
}

impl Kernel {
    /// Whether f is linear in the features' weights.
    pub(crate) fn is_linear(&self) -> bool {
        self.shape == KernelShape::Linear
    }

    /// k between blocks of rows and the rows of `z`, features weighted by `theta`. A polynomial is computed in double
    /// precision, whose powers need it.
    ///
    /// Cost: one product of rows × features × bases.
    pub(crate) fn values(&self, x: &Arc<Vec<MatrixBlock>>, z: &Matrix, theta: &[f64]) -> KernelValues {
        let bases = WeightedBases::new(*self, z, theta, self.shape != KernelShape::Poly);
        let rows: usize = x.iter().map(MatrixBlock::n_rows).sum();
        let exact = |x: &MatrixBlock| {
            let (block, of_polynomial) = bases.one_block(x);
            StoredBlock::Exact(block, of_polynomial)
        };
        let rounded = |x: &MatrixBlock| match bases.one_block(x) {
            (MatrixBlock::Single(block), None) => StoredBlock::Rounded(RoundedBlock::of(&block)),
            (block, of_polynomial) => StoredBlock::Exact(block, of_polynomial),
        };
        let stored = if rows * z.n_rows() <= MOST_EXACT {
            x.iter().map(exact).collect()
        } else if self.shape == KernelShape::Rbf {
            let mut left = MOST_ROUNDED / z.n_rows();
            let fits = |x: &&MatrixBlock| {
                let fits = x.n_rows() <= left;
                left = left.saturating_sub(x.n_rows());
                fits
            };
            x.iter().take_while(fits).map(rounded).collect()
        } else {
            vec![]
        };
        KernelValues { x: Arc::clone(x), bases, stored }
    }

    /// k between the rows of one matrix and those of `z`.
    pub(crate) fn matrix(&self, x: &Matrix, z: &Matrix, theta: &[f64]) -> Matrix {
        match WeightedBases::new(*self, z, theta, false).one_double(x).0 {
            MatrixBlock::Double(values) => values,
            MatrixBlock::Single(_) => Matrix::zeros(0, 0), // rows in double precision have values in double precision
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::block::row_blocks;

    #[test]
    fn values_of_kept_bases_are_those_computed_for_them() {
        let x = Matrix::from_fn(6000, 3, |i, k| ((i * 7 + k * 5) % 23) as f64 * 0.1 - 1.1);
        let z = Matrix::from_fn(4, 3, |j, k| x.column(k)[j * 11]);
        let kept = [0, 2, 3];
        let fewer = Matrix::from_fn(3, 3, |j, k| z.column(k)[kept[j]]);
        let theta = [1.0, 0.3, 2.0];
        for shape in [KernelShape::Rbf, KernelShape::Poly] {
            let kernel = Kernel { shape, degree: 2, scale: 1.0 / 3.0 };
            let blocks = Arc::new(row_blocks(&x, &[0, 1, 2], 4));
            let got = kernel.values(&blocks, &z, &theta).of_bases(&kept, &fewer).expect("stored");
            let mut forgotten = kernel.values(&blocks, &fewer, &theta);
            forgotten.forget();
            for at in 0..got.n_blocks() {
                let numbers = |values: &KernelValues| {
                    values.with(at, |block, _| {
                        let mut out = vec![0.0; 3];
                        block.transpose_times(&vec![1.0; block.n_rows()], &mut out);
                        out
                    })
                };
                let apart =
                    numbers(&got).iter().zip(numbers(&forgotten)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-3, "{shape:?}: {apart}");
            }
            assert!(forgotten.of_bases(&[0], &fewer).is_none(), "what is not in memory is computed");
        }
    }
}
