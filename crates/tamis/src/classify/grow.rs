//! Growing a tree: the order of every column is kept apart node by node.

use crate::classify::best_split::{SplitSums, best_split};
use crate::classify::cart::{Node, Split};
use crate::classify::sorted_columns::SortedColumns;

/// A node with what pruning asks for; features and categories are the table's.
#[derive(Debug, Clone)]
pub(super) struct GrownNode {
    pub(super) node: Node,
    /// The weight of the rows that came here, as a share of all.
    pub(super) weight: f64,
}

/// A parent, and whether this is its left child.
type Child = (usize, bool);

/// The tree of some of the rows, as far as it can be grown.
pub(super) fn grow(data: &SortedColumns, rows: &[u32]) -> Vec<GrownNode> {
    let mut wanted = vec![false; data.codes.len()];
    rows.iter().for_each(|&r| wanted[r as usize] = true);
    let all = rows.len() == data.rows.len();
    // a row that comes twice in the view is in every order twice, and belongs to the same fold
    let keep = |order: &Vec<u32>| -> Vec<u32> {
        if all { order.clone() } else { order.iter().copied().filter(|&r| wanted[r as usize]).collect() }
    };
    let mut orders: Vec<Vec<u32>> = data.orders.iter().map(keep).collect();
    let mut members = rows.to_vec();
    let total: f64 = rows.iter().map(|&r| data.weight(r)).sum();
    let mut nodes: Vec<GrownNode> = Vec::new();
    let mut goes_left = vec![false; data.codes.len()];
    let (mut scratch, mut cut) = (Vec::new(), SplitSums::new(data.n_classes));
    // rows from, to, and of which parent this is the left child or the right
    let mut open: Vec<(usize, usize, Option<Child>)> = vec![(0, rows.len(), None)];
    while let Some((from, to, parent)) = open.pop() {
        let at = nodes.len();
        if let Some((parent, left)) = parent
            && let Some(split) = &mut nodes[parent].node.split
        {
            *(if left { &mut split.left } else { &mut split.right }) = at;
        }
        let mut counts = vec![0.0; data.n_classes];
        members[from..to].iter().for_each(|&r| counts[data.class(r)] += data.weight(r));
        let weight: f64 = counts.iter().sum();
        let shares = counts.iter().map(|n| n / weight).collect();
        nodes.push(GrownNode { node: Node { shares, split: None }, weight: weight / total });
        if counts.iter().filter(|n| **n > 0.0).count() < 2 {
            continue;
        }
        let Some(best) = best_split(data, &orders, from..to, &counts, &mut cut) else { continue };
        let split = Split {
            feature: best.feature,
            rule: best.rule,
            otherwise_left: best.left >= best.right,
            left: 0,
            right: 0,
        };
        for &row in &members[from..to] {
            goes_left[row as usize] = split.goes_left(data.answer(split.feature, row));
        }
        nodes[at].node.split = Some(split);
        let mut middle = from;
        for order in orders.iter_mut().chain([&mut members]) {
            middle = from + partition(&mut order[from..to], &goes_left, &mut scratch);
        }
        open.push((middle, to, Some((at, false))));
        open.push((from, middle, Some((at, true))));
    }
    nodes
}

/// Puts the rows that go left first, keeping the order on both sides; returns how many they are.
fn partition(rows: &mut [u32], goes_left: &[bool], scratch: &mut Vec<u32>) -> usize {
    scratch.clear();
    let mut to = 0;
    for at in 0..rows.len() {
        let row = rows[at];
        if goes_left[row as usize] {
            rows[to] = row;
            to += 1;
        } else {
            scratch.push(row);
        }
    }
    rows[to..].copy_from_slice(scratch);
    to
}
