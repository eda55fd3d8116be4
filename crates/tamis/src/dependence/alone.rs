//! One feature and the target: a trend over its levels, and a table of its levels by class.

use super::levels::{Levels, QUINTILES};
use super::moments::TableNull;
use super::null_targets::Targets;
use super::packed_rows::PackedRows;
use crate::numeric::special::surprise_chi2;

/// Features whose levels are counted at once.
pub(super) const BATCH: usize = 32;

/// How far a feature's relation to the target surprises, in −ln p.
pub(super) struct AloneScores {
    /// The trend of the feature's level over the classes; 0 for categories.
    pub(super) trend: f64,
    /// The table of levels by class; for a small class the trend of the squared ranks, if that is larger.
    pub(super) table: f64,
    /// The larger of the two under each permutation.
    pub(super) null: Vec<f64>,
}

impl AloneScores {
    /// T1: the larger of the two in the data.
    pub(super) fn larger(&self) -> f64 {
        self.trend.max(self.table)
    }
}

/// The scores of some features, which have the rows of `targets`.
///
/// Cost: levels × rows/64 operations a feature, class and target.
pub(super) fn score(features: &[Levels], targets: &Targets) -> Vec<AloneScores> {
    let sets: usize = features.iter().map(Levels::count).sum();
    let mut packed = PackedRows::new(targets.rows, sets);
    let mut tests: Vec<FeatureTest> = Vec::with_capacity(features.len());
    let mut first = 0;
    for levels in features {
        levels.codes.iter().enumerate().for_each(|(row, code)| packed.insert(first + usize::from(*code), row));
        tests.push(FeatureTest::new(levels, first, &targets.sizes));
        first += levels.count();
    }
    let mut scores: Vec<AloneScores> = features
        .iter()
        .map(|_| AloneScores { trend: 0.0, table: 0.0, null: Vec::with_capacity(targets.len()) })
        .collect();
    let mut counts = vec![vec![0; packed.capacity()]; targets.sizes.len()];
    let mut scratch = vec![];
    for target in 0..targets.len() {
        for set in 0..targets.n_sets() {
            packed.count_all(targets.set(target, set), &mut counts[set + 1]);
        }
        for (test, scores) in tests.iter().zip(&mut scores) {
            test.first_class(&mut counts);
            let trend = test.trend.surprise(test.of(&counts), &targets.sizes);
            let spread = test.spread.as_ref().map_or(0.0, |spread| spread.surprise(test.of(&counts), &targets.sizes));
            let table = test.table(&counts, &targets.sizes, &mut scratch).max(spread);
            match target {
                0 => (scores.trend, scores.table) = (trend, table),
                _ => scores.null.push(trend.max(table)),
            }
        }
    }
    scores
}

/// Everything about a feature that permutations leave as it is.
struct FeatureTest {
    /// The place of its first level among those that are counted.
    first: usize,
    /// Rows of every level, of missing values last.
    sizes: Vec<u32>,
    trend: RankTest,
    /// For a small class, which fifths of the ranks are too wide for: whether it lies further out (Mood 1954).
    spread: Option<RankTest>,
    /// The coarse level of each level.
    coarse: Vec<usize>,
    /// Rows of every coarse level.
    margins: Vec<f64>,
    null: TableNull,
}

/// Whether classes differ in the mean of a number that every level has.
struct RankTest {
    /// The numbers, centred over the rows; none for categories.
    scores: Vec<f64>,
    /// Their squares, summed over rows, over the number of rows less one.
    variance: f64,
}

impl RankTest {
    /// Of levels with so many rows each.
    fn new(mut scores: Vec<f64>, sizes: &[u32]) -> RankTest {
        let rows: f64 = sizes.iter().map(|&size| f64::from(size)).sum();
        let sum = |scores: &[f64], of: &dyn Fn(f64) -> f64| -> f64 {
            scores.iter().zip(sizes).map(|(score, &size)| of(*score) * f64::from(size)).sum()
        };
        let mean = sum(&scores, &|score| score) / rows;
        scores.iter_mut().for_each(|score| *score -= mean);
        let variance = sum(&scores, &|score| score * score) / (rows - 1.0);
        RankTest { scores, variance }
    }

