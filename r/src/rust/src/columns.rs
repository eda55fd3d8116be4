//! Matrices, sparse matrices and data frames of R as [`Columns`], read where they lie.

use crate::work::{Failure, Outcome};
use extendr_api::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use tamis::table::{Categories, Columns, MISSING, SparseLines};

/// What R hands over as features; it keeps the memory that [`RColumns`] read.
pub struct HeldColumns {
    names: Vec<String>,
    n_rows: usize,
    parts: Parts,
}

enum Parts {
    /// A matrix of doubles.
    Matrix(Robj),
    /// Vectors of doubles, and factors.
    Frame(Vec<Robj>),
    /// Rows, starts and values of a sparse matrix by columns.
    Sparse { rows: Robj, starts: Robj, values: Robj },
}

/// The list `x` of R: `names`, `rows`, and `matrix`, `frame`, or `i`, `p` and `values`.
pub fn held(list: &List) -> Outcome<HeldColumns> {
    let part = |name: &str| list.dollar(name).ok().filter(|found| !found.is_null());
    let names = part("names").and_then(|names| names.as_string_vector()).unwrap_or_default();
    let n_rows = part("rows").and_then(|rows| rows.as_integer()).unwrap_or(0) as usize;
    let parts = if let Some(matrix) = part("matrix") {
        Parts::Matrix(matrix)
    } else if let Some(frame) = part("frame").and_then(|frame| frame.as_list()) {
        Parts::Frame(frame.values().collect())
    } else if let (Some(rows), Some(starts), Some(values)) = (part("i"), part("p"), part("values")) {
        Parts::Sparse { rows, starts, values }
    } else {
        return Err(damaged());
    };
    Ok(HeldColumns { names, n_rows, parts })
}

fn damaged() -> Failure {
    Failure::Words("`x` is damaged: its parts do not fit together".into())
}

/// Features with names; some columns may be categories.
pub struct RColumns<'a> {
    names: Arc<[String]>,
    n_rows: usize,
    numbers: Numbers<'a>,
    /// By column; empty where all are numbers.
    categories: BTreeMap<usize, Categories>,
}

enum Numbers<'a> {
    /// A slice per column, empty for categories.
    Dense(Vec<&'a [f64]>),
    Sparse {
        starts: Vec<usize>,
        places: Vec<u32>,
        values: &'a [f64],
    },
}

impl HeldColumns {
    /// The columns, for other threads.
    pub fn columns(&self) -> Outcome<RColumns<'_>> {
        let mut categories = BTreeMap::new();
        let numbers = match &self.parts {
            Parts::Matrix(matrix) => {
                let all = matrix.as_real_slice().ok_or_else(damaged)?;
                if all.len() != self.n_rows * self.names.len() {
                    return Err(damaged());
                }
                Numbers::Dense((0..self.names.len()).map(|at| &all[at * self.n_rows..][..self.n_rows]).collect())
            }
            Parts::Frame(columns) => {
                let mut slices: Vec<&[f64]> = Vec::with_capacity(columns.len());
                for (at, column) in columns.iter().enumerate() {
                    if let Some(numbers) = column.as_real_slice() {
                        slices.push(numbers);
                    } else {
                        categories.insert(at, factor(column)?);
                        slices.push(&[]);
                    }
                }
                Numbers::Dense(slices)
            }
            Parts::Sparse { rows, starts, values } => self.sparse(rows, starts, values)?,
        };
        Ok(RColumns { names: self.names.clone().into(), n_rows: self.n_rows, numbers, categories })
    }

    fn sparse<'a>(&self, rows: &Robj, starts: &Robj, values: &'a Robj) -> Outcome<Numbers<'a>> {
        let values = values.as_real_slice().ok_or_else(damaged)?;
        let rows = rows.as_integer_slice().ok_or_else(damaged)?;
        let starts = starts.as_integer_slice().ok_or_else(damaged)?;
        let starts: Vec<usize> = starts.iter().map(|start| usize::try_from(*start).unwrap_or(usize::MAX)).collect();
        let places: Vec<u32> = rows.iter().map(|row| u32::try_from(*row).unwrap_or(u32::MAX)).collect();
        let ordered = starts.first() == Some(&0) && starts.windows(2).all(|pair| pair[0] <= pair[1]);
        let fits = starts.last() == Some(&values.len()) && starts.len() == self.names.len() + 1;
        let inside = places.iter().all(|place| (*place as usize) < self.n_rows);
        match ordered && fits && inside && places.len() == values.len() {
            true => Ok(Numbers::Sparse { starts, places, values }),
            false => Err(damaged()),
        }
    }
}

/// A factor as categories.
pub fn factor(object: &Robj) -> Outcome<Categories> {
    let codes = object.as_integer_slice().ok_or_else(damaged)?;
    let levels = object.get_attrib("levels").and_then(|levels| levels.as_string_vector()).unwrap_or_default();
    let code = |code: &i32| u32::try_from(*code).map_or(MISSING, |code| code.wrapping_sub(1));
    Ok(Categories::new(levels, codes.iter().map(code).collect())?)
}

impl Columns for RColumns<'_> {
    fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn slice(&self, column: usize) -> Option<&[f64]> {
        match &self.numbers {
            Numbers::Dense(slices) if !self.categories.contains_key(&column) => Some(slices[column]),
            _ => None,
        }
    }

    fn sparse_columns(&self) -> Option<SparseLines<'_>> {
        match &self.numbers {
            Numbers::Sparse { starts, places, values } => Some(SparseLines { starts, places, values }),
            Numbers::Dense(_) => None,
        }
    }

    fn categories(&self, column: usize) -> Option<&Categories> {
        self.categories.get(&column)
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        if let Some(lines) = self.sparse_columns() {
            return lines.fill(columns, self.n_rows, rows, out);
        }
        let height = rows.map_or(self.n_rows, <[u32]>::len);
        for (column, out) in columns.zip(out.chunks_exact_mut(height.max(1))) {
            match (self.slice(column), rows) {
                (None, _) => out.fill(f64::NAN),
                (Some(numbers), None) => out.copy_from_slice(numbers),
                (Some(numbers), Some(rows)) => {
                    out.iter_mut().zip(rows).for_each(|(o, &row)| *o = numbers[row as usize]);
                }
            }
        }
    }
}
