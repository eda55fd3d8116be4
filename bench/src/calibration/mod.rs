//! Whether the default tells the truth: intervals that hold, silence on noise, as many false features as claimed.
//!
//! The designs are fixed and so is every seed; the output is the same on any number of threads.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod bins;
mod coverage;
mod demo;
mod designs;
mod independent_scores;
mod permuted_scores;
mod planted;
mod planted_on_noise;
mod quiet;
mod scores;
mod shrunken;
mod weights;

use std::time::Instant;
use tamis::numeric::special::{ndtr, normal_two_sided};

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

const SECTIONS: [Section; 10] = [
    ("coverage", coverage::print),
    ("quiet", quiet::print),
    ("planted", planted::print),
    ("demo", demo::print),
    ("scores", scores::print),
    ("shrunken", shrunken::print),
    ("planted-on-noise", planted_on_noise::print),
    ("shuffled", planted_on_noise::print_shuffled),
    ("independent", independent_scores::print),
    ("weights", weights::print),
];

/// Prints every section, or those that are named.
pub fn run(effort: Effort, only: &[&str]) {
    if effort != Effort::FULL {
        println!("one of {} runs: too few to judge by", effort.one_of);
    }
    for (name, print) in SECTIONS.iter().filter(|(name, _)| only.is_empty() || only.contains(name)) {
        let start = Instant::now();
        print(effort);
        eprintln!("{name}: {:.0} s", start.elapsed().as_secs_f64());
    }
}

/// The features that Benjamini and Hochberg's step-up procedure rejects.
fn benjamini_hochberg(scores: &[f64], one_sided: bool, rate: f64) -> Vec<u32> {
    let p = |z: f64| if one_sided { ndtr(-z) } else { normal_two_sided(z) };
    let mut by_p: Vec<(f64, u32)> =
        scores.iter().zip(0..).filter(|(z, _)| !z.is_nan()).map(|(z, i)| (p(*z), i)).collect();
    by_p.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = by_p.len() as f64;
    let rejected = (1..=by_p.len()).rev().find(|&k| by_p[k - 1].0 <= rate * k as f64 / n).unwrap_or(0);
    by_p[..rejected].iter().map(|(_, i)| *i).collect()
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
