//! Scores alone: silence on noise, R of R planted effects, and what the limits in the README rest on.

use super::{Effort, verdict};
use rand::seq::index::sample;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use tamis::numeric::random;
use tamis::sparse_means::{Curves, Sides};
use tamis::{Context, SparseMeans};

fn selected(z: &[f64], sides: Sides<'_>) -> Vec<u32> {
    SparseMeans::default().fit_sides(z, sides, Curves::LeftOut, &mut Context::default()).unwrap().selected
}

fn noise(seed: u64, run: u64, n: usize) -> Vec<f64> {
    let mut rng = random::stream(seed, run);
    (0..n).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// Prints what scores without a table come to.
pub fn print(effort: Effort) {
    let two = [(20, 4000), (100, 4000), (500, 4000), (2000, 2000), (10_000, 1000), (100_000, 200)];
    let one = [(20, 2000), (500, 2000), (10_000, 400)];
    println!("\n### Scores of pure noise: share of runs in which nothing is selected\n");
    println!("| scores | K | runs | nothing selected | bar 98 % |\n| --- | --- | --- | --- | --- |");
    for (name, sides, sizes, seed) in
        [("two-sided", Sides::Two, &two[..], 1000), ("one-sided (F, χ²)", Sides::One, &one[..], 3000)]
    {
        for &(k, full) in sizes {
            let runs = effort.runs(full);
            let quiet = |run: &u64| selected(&noise(seed + k as u64, *run, k), sides).is_empty();
            let share = (0..runs).into_par_iter().filter(quiet).count() as f64 / runs as f64;
            println!("| {name} | {k} | {runs} | {:.2} % | {} |", 100.0 * share, verdict(share >= 0.98));
        }
    }
    planted(effort);
    let runs = effort.runs(400);
    let found = (0..runs).into_par_iter().filter(|&run| {
        let mut z = noise(4000, run, 100);
        z[0] += 4.0;
        selected(&z, Sides::Two).contains(&0)
    });
    println!("\none effect of 4 among 100: found in {:.2} of {runs} runs   no bar", found.count() as f64 / runs as f64);
}

fn planted(effort: Effort) {
    println!("\nR features of effect 5 among 100\n");
    println!("| R | runs | mean selected | of which planted | bar within 1 of R |\n| --- | --- | --- | --- | --- |");
    for r in [5, 10, 30, 50, 70, 90] {
        let runs = effort.runs(1000);
        let (count, right) = (0..runs)
            .into_par_iter()
            .map(|run| {
                let mut z = noise(2000 + r as u64, run, 100);
                let mut rng = random::stream(2000 + r as u64, (1 << 32) + run);
                let planted: Vec<usize> = sample(&mut rng, 100, r).into_vec();
                planted.iter().for_each(|&i| z[i] += 5.0);
                let chosen = selected(&z, Sides::Two);
                let right = chosen.iter().filter(|i| planted.contains(&(**i as usize))).count();
                (chosen.len(), right)
            })
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let (count, right) = (count as f64 / runs as f64, right as f64 / runs as f64);
        println!("| {r} | {runs} | {count:.2} | {right:.2} | {} |", verdict((count - r as f64).abs() <= 1.0));
    }
}
