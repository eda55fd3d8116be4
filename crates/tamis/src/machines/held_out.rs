//! Rows held out of training, which tell whether a kernel is of any use and how much it counts.

use crate::machines::machine::Machine;
use crate::machines::one_vs_rest::share;
use crate::numeric::linalg::Matrix;
use crate::numeric::random;
use crate::resample::inner;
use rand::RngExt;

/// Parts that the rows are divided into, one of which is held out.
const PARTS: usize = 5;
/// Rows that are tested at least, where there are as many: of few rows, several parts are held out in turn.
const ENOUGH: usize = 1000;
/// Most rows that learn, and most that are tested: more would not tell whether a kernel is of any use.
const MOST_LEARNING: usize = 4000;
const MOST_TESTED: usize = 2000;
/// A stream of random numbers that no start uses.
const STREAM: u64 = 1 << 63;

/// Rows to learn from and rows to predict.
pub(super) struct HeldOut {
    pub(super) learn: Vec<usize>,
    pub(super) test: Vec<usize>,
}

/// How many parts are held out in turn.
pub(super) fn n_splits(rows: usize) -> usize {
    (PARTS * ENOUGH).div_ceil(rows.max(1)).clamp(1, PARTS)
}

/// As how many starts on all rows so many on all learning rows count.
pub(super) fn starts_worth(rows: usize, starts: usize) -> f64 {
    let learning = (rows * (PARTS - 1) / PARTS).min(MOST_LEARNING) as f64 / rows.max(1) as f64;
    learning * (n_splits(rows) * starts) as f64
}

/// One part of the rows held out or, of few rows, several in turn; every part has both signs in proportion, and rows of a
/// group are in one part.
pub(super) fn splits(y: &[f64], groups: Option<&[u32]>, seed: u64) -> Vec<HeldOut> {
    let mut order = vec![0; y.len()];
    let mut part = vec![0; y.len()];
    let mut dealt: Vec<usize> = Vec::with_capacity(y.len());
    let mut rng = random::stream(seed, STREAM);
    for sign in [-1.0, 1.0] {
        let mut rows: Vec<usize> = (0..y.len()).filter(|&i| y[i] == sign).collect();
        for at in 0..rows.len() {
            let other = rng.random_range(at..rows.len());
            rows.swap(at, other);
            order[rows[at]] = at;
        }
        // each sign from the first part on
        let parts = inner::deal(&vec![0; rows.len()], None, None, PARTS);
        rows.iter().zip(parts).for_each(|(&row, of_row)| part[row] = of_row);
        dealt.extend(rows);
    }
    if let Some(groups) = groups {
        let signs: Vec<usize> = dealt.iter().map(|&i| usize::from(y[i] > 0.0)).collect();
        let groups: Vec<u32> = dealt.iter().map(|&i| groups[i]).collect();
        let parts = inner::deal(&signs, Some(&groups), None, PARTS);
        dealt.iter().zip(parts).for_each(|(&row, of_row)| part[row] = of_row);
    }
    // rows of both signs in turn, so that the first of them are in proportion too
    let mut shuffled: Vec<usize> = (0..y.len()).collect();
    let count = |sign: f64| y.iter().filter(|y| **y == sign).count().max(1) as f64;
    let counts = [count(-1.0), count(1.0)];
    let place = |i: usize| order[i] as f64 / counts[usize::from(y[i] > 0.0)];
    shuffled.sort_by(|&a, &b| place(a).total_cmp(&place(b)).then(a.cmp(&b)));
    let of = |held: usize, out: bool, most: usize| -> Vec<usize> {
        let mut rows: Vec<usize> = shuffled.iter().copied().filter(|&i| (part[i] == held) == out).take(most).collect();
        rows.sort_unstable();
        rows
    };
    let split = |held: usize| HeldOut { learn: of(held, false, MOST_LEARNING), test: of(held, true, MOST_TESTED) };
    let usable = |split: &HeldOut| {
        let both = [-1.0, 1.0].iter().all(|sign| split.learn.iter().any(|&i| y[i] == *sign));
        both && !split.test.is_empty()
    };
    (0..n_splits(y.len())).map(split).filter(usable).collect()
}

/// These rows of a matrix.
pub(super) fn rows_of(x: &Matrix, rows: &[usize]) -> Matrix {
    Matrix::from_columns(rows.len(), x.n_columns(), |k, out| {
        let column = x.column(k);
        out.iter_mut().zip(rows).for_each(|(o, &i)| *o = column[i]);
    })
}

/// The probability of sign 1 of the tested rows by machines, averaged; without machines the share of the learning rows.
pub(super) fn probabilities(machines: &[&Machine], x: &Matrix, y: &[f64], split: &HeldOut) -> Vec<f64> {
    if machines.is_empty() {
        return vec![learned_share(y, split); split.test.len()];
    }
    let mut p = vec![0.0; split.test.len()];
    let tested = rows_of(x, &split.test);
    for machine in machines {
        let (_, of_machine) = machine.prepare().predict(&tested.select_columns(&machine.features));
        p.iter_mut().zip(of_machine).for_each(|(p, q)| *p += q / machines.len() as f64);
    }
    p
}

/// The share of sign 1 among the learning rows.
pub(super) fn learned_share(y: &[f64], split: &HeldOut) -> f64 {
    share(&split.learn.iter().map(|&i| y[i]).collect::<Vec<f64>>(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_all_held_out_in_turn_and_many_once() {
        for (n, wanted) in [(40, 5), (600, 5), (2000, 3), (50_000, 1)] {
            let y: Vec<f64> = (0..n).map(|i| if i % 4 == 0 { 1.0 } else { -1.0 }).collect();
            let splits = splits(&y, None, 7);
            assert_eq!(splits.len(), wanted, "{n}");
            for split in &splits {
                assert!(split.learn.len() <= MOST_LEARNING && split.test.len() <= MOST_TESTED);
                assert!(split.test.iter().all(|i| split.learn.binary_search(i).is_err()));
                let positive = split.test.iter().filter(|&&i| y[i] > 0.0).count() as f64 / split.test.len() as f64;
                assert!((positive - 0.25).abs() < 0.1, "{positive}");
            }
        }
        assert!(splits(&[1.0, -1.0], None, 1).is_empty(), "nothing can be held out of two rows");
    }

    #[test]
    fn rows_of_a_group_are_never_on_both_sides() {
        for n in [60, 6000] {
            // groups of three, of both signs
            let y: Vec<f64> = (0..n).map(|i| if i % 4 == 0 { 1.0 } else { -1.0 }).collect();
            let groups: Vec<u32> = (0..n as u32).map(|i| i / 3).collect();
            let splits = splits(&y, Some(&groups), 7);
            assert_eq!(splits.len(), n_splits(n));
            for HeldOut { learn, test } in &splits {
                assert!(!test.iter().any(|&i| learn.iter().any(|&j| groups[i] == groups[j])), "{n}");
                let share = test.iter().filter(|&&i| y[i] > 0.0).count() as f64 / test.len() as f64;
                assert!(test.len() >= n / 6 && (share - 0.25).abs() < 0.1, "{} {share}", test.len());
            }
        }
        assert!(splits(&[1.0, -1.0, 1.0, -1.0], Some(&[5; 4]), 1).is_empty(), "one group cannot be split");
    }
}
