//! Moments of two classes of a sparse column, from the entries that are stored and the number of the others.

use super::moments::{Moments, less_shift};
use super::two_class_moments::{LANES, TwoClasses};
use crate::numeric::linalg::widely;
use crate::table::SparseLines;
use rayon::prelude::*;

/// Sums over the entries of one class that are not 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NonzeroSums {
    pub(super) count: f64,
    sum: f64,
    squares: f64,
}

impl NonzeroSums {
    #[inline(always)]
    fn add(&mut self, x: f64) {
        self.count += f64::from(u8::from(x != 0.0));
        self.sum += x;
        self.squares += x * x;
    }

    fn merge(&mut self, other: NonzeroSums) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }
}

/// The most blocks of rows whose entries are summed side by side.
const MOST_BLOCKS: usize = 8;
/// A block has at least so many entries for each column, so that adding the blocks up costs little beside summing them.
const ENTRIES_PER_COLUMN: usize = 64;

impl TwoClasses {
    /// The moments of both classes from sums over entries, where at least half the values of each are 0: then Σx² − n·m²
    /// loses at most one bit. `None` where they are not.
    pub(super) fn of_sums(&self, sums: &[NonzeroSums; 2]) -> Option<[Moments; 2]> {
        let counts = self.counts();
        if (0..2).any(|class| 2.0 * sums[class].count > counts[class]) {
            return None;
        }
        Some([0, 1].map(|class: usize| {
            let NonzeroSums { sum, squares, .. } = sums[class];
            let mean = sum / counts[class].max(1.0);
            Moments { count: counts[class], mean, rest: 0.0, m2: (squares - sum * mean).max(0.0) }
        }))
    }

    /// The sums over the entries of a column; the samples must be all rows of the table.
    pub(super) fn sums_of_column(&self, rows: &[u32], values: &[f64]) -> [NonzeroSums; 2] {
        let classes = self.codes();
        widely!((classes: &'a [u8], rows: &'a [u32], values: &'a [f64]) -> [NonzeroSums; 2] {
            let mut totals = [NonzeroSums::default(); 2];
            let [mut counts, mut sums, mut squares] = [[[0.0; LANES]; 2]; 3];
            let (row_chunks, row_rest) = rows.as_chunks::<LANES>();
            let (chunks, rest) = values.as_chunks::<LANES>();
            for (rows, x) in row_chunks.iter().zip(chunks) {
                let one = rows.map(|row| f64::from(classes[row as usize]));
                for lane in 0..LANES {
                    let known = f64::from(u8::from(x[lane] != 0.0));
                    let (in_one, in_zero) = (one[lane] * x[lane], (1.0 - one[lane]) * x[lane]);
                    counts[0][lane] += (1.0 - one[lane]) * known;
                    counts[1][lane] += one[lane] * known;
                    sums[0][lane] += in_zero;
                    sums[1][lane] += in_one;
                    squares[0][lane] += in_zero * in_zero;
                    squares[1][lane] += in_one * in_one;
                }
            }
            for class in 0..2 {
                totals[class] = NonzeroSums {
                    count: counts[class].iter().sum(),
                    sum: sums[class].iter().sum(),
                    squares: squares[class].iter().sum(),
                };
            }
            row_rest.iter().zip(rest).for_each(|(&row, &x)| totals[usize::from(classes[row as usize])].add(x));
            totals
        })
    }

    /// The sums over the entries of every column of a matrix that is stored by rows, which must all be samples. Rows are
    /// summed in as many blocks as the matrix is large, so that the bits do not depend on the number of threads.
    pub(super) fn sums_of_rows(&self, rows: SparseLines<'_>, n_columns: usize) -> Vec<[NonzeroSums; 2]> {
        let blocks = (rows.values.len() / (ENTRIES_PER_COLUMN * n_columns.max(1))).clamp(1, MOST_BLOCKS);
        let size = rows.len().div_ceil(blocks).max(1);
        let starts: Vec<usize> = (0..rows.len()).step_by(size).collect();
        let of_block = |&from: &usize| {
            let mut sums = vec![[NonzeroSums::default(); 2]; n_columns];
            for row in from..(from + size).min(rows.len()) {
                let (columns, values) = rows.line(row);
                let class = usize::from(self.codes()[row]);
                columns.iter().zip(values).for_each(|(&column, &x)| sums[column as usize][class].add(x));
            }
            sums
        };
        let mut parts: Vec<Vec<[NonzeroSums; 2]>> = starts.par_iter().map(of_block).collect();
        let mut all = if parts.is_empty() { vec![[NonzeroSums::default(); 2]; n_columns] } else { parts.remove(0) };
        for part in parts {
            for (sums, more) in all.iter_mut().zip(part) {
                (0..2).for_each(|class| sums[class].merge(more[class]));
            }
        }
        all
    }

