//! Targets that have nothing to do with the features: the rows' own in another order, or random directions.

use super::sample_copies::Units;
use crate::numeric::random;
use crate::resample::arrangements::arrangements;
use crate::score::design::{Design, coding};
use crate::table::{Target, View};

/// Null targets.
pub(super) enum NullTargets {
    /// The class of every unit, in another order.
    Classes(Vec<Vec<u32>>),
    /// The number of every unit, in another order.
    Numbers(Vec<Vec<f64>>),
    /// Vectors over the samples, as many per target as its coding has columns: permuted residuals, or random directions.
    Directions {
        vectors: Vec<Vec<Vec<f64>>>,
        /// Whether they are random, for there are too few arrangements, or rows have weights.
        random: bool,
    },
}

/// Rotations have streams of their own.
const ROTATIONS: u64 = 1 << 44;

impl NullTargets {
    /// `count` null targets of a view's rows.
    pub(super) fn draw(data: &View, units: &Units, count: usize, seed: u64) -> NullTargets {
        let rows = data.rows();
        let row = |&sample: &u32| rows[sample as usize] as usize;
        match data.target() {
            Target::Classes { codes, .. } => {
                let codes: Vec<u32> = units.samples.iter().map(|sample| codes[row(sample)]).collect();
                match arrangements(&codes, None, true, count, seed) {
                    Some(orders) => NullTargets::Classes(ordered(&orders, &codes)),
                    None => NullTargets::random(rows.len(), coding(data.target(), rows, None).len(), count, seed),
                }
            }
            // survival times are permuted as their martingale residuals, which are numbers
            Target::Real { values } | Target::Survival { times: values, .. } => {
                let values: Vec<f64> = units.samples.iter().map(|sample| values[row(sample)]).collect();
                match arrangements(&levels(&values), None, false, count, seed) {
                    Some(orders) => NullTargets::Numbers(ordered(&orders, &values)),
                    None => NullTargets::random(rows.len(), 1, count, seed),
                }
            }
        }
    }
}

impl NullTargets {
    /// `count` null targets of a view whose features are regressed on its design: residuals of the target, permuted, within
    /// blocks where there are blocks.
    pub(super) fn of_design(data: &View, design: &Design, units: &Units, count: usize, seed: u64) -> NullTargets {
        let (rows, samples) = (data.rows(), &design.samples);
        let row = |&sample: &u32| rows[sample as usize] as usize;
        let (levels, classes) = match data.target() {
            Target::Classes { codes, .. } => (units.samples.iter().map(|sample| codes[row(sample)]).collect(), true),
            Target::Real { values } | Target::Survival { times: values, .. } => {
                let values: Vec<f64> = units.samples.iter().map(|sample| values[row(sample)]).collect();
                (levels(&values), false)
            }
        };
        let blocks: Vec<u32> = units.samples.iter().map(|&sample| samples.blocks[sample as usize]).collect();
        let blocks = data.blocks().map(|_| blocks.as_slice());
        let orders = match samples.roots {
            None => arrangements(&levels, blocks, classes, count, seed),
            Some(_) => None,
        };
        let Some(orders) = orders else {
            return NullTargets::random(rows.len(), samples.target.len(), count, seed);
        };
        let residuals: Vec<Vec<f64>> =
            samples.target.iter().map(|column| design.complete.off_nuisance(column)).collect();
        let moved = |residual: &Vec<f64>, order: &Vec<u32>| {
            let mut moved = vec![0.0; residual.len()];
            for (&sample, &from) in units.samples.iter().zip(order) {
                moved[sample as usize] = residual[units.samples[from as usize] as usize];
            }
            moved
        };
        let vectors =
            orders.iter().map(|order| residuals.iter().map(|residual| moved(residual, order)).collect()).collect();
        NullTargets::Directions { vectors, random: false }
    }

    fn random(samples: usize, width: usize, count: usize, seed: u64) -> NullTargets {
        NullTargets::Directions { vectors: rotations(samples, width, count, seed), random: true }
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