    /// The surprise of H = Σ(Σ scores of a class)²/n_c over the variance of the scores; rows without a value are left out.
    /// `counts` has the rows of every level in a class.
    fn surprise<'a>(&self, counts: impl Iterator<Item = &'a [u32]>, class_sizes: &[f64]) -> f64 {
        if self.scores.is_empty() || self.variance <= 0.0 {
            return 0.0;
        }
        let mut sum = 0.0;
        for (counts, size) in counts.zip(class_sizes) {
            let absent = counts[self.scores.len()..].iter().sum::<u32>();
            let present = size - f64::from(absent);
            let scores: f64 = self.scores.iter().zip(counts).map(|(score, &count)| score * f64::from(count)).sum();
            if present > 0.0 {
                sum += scores * scores / present;
            }
        }
        surprise_chi2(sum / self.variance, class_sizes.len() as f64 - 1.0)
    }
}

/// Whether one of two classes has fewer rows than a fifth.
fn has_small_class(class_sizes: &[f64]) -> bool {
    let all: f64 = class_sizes.iter().sum();
    class_sizes.len() == 2 && class_sizes.iter().any(|size| QUINTILES as f64 * size < all)
}

impl FeatureTest {
    fn new(levels: &Levels, first: usize, class_sizes: &[f64]) -> FeatureTest {
        let mut coarse: Vec<usize> = levels.coarse.iter().map(|level| usize::from(*level)).collect();
        let mut sizes = levels.sizes.clone();
        if levels.missing > 0 {
            coarse.push(coarse.last().map_or(0, |last| last + 1));
            sizes.push(levels.missing);
        }
        let mut margins = vec![0.0; coarse.last().map_or(0, |last| last + 1)];
        coarse.iter().zip(&sizes).for_each(|(&level, &size)| margins[level] += f64::from(size));
        let ranks = if levels.ordered { levels.centred_midranks() } else { vec![] };
        let spread = has_small_class(class_sizes)
            .then(|| RankTest::new(ranks.iter().map(|rank| rank * rank).collect(), &levels.sizes));
        let null = TableNull::of(&margins, class_sizes);
        FeatureTest { first, sizes, trend: RankTest::new(ranks, &levels.sizes), spread, coarse, margins, null }
    }

    /// Counts in the first class: rows that are in no other.
    fn first_class(&self, counts: &mut [Vec<u32>]) {
        let (first, others) = counts.split_at_mut(1);
        for (level, &size) in self.sizes.iter().enumerate() {
            let at = self.first + level;
            first[0][at] = size - others.iter().map(|counts| counts[at]).sum::<u32>();
        }
    }

    /// The rows of its levels in every class.
    fn of<'a>(&self, counts: &'a [Vec<u32>]) -> impl Iterator<Item = &'a [u32]> {
        let levels = self.first..self.first + self.sizes.len();
        counts.iter().map(move |counts| &counts[levels.clone()])
    }

    /// The surprise of Pearson's X² of coarse levels by classes.
    fn table(&self, counts: &[Vec<u32>], class_sizes: &[f64], observed: &mut Vec<f64>) -> f64 {
        let rows: f64 = class_sizes.iter().sum();
        let mut sum = 0.0;
        for (counts, size) in counts.iter().zip(class_sizes) {
            observed.clear();
            observed.resize(self.margins.len(), 0.0);
            let counts = &counts[self.first..][..self.sizes.len()];
            self.coarse.iter().zip(counts).for_each(|(&level, &count)| observed[level] += f64::from(count));
            for (observed, margin) in observed.iter().zip(&self.margins) {
                let expected = margin * size / rows;
                sum += (observed - expected) * (observed - expected) / expected;
            }
        }
        self.null.surprise(sum)
    }
}
