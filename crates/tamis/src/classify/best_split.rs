//! The best split of a node of a tree: Gini's gain over all cuts of every column.

use crate::classify::cart::Rule;
use crate::classify::sorted_columns::SortedColumns;
use crate::table::{Column, MISSING};

/// The best split so far.
pub(super) struct BestSplit {
    gain: f64,
    pub(super) feature: usize,
    pub(super) rule: Rule,
    /// The weight of the rows on either side.
    pub(super) left: f64,
    pub(super) right: f64,
}

/// Sums of class weights on both sides of a moving cut.
pub(super) struct SplitSums {
    left: Vec<f64>,
    right: Vec<f64>,
    left_weight: f64,
    right_weight: f64,
    left_squares: f64,
    right_squares: f64,
}

impl SplitSums {
    pub(super) fn new(classes: usize) -> SplitSums {
        let none = vec![0.0; classes];
        SplitSums {
            left: none.clone(),
            right: none,
            left_weight: 0.0,
            right_weight: 0.0,
            left_squares: 0.0,
            right_squares: 0.0,
        }
    }

    /// Everything on the right.
    fn start(&mut self, counts: &[f64]) {
        self.left.fill(0.0);
        self.right.copy_from_slice(counts);
        (self.left_weight, self.left_squares) = (0.0, 0.0);
        self.right_weight = counts.iter().sum();
        self.right_squares = counts.iter().map(|n| n * n).sum();
    }

    /// A row of this class and weight goes from right to left.
    fn shift(&mut self, class: usize, weight: f64) {
        self.left_squares += weight * (2.0 * self.left[class] + weight);
        self.right_squares -= weight * (2.0 * self.right[class] - weight);
        self.left[class] += weight;
        self.right[class] -= weight;
        self.left_weight += weight;
        self.right_weight -= weight;
    }

    /// Σ n_c²/n of both sides.
    fn purity(&self) -> f64 {
        self.left_squares / self.left_weight + self.right_squares / self.right_weight
    }
}

/// The split of a node's rows with the largest gain; of equals the first by name, then the lowest.
pub(super) fn best_split(
    data: &SortedColumns,
    orders: &[Vec<u32>],
    node: std::ops::Range<usize>,
    counts: &[f64],
    cut: &mut SplitSums,
) -> Option<BestSplit> {
    let mut best: Option<BestSplit> = None;
    for (order, &feature) in orders.iter().zip(&data.by_name) {
        let rows = &order[node.clone()];
        match &*data.columns[feature] {
            Column::Numbers(values) => by_number(data, feature, values, rows, counts, cut, &mut best),
            Column::Categories(c) => by_category(data, feature, c.codes(), c.labels().len(), rows, cut, &mut best),
        }
    }
    best
}

fn by_number(
    data: &SortedColumns,
    feature: usize,
    values: &[f64],
    rows: &[u32],
    counts: &[f64],
    cut: &mut SplitSums,
    best: &mut Option<BestSplit>,
) {
    let known = rows.partition_point(|&r| !values[r as usize].is_nan());
    let (Some(&first), Some(&last)) = (rows.first(), rows[..known].last()) else { return };
    if values[first as usize] == values[last as usize] {
        return;
    }
    if known == rows.len() {
        cut.start(counts);
    } else {
        let mut counts = vec![0.0; data.n_classes];
        rows[..known].iter().for_each(|&r| counts[data.class(r)] += data.weight(r));
        cut.start(&counts);
    }
    let parent = cut.right_squares / cut.right_weight;
    let (mut top, mut found) = (f64::NEG_INFINITY, None);
    for pair in rows[..known].windows(2) {
        cut.shift(data.class(pair[0]), data.weight(pair[0]));
        let (here, next) = (values[pair[0] as usize], values[pair[1] as usize]);
        if next > here && cut.purity() > top {
            top = cut.purity();
            found = Some((here, next, cut.left_weight, cut.right_weight));
        }
    }
    let Some((here, next, left, right)) = found else { return };
    let gain = top - parent;
    if best.as_ref().is_none_or(|b| gain > b.gain) {
        let middle = 0.5 * here + 0.5 * next;
        let limit = if middle < next { middle.max(here) } else { here };
        *best = Some(BestSplit { gain, feature, rule: Rule::AtMost(limit), left, right });
    }
}

fn by_category(
    data: &SortedColumns,
    feature: usize,
    codes: &[u32],
    levels: usize,
    rows: &[u32],
    cut: &mut SplitSums,
    best: &mut Option<BestSplit>,
) {
    let n = data.n_classes;
    let mut table = vec![0.0; levels * n];
    for &row in rows {
        let code = codes[row as usize];
        if code != MISSING {
            table[code as usize * n + data.class(row)] += data.weight(row);
        }
    }
    let of = |level: u32| &table[level as usize * n..(level as usize + 1) * n];
    let mut present: Vec<u32> = (0..levels as u32).filter(|&l| of(l).iter().any(|w| *w > 0.0)).collect();
    if present.len() < 2 {
        return;
    }
    let mut counts = vec![0.0; n];
    present.iter().for_each(|&l| counts.iter_mut().zip(of(l)).for_each(|(c, w)| *c += w));
    let two = data.classes.len() <= 2;
    if two {
        let class = data.classes.last().copied().unwrap_or(0);
        let rate = |l: u32| of(l)[class] / of(l).iter().sum::<f64>();
        present.sort_by(|&a, &b| rate(a).total_cmp(&rate(b)).then(a.cmp(&b)));
    }
    cut.start(&counts);
    let parent = cut.right_squares / cut.right_weight;
    let candidates = if two { present.len() - 1 } else { present.len() };
    for at in 0..candidates {
        if !two {
            cut.start(&counts);
        }
        of(present[at]).iter().enumerate().for_each(|(c, w)| cut.shift(c, *w));
        let gain = cut.purity() - parent;
        if best.as_ref().is_none_or(|b| gain > b.gain) {
            let (mut left, mut right) = if two {
                (present[..=at].to_vec(), present[at + 1..].to_vec())
            } else {
                (vec![present[at]], present.iter().copied().filter(|&l| l != present[at]).collect())
            };
            left.sort_unstable();
            right.sort_unstable();
            let rule = Rule::Among(left, right);
            *best = Some(BestSplit { gain, feature, rule, left: cut.left_weight, right: cut.right_weight });
        }
    }
}
