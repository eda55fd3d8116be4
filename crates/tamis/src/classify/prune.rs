//! Cost-complexity pruning: the worth of each branch, and the worth it needs to stay.

use crate::base::{Progress, Result};
use crate::classify::cart::{Cart, Prune};
use crate::classify::grow::{GrownNode, grow};
use crate::classify::sorted_columns::SortedColumns;
use crate::numeric::random::splitmix64;
use crate::resample::inner;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// For every node the cost of a leaf at which its branch is cut off, infinite where that never happens because a branch
/// above goes first; for a leaf 0.
///
/// With R the Gini index weighted by the share of rows, a branch T of node t is worth (R(t) − R(T))/(leaves − 1); the
/// weakest is pruned first, and the rest is weighed again (Breiman et al., ch. 3).
///
/// Cost: nodes × depth × ln nodes.
pub(super) fn costs(nodes: &[GrownNode]) -> Vec<f64> {
    let n = nodes.len();
    let impurity = |g: &GrownNode| g.weight * (1.0 - g.node.shares.iter().map(|s| s * s).sum::<f64>());
    let own: Vec<f64> = nodes.iter().map(impurity).collect();
    let mut parents = vec![usize::MAX; n];
    let (mut branch, mut leaves) = (own.clone(), vec![1_usize; n]);
    for at in (0..n).rev() {
        if let Some(split) = &nodes[at].node.split {
            (parents[split.left], parents[split.right]) = (at, at);
            branch[at] = branch[split.left] + branch[split.right];
            leaves[at] = leaves[split.left] + leaves[split.right];
        }
    }
    let worth = |at: usize, branch: &[f64], leaves: &[usize]| {
        ((own[at] - branch[at]) / (leaves[at] as f64 - 1.0)).max(0.0) // so that bits order like numbers
    };
    let mut costs: Vec<f64> = nodes.iter().map(|g| if g.node.split.is_some() { f64::INFINITY } else { 0.0 }).collect();
    let mut queue: BTreeSet<(u64, usize)> = (0..n)
        .filter(|&at| nodes[at].node.split.is_some())
        .map(|at| (worth(at, &branch, &leaves).to_bits(), at))
        .collect();
    let mut so_far = 0.0_f64;
    while let Some((bits, at)) = queue.pop_first() {
        so_far = so_far.max(f64::from_bits(bits));
        costs[at] = so_far;
        // branches below are gone
        let mut below = vec![at];
        while let Some(node) = below.pop() {
            if let Some(split) = &nodes[node].node.split {
                queue.remove(&(worth(node, &branch, &leaves).to_bits(), node));
                if leaves[node] > 1 {
                    below.extend([split.left, split.right]);
                }
            }
        }
        let (gain, fewer) = (own[at] - branch[at], leaves[at] - 1);
        let mut above = parents[at];
        (branch[at], leaves[at]) = (own[at], 1);
        while above != usize::MAX {
            queue.remove(&(worth(above, &branch, &leaves).to_bits(), above));
            branch[above] += gain;
            leaves[above] -= fewer;
            queue.insert((worth(above, &branch, &leaves).to_bits(), above));
            above = parents[above];
        }
    }
    costs
}

/// The tree without the branches that cost no more than this.
pub(super) fn cut(nodes: &[GrownNode], costs: &[f64], strength: f64) -> Vec<GrownNode> {
    let mut kept: Vec<GrownNode> = Vec::new();
    let mut open: Vec<(usize, Option<(usize, bool)>)> = vec![(0, None)];
    while let Some((from, parent)) = open.pop() {
        let at = kept.len();
        if let Some((parent, left)) = parent
            && let Some(split) = &mut kept[parent].node.split
        {
            *(if left { &mut split.left } else { &mut split.right }) = at;
        }
        let mut node = nodes[from].clone();
        if costs[from] <= strength {
            node.node.split = None;
        }
        if let Some(split) = &node.node.split {
            open.push((split.right, Some((at, false))));
            open.push((split.left, Some((at, true))));
        }
        kept.push(node);
    }
    kept
}

