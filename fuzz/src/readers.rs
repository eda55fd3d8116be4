//! Readers of tables: any bytes give a table that keeps its promises, or an error of one line.

use std::io::{Cursor, Write};
use tamis::table::{self, ExpansionLimit, Format, Input, ReadOptions, SampleFile, Table};
use tamis::{Context, Result};

/// What memory and time a case may take: less than users may.
pub(crate) fn limited(options: ReadOptions) -> ReadOptions {
    ReadOptions { expansion: ExpansionLimit { bytes: 1 << 22, ratio: 0, record: 1 << 20 }, ..options }
}

/// Options that the first byte chooses, and the rest of the bytes.
pub(crate) fn options(format: Format, bytes: &[u8]) -> (ReadOptions, &[u8]) {
    let (choice, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    let mut options = limited(ReadOptions::target("y"));
    options.format = Some(format);
    options.no_target = choice & 1 != 0;
    options.refuse_missing = choice & 2 != 0;
    if choice & 4 != 0 {
        options.weight = Some("w".into());
    }
    if choice & 8 != 0 {
        options.event = Some("event".into());
    }
    if choice & 16 != 0 {
        options.missing = vec!["-9".into(), "none".into()];
    }
    if choice & 32 != 0 && matches!(format, Format::Csv | Format::Tsv) {
        options.decimal = Some(b',');
    }
    if choice & 64 != 0 {
        options.covariates = vec!["c".into()];
    }
    if choice & 128 != 0 {
        options.ids = vec!["id".into()];
    }
    if matches!(format, Format::Libsvm | Format::Npy | Format::Npz) && choice & 1 == 0 {
        options.target = String::new();
    }
    (options, rest)
}

/// Bytes as an input without a size.
pub(crate) fn input(bytes: &[u8]) -> Input {
    Input::from_reader(Cursor::new(bytes.to_vec()), "fuzz")
}

/// Reads and checks.
fn read(format: Format, bytes: &[u8]) {
    let (options, rest) = options(format, bytes);
    check(&table::read(input(rest), &options, &mut Context::default()));
}

/// A table has columns of one length and numbers that sums can hold; an error is one line that can be seen.
pub(crate) fn check(read: &Result<Table>) {
    match read {
        Err(error) => {
            let told = error.to_string();
            assert!(!told.is_empty() && !told.chars().any(char::is_control), "{told:?}");
        }
        Ok(table) => {
            for column in table.columns() {
                assert_eq!(column.len(), table.n_rows());
                assert!(column.numbers().unwrap_or(&[]).iter().all(|x| x.is_nan() || x.abs() <= 1e300));
            }
            assert_eq!(table.names().len(), table.columns().len());
            for note in table.notes() {
                let said = note.to_string();
                assert!(!said.chars().any(char::is_control), "{said:?}");
            }
        }
    }
}

pub fn csv(bytes: &[u8]) {
    read(Format::Csv, bytes);
}

pub fn libsvm(bytes: &[u8]) {
    read(Format::Libsvm, bytes);
}

pub fn arff(bytes: &[u8]) {
    read(Format::Arff, bytes);
}

pub fn npy(bytes: &[u8]) {
    read(Format::Npy, bytes);
}

pub fn npz(bytes: &[u8]) {
    read(Format::Npz, bytes);
}

pub fn xlsx(bytes: &[u8]) {
    read(Format::Xlsx, bytes);
}

pub fn parquet(bytes: &[u8]) {
    read(Format::Parquet, bytes);
}

pub fn arrow(bytes: &[u8]) {
    read(Format::Arrow, bytes);
}

/// A series matrix, which says itself what its samples are.
pub fn geo(bytes: &[u8]) {
    let (mut options, rest) = options(Format::Geo, bytes);
    options.no_target = false;
    options.target = "title".into();
    check(&table::read(input(rest), &options, &mut Context::default()));
}

/// Features in rows, and no target.
pub fn transposed(bytes: &[u8]) {
    let (mut options, rest) = options(Format::Csv, bytes);
    options.transpose = true;
    options.no_target = true;
    check(&table::read(input(rest), &options, &mut Context::default()));
}

/// Two files: the table and its samples, with a byte 0xFF between them.
pub fn samples(bytes: &[u8]) {
    let (mut options, rest) = options(Format::Csv, bytes);
    let mut parts = rest.splitn(2, |byte| *byte == 0xff);
    let (features, described) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let Some(file) = in_file(described, ".csv") else { return };
    options.samples = Some(SampleFile { path: file.path().into(), id: None });
    options.transpose = rest.len() % 2 == 0;
    check(&table::read(input(features), &options, &mut Context::default()));
}

/// Columns of scores.
pub fn statistics(bytes: &[u8]) {
    let (options, rest) = options(Format::Csv, bytes);
    let choose = |names: &[String]| table::score_column(names, "").map(|at| vec![names[at].clone()]);
    if let Ok(read) = table::read_statistics(input(rest), &options, &choose, &mut Context::default()) {
        assert!(read.columns.iter().all(|(_, values)| values.len() == read.names.len()));
    }
}

pub fn mtx(bytes: &[u8]) {
    sparse(Format::Mtx, ".mtx", bytes);
}

pub fn scipy(bytes: &[u8]) {
    sparse(Format::Npz, ".npz", bytes);
}

/// A sparse matrix, with samples that a file describes.
fn sparse(format: Format, ending: &str, bytes: &[u8]) {
    let (mut options, rest) = options(format, bytes);
    let Some(matrix) = in_file(rest, ending) else { return };
    let described: String = (1..9).map(|row| format!("{row},{}\n", if row % 2 == 0 { "a" } else { "b" })).collect();
    let Some(file) = in_file(format!("id,y\n{described}").as_bytes(), ".csv") else { return };
    options.samples = Some(SampleFile { path: file.path().into(), id: None });
    options.target = "y".into();
    options.weight = None;
    if let Ok(table) = table::read_sparse(matrix.path(), &options, &mut Context::default()) {
        let view = table.view();
        assert_eq!(view.names().len(), view.n_features());
    }
}

/// Groups of the features `a` to `e`: two columns or, by the first byte, gene sets.
pub fn feature_groups(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let names: Vec<String> = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
    let file = if choice % 2 == 0 { "fuzz.csv" } else { "fuzz.gmt" };
    let input = Input::from_reader(Cursor::new(rest.to_vec()), file);
    let limit = limited(ReadOptions::target("")).expansion;
    if let Ok(read) = table::read_feature_groups(input, &names, limit, &mut Context::default()) {
        assert!(read.groups.iter().all(|group| group.members.iter().all(|&member| member < 5)));
    }
}

fn in_file(bytes: &[u8], ending: &str) -> Option<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().suffix(ending).tempfile().ok()?;
    file.write_all(bytes).ok()?;
    Some(file)
}
