//! The order in which samples get null targets. It depends on what the rows hold and not on where they stand, so that the
//! order of the rows does not change the null targets.

use crate::numeric::random::splitmix64;
use crate::table::{Column, View};

/// Columns that rows are told apart by.
const COLUMNS: usize = 64;

/// Samples in their order: positions among the view's rows.
pub(super) struct SampleOrder(pub(super) Vec<u32>);

impl SampleOrder {
    /// `scores` of the features tell columns apart, whatever their names, order and scale.
    pub(super) fn of(data: &View, scores: &[f64]) -> SampleOrder {
        let keys = keys(data, scores);
        let mut order: Vec<u32> = (0..data.rows().len() as u32).collect();
        order.sort_by_key(|&sample| keys[sample as usize]);
        SampleOrder(order)
    }

    /// Values that were given out in this order, by sample.
    pub(super) fn by_sample<T: Copy + Default>(&self, values: impl Iterator<Item = T>) -> Vec<T> {
        let mut found = vec![T::default(); self.0.len()];
        self.0.iter().zip(values).for_each(|(&sample, value)| found[sample as usize] = value);
        found
    }
}

/// A number for every sample that depends on the ranks of its values in some columns.
fn keys(data: &View, scores: &[f64]) -> Vec<u64> {
    // six decimals: sums in another order must not tell columns apart
    let hash = |z: f64| splitmix64((z.abs() * 1e6).round() as u64);
    let known = scores.iter().enumerate().filter(|(_, z)| !z.is_nan());
    let mut columns: Vec<(u64, usize)> = known.map(|(at, z)| (hash(*z), at)).collect();
    columns.sort_unstable();
    let mut keys = vec![0_u64; data.rows().len()];
    for (hash, at) in columns.into_iter().take(COLUMNS) {
        let column = data.column(at);
        for (key, level) in keys.iter_mut().zip(levels(&column, data.rows())) {
            *key = key.wrapping_add(splitmix64(hash ^ splitmix64(level)));
        }
    }
    keys
}

/// The rank of each row's value among the different ones, 0 if it is missing; of a category its name.
fn levels(column: &Column, rows: &[u32]) -> Vec<u64> {
    match column {
        Column::Numbers(values) => {
            let mut sorted: Vec<f64> = rows.iter().map(|&row| values[row as usize]).filter(|x| !x.is_nan()).collect();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            let rank = |x: f64| if x.is_nan() { 0 } else { 1 + sorted.partition_point(|y| *y < x) as u64 };
            rows.iter().map(|&row| rank(values[row as usize])).collect()
        }
        Column::Categories(categories) => {
            let text = |row: usize| categories.text(row).bytes().fold(1, |h, byte| splitmix64(h ^ u64::from(byte)));
            rows.iter().map(|&row| text(row as usize)).collect()
        }
    }
}
