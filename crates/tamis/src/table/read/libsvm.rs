//! The sparse text format of LIBSVM and SVMlight: lines of `label index:value …`; absent values are zero.
//!
//! Indices start at 1 and ascend; feature `i` is called `f` and its index. `#` begins a comment, `qid:N` is skipped.

use crate::base::error::Place;
use crate::base::remedies::{REPLACE, SAVE_AS_UTF8};
use crate::base::{Error, OptionName, Progress, Result};
use crate::table::column::{Categories, Column, is_too_large, too_large_words};
use crate::table::read::column_roles::{TypedColumns, assemble};
use crate::table::read::lines::Lines;
use crate::table::read::memory_limits::check_dense;
use crate::table::read::number;
use crate::table::write::{only_numbers, refuse, target_numbers, write_number};
use crate::table::{Format, Input, ReadOptions, Table, Target};
use memchr::memchr;
use std::io::{self, Write};

/// Beyond this an index is a mistake, or a hash that no dense table can hold.
const MOST_FEATURES: u32 = 50_000_000;

pub(crate) fn read_table(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let mut lines = Lines::open(input, options.expansion)?;
    let place = Place::file(lines.name());
    let mut sparse = SparseRows::default();
    while let Some(line) = lines.next(progress)? {
        let line = &line[..memchr(b'#', line).unwrap_or(line.len())];
        if !line.trim_ascii().is_empty() {
            sparse.push(line, &options.missing, &place)?;
        }
    }
    if sparse.labels.is_empty() {
        return Err(Error::data(place, "the file has no row", "it needs lines of `label index:value …`"));
    }
    sparse.into_table(lines.bytes_read(), options, &place)
}

/// Rows of a sparse matrix, one after the other, and their labels.
#[derive(Default)]
struct SparseRows {
    labels: Vec<Option<String>>,
    /// Features from 0, row by row.
    features: Vec<u32>,
    values: Vec<f64>,
    /// Where each row ends in `features` and `values`.
    ends: Vec<usize>,
    width: u32,
}

impl SparseRows {
    /// Reads one line that is not blank.
    fn push(&mut self, line: &[u8], missing: &[String], file: &Place) -> Result<()> {
        let row = self.labels.len() as u64 + 1;
        let place = || file.clone().at_row(row);
        let mut tokens = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
        self.labels.push(label(tokens.next().unwrap_or_default(), missing, &place)?);
        let mut last = 0;
        for token in tokens {
            let Some(colon) = memchr(b':', token) else {
                let problem = format!("`{}` has no colon", show(token));
                return Err(Error::data(place(), problem, "write each value as `index:value`"));
            };
            let (before, value) = (&token[..colon], &token[colon + 1..]);
            if before == b"qid" {
                continue;
            }
            let index = index(before, last, &place)?;
            let x = if number::is_missing(value, missing) { Some(f64::NAN) } else { number::cell(value) };
            let refuse = |what: &str| {
                let problem = format!("the value `{}` {what}", show(value));
                Error::data(place().at_column(format!("f{index}")), problem, REPLACE)
            };
            let x = x.ok_or_else(|| refuse("is not a number"))?;
            if is_too_large(x) {
                return Err(refuse(too_large_words(x)));
            }
            self.features.push(index - 1);
            self.values.push(x);
            last = index;
        }
        self.width = self.width.max(last);
        self.ends.push(self.features.len());
        Ok(())
    }

    /// The table, zeros written out.
    fn into_table(self, file_bytes: u64, options: &ReadOptions, place: &Place) -> Result<Table> {
        let (rows, width) = (self.labels.len(), self.width as usize);
        check_dense((rows, width), file_bytes, options.expansion, place)?;
        let mut options = options.clone();
        if options.target.is_empty() {
            options.target = "label".into();
        }
        let mut names: Vec<String> = (1..=width).map(|i| format!("f{i}")).collect();
        if names.contains(&options.target) {
            let expected = "the target of a libsvm file is the label that begins each line; leave the option out";
            return Err(Error::parameter(OptionName::Target, &options.target, expected));
        }
        let mut dense = vec![vec![0.0; rows]; width];
        let mut from = 0;
        for (row, &to) in self.ends.iter().enumerate() {
            for (&feature, &x) in self.features[from..to].iter().zip(&self.values[from..to]) {
                dense[feature as usize][row] = x;
            }
            from = to;
        }
        let mut columns: Vec<Column> = dense.into_iter().map(Column::from).collect();
        names.push(options.target.clone());
        columns.push(Categories::of(self.labels).into());
        assemble(TypedColumns { names, columns, finite: true, ..TypedColumns::default() }, &options, place)
    }
}

/// The label that begins a line; `+1` and `1` are the same.
fn label(token: &[u8], missing: &[String], place: &dyn Fn() -> Place) -> Result<Option<String>> {
    if token.contains(&b':') {
        let problem = format!("the line begins with `{}`, not with a label", show(token));
        return Err(Error::data(place(), problem, "put the label first: `label index:value …`"));
    }
    if number::is_missing(token, missing) {
        return Ok(None);
    }
    let Ok(text) = std::str::from_utf8(token) else {
        return Err(Error::data(place(), "the label is not UTF-8 text", SAVE_AS_UTF8));
    };
    if let Some(x) = number::whole(token).filter(|x| is_too_large(*x)) {
        let problem = format!("the label `{text}` {}", too_large_words(x));
        return Err(Error::data(place(), problem, REPLACE));
    }
    Ok(Some(text.strip_prefix('+').unwrap_or(text).into()))
}

