//! Scores of many permuted class labels from a few matrix products.
//!
//! The sums of a column over every null class are one product of the columns with the indicators of those classes, made
//! class by real class; squares are another where variances are not pooled. The scores of the table with the real
//! classes' means taken out follow from the same sums.

use super::centred_columns::{CentredColumns, ColumnFacts, Groups, weighted_squares};
use super::column_sums::ColumnSums;
use super::null_block::NullCounts;
use super::to_z::WelchSums;
use super::welch_of_many::factor_of_overlap;
use super::{Maps, NullBlock};
use crate::numeric::linalg::{Cholesky, Matrix, dot};
use crate::score::{Statistic, rank};
use crate::table::View;
use std::collections::HashMap;

/// Null classes of the samples, ready for products.
pub(super) struct ByClass {
    n_classes: usize,
    /// Null targets.
    counts: NullCounts,
    /// Null classes whose sums are taken, per null target: all but the last (of two: the positive one).
    coded: usize,
    /// Per real class: the weight of every sample in each coded class of each null target, null target by null target.
    indicators: Vec<Matrix>,
    /// Per real class: the sums of those columns.
    overlaps: Vec<Vec<f64>>,
    groups: Groups,
}

impl ByClass {
    /// `nulls` are the classes of the samples in other orders, the first `gate` of them those of the gate; `weights` are
    /// those of the table's rows; with two classes `positive` is the one whose sums are taken.
    pub(super) fn new(
        nulls: &[Vec<u32>],
        data: &View,
        weights: Option<&[f64]>,
        codes: &[u32],
        (n_classes, positive): (usize, usize),
        gate: usize,
    ) -> ByClass {
        let coded = n_classes - 1;
        let class_of = |j: usize| if n_classes == 2 { positive as u32 } else { j as u32 };
        let (samples, groups) = Groups::of_classes(data.rows(), weights, codes, n_classes);
        let weight = |i: usize| weights.map_or(1.0, |w| w[data.rows()[i] as usize]);
        let indicators: Vec<Matrix> = samples
            .iter()
            .map(|samples| {
                Matrix::from_columns(samples.len(), nulls.len() * coded, |column, out| {
                    let (null, class) = (&nulls[column / coded], class_of(column % coded));
                    let each = out.iter_mut().zip(samples);
                    each.for_each(|(out, &i)| *out = if null[i] == class { weight(i) } else { 0.0 });
                })
            })
            .collect();
        let sums = |m: &Matrix| (0..m.n_columns()).map(|j| m.column(j).iter().sum()).collect();
        let overlaps = indicators.iter().map(sums).collect();
        ByClass { n_classes, counts: NullCounts { gate, states: nulls.len() }, coded, indicators, overlaps, groups }
    }

    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The scores of the columns of a block, of the table as it is and of the table without the real classes' means.
    pub(super) fn score(&self, block: &CentredColumns, maps: &Maps) -> NullBlock {
        let products =
            |of: &[Matrix]| -> Vec<Matrix> { self.indicators.iter().zip(of).map(transposed_times).collect() };
        let sums = products(&block.centred);
        let squares =
            maps.by_welch().then(|| products(&block.centred.iter().map(|m| m.map(|x| x * x)).collect::<Vec<Matrix>>()));
        let counts = block.present.as_ref().map(|present| products(present));
        let mut exact = HashMap::new();
        let mut out = NullBlock::new(self.counts, block.width());
        for (j, facts) in block.columns.iter().enumerate() {
            let column = ColumnSums {
                coded: self.coded,
                facts: *facts,
                sums: sums.iter().map(|m| m.column(j)).collect(),
                squares: squares.iter().flatten().map(|m| m.column(j)).collect(),
                overlaps: match &counts {
                    Some(counts) if facts.missing => counts.iter().map(|m| m.column(j)).collect(),
                    _ => self.overlaps.iter().map(Vec::as_slice).collect(),
                },
                means: self.class_means(block, j),
            };
            column.score(maps, &mut exact, out.gate.column_mut(j), out.states.column_mut(j));
        }
        out
    }

    /// (weight, mean, Σw(x − mean)²) of a column in every real class.
    fn class_means(&self, block: &CentredColumns, j: usize) -> Vec<(f64, f64, f64)> {
        let one = |class: usize| {
            let (x, weights) = (block.centred[class].column(j), &self.groups.weights[class]);
            let count = match &block.present {
                Some(present) => dot(present[class].column(j), weights),
                None => weights.iter().sum(),
            };
            let (sum, squares) = (dot(x, weights), weighted_squares(x, weights));
            let mean = if count > 0.0 { sum / count } else { 0.0 };
            (count, mean, squares - count * mean * mean)
        };
        (0..self.n_classes).map(one).collect()
    }
}

