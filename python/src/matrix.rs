//! Arrays of numpy and scipy as [`Columns`], read where they lie.

use numpy::ndarray::ArrayView2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use tamis::table::{Categories, Columns, OwnedSparseLines, Row, SparseLines};

/// A matrix as Python gives it: an array of doubles or floats in any layout, or the three arrays of a sparse matrix in
/// canonical form with its numbers of rows and columns, by columns or by rows as its starts tell.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    Doubles(PyReadonlyArray2<'py, f64>),
    Floats(PyReadonlyArray2<'py, f32>),
    Sparse(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, i32>, Indices<'py>, (usize, usize), bool),
}

/// Starts of a sparse matrix, in either of scipy's types.
#[derive(FromPyObject)]
pub enum Indices<'py> {
    Short(PyReadonlyArray1<'py, i32>),
    Long(PyReadonlyArray1<'py, i64>),
}

/// [`Indices`] as plain slices, for other threads.
#[derive(Clone, Copy)]
pub enum Places<'a> {
    Short(&'a [i32]),
    Long(&'a [i64]),
}

/// A [`Matrix`] as plain views of memory, for other threads.
pub enum Numbers<'a> {
    Doubles(ArrayView2<'a, f64>),
    Floats(ArrayView2<'a, f32>),
    SparseColumns {
        columns: Entries<'a>,
        n_rows: usize,
    },
    /// `by_column`: the entries by columns, once they are asked for.
    SparseRows {
        rows: Entries<'a>,
        n_columns: usize,
        by_column: OnceLock<OwnedSparseLines>,
    },
}

/// The entries of a sparse matrix where Python has them.
pub struct Entries<'a> {
    starts: Vec<usize>,
    places: &'a [u32],
    values: &'a [f64],
}

impl Entries<'_> {
    fn lines(&self) -> SparseLines<'_> {
        SparseLines { starts: &self.starts, places: self.places, values: self.values }
    }
}

impl Indices<'_> {
    fn places(&self) -> PyResult<Places<'_>> {
        Ok(match self {
            Indices::Short(array) => Places::Short(array.as_slice()?),
            Indices::Long(array) => Places::Long(array.as_slice()?),
        })
    }
}

impl Places<'_> {
    /// All indices that are below `limit`, in order; `None` if one is negative or not below it.
    fn checked(self, limit: usize) -> Option<Vec<usize>> {
        fn all<T: Copy + TryInto<usize>>(indices: &[T], limit: usize) -> Option<Vec<usize>> {
            indices.iter().map(|&i| i.try_into().ok().filter(|i| *i < limit)).collect()
        }
        match self {
            Places::Short(indices) => all(indices, limit),
            Places::Long(indices) => all(indices, limit),
        }
    }
}

impl Matrix<'_> {
    pub fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(match self {
            Matrix::Doubles(array) => Numbers::Doubles(array.as_array()),
            Matrix::Floats(array) => Numbers::Floats(array.as_array()),
            Matrix::Sparse(values, places, starts, (n_rows, n_columns), by_columns) => {
                let (values, places) = (values.as_slice()?, bytemuck::cast_slice::<i32, u32>(places.as_slice()?));
                let damaged = || PyValueError::new_err("the sparse matrix is damaged: its index arrays do not fit");
                let starts = starts.places()?.checked(values.len() + 1).ok_or_else(damaged)?;
                let (lines, length) = if *by_columns { (*n_columns, *n_rows) } else { (*n_rows, *n_columns) };
                let ordered = starts.first() == Some(&0) && starts.windows(2).all(|w| w[0] <= w[1]);
                let fits = starts.last() == Some(&values.len()) && starts.len() == lines + 1;
                // a negative index is a large one here; no early end: this way it is vectorised
                let below = places.iter().fold(0, |most, &at| most.max(at)) < length.max(1) as u32;
                if !(ordered && fits && places.len() == values.len() && below) {
                    return Err(damaged());
                }
                let entries = Entries { starts, places, values };
                match by_columns {
                    true => Numbers::SparseColumns { columns: entries, n_rows: *n_rows },
                    false => Numbers::SparseRows { rows: entries, n_columns: *n_columns, by_column: OnceLock::new() },
                }
            }
        })
    }
}

/// Numbers with a name for every column; some columns may be categories instead.
pub struct NamedMatrix<'a> {
    pub names: Arc<[String]>,
    pub numbers: Numbers<'a>,
    /// By column; empty where all are numbers.
    pub categories: BTreeMap<usize, Categories>,
}

impl Numbers<'_> {
    pub fn n_rows(&self) -> usize {
        match self {
            Numbers::Doubles(x) => x.nrows(),
            Numbers::Floats(x) => x.nrows(),
            Numbers::SparseColumns { n_rows, .. } => *n_rows,
            Numbers::SparseRows { rows, .. } => rows.lines().len(),
        }
    }

    pub fn n_columns(&self) -> usize {
        match self {
            Numbers::Doubles(x) => x.ncols(),
            Numbers::Floats(x) => x.ncols(),
            Numbers::SparseColumns { columns, .. } => columns.lines().len(),
            Numbers::SparseRows { n_columns, .. } => *n_columns,
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

    fn categories(&self, column: usize) -> Option<&Categories> {
        self.categories.get(&column)
    }

    fn slice(&self, column: usize) -> Option<&[f64]> {
        match &self.numbers {
            _ if self.categories.contains_key(&column) => None,
            Numbers::Doubles(x) => x.column(column).to_slice(),
            _ => None,
        }
    }

    fn singles(&self, column: usize) -> Option<&[f32]> {
        match &self.numbers {
            _ if self.categories.contains_key(&column) => None,
            Numbers::Floats(x) => x.column(column).to_slice(),
            _ => None,
        }
    }

    fn row(&self, row: usize) -> Option<Row<'_>> {
        match &self.numbers {
            _ if !self.categories.is_empty() => None,
            Numbers::Doubles(x) => x.row(row).to_slice().map(Row::Doubles),
            Numbers::Floats(x) => x.row(row).to_slice().map(Row::Singles),
            Numbers::SparseColumns { .. } | Numbers::SparseRows { .. } => None,
        }
    }

    fn sparse_columns(&self) -> Option<SparseLines<'_>> {
        match &self.numbers {
            Numbers::SparseColumns { columns, .. } => Some(columns.lines()),
            _ => None,
        }
    }

    fn sparse_rows(&self) -> Option<SparseLines<'_>> {
        match &self.numbers {
            Numbers::SparseRows { rows, .. } => Some(rows.lines()),
            _ => None,
        }
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        match &self.numbers {
            Numbers::Doubles(x) => transpose(x, columns, rows, out),
            Numbers::Floats(x) => transpose(x, columns, rows, out),
            Numbers::SparseColumns { columns: stored, n_rows } => stored.lines().fill(columns, *n_rows, rows, out),
            Numbers::SparseRows { rows: stored, n_columns, by_column } => {
                let by_column = by_column.get_or_init(|| stored.lines().transposed(*n_columns));
                by_column.lines().fill(columns, stored.lines().len(), rows, out);
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
