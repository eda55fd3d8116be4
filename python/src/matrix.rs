//! Arrays of numpy and scipy as [`Columns`], read where they lie.

use numpy::ndarray::ArrayView2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use tamis::table::{Categories, Columns, Row};

/// A matrix as Python gives it: an array of doubles or floats in any layout, or the three arrays of a sparse matrix by
/// columns with its number of rows.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    Doubles(PyReadonlyArray2<'py, f64>),
    Floats(PyReadonlyArray2<'py, f32>),
    Sparse(PyReadonlyArray1<'py, f64>, Indices<'py>, Indices<'py>, usize),
}

/// Indices of a sparse matrix, in either of scipy's types.
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
    Sparse { values: &'a [f64], rows: Places<'a>, starts: Vec<usize>, n_rows: usize },
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

    /// Whether all indices are below `limit`, and none is negative.
    fn are_below(self, limit: usize) -> bool {
        match self {
            Places::Short(indices) => indices.iter().all(|&i| i >= 0 && (i as usize) < limit),
            Places::Long(indices) => indices.iter().all(|&i| i >= 0 && (i as usize) < limit),
        }
    }

    fn len(self) -> usize {
        match self {
            Places::Short(indices) => indices.len(),
            Places::Long(indices) => indices.len(),
        }
    }

    /// Some of the rows with their values, as they are stored.
    fn entries(self, stored: Range<usize>, values: &[f64], out: &mut Vec<(u32, f64)>) {
        let values = &values[stored.clone()];
        out.clear();
        match self {
            Places::Short(rows) => out.extend(rows[stored].iter().zip(values).map(|(&row, &x)| (row as u32, x))),
            Places::Long(rows) => out.extend(rows[stored].iter().zip(values).map(|(&row, &x)| (row as u32, x))),
        }
    }
}

impl Matrix<'_> {
    pub fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(match self {
            Matrix::Doubles(array) => Numbers::Doubles(array.as_array()),
            Matrix::Floats(array) => Numbers::Floats(array.as_array()),
            Matrix::Sparse(values, rows, starts, n_rows) => {
                let (values, rows) = (values.as_slice()?, rows.places()?);
                let damaged = || PyValueError::new_err("the sparse matrix is damaged: its index arrays do not fit");
                let starts = starts.places()?.checked(values.len() + 1).ok_or_else(damaged)?;
                let ordered = starts.first() == Some(&0) && starts.windows(2).all(|w| w[0] <= w[1]);
                let fits = starts.last() == Some(&values.len()) && rows.len() == values.len();
                if !(ordered && fits && rows.are_below(*n_rows)) {
                    return Err(damaged());
                }
                Numbers::Sparse { values, rows, starts, n_rows: *n_rows }
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
            Numbers::Sparse { .. } => None,
        }
    }

    fn nonzeros(&self, column: usize, entries: &mut Vec<(u32, f64)>) -> bool {
        let Numbers::Sparse { values, rows, starts, .. } = &self.numbers else { return false };
        rows.entries(starts[column]..starts[column + 1], values, entries);
        if entries.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            entries.sort_by_key(|entry| entry.0);
            entries.dedup_by(|later, kept| {
                let twice = later.0 == kept.0;
                if twice {
                    kept.1 += later.1; // as scipy does
                }
                twice
            });
        }
        true
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        match &self.numbers {
            Numbers::Doubles(x) => transpose(x, columns, rows, out),
            Numbers::Floats(x) => transpose(x, columns, rows, out),
            Numbers::Sparse { values, rows: places, starts, n_rows } => {
                let mut room = vec![0.0; if rows.is_some() { *n_rows } else { 0 }];
                let mut entries = vec![];
                let height = rows.map_or(*n_rows, <[u32]>::len);
                for (j, out) in columns.zip(out.chunks_exact_mut(height.max(1))) {
                    let column: &mut [f64] = if rows.is_some() { &mut room } else { out };
                    column.fill(0.0);
                    places.entries(starts[j]..starts[j + 1], values, &mut entries);
                    for &(row, x) in &entries {
                        column[row as usize] += x; // entries given twice are summed, as scipy does
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
