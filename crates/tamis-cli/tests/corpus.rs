//! The corpus of the fuzzer, replayed without it: every file through its target.
#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)]

#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[test]
fn every_case_of_the_corpus_keeps_the_promises_of_its_target() {
    let mut count = 0;
    for (name, target) in fuzz::TARGETS {
        let all = cases(name);
        assert!(!all.is_empty(), "{name} has no case");
        for bytes in all {
            println!("{name}: {:?}", String::from_utf8_lossy(&bytes)); // shown if it fails
            target(&bytes);
            count += 1;
        }
    }
    println!("corpus: {count} cases");
}

/// Every case with a byte changed, removed or doubled: a little fuzzing without a fuzzer.
#[test]
fn small_changes_of_the_corpus_do_no_harm() {
    let mut random = Random(1);
    for (name, target) in fuzz::TARGETS {
        for case in cases(name) {
            let changed = random.changed(&case, &case);
            println!("{name}: {:?}", String::from_utf8_lossy(&changed));
            target(&changed);
        }
    }
}

/// The same for as many minutes as `TAMIS_FUZZ_MINUTES` says, where there is no libFuzzer; a case that fails is written to
/// the folder of temporary files.
#[test]
#[ignore = "takes as many minutes as TAMIS_FUZZ_MINUTES says"]
fn changing_the_corpus_takes_minutes() {
    let minutes = std::env::var("TAMIS_FUZZ_MINUTES").ok().and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0);
    let each = Duration::from_secs_f64(60.0 * minutes / fuzz::TARGETS.len() as f64);
    let mut random = Random(std::env::var("TAMIS_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1));
    let mut total = 0_u64;
    for (name, target) in fuzz::TARGETS {
        let cases = cases(name);
        let (started, mut count) = (Instant::now(), 0_u64);
        while started.elapsed() < each {
            let one = random.below(cases.len());
            let other = random.below(cases.len());
            let changed = random.changed(&cases[one], &cases[other]);
            let done = std::panic::catch_unwind(|| target(&changed));
            if done.is_err() {
                let path = std::env::temp_dir().join(format!("tamis-fuzz-{name}"));
                std::fs::write(&path, &changed).unwrap();
                panic!("{name}: {}", path.display());
            }
            count += 1;
        }
        println!("{name}: {count} cases");
        total += count;
    }
    println!("changes of the corpus: {total} cases, no crash");
}

/// The cases of a target.
fn cases(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    /// A case with up to eight small changes, some of them parts of another case.
    fn changed(&mut self, case: &[u8], other: &[u8]) -> Vec<u8> {
        const ODD: [&[u8]; 12] = [
            b"1e308",
            b"-1",
            b"NaN",
            b"\0",
            b"\xff",
            b"\"",
            b"\n",
            b",",
            b"99999999999999999999",
            b"4294967295",
            b"{}",
            b"null",
        ];
        let mut bytes = case.to_vec();
        for _ in 0..=self.below(8) {
            let at = self.below(bytes.len());
            match self.below(7) {
                _ if bytes.is_empty() => bytes.extend_from_slice(other),
                0 | 1 => bytes[at] ^= 1 << self.below(8),
                2 => bytes[at] = self.below(256) as u8,
                3 => drop(bytes.drain(at..(at + 1 + self.below(16)).min(bytes.len()))),
                4 => drop(bytes.splice(at..at, ODD[self.below(ODD.len())].iter().copied())),
                5 => bytes.truncate(at.max(1)),
                _ => {
                    let from = self.below(other.len());
                    let to = (from + 1 + self.below(32)).min(other.len());
                    drop(bytes.splice(at..at, other[from..to].iter().copied()));
                }
            }
        }
        bytes
    }
}
