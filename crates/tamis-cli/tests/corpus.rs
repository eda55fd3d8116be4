//! The corpus of the fuzzer, replayed without it: every file through its target.
#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)]

#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

use std::path::{Path, PathBuf};

#[test]
fn every_case_of_the_corpus_keeps_the_promises_of_its_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut cases = 0;
    for (name, target) in fuzz::TARGETS {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(corpus.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{name} has no case");
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            println!("{}", file.display()); // shown if it fails
            target(&bytes);
            cases += 1;
        }
    }
    println!("corpus: {cases} cases");
}

/// Every case with a byte changed, removed or doubled: a little fuzzing without a fuzzer.
#[test]
fn small_changes_of_the_corpus_do_no_harm() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut state = 1_u64;
    for (name, target) in fuzz::TARGETS {
        for entry in std::fs::read_dir(corpus.join(name)).unwrap() {
            let file = entry.unwrap().path();
            let mut bytes = std::fs::read(&file).unwrap();
            if bytes.is_empty() {
                continue;
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % bytes.len();
            match state >> 61 {
                0..=3 => bytes[at] ^= (state >> 20) as u8 | 1,
                4 | 5 => drop(bytes.remove(at)),
                _ => bytes.insert(at, bytes[at]),
            }
            println!("{} with byte {at} changed", file.display());
            target(&bytes);
        }
    }
}
