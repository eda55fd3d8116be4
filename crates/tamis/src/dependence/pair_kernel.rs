//! Pairs of halves: does the product of two centred halves have another mean in another class?
//!
//! With w = (x_j − a_j)(x_k − a_k), a the means over all rows, each class has a mean m and a variance v of w. Variances
//! of small classes lean on the common one, and H = Σh(m − m̄)² is about χ² with one degree of freedom less than there are
//! classes. Sums of w and w² over a class follow from its rows in which both halves are 1.

use super::null_targets::Targets;
use super::packed_rows::{LANES, PackedRows, words};
use crate::numeric::linalg::vectorised;
use std::ops::Range;

/// Features of a tile.
pub(super) const TILE: usize = 128;
/// Rows that the common variance counts for in every class.
const LEAN: f64 = 20.0;
/// The smallest variance.
const LEAST_VARIANCE: f64 = 1e-9;

/// Binary features, as sets of the rows in which they are 1.
pub(super) struct Halves {
    packed: PackedRows,
    n: usize,
    /// The share of rows in the set.
    means: Vec<f64>,
}

impl Halves {
    /// Features from their sets.
    pub(super) fn new(rows: usize, sets: &[&[u64]]) -> Halves {
        let n = sets.len();
        let mut packed = PackedRows::new(rows, n.next_multiple_of(TILE));
        sets.iter().enumerate().for_each(|(at, set)| packed.fill(at, set));
        let ones = |set: &&[u64]| set.iter().map(|word| word.count_ones()).sum::<u32>();
        let mut means: Vec<f64> = sets.iter().map(|set| f64::from(ones(set)) / rows as f64).collect();
        means.resize(n.next_multiple_of(TILE), 0.0);
        Halves { packed, n, means }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.n
    }
}

/// The statistic of all pairs and targets, a tile of features by features at a time.
pub(super) struct PairKernel<'a> {
    halves: &'a Halves,
    targets: &'a Targets,
    /// For each target and class: in how many of its rows every feature is 1.
    sums: Vec<f64>,
}

/// Working memory for a row of a tile: per class, one number a feature.
struct Row {
    counts: Vec<[u32; TILE]>,
    means: Vec<[f64; TILE]>,
    squares: Vec<[f64; TILE]>,
    set: Vec<u64>,
}

