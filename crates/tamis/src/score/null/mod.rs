//! Scores of targets that have nothing to do with the features: how the scores of noise move together in this table.
//!
//! Every null target is scored as the real one was. There are two sets. *Gate* scores are those of the table as it is:
//! were the real target noise, its scores would be exchangeable with them. *State* scores are those of the table
//! from which the real target's part has been taken (class means, or the regression on the target), against null targets
//! made orthogonal to the real one; otherwise strong effects would look like correlation between features.
//!
//! Cost: one matrix product of the table with the null targets for sums, one for squares where variances are not pooled,
//! one for counts where values are missing, and a map from t to z for every feature and null target. Of nine classes or
//! more: some passes over the samples for every feature and null target, whatever their number.

mod by_class;
mod by_direction;
mod by_many_classes;
mod by_number;
pub(crate) mod by_row;
mod centred_columns;
mod column_sums;
mod null_block;
mod sample_order;
mod targets;
mod to_z;
mod welch_of_many;

pub(crate) use null_block::{NullBlock, NullCounts};

use crate::base::Result;
use crate::numeric::random;
use crate::score::design::Design;
use crate::score::score_from_moments::Outcome;
use crate::score::{Moments, Scale, Scores, Statistic, category, choice, rank};
use crate::table::{Categories, MISSING, Target, View};
use by_class::ByClass;
use by_direction::ByDirection;
use by_many_classes::{ByManyClasses, FEWEST_CLASSES};
use by_number::ByNumber;
use centred_columns::{CentredColumns, Groups};
use sample_order::SampleOrder;
use std::borrow::Cow;
use std::ops::Range;
use targets::NullTargets;
use to_z::Maps;

/// Null targets of a view, ready to be scored against its features, some at a time.
pub(crate) struct PermutedScores<'a> {
    data: &'a View<'a>,
    scorer: NullScorer,
    categories: CategoryNulls,
    order: SampleOrder,
    /// The weight of every sample.
    weights: Vec<f64>,
    maps: Maps,
    counts: NullCounts,
    /// Whether null targets are random directions.
    rotated: bool,
    observed: Option<Vec<f64>>,
}

enum NullScorer {
    Class(ByClass),
    ManyClasses(ByManyClasses),
    Number(ByNumber),
    Direction(Box<ByDirection>),
}

/// Null targets as categories are scored against them: one entry per sample.
enum CategoryNulls {
    Classes(Vec<Vec<u32>>, usize),
    Numbers(Vec<Vec<f64>>),
}

