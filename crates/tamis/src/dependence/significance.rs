//! From scores in the data and under permutations to p-values, and from these to a decision.

use crate::numeric::order_statistics::{ascending, quantile};

/// Scores that differ by less are equal.
const TIE: f64 = 1e-9;
/// The share of null scores from which on their tail is taken as exponential.
const TAIL: f64 = 0.05;
/// Fewer null scores than this say nothing.
const FEWEST: usize = 20;

/// How many of the ascending null scores are at least as large as a score.
fn reached(null: &[f64], score: f64) -> usize {
    null.len() - null.partition_point(|&x| x < score - TIE)
}

/// (1 + null scores at least as large)/(1 + null scores), for every score.
pub(super) fn p_alone(scores: &[f64], null: Vec<f64>) -> Vec<f64> {
    let null = ascending(null);
    scores.iter().map(|&score| (1 + reached(&null, score)) as f64 / (1 + null.len()) as f64).collect()
}

/// Like [`p_alone`] up to the 95 % quantile c of the null scores that are finite, and .05·exp(−(score − c)/e) above it,
/// e the mean excess over c but at least 1. All are 1 if fewer than 20 null scores are finite; so is that of a score of −∞.
pub(super) fn p_together(scores: &[f64], null: Vec<f64>) -> Vec<f64> {
    let null = ascending(null);
    let finite = &null[null.partition_point(|&x| x == f64::NEG_INFINITY)..];
    if finite.len() < FEWEST {
        return vec![1.0; scores.len()];
    }
    let cut = quantile(finite, 1.0 - TAIL);
    let above = &finite[finite.partition_point(|&x| x <= cut)..];
    let excess = above.iter().map(|x| x - cut).sum::<f64>() / above.len().max(1) as f64;
    let p = |&score: &f64| match score {
        f64::NEG_INFINITY => 1.0,
        score if score > cut => TAIL * (-(score - cut) / excess.max(1.0)).exp(),
        score => (1 + reached(finite, score)) as f64 / (1 + null.len()) as f64,
    };
    scores.iter().map(p).collect()
}

/// Whether pairs count: the tail of their null scores is read off few permutations and may be too light, so the strongest
/// pair must exceed all of these, unless a feature `alone` is found at this false discovery rate.
pub(super) fn pairs_count(scores: &[f64], null: &[f64], alone: &[f64], fdr: f64) -> bool {
    let largest = |scores: &[f64]| scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest(scores) > largest(null) || benjamini_hochberg(alone).iter().any(|q| *q <= fdr)
}

/// Benjamini & Hochberg's adjusted p-values.
pub(super) fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 1.0_f64;
    for (smaller, &at) in (1..=p.len()).rev().zip(&order) {
        least = least.min(p[at] * p.len() as f64 / smaller as f64);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusted_p_values_are_those_of_the_textbook() {
        let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.5]);
        let wanted = [0.04, 0.16 / 3.0, 0.16 / 3.0, 0.5];
        assert!(adjusted.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-15), "{adjusted:?}");
    }

    #[test]
    fn pairs_count_if_the_strongest_exceeds_every_null_one_or_a_feature_is_found_alone() {
        let (null, quiet) = ([1.0, 9.0, f64::NEG_INFINITY], [0.2, 0.9]);
        assert!(pairs_count(&[9.1, 2.0], &null, &quiet, 0.05));
        assert!(!pairs_count(&[9.0, 2.0], &null, &quiet, 0.05));
        assert!(pairs_count(&[9.0, 2.0], &null, &[0.02, 0.9], 0.05));
        assert!(!pairs_count(&[9.0, 2.0], &null, &[0.03, 0.9], 0.05), "0.06 after adjustment");
    }

    #[test]
    fn a_tail_of_null_scores_is_exponential_above_their_quantile() {
        let null: Vec<f64> = (0..100).map(f64::from).chain([f64::NEG_INFINITY; 10]).collect();
        let p = p_together(&[f64::NEG_INFINITY, 50.0, 94.05, 104.5], null);
        // c = 94.05, and 95 … 99 exceed it by 2.95 on average
        let wanted = [1.0, 51.0 / 111.0, 6.0 / 111.0, 0.05 * (-10.45_f64 / 2.95).exp()];
        assert!(p.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{p:?} {wanted:?}");
        assert_eq!(p_together(&[3.0], vec![1.0; 19]), [1.0]);
        assert_eq!(p_alone(&[2.0, 1.0 + 1e-10, 9.0], vec![1.0, 2.0, 3.0]), [0.75, 1.0, 0.25]);
    }
}
