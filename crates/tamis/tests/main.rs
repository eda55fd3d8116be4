//! The tests of the library, in one program: each program of tests would link the library once more.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod checked;
mod classify;
mod columnar;
mod columns;
mod common;
mod dependence;
mod design_variances;
mod designs;
mod evaluate;
mod file_cycles;
mod folds;
mod formats;
mod given_statistics;
mod information;
mod inner_splits;
mod layers;
mod measures;
mod models;
mod moments;
mod needed;
mod npfs;
mod null_sums;
mod null_targets_by_row;
mod row_noise;
mod said_once;
mod scores;
mod second_look;
mod shard;
mod shard_codes;
mod shard_covariates;
mod shared_data;
mod simulate;
mod sparse_means;
mod special;
mod statistics;
mod survival;
mod vector_machine;
mod weights;

/// A file of tests that nobody names is never compiled, and its tests never fail.
#[test]
fn every_file_of_tests_is_compiled() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut seen = 0;
    for one in std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(entries) = std::fs::read_dir(one.join("tests")) else { continue };
        let read = |file: &str| std::fs::read_to_string(one.join(file)).unwrap();
        let (modules, manifest) = (read("tests/main.rs"), read("Cargo.toml"));
        for name in entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
            let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") else { continue };
            let compiled = modules.contains(&format!("mod {module};")) || manifest.contains(&format!("tests/{name}"));
            assert!(compiled, "{}: tests/main.rs does not name {name}", one.display());
            seen += 1;
        }
    }
    assert!(seen > 25, "{seen} files");
}