impl<'a> PermutedScores<'a> {
    /// `count` null targets for features that have these scores, of a view whose rows stand for one each. The states of the
    /// noise get [more](for_states) where the table is small.
    ///
    /// # Errors
    ///
    /// A design that leaves nothing to score.
    pub(crate) fn new(data: &'a View<'a>, scores: &Scores, scale: Scale, count: usize, seed: u64) -> Result<Self> {
        let statistic = scores.statistic;
        let (rows, target) = (data.rows(), data.target());
        let of_rows = data.weights_by_class();
        let weights: Vec<f64> =
            rows.iter().map(|&row| of_rows.as_ref().map_or(1.0, |weights| weights[row as usize])).collect();
        let order = SampleOrder::of(data, scores.z());
        let design = if choice::is_adjusted(data) { Some(Design::of(data)?) } else { None };
        let draw = |count: usize| match &design {
            Some(design) => NullTargets::of_design(data, design, &order, count, seed),
            None => NullTargets::draw(data, &order, count, seed),
        };
        let mut counts = NullCounts { gate: count, states: for_states(count, rows.len(), data.n_features()) };
        let mut nulls = draw(counts.states);
        if nulls.are_random() && counts.states > count {
            // there may be arrangements enough for so many only
            counts.states = count;
            nulls = draw(count);
        }
        let rotated = nulls.are_random();
        let mut maps = Maps::new(statistic, scale, of_rows.is_some(), scores.moderation.clone());
        let n: f64 = weights.iter().sum();
        let n_classes = data.n_compared().unwrap_or(2);
        match scores.moderation {
            Some(_) => maps.prepare_design(n - n_classes as f64, n_classes - 1, n_classes > 2),
            None => maps.prepare(n, n_classes),
        }
        let (scorer, categories) = match (nulls, target) {
            (NullTargets::Classes(nulls), Target::Classes { codes, labels, .. }) if labels.len() >= FEWEST_CLASSES => {
                let (places, groups) = Groups::of_classes(rows, of_rows.as_deref(), codes, labels.len());
                let scorer = ByManyClasses::new(&nulls, count, &places, groups);
                (NullScorer::ManyClasses(scorer), CategoryNulls::Classes(nulls, labels.len()))
            }
            (NullTargets::Classes(nulls), Target::Classes { codes, labels, positive }) => {
                let classes = (labels.len(), *positive as usize);
                let scorer = ByClass::new(&nulls, data, of_rows.as_deref(), codes, classes, count);
                (NullScorer::Class(scorer), CategoryNulls::Classes(nulls, labels.len()))
            }
            (NullTargets::Numbers(nulls), Target::Real { values }) => {
                let real: Vec<f64> = rows.iter().map(|&row| values[row as usize]).collect();
                let scorer = if statistic == Statistic::Spearman {
                    let ranked: Vec<Vec<f64>> = nulls.iter().map(|null| rank::of_values(null, &weights)).collect();
                    ByNumber::new(&ranked, &rank::of_values(&real, &weights), &order, weights.clone(), data, count)
                } else {
                    ByNumber::new(&nulls, &real, &order, weights.clone(), data, count)
                };
                (NullScorer::Number(scorer), CategoryNulls::Numbers(nulls))
            }
            // null targets that are no directions are of the target's own kind
            (nulls, _) => {
                let vectors = match nulls {
                    NullTargets::Directions { vectors, .. } => vectors,
                    NullTargets::Classes(_) | NullTargets::Numbers(_) => vec![],
                };
                maps.pool();
                let design = design.map_or_else(|| Design::of(data), Ok)?;
                let (coded, several) = (design.samples.target.len(), design.samples.several_classes);
                let scorer = ByDirection::new((vectors, rotated), design, rows, count);
                maps.prepare_design(scorer.df(), coded, several);
                (NullScorer::Direction(Box::new(scorer)), CategoryNulls::shuffled(data, &order, counts.states, seed))
            }
        };
        // rows of correlated blocks are rotated however many there are
        let correlated = data.row_noise().is_some_and(|noise| noise.correlation.is_some());
        let rotated = rotated && !correlated;
        Ok(PermutedScores { data, scorer, categories, order, weights, maps, counts, rotated, observed: None })
    }

    /// With scores of the real target that were found as the null scores are, where those that are judged were not.
    pub(crate) fn with_observed(self, scores: Vec<f64>) -> Self {
        PermutedScores { observed: Some(scores), ..self }
    }

    /// The scores of [`PermutedScores::with_observed`].
    pub(crate) fn observed(&self) -> Option<&[f64]> {
        self.observed.as_deref()
    }

    /// How many features there are.
    pub(crate) fn n_features(&self) -> usize {
        self.data.n_features()
    }

    /// How many null targets there are.
    pub(crate) fn counts(&self) -> NullCounts {
        self.counts
    }

    /// The dimension of the space that is left once target and mean are taken out.
    pub(crate) fn residual_dimension(&self) -> usize {
        if let NullScorer::Direction(scorer) = &self.scorer {
            return scorer.residual_dimension();
        }
        let taken = self.data.target().n_classes().unwrap_or(2);
        self.weights.len().saturating_sub(taken)
    }

    /// Whether random directions were drawn and variances pooled, for there were too few arrangements.
    pub(crate) fn rotated(&self) -> bool {
        self.rotated
    }

    /// The null scores of neighbouring features.
    pub(crate) fn block(&self, features: Range<usize>) -> Result<NullBlock> {
        let mut flat = vec![];
        let columns: Vec<Option<Cow<'_, [f64]>>> = self.columns(&features, &mut flat);
        let numeric: Vec<Cow<'_, [f64]>> = columns.iter().flatten().cloned().collect();
        let places: Vec<usize> =
            features.clone().zip(&columns).filter(|(_, column)| column.is_some()).map(|(at, _)| at).collect();
        let gather = |groups: &Groups| CentredColumns::gather(&numeric, &places, groups, self.maps.ranked());
        let scored = match &self.scorer {
            NullScorer::Class(scorer) => scorer.score(&gather(scorer.groups()), &self.maps),
            NullScorer::ManyClasses(scorer) => scorer.score(&gather(scorer.groups()), &self.maps),
            NullScorer::Number(scorer) => scorer.score(&gather(scorer.groups()), &self.maps),
            NullScorer::Direction(scorer) => scorer.score(&numeric, &places, &self.maps),
        };
        if numeric.len() == columns.len() {
            return Ok(scored);
        }
        let mut all = NullBlock::new(self.counts, columns.len());
        let mut next = 0;
        for (j, column) in columns.iter().enumerate() {
            match (column, self.data.columns().categories(features.start + j)) {
                (None, Some(categories)) => {
                    let z = self.categories.score(categories, self.data, &self.order, &self.weights);
                    all.states.column_mut(j).copy_from_slice(&z);
                    all.gate.column_mut(j).copy_from_slice(&z[..self.counts.gate]);
                }
                _ => {
                    all.gate.column_mut(j).copy_from_slice(scored.gate.column(next));
                    all.states.column_mut(j).copy_from_slice(scored.states.column(next));
                    next += 1;
                }
            }
        }
        Ok(all)
    }