/// AᵀB.
fn transposed_times((a, b): (&Matrix, &Matrix)) -> Matrix {
    let mut out = Matrix::zeros(a.n_columns(), b.n_columns());
    a.transpose_product(b, &mut out);
    out
}

impl ColumnSums<'_> {
    fn total(of: &[&[f64]], at: usize) -> f64 {
        of.iter().map(|values| values[at]).sum()
    }

    /// Writes the scores against the first null targets, of the column as it is and without its class means.
    pub(super) fn score(
        &self,
        maps: &Maps,
        exact: &mut HashMap<(u32, u32), Vec<f64>>,
        gate: &mut [f64],
        states: &mut [f64],
    ) {
        if self.coded == 1 && maps.by_plain_welch() {
            return self.score_by_welch(maps, gate, states);
        }
        gate.iter_mut().enumerate().for_each(|(r, out)| *out = self.gate(r, maps, exact));
        states.iter_mut().enumerate().for_each(|(r, out)| *out = self.without_means(r, maps));
    }

    /// The score against null target `r` of the column as it is.
    fn gate(&self, r: usize, maps: &Maps, exact: &mut HashMap<(u32, u32), Vec<f64>>) -> f64 {
        let coded = self.coded;
        let at = r * coded;
        let ColumnFacts { count: n, mean, squares, tied, .. } = self.facts;
        if coded == 1 {
            let (sum, count) = (Self::total(&self.sums, at), Self::total(&self.overlaps, at));
            return match maps.statistic {
                Statistic::MannWhitney => {
                    let u = sum + count * mean - 0.5 * count * (count + 1.0);
                    rank::z_of_u((u, count, n - count, tied), maps.weighted, exact)
                }
                _ if maps.by_welch() => {
                    let sums = WelchSums { sum, square: Self::total(&self.squares, at), count };
                    maps.welch(sums, (n, squares), 1.0, self.facts.feature)
                }
                _ => maps.t(sum, count - count * count / n, squares, n - 2.0, self.facts.feature),
            };
        }
        let (mut between, mut left, mut left_sum) = (0.0, n, 0.0);
        for j in at..at + coded {
            let (sum, count) = (Self::total(&self.sums, j), Self::total(&self.overlaps, j));
            between += if count > 0.0 { sum * sum / count } else { 0.0 };
            left -= count;
            left_sum -= sum;
        }
        between += if left > 0.0 { left_sum * left_sum / left } else { 0.0 };
        maps.several(between, (squares, n), coded as f64, tied, self.facts.feature)
    }

    /// The score against null target `r`, made orthogonal to the real one, of the column without its class means.
    fn without_means(&self, r: usize, maps: &Maps) -> f64 {
        let coded = self.coded;
        let at = r * coded;
        let n = self.facts.count;
        let within: f64 = self.means.iter().map(|m| m.2).sum();
        let left = |j: usize| -> f64 {
            let each = self.sums.iter().zip(&self.overlaps).zip(&self.means);
            each.map(|((sum, overlap), mean)| sum[j] - overlap[j] * mean.1).sum()
        };
        let shared = |j: usize, k: usize| -> f64 {
            let each = self.overlaps.iter().zip(&self.means).filter(|(_, mean)| mean.0 > 0.0);
            each.map(|(overlap, mean)| overlap[j] * overlap[k] / mean.0).sum()
        };
        if coded == 1 {
            let count = Self::total(&self.overlaps, at);
            let (sum, size) = (left(at), count - shared(at, at));
            if maps.by_welch() {
                let square = |class: usize| {
                    let (_, mean, _) = self.means[class];
                    let shift = mean * (self.overlaps[class][at] * mean - 2.0 * self.sums[class][at]);
                    self.squares[class][at] + shift
                };
                let squares: f64 = (0..self.means.len()).map(square).sum();
                let sums = WelchSums { sum, square: squares, count };
                return maps.welch(sums, (n, within), factor_of_overlap(size, count, n), self.facts.feature);
            }
            return maps.t(sum, size, within, n - 3.0, self.facts.feature);
        }
        let gram = Matrix::from_fn(coded, coded, |j, k| {
            let own = if j == k { Self::total(&self.overlaps, at + j) } else { 0.0 };
            own - shared(at + j, at + k)
        });
        let sums: Vec<f64> = (at..at + coded).map(left).collect();
        let mut solved = sums.clone();
        match Cholesky::factor(gram) {
            Ok(factor) => factor.solve(&mut solved),
            Err(_) => return 0.0, // the null classes are the real ones but for their names
        }
        let between: f64 = sums.iter().zip(&solved).map(|(a, b)| a * b).sum();
        maps.f(between, within, coded as f64, n - 1.0 - 2.0 * coded as f64, self.facts.feature)
    }
}