    /// The moments of classes 0 and 1 of a column whose other values are 0; the samples must be all rows of the table.
    /// With z zeros and mean m, M2 = Σ(x − m)² + z·m² over the entries. Cost: three passes over the entries.
    pub(super) fn of_nonzeros(&self, rows: &[u32], values: &[f64]) -> [Moments; 2] {
        let classed = || rows.iter().zip(values).map(|(&row, &x)| (self.class(row as usize), x));
        let mut stored = [0.0; 2];
        let mut firsts = [0.0; 2];
        for (class, x) in classed().rev() {
            stored[class] += 1.0;
            firsts[class] = x;
        }
        let counts = self.counts();
        let zeros = [0, 1].map(|class: usize| counts[class] - stored[class]);
        // relative to a value of the class, so that equal values have no spread at all
        let pivots = [0, 1].map(|class: usize| if zeros[class] > 0.0 { 0.0 } else { firsts[class] });
        let mut sums = [0.0; 2];
        classed().for_each(|(class, x)| sums[class] += x - pivots[class]);
        let means = [0, 1].map(|class: usize| pivots[class] + sums[class] / counts[class].max(1.0));
        let mut drifts = [0, 1].map(|class: usize| -zeros[class] * means[class]);
        let mut squares = [0, 1].map(|class: usize| zeros[class] * means[class] * means[class]);
        for (class, x) in classed() {
            let d = x - means[class];
            drifts[class] += d;
            squares[class] += d * d;
        }
        [0, 1].map(|class: usize| {
            let (count, drift) = (counts[class], drifts[class]);
            if count == 0.0 {
                return Moments::default();
            }
            let m2 = less_shift(squares[class], drift * drift / count);
            Moments { count, mean: means[class], rest: drift / count, m2 }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::OwnedSparseLines;

    #[test]
    fn entries_give_the_moments_of_the_whole_column() {
        let n = 5000;
        let rows: Vec<u32> = (0..n).collect();
        let codes: Vec<u32> = rows.iter().map(|row| row * 7 % 3 % 2).collect();
        let two = TwoClasses::new(&rows, &codes);
        for (every, offset) in [(1, 0.0), (1, 1e6), (20, 0.0), (20, 1e6), (4999, 3.0), (6000, 3.0)] {
            let value = |row: u32| if row % every == 1 % every { offset + (f64::from(row) * 0.61).sin() } else { 0.0 };
            let column: Vec<f64> = rows.iter().map(|&row| value(row)).collect();
            let (places, values): (Vec<u32>, Vec<f64>) =
                rows.iter().map(|&row| (row, value(row))).filter(|e| e.1 != 0.0).unzip();
            let wanted = two.moments(&column, &mut vec![]);
            let in_one_pass = two.of_sums(&two.sums_of_column(&places, &values));
            assert_eq!(in_one_pass.is_some(), every > 1);
            let lines = OwnedSparseLines { starts: vec![0, values.len()], places, values };
            let by_rows = lines.lines().transposed(n as usize);
            let of_rows = two.of_sums(&two.sums_of_rows(by_rows.lines(), 1)[0]);
            let of_nonzeros = two.of_nonzeros(&lines.places, &lines.values);
            let all = [Some(of_nonzeros), in_one_pass, of_rows];
            for (found, wanted) in all.iter().flatten().flat_map(|found| found.iter().zip(&wanted)) {
                let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
                assert_eq!(found.count, wanted.count);
                assert!(near(found.mean, wanted.mean), "{every} {offset}: {} {}", found.mean, wanted.mean);
                assert!(near(found.m2, wanted.m2), "{every} {offset}: {} {}", found.m2, wanted.m2);
            }
        }
    }

    #[test]
    fn equal_entries_in_every_row_have_no_variance() {
        let rows: Vec<u32> = (0..100).collect();
        let codes: Vec<u32> = rows.iter().map(|row| row % 2).collect();
        for moments in TwoClasses::new(&rows, &codes).of_nonzeros(&rows, &vec![0.1; 100]) {
            assert_eq!((moments.mean, moments.m2), (0.1, 0.0));
        }
    }
}
