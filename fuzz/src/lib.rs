//! Functions that take any bytes and must neither panic nor break their promises.
//!
//! libFuzzer calls them with bytes that reach new code (`fuzz/run`); a test of the workspace calls them with the corpus
//! (`crates/tamis-cli/tests/corpus.rs`).

mod methods;
mod pieces;
mod readers;
mod round_trips;
mod saved_files;

/// A function under test.
pub type Target = fn(&[u8]);

/// Every target, by name.
pub const TARGETS: [(&str, Target); 23] = [
    ("csv", readers::csv),
    ("transposed", readers::transposed),
    ("samples", readers::samples),
    ("statistics", readers::statistics),
    ("libsvm", readers::libsvm),
    ("arff", readers::arff),
    ("npy", readers::npy),
    ("npz", readers::npz),
    ("xlsx", readers::xlsx),
    ("geo", readers::geo),
    ("mtx", readers::mtx),
    ("scipy", readers::scipy),
    ("feature_groups", readers::feature_groups),
    ("parquet", readers::parquet),
    ("arrow", readers::arrow),
    ("model", saved_files::model),
    ("result", saved_files::result),
    ("state", saved_files::state),
    ("codes", saved_files::codes),
    ("splits", saved_files::splits),
    ("round_trips", round_trips::round_trips),
    ("pieces", pieces::pieces),
    ("methods", methods::methods),
];

/// The target of this name.
pub fn find(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
}
