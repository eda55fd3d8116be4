//! Every format: what is written reads back to the same bits, what NumPy and scikit-learn write is understood, and
//! no damage makes the reader panic.

use std::io::Cursor;
use std::path::PathBuf;
use tamis::base::context::Context;
use tamis::table::{Categories, Column, Format, Input, ReadOptions, RowWeights, Table, Target, WeightKind};
use tamis::table::{read, write_reduced};

/// The formats, and whether each holds missing values, names and text.
const FORMATS: [(Format, bool, bool, bool); 6] = [
    (Format::Csv, true, true, true),
    (Format::Tsv, true, true, true),
    (Format::Arff, true, true, true),
    (Format::Npz, true, true, false),
    (Format::Npy, true, false, false),
    (Format::Libsvm, false, false, false),
];

/// A small generator of bits, good enough to draw tables (splitmix64).
struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Any number a table may hold: whole, decimal, extreme, zero of either sign.
    fn number(&mut self) -> f64 {
        let few = [0.0, -0.0, 1e300, f64::MIN_POSITIVE, -5e-324, 1e16, 1e-5, 0.1, -1e15];
        match self.bits() % 5 {
            0 => few[self.bits() as usize % few.len()],
            1 => (self.bits() % 2000) as f64 - 1000.0,
            2 => self.bits() as f64 / u64::MAX as f64,
            _ => Some(f64::from_bits(self.bits())).filter(|x| x.abs() <= 1e300).unwrap_or(-7.25),
        }
    }
}

/// What the targets of the drawn tables are.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Whole,
    Real,
}

fn table(seed: u64, rows: usize, missing: bool, names: bool, text: bool, kind: Kind) -> Table {
    let mut draw = Draw(seed);
    let mut columns: Vec<Column> = Vec::new();
    for _ in 0..5 {
        let column: Vec<f64> = (0..rows)
            .map(|_| if missing && draw.bits().is_multiple_of(6) { f64::NAN } else { draw.number() })
            .collect();
        columns.push(column.into());
    }
    columns.push(vec![0.0; rows].into());
    let plain: Vec<String> = (1..=6).map(|i| format!("f{i}")).collect();
    let mut called = plain;
    if names {
        called = ["a", "with space", "ü,\"q'", "per % cent", "back\\slash", "{b}"].map(String::from).to_vec();
    }
    if text {
        let words = ["one", "two, three", "it's", "100%", "\"q\"", "{x}", "a\\b"];
        let cell = |bits: u64| (!bits.is_multiple_of(9)).then(|| words[bits as usize % words.len()]);
        columns.push(Categories::of((0..rows).map(|_| cell(draw.bits()))).into());
        called.push("words".into());
    }
    let target = match kind {
        Kind::Text => {
            let labels: Vec<_> = (0..rows).map(|i| (i % 7 > 0).then(|| ["no", "maybe so", "yes"][i % 3])).collect();
            Target::classes(&labels)
        }
        Kind::Whole => Target::classes(&(0..rows).map(|i| Some(["-1", "1", "10"][i % 3])).collect::<Vec<_>>()),
        Kind::Real => Target::Real { values: (0..rows).map(|i| draw.number() / 4.0 + i as f64).collect() },
    };
    let name = if names { "y, z" } else { "f7" };
    Table::new(called, columns, name, target).unwrap()
}

fn written(table: &Table, format: Format) -> Vec<u8> {
    let all: Vec<u32> = (0..table.names().len() as u32).collect();
    let mut bytes = vec![];
    write_reduced(table, &all, format, &mut bytes).unwrap();
    bytes
}

fn options(target: &str, format: Format) -> ReadOptions {
    let mut options = ReadOptions::target(target);
    options.format = Some(format);
    options
}

fn read_bytes(bytes: &[u8], options: &ReadOptions) -> tamis::Result<Table> {
    read(Input::from_reader(Cursor::new(bytes.to_vec()), "in"), options, &mut Context::default())
}

/// A column's bits, all NaN alike.
fn bits(column: &Column) -> Vec<String> {
    let bits = |x: &f64| if x.is_nan() { "missing".into() } else { format!("{:016x}", x.to_bits()) };
    match column {
        Column::Numbers(values) => values.iter().map(bits).collect(),
        Column::Categories(c) => (0..c.codes().len()).map(|row| format!("{:?}", c.get(row))).collect(),
    }
}