/// The index of a feature, which must be larger than the `last` of its line.
fn index(token: &[u8], last: u32, place: &dyn Fn() -> Place) -> Result<u32> {
    let text = show(token);
    let digits = !token.is_empty() && token.iter().all(u8::is_ascii_digit);
    if !digits {
        let problem = format!("`{text}` is not the index of a feature");
        return Err(Error::data(place(), problem, "write a whole number before the colon"));
    }
    // digits that do not fit are as much too large as those that do
    match text.parse().unwrap_or(u32::MAX) {
        0 => {
            let remedy = "indices start at 1: add 1 to each (scikit-learn writes them so with `zero_based=False`)";
            Err(Error::data(place(), "a feature has the index 0", remedy))
        }
        index if index > MOST_FEATURES => {
            let problem = format!("the index {text} is too large: zeros are written out in memory");
            Err(Error::data(place(), problem, format!("number the features from 1 to at most {MOST_FEATURES}")))
        }
        index if index <= last => {
            let problem = format!("the index {index} comes after {last}");
            Err(Error::data(place(), problem, "sort each line by index, each once"))
        }
        index => Ok(index),
    }
}

fn show(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().take(40).collect()
}

/// Writes labels and nonzero values. Features are renumbered from 1.
pub(crate) fn write(table: &Table, kept: &[u32], out: &mut dyn Write) -> io::Result<()> {
    let format = Format::Libsvm;
    let columns = only_numbers(table, kept, format)?;
    let labels = target_numbers(table.target(), format)?;
    if let Some(row) = labels.iter().position(|y| y.is_nan()) {
        return refuse(format, format!("row {} has no target", row + 1));
    }
    for (&feature, column) in kept.iter().zip(&columns) {
        if let Some(row) = column.iter().position(|x| x.is_nan()) {
            let name = &table.names()[feature as usize];
            return refuse(format, format!("`{name}` has a missing value in row {}", row + 1));
        }
    }
    for (row, y) in labels.iter().enumerate() {
        match table.target() {
            Target::Classes { .. } => out.write_all(table.target().text(row).trim().as_bytes())?,
            Target::Real { .. } | Target::Survival { .. } => write_number(out, *y)?,
        }
        for (i, column) in columns.iter().enumerate() {
            // the first row names the last feature even if it is zero: it tells how many there are
            let last = row == 0 && i + 1 == columns.len();
            if column[row].to_bits() != 0 || last {
                write!(out, " {}:", i + 1)?;
                write_number(out, column[row])?;
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;

    fn read(text: &str, target: &str) -> Result<Table> {
        let input = Input::from_reader(io::Cursor::new(text.as_bytes().to_vec()), "a.svm");
        read_table(input, &ReadOptions::target(target), &mut Context::default())
    }

    #[test]
    fn what_is_absent_is_zero() {
        let table = read("# made by hand\n+1 1:2.5 3:-1e2 # one\n\n-1 qid:7 2:4\r\n1\n-1 3:nan\n", "").expect("reads");
        assert_eq!(**table.names(), ["f1", "f2", "f3"]);
        assert_eq!(table.target_name(), "label");
        assert_eq!(table.columns()[0].numbers().expect("numbers"), [2.5, 0.0, 0.0, 0.0]);
        assert_eq!(table.columns()[1].numbers().expect("numbers"), [0.0, 4.0, 0.0, 0.0]);
        assert!(table.columns()[2].numbers().expect("numbers")[3].is_nan());
        let labels: Vec<String> = (0..4).map(|row| table.target().text(row)).collect();
        assert_eq!(labels, ["1", "-1", "1", "-1"]);
        assert_eq!(read("a 1:1\nb 1:2\na 1:3\nb 1:4\n", "kind").expect("reads").target_name(), "kind");
    }

    #[test]
    fn every_fault_says_where_it_is() {
        let cases = [
            ("1 0:1", "index 0"),
            ("1 2:1 1:1", "the index 1 comes after 2"),
            ("1 2:1 2:1", "the index 2 comes after 2"),
            ("1 a:1", "`a` is not the index"),
            ("1 -1:1", "`-1` is not the index"),
            ("1 1:x", "column `f1`: the value `x` is not a number"),
            ("1 1", "`1` has no colon"),
            ("1 1:inf", "column `f1`: the value `inf` is infinite"),
            ("1 1:1e999", "infinite"),
            ("inf 1:1", "the label `inf` is infinite"),
            ("1:1 2:1", "not with a label"),
            ("1 50000001:1", "too large"),
            ("1 99999999999999999999:1", "too large"),
        ];
        for (line, says) in cases {
            let error = read(&format!("1 1:1\n{line}\n"), "").expect_err(line).to_string();
            assert!(error.contains("`a.svm`, row 2") && error.contains(says), "{line}: {error}");
        }
        assert!(read("# nothing\n", "").expect_err("empty").to_string().contains("no row"));
        assert!(read("1 2:1\n0 1:1\n", "f1").expect_err("a feature").to_string().contains("leave the option out"));
    }

    #[test]
    fn zeros_that_would_fill_the_memory_are_refused() {
        let text = "1 50000000:1\n".repeat(200);
        let error = read(&text, "").expect_err("absurd").to_string();
        assert!(error.contains("200 rows of 50000000 features") && error.contains("GiB"), "{error}");
        let error = read("1 1:1\n0 2:1\n1 1999999:1\n0 1:2\n", "").expect_err("absurd").to_string();
        assert!(
            error.contains("1999999 features in 30 bytes") && error.contains("`ReadOptions::expansion`"),
            "{error}"
        );
    }
}
