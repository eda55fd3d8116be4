//! Criteria that score a candidate given the features already chosen (Brown et al. 2012 for the family).

use crate::codes::counts::EntropySums;
use serde::{Deserialize, Serialize};

/// Scores closer than this are tied, and the first candidate wins.
pub(crate) const TIE: f64 = 1e-12;

/// A mutual-information criterion. I is estimated by plugging in the counts, in nats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Criterion {
    /// I(X;Y).
    Mim,
    /// I(X;Y) − mean_j I(X;S_j).
    MrmrDifference,
    /// I(X;Y) / mean_j I(X;S_j).
    MrmrQuotient,
    /// Σ_j I(X,S_j;Y).
    Jmi,
    /// min_j I(X,S_j;Y).
    Jmim,
    /// min(I(X;Y), min_j I(X;Y|S_j)).
    Cmim,
    /// Σ_j I(X,S_j;Y) / H(X,S_j,Y).
    Disr,
}

impl Criterion {
    /// Whether the target enters the term of a pair.
    pub(crate) fn pairs_with_target(self) -> bool {
        !matches!(self, Criterion::MrmrDifference | Criterion::MrmrQuotient)
    }

    /// Whether permutations can tell when to stop: the scores of candidates under them are comparable with the data's.
    pub(crate) fn can_choose_k(self) -> bool {
        matches!(self, Criterion::Jmi | Criterion::Cmim)
    }

    /// Whether the scores depend on the chosen features.
    pub(crate) fn pairs(self) -> bool {
        self != Criterion::Mim
    }
}

/// Terms shared by all contingency tables of a sample: Σ c ln c of its classes, and N ln N.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) total: f64,
    /// N ln N.
    pub(crate) whole: f64,
    /// Σ c_y ln c_y.
    pub(crate) classes: f64,
}

impl Sample {
    /// I(X,S;Y), or I(X;Y) without S.
    pub(crate) fn information(&self, sums: EntropySums) -> f64 {
        (sums.joint - sums.margin - self.classes + self.whole) / self.total
    }
}

/// The scores of all candidates as features are chosen.
#[derive(Debug, Clone)]
pub(crate) struct CandidateScores {
    criterion: Criterion,
    sample: Sample,
    /// I(X;Y).
    pub(crate) relevance: Vec<f64>,
    /// Σ c_x ln c_x.
    margin: Vec<f64>,
    /// The sum over pairs of each candidate.
    terms: Vec<f64>,
    taken: Vec<bool>,
    /// Pairs that entered `terms`.
    steps: usize,
}

impl CandidateScores {
    /// `singles` are the sums of the candidates with nothing chosen.
    pub(crate) fn new(
        criterion: Criterion,
        sample: Sample,
        singles: impl Iterator<Item = EntropySums> + Clone,
    ) -> CandidateScores {
        let relevance: Vec<f64> = singles.clone().map(|s| sample.information(s)).collect();
        let margin = if criterion.pairs_with_target() { vec![] } else { singles.map(|s| s.margin).collect() };
        let terms = match criterion {
            Criterion::Mim => vec![],
            Criterion::Cmim => relevance.clone(),
            Criterion::Jmim => vec![f64::INFINITY; relevance.len()],
            _ => vec![0.0; relevance.len()],
        };
        let taken = vec![false; relevance.len()];
        CandidateScores { criterion, sample, relevance, margin, terms, taken, steps: 0 }
    }

    /// Gives a candidate the sums it has with nothing chosen, where `new` did not know them.
    pub(crate) fn set_single(&mut self, at: usize, sums: EntropySums) {
        self.relevance[at] = self.sample.information(sums);
        if let Some(margin) = self.margin.get_mut(at) {
            *margin = sums.margin;
        }
        if self.criterion == Criterion::Cmim {
            self.terms[at] = self.relevance[at];
        }
    }

