//! The part of a feature that is not of interest: its mean, or its means by block, and its regression on covariates.

use super::correlated_rows::CorrelatedRows;
use crate::numeric::linalg::{Matrix, dot, vectorised};
use std::sync::Arc;

/// A column of which less than this share of its range is left, once others are taken out, depends on them.
const DEPENDENT: f64 = 1e-7;

/// Samples, their blocks and weights, and the covariates' columns over them.
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    /// √w of each sample; `None` where none has a weight.
    pub(crate) roots: Option<Vec<f64>>,
    /// Whether weights are precisions, beside which every sample is one.
    pub(crate) precise: bool,
    /// Blocks whose samples are correlated.
    pub(crate) correlated: Option<CorrelatedRows>,
    /// The precision of every cell: a vector over the samples for every feature.
    pub(crate) cells: Option<Arc<Vec<Vec<f64>>>>,
    /// The block of each sample, numbered from 0; all 0 where there are no blocks.
    pub(crate) blocks: Vec<u32>,
    /// Columns of numbers: covariates, and factors as indicators.
    pub(crate) covariates: Vec<Vec<f64>>,
    /// The target's coding.
    pub(crate) target: Vec<Vec<f64>>,
    /// Whether nothing but these columns stands for the mean.
    pub(crate) no_mean: bool,
    /// Whether the target is two classes, of which its only column tells.
    pub(crate) two_classes: bool,
    /// Whether there may be more: scores are then one-sided, however many of them occur.
    pub(crate) several_classes: bool,
}

impl Samples {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// How many samples they are worth.
    pub(crate) fn weight(&self) -> f64 {
        if self.precise { self.len() as f64 } else { self.total_weight() }
    }

    fn total_weight(&self) -> f64 {
        self.roots.as_ref().map_or(self.len() as f64, |roots| roots.iter().map(|root| root * root).sum())
    }

    /// The mean of a column.
    pub(crate) fn weighted_mean(&self, column: &[f64]) -> f64 {
        let weight = |at: usize| self.roots.as_ref().map_or(1.0, |roots| roots[at] * roots[at]);
        let sum: f64 = column.iter().enumerate().map(|(at, x)| weight(at) * x).sum();
        sum / self.total_weight()
    }

    /// Gives independent noise of size 1 the sizes and correlations that the noise of these samples is taken to have.
    pub(crate) fn colour(&self, noise: &mut [f64]) {
        if self.precise || self.correlated.is_some() {
            self.in_own_unit(noise);
        }
    }

    /// Whitened values in the unit they came in.
    pub(crate) fn in_own_unit(&self, whitened: &mut [f64]) {
        if let Some(correlated) = &self.correlated {
            correlated.correlate(whitened);
        }
        if let Some(roots) = &self.roots {
            whitened.iter_mut().zip(roots).for_each(|(x, root)| *x /= root);
        }
    }

    /// The samples as one feature has them, where the precisions of its cells are its own.
    pub(crate) fn of_feature(&self, feature: usize) -> Option<Samples> {
        let cells = &self.cells.as_ref()?[feature];
        let root = |at: usize| self.roots.as_ref().map_or(1.0, |roots| roots[at]);
        let roots = cells.iter().enumerate().map(|(at, cell)| root(at) * cell.sqrt()).collect();
        Some(Samples { roots: Some(roots), cells: None, ..self.clone() })
    }

    /// Only these samples.
    pub(crate) fn only(&self, wanted: &[usize]) -> Samples {
        let pick = |values: &Vec<f64>| -> Vec<f64> { wanted.iter().map(|&i| values[i]).collect() };
        Samples {
            roots: self.roots.as_ref().map(pick),
            precise: self.precise,
            correlated: self.correlated.as_ref().map(|correlated| correlated.only(wanted)),
            cells: None,
            blocks: wanted.iter().map(|&i| self.blocks[i]).collect(),
            covariates: self.covariates.iter().map(pick).collect(),
            target: self.target.iter().map(pick).collect(),
            no_mean: self.no_mean,
            two_classes: self.two_classes,
            several_classes: self.several_classes,
        }
    }
}

/// The projection off the mean or the block means, the covariates and the target, ready for many features.
#[derive(Debug, Clone)]
pub(crate) struct Adjustment {
    roots: Option<Vec<f64>>,
    precise: bool,
    correlated: Option<CorrelatedRows>,
    blocks: Vec<u32>,
    /// The weight of each block that has samples.
    block_weights: Vec<f64>,
    /// Orthonormal columns off the block means: first of the covariates, then of the target.
    basis: Matrix,
    /// How many columns of the basis are of covariates.
    n_covariates: usize,
    /// The target's columns, off everything else, in terms of its part of the basis: upper triangular.
    triangle: Matrix,
    /// Covariate columns that depend on earlier ones.
    pub(crate) dependent: Vec<usize>,
}

/// The target cannot be told apart from what is adjusted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Confounded;

