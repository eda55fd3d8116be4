//! Scores of targets that have nothing to do with the features: how the scores of noise move together in this table.
//!
//! Every null target is scored as the real one was. There are two sets. *Gate* scores are those of the table as it is:
//! were the real target noise, its scores would be exchangeable with them. *Calibration* scores are those of the table
//! from which the real target's part has been taken (class means, or the regression on the target), against null targets
//! made orthogonal to the real one; otherwise strong effects would look like correlation between features.
//!
//! Cost: one matrix product of the table with the null targets for sums, one for squares where variances are not pooled,
//! one for counts where values are missing, and a map from t to z for every feature and null target.

mod block;
mod by_class;
mod by_number;
mod by_rotation;
mod maps;
mod targets;

use crate::base::Result;
use crate::numeric::linalg::Matrix;
use crate::score::{Scale, Statistic, category, rank};
use crate::table::{Categories, Target, View};
use block::{Block, Groups};
use by_class::ByClass;
use by_number::ByNumber;
use by_rotation::ByRotation;
use maps::Maps;
use std::borrow::Cow;
use std::ops::Range;
use targets::NullTargets;

/// Null targets that calibration uses.
const CALIBRATION: usize = 99;

/// Null scores of some features: a column per feature, a row per null target.
#[derive(Debug, Clone)]
pub(crate) struct NullBlock {
    /// Of the table as it is.
    pub(crate) gate: Matrix,
    /// Of the table without the real target's part, against the first null targets.
    pub(crate) calibration: Matrix,
}

impl NullBlock {
    fn new(gate: usize, calibration: usize, features: usize) -> NullBlock {
        NullBlock { gate: Matrix::zeros(gate, features), calibration: Matrix::zeros(calibration, features) }
    }
}

/// Null targets of a view, ready to be scored against its features, some at a time.
pub(crate) struct PermutedScores<'a> {
    data: &'a View<'a>,
    scorer: NullScorer,
    categories: CategoryNulls,
    maps: Maps,
    count: usize,
}

enum NullScorer {
    Class(ByClass),
    Number(ByNumber),
    Rotation(ByRotation),
}

/// Null targets as categories are scored against them: one entry per row of the table.
enum CategoryNulls {
    Classes(Vec<Vec<u32>>, usize),
    Numbers(Vec<Vec<f64>>),
}

impl<'a> PermutedScores<'a> {
    /// `count` null targets for features that were scored by `statistic`, which must fit the target.
    pub(crate) fn new(data: &'a View<'a>, statistic: Statistic, scale: Scale, count: usize, seed: u64) -> Self {
        let (rows, target, weights) = (data.rows(), data.target(), data.weights());
        let nulls = NullTargets::draw(target, rows, count, seed);
        let categories = CategoryNulls::of(&nulls, data, seed);
        let mut maps = Maps::new(statistic, scale, weights.is_some());
        let scorer = match (nulls, target) {
            (NullTargets::Classes(nulls), Target::Classes { codes, labels, positive }) => {
                let classes = (labels.len(), *positive as usize);
                NullScorer::Class(ByClass::new(&nulls, rows, codes, classes, weights))
            }
            (NullTargets::Numbers(nulls), Target::Real { values }) => {
                let real: Vec<f64> = rows.iter().map(|&row| values[row as usize]).collect();
                if statistic == Statistic::Spearman {
                    let nulls: Vec<Vec<f64>> = nulls.iter().map(|null| rank::of_values(null)).collect();
                    NullScorer::Number(ByNumber::new(&nulls, &rank::of_values(&real), rows, weights))
                } else {
                    NullScorer::Number(ByNumber::new(&nulls, &real, rows, weights))
                }
            }
            (NullTargets::Rotations(nulls), target) => {
                maps.pool();
                NullScorer::Rotation(ByRotation::new(nulls, coding(target, rows), rows, weights))
            }
            // null targets are of the target's own kind
            (NullTargets::Classes(_) | NullTargets::Numbers(_), _) => {
                NullScorer::Rotation(ByRotation::new(vec![], coding(target, rows), rows, weights))
            }
        };
        let n: f64 = rows.iter().map(|&row| weights.map_or(1.0, |w| w[row as usize])).sum();
        maps.prepare(n, target.n_classes().unwrap_or(2));
        PermutedScores { data, scorer, categories, maps, count }
    }

    /// How many features there are.
    pub(crate) fn n_features(&self) -> usize {
        self.data.n_features()
    }

    /// How many null targets the gate has.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How many of them calibrate.
    pub(crate) fn calibration_count(&self) -> usize {
        self.count.min(CALIBRATION)
    }

    /// The dimension of the space that is left once target and mean are taken out.
    pub(crate) fn residual_dimension(&self) -> usize {
        let taken = self.data.target().n_classes().unwrap_or(2);
        self.data.rows().len().saturating_sub(taken)
    }

    /// Whether there were too few arrangements, so that directions were drawn and variances pooled.
    pub(crate) fn rotated(&self) -> bool {
        matches!(self.scorer, NullScorer::Rotation(_))
    }

