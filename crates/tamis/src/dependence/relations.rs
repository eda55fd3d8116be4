//! What every feature has to do with the target: alone or together, how surely, and of which kind.

use super::alone::{self, AloneScores};
use super::chance_finds::ChanceFinds;
use super::levels::Levels;
use super::null_targets::Targets;
use super::packed_rows::{insert, words};
use super::significance::{ALONE, PairNull, SortedNull};
use super::together::{self, TogetherScores, Wanted};
use crate::base::{Progress, Result};
use crate::numeric::multiple_testing::benjamini_hochberg;
use crate::selection::detail::RelationKind;
use rayon::prelude::*;

/// Permutations, the first ones, that pairs are compared with.
const FOR_PAIRS: usize = 20;
/// A feature whose p-value alone is above this may owe nothing to itself.
const HARDLY: f64 = 0.05;
/// The surprise that a pair needs if its halves are centred within the classes.
const OWN: f64 = 3.0;

/// Features as they come from a table, tested alone; pairs come later.
#[derive(Default)]
pub(super) struct Tested {
    /// Positions in the table of the features that vary.
    pub(super) features: Vec<u32>,
    alone: Vec<AloneScores>,
    ordered: Vec<bool>,
    halves: Vec<Option<Vec<u64>>>,
}

/// The answer for every feature that varies.
pub(super) struct Relations {
    pub(super) features: Vec<u32>,
    /// By themselves; their kinds are those of features that are no pair.
    alone: AlonePermuted,
    pub(super) p_together: Vec<f64>,
    pub(super) p: Vec<f64>,
    pub(super) scores: Vec<f64>,
    /// Positions among the features that vary.
    pub(super) partners: Vec<Option<u32>>,
    /// The surprise of the pair with halves centred within their class, less the logarithm of the number of partners.
    within: Vec<f64>,
    /// The probability of so strong a pair under permutations.
    p_strongest_pair: f64,
}

/// What is found among the features that vary, by position.
pub(super) struct Found {
    /// Adjusted p-values; 1 for features that were not considered.
    pub(super) q: Vec<f64>,
    /// The kind of each feature's relation.
    pub(super) kinds: Vec<RelationKind>,
}

impl Tested {
    /// Tests some more features by themselves; those that do not vary are skipped.
    pub(super) fn add(&mut self, columns: Vec<(u32, Levels)>, targets: &Targets) {
        let (features, levels): (Vec<u32>, Vec<Levels>) =
            columns.into_iter().filter(|(_, levels)| levels.varies()).unzip();
        let tested: Vec<Vec<AloneScores>> =
            levels.par_chunks(alone::BATCH).map(|batch| alone::score(batch, targets)).collect();
        self.alone.extend(tested.into_iter().flatten());
        self.features.extend(features);
        self.ordered.extend(levels.iter().map(|levels| levels.ordered));
        self.halves.extend(levels.par_iter().map(half).collect::<Vec<_>>());
    }

    /// Scores of every feature by itself.
    #[cfg(test)]
    pub(super) fn alone(&self) -> &[AloneScores] {
        &self.alone
    }

    /// Scores of the strongest pair of every feature.
    #[cfg(test)]
    pub(super) fn pairs(&self, targets: &Targets, progress: &mut dyn Progress) -> Result<TogetherScores> {
        Ok(together::score(&self.halves, targets, Wanted::Always, progress)?.expect("wanted"))
    }

    /// Tests all pairs and compares everything with permutations; finds may be false with this rate.
    ///
    /// `for_pairs` has the data and the first of the permutations.
    pub(super) fn relate(self, for_pairs: &Targets, fdr: f64, progress: &mut dyn Progress) -> Result<Relations> {
        let halves = &self.halves;
        let pairs = together::score(halves, for_pairs, Wanted::Always, progress)?.unwrap_or_default();
        let alone = AlonePermuted::of(self.alone, &self.ordered, fdr);
        Ok(Relations::new(self.features, alone, pairs))
    }

    /// The same, or nothing if nothing can be [found](Relations::found) at this level among the features that are not
    /// `named`, given by position in the table: then most permutations of the pairs are left out.
    pub(super) fn relate_beside(
        self,
        for_pairs: &Targets,
        fdr: f64,
        (named, level): (&[bool], f64),
        progress: &mut dyn Progress,
    ) -> Result<Option<Relations>> {
        let left: Vec<bool> = self.features.iter().map(|&feature| !named[feature as usize]).collect();
        let alone = AlonePermuted::of(self.alone, &self.ordered, fdr);
        let wanted = if alone.counts(&left, level) { Wanted::Always } else { Wanted::BeyondChance };
        let pairs = together::score(&self.halves, for_pairs, wanted, progress)?;
        Ok(pairs.map(|pairs| Relations::new(self.features, alone, pairs)))
    }
}

/// What features show by themselves, in the data and under permutations.
struct AlonePermuted {
    scores: Vec<f64>,
    p: Vec<f64>,
    kinds: Vec<RelationKind>,
    chance: ChanceFinds,
}

impl AlonePermuted {
    fn of(mut alone: Vec<AloneScores>, ordered: &[bool], fdr: f64) -> AlonePermuted {
        let null: Vec<Vec<f64>> = alone.iter_mut().map(|scores| std::mem::take(&mut scores.null)).collect();
        let scores: Vec<f64> = alone.iter().map(AloneScores::larger).collect();
        let sorted = SortedNull::of(null.concat());
        let clear = (20.0 * alone.len() as f64).ln();
        let kind = |(found, ordered): (&AloneScores, &bool)| match *ordered {
            true if found.trend >= found.table || found.trend >= clear => RelationKind::Level,
            _ => RelationKind::Shape,
        };
        AlonePermuted {
            p: scores.iter().map(|&score| sorted.p_value(score)).collect(),
            scores,
            kinds: alone.iter().zip(ordered).map(kind).collect(),
            chance: ChanceFinds::of(&null, &sorted, fdr),
        }
    }

