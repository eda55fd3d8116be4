//! Do the rows of null scores differ by more than chance, and how much of a row is its own?

use super::row_shape::{CLASSES, RowShape};

/// Kinds with fewer features are taken as independent.
const FEWEST: usize = 50;
/// A row's own density counts for at most all but this share.
const LEAST_OF_POOL: f64 = 0.03;
/// Fewer rows cannot differ: a row would have no other states.
const FEWEST_ROWS: f64 = 3.0;

/// How far rows differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dispersion {
    /// Pearson's χ² of the rows' counts in 16 classes, per degree of freedom: near 1 where features are independent.
    pub dispersion: f64,
    /// The share λ of the pool of all rows in the density of a state; 1 where rows do not differ.
    pub lambda: f64,
}

impl Dispersion {
    /// Of the rows of one kind with so many features; `residual_dimension` bounds how much rows can differ.
    pub(super) fn of<'a>(
        rows: impl Iterator<Item = &'a RowShape> + Clone,
        (features, one_sided): (usize, bool),
        residual_dimension: usize,
    ) -> Dispersion {
        let r = rows.clone().count() as f64;
        let mut mean = [0.0; CLASSES];
        rows.clone().for_each(|row| mean.iter_mut().zip(row.classes).for_each(|(mean, count)| *mean += count / r));
        let expected: [f64; CLASSES] = match one_sided {
            true => mean,
            false => std::array::from_fn(|class| 0.5 * (mean[class] + mean[CLASSES - 1 - class])),
        };
        let chi_square = |row: &RowShape| -> f64 {
            row.classes.iter().zip(expected).map(|(count, e)| (count - e).powi(2) / e.max(0.5)).sum()
        };
        let dispersion = rows.map(chi_square).sum::<f64>() / (r * (CLASSES - 1) as f64);
        let dimension = residual_dimension as f64;
        let freedom = (0.5 * dimension * (dimension + 1.0) - 1.0).min(r - 1.0).max(1.0);
        let by_chance = 1.0 + 2.0 * (2.0 / freedom).sqrt();
        let differ = r >= FEWEST_ROWS && features >= FEWEST && dispersion > by_chance;
        Dispersion { dispersion, lambda: if differ { dispersion.recip().clamp(LEAST_OF_POOL, 1.0) } else { 1.0 } }
    }

    /// Whether rows differ, so that each is a state of its own.
    pub(super) fn rows_differ(&self) -> bool {
        self.lambda < 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse_means::noise_states::null_rows::KindScores;

    /// Rows of a regular normal-like sample, each multiplied by a width.
    fn rows(features: usize, width: impl Fn(usize) -> f64) -> Vec<RowShape> {
        let quantile = |i: usize| 1.7 * (2.0 * (i as f64 + 0.5) / features as f64 - 1.0);
        let row = |r: usize| (0..features).map(|i| (quantile(i) * width(r)) as f32).collect::<Vec<f32>>();
        (0..99).map(|r| RowShape::of(&KindScores::Held(&row(r)))).collect()
    }

    #[test]
    fn rows_of_different_width_are_states_and_equal_ones_are_not() {
        let alike = Dispersion::of(rows(400, |_| 1.0).iter(), (400, false), 30);
        assert!(!alike.rows_differ() && alike.dispersion < 1.0, "{alike:?}");
        let apart = rows(400, |r| 0.6 + 0.01 * r as f64);
        let differ = Dispersion::of(apart.iter(), (400, false), 30);
        assert!(differ.rows_differ() && (differ.lambda - 1.0 / differ.dispersion).abs() < 1e-12, "{differ:?}");
        assert!(!Dispersion::of(apart.iter(), (49, false), 30).rows_differ(), "too few features");
    }
}
