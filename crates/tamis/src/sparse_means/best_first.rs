//! Features in the order of their ranks, from scores in ascending order.
//!
//! What is ranked by falls and then rises along the sorted scores, but for the last digits of flat stretches. So the order
//! is made from both ends, and then set right by insertion: linear in the number of scores.

use crate::sparse_means::Sides;
use crate::sparse_means::named_features::strength;
use std::cmp::Ordering;

/// Probabilities with three digits differ from here on.
const NEXT_TO_NOTHING: f64 = 5e-4;

/// What ranks are made from, by position among the ascending scores.
#[derive(Clone, Copy)]
pub(super) struct Ranked<'a> {
    /// The probability of being irrelevant.
    pub(super) irrelevant: &'a [f64],
    /// The effects.
    pub(super) effects: &'a [f64],
    /// The scores, ascending.
    pub(super) sorted: &'a [f64],
    /// The feature of each score.
    pub(super) order: &'a [u32],
    /// Which scores speak for a feature.
    pub(super) sides: Sides<'a>,
}

impl Ranked<'_> {
    /// Positions, the smallest p first; among equals the score that speaks most for its feature, then the first feature.
    /// Values of p that are shown alike, as next to nothing, count as equal.
    pub(super) fn by_probability(&self) -> Vec<u32> {
        let p = |at: usize| if self.irrelevant[at] < NEXT_TO_NOTHING { 0.0 } else { self.irrelevant[at] };
        from_both_ends(self.irrelevant.len(), |a, b| p(a).total_cmp(&p(b)).then_with(|| self.compare_strengths(a, b)))
    }

    /// Positions, the largest |effect| first; among equals the score that speaks most for its feature, then the first
    /// feature.
    pub(super) fn by_effect(&self) -> Vec<u32> {
        from_both_ends(self.effects.len(), |a, b| self.compare_effects(a, b))
    }

    fn compare_effects(&self, a: usize, b: usize) -> Ordering {
        self.effects[b].abs().total_cmp(&self.effects[a].abs()).then_with(|| self.compare_strengths(a, b))
    }

    fn compare_strengths(&self, a: usize, b: usize) -> Ordering {
        let strength = |at: usize| strength(self.sorted[at], self.sides.one(self.order[at] as usize));
        strength(b).total_cmp(&strength(a)).then_with(|| self.order[a].cmp(&self.order[b]))
    }
}

/// The positions 0 … n − 1 sorted by a total order in which the first ones come, roughly, from the two ends.
fn from_both_ends(n: usize, compare: impl Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut by = Vec::with_capacity(n);
    let (mut low, mut high) = (0, n);
    while low < high {
        if compare(low, high - 1).is_le() {
            by.push(low as u32);
            low += 1;
        } else {
            high -= 1;
            by.push(high as u32);
        }
    }
    let mut moves_left = 4 * n;
    for end in 1..n {
        let new = by[end];
        let mut at = end;
        while at > 0 && compare(new as usize, by[at - 1] as usize).is_lt() {
            by[at] = by[at - 1];
            at -= 1;
        }
        by[at] = new;
        if end - at > moves_left {
            by.sort_by(|a, b| compare(*a as usize, *b as usize)); // far from sorted after all
            return by;
        }
        moves_left -= end - at;
    }
    by
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_order_is_sorted(values in proptest::collection::vec(0_i32..30, 0..300)) {
            let compare = |a: usize, b: usize| values[a].cmp(&values[b]).then(a.cmp(&b));
            let mut wanted: Vec<u32> = (0..values.len() as u32).collect();
            wanted.sort_by(|a, b| compare(*a as usize, *b as usize));
            prop_assert_eq!(from_both_ends(values.len(), compare), wanted);
        }
    }
}