impl Adjustment {
    /// Cost: samples × (covariates + target columns)².
    pub(crate) fn new(samples: &Samples) -> Result<Adjustment, Confounded> {
        let n_blocks = samples.blocks.iter().max().map_or(0, |&most| most as usize + 1);
        let mut block_weights = vec![0.0; if samples.no_mean { 0 } else { n_blocks }];
        for (at, &block) in samples.blocks.iter().enumerate().filter(|_| !samples.no_mean) {
            block_weights[block as usize] += samples.roots.as_ref().map_or(1.0, |roots| roots[at] * roots[at]);
        }
        let (n, n_target) = (samples.len(), samples.target.len());
        let mut adjustment = Adjustment {
            roots: samples.roots.clone(),
            precise: samples.precise,
            correlated: samples.correlated.clone(),
            blocks: samples.blocks.clone(),
            block_weights,
            basis: Matrix::zeros(n, 0),
            n_covariates: 0,
            triangle: Matrix::zeros(n_target, n_target),
            dependent: vec![],
        };
        let mut basis: Vec<Vec<f64>> = vec![];
        for (at, column) in samples.covariates.iter().enumerate() {
            match orthogonal(&adjustment.centred(column), range(column), &basis) {
                (Some(direction), _) => basis.push(direction),
                (None, _) => adjustment.dependent.push(at),
            }
        }
        adjustment.n_covariates = basis.len();
        for (at, column) in samples.target.iter().enumerate() {
            let centred = adjustment.centred(column);
            let (direction, shares) = orthogonal(&centred, range(column), &basis);
            let direction = direction.ok_or(Confounded)?;
            let length = dot(&centred, &direction);
            for (of, share) in shares[adjustment.n_covariates..].iter().chain([&length]).enumerate() {
                adjustment.triangle.column_mut(at)[of] = *share;
            }
            basis.push(direction);
        }
        adjustment.basis = Matrix::from_columns(n, basis.len(), |j, out| out.copy_from_slice(&basis[j]));
        Ok(adjustment)
    }

    /// Directions of freedom that the mean or block means and the covariates take.
    pub(crate) fn rank(&self) -> usize {
        self.block_weights.iter().filter(|weight| **weight > 0.0).count() + self.n_covariates
    }

    /// How many samples there are.
    pub(crate) fn n_samples(&self) -> usize {
        self.blocks.len()
    }

    /// Columns of the target's coding.
    pub(crate) fn n_target(&self) -> usize {
        self.triangle.n_columns()
    }

    /// The target's directions: orthonormal, off everything that is adjusted for.
    pub(crate) fn target_directions(&self) -> impl Iterator<Item = &[f64]> {
        (self.n_covariates..self.basis.n_columns()).map(|j| self.basis.column(j))
    }

