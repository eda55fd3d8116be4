//! Two features in thirds of their ranks, and how many rows of each class every combination has.

use crate::numeric::order_statistics::{ascending, quantile};

/// Parts that each feature is cut into.
const PARTS: usize = 3;

/// Counts of two features in parts of about equal size; equal values are never split, so that a feature of few values has
/// fewer parts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PairTable {
    /// The largest value of each part but the last: of the first feature, and of the second.
    pub cuts: [Vec<f64>; 2],
    /// By part of the first feature, part of the second, and class.
    pub counts: Vec<Vec<Vec<u32>>>,
}

impl PairTable {
    /// The table of the rows in which both features have a value; `None` where one of them does not vary.
    pub fn of(first: &[f64], second: &[f64], codes: &[u32], classes: usize) -> Option<PairTable> {
        let rows = || {
            let both = first.iter().zip(second).zip(codes);
            both.filter(|((a, b), _)| !a.is_nan() && !b.is_nan()).map(|((a, b), code)| (*a, *b, *code))
        };
        let cuts = [cuts(rows().map(|row| row.0).collect())?, cuts(rows().map(|row| row.1).collect())?];
        let mut counts = vec![vec![vec![0; classes]; cuts[1].len() + 1]; cuts[0].len() + 1];
        let part = |cuts: &[f64], x: f64| cuts.partition_point(|cut| *cut < x);
        for (a, b, code) in rows().filter(|row| (row.2 as usize) < classes) {
            counts[part(&cuts[0], a)][part(&cuts[1], b)][code as usize] += 1;
        }
        Some(PairTable { cuts, counts })
    }
}

/// Where values are cut; `None` where they are all equal.
fn cuts(values: Vec<f64>) -> Option<Vec<f64>> {
    let sorted = ascending(values);
    let (&least, &largest) = (sorted.first()?, sorted.last()?);
    let mut found: Vec<f64> = (1..PARTS).map(|part| quantile(&sorted, part as f64 / PARTS as f64)).collect();
    found.retain(|cut| *cut < largest);
    found.dedup();
    if found.is_empty() {
        // most values are the largest: the others are a part of their own
        found.extend(sorted.iter().rev().copied().find(|x| *x < largest));
    }
    (least < largest).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_thirds_and_missing_values_left_out() {
        let first: Vec<f64> = (0..90).map(|i| f64::from(i / 10)).collect();
        let mut second: Vec<f64> = (0..90).map(|i| f64::from(i % 2)).collect();
        second[0] = f64::NAN;
        let codes: Vec<u32> = (0..90).map(|i| u32::from(i >= 45)).collect();
        let found = PairTable::of(&first, &second, &codes, 2).expect("a table");
        assert_eq!((found.counts.len(), found.counts[0].len()), (3, 2));
        let total: u32 = found.counts.iter().flatten().flatten().sum();
        assert_eq!(total, 89);
        assert_eq!(found.counts[2], [[0, 15], [0, 15]]);
        assert_eq!(found.cuts[1], [0.0]);
    }

    #[test]
    fn a_constant_has_no_table_and_rare_values_a_part() {
        assert_eq!(PairTable::of(&[1.0, 1.0], &[1.0, 2.0], &[0, 1], 2), None);
        let rare: Vec<f64> = (0..50).map(|i| f64::from(u8::from(i > 0))).collect();
        let found = PairTable::of(&rare, &rare, &[0; 50], 1).expect("a table");
        assert_eq!(found.counts, [[[1], [0]], [[0], [49]]]);
    }
}
