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
                    match classes {
                        2 => self.of_two_classes(target, j, &columns, &row, &mut statistic),
                        _ => self.of_classes(target, j, &columns, &mut row, &mut statistic),
                    }
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

    /// H of two classes, (m₁ − m₀)²/(1/h₁ + 1/h₀): one division.
    #[inline(always)]
    fn of_two_classes(&self, target: usize, j: usize, columns: &Range<usize>, row: &Row, out: &mut [f64; TILE]) {
        let [first, second] = [0, 1].map(|class| ClassSums::new(self, target, class, j));
        let [sums, other_sums] = [0, 1].map(|class| &self.class_sums(target, class)[columns.clone()]);
        let (means, common) = (&self.halves.means[columns.clone()], LEAN / (self.targets.rows as f64 - 2.0).max(1.0));
        let inverse = |n: f64| 1.0 / (n * (n + LEAN));
        let (r, other_r) = (inverse(first.n), inverse(second.n));
        let inputs = row.counts[0].iter().zip(&row.counts[1]).zip(sums).zip(other_sums).zip(means);
        for (out, ((((&both, &other_both), &s), &other_s), &a)) in out.iter_mut().zip(inputs).take(columns.len()) {
            let (m, squares) = first.mean_and_squares(both, s, a);
            let (other_m, other_squares) = second.mean_and_squares(other_both, other_s, a);
            let lean = (squares + other_squares) * common;
            let lean = if lean > LEAN * LEAST_VARIANCE { lean } else { LEAN * LEAST_VARIANCE };
            let difference = m - other_m;
            *out = difference * difference / ((squares + lean) * r + (other_squares + lean) * other_r);
        }
    }

    /// In how many rows of a class every feature is 1.
    #[inline(always)]
    fn class_sums(&self, target: usize, class: usize) -> &[f64] {
        let room = self.halves.packed.capacity();
        &self.sums[(target * self.targets.sizes.len() + class) * room..][..room]
    }

    #[inline(always)]
    fn of_classes(&self, target: usize, j: usize, columns: &Range<usize>, row: &mut Row, out: &mut [f64; TILE]) {
        let (classes, width) = (self.targets.sizes.len(), columns.len());
        let means = &self.halves.means[columns.clone()];
        let mut pooled = [0.0; TILE];
        for class in 0..classes {
            let of_class = ClassSums::new(self, target, class, j);
            let sums = &self.class_sums(target, class)[columns.clone()];
            let results = row.means[class].iter_mut().zip(&mut row.squares[class]).zip(&mut pooled);
            let inputs = row.counts[class].iter().zip(sums).zip(means);
            for (((m, square), pooled), ((&both, &s), &a)) in results.zip(inputs).take(width) {
                (*m, *square) = of_class.mean_and_squares(both, s, a);
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

/// A feature j within a class: with another feature k it gives the mean of w, and the sum of its squared deviations.
struct ClassSums {
    /// Rows of the class.
    n: f64,
    share: f64,
    /// The mean a of x_j over all rows, 1 − 2a, and a².
    a: f64,
    b: f64,
    square: f64,
    /// Σ(x_j − a) and Σ(x_j − a)² over the class.
    shift: f64,
    spread: f64,
}

impl ClassSums {
    #[inline(always)]
    fn new(kernel: &PairKernel, target: usize, class: usize, j: usize) -> ClassSums {
        let (n, a, sum) = (kernel.targets.sizes[class], kernel.halves.means[j], kernel.class_sums(target, class)[j]);
        let (b, square) = (1.0 - 2.0 * a, a * a);
        ClassSums { n, share: 1.0 / n, a, b, square, shift: sum - n * a, spread: b * sum + n * square }
    }

    /// From the rows in which both features are 1, those in which k is, and the mean of k over all rows: x² = x, so that
    /// Σw and Σw² are linear in them.
    #[inline(always)]
    fn mean_and_squares(&self, both: u32, sum: f64, a: f64) -> (f64, f64) {
        let both = f64::from(both as i32); // rows are fewer than 2³¹
        let w = (both - self.a * sum) - a * self.shift;
        let squares = (1.0 - 2.0 * a) * (self.b * both + self.square * sum) + a * a * self.spread;
        let mean = w * self.share;
        (mean, squares - w * mean)
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
