//! The README's demo, by many seeds.

use super::{Effort, mean, verdict};
use rayon::prelude::*;
use tamis::simulate::TwoGroups;
use tamis::{Context, Selector, Snbl};

struct Outcome {
    interval: [u64; 2],
    named: usize,
    wrong: usize,
}

fn run(seed: u64) -> Outcome {
    let drawn = TwoGroups::default().draw(seed).unwrap();
    let selection = Snbl::default().select(&drawn.table.view(), &mut Context::seeded(seed)).unwrap();
    let wrong = selection.selected.iter().filter(|&&i| drawn.truth[i as usize] == 0.0).count();
    let all = selection.names.len() as u64;
    let interval = selection.n_expected_95.unwrap_or([selection.at_least_95.unwrap(), all]);
    Outcome { interval, named: selection.selected.len(), wrong }
}

/// Prints how often the interval of the demo holds the 40 features that differ.
pub fn print(effort: Effort) {
    let seeds = effort.runs(50);
    let truth = TwoGroups::default().relevant as u64;
    let outcomes: Vec<Outcome> = (0..seeds).into_par_iter().map(run).collect();
    let held = outcomes.iter().filter(|o| (o.interval[0]..=o.interval[1]).contains(&truth)).count();
    let bar = (48 * seeds as usize).div_ceil(50);
    println!("\n### The demo, {seeds} seeds: 40 of 2,000 features differ\n");
    println!("the interval holds 40 in {held} of {seeds}   bar {bar}: {}", verdict(held >= bar));
    let end = |at: usize| mean(outcomes.iter().map(|o| o.interval[at] as f64));
    let named = mean(outcomes.iter().map(|o| o.named as f64));
    let wrong = mean(outcomes.iter().map(|o| o.wrong as f64));
    println!("mean interval {:.0}–{:.0}; named {named:.1}, of which false {wrong:.1}", end(0), end(1));
}
