//! Matrix Market's coordinate format, and the names that 10x Genomics puts beside it.

use super::SparseMatrix;
use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, Progress, Result, counted, plural};
use crate::table::read::lines::Lines;
use crate::table::read::number;
use crate::table::read::open::file_name;
use crate::table::{Input, ReadOptions};
use std::path::Path;

/// Names of features and of cells in a folder of 10x Genomics.
const FEATURES: [&str; 4] = ["features.tsv.gz", "features.tsv", "genes.tsv", "genes.tsv.gz"];
const CELLS: [&str; 2] = ["barcodes.tsv.gz", "barcodes.tsv"];

/// Reads a matrix, with names from the files beside it where they are those of 10x Genomics.
pub(super) fn read(path: &Path, options: &ReadOptions, progress: &mut dyn Progress) -> Result<SparseMatrix> {
    let mut matrix = entries(Input::open(path)?, options, progress)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside = |names: &[&str]| names.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    if let (Some(features), Some(cells)) = (beside(&FEATURES), beside(&CELLS)) {
        matrix.row_names = Some(names(&features, matrix.n_rows, 1, options, progress)?);
        matrix.column_names = Some(names(&cells, matrix.n_columns, 0, options, progress)?);
        let [features, cells] = [&features, &cells].map(|path| file_name(&path.to_string_lossy()).to_string());
        let text = format!("features and cells are named as in {features} and {cells}");
        matrix.notes.push(Note::new(NoteKind::RowNames, text));
        matrix.features_are_rows = true;
    }
    Ok(matrix)
}

/// The names in a file, one per line: in this column, or in the first where there is only one.
fn names(
    path: &Path,
    expected: usize,
    column: usize,
    options: &ReadOptions,
    progress: &mut dyn Progress,
) -> Result<Vec<String>> {
    let mut lines = Lines::open(Input::open(path)?, options.expansion)?;
    let place = Place::file(lines.name());
    let mut names = vec![];
    while let Some(line) = lines.next(progress)? {
        let text = String::from_utf8_lossy(line).into_owned();
        let mut cells = text.split('\t');
        let first = cells.next().unwrap_or_default();
        names.push(cells.nth(column.wrapping_sub(1)).filter(|_| column > 0).unwrap_or(first).trim().to_string());
    }
    if names.len() != expected {
        let problem = format!("it has {}, and the matrix {expected}", counted(names.len(), "name"));
        return Err(Error::data(place, problem, "give the files of one matrix"));
    }
    Ok(names)
}

/// The entries of a file.
fn entries(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<SparseMatrix> {
    let mut lines = Lines::open(input, options.expansion)?;
    let place = Place::file(lines.name());
    let refuse = |line: u64, problem: String, remedy: &str| {
        Err(Error::data(place.clone(), format!("line {line}: {problem}"), remedy.to_string()))
    };
    let has_values = has_values(&mut lines, &place, progress)?;
    let (mut at, mut remarks) = (1, 0);
    let size = loop {
        at += 1;
        match lines.next(progress)? {
            None => return refuse(at, "the line of sizes is missing".into(), "copy the file again"),
            Some(line) if is_remark(line) => remarks += line.len() as u64 + 1,
            Some(line) => break whole_numbers(line),
        }
    };
    let fits = |[rows, columns, _]: &[u64; 3]| *rows.max(columns) <= u64::from(u32::MAX);
    let Some([n_rows, n_columns, n_entries]) = size.filter(fits) else {
        return refuse(at, "it is not a line of three sizes".into(), "copy the file again");
    };
    // the file's own word is not trusted with memory: room grows with the entries that are there
    let mut matrix = SparseMatrix {
        n_rows: n_rows as usize,
        n_columns: n_columns as usize,
        rows: vec![],
        columns: vec![],
        values: vec![],
        row_names: None,
        column_names: None,
        features_are_rows: false,
        notes: vec![],
        file_bytes: 0,
    };
    while let Some(line) = lines.next(progress)? {
        at += 1;
        if is_remark(line) {
            remarks += line.len() as u64 + 1;
            continue;
        }
        let Some((row, column, value)) = entry(line, has_values) else {
            return refuse(at, "it is not an entry: row, column and value".into(), "copy the file again");
        };
        if row == 0 || column == 0 || row > n_rows || column > n_columns {
            let problem = format!("entry ({row}, {column}) lies outside of {n_rows} × {n_columns}");
            return refuse(at, problem, "correct the sizes in the head, or the entry");
        }
        matrix.rows.push(row as u32 - 1);
        matrix.columns.push(column as u32 - 1);
        matrix.values.push(value);
    }
    matrix.file_bytes = lines.bytes_read().saturating_sub(remarks).min(lines.compressed_bytes_read());
    if matrix.values.len() as u64 != n_entries {
        let problem = {
            let found = matrix.values.len();
            format!("it has {found} {} where the head says {n_entries}", plural(found, "entry", "entries"))
        };
        return refuse(at, problem, "copy the file again: it seems to be cut off");
    }
    Ok(matrix)
}

/// Reads the first line: whether entries have values; other kinds of matrices are refused.
fn has_values(lines: &mut Lines, place: &Place, progress: &mut dyn Progress) -> Result<bool> {
    let refuse = |problem: String, remedy: &str| {
        Err(Error::data(place.clone(), format!("line 1: {problem}"), remedy.to_string()))
    };
    let head = lines.next(progress)?.map(|line| String::from_utf8_lossy(line).to_lowercase()).unwrap_or_default();
    let words: Vec<&str> = head.split_whitespace().collect();
    let ["%%matrixmarket", "matrix", layout, field, symmetry] = words[..] else {
        return refuse("it does not begin with `%%MatrixMarket matrix …`".into(), "give a Matrix Market file");
    };
    if layout != "coordinate" || symmetry != "general" {
        let problem = format!("a matrix that is `{layout} {symmetry}` is not read");
        return refuse(problem, "write it in coordinates, without symmetry");
    }
    match field {
        "real" | "integer" | "double" => Ok(true),
        "pattern" => Ok(false),
        other => refuse(format!("values that are `{other}` are not read"), "write real or whole numbers"),
    }
}

/// Whether a line says nothing of the matrix.
fn is_remark(line: &[u8]) -> bool {
    line.starts_with(b"%") || line.trim_ascii().is_empty()
}

/// Three whole numbers.
fn whole_numbers(line: &[u8]) -> Option<[u64; 3]> {
    let text = std::str::from_utf8(line).ok()?;
    let numbers: Vec<u64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    numbers.try_into().ok()
}

/// Row, column and value.
fn entry(line: &[u8], has_value: bool) -> Option<(u64, u64, f64)> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let whole =
        |word: &[u8]| number::leading(word, 0).filter(|(x, n)| *n == word.len() && *x >= 0.0 && x.fract() == 0.0);
    let row = whole(words.next()?)?.0 as u64;
    let column = whole(words.next()?)?.0 as u64;
    let value = if has_value { number::cell(words.next()?)? } else { 1.0 };
    words.next().is_none().then_some((row, column, value))
}
