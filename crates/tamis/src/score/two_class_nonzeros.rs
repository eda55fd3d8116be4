//! Moments of two classes of a sparse column, from the entries that are stored and the number of the others.

use super::moments::{Moments, less_shift};
use super::two_class_moments::TwoClasses;

impl TwoClasses {
    /// The moments of classes 0 and 1 of a column whose other values are 0; the samples must be all rows of the table.
    /// With z zeros and mean m, M2 = Σ(x − m)² + z·m² over the entries. Cost: three passes over the entries.
    pub(super) fn of_nonzeros(&self, entries: &[(u32, f64)]) -> [Moments; 2] {
        let classed = || entries.iter().map(|&(row, x)| (self.class(row as usize), x));
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

    #[test]
    fn entries_give_the_moments_of_the_whole_column() {
        let n = 5000;
        let rows: Vec<u32> = (0..n).collect();
        let codes: Vec<u32> = rows.iter().map(|row| row * 7 % 3 % 2).collect();
        let two = TwoClasses::new(&rows, &codes);
        for (every, offset) in [(1, 0.0), (1, 1e6), (20, 0.0), (20, 1e6), (4999, 3.0), (6000, 3.0)] {
            let value = |row: u32| if row % every == 1 % every { offset + (f64::from(row) * 0.61).sin() } else { 0.0 };
            let column: Vec<f64> = rows.iter().map(|&row| value(row)).collect();
            let entries: Vec<(u32, f64)> = rows.iter().map(|&row| (row, value(row))).filter(|e| e.1 != 0.0).collect();
            let wanted = two.moments(&column, &mut vec![]);
            for (found, wanted) in two.of_nonzeros(&entries).iter().zip(wanted) {
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
        let entries: Vec<(u32, f64)> = rows.iter().map(|&row| (row, 0.1)).collect();
        for moments in TwoClasses::new(&rows, &codes).of_nonzeros(&entries) {
            assert_eq!((moments.mean, moments.m2), (0.1, 0.0));
        }
    }
}
