//! Bootstraps of `jmi` and `cmim` that choose their number of features themselves.
//!
//! A row that a bootstrap draws twice stands twice beside itself. Orders that tore such copies apart would find less
//! information by chance than the bootstrap has, and everything would seem to matter. So rows change places, with all
//! their copies, only with rows drawn as often.

use crate::base::{Context, Result};
use crate::codes::CodedTable;
use crate::information::Criterion;
use crate::information::auto_number::{Compare, ORDERS, rank_compared};
use crate::numeric::random::permutation;
use rayon::prelude::*;

/// Row orders of bootstraps have numbers beyond those of permuted targets: this, plus the order's and how often the rows
/// were drawn.
const FIRST: u64 = 1 << 32;
const NEXT: u64 = 1 << 16;

/// The features that a criterion chooses with `k=auto` under every one of `weights` with every one of `targets`, by
/// position among the codes; all targets of the first weights come first.
pub(super) fn choose_own(
    codes: &CodedTable,
    criterion: Criterion,
    (weights, targets): (&[Vec<u32>], &[Vec<u8>]),
    seed: u64,
) -> Result<Vec<Vec<u32>>> {
    let jobs: Vec<(usize, usize)> = (0..weights.len()).flat_map(|b| (0..targets.len()).map(move |t| (b, t))).collect();
    let one = |&(b, t): &(usize, usize)| {
        let mut sample = codes.repeated(&weights[b])?;
        let times = weights[b].iter().zip(&targets[t]);
        sample.target = times.flat_map(|(n, class)| std::iter::repeat_n(*class, *n as usize)).collect();
        let orders: Vec<Vec<u32>> =
            (0..ORDERS as u64).map(|r| order_of_copies(&weights[b], seed, FIRST + r * NEXT)).collect();
        // only whether a step passes matters here, not how clearly
        let how = (criterion, Compare::UntilSettled);
        let found = rank_compared(&sample, how, &orders, &[], &mut Context::default())?;
        Ok(found.ranking.order.iter().map(|&at| at as u32).collect())
    };
    jobs.par_iter().map(one).collect()
}

/// An order of rows that stand as often as `times` says, one after the other: rows of equal numbers of copies change
/// places.
fn order_of_copies(times: &[u32], seed: u64, number: u64) -> Vec<u32> {
    let mut starts = Vec::with_capacity(times.len());
    let mut end = 0;
    for n in times {
        starts.push(end);
        end += n;
    }
    let mut order = vec![0; end as usize];
    let most = times.iter().copied().max().unwrap_or(0);
    for copies in 1..=most {
        let rows: Vec<usize> = (0..times.len()).filter(|&row| times[row] == copies).collect();
        let places = permutation(seed, number + u64::from(copies).min(NEXT - 1), rows.len());
        for (&row, &from) in rows.iter().zip(&places) {
            let (to, from) = (starts[row], starts[rows[from as usize]]);
            (0..copies).for_each(|copy| order[(to + copy) as usize] = from + copy);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_together_and_change_places_with_their_equals() {
        let times = [1, 0, 2, 3, 2, 1, 1, 2, 0, 3];
        let rows: Vec<usize> = (0..times.len()).flat_map(|row| std::iter::repeat_n(row, times[row] as usize)).collect();
        let order = order_of_copies(&times, 4, FIRST);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..15).collect::<Vec<u32>>());
        for (to, &from) in order.iter().enumerate() {
            assert_eq!(times[rows[to]], times[rows[from as usize]]);
        }
        assert!(order.windows(2).zip(rows.windows(2)).all(|(o, r)| r[0] != r[1] || o[1] == o[0] + 1), "{order:?}");
        assert!((1..9).any(|r| order_of_copies(&times, 4, FIRST + r * NEXT) != order));
    }
}