/// The cost of a leaf that does best in cross-validation.
pub(super) fn choose(
    data: &SortedColumns,
    nodes: &[GrownNode],
    costs: &[f64],
    (settings, seed): (&Cart, u64),
    progress: &mut dyn Progress,
) -> Result<f64> {
    // the costs at which the tree changes; between two of them stands their geometric mean
    let mut steps: Vec<f64> = vec![0.0];
    steps.extend(nodes.iter().zip(costs).filter(|(g, c)| g.node.split.is_some() && c.is_finite()).map(|(_, c)| *c));
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let mut trials: Vec<f64> = steps.windows(2).map(|w| (w[0] * w[1]).sqrt()).collect();
    trials.extend(steps.last());
    let folds = deal(data, settings.folds, seed);
    let in_fold = |fold: usize, inside: bool| -> Vec<u32> {
        let rows = data.rows.iter().copied();
        rows.filter(|&r| (folds[r as usize] == fold) == inside).collect()
    };
    let used = (0..settings.folds).filter(|&f| data.rows.iter().any(|&r| folds[r as usize] == f));
    let used: Vec<usize> = used.collect();
    if used.len() < 2 {
        return Ok(0.0);
    }
    let errors_of = |&fold: &usize| {
        let grown = grow(data, &in_fold(fold, false));
        let costs = self::costs(&grown);
        let mut errors = vec![0.0; trials.len() + 1];
        in_fold(fold, true).iter().for_each(|&row| add_errors(data, &grown, &costs, row, &trials, &mut errors));
        errors
    };
    let mut errors: Vec<Vec<f64>> = Vec::with_capacity(used.len());
    for some in used.chunks(rayon::current_num_threads().max(1)) {
        progress.step("pruning", errors.len() as u64, used.len() as u64)?;
        errors.par_extend(some.par_iter().map(errors_of));
    }
    let total: f64 = data.rows.iter().map(|&r| data.weight(r)).sum();
    let mut running = 0.0;
    let rates: Vec<f64> = (0..trials.len())
        .map(|j| {
            running += errors.iter().map(|e| e[j]).sum::<f64>();
            running / total
        })
        .collect();
    let least = rates.iter().copied().fold(f64::INFINITY, f64::min).clamp(0.0, 1.0);
    let slack = if settings.prune == Prune::OneSe { (least * (1.0 - least) / total).sqrt() } else { 0.0 };
    let largest = rates.iter().rposition(|rate| *rate <= least + slack + 1e-9).unwrap_or(0);
    Ok(steps[largest])
}

/// Adds a row's errors at every trial strength, as differences from one to the next.
fn add_errors(data: &SortedColumns, nodes: &[GrownNode], costs: &[f64], row: u32, trials: &[f64], errors: &mut [f64]) {
    let (class, weight) = (data.class(row), data.weight(row));
    let (mut at, mut above) = (0, f64::INFINITY);
    loop {
        let node = &nodes[at].node;
        if costs[at] < above {
            // the node is a leaf at strengths from its own cost up to that of the nearest above
            let largest = node.shares.iter().copied().fold(0.0, f64::max);
            let tied = node.shares.iter().filter(|s| **s == largest).count() as f64;
            let wrong = if node.shares[class] == largest { 1.0 - 1.0 / tied } else { 1.0 };
            let from = trials.partition_point(|t| *t < costs[at]);
            let to = trials.partition_point(|t| *t < above);
            errors[from] += weight * wrong;
            errors[to] -= weight * wrong;
            above = costs[at];
        }
        let Some(split) = &node.split else { return };
        at = if split.goes_left(data.answer(split.feature, row)) { split.left } else { split.right };
    }
}

