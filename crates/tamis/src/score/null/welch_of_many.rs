//! Welch's scores of one column against many null targets of two classes, in loops over the null targets that the
//! machine's vector width carries out.

use super::column_sums::ColumnSums;
use super::to_z::{Maps, WelchSums, welch};
use crate::numeric::linalg::widely;

impl ColumnSums<'_> {
    /// Writes the scores of the column as it is, and without the means of its classes, where two classes have variances
    /// of their own that are not moderated.
    pub(super) fn score_by_welch(&self, maps: &Maps, gate: &mut [f64], states: &mut [f64]) {
        let mut df = vec![0.0; gate.len().max(states.len())];
        let (sums, t, out) = (self, &mut *gate, &mut df[..]);
        widely!((sums: &'a ColumnSums<'a>, t: &'a mut [f64], out: &'a mut [f64]) -> () { sums.welch_as_it_is(t, out) });
        maps.map_to_z(gate, &df[..gate.len()]);
        let (t, out) = (&mut *states, &mut df[..]);
        widely!((sums: &'a ColumnSums<'a>, t: &'a mut [f64], out: &'a mut [f64]) -> () {
            sums.welch_without_means(t, out)
        });
        maps.map_to_z(states, &df);
    }

    #[inline(always)]
    fn welch_as_it_is(&self, t: &mut [f64], df: &mut [f64]) {
        let many = t.len();
        let [(sums_0, squares_0, counts_0), (sums_1, squares_1, counts_1)] =
            [self.of_class(0, many), self.of_class(1, many)];
        let (n, squares, df) = (self.facts.count, self.facts.squares, &mut df[..many]);
        for r in 0..many {
            let of_class = WelchSums {
                sum: sums_0[r] + sums_1[r],
                square: squares_0[r] + squares_1[r],
                count: counts_0[r] + counts_1[r],
            };
            (t[r], df[r]) = welch(of_class, (n, squares), 1.0, |variance, df, _| (variance, df));
        }
    }

    #[inline(always)]
    fn welch_without_means(&self, t: &mut [f64], df: &mut [f64]) {
        let many = t.len();
        let [(sums_0, squares_0, counts_0), (sums_1, squares_1, counts_1)] =
            [self.of_class(0, many), self.of_class(1, many)];
        let (n, df) = (self.facts.count, &mut df[..many]);
        let [(weight_0, mean_0, within_0), (weight_1, mean_1, within_1)] = [self.means[0], self.means[1]];
        let per_weight = |weight: f64| if weight > 0.0 { 1.0 / weight } else { 0.0 };
        let (per_weight_0, per_weight_1) = (per_weight(weight_0), per_weight(weight_1));
        let within = within_0 + within_1;
        for r in 0..many {
            let count = counts_0[r] + counts_1[r];
            let shared = counts_0[r] * counts_0[r] * per_weight_0 + counts_1[r] * counts_1[r] * per_weight_1;
            let shift_0 = mean_0 * (counts_0[r] * mean_0 - 2.0 * sums_0[r]);
            let shift_1 = mean_1 * (counts_1[r] * mean_1 - 2.0 * sums_1[r]);
            let of_class = WelchSums {
                sum: (sums_0[r] - counts_0[r] * mean_0) + (sums_1[r] - counts_1[r] * mean_1),
                square: (squares_0[r] + shift_0) + (squares_1[r] + shift_1),
                count,
            };
            let factor = factor_of_overlap(count - shared, count, n);
            (t[r], df[r]) = welch(of_class, (n, within), factor, |variance, df, _| (variance, df));
        }
    }

    /// Sums, sums of squares and weights of the first null targets' samples in a real class.
    fn of_class(&self, class: usize, many: usize) -> (&[f64], &[f64], &[f64]) {
        (&self.sums[class][..many], &self.squares[class][..many], &self.overlaps[class][..many])
    }
}

/// By how much t is larger where the null target, of squared length `size` once the real one is taken out, shares a
/// part with the real one.
#[inline(always)]
pub(super) fn factor_of_overlap(size: f64, count: f64, n: f64) -> f64 {
    // 1 − ρ² of the null target with the real one
    let apart = (size / (count - count * count / n)).clamp(0.1, 1.0);
    ((n - 2.0) / ((n - 1.0) * apart)).sqrt()
}
