//! Some columns gathered for products with many null targets at once.

use crate::numeric::linalg::{Matrix, dot, vectorised};
use crate::score::{moments, rank};
use std::borrow::Cow;

/// Columns over the samples, in groups of samples (the classes, or all in one).
pub(super) struct CentredColumns {
    /// Per group: the values minus the column's mean over its own rows, 0 where one is missing.
    pub(super) centred: Vec<Matrix>,
    /// Per group: 1 where a value is present; `None` where nothing is missing.
    pub(super) present: Option<Vec<Matrix>>,
    pub(super) columns: Vec<ColumnFacts>,
}

/// Facts about a column of a block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ColumnFacts {
    /// Its position in the table.
    pub(super) feature: usize,
    /// The weight of its rows.
    pub(super) count: f64,
    /// The mean of its values, or of their ranks.
    pub(super) mean: f64,
    /// Σ w(x − mean)².
    pub(super) squares: f64,
    /// Σ(t³ − t) over ties, where values are ranked.
    pub(super) tied: f64,
    /// Whether a value is missing.
    pub(super) missing: bool,
}

/// The samples in groups, with their weights.
pub(super) struct Groups {
    /// Per group the rows of its samples.
    pub(super) rows: Vec<Vec<u32>>,
    /// Per group the weights of its samples.
    pub(super) weights: Vec<Vec<f64>>,
}

impl Groups {
    /// The samples of each class, by position, and as groups. `weights` are those of the table's rows.
    pub(super) fn of_classes(
        rows: &[u32],
        weights: Option<&[f64]>,
        codes: &[u32],
        n_classes: usize,
    ) -> (Vec<Vec<usize>>, Groups) {
        let mut samples = vec![vec![]; n_classes];
        (0..rows.len()).for_each(|i| samples[codes[rows[i] as usize] as usize].push(i));
        let weight = |i: usize| weights.map_or(1.0, |w| w[rows[i] as usize]);
        let groups = Groups {
            rows: samples.iter().map(|samples| samples.iter().map(|&i| rows[i]).collect()).collect(),
            weights: samples.iter().map(|samples| samples.iter().map(|&i| weight(i)).collect()).collect(),
        };
        (samples, groups)
    }
}

impl CentredColumns {
    /// Gathers columns, which are these features of the table; with `ranked` their ranks.
    pub(super) fn gather(columns: &[Cow<[f64]>], features: &[usize], groups: &Groups, ranked: bool) -> CentredColumns {
        let width = columns.len();
        let mut centred: Vec<Matrix> = groups.rows.iter().map(|rows| Matrix::zeros(rows.len(), width)).collect();
        let mut present: Option<Vec<Matrix>> = None;
        let mut facts = Vec::with_capacity(width);
        for (j, column) in columns.iter().enumerate() {
            for (rows, matrix) in groups.rows.iter().zip(&mut centred) {
                matrix.column_mut(j).iter_mut().zip(rows).for_each(|(out, &row)| *out = column[row as usize]);
            }
            let any = |missing: bool, x: &f64| missing | x.is_nan(); // no early end: this way it is vectorised
            let missing = centred.iter().any(|matrix| matrix.column(j).iter().fold(false, any));
            if missing {
                let ones = |rows: &Vec<u32>| Matrix::from_fn(rows.len(), width, |_, _| 1.0);
                let masks = present.get_or_insert_with(|| groups.rows.iter().map(ones).collect());
                for (mask, matrix) in masks.iter_mut().zip(&centred) {
                    let pairs = mask.column_mut(j).iter_mut().zip(matrix.column(j));
                    pairs.for_each(|(mask, x)| *mask = f64::from(u8::from(!x.is_nan())));
                }
            }
            let tied = if ranked { to_ranks(&mut centred, j, groups) } else { 0.0 };
            facts.push(ColumnFacts { feature: features[j], ..centre(&mut centred, j, groups, (tied, missing)) });
        }
        CentredColumns { centred, present, columns: facts }
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }
}

/// Takes the mean from a column, leaving 0 where a value is missing; values of any size are brought near one, which no
/// score depends on.
fn centre(groups: &mut [Matrix], j: usize, samples: &Groups, (tied, missing): (f64, bool)) -> ColumnFacts {
    let largest = groups.iter().map(|m| moments::largest_size(m.column(j))).fold(0.0, f64::max);
    if largest > 0.0 && !(1e-100..=1e100).contains(&largest) {
        let unit = moments::scale_to_one(largest);
        groups.iter_mut().for_each(|m| m.column_mut(j).iter_mut().for_each(|x| *x *= unit));
    }
    let first = groups.iter().flat_map(|m| m.column(j)).copied().find(|x| !x.is_nan()).unwrap_or(0.0);
    let (mut count, mut sum) = (0.0, 0.0);
    for (matrix, weights) in groups.iter_mut().zip(&samples.weights) {
        let x = matrix.column_mut(j);
        x.iter_mut().for_each(|x| *x -= first);
        if missing {
            count += x.iter().zip(weights).map(|(x, w)| if x.is_nan() { 0.0 } else { *w }).sum::<f64>();
            sum += x.iter().zip(weights).map(|(x, w)| if x.is_nan() { 0.0 } else { w * x }).sum::<f64>();
        } else {
            count += weights.iter().sum::<f64>();
            sum += dot(x, weights);
        }
    }
    let mean = if count > 0.0 { sum / count } else { 0.0 };
    let mut squares = 0.0;
    for (matrix, weights) in groups.iter_mut().zip(&samples.weights) {
        let x = matrix.column_mut(j);
        x.iter_mut().for_each(|x| *x = if x.is_nan() { 0.0 } else { *x - mean });
        squares += weighted_squares(x, weights);
    }
    ColumnFacts { count, mean: first + mean, squares, tied, missing, ..ColumnFacts::default() }
}

/// Σ wx² in eight interleaved sums.
pub(super) fn weighted_squares(x: &[f64], weights: &[f64]) -> f64 {
    vectorised(|| {
        let mut lanes = [0.0; 8];
        let (blocks, rest) = x.as_chunks::<8>();
        let (weight_blocks, weight_rest) = weights.as_chunks::<8>();
        for (x, w) in blocks.iter().zip(weight_blocks) {
            for k in 0..8 {
                lanes[k] += w[k] * x[k] * x[k];
            }
        }
        let rest: f64 = rest.iter().zip(weight_rest).map(|(x, w)| w * x * x).sum();
        lanes.iter().sum::<f64>() + rest
    })
}

/// Replaces a column by its ranks; returns Σ(t³ − t) over its ties.
fn to_ranks(groups: &mut [Matrix], j: usize, samples: &Groups) -> f64 {
    let mut items: Vec<rank::Item> = Vec::new();
    for (matrix, weights) in groups.iter().zip(&samples.weights) {
        items.extend(matrix.column(j).iter().zip(weights).map(|(&x, &w)| (x, 0, w)));
    }
    items.iter_mut().zip(0..).for_each(|(item, at)| item.1 = at);
    let mut known: Vec<rank::Item> = items.iter().copied().filter(|item| !item.0.is_nan()).collect();
    let tied = rank::ties_of(&mut known);
    rank::to_ranks(&mut known);
    let mut ranks = vec![f64::NAN; items.len()];
    known.iter().for_each(|item| ranks[item.1 as usize] = item.0);
    let mut ranks = ranks.into_iter();
    for matrix in groups {
        matrix.column_mut(j).iter_mut().zip(&mut ranks).for_each(|(out, rank)| *out = rank);
    }
    tied
}
