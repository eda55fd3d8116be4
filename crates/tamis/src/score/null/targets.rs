//! Targets that have nothing to do with the features: the rows' own in another order, or random directions.

use super::shuffled_units::Units;
use crate::numeric::linalg::dot;
use crate::numeric::random;
use crate::resample::arrangements::arrangements;
use crate::table::{Target, View};

/// Null targets.
pub(super) enum NullTargets {
    /// The class of every unit, in another order.
    Classes(Vec<Vec<u32>>),
    /// The number of every unit, in another order.
    Numbers(Vec<Vec<f64>>),
    /// Random directions of the samples, so many vectors per target as its classes have degrees of freedom; for targets of too few
    /// arrangements.
    Rotations(Vec<Vec<Vec<f64>>>),
}

/// Rotations have streams of their own.
const ROTATIONS: u64 = 1 << 44;

impl NullTargets {
    /// `count` null targets of a view's rows.
    pub(super) fn draw(data: &View, units: &Units, count: usize, seed: u64) -> NullTargets {
        let rows = data.rows();
        let row = |&sample: &u32| rows[sample as usize] as usize;
        match data.target() {
            Target::Classes { codes, labels, .. } => {
                let codes: Vec<u32> = units.samples.iter().map(|sample| codes[row(sample)]).collect();
                match arrangements(&codes, true, count, seed) {
                    Some(orders) => NullTargets::Classes(ordered(&orders, &codes)),
                    None => NullTargets::Rotations(rotations(rows.len(), labels.len().max(2) - 1, count, seed)),
                }
            }
            // survival times are permuted as their martingale residuals, which are numbers
            Target::Real { values } | Target::Survival { times: values, .. } => {
                let values: Vec<f64> = units.samples.iter().map(|sample| values[row(sample)]).collect();
                match arrangements(&levels(&values), false, count, seed) {
                    Some(orders) => NullTargets::Numbers(ordered(&orders, &values)),
                    None => NullTargets::Rotations(rotations(rows.len(), 1, count, seed)),
                }
            }
        }
    }
}

fn ordered<T: Copy>(orders: &[Vec<u32>], values: &[T]) -> Vec<Vec<T>> {
    orders.iter().map(|order| order.iter().map(|&row| values[row as usize]).collect()).collect()
}

/// The rank of every number, ties sharing one.
fn levels(values: &[f64]) -> Vec<u32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    values.iter().map(|x| sorted.partition_point(|y| y.total_cmp(x).is_lt()) as u32).collect()
}

/// Standard normal numbers: `width` vectors for each of `count` targets.
fn rotations(samples: usize, width: usize, count: usize, seed: u64) -> Vec<Vec<Vec<f64>>> {
    let one = |r: u64| {
        let mut rng = random::stream(seed, ROTATIONS + r);
        (0..width).map(|_| (0..samples).map(|_| random::standard_normal(&mut rng)).collect()).collect()
    };
    (0..count as u64).map(one).collect()
}

/// Makes vectors orthonormal, one after the other, and orthogonal to `others`, which are; those that depend on earlier
/// ones are dropped. Entries count by their weights.
pub(super) fn orthonormal(vectors: &[Vec<f64>], weights: &[f64], others: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let product = |a: &[f64], b: &[f64]| dot(&a.iter().zip(weights).map(|(a, w)| a * w).collect::<Vec<f64>>(), b);
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(vectors.len());
    for vector in vectors {
        let mut left = vector.clone();
        let size = product(vector, vector);
        // twice is enough (Kahan)
        for _ in 0..2 {
            for other in others.iter().chain(&basis) {
                let share = product(&left, other);
                left.iter_mut().zip(other).for_each(|(l, o)| *l -= share * o);
            }
        }
        let length = product(&left, &left);
        if length > 1e-12 * size {
            left.iter_mut().for_each(|l| *l /= length.sqrt());
            basis.push(left);
        }
    }
    basis
}
