//! Features wherever they lie: in a table, or in the memory layout of another library.

use crate::base::error::Place;
use crate::base::remedies::REPLACE_OR_LEAVE;
use crate::base::{Error, Result};
use crate::table::{Categories, Column, SparseLines, Study, Table};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// What is wrong with an infinite value.
pub const INFINITE_VALUE: &str = "the value is infinite";

/// Columns with names, read some at a time, so that a matrix of another library need not be copied as a whole.
///
/// A column is numbers, NaN where one is missing, or categories.
///
/// ```
/// use std::{ops::Range, sync::Arc};
/// use tamis::prelude::*;
///
/// /// Two features of three rows, computed when they are asked for.
/// struct Powers(Arc<[String]>);
///
/// impl Columns for Powers {
///     fn names(&self) -> &Arc<[String]> {
///         &self.0
///     }
///     fn n_rows(&self) -> usize {
///         3
///     }
///     fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
///         let all = [0, 1, 2];
///         let rows = rows.unwrap_or(&all);
///         for (power, out) in columns.zip(out.chunks_exact_mut(rows.len())) {
///             out.iter_mut().zip(rows).for_each(|(x, row)| *x = f64::from(*row).powi(power as i32 + 1));
///         }
///     }
/// }
///
/// let powers = Powers(["x".to_string(), "x²".to_string()].into());
/// assert_eq!(powers.numbers(1).as_deref(), Some(&[0.0, 1.0, 4.0][..]));
/// ```
pub trait Columns: Sync {
    /// The columns' names.
    fn names(&self) -> &Arc<[String]>;

    /// How many rows there are.
    fn n_rows(&self) -> usize;

    /// Whether they are a [`Table`], whose columns lie one after the other and are checked.
    fn is_table(&self) -> bool {
        false
    }

    /// The numbers of a column, if they are stored as a contiguous slice.
    fn slice(&self, _column: usize) -> Option<&[f64]> {
        None
    }

    /// The numbers of a column, if they are stored as a contiguous slice in single precision.
    fn singles(&self, _column: usize) -> Option<&[f32]> {
        None
    }

    /// The numbers of a row in all columns, if they are stored as a contiguous slice; then no column is categories, and
    /// every row is stored likewise.
    fn row(&self, _row: usize) -> Option<Row<'_>> {
        None
    }

    /// The entries of all columns, if the matrix is sparse and stored by columns, rows ascending; then no column is
    /// categories.
    fn sparse_columns(&self) -> Option<SparseLines<'_>> {
        None
    }

    /// The entries of all rows, if the matrix is sparse and stored by rows; then no column is categories.
    fn sparse_rows(&self) -> Option<SparseLines<'_>> {
        None
    }

    /// The categories of a column that is not numeric.
    fn categories(&self, _column: usize) -> Option<&Categories> {
        None
    }

    /// Writes numeric columns one after the other into `out`, which has room for exactly them: all rows, or these in
    /// their order.
    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]);

    /// The numbers of a column, copied unless they are stored as a slice; `None` for categories.
    fn numbers(&self, column: usize) -> Option<Cow<'_, [f64]>> {
        if let Some(numbers) = self.slice(column) {
            return Some(Cow::Borrowed(numbers));
        }
        if self.categories(column).is_some() {
            return None;
        }
        let mut numbers = vec![0.0; self.n_rows()];
        self.fill(column..column + 1, None, &mut numbers);
        Some(Cow::Owned(numbers))
    }

    /// A column, copied unless it is stored as one.
    fn column(&self, column: usize) -> Cow<'_, Column> {
        Cow::Owned(match self.categories(column) {
            Some(categories) => Column::Categories(categories.clone()),
            None => Column::Numbers(self.numbers(column).map(Cow::into_owned).unwrap_or_default()),
        })
    }
}

/// A row of a matrix that is stored by rows.
#[derive(Debug, Clone, Copy)]
pub enum Row<'a> {
    /// In double precision.
    Doubles(&'a [f64]),
    /// In single precision.
    Singles(&'a [f32]),
}

impl<'a> Row<'a> {
    /// The numbers, if they are stored in double precision.
    pub fn doubles(self) -> Option<&'a [f64]> {
        match self {
            Row::Doubles(numbers) => Some(numbers),
            Row::Singles(_) => None,
        }
    }

    /// The numbers, if they are stored in single precision.
    pub fn singles(self) -> Option<&'a [f32]> {
        match self {
            Row::Singles(numbers) => Some(numbers),
            Row::Doubles(_) => None,
        }
    }
}

