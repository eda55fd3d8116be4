//! Targets that have nothing to do with the features: the rows' own in another order, or random directions.

use super::sample_order::SampleOrder;
use crate::numeric::random;
use crate::resample::arrangements::arrangements;
use crate::score::design::{Design, Samples, coding};
use crate::table::{Target, View};

/// Null targets.
pub(super) enum NullTargets {
    /// The class of every sample, in another order.
    Classes(Vec<Vec<u32>>),
    /// The number of every sample, in another order.
    Numbers(Vec<Vec<f64>>),
    /// Vectors over the samples, as many per target as its coding has columns: permuted residuals, or random directions.
    Directions {
        vectors: Vec<Vec<Vec<f64>>>,
        /// Whether they are random, for there are too few arrangements.
        random: bool,
    },
}

/// Rotations have streams of their own.
const ROTATIONS: u64 = 1 << 44;

impl NullTargets {
    /// `count` null targets of a view's rows.
    pub(super) fn draw(data: &View, samples: &SampleOrder, count: usize, seed: u64) -> NullTargets {
        let rows = data.rows();
        let row = |&sample: &u32| rows[sample as usize] as usize;
        match data.target() {
            Target::Classes { codes, .. } => {
                let codes: Vec<u32> = samples.0.iter().map(|sample| codes[row(sample)]).collect();
                match arrangements(&codes, None, true, count, seed) {
                    Some(orders) => NullTargets::Classes(ordered(&orders, &codes, samples)),
                    None => NullTargets::random(rows.len(), coding(data.target(), rows, None).len(), count, seed),
                }
            }
            // survival times are permuted as their martingale residuals, which are numbers
            Target::Real { values } | Target::Survival { times: values, .. } => {
                let values: Vec<f64> = samples.0.iter().map(|sample| values[row(sample)]).collect();
                match arrangements(&levels(&values), None, false, count, seed) {
                    Some(orders) => NullTargets::Numbers(ordered(&orders, &values, samples)),
                    None => NullTargets::random(rows.len(), 1, count, seed),
                }
            }
        }
    }
}

impl NullTargets {
    /// `count` null targets of a view whose features are regressed on its design: residuals of the target, permuted, within
    /// blocks where there are blocks.
    pub(super) fn of_design(
        data: &View,
        design: &Design,
        SampleOrder(order): &SampleOrder,
        count: usize,
        seed: u64,
    ) -> NullTargets {
        let (rows, samples) = (data.rows(), &design.samples);
        let row = |&sample: &u32| rows[sample as usize] as usize;
        let (levels, classes) = match data.target() {
            Target::Classes { codes, .. } => (order.iter().map(|sample| codes[row(sample)]).collect(), true),
            Target::Real { .. } | Target::Survival { .. } => {
                let column =
                    |values: &Vec<f64>| levels(&order.iter().map(|&at| values[at as usize]).collect::<Vec<_>>());
                (joint_levels(&samples.target.iter().map(column).collect::<Vec<_>>()), false)
            }
        };
        if samples.correlated.is_some() {
            return NullTargets::coloured(samples, count, seed);
        }
        let blocks: Vec<u32> = order.iter().map(|&sample| samples.blocks[sample as usize]).collect();
        let blocks = data.blocks().map(|_| blocks.as_slice());
        let Some(orders) = arrangements(&levels, blocks, classes, count, seed) else {
            return NullTargets::coloured(samples, count, seed);
        };
        let residuals: Vec<Vec<f64>> = samples.target.iter().map(|column| residual(design, column)).collect();
        let moved = |residual: &Vec<f64>, to: &Vec<u32>| {
            let mut moved = vec![0.0; residual.len()];
            for (&sample, &from) in order.iter().zip(to) {
                moved[sample as usize] = residual[order[from as usize] as usize];
            }
            moved
        };
        let vectors =
            orders.iter().map(|order| residuals.iter().map(|residual| moved(residual, order)).collect()).collect();
        NullTargets::Directions { vectors, random: false }
    }

    /// Random directions of noise like that of the samples: uniform once they are whitened.
    fn coloured(samples: &Samples, count: usize, seed: u64) -> NullTargets {
        let mut vectors = rotations(samples.len(), samples.target.len(), count, seed);
        vectors.iter_mut().flatten().for_each(|vector| samples.colour(vector));
        NullTargets::Directions { vectors, random: true }
    }

    /// Whether they are random directions, for there are too few arrangements.
    pub(super) fn are_random(&self) -> bool {
        matches!(self, NullTargets::Directions { random: true, .. })
    }

    fn random(samples: usize, width: usize, count: usize, seed: u64) -> NullTargets {
        NullTargets::Directions { vectors: rotations(samples, width, count, seed), random: true }
    }
}

/// A column of the target without what features are adjusted for.
fn residual(design: &Design, column: &[f64]) -> Vec<f64> {
    let mut left = design.complete.off_nuisance(column);
    if let Some(roots) = &design.samples.roots {
        left.iter_mut().zip(roots).for_each(|(x, root)| *x /= root);
    }
    left
}

/// Values of samples in other orders, by sample.
fn ordered<T: Copy + Default>(orders: &[Vec<u32>], values: &[T], samples: &SampleOrder) -> Vec<Vec<T>> {
    orders.iter().map(|order| samples.by_sample(order.iter().map(|&at| values[at as usize]))).collect()
}

/// The rank of every number, ties sharing one.
fn levels(values: &[f64]) -> Vec<u32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    values.iter().map(|x| sorted.partition_point(|y| y.total_cmp(x).is_lt()) as u32).collect()
}

/// A level for every combination of the levels of several columns.
fn joint_levels(columns: &[Vec<u32>]) -> Vec<u32> {
    if let [one] = columns {
        return one.clone();
    }
    let n = columns.first().map_or(0, Vec::len);
    let of = |at: usize| -> Vec<u32> { columns.iter().map(|column| column[at]).collect() };
    let mut sorted: Vec<Vec<u32>> = (0..n).map(of).collect();
    sorted.sort();
    sorted.dedup();
    (0..n).map(|at| sorted.partition_point(|other| *other < of(at)) as u32).collect()
}

/// Standard normal numbers: `width` vectors for each of `count` targets.
fn rotations(samples: usize, width: usize, count: usize, seed: u64) -> Vec<Vec<Vec<f64>>> {
    let one = |r: u64| {
        let mut rng = random::stream(seed, ROTATIONS + r);
        (0..width).map(|_| (0..samples).map(|_| random::standard_normal(&mut rng)).collect()).collect()
    };
    (0..count as u64).map(one).collect()
}
