//! Scores of many permuted numbers from a matrix product: correlations with every null target at once.

use super::column_block::{Block, Groups};
use super::shuffled_units::Units;
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
    groups: Groups,
}

impl ByNumber {
    /// `nulls` are the numbers of the units in other orders, `real` those of the samples.
    pub(super) fn new(nulls: &[Vec<f64>], real: &[f64], units: &Units, data: &View) -> ByNumber {
        let weights: Vec<f64> =
            data.rows().iter().map(|&row| data.weights().map_or(1.0, |w| w[row as usize])).collect();
        let total: f64 = weights.iter().sum();
        let mean =
            |values: &[f64], weights: &[f64]| values.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() / total;
        let middle = mean(real, &weights);
        let real: Vec<f64> = real.iter().map(|x| x - middle).collect();
        let matrix = |entry: &dyn Fn(f64, usize) -> f64| {
            Matrix::from_columns(real.len(), nulls.len(), |r, out| {
                let middle = mean(&nulls[r], &units.weights);
                out.fill(0.0);
                for ((&sample, weight), value) in units.samples.iter().zip(&units.weights).zip(&nulls[r]) {
                    out[sample as usize] += weight * entry(value - middle, sample as usize);
                }
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
            groups: Groups { rows: vec![data.rows().to_vec()], weights: vec![weights] },
        }
    }

    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The scores of the columns of a block: all null targets for the table as it is, the first `calibration` for the
    /// table without its regression on the real target.
    pub(super) fn score(&self, block: &Block, calibration: usize, maps: &Maps) -> NullBlock {
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
        let mut out = NullBlock::new(count, calibration, block.width());
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
            for r in 0..count {
                let size = sizes[r] - means[r].powi(2) / n;
                let product = products.column(j)[r];
                out.gate.column_mut(j)[r] = maps.t(product, size, facts.squares, n - 2.0);
                if r < calibration {
                    let cross = crosses[r] - means[r] * real_sum / n;
                    let size = size - if real_size > 0.0 { cross * cross / real_size } else { 0.0 };
                    let within = facts.squares - slope * slope * real_size;
                    out.calibration.column_mut(j)[r] = maps.t(product - slope * cross, size, within, n - 3.0);
                }
            }
        }
        out
    }
}
