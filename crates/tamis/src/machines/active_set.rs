//! The active set of a machine in training: its remaining rows, bases and features. Pruned ones are never touched
//! again.

use crate::machines::block::{MatrixBlock, row_blocks};
use crate::machines::jacobian::Jacobian;
use crate::machines::kernel::{Kernel, KernelValues};
use crate::numeric::linalg::Matrix;
use std::sync::Arc;

/// Rows with their signs, of which some are bases, over the features that are left.
pub(crate) struct ActiveSet<'a> {
    all: &'a Matrix,
    /// −1 or 1 per row.
    pub(crate) y: &'a [f64],
    /// Which rows are bases.
    pub(crate) bases: Vec<usize>,
    /// Which features are left.
    pub(crate) features: Vec<usize>,
    /// The rows over the features left, in blocks.
    x: Arc<Vec<MatrixBlock>>,
    z: Matrix,
    /// The sign of each basis: that of its row, or 1 where weights may be negative.
    pub(crate) signs: Vec<f64>,
    signed: bool,
}

impl<'a> ActiveSet<'a> {
    /// All features; `bases` are rows. With `signed` weights a basis has no sign of its own.
    pub(crate) fn new(x: &'a Matrix, y: &'a [f64], bases: Vec<usize>, signed: bool) -> ActiveSet<'a> {
        let features = (0..x.n_columns()).collect();
        let mut set =
            ActiveSet { all: x, y, bases, features, x: Arc::default(), z: Matrix::zeros(0, 0), signs: vec![], signed };
        set.gather();
        set
    }

    fn gather(&mut self) {
        let (features, bases) = (&self.features, &self.bases);
        if self.x.first().is_none_or(|block| block.n_columns() != features.len()) {
            self.x = Arc::default(); // frees the blocks before it makes others
            self.x = Arc::new(row_blocks(self.all, features, bases.len().max(2 * features.len())));
        }
        self.z = Matrix::from_fn(bases.len(), features.len(), |j, k| self.all.column(features[k])[bases[j]]);
        self.signs = bases.iter().map(|&j| if self.signed { 1.0 } else { self.y[j] }).collect();
    }

    /// Only these of the bases and of the features that are left stay, by position among them.
    pub(crate) fn keep(&mut self, bases: &[usize], features: &[usize]) {
        if bases.len() < self.bases.len() || features.len() < self.features.len() {
            self.bases = bases.iter().map(|&i| self.bases[i]).collect();
            self.features = features.iter().map(|&i| self.features[i]).collect();
            self.gather();
        }
    }

    /// The kernel between rows and bases.
    pub(crate) fn kernel(&self, kernel: Kernel, theta: &[f64]) -> KernelValues {
        kernel.values(&self.x, &self.z, theta)
    }

    /// The kernel where only these bases were kept of `values`, and all features.
    pub(crate) fn kept_kernel(&self, values: KernelValues, kept: &[usize]) -> Option<KernelValues> {
        values.of_bases(kept, &self.z)
    }

    /// How the samples' weights and the bias move f.
    pub(crate) fn by_samples<'b>(&'b self, values: &'b KernelValues) -> Jacobian<'b> {
        Jacobian::of_samples(values, &self.signs)
    }

    /// How the features' weights move f, given those of the bases.
    pub(crate) fn by_features<'b>(&'b self, kernel: Kernel, values: &'b KernelValues, w: &[f64]) -> Jacobian<'b> {
        let v = w.iter().zip(&self.signs).map(|(w, y)| w * y).collect();
        Jacobian::Features { kernel, z: &self.z, values, v }
    }
}

/// Which weights stay: those whose size is not below a share of the largest and that `also` keeps; the largest always.
pub(crate) fn survivors(weights: &[f64], share: f64, also: impl Fn(usize, f64) -> bool) -> Vec<usize> {
    let largest = weights.iter().map(|w| w.abs()).fold(0.0, f64::max);
    let mut kept: Vec<usize> =
        (0..weights.len()).filter(|&i| weights[i].abs() >= share * largest && also(i, largest)).collect();
    if kept.is_empty() {
        kept.extend((0..weights.len()).max_by(|&a, &b| weights[a].abs().total_cmp(&weights[b].abs())));
    }
    kept
}
