//! How many rows are equal to others, from the rows with the smallest keys: these are a random sample of the different rows.

use std::collections::BTreeMap;

/// Different keys that are kept.
const KEPT: usize = 512;

/// The smallest keys, and how many rows have each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RepeatedRows(pub(crate) BTreeMap<u64, u64>);

impl RepeatedRows {
    /// Adds rows.
    pub(super) fn add(&mut self, keys: &[u64]) {
        for key in keys {
            let largest = self.0.last_key_value().map_or(u64::MAX, |(largest, _)| *largest);
            if self.0.len() < KEPT || *key <= largest {
                *self.0.entry(*key).or_default() += 1;
                self.cut();
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &RepeatedRows) {
        for (key, rows) in &other.0 {
            *self.0.entry(*key).or_default() += rows;
        }
        self.cut();
    }

    fn cut(&mut self) {
        while self.0.len() > KEPT {
            self.0.pop_last();
        }
    }

    /// The share of rows that repeat another, about.
    pub(crate) fn share(&self) -> f64 {
        let rows: u64 = self.0.values().sum();
        if rows == 0 { 0.0 } else { 1.0 - self.0.len() as f64 / rows as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random::splitmix64;

    #[test]
    fn the_share_is_about_right_and_the_same_in_any_order() {
        let keys: Vec<u64> = (0..40_000_u64).map(|i| splitmix64(i / if i % 10 == 0 { 20 } else { 1 })).collect();
        let different = keys.iter().collect::<std::collections::BTreeSet<_>>().len();
        let exact = 1.0 - different as f64 / 40_000.0;
        let mut whole = RepeatedRows::default();
        whole.add(&keys);
        assert!((whole.share() - exact).abs() < 0.03, "{} {exact}", whole.share());
        let mut parts = RepeatedRows::default();
        for some in keys.chunks(1_234).rev() {
            let mut part = RepeatedRows::default();
            part.add(some);
            parts.merge(&part);
        }
        assert_eq!(parts, whole);
    }
}
