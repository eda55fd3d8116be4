//! Every labelled table of the papers, in every format: one answer. The data are not ours to pass on, so these tests are
//! marked as ignored.

use crate::common::{data_file, data_tables};
use std::io::Cursor;
use tamis::table::{self, Format, Input, ReadOptions, Target, write_reduced};
use tamis::{Context, Selector, Table};

/// The same table with classes called 0, 1, … and features f1, f2, …, for formats whose labels are numbers and that have no names.
/// The names of classes may say which of two is the reference; numbers do not. Names of features are part of what null targets are
/// drawn from where rows are many.
fn with_numbers_for_classes(table: &Table) -> Table {
    let Target::Classes { codes, .. } = table.target() else { panic!("classes") };
    let labels: Vec<String> = codes.iter().map(u32::to_string).collect();
    let labels: Vec<Option<&str>> = labels.iter().map(|label| Some(label.as_str())).collect();
    let names = (1..=table.names().len()).map(|j| format!("f{j}")).collect();
    Table::new(names, table.columns().to_vec(), "label", Target::classes(&labels)).unwrap()
}

/// Bits of everything a user would look at.
fn answer(table: &Table) -> (Vec<u64>, Vec<u64>, Vec<u64>, Vec<u32>, usize) {
    let got = tamis::Method::from_settings("snbl", [("permutations", "199")])
        .unwrap()
        .select(&table.view(), &mut Context::default())
        .unwrap();
    let bits = |values: Option<Vec<f64>>| values.unwrap().iter().map(|x| x.to_bits()).collect();
    (bits(Some(got.scores)), bits(got.probabilities), bits(got.effects), got.selected, table.n_rows())
}

#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn every_file_in_every_format_gives_one_answer() {
    for path in data_tables() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let table =
            table::read(Input::open(&path).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap();
        let all: Vec<u32> = (0..table.names().len() as u32).collect();
        let missing = table.columns().iter().any(|c| (0..c.len()).any(|row| c.is_missing(row)));
        let coded = with_numbers_for_classes(&table);
        let (expected, expected_coded) = (answer(&table), answer(&coded));
        let formats = [Format::Csv, Format::Tsv, Format::Libsvm, Format::Arff, Format::Npy, Format::Npz];
        let columnar: &[Format] = if cfg!(feature = "parquet") { &[Format::Parquet, Format::Arrow] } else { &[] };
        for &format in formats.iter().chain(columnar) {
            let only_numbers = matches!(format, Format::Libsvm | Format::Npy);
            let mut bytes = Vec::new();
            let written = write_reduced(if only_numbers { &coded } else { &table }, &all, format, &mut bytes);
            if missing && format == Format::Libsvm {
                assert!(written.unwrap_err().to_string().contains("missing"), "{name}");
                continue;
            }
            written.unwrap();
            let last = format!("f{}", table.names().len() + 1);
            let target = if format == Format::Npy { last.as_str() } else { "label" };
            let mut options = ReadOptions::target(target);
            options.format = Some(format);
            let back =
                table::read(Input::from_reader(Cursor::new(bytes), "copy"), &options, &mut Context::default()).unwrap();
            let expected = if only_numbers { &expected_coded } else { &expected };
            assert!(answer(&back) == *expected, "{name} as {format}");
        }
    }
}

/// Several classes, missing values, few rows, many columns: no file of the papers stops `npfs`.
#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn npfs_runs_on_every_file() {
    for path in data_tables() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let table =
            table::read(Input::open(&path).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap();
        for base in ["jmi", "f"] {
            let set = [("bootstraps", "4"), ("permutations", "2"), ("base", base)];
            let method = tamis::Method::from_settings("npfs", set).unwrap();
            let got = method.select(&table.view(), &mut Context::default());
            assert!(got.is_ok(), "{name}, {base}: {}", got.unwrap_err());
        }
    }
}

/// METHODS §3.4, found three ways: the features madelon was made with.
#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn pairs_and_jmi_find_what_madelon_was_made_with() {
    let path = data_file("madelon_train.csv.gz");
    let table =
        table::read(Input::open(&path).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap();
    let made = [29, 49, 65, 106, 129, 154, 242, 282, 319, 337, 339, 379, 434, 443, 452, 454, 456, 473, 476, 494];
    let ways: [(&str, &[(&str, &str)]); 2] =
        [("pairs", &[]), ("jmi", &[("k", "auto"), ("discretise", "frequency"), ("bins", "5")])];
    for (name, set) in ways {
        let method = tamis::Method::from_settings(name, set.iter().copied()).unwrap();
        let got = method.select(&table.view(), &mut Context::default()).unwrap();
        let mut found: Vec<u32> = got.selected.iter().map(|i| i + 1).collect();
        found.sort_unstable();
        assert_eq!(found, made, "{name}");
    }
}
