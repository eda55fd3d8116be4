//! Scores of many permuted class labels where there are many classes.
//!
//! With few classes the sums over them are products of matrices (`by_class`). With many those products, and a system of
//! equations for every feature, would grow with the square and the cube of their number. Here a null target costs a pass
//! over the samples, and the equations of the table without the real classes' means, of the matrix K − BᵀD⁻¹B (K and D the
//! weights of null and real classes, B those of the samples that they share), are solved by conjugate gradients, for which
//! the matrix is never written down: a few more passes.

use super::centred_columns::{CentredColumns, ColumnFacts, Groups};
use super::{Maps, NullBlock, NullCounts};
use crate::numeric::linalg::vectorised;

/// Fewer classes are scored by products of matrices.
pub(super) const FEWEST_CLASSES: usize = 9;
/// Conjugate gradients end when the squared residual is this part of the first.
const TOLERANCE: f64 = 1e-22;

/// Null classes of the samples, which are in the order of the real classes.
pub(super) struct ByManyClasses {
    n_classes: usize,
    nulls: Vec<Vec<u32>>,
    /// How many of them, the first ones, the gate has.
    gate: usize,
    real: Vec<u32>,
    groups: Groups,
}

impl ByManyClasses {
    /// `nulls` are the classes of the samples in other orders, the first `gate` of them those of the gate, `groups` the samples of each real class: `places` among all
    /// samples, and their rows and weights.
    pub(super) fn new(nulls: &[Vec<u32>], gate: usize, places: &[Vec<usize>], groups: Groups) -> ByManyClasses {
        let order: Vec<usize> = places.concat();
        let real = places.iter().zip(0..).flat_map(|(of_class, class)| of_class.iter().map(move |_| class));
        ByManyClasses {
            n_classes: places.len(),
            nulls: nulls.iter().map(|null| order.iter().map(|&at| null[at]).collect()).collect(),
            real: real.collect(),
            gate,
            groups,
        }
    }

    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The scores of the columns of a block, of the table as it is and of the table without the real classes' means.
    pub(super) fn score(&self, block: &CentredColumns, maps: &Maps) -> NullBlock {
        let mut out = NullBlock::new(NullCounts { gate: self.gate, states: self.nulls.len() }, block.width());
        let (gaps, complete): (Vec<usize>, Vec<usize>) = (0..block.width()).partition(|&j| block.columns[j].missing);
        // features with gaps have samples, and so equations, of their own
        for places in [vec![complete], gaps.into_iter().map(|j| vec![j]).collect()].concat() {
            if !places.is_empty() {
                Columns::of(self, block, places).score(self, maps, &mut out);
            }
        }
        out
    }
}

/// Columns with values in the same samples, a row per sample.
struct Columns {
    places: Vec<usize>,
    facts: Vec<ColumnFacts>,
    /// The weight of every sample, 0 where it has no value.
    weights: Vec<f64>,
    /// Per sample: weight × value of each column.
    values: Vec<f64>,
    /// The same for what is left without the real classes' means.
    residuals: Vec<f64>,
    /// Per column: the sum of the squared residuals.
    within: Vec<f64>,
    /// One over the weight of every real class, 0 for one without a sample.
    shares: Vec<f64>,
}

impl Columns {
    fn of(by: &ByManyClasses, block: &CentredColumns, places: Vec<usize>) -> Columns {
        let width = places.len();
        let has_gaps = block.columns[places[0]].missing;
        let mask = block.present.as_ref().filter(|_| has_gaps);
        let weights: Vec<f64> = (0..by.n_classes)
            .flat_map(|class| {
                let all = &by.groups.weights[class];
                let present = mask.map(|mask| mask[class].column(places[0]));
                (0..all.len()).map(move |i| all[i] * present.map_or(1.0, |present| present[i]))
            })
            .collect();
        let mut values = vec![0.0; weights.len() * width];
        let mut residuals = values.clone();
        let mut within = vec![0.0; width];
        let mut shares = vec![];
        let mut first = 0;
        for matrix in &block.centred {
            let own = &weights[first..first + matrix.n_rows()];
            let weight: f64 = own.iter().sum();
            let share = if weight > 0.0 { 1.0 / weight } else { 0.0 };
            for (k, &j) in places.iter().enumerate() {
                let column = matrix.column(j);
                let mean = share * column.iter().zip(own).map(|(x, w)| w * x).sum::<f64>();
                for (i, (x, w)) in column.iter().zip(own).enumerate() {
                    let at = (first + i) * width + k;
                    values[at] = w * x;
                    residuals[at] = w * (x - mean);
                    within[k] += w * (x - mean) * (x - mean);
                }
            }
            shares.push(share);
            first += matrix.n_rows();
        }
        let facts = places.iter().map(|&j| block.columns[j]).collect();
        Columns { places, facts, weights, values, residuals, within, shares }
    }

