//! Whether the default tells the truth: intervals that hold, silence on noise, as many false features as claimed.
//!
//! The designs are fixed and so is every seed; the output is the same on any number of threads.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod bins;
mod coverage;
mod demo;
mod designs;
mod planted;
mod quiet;
mod scores;

use std::time::Instant;

/// How much of the whole is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effort {
    /// As many runs as the bars ask for.
    Full,
    /// Enough to see that it works.
    Quick,
}

impl Effort {
    /// How many of `full` runs to make.
    fn runs(self, full: usize) -> u64 {
        match self {
            Effort::Full => full as u64,
            Effort::Quick => (full / 50).max(2) as u64,
        }
    }
}

/// A section of the output: its name and what prints it.
type Section = (&'static str, fn(Effort));

const SECTIONS: [Section; 5] = [
    ("coverage", coverage::print),
    ("quiet", quiet::print),
    ("planted", planted::print),
    ("demo", demo::print),
    ("scores", scores::print),
];

/// Prints every section, or those that are named.
pub fn run(effort: Effort, only: &[&str]) {
    if effort == Effort::Quick {
        println!("a fiftieth of the runs: too few to judge by");
    }
    for (name, print) in SECTIONS.iter().filter(|(name, _)| only.is_empty() || only.contains(name)) {
        let start = Instant::now();
        print(effort);
        eprintln!("{name}: {:.0} s", start.elapsed().as_secs_f64());
    }
}

/// Whether a bar is met, in one word.
fn verdict(met: bool) -> &'static str {
    if met { "meets" } else { "MISSES" }
}

/// The mean of some numbers, 0 for none.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.sum::<f64>() / n
}
