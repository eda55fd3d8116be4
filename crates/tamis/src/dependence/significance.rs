//! From scores in the data and under permutations to p-values, and from these to a decision.

use crate::numeric::order_statistics::{ascending, quantile};

/// The share of the error that the test of features alone may use; pairs have the rest.
pub(super) const ALONE: f64 = 0.75;
/// Scores that differ by less are equal.
pub(super) const TIE: f64 = 1e-9;
/// The share of null scores from which on their tail is taken as exponential.
const TAIL: f64 = 0.05;
/// Fewer null scores than this say nothing.
const FEWEST: usize = 20;

/// Null scores in ascending order.
pub(super) struct SortedNull(Vec<f64>);

impl SortedNull {
    pub(super) fn of(scores: Vec<f64>) -> SortedNull {
        SortedNull(ascending(scores))
    }

    /// (1 + null scores at least as large)/(1 + null scores).
    pub(super) fn p_value(&self, score: f64) -> f64 {
        (1 + reached(&self.0, score)) as f64 / (1 + self.0.len()) as f64
    }

    /// A score below which every p-value is larger than this.
    pub(super) fn least_score_of(&self, p: f64) -> f64 {
        let above = (p * (1 + self.0.len()) as f64) as usize;
        self.0.len().checked_sub(above).map_or(f64::NEG_INFINITY, |at| self.0[at])
    }
}

/// How many of the ascending null scores are at least as large as a score.
fn reached(null: &[f64], score: f64) -> usize {
    null.len() - null.partition_point(|&x| x < score - TIE)
}

/// The scores of the strongest pair of every feature under permutations.
pub(super) struct PairNull {
    sorted: Vec<f64>,
    /// The strongest of every permutation.
    strongest: Vec<f64>,
    /// The 95 % quantile of the finite scores, and their mean excess over it, at least 1; none if these are too few.
    tail: Option<(f64, f64)>,
}

impl PairNull {
    /// From the scores of every permutation.
    pub(super) fn of(scores: &[Vec<f64>]) -> PairNull {
        let strongest = scores.iter().map(|scores| largest(scores)).collect();
        let sorted = ascending(scores.concat());
        let finite = finite(&sorted);
        let tail = (finite.len() >= FEWEST).then(|| {
            let cut = quantile(finite, 1.0 - TAIL);
            let above = &finite[finite.partition_point(|&x| x <= cut)..];
            let excess = above.iter().map(|x| x - cut).sum::<f64>() / above.len().max(1) as f64;
            (cut, excess.max(1.0))
        });
        PairNull { sorted, strongest, tail }
    }

    /// (1 + null scores at least as large)/(1 + null scores) up to the 95 % quantile c of those that are finite, and
    /// .05·exp(−(score − c)/e) above it, e the mean excess over c but at least 1. All are 1 if fewer than 20 null scores are
    /// finite; so is that of a score of −∞.
    pub(super) fn p_value(&self, score: f64) -> f64 {
        match self.tail {
            Some((cut, excess)) if score > cut => TAIL * (-(score - cut) / excess).exp(),
            Some(_) if score > f64::NEG_INFINITY => {
                (1 + reached(finite(&self.sorted), score)) as f64 / (1 + self.sorted.len()) as f64
            }
            _ => 1.0,
        }
    }

    /// The probability that the strongest pair of a table with a permuted target is as strong as the strongest of these.
    ///
    /// Strongest scores follow a Gumbel distribution of scale e, so that exp(−score/e) is exponential: with the mean m over n
    /// permutations, a further one is below exp(−score/e) = x with probability 1 − (1 + x/(n·m))⁻ⁿ.
    pub(super) fn p_value_of_strongest(&self, scores: &[f64]) -> f64 {
        let (Some((_, excess)), score) = (self.tail, largest(scores)) else { return 1.0 };
        if score == f64::NEG_INFINITY || self.strongest.iter().any(|&null| score < null - TIE) {
            return 1.0;
        }
        let sum: f64 = self.strongest.iter().map(|null| ((score - null) / excess).exp()).sum();
        1.0 - (1.0 + 1.0 / sum).powf(-(self.strongest.len() as f64))
    }
}

fn finite(ascending: &[f64]) -> &[f64] {
    &ascending[ascending.partition_point(|&x| x == f64::NEG_INFINITY)..]
}

fn largest(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use rand::RngExt;

    #[test]
    fn a_tail_of_null_scores_is_exponential_above_their_quantile() {
        let null: Vec<f64> = (0..100).map(f64::from).chain([f64::NEG_INFINITY; 10]).collect();
        let null = PairNull::of(&[null]);
        // c = 94.05, and 95 … 99 exceed it by 2.95 on average
        let wanted = [1.0, 51.0 / 111.0, 6.0 / 111.0, 0.05 * (-10.45_f64 / 2.95).exp()];
        for (score, wanted) in [f64::NEG_INFINITY, 50.0, 94.05, 104.5].into_iter().zip(wanted) {
            assert!((null.p_value(score) - wanted).abs() < 1e-12, "{score}");
        }
        assert_eq!(PairNull::of(&[vec![1.0; 19]]).p_value(3.0), 1.0);
        let null = SortedNull::of(vec![1.0, 2.0, 3.0]);
        assert_eq!([2.0, 1.0 + 1e-10, 9.0].map(|score| null.p_value(score)), [0.75, 1.0, 0.25]);
    }

    #[test]
    fn scores_below_the_least_have_a_larger_p_value() {
        let null = SortedNull::of((0..99).map(f64::from).collect());
        let least = null.least_score_of(0.1);
        assert!(null.p_value(least - 0.1) > 0.1 && null.p_value(least + 1.0) <= 0.1, "{least}");
        assert_eq!(null.least_score_of(1.0), f64::NEG_INFINITY);
    }

    #[test]
    fn the_strongest_pair_must_exceed_those_of_permutations_by_more_than_chance() {
        let mut rng = random::stream(5, 0);
        // the strongest of 200 exponential scores is nearly Gumbel
        let mut table = || -> Vec<f64> { (0..200).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect() };
        let mut low = 0;
        for _ in 0..2000 {
            let null: Vec<Vec<f64>> = (0..20).map(|_| table()).collect();
            low += u32::from(PairNull::of(&null).p_value_of_strongest(&table()) <= 0.02);
        }
        assert!((20..=55).contains(&low), "{low} of 2000 at .02, 40 expected");
        let null = PairNull::of(&[vec![1.0; 20], vec![9.0; 20]]);
        assert_eq!(null.p_value_of_strongest(&[8.9, 2.0]), 1.0, "a permutation has a stronger one");
        assert_eq!(null.p_value_of_strongest(&[f64::NEG_INFINITY]), 1.0);
    }
}
