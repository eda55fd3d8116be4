//! Joint moments of several columns: mergeable, so that a design can be put together from pieces of a table.

/// The weight, means and centred cross-products of some columns over some rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct JointMoments {
    /// How many rows; with weights, their sum.
    pub(crate) count: f64,
    /// The mean of every column; 0 where there are no rows.
    pub(crate) means: Vec<f64>,
    /// Σ(a − mean)(b − mean): the lower triangle, row by row.
    pub(crate) products: Vec<f64>,
}

/// New places and factors of columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColumnMove {
    /// For every column its new place, and what it is multiplied by.
    pub(crate) to: Vec<(usize, f64)>,
    /// How many columns there will be; those without an origin are 0 in all rows.
    pub(crate) width: usize,
}

impl ColumnMove {
    /// Whether everything stays as it is.
    pub(crate) fn is_nothing(&self) -> bool {
        self.to.len() == self.width && self.to.iter().enumerate().all(|(at, to)| *to == (at, 1.0))
    }

    /// A number per column at its new place.
    pub(crate) fn apply(&self, values: &[f64]) -> Vec<f64> {
        let mut moved = vec![0.0; self.width];
        for (value, &(at, factor)) in values.iter().zip(&self.to) {
            moved[at] = value * factor;
        }
        moved
    }
}

impl JointMoments {
    /// Numbers in the lower triangle of a square.
    pub(crate) fn triangle(width: usize) -> usize {
        width * (width + 1) / 2
    }

    /// Of no rows.
    pub(crate) fn none(width: usize) -> JointMoments {
        JointMoments { count: 0.0, means: vec![0.0; width], products: vec![0.0; Self::triangle(width)] }
    }

    /// Of these rows with a weight each, in two passes.
    pub(crate) fn of<'a>(rows: impl Iterator<Item = (&'a [f64], f64)> + Clone, width: usize) -> JointMoments {
        let mut moments = Self::none(width);
        let Some((first, _)) = rows.clone().next() else { return moments };
        // relative to the first row, so that equal values have no spread at all
        for (row, weight) in rows.clone() {
            moments.count += weight;
            moments.means.iter_mut().zip(row.iter().zip(first)).for_each(|(sum, (x, x0))| *sum += weight * (x - x0));
        }
        let count = moments.count;
        moments.means.iter_mut().zip(first).for_each(|(mean, x0)| *mean = x0 + *mean / count);
        let mut centred = vec![0.0; width];
        for (row, weight) in rows {
            centred.iter_mut().zip(row.iter().zip(&moments.means)).for_each(|(c, (x, mean))| *c = x - mean);
            moments.add_products(&centred, weight);
        }
        moments
    }

    /// How many columns there are.
    pub(crate) fn width(&self) -> usize {
        self.means.len()
    }

    /// Σ(a − mean)(b − mean) of two columns.
    pub(crate) fn product(&self, a: usize, b: usize) -> f64 {
        let (low, high) = (a.min(b), a.max(b));
        self.products[high * (high + 1) / 2 + low]
    }

    /// Adds the products of a row of deviations.
    fn add_products(&mut self, centred: &[f64], weight: f64) {
        let mut at = 0;
        for (i, a) in centred.iter().enumerate() {
            for b in &centred[..=i] {
                self.products[at] += weight * a * b;
                at += 1;
            }
        }
    }

    /// The moments of several sets of rows together.
    pub(crate) fn merged<'a>(sets: impl Iterator<Item = &'a JointMoments> + Clone, width: usize) -> JointMoments {
        let mut all = Self::none(width);
        all.count = sets.clone().map(|set| set.count).sum();
        if all.count == 0.0 {
            return all;
        }
        let present = || sets.clone().filter(|set| set.count > 0.0);
        // relative to the first set, so that equal means stay equal
        let first = present().next().map_or_else(|| vec![0.0; width], |set| set.means.clone());
        for set in present() {
            let share = set.count / all.count;
            let parts = all.means.iter_mut().zip(set.means.iter().zip(&first));
            parts.for_each(|(sum, (mean, first))| *sum += share * (mean - first));
        }
        all.means.iter_mut().zip(&first).for_each(|(mean, first)| *mean += first);
        for set in present() {
            let between: Vec<f64> = set.means.iter().zip(&all.means).map(|(own, mean)| own - mean).collect();
            all.add_products(&between, set.count);
            all.products.iter_mut().zip(&set.products).for_each(|(sum, own)| *sum += own);
        }
        all
    }

    /// The columns at new places.
    pub(crate) fn moved(&self, change: &ColumnMove) -> JointMoments {
        let mut moved = Self::none(change.width);
        moved.count = self.count;
        moved.means = change.apply(&self.means);
        for (i, &(a, by_a)) in change.to.iter().enumerate() {
            for (j, &(b, by_b)) in change.to[..=i].iter().enumerate() {
                let (low, high) = (a.min(b), a.max(b));
                moved.products[high * (high + 1) / 2 + low] = self.product(i, j) * by_a * by_b;
            }
        }
        moved
    }

    /// With more columns behind, which have one value in all rows.
    pub(crate) fn with_constants(&self, constants: &[f64]) -> JointMoments {
        let mut wider = self.clone();
        wider.means.extend(constants.iter().map(|value| if self.count == 0.0 { 0.0 } else { *value }));
        wider.products.resize(Self::triangle(wider.means.len()), 0.0);
        wider
    }
}