fn target_bits(target: &Target) -> Vec<String> {
    match target {
        Target::Real { values } | Target::Survival { times: values, .. } => bits(&values.clone().into()),
        classes => (0..classes.len()).map(|row| classes.text(row)).collect(),
    }
}

#[test]
fn every_format_reads_back_to_the_same_bits() {
    for (format, missing, names, text) in FORMATS {
        for kind in [Kind::Text, Kind::Whole, Kind::Real] {
            if matches!((format, kind), (Format::Npy | Format::Libsvm, Kind::Text)) {
                continue;
            }
            for seed in 0..8 {
                let table = table(seed, 40 + 7 * seed as usize, missing, names, text, kind);
                // the target of libsvm must not have the name of a feature
                let target = if format == Format::Libsvm { "" } else { table.target_name() };
                let back = read_bytes(&written(&table, format), &options(target, format)).unwrap();
                assert_eq!(back.names(), table.names(), "{format}");
                for (name, (a, b)) in table.names().iter().zip(table.columns().iter().zip(back.columns())) {
                    assert_eq!(bits(a), bits(b), "{format}, column {name}, seed {seed}");
                }
                assert_eq!(target_bits(table.target()), target_bits(back.target()), "{format}, seed {seed}");
                assert_eq!(table.target().n_classes(), back.target().n_classes(), "{format}");
                let name = if target.is_empty() { "label" } else { target };
                assert_eq!(back.target_name(), name);
            }
        }
    }
}

#[test]
fn what_a_format_has_no_place_for_is_refused() {
    let refused = |table: &Table, format: Format, says: &str| {
        let all: Vec<u32> = (0..table.names().len() as u32).collect();
        let error = write_reduced(table, &all, format, &mut vec![]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains(says) && error.to_string().contains("CSV"), "{error}");
    };
    for format in [Format::Libsvm, Format::Npy, Format::Npz] {
        refused(&table(1, 30, false, true, true, Kind::Whole), format, "`words` holds text");
        let weighted = table(1, 30, false, false, false, Kind::Whole)
            .with_weights(RowWeights::new(vec![1.0; 30], WeightKind::Importance).unwrap())
            .unwrap();
        refused(&weighted, format, "`weight`");
    }
    for format in [Format::Libsvm, Format::Npy] {
        refused(&table(1, 30, false, false, false, Kind::Text), format, "the class `maybe so` is not a number");
    }
    refused(&table(1, 30, true, false, false, Kind::Whole), Format::Libsvm, "has a missing value in row");
}

#[test]
fn damage_never_panics() {
    let mut draw = Draw(5);
    for (format, missing, names, text) in FORMATS {
        let table = table(3, 12, missing, names, text, Kind::Whole);
        let bytes = written(&table, format);
        let options = options(if format == Format::Libsvm { "" } else { table.target_name() }, format);
        let mut read_to_the_end = 0;
        for length in 0..bytes.len() {
            let _ = read_bytes(&bytes[..length], &options);
        }
        for at in 0..bytes.len() {
            for flip in [1 << (draw.bits() % 8), draw.bits() as u8 | 1, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                read_to_the_end += usize::from(read_bytes(&bytes, &options).is_ok());
            }
        }
        assert!(read_bytes(&bytes, &options).is_ok());
        assert!(read_to_the_end < 3 * bytes.len(), "{format}: some damage must be noticed");
    }
}

#[test]
fn numbers_in_place_of_numbers_never_panic() {
    // the largest and smallest fields of the binary formats, everywhere
    for (format, missing, names, text) in FORMATS.into_iter().filter(|f| matches!(f.0, Format::Npy | Format::Npz)) {
        let table = table(4, 9, missing, names, text, Kind::Whole);
        let bytes = written(&table, format);
        let options = options(table.target_name(), format);
        for at in 0..bytes.len().saturating_sub(4) {
            for field in [[0xff; 4], [0; 4], [0xff, 0xff, 0xff, 0x7f]] {
                let mut bytes = bytes.clone();
                bytes[at..at + 4].copy_from_slice(&field);
                let _ = read_bytes(&bytes, &options);
            }
        }
    }
}

