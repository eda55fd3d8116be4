//! The units whose targets are shuffled: samples, or the copies of a sample whose weight is a whole number.
//!
//! Their order depends on what the rows hold and not on where they stand, so that neither the order of the rows, nor
//! writing a row of weight three as three rows, changes the null targets.

use crate::numeric::random::splitmix64;
use crate::score::rank;
use crate::table::{Column, View};

/// More copies than this are not told apart: rows are shuffled with their weights.
pub(crate) const MOST_COPIES: f64 = 1e6;

/// Columns that rows are told apart by.
const COLUMNS: usize = 64;

/// Units in their order.
pub(super) struct Units {
    /// The sample (position among the view's rows) that each is of.
    pub(super) samples: Vec<u32>,
    /// How much each weighs.
    pub(super) weights: Vec<f64>,
}

impl Units {
    /// `scores` of the features tell columns apart, whatever their names, order and scale.
    pub(super) fn of(data: &View, scores: &[f64]) -> Units {
        let rows = data.rows();
        let weight = |row: u32| data.weights().map_or(1.0, |w| w[row as usize]);
        let total: f64 = rows.iter().map(|&row| weight(row)).sum();
        let copies = rows.iter().all(|&row| weight(row).fract() == 0.0) && total <= MOST_COPIES;
        let keys = keys(data, scores);
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_by_key(|&sample| keys[sample as usize]);
        let mut units = Units { samples: vec![], weights: vec![] };
        for sample in order {
            let weight = weight(rows[sample as usize]);
            let (count, each) = if copies { (weight as usize, 1.0) } else { (1, weight) };
            units.samples.extend(std::iter::repeat_n(sample, count));
            units.weights.extend(std::iter::repeat_n(each, count));
        }
        units
    }

    /// The rank of every sample's number among those of all units.
    pub(super) fn ranked(&self, numbers: &[f64]) -> Vec<f64> {
        let of_units: Vec<f64> = self.samples.iter().map(|&sample| numbers[sample as usize]).collect();
        let mut ranks = vec![0.0; numbers.len()];
        for (&sample, rank) in self.samples.iter().zip(rank::of_values(&of_units)) {
            ranks[sample as usize] = rank;
        }
        ranks
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.samples.len()
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
