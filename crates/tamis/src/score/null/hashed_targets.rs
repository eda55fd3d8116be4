//! Null targets of tables read in pieces, drawn row by row: the rows are never all there to be shuffled.
//!
//! A null label is drawn with the classes' shares. A null number is the number of ones among 64 random bits less 32, which
//! is nearly normal. Both come from a hash of the seed, the null target and the row's number in the whole table, and so
//! depend neither on how the table is cut nor on the threads. Any draw that does not know the features is a valid null
//! target; the shares make it like the real one.
//!
//! Cost: some 2 ns for each row and null target.

use crate::numeric::linalg::Matrix;
use crate::numeric::random::splitmix64;
use std::ops::Range;

/// The step between the hashes of neighbouring rows (Steele, Lea & Flood 2014).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Null targets of a table of any number of rows.
pub(crate) struct DrawnTargets {
    seed: u64,
    kind: Kind,
    /// Whether a row of weight three is three rows, with a draw each.
    copies: bool,
}

enum Kind {
    /// The part of the unit interval that stands for each coded class.
    Classes(Vec<(f64, f64)>),
    Numbers,
}

/// Some rows: their numbers in the whole table, and their weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawnRows<'a> {
    pub(crate) numbers: &'a [u64],
    pub(crate) weights: &'a [f64],
}

impl DrawnTargets {
    /// Labels by the classes' shares; of two classes the positive one is coded, of several all but the last.
    pub(crate) fn classes(shares: &[f64], positive: usize, seed: u64, copies: bool) -> DrawnTargets {
        let spans = match shares.len() {
            2 => vec![(0.0, shares[positive])],
            n => {
                let ends = shares.iter().scan(0.0, |sum, share| {
                    let start = *sum;
                    *sum += share;
                    Some((start, *sum))
                });
                ends.take(n.max(1) - 1).collect()
            }
        };
        DrawnTargets { seed, kind: Kind::Classes(spans), copies }
    }

    /// Numbers.
    pub(crate) fn numbers(seed: u64, copies: bool) -> DrawnTargets {
        DrawnTargets { seed, kind: Kind::Numbers, copies }
    }

    /// How many columns a null target has: its coded classes, or one of numbers.
    pub(super) fn width(&self) -> usize {
        match &self.kind {
            Kind::Classes(spans) => spans.len(),
            Kind::Numbers => 1,
        }
    }

    /// Some null targets of some rows: the weight in each coded class, or weight times number.
    pub(crate) fn weighted(&self, nulls: Range<usize>, rows: DrawnRows<'_>) -> Matrix {
        let width = self.width();
        Matrix::from_columns(rows.numbers.len(), nulls.len() * width, |column, out| {
            let null = nulls.start + column / width;
            match &self.kind {
                Kind::Classes(spans) => {
                    let (low, high) = spans[column % width];
                    self.each(null, rows, out, |hash| {
                        let place = uniform(hash);
                        f64::from(u8::from(low <= place && place < high))
                    });
                }
                Kind::Numbers => self.each(null, rows, out, number),
            }
        })
    }

    /// Some null targets of some rows: weight times squared number.
    pub(super) fn squared(&self, nulls: Range<usize>, rows: DrawnRows<'_>) -> Matrix {
        Matrix::from_columns(rows.numbers.len(), nulls.len(), |column, out| {
            self.each(nulls.start + column, rows, out, |hash| number(hash).powi(2));
        })
    }

    /// Writes weight times value of every row's hash; where rows have copies, the sum over them.
    fn each(&self, null: usize, rows: DrawnRows<'_>, out: &mut [f64], value: impl Fn(u64) -> f64) {
        let key = splitmix64(self.seed ^ splitmix64(null as u64));
        let all = out.iter_mut().zip(rows.numbers).zip(rows.weights);
        for ((out, row), weight) in all {
            let hash = splitmix64(key.wrapping_add(row.wrapping_mul(STEP)));
            *out = if self.copies && *weight > 1.0 {
                let copy = |at: u64| value(if at == 0 { hash } else { splitmix64(hash.wrapping_add(at)) });
                (0..*weight as u64).map(copy).sum()
            } else {
                weight * value(hash)
            };
        }
    }
}

/// A number from 0 to 1, 1 left out.
fn uniform(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

/// A nearly normal number of mean 0 and variance 16.
fn number(hash: u64) -> f64 {
    f64::from(hash.count_ones()) - 32.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_come_by_their_shares_whatever_else_is_drawn_with_them() {
        let numbers: Vec<u64> = (0..20_000).collect();
        let weights = vec![1.0; numbers.len()];
        let drawn = DrawnTargets::classes(&[0.2, 0.5, 0.3], 2, 7, false);
        let all = drawn.weighted(0..6, DrawnRows { numbers: &numbers, weights: &weights });
        for column in 0..12 {
            let share = all.column(column).iter().sum::<f64>() / 20_000.0;
            let wanted = [0.2, 0.5][column % 2];
            assert!((share - wanted).abs() < 0.015, "{column}: {share}");
        }
        let some = DrawnRows { numbers: &numbers[5000..5100], weights: &weights[5000..5100] };
        let part = drawn.weighted(4..6, some);
        for column in 0..4 {
            assert_eq!(part.column(column), &all.column(8 + column)[5000..5100]);
        }
    }

    #[test]
    fn null_targets_are_uncorrelated_and_neighbouring_rows_too() {
        let numbers: Vec<u64> = (0..40_000).collect();
        let weights = vec![1.0; numbers.len()];
        let drawn = DrawnTargets::numbers(3, false);
        let all = drawn.weighted(0..4, DrawnRows { numbers: &numbers, weights: &weights });
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / 16.0 / 40_000.0;
        for a in 0..4 {
            assert!((product(all.column(a), all.column(a)) - 1.0).abs() < 0.04);
            assert!(product(all.column(a), &all.column(a)[1..]).abs() < 0.02);
            (0..a).for_each(|b| assert!(product(all.column(a), all.column(b)).abs() < 0.02, "{a} {b}"));
        }
    }

    #[test]
    fn copies_of_a_row_are_drawn_one_by_one() {
        let numbers: Vec<u64> = (0..4_000).collect();
        let weights = vec![9.0; numbers.len()];
        let rows = DrawnRows { numbers: &numbers, weights: &weights };
        let spread = |copies: bool| {
            let drawn = DrawnTargets::classes(&[0.5, 0.5], 1, 1, copies).weighted(0..1, rows);
            drawn.column(0).iter().map(|x| (x - 4.5).powi(2)).sum::<f64>() / 4_000.0
        };
        assert!((spread(false) - 20.25).abs() < 1e-9, "all or none: {}", spread(false));
        assert!((spread(true) - 2.25).abs() < 0.2, "binomial: {}", spread(true));
    }
}
