//! Arrays of numpy and scipy as a [`Source`], read where they lie.

use numpy::ndarray::ArrayView2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;
use tamis::table::Source;

/// A matrix as Python gives it: an array of doubles or floats in any layout, or the three arrays of a sparse matrix by
/// columns with its number of rows.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    Doubles(PyReadonlyArray2<'py, f64>),
    Floats(PyReadonlyArray2<'py, f32>),
    Sparse(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, usize),
}

/// The same without Python, for other threads.
pub enum Numbers<'a> {
    Doubles(ArrayView2<'a, f64>),
    Floats(ArrayView2<'a, f32>),
    Sparse { values: &'a [f64], rows: &'a [i64], starts: &'a [i64], n_rows: usize },
}

impl Matrix<'_> {
    pub fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(match self {
            Matrix::Doubles(array) => Numbers::Doubles(array.as_array()),
            Matrix::Floats(array) => Numbers::Floats(array.as_array()),
            Matrix::Sparse(values, rows, starts, n_rows) => {
                let (values, rows, starts) = (values.as_slice()?, rows.as_slice()?, starts.as_slice()?);
                let in_range = |&r: &i64| (0..*n_rows as i64).contains(&r);
                let ordered = starts.first() == Some(&0) && starts.windows(2).all(|w| w[0] <= w[1]);
                let fits = starts.last() == Some(&(values.len() as i64)) && rows.len() == values.len();
                if !(ordered && fits && rows.iter().all(in_range)) {
                    return Err(PyValueError::new_err("the sparse matrix is damaged: its index arrays do not fit"));
                }
                Numbers::Sparse { values, rows, starts, n_rows: *n_rows }
            }
        })
    }
}

impl Source for Numbers<'_> {
    fn rows(&self) -> usize {
        match self {
            Numbers::Doubles(x) => x.nrows(),
            Numbers::Floats(x) => x.nrows(),
            Numbers::Sparse { n_rows, .. } => *n_rows,
        }
    }

    fn columns(&self) -> usize {
        match self {
            Numbers::Doubles(x) => x.ncols(),
            Numbers::Floats(x) => x.ncols(),
            Numbers::Sparse { starts, .. } => starts.len() - 1,
        }
    }

    fn slice(&self, column: usize) -> Option<&[f64]> {
        match self {
            Numbers::Doubles(x) => x.column(column).to_slice(),
            _ => None,
        }
    }

    fn fill(&self, columns: Range<usize>, out: &mut [f64]) {
        match self {
            Numbers::Doubles(x) => transpose(x, columns, out, |x| x),
            Numbers::Floats(x) => transpose(x, columns, out, f64::from),
            Numbers::Sparse { values, rows, starts, n_rows } => {
                out.fill(0.0);
                for (j, out) in columns.zip(out.chunks_exact_mut(*n_rows)) {
                    for at in starts[j] as usize..starts[j + 1] as usize {
                        out[rows[at] as usize] += values[at]; // entries given twice are summed, as scipy does
                    }
                }
            }
        }
    }
}

/// Rows written or read at a time: a line of the cache.
const LINE: usize = 8;

/// Columns one after the other; where rows are contiguous, a few rows at a time, so that every line of memory is touched
/// once.
fn transpose<T: Copy>(x: &ArrayView2<T>, columns: Range<usize>, out: &mut [f64], number: impl Fn(T) -> f64) {
    let rows = x.nrows();
    if rows == 0 {
        return;
    }
    let by_rows = x.strides()[1] == 1 || x.ncols() == 1;
    if !by_rows {
        for (j, out) in columns.zip(out.chunks_exact_mut(rows)) {
            out.iter_mut().zip(x.column(j)).for_each(|(o, x)| *o = number(*x));
        }
        return;
    }
    for from in (0..rows).step_by(LINE) {
        let to = (from + LINE).min(rows);
        let mut lines: [&[T]; LINE] = [&[]; LINE];
        for r in from..to {
            let row = x.row(r).to_slice().unwrap_or_default();
            lines[r - from] = &row[columns.clone()];
        }
        if to - from == LINE {
            for (j, out) in out.chunks_exact_mut(rows).enumerate() {
                let out = &mut out[from..to];
                (0..LINE).for_each(|r| out[r] = number(lines[r][j]));
            }
        } else {
            for (j, out) in out.chunks_exact_mut(rows).enumerate() {
                (from..to).for_each(|r| out[r] = number(lines[r - from][j]));
            }
        }
    }
}
