//! Scores in ascending order: by the digits of their leading half, then, where those are equal, by comparison.

use crate::base::{Error, Place, Result};

/// Bits of a digit.
const BITS: usize = 11;
/// Digits of the leading 32 bits.
const DIGITS: usize = 3;
/// Values of a digit.
const VALUES: usize = 1 << BITS;

/// The scores that are not missing, ascending, and where each came from; equal ones in the order they came.
pub(super) fn sort(scores: &[f64]) -> (Vec<f64>, Vec<u32>) {
    let by_leading = sort_by_leading_half(scores);
    let mut order: Vec<u32> = by_leading.iter().map(|item| *item as u32).collect();
    let leading = |item: &u64| item >> 32;
    let mut from = 0;
    for equal in by_leading.chunk_by(|a, b| leading(a) == leading(b)) {
        let to = from + equal.len();
        match &mut order[from..to] {
            [_] => {}
            [a, b] => {
                if scores[*a as usize] > scores[*b as usize] {
                    std::mem::swap(a, b);
                }
            }
            more => more.sort_unstable_by_key(|&i| (ascending_key(scores[i as usize]), i)),
        }
        from = to;
    }
    drop(by_leading);
    let sorted = order.iter().map(|&i| scores[i as usize] + 0.0).collect(); // −0 becomes 0
    (sorted, order)
}

/// Each score's leading half, as its key orders, and its place, sorted by the first.
fn sort_by_leading_half(scores: &[f64]) -> Vec<u64> {
    let digit = |item: u64, which: usize| (item >> (32 + which * BITS)) as usize % VALUES;
    let mut starts = [[0_usize; VALUES]; DIGITS];
    let mut items = Vec::with_capacity(scores.len());
    for (i, z) in scores.iter().enumerate().filter(|(_, z)| !z.is_nan()) {
        let item = ascending_key(*z) >> 32 << 32 | i as u64;
        (0..DIGITS).for_each(|which| starts[which][digit(item, which)] += 1);
        items.push(item);
    }
    let mut moved = vec![0; items.len()];
    for (which, starts) in starts.iter_mut().enumerate() {
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += std::mem::replace(start, sum);
        }
        for &item in &items {
            let start = &mut starts[digit(item, which)];
            moved[*start] = item;
            *start += 1;
        }
        std::mem::swap(&mut items, &mut moved);
    }
    items
}

/// An integer that orders like the number; −0 counts as 0.
fn ascending_key(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Refuses scores that cannot be ranked.
pub(super) fn check(scores: &[f64]) -> Result<()> {
    if u32::try_from(scores.len()).is_err() {
        let problem = format!("{} scores are more than the 4,294,967,295 that can be ranked", scores.len());
        return Err(Error::data(Place::default(), problem, "split them"));
    }
    if let Some(i) = scores.iter().position(|z| z.is_infinite()) {
        return Err(Error::data(
            Place::default().at_row(i as u64 + 1),
            format!("the score is {}", scores[i]),
            "give a finite score, or leave it empty to set it aside",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scores_that_differ_only_in_their_last_digits_are_ordered() {
        let scores = [2.0, 1.0 + 3e-15, 1.0, -1.0, -1.0 - 4e-15, -1.0 - 2e-15, 2.0];
        assert_eq!(sort(&scores).1, [4, 5, 3, 2, 1, 0, 6]);
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_a_stable_sort(
            few in proptest::collection::vec(
                prop_oneof![Just(f64::NAN), Just(-0.0), Just(0.0), Just(6.0), -9.0..9.0, -1e300..1e300], 0..40),
            copies in 1_usize..20,
        ) {
            let scores: Vec<f64> = few.iter().copied().cycle().take(few.len() * copies).collect();
            let mut wanted: Vec<u32> = (0..scores.len() as u32).filter(|i| !scores[*i as usize].is_nan()).collect();
            wanted.sort_by(|a, b| (scores[*a as usize] + 0.0).total_cmp(&(scores[*b as usize] + 0.0)));
            let (sorted, order) = sort(&scores);
            prop_assert_eq!(&order, &wanted);
            prop_assert!(sorted.iter().zip(&order).all(|(z, i)| *z == scores[*i as usize]));
        }
    }
}