#[test]
fn the_deflated_archive_of_numpy_can_be_damaged_too() {
    let bytes = std::fs::read(fixture("formats_deflated.npz")).unwrap();
    let whole = read_bytes(&bytes, &options("", Format::Npz)).unwrap();
    for at in 0..bytes.len() {
        let _ = read_bytes(&bytes[..at], &options("", Format::Npz));
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            // where it reads all the same, no number has changed unseen
            if let Ok(table) = read_bytes(&bytes, &options("", Format::Npz)) {
                assert_eq!(table.columns(), whole.columns());
            }
        }
    }
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn read_fixture(name: &str, target: &str) -> Table {
    read(Input::open(&fixture(name)).unwrap(), &ReadOptions::target(target), &mut Context::default()).unwrap()
}

/// The features of `make_formats.py`.
fn expected() -> Vec<Column> {
    let column = |f: fn(i64) -> f64| Column::Numbers((0..6).map(f).collect());
    vec![
        column(|i| i as f64 * 2.5 - 3.0),
        column(|i| ((i * 7) % 4) as f64 - 1.5),
        column(|i| if i % 2 == 1 { 0.0 } else { i as f64 }),
    ]
}

fn classes(table: &Table) -> Vec<String> {
    (0..table.n_rows()).map(|row| table.target().text(row)).collect()
}

#[test]
fn arrays_saved_by_numpy() {
    for name in ["formats_f4.npy", "formats_f8_fortran.npy", "formats_f8_big.npy"] {
        let table = read_fixture(name, "");
        assert_eq!(table.columns(), expected(), "{name}");
        assert_eq!(**table.names(), ["f1", "f2", "f3"]);
        assert_eq!(table.target_name(), "f4");
        assert_eq!(classes(&table), ["0", "1", "0", "1", "1", "0"]);
    }
    let table = read_fixture("formats_i8.npy", "f3");
    assert_eq!(table.columns()[0].numbers().unwrap(), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0]);
    assert_eq!(table.columns()[1].numbers().unwrap(), [0.0, 1.0, 4.0, 9.0, 16.0, 25.0]);
    let by_first = read_fixture("formats_f4.npy", "f1");
    assert_eq!(**by_first.names(), ["f2", "f3", "f4"]);
}

#[test]
fn archives_saved_by_numpy() {
    let table = read_fixture("formats_stored.npz", "");
    assert_eq!(table.columns(), expected());
    assert_eq!(table.target_name(), "y");
    assert_eq!(classes(&table), ["0", "1", "0", "1", "1", "0"]);
    let table = read_fixture("formats_deflated.npz", "answer");
    assert_eq!(table.columns(), expected());
    assert_eq!(**table.names(), ["alpha", "bêta", "γ"]);
    assert_eq!(table.target_name(), "answer");
    assert_eq!(classes(&table), ["no", "yes", "no", "yes", "yes", "no"]);
}

#[test]
fn a_file_saved_by_scikit_learn() {
    let table = read_fixture("formats.svmlight", "");
    assert_eq!(table.columns(), expected());
    assert_eq!(classes(&table), ["0", "1", "0", "1", "1", "0"]);
}

#[test]
fn a_compressed_array_is_read_all_the_same() {
    let plain = std::fs::read(fixture("formats_f4.npy")).unwrap();
    let packed = zstd::encode_all(plain.as_slice(), 0).unwrap();
    let table = read_bytes(&packed, &options("", Format::Npy)).unwrap();
    assert_eq!(table.columns(), expected());
}

#[test]
fn formats_are_known_by_ending_and_by_name() {
    let of = |name: &str| Format::of_path(std::path::Path::new(name)).to_string();
    for (file, format) in [
        ("a.svm", "libsvm"),
        ("a.libsvm.gz", "libsvm"),
        ("a.svmlight", "libsvm"),
        ("A.ARFF.zst", "arff"),
        ("a.npy.gz", "npy"),
        ("a.npz", "npz"),
        ("a.txt", "csv"),
    ] {
        assert_eq!(of(file), format);
        assert_eq!(format.parse::<Format>().unwrap().to_string(), format);
    }
}

#[test]
fn delimited_text_needs_a_target_even_if_a_column_has_no_name() {
    let error = read_bytes(b",a,b\n1,2,3\n4,5,6\n", &options("", Format::Csv)).unwrap_err();
    assert!(error.to_string().contains("say which column to explain with `ReadOptions::target`"), "{error}");
    assert!(error.to_string().contains("`a`, `b`"), "{error}");
}
