//! The program in one process for a long time: memory stays flat, no file is left, answers do not change.

use super::round::{Round, check_leftovers, table};
use crate::common::Place;
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// Tables that take turns.
const TABLES: u64 = 7;

pub fn run(long: Duration, seed: u64) {
    let place = Place::new();
    let mut random = Round::new(seed, 1);
    for at in 0..TABLES {
        place.write(&format!("t{at}.csv"), table(40 + 10 * at as usize, 50 + 97 * at as usize));
    }
    let path = |name: &str| place.path(name).into_os_string();
    let (mut answers, mut early, mut late, mut runs) = (vec![None; TABLES as usize], 0, 0, 0_u64);
    let started = Instant::now();
    while started.elapsed() < long {
        let at = random.below(TABLES);
        let input = path(&format!("t{at}.csv"));
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<OsString>>();
        let lines: [Vec<OsString>; 3] = [
            [words(&["tamis", "select", "--quiet", "--target", "label", "--csv"]), vec![path("r.csv"), input.clone()]]
                .concat(),
            [
                words(&["tamis", "fit", "--quiet", "--target", "label", "--method", "dlda", "--model"]),
                vec![path("m.json"), input.clone()],
            ]
            .concat(),
            [
                words(&[
                    "tamis", "evaluate", "--quiet", "--target", "label", "--method", "f", "--folds", "3", "--json",
                ]),
                vec![path("e.json"), input],
            ]
            .concat(),
        ];
        for line in lines {
            assert_eq!(tamis_cli::run(line), 0);
            runs += 1;
        }
        let answer = place.read("r.csv") + &place.read("m.json") + &without_times(&place.read("e.json"));
        assert_eq!(*answers[at as usize].get_or_insert_with(|| answer.clone()), answer, "the same answer");
        check_leftovers("soak", &place);
        let size = resident();
        if started.elapsed() < long.div_f64(6.0) { early = early.max(size) } else { late = late.max(size) }
    }
    let growth = late as f64 / early.max(1) as f64;
    eprintln!("soak: {runs} runs in {:.0} s; {early} kB at first, {late} kB later ({growth:.3})", long.as_secs_f64());
    assert!(growth < 1.02, "memory grows");
}

/// A document without the times it took, which differ from run to run.
fn without_times(json: &str) -> String {
    fn strip(value: &mut serde_json::Value) {
        if let Some(fields) = value.as_object_mut() {
            fields.retain(|key, _| key != "seconds");
            fields.values_mut().for_each(strip);
        } else if let Some(items) = value.as_array_mut() {
            items.iter_mut().for_each(strip);
        }
    }
    let mut value = serde_json::from_str(json).unwrap();
    strip(&mut value);
    value.to_string()
}

/// Memory that this process holds, in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
