//! Scores of category columns: χ² for classes, analysis of variance for a numeric target.

use crate::numeric::special::chi2_to_z;
use crate::score::moments::Moments;
use crate::score::score_from_moments::Outcome;
use crate::table::{Categories, MISSING};

/// Pearson's χ² of a category column and classes, over the categories and classes that occur, as a one-sided z.
pub(super) fn chi_square(
    column: &Categories,
    rows: &[u32],
    classes: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> Outcome {
    let mut table = vec![0.0; column.labels().len() * n_classes];
    let mut used = 0;
    for &row in rows {
        let row = row as usize;
        if column.codes()[row] != MISSING {
            used += 1;
            table[column.codes()[row] as usize * n_classes + classes[row] as usize] += weights.map_or(1.0, |w| w[row]);
        }
    }
    chi_square_of(&table, n_classes, used)
}

/// χ² from the counts of every category and class, category by category, of `used` rows.
pub(crate) fn chi_square_of(table: &[f64], n_classes: usize, used: u32) -> Outcome {
    let by_category: Vec<f64> = table.chunks(n_classes).map(|c| c.iter().sum()).collect();
    let by_class: Vec<f64> = (0..n_classes).map(|c| table.iter().skip(c).step_by(n_classes).sum()).collect();
    let total: f64 = by_class.iter().sum();
    let occurring = |sums: &[f64]| sums.iter().filter(|s| **s > 0.0).count() as f64;
    let (r, c) = (occurring(&by_category), occurring(&by_class));
    if r < 2.0 {
        return Outcome::Constant { rows: used };
    }
    if c < 2.0 {
        return Outcome::TooFew { rows: used };
    }
    let mut chi2 = 0.0;
    for (cells, row_sum) in table.chunks(n_classes).zip(&by_category).filter(|(_, s)| **s > 0.0) {
        for (observed, class_sum) in cells.iter().zip(&by_class).filter(|(_, s)| **s > 0.0) {
            let expected = row_sum * class_sum / total;
            chi2 += (observed - expected).powi(2) / expected;
        }
    }
    Outcome::one_sided(chi2_to_z(chi2, (r - 1.0) * (c - 1.0)), used)
}

/// F of a numeric target between the categories of a column. `y` has one entry per row of `rows`.
pub(super) fn variance(column: &Categories, rows: &[u32], y: &[f64], weights: Option<&[f64]>) -> Outcome {
    let mut groups = vec![(vec![], vec![]); column.labels().len()];
    let mut used = 0;
    for (&row, &y) in rows.iter().zip(y) {
        if let Some((values, weight)) = groups.get_mut(column.codes()[row as usize] as usize) {
            used += 1;
            values.push(y);
            weight.push(weights.map_or(1.0, |w| w[row as usize]));
        }
    }
    let moments: Vec<Moments> = groups.iter().map(|(values, weights)| Moments::weighted(values, weights)).collect();
    variance_of(&moments, used)
}

/// F from the moments of a numeric target in every category, of `used` rows.
pub(crate) fn variance_of(moments: &[Moments], used: u32) -> Outcome {
    if moments.iter().filter(|m| m.count > 0.0).count() < 2 {
        return Outcome::Constant { rows: used };
    }
    Outcome::f(moments, used)
}
