//! Null scores of tables read in pieces: sums over all rows, kept for every null target.
//!
//! Each block of rows adds one matrix product, its null targets times its [`Terms`]. Once all rows are there, the scores
//! follow from the sums as they do for a table in memory.
//!
//! Cost: 2·rows·terms·null targets·(classes − 1) flops, with a term per column and another where variances are not pooled
//! (`welch`) or values are missing. Memory: 8 bytes for every term, null target, class and null class but one, whatever
//! the rows.

use super::by_number::{NumberSums, RealSums};
use super::centred_columns::ColumnFacts;
use super::column_sums::ColumnSums;
use super::hashed_targets::{DrawnRows, DrawnTargets};
use super::terms::{SummedColumn, Terms};
use super::{Maps, NullBlock};
use crate::numeric::linalg::Matrix;
use crate::score::category;
use crate::score::score_from_moments::Outcome;
use crate::score::{Moderation, Moments, Scale, Statistic};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Null targets whose sums are taken by one thread.
const CHUNK: usize = 25;

/// Rows of one class, ready to be summed.
pub(crate) struct RowBlock {
    /// Their class; 0 where the target is numeric.
    pub(crate) class: usize,
    /// Their numbers in the whole table.
    pub(crate) numbers: Vec<u64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) terms: Matrix,
}

/// A table whose null scores are summed.
pub(crate) struct SummedTable {
    pub(crate) columns: Vec<SummedColumn>,
    /// The classes; `None` for a numeric target.
    pub(crate) n_classes: Option<usize>,
    pub(crate) statistic: Statistic,
    pub(crate) scale: Scale,
    /// How the real scores' variances were moderated.
    pub(crate) moderation: Option<Moderation>,
    /// Whether rows have weights.
    pub(crate) weighted: bool,
    /// The weight of all rows.
    pub(crate) weight: f64,
    /// The mean of the numeric target, which [`RowBlock`]s have it less of.
    pub(crate) target_mean: f64,
    /// The dimension of the space that is left once target and mean are taken out.
    pub(crate) residual_dimension: usize,
}

impl SummedTable {
    /// What is summed of every column: squares where each class has a variance of its own.
    fn terms(&self) -> Terms {
        let by_class = self.statistic == Statistic::Welch || matches!(self.moderation, Some(Moderation::Welch(_)));
        Terms::new(&self.columns, by_class, self.n_classes.is_none())
    }
}

/// Sums of a table against null targets, and the scores that follow from them.
pub(crate) struct SummedScores {
    table: SummedTable,
    terms: Terms,
    draws: DrawnTargets,
    maps: Maps,
    count: usize,
    chunks: Vec<Chunk>,
}

/// The sums of some null targets.
struct Chunk {
    nulls: Range<usize>,
    /// Per real class: a row for each column of each null target, a column for each term.
    sums: Vec<Matrix>,
    /// The sums of squared null numbers, a column for each term that tells which rows count.
    squared: Matrix,
}

impl SummedScores {
    /// No rows yet, for `count` null targets.
    pub(crate) fn new(table: SummedTable, draws: DrawnTargets, count: usize) -> SummedScores {
        let n_classes = table.n_classes.unwrap_or(2);
        let mut maps = Maps::new(table.statistic, table.scale, table.weighted, table.moderation.clone());
        match table.moderation {
            Some(_) => maps.prepare_design(table.weight - n_classes as f64, n_classes - 1, n_classes > 2),
            None => maps.prepare(table.weight, n_classes),
        }
        let terms = table.terms();
        let groups = table.n_classes.unwrap_or(1);
        let squared = if terms.numeric { terms.presence.len() } else { 0 };
        let chunk = |from: usize| {
            let nulls = from..(from + CHUNK).min(count);
            let sums = vec![Matrix::zeros(nulls.len() * draws.width(), terms.len()); groups];
            Chunk { squared: Matrix::zeros(nulls.len(), squared), nulls, sums }
        };
        let chunks = (0..count).step_by(CHUNK).map(chunk).collect();
        SummedScores { table, terms, draws, maps, count, chunks }
    }

    /// How many numbers the sums of a table against `count` null targets are.
    pub(crate) fn size(table: &SummedTable, count: usize) -> usize {
        let terms = table.terms().len();
        let groups = table.n_classes.map_or(2, |n| n * (n - 1));
        terms.saturating_mul(groups).saturating_mul(count)
    }

    pub(crate) fn table(&self) -> &SummedTable {
        &self.table
    }

    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Adds blocks of rows, in their order: null targets in parallel, so that the bits do not depend on the threads.
    pub(crate) fn add(&mut self, blocks: &[RowBlock]) {
        let (draws, terms) = (&self.draws, &self.terms);
        self.chunks.par_iter_mut().for_each(|chunk| {
            for block in blocks {
                let rows = DrawnRows { numbers: &block.numbers, weights: &block.weights };
                let nulls = draws.weighted(chunk.nulls.clone(), rows);
                nulls.add_transpose_product(&block.terms, &mut chunk.sums[block.class]);
                if terms.numeric {
                    let presence = block.terms.select_columns(&terms.presence);
                    draws.squared(chunk.nulls.clone(), rows).add_transpose_product(&presence, &mut chunk.squared);
                }
            }
        });
    }

