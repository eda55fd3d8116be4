//! The terms of every column in products with null targets: values, squares, presence, categories.

use crate::numeric::linalg::Matrix;
use crate::score::Moments;
use crate::score::comoments::CoMoments;

/// What all rows have told about a column.
#[derive(Debug, Clone)]
pub(crate) enum SummedColumn {
    /// Numbers, by class.
    ByClass {
        /// Of every class.
        classes: Vec<Moments>,
        /// Whether a value is missing.
        missing: bool,
    },
    /// Numbers, against a numeric target.
    ByNumber {
        /// Joint with the target.
        joint: CoMoments,
        /// Whether a value is missing.
        missing: bool,
    },
    /// Categories.
    Categories {
        /// The weight of every category.
        weights: Vec<f64>,
        /// Rows that have one.
        rows: u32,
    },
    /// No value at all.
    Nothing,
}

/// Where the terms of every column are. The first term is 1; with a numeric target the second is the target.
#[derive(Debug)]
pub(crate) struct Terms {
    /// The first term of every column, and the end.
    starts: Vec<usize>,
    /// Whether squares are wanted.
    pub(super) squares: bool,
    pub(super) numeric: bool,
    /// Terms that tell which rows count: the sums of squared null numbers are taken with these only.
    pub(super) presence: Vec<usize>,
}

impl Terms {
    pub(crate) fn new(columns: &[SummedColumn], squares: bool, numeric: bool) -> Terms {
        let mut next = 1 + usize::from(numeric);
        let mut starts = vec![];
        let mut presence = vec![0];
        for column in columns {
            starts.push(next);
            match column {
                SummedColumn::ByClass { missing, .. } => next += 1 + usize::from(squares) + usize::from(*missing),
                SummedColumn::ByNumber { missing: true, .. } => {
                    presence.push(next + 1);
                    next += 3;
                }
                SummedColumn::ByNumber { missing: false, .. } => next += 1,
                SummedColumn::Categories { weights, .. } => {
                    presence.extend(next..next + weights.len());
                    next += weights.len();
                }
                SummedColumn::Nothing => {}
            }
        }
        starts.push(next);
        Terms { starts, squares, numeric, presence }
    }

    /// How many terms there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The first term of a column.
    pub(super) fn start(&self, column: usize) -> usize {
        self.starts[column]
    }

    /// Where a term is among those that tell which rows count.
    pub(super) fn place_of_presence(&self, term: usize) -> usize {
        self.presence.partition_point(|at| *at < term)
    }

    /// The terms of some rows. `columns` have a number per row, less the column's mean, or the number of its category; NaN
    /// where it is missing. `target` has the numeric target, less its mean.
    pub(crate) fn of(&self, columns: &[SummedColumn], values: &[&[f64]], target: &[f64], rows: usize) -> Matrix {
        let mut terms = Matrix::zeros(rows, self.len());
        terms.column_mut(0).fill(1.0);
        if self.numeric {
            terms.column_mut(1).copy_from_slice(target);
        }
        for (at, (column, values)) in columns.iter().zip(values).enumerate() {
            let start = self.starts[at];
            match column {
                SummedColumn::ByClass { missing, .. } => {
                    set(&mut terms, start, values, |_, x| x);
                    if self.squares {
                        set(&mut terms, start + 1, values, |_, x| x * x);
                    }
                    if *missing {
                        set(&mut terms, start + 1 + usize::from(self.squares), values, |_, _| 1.0);
                    }
                }
                SummedColumn::ByNumber { missing, .. } => {
                    set(&mut terms, start, values, |_, x| x);
                    if *missing {
                        set(&mut terms, start + 1, values, |_, _| 1.0);
                        set(&mut terms, start + 2, values, |row, _| target[row]);
                    }
                }
                SummedColumn::Categories { .. } => {
                    let known = values.iter().enumerate().filter(|(_, level)| !level.is_nan());
                    known.for_each(|(row, level)| terms.column_mut(start + *level as usize)[row] = 1.0);
                }
                SummedColumn::Nothing => {}
            }
        }
        terms
    }
}

/// Fills a term from a column, with 0 where a value is missing.
fn set(terms: &mut Matrix, at: usize, values: &[f64], of: impl Fn(usize, f64) -> f64) {
    for (row, (out, x)) in terms.column_mut(at).iter_mut().zip(values).enumerate() {
        *out = if x.is_nan() { 0.0 } else { of(row, *x) };
    }
}
