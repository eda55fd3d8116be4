//! The features that can be named, from probabilities that agree with ranks.
//!
//! Named is the longest list, by probability, of features that each matter more likely than not (p < ½) and of which
//! together at most a share `fdr` is expected to be false (mean p ≤ `fdr`); features of equal p are named together or not
//! at all.

use crate::selection::detail::NamedAt;
use crate::sparse_means::Sides;
use crate::sparse_means::auto_normal_mixtures::CERTAIN;

/// Rates at which the number of named features is reported.
const RATES: [f64; 4] = [0.01, 0.05, 0.1, 0.2];

/// How strongly a score speaks for its feature: |z|, or z itself where only positive scores count.
pub(super) fn strength(z: f64, one_sided: bool) -> f64 {
    if one_sided { z } else { z.abs() }
}

/// Raises p to ½ where a score is weaker than `limit`; scores beyond doubt pass. `order[at]` is the feature of
/// `sorted[at]`.
pub(super) fn guard(p: &mut [f64], sorted: &[f64], order: &[u32], sides: Sides<'_>, limit: f64) {
    for ((p, z), &feature) in p.iter_mut().zip(sorted).zip(order) {
        if is_doubted(*z, sides.one(feature as usize), limit) {
            *p = p.max(0.5);
        }
    }
}

/// Whether a score is weaker than `limit`, and not beyond doubt.
pub(super) fn is_doubted(z: f64, one_sided: bool, limit: f64) -> bool {
    let strength = strength(z, one_sided);
    strength < limit && strength <= CERTAIN
}

/// Scores that are beyond doubt.
pub(super) fn certain(sorted: &[f64], order: &[u32], sides: Sides<'_>) -> usize {
    sorted.iter().zip(order).filter(|(z, i)| strength(**z, sides.one(**i as usize)) > CERTAIN).count()
}

/// The length of the longest prefix of the ascending `p` with every p < ½ and mean p ≤ `fdr`, equal p together.
pub(super) fn longest_prefix(p: impl Iterator<Item = f64>, fdr: f64) -> usize {
    let (mut named, mut sum) = (0, 0.0);
    let mut p = p.take_while(|p| *p < 0.5).enumerate().peekable();
    while let Some((i, value)) = p.next() {
        sum += value;
        let ends_ties = p.peek().is_none_or(|(_, next)| *next != value);
        if ends_ties && sum <= fdr * (i + 1) as f64 {
            named = i + 1;
        }
    }
    named
}

/// How many features are named at each of a few rates.
pub(super) fn at_rates(p: &[f64], best_first: &[u32]) -> Vec<NamedAt> {
    let ascending = || best_first.iter().map(|&at| p[at as usize]);
    RATES.iter().map(|&fdr| NamedAt { fdr, named: longest_prefix(ascending(), fdr) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_probabilities_are_named_together_or_not_at_all() {
        let named = |p: &[f64], fdr: f64| longest_prefix(p.iter().copied(), fdr);
        assert_eq!(named(&[0.0, 0.1, 0.2, 0.6], 0.11), 3);
        assert_eq!(named(&[0.0, 0.1, 0.2, 0.6], 0.09), 2);
        assert_eq!(named(&[0.0, 0.15, 0.15, 0.15], 0.1), 1);
        assert_eq!(named(&[0.0, 0.15, 0.15, 0.15], 0.12), 4);
        assert_eq!(named(&[0.2], 0.1), 0);
        assert_eq!(named(&[0.0, 0.5, 0.5], 0.9), 1);
        assert_eq!(named(&[], 0.1), 0);
    }

    #[test]
    fn the_guard_stops_weak_scores_but_none_beyond_doubt() {
        let mut p = [0.0, 0.2, 0.1, 0.3, 0.0];
        guard(&mut p, &[-25.0, -3.0, 2.0, 3.5, 21.0], &[0, 1, 2, 3, 4], Sides::Two, 3.2);
        assert_eq!(p, [0.0, 0.5, 0.5, 0.3, 0.0]);
        let mut p = [1.0, 0.2];
        guard(&mut p, &[-25.0, 2.0], &[0, 1], Sides::Mixed(&[true, false]), f64::INFINITY);
        assert_eq!(p, [1.0, 0.5]);
        assert_eq!(certain(&[-25.0, 21.0], &[0, 1], Sides::Mixed(&[true, false])), 1);
    }
}
