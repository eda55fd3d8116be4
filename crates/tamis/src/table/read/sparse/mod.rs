//! Sparse matrices from files: Matrix Market, 10x Genomics' folders, scipy's archives.

mod matrix_market;
mod scipy;
mod sparse_matrix;

use crate::base::error::Place;
use crate::base::remedies::REPLACE;
use crate::base::{Error, Progress, Result};
use crate::table::column::is_too_large;
use crate::table::read::column_roles::{TypedColumns, assemble, position};
use crate::table::read::distinct_names::distinct;
use crate::table::read::memory_limits::{check_declared, check_dense, check_names};
use crate::table::read::named_samples::{SampleAnnotations, check_wanted, name_sample_file};
use crate::table::{Categories, Column, Format, Input, ReadOptions, SparseTable, Table};
use sparse_matrix::SparseMatrix;
use std::collections::HashSet;
use std::path::Path;

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
    check_names(matrix.n_rows + matrix.n_columns, options.expansion, &place)?;
    if options.transpose || matrix.features_are_rows {
        matrix = matrix.transposed();
    }
    let samples = matrix.row_names.take().unwrap_or_else(|| (1..=matrix.n_rows).map(|row| row.to_string()).collect());
    let names = matrix.column_names.take();
    let names = names.unwrap_or_else(|| (1..=matrix.n_columns).map(|column| format!("f{column}")).collect());
    let mut notes = std::mem::take(&mut matrix.notes);
    let annotations = match &options.samples {
        Some(file) => Some(SampleAnnotations::read(Input::open(&file.path)?, options, progress)?),
        None if options.no_target || options.only.is_some() => None,
        None => {
            let remedy = name_sample_file();
            return Err(Error::data(place, "a sparse matrix holds features alone, not their target", remedy));
        }
    };
    if let Some(annotations) = &annotations {
        notes.extend(annotations.note_on_names(&samples, &place)?);
        notes.extend(annotations.notes_on_unused(&samples, options));
        if !options.no_target && options.only.is_none() {
            position(annotations.names(), &options.target)?;
        }
    }
    let known = annotations.as_ref().map_or(&[][..], SampleAnnotations::names);
    check_wanted(known, known, options, &place)?;
    let described = described(annotations.as_ref(), &samples, options, &place)?;
    notes.extend(described.notes.iter().cloned());
    let mut study = described.study;
    if options.refuse_missing {
        study.check_complete(&place)?;
    }
    let (names, kept) = distinct(names, options, &mut notes);
    let (names, kept) = only_wanted(names, kept, options)?;
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

/// The features that options ask for, where they ask for some; whether each of the matrix is kept.
fn only_wanted(names: Vec<String>, mut kept: Vec<bool>, options: &ReadOptions) -> Result<(Vec<String>, Vec<bool>)> {
    let Some(only) = &options.only else { return Ok((names, kept)) };
    let there: HashSet<&String> = names.iter().collect();
    if let Some(name) = only.iter().find(|name| !there.contains(name)) {
        return Err(Error::Unknown { kind: "column", name: name.clone(), known: names });
    }
    let wanted: HashSet<&String> = only.iter().collect();
    let is_wanted: Vec<bool> = names.iter().map(|name| wanted.contains(name)).collect();
    let mut of_kept = is_wanted.iter();
    for kept in kept.iter_mut().filter(|kept| **kept) {
        *kept = of_kept.next().is_some_and(|wanted| *wanted);
    }
    let names = names.into_iter().zip(is_wanted).filter(|(_, wanted)| *wanted).map(|(name, _)| name).collect();
    Ok((names, kept))
}

/// A table of what is known about samples, with a feature that nobody looks at.
fn described(
    annotations: Option<&SampleAnnotations>,
    samples: &[String],
    options: &ReadOptions,
    place: &Place,
) -> Result<Table> {
    let (mut names, mut columns): (Vec<String>, Vec<Column>) =
        annotations.map_or(Ok(vec![]), |found| found.columns_for(samples, options))?.into_iter().unzip();
    let id = if names.iter().any(|name| name == "sample") { "sample name" } else { "sample" };
    names.push(id.into());
    columns.push(Column::Categories(Categories::of(samples.iter().map(Some))));
    names.push("\u{0}".into());
    columns.push(Column::Numbers((0..samples.len()).map(|row| (row % 2) as f64).collect()));
    let no_target = options.no_target || (options.only.is_some() && !names.contains(&options.target));
    let ids = vec![id.into()];
    let inner = ReadOptions { ids, drop: vec![], keep: vec![], only: None, no_target, ..options.clone() };
    assemble(
        TypedColumns { names, columns, finite: true, rows_are_samples: true, ..TypedColumns::default() },
        &inner,
        place,
    )
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