    /// Writes the scores against every null target.
    fn score(&self, by: &ByManyClasses, maps: &Maps, out: &mut NullBlock) {
        let (classes, width) = (by.n_classes, self.places.len());
        let real_coded = (classes - 1) as f64;
        let mut memory = Memory::new(classes * width);
        let mut sums = vec![0.0; classes * width];
        for (r, null) in by.nulls.iter().enumerate() {
            let mut counts = vec![0.0; classes];
            null.iter().zip(&self.weights).for_each(|(&class, weight)| counts[class as usize] += weight);
            let inverse: Vec<f64> = counts.iter().map(|&count| if count > 0.0 { 1.0 / count } else { 0.0 }).collect();
            sum_by_class(null, &self.values, width, &mut sums);
            let mut between = vec![0.0; width];
            for (sums, inverse) in sums.chunks_exact(width).zip(&inverse) {
                between.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum * sum * inverse);
            }
            let rank = rank(null, &by.real, &self.weights, classes) as f64;
            sum_by_class(null, &self.residuals, width, &mut sums);
            let system = Equations { null, real: &by.real, columns: self, counts: &counts, inverse: &inverse };
            let explained = system.explained(&sums, &mut memory);
            for (k, (&place, facts)) in self.places.iter().zip(&self.facts).enumerate() {
                let n = facts.count;
                let squares = (facts.squares, n);
                if let Some(gate) = out.gate.column_mut(place).get_mut(r) {
                    *gate = maps.several(between[k], squares, real_coded, facts.tied, facts.feature);
                }
                // where no class is left apart from the real ones, there is nothing to score
                let of_rank =
                    |rank| maps.f(explained[k], self.within[k], rank, n - 1.0 - real_coded - rank, facts.feature);
                out.states.column_mut(place)[r] = if rank > 0.0 { of_rank(rank) } else { 0.0 };
            }
        }
    }
}

/// Sums of rows by their class.
fn sum_by_class(classes: &[u32], rows: &[f64], width: usize, sums: &mut [f64]) {
    sums.fill(0.0);
    vectorised(|| {
        for (&class, row) in classes.iter().zip(rows.chunks_exact(width)) {
            let sums = &mut sums[class as usize * width..][..width];
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
    });
}

/// In how many directions null classes differ once the means of the real ones are taken out: classes of both kinds that
/// share samples, directly or by others, hang together, and of those that do one follows from the rest.
fn rank(null: &[u32], real: &[u32], weights: &[f64], classes: usize) -> usize {
    let mut above: Vec<u32> = (0..2 * classes as u32).collect();
    let mut seen = vec![false; classes];
    fn top(above: &mut [u32], mut at: u32) -> u32 {
        while above[at as usize] != at {
            above[at as usize] = above[above[at as usize] as usize];
            at = above[at as usize];
        }
        at
    }
    let mut joined = 0;
    let mut there = vec![false; classes];
    for ((&null, &real), _) in null.iter().zip(real).zip(weights).filter(|(_, weight)| **weight > 0.0) {
        (seen[null as usize], there[real as usize]) = (true, true);
        let (a, b) = (top(&mut above, null), top(&mut above, classes as u32 + real));
        if a != b {
            above[a as usize] = b;
            joined += 1;
        }
    }
    let count = |of: &[bool]| of.iter().filter(|is| **is).count();
    // parts that hang together: all classes less those joined to another
    let parts = count(&seen) + count(&there) - joined;
    count(&seen) - parts
}

/// The equations of one null target.
struct Equations<'a> {
    null: &'a [u32],
    real: &'a [u32],
    columns: &'a Columns,
    /// The weight of every null class, and one over it.
    counts: &'a [f64],
    inverse: &'a [f64],
}

/// Vectors of conjugate gradients: a row per class.
struct Memory {
    left: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    means: Vec<f64>,
}