    /// The term of candidate `at` with `chosen`, from the sums of their table.
    pub(crate) fn add(&mut self, at: usize, chosen: usize, sums: EntropySums) {
        let term = &mut self.terms[at];
        match self.criterion {
            Criterion::Mim => {}
            Criterion::MrmrDifference | Criterion::MrmrQuotient => {
                *term += (sums.margin - self.margin[at] - self.margin[chosen] + self.sample.whole) / self.sample.total;
            }
            Criterion::Jmi => *term += self.sample.information(sums),
            Criterion::Jmim => *term = term.min(self.sample.information(sums)),
            Criterion::Cmim => *term = term.min(self.sample.information(sums) - self.relevance[chosen]),
            Criterion::Disr => {
                let entropy = (self.sample.whole - sums.joint) / self.sample.total;
                let information = self.sample.information(sums);
                *term += if entropy > 0.0 { information / entropy } else { 0.0 };
            }
        }
    }

    /// [`Self::add`], or [`Self::set_single`] with nothing chosen, of the candidates from `from` on, where the sums less
    /// the margins are known. For criteria that need no more.
    pub(crate) fn add_joint(&mut self, from: usize, chosen: Option<usize>, joint: &[f64]) {
        let sample = self.sample;
        let sums = |joint: f64| EntropySums { joint, margin: 0.0 };
        match (chosen, self.criterion) {
            (Some(_), Criterion::Jmi) => {
                let terms = &mut self.terms[from..from + joint.len()];
                terms.iter_mut().zip(joint).for_each(|(term, joint)| *term += sample.information(sums(*joint)));
            }
            (Some(chosen), _) => (from..).zip(joint).for_each(|(at, joint)| self.add(at, chosen, sums(*joint))),
            (None, _) => (from..).zip(joint).for_each(|(at, joint)| self.set_single(at, sums(*joint))),
        }
    }

    /// All candidates have got the term of one more chosen feature.
    pub(crate) fn end_step(&mut self) {
        self.steps += 1;
    }

    /// The scores of all candidates now, where they lie side by side.
    fn scores(&self) -> Option<&[f64]> {
        match self.criterion {
            _ if self.steps == 0 => Some(&self.relevance),
            Criterion::Mim => Some(&self.relevance),
            Criterion::MrmrDifference | Criterion::MrmrQuotient => None,
            _ => Some(&self.terms),
        }
    }

    /// The score of a candidate now.
    pub(crate) fn score(&self, at: usize) -> f64 {
        if let Some(scores) = self.scores() {
            return scores[at];
        }
        let (relevance, mean) = (self.relevance[at], self.terms[at] / self.steps as f64);
        match self.criterion {
            Criterion::MrmrQuotient => relevance / (mean + 1e-12),
            _ => relevance - mean,
        }
    }

    /// Whether a feature is chosen already.
    pub(crate) fn taken(&self, at: usize) -> bool {
        self.taken[at]
    }

    /// The best candidate that is left, the first in order among equals, and its score.
    pub(crate) fn best(&self) -> Option<(usize, f64)> {
        const BLOCK: usize = 32;
        let mut best: Option<(usize, f64)> = None;
        let all = self.taken.len();
        for from in (0..all).step_by(BLOCK) {
            let block = from..(from + BLOCK).min(all);
            let bound = best.map_or(f64::NEG_INFINITY, |(_, score)| score + TIE);
            // most blocks have nothing better, which a few vector comparisons tell
            let better = |scores: &[f64]| scores[block.clone()].iter().fold(false, |any, score| any | (*score > bound));
            if best.is_some() && self.scores().is_some_and(|scores| !better(scores)) {
                continue;
            }
            for at in block.filter(|&at| !self.taken[at]) {
                let score = self.score(at);
                if best.is_none_or(|(_, least)| score > least + TIE) {
                    best = Some((at, score));
                }
            }
        }
        best
    }

    /// Takes the best candidate that is left.
    pub(crate) fn take_best(&mut self) -> Option<(usize, f64)> {
        let best = self.best()?;
        self.taken[best.0] = true;
        Some(best)
    }

    /// Takes this one as a feature whose I(X;Y) is `relevance`.
    pub(crate) fn take_with(&mut self, at: usize, relevance: f64) {
        self.taken[at] = true;
        self.relevance[at] = relevance;
    }

    /// Takes this one; returns its score.
    pub(crate) fn take(&mut self, at: usize) -> f64 {
        self.taken[at] = true;
        self.score(at)
    }
}
