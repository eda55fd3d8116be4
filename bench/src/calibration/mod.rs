//! Whether the default tells the truth: intervals that hold, silence on noise, as many false features as claimed.
//!
//! The designs are fixed and so is every seed; the output is the same on any number of threads.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod beside_p_values;
mod bins;
mod coverage;
mod demo;
mod designs;
mod independent_scores;
mod judged;
mod pasilla;
mod permuted_targets;
mod planted;
mod planted_on_noise;
mod quiet;
mod real_noise;
mod real_tables;
mod replication;
mod scores;
mod seeds;
mod shrunken;
mod shuffled;
mod studies;
mod times;
mod weights;

use std::time::Instant;

/// How much of the whole is run: one of so many runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    one_of: usize,
}

impl Effort {
    /// As many runs as the bars ask for.
    pub const FULL: Effort = Effort { one_of: 1 };
    /// Enough to see that it works.
    pub const QUICK: Effort = Effort { one_of: 50 };

    /// One of `one_of` runs.
    pub fn one_of(one_of: usize) -> Effort {
        Effort { one_of: one_of.max(1) }
    }

    /// How many of `full` runs to make.
    fn runs(self, full: usize) -> u64 {
        (full / self.one_of).max(2) as u64
    }
}

/// A section of the output: its name and what prints it.
type Section = (&'static str, fn(Effort));

const SECTIONS: [Section; 18] = [
    ("seeds", seeds::print),
    ("planted-on-noise", planted_on_noise::print),
    ("shuffled", shuffled::print),
    ("independent", independent_scores::print),
    ("few-samples", beside_p_values::print_few_samples),
    ("designs", beside_p_values::print_designs),
    ("pasilla", pasilla::print),
    ("replication", replication::print),
    ("dependence", permuted_targets::print_dependence),
    ("factors", permuted_targets::print_factors),
    ("times", times::print),
    ("quiet", quiet::print),
    ("planted", planted::print),
    ("demo", demo::print),
    ("coverage", coverage::print),
    ("scores", scores::print),
    ("shrunken", shrunken::print),
    ("weights", weights::print),
];

/// Prints every section, or those that are named.
pub fn run(effort: Effort, only: &[&str]) {
    if let Some(unknown) = only.iter().find(|wanted| SECTIONS.iter().all(|(name, _)| name != *wanted)) {
        let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
        eprintln!("there is no section {unknown}; there are {}", names.join(", "));
        std::process::exit(2);
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

/// A row of a table of bars.
fn print_bar(what: &str, measured: f64, bar: &str, met: bool) {
    let verdict = if bar == "–" { "" } else { verdict(met) };
    println!("| {what} | {measured:.3} | {bar} | {verdict} |");
}

/// The mean of some numbers, 0 for none.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.sum::<f64>() / n
}
