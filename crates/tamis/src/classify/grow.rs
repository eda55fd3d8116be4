//! Growing a tree: every column sorted once, its order kept apart node by node.

use crate::classify::cart::{Answer, Node, Rule, Split};
use crate::model::classes::Classes;
use crate::numeric::random::splitmix64;
use crate::table::{Column, MISSING, Target, View};
use std::borrow::Cow;

/// A node with what pruning asks for; features and categories are the table's.
#[derive(Debug, Clone)]
pub(super) struct Grown {
    pub(super) node: Node,
    /// The weight of the rows that came here, as a share of all.
    pub(super) weight: f64,
}

/// A parent, and whether this is its left child.
type Child = (usize, bool);

/// The columns of a view with their rows in order.
pub(super) struct Sorted<'a> {
    columns: Vec<Cow<'a, Column>>,
    codes: &'a [u32],
    weights: Option<&'a [f64]>,
    pub(super) rows: Vec<u32>,
    pub(super) classes: Vec<usize>,
    n_classes: usize,
    /// Columns by name.
    by_name: Vec<usize>,
    /// For each of them the rows, by value if they are numbers; missing ones last.
    orders: Vec<Vec<u32>>,
    /// For each row of the table a number that depends only on its content.
    pub(super) keys: Vec<u64>,
}

impl<'a> Sorted<'a> {
    /// Cost: a sort per column of numbers.
    pub(super) fn new(data: &View<'a>, classes: &Classes) -> Sorted<'a> {
        let codes: &[u32] = match data.target() {
            Target::Classes { codes, .. } => codes,
            Target::Real { .. } => &[],
        };
        let columns: Vec<Cow<Column>> = (0..data.n_features()).map(|at| data.column(at)).collect();
        let mut by_name: Vec<usize> = (0..data.n_features()).collect();
        by_name.sort_by(|&a, &b| data.names()[a].cmp(&data.names()[b]));
        let mut keys = vec![0_u64; codes.len()];
        let mut orders = Vec::with_capacity(by_name.len());
        let mut pairs: Vec<(f64, u32)> = Vec::with_capacity(data.rows().len());
        for &at in &by_name {
            let name = hash(&data.names()[at]);
            orders.push(match &*columns[at] {
                Column::Numbers(values) => {
                    pairs.clear();
                    pairs.extend(data.rows().iter().map(|&r| (values[r as usize], r)));
                    // −0 and 0 are one value; NaN comes last whatever its sign
                    let key = |x: f64| if x.is_nan() { f64::INFINITY } else { x + 0.0 };
                    pairs.sort_unstable_by(|a, b| key(a.0).total_cmp(&key(b.0)).then(a.1.cmp(&b.1)));
                    let mut rank = 0;
                    for (i, &(x, row)) in pairs.iter().enumerate() {
                        rank += u64::from(i > 0 && x != pairs[i - 1].0 && !(x.is_nan() && pairs[i - 1].0.is_nan()));
                        if i == 0 || pairs[i - 1].1 != row {
                            keys[row as usize] = keys[row as usize].wrapping_add(splitmix64(name ^ splitmix64(rank)));
                        }
                    }
                    pairs.iter().map(|p| p.1).collect()
                }
                Column::Categories(c) => {
                    let labels: Vec<u64> = c.labels().iter().map(|label| hash(label)).collect();
                    for &row in data.rows() {
                        let label = labels.get(c.codes()[row as usize] as usize).copied().unwrap_or(0);
                        keys[row as usize] = keys[row as usize].wrapping_add(splitmix64(name ^ label));
                    }
                    data.rows().to_vec()
                }
            });
        }
        Sorted {
            columns,
            codes,
            weights: data.weights(),
            rows: data.rows().to_vec(),
            classes: classes.occurring.clone(),
            n_classes: classes.shares.len(),
            by_name,
            orders,
            keys,
        }
    }

    pub(super) fn class(&self, row: u32) -> usize {
        self.codes[row as usize] as usize
    }

    pub(super) fn weight(&self, row: u32) -> f64 {
        self.weights.map_or(1.0, |w| w[row as usize])
    }

    /// A row's value, with the table's codes for categories.
    pub(super) fn answer(&self, feature: usize, row: u32) -> Answer {
        match &*self.columns[feature] {
            Column::Numbers(values) if values[row as usize].is_nan() => Answer::Missing,
            Column::Numbers(values) => Answer::Number(values[row as usize]),
            Column::Categories(c) if c.codes()[row as usize] == MISSING => Answer::Missing,
            Column::Categories(c) => Answer::Category(c.codes()[row as usize]),
        }
    }
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |h, byte| splitmix64(h ^ u64::from(byte)))
}

/// The best split so far.
struct Best {
    gain: f64,
    feature: usize,
    rule: Rule,
    left: f64,
    right: f64,
}

/// Sums of class weights on both sides of a moving cut.
struct Cut {
    left: Vec<f64>,
    right: Vec<f64>,
    left_weight: f64,
    right_weight: f64,
    left_squares: f64,
    right_squares: f64,
}

impl Cut {
    fn new(classes: usize) -> Cut {
        let none = vec![0.0; classes];
        Cut {
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

/// The tree of some of the rows, as far as it can be grown.
pub(super) fn grow(data: &Sorted, rows: &[u32]) -> Vec<Grown> {
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
    let mut nodes: Vec<Grown> = Vec::new();
    let mut goes_left = vec![false; data.codes.len()];
    let (mut scratch, mut cut) = (Vec::new(), Cut::new(data.n_classes));
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
        nodes.push(Grown { node: Node { shares, split: None }, weight: weight / total });
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

/// The split of a node's rows with the largest gain; of equals the first by name, then the lowest.
fn best_split(
    data: &Sorted,
    orders: &[Vec<u32>],
    node: std::ops::Range<usize>,
    counts: &[f64],
    cut: &mut Cut,
) -> Option<Best> {
    let mut best: Option<Best> = None;
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
    data: &Sorted,
    feature: usize,
    values: &[f64],
    rows: &[u32],
    counts: &[f64],
    cut: &mut Cut,
    best: &mut Option<Best>,
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
        *best = Some(Best { gain, feature, rule: Rule::AtMost(limit), left, right });
    }
}

fn by_category(
    data: &Sorted,
    feature: usize,
    codes: &[u32],
    levels: usize,
    rows: &[u32],
    cut: &mut Cut,
    best: &mut Option<Best>,
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
            *best = Some(Best { gain, feature, rule, left: cut.left_weight, right: cut.right_weight });
        }
    }
}