/// The fold of every row of the table: each class is dealt out in an order that depends on the seed and on what the rows
/// hold. Groups of rows stay whole.
fn deal(data: &SortedColumns, n_folds: usize, seed: u64) -> Vec<usize> {
    let mut rows = data.rows.clone();
    rows.sort_by_key(|&r| (splitmix64(data.keys[r as usize] ^ splitmix64(seed)), r));
    rows.dedup();
    let classes: Vec<usize> = rows.iter().map(|&r| data.class(r)).collect();
    let groups: Option<Vec<u32>> = data.groups.map(|groups| rows.iter().map(|&r| groups[r as usize]).collect());
    let weights: Vec<f64> = rows.iter().map(|&r| data.weight(r)).collect();
    let mut folds = vec![usize::MAX; data.keys.len()];
    let dealt = inner::deal(&classes, groups.as_deref(), Some(&weights), n_folds);
    rows.iter().zip(dealt).for_each(|(&row, fold)| folds[row as usize] = fold);
    folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::training_classes::TrainingClasses;
    use crate::table::{Categories, Table, Target};
    use serde_json::Value;

    /// The costs at which scikit-learn's tree loses branches.
    #[test]
    fn costs_are_those_of_scikit_learn() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/classify.json");
        let fixture: Value = serde_json::from_slice(&std::fs::read(path).expect("a fixture")).expect("JSON");
        let numbers =
            |v: &Value| -> Vec<f64> { v.as_array().expect("a list").iter().filter_map(Value::as_f64).collect() };
        let mut seen = 0;
        for case in fixture["cases"].as_array().expect("cases") {
            let said = &case["said"]["cart"]["costs"];
            if said.is_null() {
                continue;
            }
            seen += 1;
            let rows: Vec<Vec<f64>> = case["x"].as_array().expect("rows").iter().map(numbers).collect();
            let columns: Vec<Vec<f64>> = (0..rows[0].len()).map(|j| rows.iter().map(|r| r[j]).collect()).collect();
            let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
            let labels: Vec<Option<String>> = numbers(&case["y"]).iter().map(|y| Some(y.to_string())).collect();
            let table = Table::new(names, columns, "y", Target::classes(&labels)).expect("a table");
            let view = table.view();
            let sorted = SortedColumns::new(&view, &TrainingClasses::of(&view).expect("classes"));
            let nodes = grow(&sorted, &sorted.rows);
            let costs = costs(&nodes);
            let mut got: Vec<f64> = costs.iter().copied().filter(|c| c.is_finite()).collect();
            got.sort_by(f64::total_cmp);
            got.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
            let wanted = numbers(said);
            assert_eq!(got.len(), wanted.len(), "{got:?} {wanted:?}");
            assert!(got.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?} {wanted:?}");
            let leaves =
                |strength: f64| cut(&nodes, &costs, strength).iter().filter(|g| g.node.split.is_none()).count();
            assert!(got.windows(2).all(|w| leaves(w[0] + 1e-12) > leaves(w[1] + 1e-12)) && leaves(1.0) == 1);
        }
        assert_eq!(seen, 2);
    }

    #[test]
    fn folds_keep_groups_whole_and_depend_on_what_rows_hold_alone() {
        let columns: Vec<Vec<f64>> =
            (0..4).map(|k| (0..90).map(|i| f64::from((i * (7 + 2 * k) + k) % 91)).collect()).collect();
        let groups: Vec<u32> = (0..90).map(|i| i % 23).collect();
        let folds_of = |order: &[usize]| -> Vec<usize> {
            let columns = columns.iter().map(|x| order.iter().map(|&i| x[i]).collect::<Vec<f64>>()).collect();
            let labels: Vec<Option<&str>> = order.iter().map(|i| Some(if i % 3 == 0 { "a" } else { "b" })).collect();
            let names = (0..4).map(|k| format!("f{k}")).collect();
            let groups = order.iter().map(|&i| Some(groups[i].to_string()));
            let table = Table::new(names, columns, "y", Target::classes(&labels)).expect("a table");
            let table = table.with_groups("patient", Categories::of(groups)).expect("groups");
            let view = table.view();
            deal(&SortedColumns::new(&view, &TrainingClasses::of(&view).expect("classes")), 5, 3)
        };
        let as_given = folds_of(&(0..90).collect::<Vec<_>>());
        for i in 0..90 {
            assert_eq!(as_given[i], as_given[i % 23], "row {i}");
        }
        assert!((0..5).all(|fold| as_given.iter().filter(|f| **f == fold).count() >= 15), "{as_given:?}");
        let backwards: Vec<usize> = (0..90).rev().collect();
        let moved = folds_of(&backwards);
        assert!(backwards.iter().zip(moved).all(|(&i, fold)| as_given[i] == fold));
    }
}