    /// How many features there are.
    pub(crate) fn n_features(&self) -> usize {
        self.table.columns.len()
    }

    /// How many null targets the gate has.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The null scores of neighbouring features.
    pub(crate) fn block(&self, features: Range<usize>) -> NullBlock {
        let mut out = NullBlock::new(self.count, features.len());
        for (j, at) in features.enumerate() {
            for chunk in &self.chunks {
                let Range { start, end } = chunk.nulls;
                let gate = &mut out.gate.column_mut(j)[start..end];
                let states = &mut out.states.column_mut(j)[start..end];
                self.score(chunk, at, gate, states);
            }
        }
        out
    }

    /// The scores of one column against the null targets of a chunk.
    fn score(&self, chunk: &Chunk, at: usize, gate: &mut [f64], states: &mut [f64]) {
        let start = self.terms.start(at);
        match &self.table.columns[at] {
            SummedColumn::ByClass { classes, missing } => {
                let column = |term: usize| chunk.sums.iter().map(|sums| sums.column(term)).collect::<Vec<&[f64]>>();
                let squares = usize::from(self.terms.squares);
                let (facts, means) = facts_of(classes, *missing, at);
                let sums = ColumnSums {
                    coded: self.draws.width(),
                    facts,
                    sums: column(start),
                    squares: if self.terms.squares { column(start + 1) } else { vec![] },
                    overlaps: column(if *missing { start + 1 + squares } else { 0 }),
                    means,
                };
                sums.score(&self.maps, &mut HashMap::new(), gate, states);
            }
            SummedColumn::ByNumber { joint, missing } => {
                let present = if *missing { start + 1 } else { 0 };
                let sums = NumberSums {
                    feature: at,
                    n: joint.count,
                    squares: joint.xx,
                    real: RealSums {
                        sum: joint.count * (joint.mean_y - self.table.target_mean),
                        size: joint.yy,
                        slope: if joint.yy > 0.0 { joint.xy / joint.yy } else { 0.0 },
                    },
                    products: chunk.sums[0].column(start),
                    means: chunk.sums[0].column(present),
                    sizes: chunk.squared.column(self.terms.place_of_presence(present)),
                    crosses: chunk.sums[0].column(present + 1),
                };
                sums.score(&self.maps, gate, states);
            }
            SummedColumn::Categories { weights, rows } => {
                let z = |r: usize| self.category(chunk, (start, weights, *rows), r).finite().unwrap_or(0.0);
                gate.iter_mut().enumerate().for_each(|(r, out)| *out = z(r));
                states.iter_mut().zip(gate).for_each(|(out, z)| *out = *z);
            }
            SummedColumn::Nothing => gate.iter_mut().chain(states).for_each(|out| *out = 0.0),
        }
    }

    /// The score of categories, whose terms begin at `start`, against null target `r` of a chunk.
    fn category(&self, chunk: &Chunk, (start, weights, rows): (usize, &[f64], u32), r: usize) -> Outcome {
        let coded = self.draws.width();
        if self.terms.numeric {
            let moments = weights.iter().enumerate().map(|(level, &count)| {
                let term = start + level;
                let (sum, square) =
                    (chunk.sums[0].column(term)[r], chunk.squared.column(self.terms.place_of_presence(term))[r]);
                let mean = if count > 0.0 { sum / count } else { 0.0 };
                Moments { count, mean, rest: 0.0, m2: (square - sum * mean).max(0.0) }
            });
            return category::variance_of(&moments.collect::<Vec<Moments>>(), rows);
        }
        let mut table = Vec::with_capacity(weights.len() * (coded + 1));
        for (level, weight) in weights.iter().enumerate() {
            let mut left = *weight;
            for class in r * coded..(r + 1) * coded {
                let count: f64 = chunk.sums.iter().map(|sums| sums.column(start + level)[class]).sum();
                table.push(count);
                left -= count;
            }
            table.push(left.max(0.0));
        }
        category::chi_square_of(&table, coded + 1, rows)
    }
}

/// Facts about a column and (weight, mean, squared deviations) of its classes, less the column's mean.
fn facts_of(classes: &[Moments], missing: bool, feature: usize) -> (ColumnFacts, Vec<(f64, f64, f64)>) {
    let all = Moments::merge_in_order(classes);
    let facts =
        ColumnFacts { feature, count: all.count, mean: all.mean, squares: all.m2, missing, ..ColumnFacts::default() };
    let of_class = |m: &Moments| {
        let mean = if m.count > 0.0 { (m.mean - all.mean) + (m.rest - all.rest) } else { 0.0 };
        (m.count, mean, m.m2)
    };
    (facts, classes.iter().map(of_class).collect())
}