    /// Whether finds among the `considered` features count at this level.
    fn counts(&self, considered: &[bool], level: f64) -> bool {
        let p: Vec<f64> = self.p.iter().map(|p| weighed(*p, ALONE)).collect();
        self.chance.share_with_as_much(&p, &self.scores, considered) <= level
    }
}

/// A p-value of a test that may use this share of the error.
fn weighed(p: f64, share: f64) -> f64 {
    (p / share).min(1.0)
}

impl Relations {
    fn new(features: Vec<u32>, alone: AlonePermuted, pairs: TogetherScores) -> Relations {
        let TogetherScores { scores: t2, partners, within, null } = pairs;
        let pair_null = PairNull::of(&null);
        let p2: Vec<f64> = t2.iter().map(|&score| pair_null.p_value(score)).collect();
        let score = |(t1, t2): (&f64, &f64)| (t1 + ALONE.ln()).max(t2 + (1.0 - ALONE).ln());
        let partners_less = ((features.len().max(2) - 1) as f64).ln();
        Relations {
            p: alone.p.iter().zip(&p2).map(|(p1, p2)| weighed(*p1, ALONE).min(weighed(*p2, 1.0 - ALONE))).collect(),
            scores: alone.scores.iter().zip(&t2).map(score).collect(),
            p_strongest_pair: pair_null.p_value_of_strongest(&t2),
            alone,
            p_together: p2,
            within: within.iter().map(|surprise| surprise - partners_less).collect(),
            partners,
            features,
        }
    }

    /// The p-values of features by themselves.
    pub(super) fn p_alone(&self) -> &[f64] {
        &self.alone.p
    }

    /// What is found among the `considered` features, if `level` is the share of tables with a permuted target in which
    /// features may be found by themselves; a quarter of it may be added by pairs.
    ///
    /// Features by themselves count if tables with a permuted target rarely give as much, pairs if these do or the strongest
    /// is stronger than chance makes them. What does not count has p = 1.
    pub(super) fn found(&self, considered: &[bool], level: f64) -> Found {
        let alone: Vec<f64> = self.alone.p.iter().map(|p| weighed(*p, ALONE)).collect();
        let together = |at: usize| weighed(self.p_together[at], 1.0 - ALONE);
        let alone_counts = self.alone.counts(considered, level);
        let pairs_count = alone_counts || self.p_strongest_pair <= level * (1.0 - ALONE);
        let p = |at: usize| match (alone_counts, pairs_count) {
            (true, _) => self.p[at],
            (false, true) => together(at),
            (false, false) => 1.0,
        };
        let is_pair = |at: usize| {
            pairs_count && together(at) < alone[at] && (self.alone.p[at] > HARDLY || self.within[at] >= OWN)
        };
        let kind = |at: usize| if is_pair(at) { RelationKind::Together } else { self.alone.kinds[at] };
        let among: Vec<usize> = (0..self.p.len()).filter(|&at| considered[at]).collect();
        let mut q = vec![1.0; self.p.len()];
        let adjusted = benjamini_hochberg(&among.iter().map(|&at| p(at)).collect::<Vec<_>>());
        among.iter().zip(adjusted).for_each(|(&at, adjusted)| q[at] = adjusted);
        Found { q, kinds: (0..self.p.len()).map(kind).collect() }
    }

    /// The kinds of the finds among the features that are not `named`, at this false discovery rate, by position among
    /// the features that vary.
    ///
    /// The others are tested by themselves: named features are easy finds, which would make room for chance ones. A pair
    /// with a named partner must show with halves centred within their class, too; if it does not, it owes what it tells
    /// to the difference of its partner.
    pub(super) fn kinds_beside(&self, named: &[bool], fdr: f64, level: f64) -> Vec<Option<RelationKind>> {
        let left: Vec<bool> = named.iter().map(|named| !named).collect();
        let Found { q, kinds } = self.found(&left, level);
        let borrowed = |at: usize| {
            let beside_named = self.partners[at].is_some_and(|partner| named[partner as usize]);
            kinds[at] == RelationKind::Together && beside_named && self.within[at] < OWN
        };
        (0..q.len()).map(|at| (left[at] && q[at] <= fdr && !borrowed(at)).then_some(kinds[at])).collect()
    }

    /// The other feature of a pair, by position in the table.
    pub(super) fn partner(&self, at: usize, kind: RelationKind) -> Option<u32> {
        let partner = self.partners[at].filter(|_| kind == RelationKind::Together)?;
        Some(self.features[partner as usize])
    }

    /// Positions among the features that vary, the smallest p first, then the largest score.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.p.len()).collect();
        order.sort_by(|&a, &b| {
            self.p[a].total_cmp(&self.p[b]).then(self.scores[b].total_cmp(&self.scores[a])).then(a.cmp(&b))
        });
        order
    }
}

/// How many of so many permutations pairs are compared with.
pub(super) fn for_pairs(permutations: usize) -> usize {
    permutations.min(FOR_PAIRS)
}

/// The rows of a feature's upper half, if it has one.
fn half(levels: &Levels) -> Option<Vec<u64>> {
    let upper = levels.upper_half()?;
    let mut set = vec![0; words(levels.codes.len())];
    let rows = levels.codes.iter().enumerate().filter(|(_, code)| upper[usize::from(**code)]);
    rows.for_each(|(row, _)| insert(&mut set, row));
    Some(set)
}
