//! One feature and the target: a trend over its levels, and a table of its levels by class.

use super::levels::Levels;
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
    /// The table of levels by class.
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
            let (trend, table) =
                (test.trend(&counts, &targets.sizes), test.table(&counts, &targets.sizes, &mut scratch));
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
    /// Centred mid-ranks of the levels; none for categories.
    ranks: Vec<f64>,
    /// Their squares, summed over rows, over the number of rows less one.
    variance: f64,
    /// The coarse level of each level.
    coarse: Vec<usize>,
    /// Rows of every coarse level.
    margins: Vec<f64>,
    null: TableNull,
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
        let squares: f64 = ranks.iter().zip(&levels.sizes).map(|(rank, &size)| rank * rank * f64::from(size)).sum();
        let present: u32 = levels.sizes.iter().sum();
        let null = TableNull::of(&margins, class_sizes);
        FeatureTest { first, sizes, ranks, variance: squares / (f64::from(present) - 1.0), coarse, margins, null }
    }

    /// Counts in the first class: rows that are in no other.
    fn first_class(&self, counts: &mut [Vec<u32>]) {
        let (first, others) = counts.split_at_mut(1);
        for (level, &size) in self.sizes.iter().enumerate() {
            let at = self.first + level;
            first[0][at] = size - others.iter().map(|counts| counts[at]).sum::<u32>();
        }
    }

    /// The surprise of H = Σ(Σ ranks of a class)²/n_c over the variance of the ranks; rows without a value are left out.
    fn trend(&self, counts: &[Vec<u32>], class_sizes: &[f64]) -> f64 {
        if self.variance <= 0.0 || self.ranks.is_empty() {
            return 0.0;
        }
        let mut sum = 0.0;
        for (counts, size) in counts.iter().zip(class_sizes) {
            let counts = &counts[self.first..][..self.sizes.len()];
            let absent = counts[self.ranks.len()..].iter().sum::<u32>();
            let present = size - f64::from(absent);
            let ranks: f64 = self.ranks.iter().zip(counts).map(|(rank, &count)| rank * f64::from(count)).sum();
            if present > 0.0 {
                sum += ranks * ranks / present;
            }
        }
        surprise_chi2(sum / self.variance, class_sizes.len() as f64 - 1.0)
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