/// Σ(x − mean)(column − mean) over sets of rows together: of each set the weight and mean of x, the cross-products, and the
/// columns' means.
pub(crate) fn merged_cross<'a>(sets: impl Iterator<Item = CrossSet<'a>> + Clone, width: usize) -> Vec<f64> {
    let count: f64 = sets.clone().map(|set| set.count).sum();
    let mut cross = vec![0.0; width];
    let present = || sets.clone().filter(|set| set.count > 0.0);
    let Some(first) = present().next() else { return cross };
    let mut mean = 0.0;
    let mut means = vec![0.0; width];
    for set in present() {
        mean += set.count / count * set.distance(&first);
        let parts = means.iter_mut().zip(set.means.iter().zip(first.means));
        parts.for_each(|(sum, (own, first))| *sum += set.count / count * (own - first));
    }
    for set in present() {
        let between = set.count * (set.distance(&first) - mean);
        for (j, sum) in cross.iter_mut().enumerate() {
            *sum += set.cross[j] + between * (set.means[j] - first.means[j] - means[j]);
        }
    }
    cross
}

/// A set of rows for [`merged_cross`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct CrossSet<'a> {
    pub(crate) count: f64,
    /// The mean of x, and its rounding error.
    pub(crate) mean: [f64; 2],
    pub(crate) cross: &'a [f64],
    pub(crate) means: &'a [f64],
}

impl CrossSet<'_> {
    /// How far the mean of x is above another's.
    fn distance(&self, other: &CrossSet) -> f64 {
        (self.mean[0] - other.mean[0]) + (self.mean[1] - other.mean[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(from: usize, to: usize) -> Vec<[f64; 3]> {
        (from..to).map(|i| [1e6 + (i * i % 7) as f64, (i % 3) as f64, ((i * 5) % 11) as f64 * 0.5]).collect()
    }

    fn of(rows: &[[f64; 3]]) -> JointMoments {
        JointMoments::of(rows.iter().map(|row| (row.as_slice(), 1.0)), 3)
    }

    fn near(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} {b}"));
    }

    #[test]
    fn moments_of_parts_merge_to_those_of_the_whole() {
        let (a, b) = (of(&rows(0, 9)), of(&rows(9, 31)));
        let whole = of(&rows(0, 31));
        let merged = JointMoments::merged([&a, &b, &JointMoments::none(3)].into_iter(), 3);
        near(&merged.means, &whole.means);
        near(&merged.products, &whole.products);
        assert_eq!(merged.count, 31.0);
    }

    #[test]
    fn a_column_may_be_moved_scaled_and_added() {
        let change = ColumnMove { to: vec![(3, 1.0), (0, 2.0), (1, 1.0)], width: 4 };
        let moved = of(&rows(0, 12)).moved(&change);
        let by_hand: Vec<[f64; 4]> = rows(0, 12).iter().map(|[a, b, c]| [2.0 * b, *c, 0.0, *a]).collect();
        let expected = JointMoments::of(by_hand.iter().map(|row| (row.as_slice(), 1.0)), 4);
        near(&moved.means, &expected.means);
        near(&moved.products, &expected.products);
        assert!(!change.is_nothing());
    }

    #[test]
    fn constants_within_sets_become_columns_that_differ_between_them() {
        let (a, b) = (of(&rows(0, 9)).with_constants(&[2.0]), of(&rows(9, 20)).with_constants(&[5.0]));
        let merged = JointMoments::merged([&a, &b].into_iter(), 4);
        let all = rows(0, 20);
        let wide: Vec<[f64; 4]> =
            all.iter().enumerate().map(|(i, [a, b, c])| [*a, *b, *c, if i < 9 { 2.0 } else { 5.0 }]).collect();
        let expected = JointMoments::of(wide.iter().map(|row| (row.as_slice(), 1.0)), 4);
        near(&merged.means, &expected.means);
        near(&merged.products, &expected.products);
    }

    #[test]
    fn cross_products_of_parts_merge_to_those_of_the_whole() {
        // the last column plays x
        let part = |rows: &[[f64; 3]]| of(rows);
        let (a, b, whole) = (part(&rows(0, 9)), part(&rows(9, 31)), part(&rows(0, 31)));
        let cross = |m: &JointMoments| vec![m.product(2, 0), m.product(2, 1)];
        let (ca, cb) = (cross(&a), cross(&b));
        let set = |m: &JointMoments| (m.count, [m.means[2], 0.0], m.means[..2].to_vec());
        let ((na, xa, ma), (nb, xb, mb)) = (set(&a), set(&b));
        let sets = [
            CrossSet { count: na, mean: xa, cross: &ca, means: &ma },
            CrossSet { count: nb, mean: xb, cross: &cb, means: &mb },
        ];
        near(&merged_cross(sets.iter().copied(), 2), &cross(&whole));
    }
}
