//! Every column of a table sorted once, for trees to be grown on.

use crate::model::training_classes::TrainingClasses;
use crate::numeric::random::splitmix64;
use crate::table::{Column, MISSING, Target, View};
use std::borrow::Cow;

/// The columns of a view with their rows in order.
pub(super) struct SortedColumns<'a> {
    pub(super) columns: Vec<Cow<'a, Column>>,
    pub(super) codes: &'a [u32],
    weights: Option<&'a [f64]>,
    pub(super) rows: Vec<u32>,
    pub(super) classes: Vec<usize>,
    /// The group of each row of the table, where rows belong together.
    pub(super) groups: Option<&'a [u32]>,
    pub(super) n_classes: usize,
    /// Columns by name.
    pub(super) by_name: Vec<usize>,
    /// For each of them the rows, by value if they are numbers; missing ones last.
    pub(super) orders: Vec<Vec<u32>>,
    /// For each row of the table a number that depends only on its content.
    pub(super) keys: Vec<u64>,
}

impl<'a> SortedColumns<'a> {
    /// Cost: a sort per column of numbers.
    pub(super) fn new(data: &'a View<'a>, classes: &TrainingClasses) -> SortedColumns<'a> {
        let codes: &[u32] = match data.target() {
            Target::Classes { codes, .. } => codes,
            Target::Real { .. } | Target::Survival { .. } => &[],
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
        SortedColumns {
            columns,
            codes,
            weights: data.weights(),
            rows: data.rows().to_vec(),
            groups: data.groups().map(|groups| groups.codes()),
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
    pub(super) fn answer(&self, feature: usize, row: u32) -> FeatureValue {
        match &*self.columns[feature] {
            Column::Numbers(values) if values[row as usize].is_nan() => FeatureValue::Missing,
            Column::Numbers(values) => FeatureValue::Number(values[row as usize]),
            Column::Categories(c) if c.codes()[row as usize] == MISSING => FeatureValue::Missing,
            Column::Categories(c) => FeatureValue::Category(c.codes()[row as usize]),
        }
    }
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |h, byte| splitmix64(h ^ u64::from(byte)))
}

/// A row's value of a feature, as a rule asks for it.
#[derive(Clone, Copy)]
pub(super) enum FeatureValue {
    Number(f64),
    Category(u32),
    Missing,
}
