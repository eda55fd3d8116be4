//! How often `dependence` and the second look find anything in real tables with shuffled labels, and what adjusting for
//! latent factors changes on planted ones.

use super::judged::{Judged, false_share, judge, judge_by, split};
use super::real_noise::{self, EFFECTS, RealNoise};
use super::{Effort, mean, verdict};
use rayon::prelude::*;
use tamis::dependence::Dependence;
use tamis::score::Factors;
use tamis::{Context, Selector, Snbl};

/// Prints how often anything is found on noise by `dependence` and by a second look.
pub fn print_dependence(effort: Effort) {
    let runs = effort.runs(60);
    println!(
        "\n### `dependence` and the second look on the noise of real tables, labels shuffled {runs} times a line\n\n\
         | table | `dependence` finds anything | the second look does |\n| --- | --- | --- |"
    );
    let mut sums = [0, 0, 0];
    for (t, noise) in real_noise::all().iter().enumerate() {
        let seed = 33_000 + 100 * t as u64;
        let one = |run: u64| {
            let (table, _) = noise.draw(None, seed, run);
            let view = table.view();
            let found = Dependence::default().select(&view, &mut Context::seeded(run)).unwrap();
            // nothing is named, which is what the first look says on noise
            let mut selection = found.clone();
            selection.selected.clear();
            selection.look_again(&view, &mut Context::seeded(run)).unwrap();
            [!found.selected.is_empty(), selection.second_look.is_some_and(|look| !look.is_empty())]
        };
        let found: Vec<[bool; 2]> = (0..runs).into_par_iter().map(one).collect();
        let [alone, again] = [0, 1].map(|at| found.iter().filter(|found| found[at]).count());
        println!("| {} | {alone} | {again} |", noise.name);
        sums = [sums[0] + alone, sums[1] + again, sums[2] + runs as usize];
    }
    let [alone, again] = [sums[0], sums[1]].map(|sum| sum as f64 / sums[2].max(1) as f64);
    println!(
        "\nover all {}: {:.2} % (`alpha` .05: {}) and {:.2} % (.01, bar .015: {})",
        sums[2],
        100.0 * alone,
        verdict(alone <= 0.05),
        100.0 * again,
        verdict(again <= 0.015)
    );
}

/// Prints true ones and false shares with and without an adjustment for factors.
pub fn print_factors(effort: Effort) {
    let runs = effort.runs(10);
    println!(
        "\n### `factors=auto` beside the default, effects planted on the noise of real tables, {runs} tables a line\n\n\
         | table | effects | true ones | with factors | false share | with factors |\n| --- | --- | --- | --- | --- | --- |"
    );
    let with_factors = Snbl { factors: Factors::Auto, ..Snbl::default() };
    for (t, noise) in real_noise::all().iter().take(3).enumerate() {
        for (e, effects) in EFFECTS.iter().enumerate() {
            let seed = 35_000 + 100 * (5 * t + e) as u64;
            let outcomes: Vec<[[usize; 2]; 2]> =
                (0..runs).into_par_iter().map(|run| beside(noise, effects, &with_factors, seed, run)).collect();
            let right = |at: usize| mean(outcomes.iter().map(|o| o[at][0] as f64));
            let share = |at: usize| mean(outcomes.iter().map(|o| false_share(o[at])));
            println!(
                "| {} | {} | {:.1} | {:.1} | {:.3} | {:.3} |",
                noise.name,
                effects.0,
                right(0),
                right(1),
                share(0),
                share(1)
            );
        }
    }
}

fn beside(noise: &RealNoise, effects: &real_noise::Effects, factors: &Snbl, seed: u64, run: u64) -> [[usize; 2]; 2] {
    let (table, sizes) = noise.draw(Some(effects), seed, run);
    let of = |judged: Judged| split(judged.named(), |i| sizes[i as usize] * judged.z()[i as usize] > 0.0);
    [of(judge(&table, run)), of(judge_by(factors, &table, run))]
}
