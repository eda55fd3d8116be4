//! The values of a numeric target, counted: exactly while they are few, else rounded all alike, by as few bits as needed.
//!
//! How many bits are dropped follows from the set of values alone, so that sketches merge to the same bits in any order.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Different values that are kept.
const KEPT: usize = 4096;
/// Equally likely values that null targets are drawn from.
pub(crate) const DRAWN: u64 = 1024;

/// Counted values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct TargetSketch {
    /// Bits that are dropped of every value.
    dropped: u32,
    /// How many rows have each value, as ordered numbers.
    counts: BTreeMap<u64, u64>,
}

impl TargetSketch {
    /// Adds a value that is not missing.
    pub(crate) fn add(&mut self, value: f64, rows: u64) {
        *self.counts.entry(ordered(value) >> self.dropped).or_default() += rows;
        self.shrink();
    }

    /// Adds the values of another sketch.
    pub(crate) fn merge(&mut self, other: &TargetSketch) {
        let dropped = self.dropped.max(other.dropped);
        let own = std::mem::take(&mut self.counts);
        for (counts, by) in [(&own, dropped - self.dropped), (&other.counts, dropped - other.dropped)] {
            counts.iter().for_each(|(value, rows)| *self.counts.entry(value >> by).or_default() += rows);
        }
        self.dropped = dropped;
        self.shrink();
    }

    /// Whether there are several values.
    pub(crate) fn varies(&self) -> bool {
        self.counts.len() > 1
    }

    fn shrink(&mut self) {
        while self.counts.len() > KEPT {
            let all = std::mem::take(&mut self.counts);
            all.into_iter().for_each(|(value, rows)| *self.counts.entry(value >> 1).or_default() += rows);
            self.dropped += 1;
        }
    }

    /// 1,024 equally likely values, or those of all rows if they are fewer; ascending.
    pub(crate) fn values(&self) -> Vec<f64> {
        let rows: u64 = self.counts.values().sum();
        let wanted = rows.min(DRAWN);
        let mut values = Vec::with_capacity(wanted as usize);
        let mut before = 0;
        for (value, count) in &self.counts {
            before += count;
            let middle = if self.dropped > 0 { 1 << (self.dropped - 1) } else { 0 };
            // value number i stands at the middle of the i-th part of the rows
            while (values.len() as u64) < wanted
                && (2 * u128::from(values.len() as u64) + 1) * u128::from(rows)
                    < 2 * u128::from(wanted) * u128::from(before)
            {
                values.push(number((value << self.dropped) | middle));
            }
        }
        values
    }
}

/// Numbers as whole numbers of the same order.
fn ordered(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits(); // no negative zero
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn number(ordered: u64) -> f64 {
    f64::from_bits(if ordered >> 63 == 1 { ordered & !(1 << 63) } else { !ordered })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;

    fn sketch(values: &[f64]) -> TargetSketch {
        let mut sketch = TargetSketch::default();
        values.iter().for_each(|x| sketch.add(*x, 1));
        sketch
    }

    #[test]
    fn sketches_merge_to_the_same_bits_in_any_order() {
        let mut rng = random::stream(8, 0);
        let values: Vec<f64> = (0..20_000).map(|_| random::standard_normal(&mut rng)).collect();
        let whole = sketch(&values);
        assert!(whole.dropped > 0 && whole.counts.len() <= KEPT);
        let parts: Vec<TargetSketch> = [0..37, 37..9_000, 9_000..20_000].map(|span| sketch(&values[span])).into();
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let mut merged = TargetSketch::default();
            order.iter().for_each(|&at| merged.merge(&parts[at]));
            assert_eq!(merged, whole);
        }
    }

    #[test]
    fn drawn_values_are_the_quantiles() {
        let values = sketch(&[3.0, -1.5, 0.0, -0.0, 1e-300]).values();
        assert_eq!(values, [-1.5, 0.0, 0.0, 1e-300, 3.0], "all of them if there are few");
        let many: Vec<f64> = (0..50_000).map(|i| f64::from(i) / 50_000.0 - 0.5).collect();
        let values = sketch(&many).values();
        assert_eq!(values.len(), 1024);
        for (i, x) in values.iter().enumerate() {
            assert!((x - ((i as f64 + 0.5) / 1024.0 - 0.5)).abs() < 2e-3, "{i} {x}");
        }
    }
}
