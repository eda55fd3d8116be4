//! Sparse matrices from files: Matrix Market, 10x Genomics' folders, scipy's archives.

mod matrix_market;
mod scipy;

use crate::base::error::Place;
use crate::base::note::Note;
use crate::base::remedies::REPLACE;
use crate::base::{Error, Progress, Result};
use crate::table::column::is_too_large;
use crate::table::read::column_roles::{TypedColumns, assemble, position};
use crate::table::read::distinct_names::distinct;
use crate::table::read::memory_limits::{check_declared, check_dense};
use crate::table::read::named_samples::{SampleAnnotations, name_sample_file};
use crate::table::{Categories, Column, Format, Input, OwnedSparseLines, ReadOptions, SparseTable, Table};
use std::path::Path;

/// A matrix as a file has it: so many rows and columns, and values that are not 0.
pub(super) struct SparseMatrix {
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
    /// Bytes of the file, decompressed.
    pub(super) file_bytes: u64,
}

/// Whether a file is a sparse matrix, by its ending or because options say so.
pub fn is_sparse(path: &Path, options: &ReadOptions) -> bool {
    let format = options.format.unwrap_or_else(|| Format::of_path(path));
    format == Format::Mtx || (format == Format::Npz && scipy::is_sparse(path))
}

/// Reads a sparse matrix; its samples are described by a second file.
///
/// Cost: one pass over the file and a sort by counting; at most 28 bytes of memory for every value that is not 0.
///
/// # Errors
///
/// A file that is damaged, an entry beyond the declared shape, and no file of samples.
pub fn read_sparse(path: &Path, options: &ReadOptions, progress: &mut dyn Progress) -> Result<SparseTable> {
    let name = path.display().to_string();
    let place = Place::file(&name);
    let format = options.format.unwrap_or_else(|| Format::of_path(path));
    let mut matrix = match format {
        Format::Mtx => matrix_market::read(path, options, progress)?,
        _ => scipy::read(Input::open(path)?, options)?,
    };
    let sizes = [(matrix.n_rows, "rows"), (matrix.n_columns, "columns")];
    for (size, what) in sizes {
        check_declared(size as u64, what, matrix.file_bytes, options.expansion, &place)?;
    }
    if options.transpose || matrix.features_are_rows {
        matrix = matrix.transposed();
    }
    let samples = matrix.row_names.take().unwrap_or_else(|| (1..=matrix.n_rows).map(|row| row.to_string()).collect());
    let names = matrix.column_names.take();
    let names = names.unwrap_or_else(|| (1..=matrix.n_columns).map(|column| format!("f{column}")).collect());
    let Some(file) = &options.samples else {
        let remedy = name_sample_file();
        return Err(Error::data(place, "a sparse matrix holds features alone, not their target", remedy));
    };
    let annotations = SampleAnnotations::read(Input::open(&file.path)?, options, progress)?;
    let mut notes = std::mem::take(&mut matrix.notes);
    notes.extend(annotations.note_on_names(&samples, &place)?);
    notes.extend(annotations.notes_on_unused(&samples, options));
    position(annotations.names(), &options.target)
        .map(drop)
        .or_else(|e| if options.no_target { Ok(()) } else { Err(e) })?;
    let described = described(&annotations, &samples, options, &place)?;
    notes.extend(described.notes.iter().cloned());
    let mut study = described.study;
    let (names, kept) = distinct(names, options, &mut notes);
    study.keep = options.keep.iter().map(|name| position(&names, name).map(|at| at as u32)).collect::<Result<_>>()?;
    let n_rows = matrix.n_rows;
    let columns = matrix.by_column(&kept);
    if let Some(at) = columns.values.iter().position(|x| x.is_nan() || is_too_large(*x)) {
        let column = columns.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let place = place.at_row(u64::from(columns.places[at]) + 1).at_column(&names[column]);
        return Err(Error::data(place, "the value is not finite", REPLACE));
    }
    Ok(SparseTable { names: names.into(), n_rows, columns, study, ids: described.ids, notes })
}

/// A sparse matrix with its zeros written out, for commands that look at rows many times.
pub(super) fn read_dense(input: &Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let sparse = read_sparse(Path::new(input.name()), options, progress)?;
    // the sizes have been compared with the file's
    check_dense((sparse.n_rows, sparse.names.len()), u64::MAX, options.expansion, &Place::file(input.name()))?;
    let all: Vec<u32> = (0..sparse.names.len() as u32).collect();
    sparse.dense(&all)
}

/// A table of what is known about samples, with a feature that nobody looks at.
fn described(
    annotations: &SampleAnnotations,
    samples: &[String],
    options: &ReadOptions,
    place: &Place,
) -> Result<Table> {
    let (mut names, mut columns): (Vec<String>, Vec<Column>) =
        annotations.columns_for(samples, options)?.into_iter().unzip();
    let id = if names.iter().any(|name| name == "sample") { "sample name" } else { "sample" };
    names.push(id.into());
    columns.push(Column::Categories(Categories::of(samples.iter().map(Some))));
    names.push("\u{0}".into());
    columns.push(Column::Numbers((0..samples.len()).map(|row| (row % 2) as f64).collect()));
    let inner = ReadOptions { ids: vec![id.into()], drop: vec![], keep: vec![], only: None, ..options.clone() };
    assemble(
        TypedColumns { names, columns, finite: true, rows_are_samples: true, ..TypedColumns::default() },
        &inner,
        place,
    )
}

impl SparseMatrix {
    /// Rows for columns.
    fn transposed(self) -> SparseMatrix {
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
    fn by_column(self, kept: &[bool]) -> OwnedSparseLines {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_does_not_make_a_name_that_another_feature_has() {
        let names = ["a", "a", "a-1", "a", "b", "a-1"].map(String::from).to_vec();
        let mut notes = vec![];
        let (own, _) = distinct(names, &ReadOptions::target("y"), &mut notes);
        assert_eq!(own, ["a", "a-2", "a-1", "a-3", "b", "a-1-1"]);
    }
}
