//! Scores of many permuted numbers from a matrix product: correlations with every null target at once.

use super::centred_columns::{CentredColumns, Groups};
use super::null_block::NullCounts;
use super::sample_order::SampleOrder;
use super::{Maps, NullBlock};
use crate::numeric::linalg::Matrix;
use crate::table::View;

/// Null targets as numbers, ready for products.
pub(super) struct ByNumber {
    /// Weight times centred null target, a column each.
    weighted: Matrix,
    /// Weight times its square, a column each.
    squared: Matrix,
    /// Weight times its product with the real target, a column each.
    crossed: Matrix,
    /// The sums of the columns of these three.
    complete: [Vec<f64>; 3],
    /// The real target, centred.
    real: Vec<f64>,
    /// How many null targets, the first ones, the gate has.
    gate: usize,
    groups: Groups,
}

impl ByNumber {
    /// `nulls` are the numbers of the samples in other orders, `real` those that they have; `weights` are theirs.
    pub(super) fn new(
        nulls: &[Vec<f64>],
        real: &[f64],
        SampleOrder(order): &SampleOrder,
        weights: Vec<f64>,
        data: &View,
        gate: usize,
    ) -> ByNumber {
        let total: f64 = weights.iter().sum();
        let middle = real.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>() / total;
        let real: Vec<f64> = real.iter().map(|x| x - middle).collect();
        let matrix = |entry: &dyn Fn(f64, usize) -> f64| {
            Matrix::from_columns(real.len(), nulls.len(), |r, out| {
                let null = &nulls[r];
                let weighted = order.iter().map(|&sample| null[sample as usize] * weights[sample as usize]);
                let middle = weighted.sum::<f64>() / total;
                let each = out.iter_mut().zip(null).zip(&weights).enumerate();
                each.for_each(|(i, ((out, value), weight))| *out = weight * entry(value - middle, i));
            })
        };
        let [weighted, squared, crossed] = [matrix(&|e, _| e), matrix(&|e, _| e * e), matrix(&|e, i| e * real[i])];
        let sums = |m: &Matrix| (0..m.n_columns()).map(|r| m.column(r).iter().sum()).collect();
        ByNumber {
            complete: [sums(&weighted), sums(&squared), sums(&crossed)],
            weighted,
            squared,
            crossed,
            real: real.clone(),
            gate,
            groups: Groups { rows: vec![data.rows().to_vec()], weights: vec![weights] },
        }
    }

    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The scores of the columns of a block, of the table as it is and of the table without its regression on the real
    /// target.
    pub(super) fn score(&self, block: &CentredColumns, maps: &Maps) -> NullBlock {
        let count = self.weighted.n_columns();
        let product = |with: &Matrix, of: &Matrix| {
            let mut out = Matrix::zeros(count, of.n_columns());
            with.transpose_product(of, &mut out);
            out
        };
        let products = product(&self.weighted, &block.centred[0]);
        let own = block
            .present
            .as_ref()
            .map(|present| [&self.weighted, &self.squared, &self.crossed].map(|with| product(with, &present[0])));
        let all_ones = vec![1.0; self.real.len()];
        let weights = &self.groups.weights[0];
        let mut out = NullBlock::new(NullCounts { gate: self.gate, states: count }, block.width());
        for (j, facts) in block.columns.iter().enumerate() {
            let mask = block.present.as_ref().map_or(&*all_ones, |present| present[0].column(j));
            let [means, sizes, crosses] = match &own {
                Some(own) if facts.missing => [0, 1, 2].map(|i: usize| own[i].column(j)),
                _ => [0, 1, 2].map(|i: usize| self.complete[i].as_slice()),
            };
            let (n, x) = (facts.count, block.centred[0].column(j));
            let sum = |f: &dyn Fn(usize) -> f64| (0..x.len()).map(|i| weights[i] * mask[i] * f(i)).sum::<f64>();
            let real_sum = sum(&|i| self.real[i]);
            let real_size = sum(&|i| self.real[i] * self.real[i]) - real_sum * real_sum / n;
            let slope = if real_size > 0.0 { sum(&|i| self.real[i] * x[i]) / real_size } else { 0.0 };
            let real = RealSums { sum: real_sum, size: real_size, slope };
            let column = NumberSums {
                feature: facts.feature,
                n,
                squares: facts.squares,
                real,
                products: products.column(j),
                means,
                sizes,
                crosses,
            };
            column.score(maps, out.gate.column_mut(j), out.states.column_mut(j));
        }
        out
    }
}

/// The real target over the rows of a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct RealSums {
    /// Its sum; it is centred over all rows.
    pub(super) sum: f64,
    /// Its squared deviations from its mean.
    pub(super) size: f64,
    /// The slope of the column on it.
    pub(super) slope: f64,
}

/// Everything about one column that its null scores follow from; the column is centred, sums are by null target.
pub(super) struct NumberSums<'a> {
    /// The column's position in the table.
    pub(super) feature: usize,
    /// The weight of the column's rows.
    pub(super) n: f64,
    /// The column's squared deviations from its mean.
    pub(super) squares: f64,
    pub(super) real: RealSums,
    /// Of null target times column.
    pub(super) products: &'a [f64],
    /// Of the null target.
    pub(super) means: &'a [f64],
    /// Of its square.
    pub(super) sizes: &'a [f64],
    /// Of its product with the real target.
    pub(super) crosses: &'a [f64],
}

impl NumberSums<'_> {
    /// Writes the scores against the first null targets, of the column as it is and without its regression on the real
    /// target.
    pub(super) fn score(&self, maps: &Maps, gate: &mut [f64], states: &mut [f64]) {
        let (n, real) = (self.n, self.real);
        let within = self.squares - real.slope * real.slope * real.size;
        for (r, state) in states.iter_mut().enumerate() {
            let size = self.sizes[r] - self.means[r].powi(2) / n;
            let product = self.products[r];
            if let Some(gate) = gate.get_mut(r) {
                *gate = maps.t(product, size, self.squares, n - 2.0, self.feature);
            }
            let cross = self.crosses[r] - self.means[r] * real.sum / n;
            let size = size - if real.size > 0.0 { cross * cross / real.size } else { 0.0 };
            *state = maps.t(product - real.slope * cross, size, within, n - 3.0, self.feature);
        }
    }
}
