//! What the integration tests share.
#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr)]

use serde_json::Value;
use std::path::PathBuf;

/// A folder beside the project, if it is there.
pub fn beside(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    path.is_dir().then_some(path)
}

/// The fixtures in a folder of the oracle, by file name; none (said aloud) where the oracle is not there.
pub fn oracle(folder: &str) -> Vec<(String, Value)> {
    let Some(path) = beside("oracle").map(|p| p.join(folder)) else {
        eprintln!("skipped: no fixtures (oracle/{folder})");
        return vec![];
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let read = |path: &PathBuf| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    files.iter().map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), read(p))).collect()
}

/// A committed fixture.
pub fn fixture(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
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
