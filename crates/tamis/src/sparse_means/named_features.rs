//! The features that can be named, from probabilities that agree with ranks.
//!
//! Named is the longest list, by probability, of features that each matter more likely than not (p < ½) and of which
//! together at most a share `fdr` is expected to be false (mean p ≤ `fdr`); features of equal p are named together or not
//! at all.

use crate::selection::detail::NamedAt;

/// Rates at which the number of named features is reported.
const RATES: [f64; 4] = [0.01, 0.05, 0.1, 0.2];

/// How strongly a score speaks for its feature: |z|, or z itself where only positive scores count.
pub(super) fn strength(z: f64, one_sided: bool) -> f64 {
    if one_sided { z } else { z.abs() }
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
}