impl<'a> PairKernel<'a> {
    pub(super) fn new(halves: &'a Halves, targets: &'a Targets) -> PairKernel<'a> {
        let (room, classes) = (halves.packed.capacity(), targets.sizes.len());
        let mut sums = vec![0.0; targets.len() * classes * room];
        let mut counts = vec![0; room];
        for (target, sums) in sums.chunks_exact_mut((classes * room).max(1)).enumerate() {
            let (first, others) = sums.split_at_mut(room);
            first.iter_mut().zip(&halves.means).for_each(|(sum, mean)| *sum = (mean * targets.rows as f64).round());
            for (set, sums) in others.chunks_exact_mut(room.max(1)).enumerate() {
                halves.packed.count_all(targets.set(target, set), &mut counts);
                for ((sum, first), &count) in sums.iter_mut().zip(first.iter_mut()).zip(&counts) {
                    *sum = f64::from(count);
                    *first -= f64::from(count);
                }
            }
        }
        PairKernel { halves, targets, sums }
    }

    /// Tiles of the upper triangle, each as the first features of its rows and of its columns.
    pub(super) fn tiles(&self) -> Vec<(usize, usize)> {
        let starts = || (0..self.halves.n).step_by(TILE);
        starts().flat_map(|a| starts().filter(move |&b| b >= a).map(move |b| (a, b))).collect()
    }

    /// Calls `visit(target, j, k, H)` with the statistics of feature j and the features from k on, for the rows j of a tile;
    /// each pair of a tile comes once.
    #[inline(always)]
    pub(super) fn tile(
        &self,
        (a, b): (usize, usize),
        targets: Range<usize>,
        mut visit: impl FnMut(usize, usize, usize, &[f64]),
    ) {
        let classes = self.targets.sizes.len();
        let last = (b + TILE).min(self.halves.n);
        let mut row = Row {
            counts: vec![[0; TILE]; classes + 1],
            means: vec![[0.0; TILE]; classes],
            squares: vec![[0.0; TILE]; classes],
            set: vec![0; words(self.targets.rows)],
        };
        let all = vec![u64::MAX; words(self.targets.rows)];
        vectorised(|| {
            for j in a..(a + TILE).min(self.halves.n) {
                let from = if a == b { j + 1 } else { b };
                if from >= last {
                    continue;
                }
                let columns = from / LANES * LANES..last.next_multiple_of(LANES);
                let width = columns.len();
                self.halves.packed.masked(j, &all, &mut row.set);
                self.halves.packed.count(&row.set, columns.start, &mut row.counts[classes][..width]);
                for target in targets.clone() {
                    self.count(target, j, &columns, &mut row);
                    let mut statistic = [0.0; TILE];
                    self.statistic(target, j, &columns, &mut row, &mut statistic);
                    visit(target, j, from, &statistic[from - columns.start..last - columns.start]);
                }
            }
        });
    }

    /// Rows of each class in which both features are 1.
    #[inline(always)]
    fn count(&self, target: usize, j: usize, columns: &Range<usize>, row: &mut Row) {
        let classes = self.targets.sizes.len();
        let width = columns.len();
        row.counts[0] = row.counts[classes];
        for class in 1..classes {
            self.halves.packed.masked(j, self.targets.set(target, class - 1), &mut row.set);
            let (first, counts) = row.counts.split_at_mut(class);
            self.halves.packed.count(&row.set, columns.start, &mut counts[0][..width]);
            first[0].iter_mut().zip(&counts[0]).take(width).for_each(|(first, count)| *first -= count);
        }
    }

    #[inline(always)]
    fn statistic(&self, target: usize, j: usize, columns: &Range<usize>, row: &mut Row, out: &mut [f64; TILE]) {
        let (classes, room) = (self.targets.sizes.len(), self.halves.packed.capacity());
        let (width, a_j) = (columns.len(), self.halves.means[j]);
        let means = &self.halves.means[columns.clone()];
        let mut pooled = [0.0; TILE];
        for class in 0..classes {
            let n = self.targets.sizes[class];
            let sums = &self.sums[(target * classes + class) * room..][..room];
            let (s_j, sums) = (sums[j], &sums[columns.clone()]);
            let (b_j, square_j) = (1.0 - 2.0 * a_j, a_j * a_j);
            let (shift, spread, share) = (s_j - n * a_j, b_j * s_j + n * square_j, 1.0 / n);
            let results = row.means[class].iter_mut().zip(&mut row.squares[class]).zip(&mut pooled);
            let inputs = row.counts[class].iter().zip(sums).zip(means);
            for (((m, square), pooled), ((&both, &s_k), &a_k)) in results.zip(inputs).take(width) {
                let both = f64::from(both as i32); // rows are fewer than 2³¹
                let sum = (both - a_j * s_k) - a_k * shift;
                let squares = (1.0 - 2.0 * a_k) * (b_j * both + square_j * s_k) + a_k * a_k * spread;
                *m = sum * share;
                *square = squares - sum * *m;
                *pooled += *square;
            }
        }
        let share = 1.0 / (self.targets.rows as f64 - classes as f64).max(1.0);
        let (mut weights, mut sums) = ([0.0; TILE], [0.0; TILE]);
        for class in 0..classes {
            let n = self.targets.sizes[class];
            let inputs = row.means[class].iter().zip(&mut row.squares[class]).zip(&pooled);
            for (((m, square), pooled), (weight, sum)) in inputs.zip(weights.iter_mut().zip(&mut sums)).take(width) {
                let h = weight_of(n, *square, pooled * share);
                *square = h;
                *weight += h;
                *sum += h * m;
            }
        }
        sums.iter_mut().zip(&weights).take(width).for_each(|(sum, weight)| *sum /= weight);
        out.fill(0.0);
        for class in 0..classes {
            let inputs = row.means[class].iter().zip(&row.squares[class]).zip(&sums);
            for (((m, h), mean), out) in inputs.zip(out.iter_mut()).take(width) {
                *out += h * (m - mean) * (m - mean);
            }
        }
    }
}

/// The weight of a class: n(n + 20)/(nv + 20·common v), from the sum nv of its squared deviations.
#[inline(always)]
fn weight_of(n: f64, squares: f64, common: f64) -> f64 {
    let common = if common > LEAST_VARIANCE { common } else { LEAST_VARIANCE };
    n * (n + LEAN) / (squares + LEAN * common)
}

/// Rows of a class by two halves: in both, only in the first, only in the second, in none.
pub(super) type Cells = [f64; 4];

/// H of one pair from its cells, class by class, with the centres of the two halves in each class: deviations from the
/// mean are summed as they are, without cancellation.
pub(super) fn pair_statistic(cells: &[Cells], centres: &[(f64, f64)]) -> f64 {
    let rows: f64 = cells.iter().flatten().sum();
    let class = |(cells, &(a, b)): (&Cells, &(f64, f64))| {
        let w = [(1.0 - a) * (1.0 - b), -(1.0 - a) * b, -a * (1.0 - b), a * b];
        let n: f64 = cells.iter().sum();
        let mean = cells.iter().zip(w).map(|(count, w)| count * w).sum::<f64>() / n;
        let squares: f64 = cells.iter().zip(w).map(|(count, w)| count * (w - mean) * (w - mean)).sum();
        (n, mean, squares)
    };
    let classes: Vec<(f64, f64, f64)> = cells.iter().zip(centres).map(class).collect();
    let common = classes.iter().map(|class| class.2).sum::<f64>() / (rows - classes.len() as f64).max(1.0);
    let weighted: Vec<(f64, f64)> =
        classes.iter().map(|&(n, mean, squares)| (weight_of(n, squares, common), mean)).collect();
    let total: f64 = weighted.iter().map(|(h, _)| h).sum();
    let centre = weighted.iter().map(|(h, mean)| h * mean).sum::<f64>() / total;
    weighted.iter().map(|(h, mean)| h * (mean - centre) * (mean - centre)).sum()
}