    /// The null scores of neighbouring features.
    pub(crate) fn block(&self, features: Range<usize>) -> Result<NullBlock> {
        let columns: Vec<Option<Cow<'_, [f64]>>> = self.columns(&features);
        let numeric: Vec<Cow<'_, [f64]>> = columns.iter().flatten().cloned().collect();
        let calibration = self.calibration_count();
        let block = Block::gather(&numeric, self.groups(), self.maps.ranked());
        let scored = match &self.scorer {
            NullScorer::Class(scorer) => scorer.score(&block, calibration, &self.maps),
            NullScorer::Number(scorer) => scorer.score(&block, calibration, &self.maps),
            NullScorer::Rotation(scorer) => scorer.score(&block, calibration, &self.maps),
        };
        if numeric.len() == columns.len() {
            return Ok(scored);
        }
        let mut all = NullBlock::new(self.count, calibration, columns.len());
        let mut next = 0;
        for (j, column) in columns.iter().enumerate() {
            match (column, self.data.columns().categories(features.start + j)) {
                (None, Some(categories)) => {
                    let z = self.categories.score(categories, self.data);
                    all.calibration.column_mut(j).copy_from_slice(&z[..calibration]);
                    all.gate.column_mut(j).copy_from_slice(&z);
                }
                _ => {
                    all.gate.column_mut(j).copy_from_slice(scored.gate.column(next));
                    all.calibration.column_mut(j).copy_from_slice(scored.calibration.column(next));
                    next += 1;
                }
            }
        }
        Ok(all)
    }

    /// The numbers of neighbouring features; `None` for categories.
    fn columns(&self, features: &Range<usize>) -> Vec<Option<Cow<'_, [f64]>>> {
        let columns = self.data.columns();
        let elsewhere = |at: usize| columns.slice(at).is_none() && columns.categories(at).is_none();
        if !features.clone().all(elsewhere) {
            return features.clone().map(|at| columns.numbers(at)).collect();
        }
        let rows = columns.n_rows();
        let mut flat = vec![0.0; rows * features.len()];
        columns.fill(features.clone(), None, &mut flat);
        flat.chunks_exact(rows.max(1)).map(|x| Some(Cow::Owned(x.to_vec()))).collect()
    }

    fn groups(&self) -> &Groups {
        match &self.scorer {
            NullScorer::Class(scorer) => scorer.groups(),
            NullScorer::Number(scorer) => scorer.groups(),
            NullScorer::Rotation(scorer) => scorer.groups(),
        }
    }
}

/// The target of the rows as numbers: a column for every class but the last, or its own.
fn coding(target: &Target, rows: &[u32]) -> Vec<Vec<f64>> {
    match target {
        Target::Real { values } => vec![rows.iter().map(|&row| values[row as usize]).collect()],
        Target::Classes { codes, labels, .. } => {
            let is = |class: u32, row: u32| f64::from(u8::from(codes[row as usize] == class));
            (0..labels.len().max(2) as u32 - 1).map(|class| rows.iter().map(|&row| is(class, row)).collect()).collect()
        }
    }
}

impl CategoryNulls {
    /// Null targets as far as categories need them. Categories are never rotated: their labels are shuffled, however few
    /// arrangements there are.
    fn of(nulls: &NullTargets, data: &View, seed: u64) -> CategoryNulls {
        let (rows, n) = (data.rows(), data.columns().n_rows());
        let spread = |values: &dyn Fn(usize) -> u32| {
            let mut all = vec![0; n];
            rows.iter().enumerate().for_each(|(i, &row)| all[row as usize] = values(i));
            all
        };
        let shuffled = |r: usize| crate::numeric::random::permutation(seed, r as u64, rows.len());
        match (nulls, data.target()) {
            (NullTargets::Classes(nulls), target) => CategoryNulls::Classes(
                nulls.iter().map(|null| spread(&|i| null[i])).collect(),
                target.n_classes().unwrap_or(0),
            ),
            (NullTargets::Numbers(nulls), _) => CategoryNulls::Numbers(nulls.clone()),
            (NullTargets::Rotations(nulls), Target::Classes { codes, labels, .. }) => {
                let one = |r: usize| {
                    let order = shuffled(r);
                    spread(&|i| codes[rows[order[i] as usize] as usize])
                };
                CategoryNulls::Classes((0..nulls.len()).map(one).collect(), labels.len())
            }
            (NullTargets::Rotations(nulls), Target::Real { values }) => {
                let one = |r: usize| shuffled(r).iter().map(|&i| values[rows[i as usize] as usize]).collect();
                CategoryNulls::Numbers((0..nulls.len()).map(one).collect())
            }
        }
    }

    /// The scores of a column of categories against every null target.
    fn score(&self, column: &Categories, data: &View) -> Vec<f64> {
        let (rows, weights) = (data.rows(), data.weights());
        let z = |outcome: crate::score::outcome::Outcome| outcome.finite().unwrap_or(0.0);
        match self {
            CategoryNulls::Classes(nulls, n) => {
                nulls.iter().map(|null| z(category::chi_square(column, rows, null, *n, weights))).collect()
            }
            CategoryNulls::Numbers(nulls) => {
                nulls.iter().map(|null| z(category::variance(column, rows, null, weights))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests;
