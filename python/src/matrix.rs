//! Arrays of numpy and scipy as [`Columns`], read where they lie.

use numpy::ndarray::ArrayView2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use tamis::table::Columns;

/// A matrix as Python gives it: an array of doubles or floats in any layout, or the three arrays of a sparse matrix by
/// columns with its number of rows.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    Doubles(PyReadonlyArray2<'py, f64>),
    Floats(PyReadonlyArray2<'py, f32>),
    Sparse(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, usize),
}

/// A [`Matrix`] as plain views of memory, for other threads.
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

/// Numbers with a name for every column.
pub struct NamedMatrix<'a> {
    pub names: Arc<[String]>,
    pub numbers: Numbers<'a>,
}

impl Numbers<'_> {
    pub fn n_rows(&self) -> usize {
        match self {
            Numbers::Doubles(x) => x.nrows(),
            Numbers::Floats(x) => x.nrows(),
            Numbers::Sparse { n_rows, .. } => *n_rows,
        }
    }

    pub fn n_columns(&self) -> usize {
        match self {
            Numbers::Doubles(x) => x.ncols(),
            Numbers::Floats(x) => x.ncols(),
            Numbers::Sparse { starts, .. } => starts.len() - 1,
        }
    }
}

impl Columns for NamedMatrix<'_> {
    fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    fn n_rows(&self) -> usize {
        self.numbers.n_rows()
    }

    fn slice(&self, column: usize) -> Option<&[f64]> {
        match &self.numbers {
            Numbers::Doubles(x) => x.column(column).to_slice(),
            _ => None,
        }
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        match &self.numbers {
            Numbers::Doubles(x) => transpose(x, columns, rows, out),
            Numbers::Floats(x) => transpose(x, columns, rows, out),
            Numbers::Sparse { values, rows: places, starts, n_rows } => {
                let mut room = vec![0.0; if rows.is_some() { *n_rows } else { 0 }];
                let height = rows.map_or(*n_rows, <[u32]>::len);
                for (j, out) in columns.zip(out.chunks_exact_mut(height.max(1))) {
                    let column: &mut [f64] = if rows.is_some() { &mut room } else { out };
                    column.fill(0.0);
                    for at in starts[j] as usize..starts[j + 1] as usize {
                        column[places[at] as usize] += values[at]; // entries given twice are summed, as scipy does
                    }
                    if let Some(rows) = rows {
                        out.iter_mut().zip(rows).for_each(|(o, &r)| *o = room[r as usize]);
                    }
                }
            }
        }
    }
}

/// Rows and columns moved at a time: as many numbers as a line of the cache holds.
const LINE: usize = 8;

/// Columns one after the other; where rows are contiguous, a square at a time, so that every line of memory is touched
/// once.
fn transpose<T: Copy + Into<f64>>(x: &ArrayView2<T>, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
    let height = rows.map_or(x.nrows(), <[u32]>::len);
    if height == 0 {
        return;
    }
    let at = |r: usize| rows.map_or(r, |rows| rows[r] as usize);
    let by_rows = x.strides()[1] == 1 || x.ncols() == 1;
    if !by_rows {
        for (j, out) in columns.zip(out.chunks_exact_mut(height)) {
            let column = x.column(j);
            out.iter_mut().enumerate().for_each(|(r, o)| *o = column[at(r)].into());
        }
        return;
    }
    let part = |r: usize| &x.row(at(r)).to_slice().unwrap_or_default()[columns.clone()];
    let whole = height - height % LINE;
    for from in (0..whole).step_by(LINE) {
        squares(std::array::from_fn(|r| part(from + r)), from, height, out);
    }
    for r in whole..height {
        let line = part(r);
        out.chunks_exact_mut(height).zip(line).for_each(|(out, &x)| out[r] = x.into());
    }
}

/// Writes some rows into columns of `height` numbers, from row `from` on.
fn squares<T: Copy + Into<f64>>(mut lines: [&[T]; LINE], from: usize, height: usize, out: &mut [f64]) {
    for out in out.chunks_mut(height * LINE) {
        let square = lines.map(|line| line.first_chunk::<LINE>());
        let columns = out.chunks_exact_mut(height).filter_map(|out| out[from..].first_chunk_mut::<LINE>());
        if let [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(h)] = square {
            for (j, out) in (0..LINE).zip(columns) {
                *out = [a[j], b[j], c[j], d[j], e[j], f[j], g[j], h[j]].map(Into::into);
            }
            lines = lines.map(|line| &line[LINE..]);
        } else {
            for (j, out) in columns.enumerate() {
                *out = lines.map(|line| line[j].into());
            }
        }
    }
}
