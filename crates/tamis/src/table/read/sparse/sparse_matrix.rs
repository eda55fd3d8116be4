//! A sparse matrix as a file has it.

use crate::base::note::Note;
use crate::table::OwnedSparseLines;

/// A matrix as a file has it: so many rows and columns, and values that are not 0.
pub(in crate::table::read) struct SparseMatrix {
    pub(super) n_rows: usize,
    pub(super) n_columns: usize,
    /// Row, column and value of every entry, from 0.
    pub(super) rows: Vec<u32>,
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// Names of rows and of columns, where they are known.
    pub(super) row_names: Option<Vec<String>>,
    pub(super) column_names: Option<Vec<String>>,
    /// Whether features are rows: those of 10x Genomics are.
    pub(super) features_are_rows: bool,
    pub(super) notes: Vec<Note>,
    /// Bytes of the file that speak for its size: compressed, and without remarks.
    pub(super) file_bytes: u64,
}

impl SparseMatrix {
    /// Rows for columns.
    pub(super) fn transposed(self) -> SparseMatrix {
        SparseMatrix {
            n_rows: self.n_columns,
            n_columns: self.n_rows,
            rows: self.columns,
            columns: self.rows,
            row_names: self.column_names,
            column_names: self.row_names,
            ..self
        }
    }

    /// The entries by column, of those columns that are kept, rows ascending; entries of one place are summed.
    pub(super) fn by_column(self, kept: &[bool]) -> OwnedSparseLines {
        let SparseMatrix { rows, columns, values, n_columns, .. } = self;
        let mut new = vec![u32::MAX; n_columns];
        let mut count = 0;
        for (at, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
            new[at] = count;
            count += 1;
        }
        let mut starts = vec![0_usize; count as usize + 1];
        for &column in &columns {
            if new[column as usize] != u32::MAX {
                starts[new[column as usize] as usize + 1] += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let total = starts.last().copied().unwrap_or(0);
        let (mut out_rows, mut out_values) = (vec![0_u32; total], vec![0.0; total]);
        let mut next = starts.clone();
        for ((row, column), value) in rows.iter().zip(&columns).zip(&values) {
            let column = new[*column as usize];
            if column != u32::MAX {
                let at = &mut next[column as usize];
                (out_rows[*at], out_values[*at]) = (*row, *value);
                *at += 1;
            }
        }
        drop((rows, columns, values));
        sorted(starts, out_rows, out_values)
    }
}

/// Entries by column with ascending rows; entries of one place are summed.
fn sorted(starts: Vec<usize>, mut rows: Vec<u32>, mut values: Vec<f64>) -> OwnedSparseLines {
    let ascending = |part: &[u32]| part.windows(2).all(|pair| pair[0] < pair[1]);
    if starts.windows(2).all(|ends| ascending(&rows[ends[0]..ends[1]])) {
        return OwnedSparseLines { starts, places: rows, values };
    }
    let mut kept = 0;
    let mut new_starts = vec![0];
    for ends in starts.windows(2) {
        let mut part: Vec<(u32, f64)> =
            rows[ends[0]..ends[1]].iter().copied().zip(values[ends[0]..ends[1]].iter().copied()).collect();
        part.sort_by_key(|entry| entry.0);
        let from = kept;
        for (row, value) in part {
            if kept > from && rows[kept - 1] == row {
                values[kept - 1] += value;
            } else {
                (rows[kept], values[kept]) = (row, value);
                kept += 1;
            }
        }
        new_starts.push(kept);
    }
    rows.truncate(kept);
    values.truncate(kept);
    OwnedSparseLines { starts: new_starts, places: rows, values }
}
