//! Other orders of a target: every row gets the target of another.

use crate::numeric::random::permutation;
use std::collections::HashSet;

/// With fewer different arrangements than this a sample of them says too little.
const FEWEST: f64 = 2000.0;

/// Attempts for every order that is wanted; there are at least ten times as many arrangements.
const ATTEMPTS: u64 = 20;

/// `count` orders of rows with these levels (classes, or numbers by rank), each of which gives another arrangement of the
/// levels, and none the one there is. `None` where there are fewer than 2,000 arrangements.
///
/// With `blocks` rows change places within their own block only. With `interchangeable` levels an arrangement that only swaps the names of levels of one size counts as the one there
/// is: two classes of equal size have a mirror.
pub(crate) fn arrangements(
    levels: &[u32],
    blocks: Option<&[u32]>,
    interchangeable: bool,
    count: usize,
    seed: u64,
) -> Option<Vec<Vec<u32>>> {
    let sizes = sizes(levels);
    let members = blocks.map(members);
    let possible = match &members {
        None => n_arrangements(&sizes),
        Some(members) => members
            .iter()
            .map(|rows| n_arrangements(&self::sizes(&rows.iter().map(|&row| levels[row as usize]).collect::<Vec<_>>())))
            .product(),
    };
    if possible < FEWEST.max(2.0 * count as f64) {
        return None;
    }
    let canonical = |order: &dyn Fn(usize) -> u32| {
        if interchangeable { first_come(order, &sizes, levels.len()) } else { (0..levels.len()).map(order).collect() }
    };
    let observed: Vec<u32> = canonical(&|row| levels[row]);
    let mut met: HashSet<Vec<u32>> = HashSet::with_capacity(count);
    let mut orders = Vec::with_capacity(count);
    for attempt in 0..ATTEMPTS * count as u64 + 1000 {
        if orders.len() == count {
            break;
        }
        let mut order = permutation(seed, attempt, levels.len());
        if let (Some(members), Some(blocks)) = (&members, blocks) {
            order = within(&order, members, blocks);
        }
        let arranged: Vec<u32> = order.iter().map(|&row| levels[row as usize]).collect();
        if canonical(&|row| arranged[row]) != observed && met.insert(arranged) {
            orders.push(order);
        }
    }
    (orders.len() == count).then_some(orders)
}

/// The rows of every block.
fn members(blocks: &[u32]) -> Vec<Vec<u32>> {
    let mut members = vec![vec![]; blocks.iter().max().map_or(0, |&most| most as usize + 1)];
    (0..).zip(blocks).for_each(|(row, &block)| members[block as usize].push(row));
    members
}

/// An order that keeps every row in its block: the rows of a block come in the order in which they come in `order`.
fn within(order: &[u32], members: &[Vec<u32>], blocks: &[u32]) -> Vec<u32> {
    let mut next = vec![0; members.len()];
    let mut kept = vec![0; order.len()];
    for &row in order {
        let block = blocks[row as usize] as usize;
        kept[members[block][next[block]] as usize] = row;
        next[block] += 1;
    }
    kept
}

/// How many rows each level has.
fn sizes(levels: &[u32]) -> Vec<u64> {
    let mut sizes = vec![0; levels.iter().max().map_or(0, |&most| most as usize + 1)];
    levels.iter().for_each(|&level| sizes[level as usize] += 1);
    sizes
}

/// N!/∏n!, as far as it is of interest.
fn n_arrangements(sizes: &[u64]) -> f64 {
    let (mut total, mut placed) = (1.0_f64, 0);
    for &size in sizes {
        for i in 1..=size {
            placed += 1;
            total *= placed as f64 / i as f64;
            if total > 1e15 {
                return total;
            }
        }
    }
    total.round()
}

/// The levels with new names, given in the order in which levels of one size come.
fn first_come(level: &dyn Fn(usize) -> u32, sizes: &[u64], rows: usize) -> Vec<u32> {
    let mut names: Vec<Option<u32>> = vec![None; sizes.len()];
    let mut given = 0;
    let mut name = |level: u32| {
        *names[level as usize].get_or_insert_with(|| {
            given += 1;
            given
        })
    };
    // levels of different sizes keep apart because their sizes are part of the name
    (0..rows).map(|row| (name(level(row)) << 16) ^ sizes[level(row) as usize] as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_arrangements_are_refused() {
        let two = |a: usize, b: usize| [vec![0; a], vec![1; b]].concat();
        assert!(arrangements(&two(6, 6), None, true, 199, 1).is_none()); // 924
        assert!(arrangements(&two(7, 7), None, true, 199, 1).is_some()); // 3,432
        assert!(arrangements(&two(2, 40), None, true, 199, 1).is_none()); // 861
        assert!(arrangements(&[0, 1, 2, 3, 4, 5], None, false, 199, 1).is_none()); // 720
        assert!(arrangements(&[0, 1, 2, 3, 4, 5, 6], None, false, 199, 1).is_some()); // 5,040
    }

    #[test]
    fn orders_differ_from_each_other_the_observed_one_and_its_mirror() {
        let levels: Vec<u32> = (0..14).map(|row| row % 2).collect();
        let mirror: Vec<u32> = levels.iter().map(|level| 1 - level).collect();
        for seed in 0..10 {
            let mut met = HashSet::new();
            for order in arrangements(&levels, None, true, 1000, seed).expect("orders") {
                let arranged: Vec<u32> = order.iter().map(|&row| levels[row as usize]).collect();
                assert!(arranged != levels && arranged != mirror);
                assert!(met.insert(arranged));
            }
        }
    }
}
