//! Shared by the integration tests and, through `lib.rs`, by the tests inside the library: where fixtures and data lie.
#![allow(dead_code, clippy::unwrap_used)]

use serde_json::Value;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder whose names end in `ending`, sorted; there is at least one.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(ending));
    files.sort();
    assert!(!files.is_empty(), "{}: no file ends in `{ending}`", folder.display());
    files
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Data sets and fixtures that are not ours to pass on lie in `shared`, beside the project. A test that reads them is
/// marked as ignored, and fails where they are not there.
fn shared(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name)
}

/// A committed fixture.
pub fn fixture(name: &str) -> Value {
    read(&fixtures().join(name))
}

/// The committed fixtures in a folder of `oracle`, by file name.
pub fn oracle(folder: &str) -> Vec<(String, Value)> {
    let named = |path: &PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), read(path));
    files(&fixtures().join("oracle").join(folder), ".json").iter().map(named).collect()
}

/// A fixture that carries a table of others: for ignored tests.
pub fn third_party_fixture(name: &str) -> Value {
    read(&shared("oracle").join(name))
}

/// A file of the data sets: for ignored tests.
pub fn data_file(name: &str) -> PathBuf {
    let path = shared("data").join(name);
    assert!(path.is_file(), "{}: this test needs it", path.display());
    path
}

/// Every labelled table of the data sets: for ignored tests.
pub fn data_tables() -> Vec<PathBuf> {
    files(&shared("data"), ".csv.gz")
}

/// Numbers from JSON; null is NaN.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}

/// The largest difference between two arrays; NaN on both sides counts as equal.
pub fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let differ = |(x, y): (&f64, &f64)| if x.is_nan() && y.is_nan() { 0.0 } else { (x - y).abs() };
    a.iter().zip(b).map(differ).fold(0.0, |m, d| if d.is_nan() { f64::INFINITY } else { m.max(d) })
}