impl Memory {
    fn new(size: usize) -> Memory {
        Memory { left: vec![0.0; size], direction: vec![0.0; size], image: vec![0.0; size], means: vec![0.0; size] }
    }
}

impl Equations<'_> {
    /// sᵀG⁻¹s for every column s of the sums. A step adds its length times the squared residual before it.
    fn explained(&self, sums: &[f64], memory: &mut Memory) -> Vec<f64> {
        let width = self.columns.places.len();
        memory.left.copy_from_slice(sums);
        let mut size = self.squared(&memory.left, width);
        let least: Vec<f64> = size.iter().map(|size| TOLERANCE * size).collect();
        for (p, (r, &inverse)) in memory.direction.iter_mut().zip(memory.left.iter().zip(each(self.inverse, width))) {
            *p = inverse * r;
        }
        let mut explained = vec![0.0; width];
        // as many steps as classes would do if numbers were exact
        for _ in 0..2 * self.counts.len() {
            if size.iter().zip(&least).all(|(size, least)| size <= least) {
                break;
            }
            self.apply(memory, width);
            let mut along = vec![0.0; width];
            for (p, q) in memory.direction.chunks_exact(width).zip(memory.image.chunks_exact(width)) {
                along.iter_mut().zip(p.iter().zip(q)).for_each(|(along, (p, q))| *along += p * q);
            }
            let open = |k: usize| size[k] > least[k] && along[k] > 0.0;
            let step: Vec<f64> = (0..width).map(|k| if open(k) { size[k] / along[k] } else { 0.0 }).collect();
            (0..width).for_each(|k| explained[k] += step[k] * size[k]);
            for (r, q) in memory.left.chunks_exact_mut(width).zip(memory.image.chunks_exact(width)) {
                r.iter_mut().zip(q.iter().zip(&step)).for_each(|(r, (q, step))| *r -= step * q);
            }
            let next = self.squared(&memory.left, width);
            let turn: Vec<f64> = (0..width).map(|k| if step[k] > 0.0 { next[k] / size[k] } else { 0.0 }).collect();
            for ((p, r), inverse) in
                memory.direction.chunks_exact_mut(width).zip(memory.left.chunks_exact(width)).zip(self.inverse)
            {
                p.iter_mut().zip(r.iter().zip(&turn)).for_each(|(p, (r, turn))| *p = inverse * r + turn * *p);
            }
            for k in 0..width {
                size[k] = if step[k] > 0.0 { next[k] } else { 0.0 };
            }
        }
        explained
    }

    /// rᵀK⁻¹r of every column.
    fn squared(&self, left: &[f64], width: usize) -> Vec<f64> {
        let mut out = vec![0.0; width];
        for (r, inverse) in left.chunks_exact(width).zip(self.inverse) {
            out.iter_mut().zip(r).for_each(|(out, r)| *out += inverse * r * r);
        }
        out
    }

    /// The matrix times the direction.
    fn apply(&self, memory: &mut Memory, width: usize) {
        let Memory { direction, image, means, .. } = memory;
        means.fill(0.0);
        vectorised(|| {
            let samples = || self.null.iter().zip(self.real).zip(&self.columns.weights);
            for ((&null, &real), weight) in samples() {
                let p = &direction[null as usize * width..][..width];
                let mean = &mut means[real as usize * width..][..width];
                mean.iter_mut().zip(p).for_each(|(mean, p)| *mean += weight * p);
            }
            for (mean, share) in means.chunks_exact_mut(width).zip(&self.columns.shares) {
                mean.iter_mut().for_each(|mean| *mean *= share);
            }
            for ((q, p), count) in image.chunks_exact_mut(width).zip(direction.chunks_exact(width)).zip(self.counts) {
                q.iter_mut().zip(p).for_each(|(q, p)| *q = count * p);
            }
            for ((&null, &real), weight) in samples() {
                let q = &mut image[null as usize * width..][..width];
                let mean = &means[real as usize * width..][..width];
                q.iter_mut().zip(mean).for_each(|(q, mean)| *q -= weight * mean);
            }
        });
    }
}

/// Every number, as often as a row is wide.
fn each(of: &[f64], width: usize) -> impl Iterator<Item = &f64> {
    of.iter().flat_map(move |x| std::iter::repeat_n(x, width))
}
