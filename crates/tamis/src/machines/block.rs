//! A block of rows in double or, where rows are many, in single precision.

use crate::numeric::linalg::{Matrix, SingleMatrix, vectorised};

/// Rows from which single precision is enough: sums over so many rows are exact to more digits than the data have.
pub(crate) const MANY_ROWS: usize = 5000;

/// A block of rows.
pub(crate) enum MatrixBlock {
    Double(Matrix),
    Single(SingleMatrix),
}

/// The rows of a matrix over some of its columns in blocks, so that a block beside `width` bases or features fits a
/// core's cache.
pub(crate) fn row_blocks(x: &Matrix, columns: &[usize], width: usize) -> Vec<MatrixBlock> {
    let single = x.n_rows() > MANY_ROWS;
    // numbers are half as large
    let size = if single { 2 * block_rows(width) } else { block_rows(width) };
    let starts = (0..x.n_rows()).step_by(size);
    let block = |from: usize| {
        let rows = from..(from + size).min(x.n_rows());
        let column = |j: usize| &x.column(columns[j])[rows.clone()];
        if !single {
            return MatrixBlock::Double(Matrix::from_columns(rows.len(), columns.len(), |j, out| {
                out.copy_from_slice(column(j));
            }));
        }
        MatrixBlock::Single(SingleMatrix::from_columns(rows.len(), columns.len(), |j, out| {
            out.iter_mut().zip(column(j)).for_each(|(o, v)| *o = *v as f32);
        }))
    };
    starts.map(block).collect()
}

/// [`row_blocks`] in double precision, over all columns.
pub(crate) fn double_blocks(x: &Matrix, width: usize) -> Vec<Matrix> {
    let size = block_rows(width);
    let starts = (0..x.n_rows()).step_by(size);
    starts.map(|from| x.select_rows(from..(from + size).min(x.n_rows()))).collect()
}

/// Rows of a block.
pub(crate) fn block_rows(width: usize) -> usize {
    const NUMBERS: usize = 1 << 16;
    (NUMBERS / width.max(1)).clamp(256, 4096)
}

impl MatrixBlock {
    pub(crate) fn n_rows(&self) -> usize {
        match self {
            MatrixBlock::Double(m) => m.n_rows(),
            MatrixBlock::Single(m) => m.n_rows(),
        }
    }

    pub(crate) fn n_columns(&self) -> usize {
        match self {
            MatrixBlock::Double(m) => m.n_columns(),
            MatrixBlock::Single(m) => m.n_columns(),
        }
    }

    /// Only these columns.
    pub(crate) fn select_columns(&self, columns: &[usize]) -> MatrixBlock {
        match self {
            MatrixBlock::Double(m) => MatrixBlock::Double(m.select_columns(columns)),
            MatrixBlock::Single(m) => {
                MatrixBlock::Single(SingleMatrix::from_columns(m.n_rows(), columns.len(), |j, out| {
                    out.copy_from_slice(m.column(columns[j]));
                }))
            }
        }
    }

    /// A·x.
    pub(crate) fn times(&self, x: &[f64], out: &mut [f64]) {
        match self {
            MatrixBlock::Double(m) => m.times(x, out),
            MatrixBlock::Single(m) => m.times(x, out),
        }
    }

    /// Aᵀ·x.
    pub(crate) fn transpose_times(&self, x: &[f64], out: &mut [f64]) {
        match self {
            MatrixBlock::Double(m) => m.transpose_times(x, out),
            MatrixBlock::Single(m) => m.transpose_times(x, out),
        }
    }

    /// Adds AᵀA (lower half).
    pub(crate) fn add_gram(&self, out: &mut Matrix) {
        match self {
            MatrixBlock::Double(m) => m.add_gram(out),
            MatrixBlock::Single(m) => m.add_gram(out),
        }
    }

    /// Column `j`, each number times its row's factor and `by`, into `out`.
    pub(crate) fn scaled_column(&self, j: usize, rows: &[f64], by: f64, out: &mut [f64]) {
        match self {
            MatrixBlock::Double(m) => crate::numeric::linalg::scale(m.column(j), rows, by, out),
            MatrixBlock::Single(m) => {
                let parts = out.iter_mut().zip(m.column(j)).zip(rows);
                vectorised(|| parts.for_each(|((o, x), r)| *o = f64::from(*x) * r * by));
            }
        }
    }

    /// The block with row i times `rows[i]` and column j times `columns[j]`, behind a column of the rows' factors if
    /// `bias`.
    pub(crate) fn scaled(&self, rows: &[f64], columns: &[f64], bias: bool) -> MatrixBlock {
        let first = usize::from(bias);
        let size = self.n_columns() + first;
        match self {
            MatrixBlock::Double(m) => {
                MatrixBlock::Double(Matrix::from_columns(m.n_rows(), size, |k, out| match k.checked_sub(first) {
                    None => out.copy_from_slice(rows),
                    Some(j) => crate::numeric::linalg::scale(m.column(j), rows, columns[j], out),
                }))
            }
            MatrixBlock::Single(m) => {
                let rows: Vec<f32> = rows.iter().map(|r| *r as f32).collect();
                MatrixBlock::Single(SingleMatrix::from_columns(m.n_rows(), size, |k, out| match k.checked_sub(first) {
                    None => out.copy_from_slice(&rows),
                    Some(j) => {
                        let by = columns[j] as f32;
                        let parts = out.iter_mut().zip(m.column(j)).zip(&rows);
                        vectorised(|| parts.for_each(|((o, x), r)| *o = x * r * by));
                    }
                }))
            }
        }
    }

    /// Multiplies row i by `rows[i]`.
    pub(crate) fn scale_rows(&mut self, rows: &[f64]) {
        match self {
            MatrixBlock::Double(m) => vectorised(|| {
                (0..m.n_columns()).for_each(|k| m.column_mut(k).iter_mut().zip(rows).for_each(|(v, c)| *v *= c));
            }),
            MatrixBlock::Single(m) => {
                let rows: Vec<f32> = rows.iter().map(|r| *r as f32).collect();
                vectorised(|| {
                    (0..m.n_columns()).for_each(|k| m.column_mut(k).iter_mut().zip(&rows).for_each(|(v, c)| *v *= c));
                });
            }
        }
    }
}
