//! A round of attacks: its random numbers, its count of cases, and what must hold after every run.

use crate::common::Place;
use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A run of a short round that takes longer than this is taken as hanging.
const LONGEST: Duration = Duration::from_secs(300);

pub struct Round {
    seed: u64,
    state: u64,
    /// How much larger the limits are than in a short round.
    pub scale: usize,
    cases: BTreeMap<&'static str, u64>,
    left_out: BTreeMap<&'static str, &'static str>,
    started: Instant,
}

impl Round {
    pub fn new(seed: u64, scale: usize) -> Round {
        let (cases, left_out) = (BTreeMap::new(), BTreeMap::new());
        Round { seed, state: seed ^ 0x9e37_79b9_7f4a_7c15, scale, cases, left_out, started: Instant::now() }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % n
    }

    /// Counts a case.
    pub fn case(&mut self, group: &'static str) {
        *self.cases.entry(group).or_default() += 1;
    }

    pub fn leave_out(&mut self, group: &'static str, reason: &'static str) {
        self.left_out.insert(group, reason);
    }

    pub fn tell(&self) {
        let total: u64 = self.cases.values().sum();
        let seconds = self.started.elapsed().as_secs_f64();
        println!("attack: {total} cases in {seconds:.1} s (seed {}): {:?}", self.seed, self.cases);
        for (group, reason) in &self.left_out {
            println!("attack: {group} left out: {reason}");
        }
    }

    /// Runs a command to its end and checks what must always hold; returns its status and its standard error.
    pub fn run(&mut self, group: &'static str, place: &Place, mut command: Command) -> (i32, String) {
        self.case(group);
        let started = Instant::now();
        let done = command.output().unwrap();
        assert!(started.elapsed() < LONGEST * self.scale as u32, "{group}: {command:?} took {:?}", started.elapsed());
        let told = check(group, &command, &done);
        check_leftovers(group, place);
        told
    }
}

/// No panic, no signal, a status that is documented.
pub fn check(group: &str, command: &Command, done: &Output) -> (i32, String) {
    let err = String::from_utf8_lossy(&done.stderr).into_owned();
    let status = done.status.code();
    let sound = matches!(status, Some(0 | 1 | 2 | 130)) && !err.contains("panicked") && !err.contains("a bug in tamis");
    assert!(sound, "{group}: {command:?} ended with {:?}: {err}", done.status);
    (status.unwrap_or(-1), err)
}

/// No temporary file is left.
pub fn check_leftovers(group: &str, place: &Place) {
    let left: Vec<String> = names(place).into_iter().filter(|name| name.starts_with(".tamis-")).collect();
    assert!(left.is_empty(), "{group}: {left:?} left behind");
}

/// The names in a folder, odd ones changed.
pub fn names(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path("")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// A table of noise in two classes, the first features of which differ.
pub fn table(rows: usize, features: usize) -> String {
    let mut text: String = (0..features).map(|j| format!("f{j},")).collect();
    text.push_str("label\n");
    for row in 0..rows {
        for j in 0..features {
            let noise = ((row * 7919 + j * 104_729 + row * row * 31 + j * j * 17) % 1009) as f64 / 1009.0;
            let shift = if j < 5 && row % 2 == 1 { 0.8 } else { 0.0 };
            text.push_str(&format!("{:.3},", noise + shift));
        }
        text.push_str(if row % 2 == 1 { "yes\n" } else { "no\n" });
    }
    text
}

/// A command of a shell, with the program as `$TAMIS`, in the folder of a place.
pub fn shell(place: &Place, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).env("TAMIS", env!("CARGO_BIN_EXE_tamis")).current_dir(place.path(""));
    command.stdin(std::process::Stdio::null());
    command
}
