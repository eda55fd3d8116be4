//! How often anything is named on the noise of real tables alone.

use super::judged::judge;
use super::{Effort, real_noise, verdict};
use rayon::prelude::*;

/// Prints a line per table, and the share over all.
pub fn print(effort: Effort) {
    let runs = effort.runs(63);
    println!(
        "\n### The noise of real tables without effects, labels shuffled {runs} times a line\n\n\
         | table | anything named | most named |\n| --- | --- | --- |"
    );
    let (mut loud, mut all) = (0, 0);
    for (t, noise) in real_noise::all().iter().enumerate() {
        let seed = 31_000 + 100 * t as u64;
        let named = |run: u64| judge(&noise.draw(None, seed, run).0, 1_000_000 + seed + run).named().len();
        let named: Vec<usize> = (0..runs).into_par_iter().map(named).collect();
        let count = named.iter().filter(|named| **named > 0).count();
        println!("| {} | {count} | {} |", noise.name, named.iter().max().copied().unwrap_or(0));
        (loud, all) = (loud + count, all + runs as usize);
    }
    let share = loud as f64 / all.max(1) as f64;
    println!("\nSomething is named in {loud} of {all}: {:.2} %, bar 1.5 %: {}", 100.0 * share, verdict(share <= 0.015));
}