    /// The directions of the covariates: orthonormal.
    pub(crate) fn covariate_directions(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.n_covariates).map(|j| self.basis.column(j))
    }

    /// All directions of the design: of the means, of the covariates and of the target.
    pub(crate) fn all_directions(&self) -> Vec<Vec<f64>> {
        let root = |at: usize| self.roots.as_ref().map_or(1.0, |roots| roots[at]);
        let of_block = |(block, weight): (usize, &f64)| {
            let inside = |at: usize| self.blocks[at] as usize == block;
            (0..self.blocks.len()).map(|at| if inside(at) { root(at) / weight.sqrt() } else { 0.0 }).collect()
        };
        let means = self.block_weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0).map(of_block);
        means.chain((0..self.basis.n_columns()).map(|j| self.basis.column(j).to_vec())).collect()
    }

    /// A column without its mean or block means, times √w.
    fn centred(&self, column: &[f64]) -> Vec<f64> {
        let mut left = column.to_vec();
        self.centre(&mut left);
        left
    }

    /// Takes the mean or block means, if there are any, from a column and multiplies by √w. Returns the mean of all.
    pub(crate) fn centre(&self, column: &mut [f64]) -> f64 {
        if self.block_weights.is_empty() {
            return self.only_whitened(column);
        }
        if self.block_weights.len() == 1 && self.roots.is_none() {
            return centre_plainly(column);
        }
        let weight = |at: usize| self.roots.as_ref().map_or(1.0, |roots| roots[at] * roots[at]);
        // the mean is that of samples, however precise they are
        let total: f64 = if self.precise { column.len() as f64 } else { self.block_weights.iter().sum() };
        let first = column.first().copied().unwrap_or(0.0);
        let mut overall = 0.0;
        column.iter_mut().enumerate().for_each(|(at, x)| {
            *x -= first;
            overall += if self.precise { *x } else { weight(at) * *x };
        });
        // a second time for the digits that the first has lost
        for _ in 0..2 {
            let mut sums = vec![0.0; self.block_weights.len()];
            column.iter().zip(&self.blocks).enumerate().for_each(|(at, (x, &b))| sums[b as usize] += weight(at) * x);
            let means: Vec<f64> =
                sums.iter().zip(&self.block_weights).map(|(sum, w)| if *w > 0.0 { sum / w } else { 0.0 }).collect();
            column.iter_mut().zip(&self.blocks).for_each(|(x, &block)| *x -= means[block as usize]);
        }
        if let Some(roots) = &self.roots {
            column.iter_mut().zip(roots).for_each(|(x, root)| *x *= root);
        }
        first + if total > 0.0 { overall / total } else { 0.0 }
    }

    /// Multiplies a column by √w and makes correlated rows independent. Returns its mean.
    fn only_whitened(&self, column: &mut [f64]) -> f64 {
        let weight = |at: usize| self.roots.as_ref().filter(|_| !self.precise).map_or(1.0, |roots| roots[at].powi(2));
        let sums = column.iter().enumerate().map(|(at, x)| (weight(at) * x, weight(at)));
        let (sum, total) = sums.fold((0.0, 0.0), |(sum, total), (x, w)| (sum + x, total + w));
        if let Some(roots) = &self.roots {
            column.iter_mut().zip(roots).for_each(|(x, root)| *x *= root);
        }
        if let Some(correlated) = &self.correlated {
            correlated.whiten(column);
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// Takes covariates and target from centred columns. Returns the target's share of each column: entry j of column k
    /// is along the target's direction j.
    pub(crate) fn residuals(&self, columns: &mut Matrix) -> Matrix {
        let mut shares = Matrix::zeros(self.basis.n_columns(), columns.n_columns());
        self.basis.transpose_product(columns, &mut shares);
        columns.subtract_product(&self.basis, &shares);
        shares.select_rows(self.n_covariates..self.basis.n_columns())
    }

    /// Takes the means and covariates, but not the target, from a column of numbers, in √w units.
    pub(crate) fn off_nuisance(&self, column: &[f64]) -> Vec<f64> {
        let mut left = self.centred(column);
        for _ in 0..2 {
            for j in 0..self.n_covariates {
                let direction = self.basis.column(j);
                let share = dot(direction, &left);
                left.iter_mut().zip(direction).for_each(|(x, d)| *x -= share * d);
            }
        }
        left
    }

    /// The coefficients of the target's columns whose shares along its directions are these.
    pub(crate) fn coefficients(&self, shares: &[f64]) -> Vec<f64> {
        let mut solved = shares.to_vec();
        for j in (0..solved.len()).rev() {
            solved[j] /= self.triangle.column(j)[j];
            let found = solved[j];
            (0..j).for_each(|i| solved[i] -= self.triangle.column(j)[i] * found);
        }
        solved
    }

    /// √v of every coefficient: its standard deviation is √v times that of the noise.
    pub(crate) fn unscaled_deviations(&self) -> Vec<f64> {
        let n = self.n_target();
        let mut squares = vec![0.0; n];
        for k in 0..n {
            let unit: Vec<f64> = (0..n).map(|j| f64::from(u8::from(j == k))).collect();
            self.coefficients(&unit).iter().zip(&mut squares).for_each(|(c, square)| *square += c * c);
        }
        squares.iter().map(|square| square.sqrt()).collect()
    }
}

/// Takes the mean from a column, and returns it.
fn centre_plainly(column: &mut [f64]) -> f64 {
    let first = column.first().copied().unwrap_or(0.0);
    vectorised(|| {
        column.iter_mut().for_each(|x| *x -= first);
        let n = column.len() as f64;
        let overall = sum(column) / n;
        column.iter_mut().for_each(|x| *x -= overall);
        // a second time for the digits that the first has lost
        let rest = sum(column) / n;
        column.iter_mut().for_each(|x| *x -= rest);
        first + overall
    })
}

/// The sum of numbers in eight lanes, whatever the machine's width.
#[inline(always)]
fn sum(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (whole, rest) = values.as_chunks::<8>();
    for chunk in whole {
        lanes.iter_mut().zip(chunk).for_each(|(lane, x)| *lane += x);
    }
    lanes.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// The distance between the least and the largest number of a column.
fn range(column: &[f64]) -> f64 {
    let least = column.iter().copied().fold(f64::INFINITY, f64::min);
    column.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least
}

/// The part of a vector that is orthogonal to orthonormal ones, of length 1, with its shares along those; no part where
/// nothing is left of numbers that had this range.
fn orthogonal(vector: &[f64], range: f64, basis: &[Vec<f64>]) -> (Option<Vec<f64>>, Vec<f64>) {
    let mut left = vector.to_vec();
    let mut shares = vec![0.0; basis.len()];
    // twice is enough (Kahan)
    for _ in 0..2 {
        for (direction, total) in basis.iter().zip(&mut shares) {
            let share = dot(direction, &left);
            left.iter_mut().zip(direction).for_each(|(x, d)| *x -= share * d);
            *total += share;
        }
    }
    let length = dot(&left, &left).sqrt();
    let independent = length > DEPENDENT * range && length > 0.0;
    left.iter_mut().for_each(|x| *x /= length);
    (independent.then_some(left), shares)
}
