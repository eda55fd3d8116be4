//! What every feature has to do with the target: alone or together, how surely, and of which kind.

use super::alone::{self, AloneScores};
use super::levels::Levels;
use super::null_targets::Targets;
use super::packed_rows::{insert, words};
use super::significance::{benjamini_hochberg, p_alone, p_together, pairs_count};
use super::together::{self, TogetherScores};
use crate::base::{Progress, Result};
use crate::selection::detail::RelationKind;
use rayon::prelude::*;

/// Permutations, the first ones, that pairs are compared with.
const FOR_PAIRS: usize = 20;
/// The share of the error that the test of features alone may use; pairs have the rest.
const ALONE: f64 = 0.75;
/// The false discovery rate at which a feature alone speaks for relations in the table.
const CLEARLY: f64 = 0.05;
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
    pub(super) p_alone: Vec<f64>,
    pub(super) p_together: Vec<f64>,
    pub(super) p: Vec<f64>,
    /// What the decision rests on: p, or that of the feature alone where no pair can be told from chance.
    decisive: Vec<f64>,
    pub(super) q: Vec<f64>,
    pub(super) scores: Vec<f64>,
    pub(super) kinds: Vec<RelationKind>,
    /// Positions among the features that vary.
    pub(super) partners: Vec<Option<u32>>,
    /// The surprise of the pair with halves centred within their class, less the logarithm of the number of partners.
    within: Vec<f64>,
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
    pub(super) fn pairs(&self, targets: &Targets, progress: &mut dyn Progress) -> Result<TogetherScores> {
        together::score(&self.halves, targets, progress)
    }

    /// Tests all pairs and compares everything with permutations.
    ///
    /// `for_pairs` has the data and the first of the permutations.
    pub(super) fn relate(self, for_pairs: &Targets, progress: &mut dyn Progress) -> Result<Relations> {
        let TogetherScores { scores: t2, partners, within, null } = self.pairs(for_pairs, progress)?;
        let Tested { features, mut alone, ordered, .. } = self;
        let pool: Vec<f64> = alone.iter_mut().flat_map(|scores| std::mem::take(&mut scores.null)).collect();
        let t1: Vec<f64> = alone.iter().map(AloneScores::larger).collect();
        let p1 = p_alone(&t1, pool);
        let null = null.concat();
        let p1_weighed: Vec<f64> = p1.iter().map(|p1| (p1 / ALONE).min(1.0)).collect();
        let pairs_count = pairs_count(&t2, &null, &p1_weighed, CLEARLY);
        let p2 = p_together(&t2, null);
        let p: Vec<f64> = p1.iter().zip(&p2).map(|(p1, p2)| (p1 / ALONE).min(p2 / (1.0 - ALONE)).min(1.0)).collect();
        let clear = (20.0 * features.len() as f64).ln();
        let partners_less = ((features.len().max(2) - 1) as f64).ln();
        let decisive = if pairs_count { p.clone() } else { p1_weighed };
        let kind = |at: usize| {
            let pair = pairs_count && p2[at] / (1.0 - ALONE) < p1[at] / ALONE && (p1[at] > HARDLY || within[at] >= OWN);
            match &alone[at] {
                _ if pair => RelationKind::Together,
                found if ordered[at] && (found.trend >= found.table || found.trend >= clear) => RelationKind::Level,
                _ => RelationKind::Shape,
            }
        };
        let score = |(t1, t2): (&f64, &f64)| (t1 + ALONE.ln()).max(t2 + (1.0 - ALONE).ln());
        Ok(Relations {
            q: benjamini_hochberg(&decisive),
            decisive,
            kinds: (0..features.len()).map(kind).collect(),
            scores: t1.iter().zip(&t2).map(score).collect(),
            p_alone: p1,
            p_together: p2,
            within: within.iter().map(|surprise| surprise - partners_less).collect(),
            partners,
            p,
            features,
        })
    }
}

impl Relations {
    /// The kinds of the finds among the features that are not `named`, at this false discovery rate, by position among
    /// the features that vary.
    ///
    /// The others are tested by themselves: named features are easy finds, which would make room for chance ones. A pair
    /// with a named partner must show with halves centred within their class, too; if it does not, it owes what it tells
    /// to the difference of its partner.
    pub(super) fn kinds_beside(&self, named: &[bool], fdr: f64) -> Vec<Option<RelationKind>> {
        let left: Vec<usize> = (0..self.p.len()).filter(|&at| !named[at]).collect();
        let q = benjamini_hochberg(&left.iter().map(|&at| self.decisive[at]).collect::<Vec<_>>());
        let mut kinds = vec![None; self.p.len()];
        for (&at, _) in left.iter().zip(&q).filter(|(_, q)| **q <= fdr) {
            let beside_named = self.partners[at].is_some_and(|partner| named[partner as usize]);
            let borrowed = self.kinds[at] == RelationKind::Together && beside_named && self.within[at] < OWN;
            kinds[at] = (!borrowed).then_some(self.kinds[at]);
        }
        kinds
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
