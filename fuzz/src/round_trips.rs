//! A table that was read is written in every format that can hold it, and reads back the same.

use super::readers::{input, limited, options};
use tamis::Context;
use tamis::table::{self, Column, Format, ReadOptions, Table, Target, Task};

/// Formats that keep the names of columns.
const NAMED: [Format; 5] = [Format::Csv, Format::Tsv, Format::Arff, Format::Parquet, Format::Arrow];

pub fn round_trips(bytes: &[u8]) {
    let (mut options, rest) = options(Format::Csv, bytes);
    (options.no_target, options.refuse_missing) = (false, false);
    (options.covariates, options.event) = (vec![], None);
    let Ok(first) = table::read(input(rest), &options, &mut Context::default()) else { return };
    let all: Vec<u32> = (0..first.names().len() as u32).collect();
    for format in NAMED {
        let mut written = vec![];
        if table::write_reduced(&first, &all, format, &mut written).is_err() {
            continue; // refused, which is an answer
        }
        let ids: Vec<String> = first.ids().iter().map(|id| id.name.clone()).filter(|name| !name.is_empty()).collect();
        if ids.len() < first.ids().len() {
            continue; // columns without a name are told apart by rules of each format
        }
        let again = ReadOptions {
            format: Some(format),
            ids,
            weight: options.weight.clone(),
            delimiter: match format {
                Format::Csv => Some(b','),
                Format::Tsv => Some(b'\t'),
                _ => None,
            },
            task: Some(if matches!(first.target(), Target::Real { .. }) { Task::Real } else { Task::Classes }),
            ..limited(ReadOptions::target("y"))
        };
        let second = table::read(input(&written), &again, &mut Context::default());
        let second = second.unwrap_or_else(|error| panic!("{format}: {error}\n{}", String::from_utf8_lossy(&written)));
        same(&first, &second, format);
    }
}

fn same(first: &Table, second: &Table, format: Format) {
    if first.names().iter().all(|name| !name.is_empty()) {
        assert_eq!(first.names(), second.names(), "{format}");
    }
    assert_eq!(first.n_rows(), second.n_rows(), "{format}");
    for (a, b) in first.columns().iter().zip(second.columns()) {
        match (a, b) {
            (Column::Numbers(a), Column::Numbers(b)) => {
                let bits = |x: &f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
                assert!(a.iter().map(bits).eq(b.iter().map(bits)), "{format}: {a:?} {b:?}");
            }
            _ => assert!((0..a.len()).all(|row| a.text(row) == b.text(row)), "{format}"),
        }
    }
    for row in 0..first.n_rows() {
        assert_eq!(first.target().has(row), second.target().has(row), "{format}");
        if first.target().has(row) {
            assert_eq!(first.target().text(row), second.target().text(row), "{format}");
        }
    }
}