    /// The numbers of neighbouring features, in `flat` where the table has no column of its own to lend; `None` for
    /// categories.
    fn columns<'b>(&'b self, features: &Range<usize>, flat: &'b mut Vec<f64>) -> Vec<Option<Cow<'b, [f64]>>> {
        let columns = self.data.columns();
        let elsewhere = |at: usize| columns.slice(at).is_none() && columns.categories(at).is_none();
        if !features.clone().all(elsewhere) {
            return features.clone().map(|at| columns.numbers(at)).collect();
        }
        let rows = columns.n_rows();
        flat.resize(rows * features.len(), 0.0);
        columns.fill(features.clone(), None, flat);
        flat.chunks_exact(rows.max(1)).map(|x| Some(Cow::Borrowed(x))).collect()
    }
}

/// How many null targets show the states of the noise, where the gate has `count` of them. Where features are correlated the
/// number of named ones depends on which are drawn, with 999 by 6 %; where it costs little they are up to three times as
/// many.
fn for_states(count: usize, rows: usize, features: usize) -> usize {
    const FEW_FEATURES: usize = 1000;
    const FEWEST_TARGETS: usize = 500;
    const MOST_NUMBERS: usize = 1_000_000;
    const MOST_SCORES: usize = 12_000_000;
    const MOST_TARGETS: usize = 3000;
    if features <= FEW_FEATURES || count < FEWEST_TARGETS || rows.saturating_mul(features) > MOST_NUMBERS {
        return count;
    }
    (MOST_SCORES / features).min(3 * count).min(MOST_TARGETS).max(count)
}

impl CategoryNulls {
    /// Shuffled targets, however few arrangements there are: categories are never rotated.
    fn shuffled(data: &View, samples: &SampleOrder, count: usize, seed: u64) -> CategoryNulls {
        let orders = (0..count as u64).map(|r| random::permutation(seed, r, samples.0.len()));
        let row = |at: u32| data.rows()[samples.0[at as usize] as usize] as usize;
        match data.target() {
            Target::Classes { codes, labels, .. } => CategoryNulls::Classes(
                orders.map(|order| samples.by_sample(order.into_iter().map(|at| codes[row(at)]))).collect(),
                labels.len(),
            ),
            Target::Real { values } | Target::Survival { times: values, .. } => CategoryNulls::Numbers(
                orders.map(|order| samples.by_sample(order.into_iter().map(|at| values[row(at)]))).collect(),
            ),
        }
    }

    /// The scores of a column of categories against every null target.
    fn score(&self, column: &Categories, data: &View, SampleOrder(order): &SampleOrder, weights: &[f64]) -> Vec<f64> {
        let z = |outcome: Outcome| outcome.finite().unwrap_or(0.0);
        let code = |sample: usize| column.codes()[data.rows()[sample] as usize];
        let known: Vec<usize> =
            order.iter().map(|&sample| sample as usize).filter(|&sample| code(sample) != MISSING).collect();
        let category = |sample: usize| code(sample) as usize;
        let (levels, used) = (column.labels().len(), known.len() as u32);
        match self {
            CategoryNulls::Classes(nulls, n) => {
                let table = |null: &Vec<u32>| {
                    let mut table = vec![0.0; levels * n];
                    known.iter().for_each(|&at| table[category(at) * n + null[at] as usize] += weights[at]);
                    table
                };
                nulls.iter().map(|null| z(category::chi_square_of(&table(null), *n, used))).collect()
            }
            CategoryNulls::Numbers(nulls) => {
                let moments = |null: &Vec<f64>| -> Vec<Moments> {
                    let mut groups = vec![(vec![], vec![]); levels];
                    for &at in &known {
                        groups[category(at)].0.push(null[at]);
                        groups[category(at)].1.push(weights[at]);
                    }
                    groups.iter().map(|(values, weights)| Moments::weighted(values, weights)).collect()
                };
                nulls.iter().map(|null| z(category::variance_of(&moments(null), used))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests;
