//! Whether the default tells the truth: nothing on pure noise, R of R planted effects.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use rand::seq::index::sample;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use tamis::numeric::random;
use tamis::sparse_means::{Curves, Sides};
use tamis::{Context, SparseMeans};

fn selected(z: &[f64]) -> usize {
    SparseMeans::default().fit(z, &mut Context::default()).unwrap().selected.len()
}

/// Prints both tables; `share` divides the number of runs.
pub fn run(share: usize) {
    println!("pure noise: share of runs in which nothing is selected (bar: at least 0.98)\n");
    println!("| K | runs | nothing selected |\n| --- | --- | --- |");
    for (k, runs) in [(20, 4000), (100, 4000), (500, 4000), (2000, 2000), (10_000, 1000), (100_000, 200)] {
        let runs = runs / share;
        let nothing = (0..runs as u64)
            .into_par_iter()
            .filter(|&run| {
                let mut rng = random::stream(1000 + k as u64, run);
                let z: Vec<f64> = (0..k).map(|_| StandardNormal.sample(&mut rng)).collect();
                selected(&z) == 0
            })
            .count();
        println!("| {k} | {runs} | {:.4} |", nothing as f64 / runs as f64);
    }
    println!("\nthe same where only positive scores count (F, χ²)\n");
    println!("| K | runs | nothing selected |\n| --- | --- | --- |");
    for (k, runs) in [(20, 2000), (500, 2000), (10_000, 400)] {
        let runs = runs / share;
        let nothing = (0..runs as u64)
            .into_par_iter()
            .filter(|&run| {
                let mut rng = random::stream(3000 + k as u64, run);
                let z: Vec<f64> = (0..k).map(|_| StandardNormal.sample(&mut rng)).collect();
                SparseMeans::default()
                    .fit_sides(&z, Sides::One, Curves::Drawn, &mut Context::default())
                    .unwrap()
                    .selected
                    .is_empty()
            })
            .count();
        println!("| {k} | {runs} | {:.4} |", nothing as f64 / runs as f64);
    }
    println!("\nR features of effect 5 among 100: mean number selected (bar: within 1 of R)\n");
    println!("| R | runs | selected | of which planted |\n| --- | --- | --- | --- |");
    for r in [5, 10, 30, 50, 70, 90] {
        let runs = 1000 / share;
        let (count, right) = (0..runs as u64)
            .into_par_iter()
            .map(|run| {
                let mut rng = random::stream(2000 + r as u64, run);
                let mut z: Vec<f64> = (0..100).map(|_| StandardNormal.sample(&mut rng)).collect();
                let planted: Vec<usize> = sample(&mut rng, 100, r).into_vec();
                planted.iter().for_each(|&i| z[i] += 5.0);
                let chosen = SparseMeans::default().fit(&z, &mut Context::default()).unwrap().selected;
                let right = chosen.iter().filter(|i| planted.contains(&(**i as usize))).count();
                (chosen.len(), right)
            })
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        println!("| {r} | {runs} | {:.2} | {:.2} |", count as f64 / runs as f64, right as f64 / runs as f64);
    }
}

/// The true mean of score i, given a standard normal number of its own.
type Mean = fn(usize, f64) -> f64;

/// What the limits in the README rest on: how often one weak effect is found, and how often the interval holds.
pub fn limits(share: usize) {
    let runs = 400 / share;
    let found = (0..runs as u64).into_par_iter().filter(|&run| {
        let mut rng = random::stream(4000, run);
        let mut z: Vec<f64> = (0..100).map(|_| StandardNormal.sample(&mut rng)).collect();
        z[0] += 4.0;
        SparseMeans::default().fit(&z, &mut Context::default()).unwrap().selected.contains(&0)
    });
    println!("\none effect of 4 among 100: found in {:.2} of {runs} runs", found.count() as f64 / runs as f64);
    println!("\nhow often the 95 % interval (given the fitted prior) holds the true number of |μ| > 1\n");
    println!("| setting | runs | holds |\n| --- | --- | --- |");
    let settings: [(&str, usize, Mean); 3] = [
        ("20 of 500 at 3", 500, |i, _| if i < 20 { 3.0 } else { 0.0 }),
        ("40 of 2,000 at ±5", 2000, |i, _| if i < 40 { 5.0 - 10.0 * (i % 2) as f64 } else { 0.0 }),
        ("200 of 2,000 from N(0, 4)", 2000, |i, noise| if i < 200 { 2.0 * noise } else { 0.0 }),
    ];
    for (name, k, mean) in settings {
        let holds = (0..runs as u64).into_par_iter().filter(|&run| {
            let mut rng = random::stream(5000 + k as u64, run);
            let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
            let means: Vec<f64> = (0..k).map(|i| mean(i, draw())).collect();
            let z: Vec<f64> = means.iter().map(|m| m + draw()).collect();
            let truth = means.iter().filter(|m| m.abs() > 1.0).count() as u64;
            let posterior = SparseMeans::default().fit(&z, &mut Context::default()).unwrap();
            let [low, high] = posterior.n_expected_95.unwrap();
            (low..=high).contains(&truth)
        });
        println!("| {name} | {runs} | {:.2} |", holds.count() as f64 / runs as f64);
    }
}