impl Columns for Table {
    fn is_table(&self) -> bool {
        true
    }

    fn names(&self) -> &Arc<[String]> {
        self.names()
    }

    fn n_rows(&self) -> usize {
        self.n_rows()
    }

    fn slice(&self, column: usize) -> Option<&[f64]> {
        self.columns()[column].numbers()
    }

    fn categories(&self, column: usize) -> Option<&Categories> {
        match &self.columns()[column] {
            Column::Categories(categories) => Some(categories),
            Column::Numbers(_) => None,
        }
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        let height = rows.map_or(self.n_rows(), <[u32]>::len);
        for (column, out) in columns.zip(out.chunks_exact_mut(height.max(1))) {
            match (self.slice(column), rows) {
                (None, _) => out.fill(f64::NAN),
                (Some(numbers), None) => out.copy_from_slice(numbers),
                (Some(numbers), Some(rows)) => {
                    out.iter_mut().zip(rows).for_each(|(o, &r)| *o = numbers[r as usize]);
                }
            }
        }
    }

    fn column(&self, column: usize) -> Cow<'_, Column> {
        Cow::Borrowed(&self.columns()[column])
    }
}

/// Columns filled in at a time: as many as a core's cache has room for, but some at least since rows may be contiguous.
pub(crate) fn block(rows: usize) -> usize {
    (65_536 / rows.max(1)).clamp(8, 64)
}

/// Refuses an infinite number in a column of this name; `order` are the rows that the values are of.
pub(crate) fn check_finite(values: &[f64], order: Option<&[u32]>, name: &str) -> Result<()> {
    if crate::table::column::all_finite(values) {
        return Ok(());
    }
    let row = values.iter().position(|x| x.is_infinite()).unwrap_or(0);
    let row = order.map_or(row as u64, |order| u64::from(order[row]));
    let place = Place::default().at_row(row + 1).at_column(name);
    Err(Error::data(place, INFINITE_VALUE, REPLACE_OR_LEAVE))
}

/// Copies of some columns.
fn copy(columns: &dyn Columns, wanted: &[usize]) -> Vec<Column> {
    let rows = columns.n_rows();
    let adjacent = |some: &[usize]| some.windows(2).all(|w| w[1] == w[0] + 1);
    let of_block = |some: &[usize]| -> Vec<Column> {
        let elsewhere = |&at: &usize| columns.slice(at).is_none() && columns.categories(at).is_none();
        if some.len() == 1 || !adjacent(some) || !some.iter().all(elsewhere) {
            return some.iter().map(|&at| columns.column(at).into_owned()).collect();
        }
        let mut flat = vec![0.0; rows * some.len()];
        columns.fill(some[0]..some[0] + some.len(), None, &mut flat);
        (0..some.len()).map(|j| Column::Numbers(flat[j * rows..][..rows].to_vec())).collect()
    };
    wanted.par_chunks(block(rows)).flat_map_iter(of_block).collect()
}

impl Table {
    /// A table of all columns, copied: for methods that read a column many times.
    ///
    /// # Errors
    ///
    /// An infinite number, a name that stands twice, and another number of rows than the study has.
    pub fn of(columns: &dyn Columns, study: Study) -> Result<Table> {
        let wanted: Vec<usize> = (0..columns.names().len()).collect();
        let table = Table {
            names: Arc::clone(columns.names()),
            columns: copy(columns, &wanted),
            study,
            ids: vec![],
            notes: vec![],
        };
        table.check_shape(&Place::default())?;
        table.check_each_finite()?;
        Ok(table)
    }

    /// A table of some columns under other names, to be predicted: use it through
    /// [`View::every_row`](crate::table::View::every_row).
    ///
    /// # Errors
    ///
    /// An infinite number, and a name that stands twice.
    pub fn to_predict(columns: &dyn Columns, wanted: &[usize], names: Vec<String>) -> Result<Table> {
        let table = Table {
            names: names.into(),
            columns: copy(columns, wanted),
            study: Study::without_target(columns.n_rows()),
            ids: vec![],
            notes: vec![],
        };
        if !table.names.is_empty() || !table.columns.is_empty() {
            table.check_shape(&Place::default())?;
        }
        table.check_each_finite()?;
        Ok(table)
    }

    pub(super) fn check_each_finite(&self) -> Result<()> {
        let each = self.columns.par_iter().zip(self.names.par_iter());
        each.try_for_each(|(column, name)| column.numbers().map_or(Ok(()), |x| check_finite(x, None, name)))
    }
}
