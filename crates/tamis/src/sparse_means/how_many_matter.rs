//! How many features matter, and how many strongly: intervals after the gate.

use crate::sparse_means::Sides;
use crate::sparse_means::count_interval::{CERTAIN, CountCurve, CountedScores, rounded};
use std::borrow::Cow;

/// A feature matters if its effect is larger than this.
const MATTERS: f64 = 1.0;
/// It matters strongly if its effect is larger than this.
const STRONGLY: f64 = 2.0;

/// 95 % intervals for how many features matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Intervals {
    /// For |μ| > 1.
    pub(super) matters: Option<[u64; 2]>,
    /// For |μ| > 2.
    pub(super) strongly: Option<[u64; 2]>,
}

/// Scores that count effects, and other scalings of them that may show more.
pub(super) struct Scalings {
    /// The scores that give both ends.
    pub(super) scores: CountedScores,
    /// Scores whose upper end counts if it is larger.
    pub(super) wider: Vec<CountedScores>,
    /// Their overdispersion.
    pub(super) overdispersion: f64,
}

/// The intervals. While the gate is shut, only the `certain` scores are known to matter; if it is open, something
/// matters.
pub(super) fn intervals(scalings: &Scalings, open: bool, certain: usize) -> Intervals {
    let interval = |limit: f64, fewest: u64| {
        let [low, high] = rounded(ends(scalings, limit));
        let low = if open { low.max(fewest) } else { certain as u64 };
        Some([low, high.max(low)])
    };
    let (matters, strongly) = rayon::join(|| interval(MATTERS, 1), || interval(STRONGLY, 0));
    Intervals { matters, strongly }
}

/// The ends before rounding: the lower one from the scores, the upper one the largest of all scalings.
pub(super) fn ends(scalings: &Scalings, limit: f64) -> [f64; 2] {
    let Scalings { scores, wider, overdispersion } = scalings;
    let [low, high] = CountCurve::new(scores, limit).ends(*overdispersion);
    let wider = wider.iter().map(|scores| CountCurve::new(scores, limit).high_end(*overdispersion));
    [low, wider.fold(high, f64::max)]
}

/// The ascending scores that can be counted; `order[at]` is the feature of the score `at`. Where both kinds of scores are
/// mixed, one far below zero whose feature only a positive score speaks for says nothing, and would pass for an effect.
pub(super) fn counted(scores: &[f64], order: &[u32], sides: Sides<'_>) -> CountedScores {
    CountedScores::new(&countable(scores, order, sides), matches!(sides, Sides::One))
}

fn countable<'a>(scores: &'a [f64], order: &[u32], sides: Sides<'_>) -> Cow<'a, [f64]> {
    let Sides::Mixed(_) = sides else { return scores.into() };
    let says_something = |(z, feature): &(&f64, &u32)| **z >= -CERTAIN || !sides.one(**feature as usize);
    scores.iter().zip(order).filter(says_something).map(|(z, _)| *z).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_scores_that_say_nothing_are_not_counted() {
        let z = [-9.0, -8.5, 0.0, 9.0];
        let mixed = countable(&z[..], &[0, 1, 2, 3], Sides::Mixed(&[true, false, true, true]));
        assert_eq!(mixed[..], [-8.5, 0.0, 9.0]);
        assert_eq!(countable(&z[..], &[0, 1, 2, 3], Sides::One).len(), 4);
    }

    #[test]
    fn the_gate_bounds_the_lower_ends() {
        let scores = [vec![0.0; 50], vec![3.0, 9.0, 25.0]].concat();
        let scalings = Scalings { scores: CountedScores::new(&scores, false), wider: vec![], overdispersion: 1.0 };
        let shut = intervals(&scalings, false, 1);
        assert_eq!((shut.matters.map(|i| i[0]), shut.strongly.map(|i| i[0])), (Some(1), Some(1)));
        let open = intervals(&scalings, true, 1);
        assert_eq!((open.matters.map(|i| i[0]), open.strongly.map(|i| i[0])), (Some(2), Some(2)));
        let noise = Scalings { scores: CountedScores::new(&[0.0; 50], false), ..scalings };
        let open = intervals(&noise, true, 0);
        assert_eq!((open.matters.map(|i| i[0]), open.strongly.map(|i| i[0])), (Some(1), Some(0)));
    }
}
