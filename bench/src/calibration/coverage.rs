//! How often the 95 % interval holds the true number of |μ| > 1, for scores of known means.

use super::bins::Bins;
use super::{Effort, verdict};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};
use rayon::prelude::*;
use tamis::numeric::random;
use tamis::{Context, SparseMeans};

/// Where effects lie.
struct Shape {
    name: &'static str,
    /// The mean of a feature that has an effect.
    effect: fn(&mut ChaCha8Rng) -> f64,
    /// The standard deviation of the means of all others.
    others: f64,
}

const SHAPES: [Shape; 8] = [
    Shape { name: "3", effect: |_| 3.0, others: 0.0 },
    Shape { name: "±5", effect: |rng| 5.0 * sign(rng), others: 0.0 },
    Shape { name: "N(0, 2²)", effect: |rng| 2.0 * normal(rng), others: 0.0 },
    Shape { name: "half-normal(3)", effect: |rng| 3.0 * normal(rng).abs(), others: 0.0 },
    Shape { name: "Laplace(2)", effect: |rng| 2.0 * sign(rng) * exponential(rng), others: 0.0 },
    Shape { name: "±1.05", effect: |rng| 1.05 * sign(rng), others: 0.0 },
    Shape { name: "±U(.5, 1.5)", effect: |rng| sign(rng) * rng.random_range(0.5..1.5), others: 0.0 },
    Shape { name: "±4 beside N(0, .4²)", effect: |rng| 4.0 * sign(rng), others: 0.4 },
];

const NOISE: Shape = Shape { name: "noise", effect: |_| 0.0, others: 0.0 };

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn exponential(rng: &mut ChaCha8Rng) -> f64 {
    Exp1.sample(rng)
}

fn sign(rng: &mut ChaCha8Rng) -> f64 {
    if rng.random::<bool>() { 1.0 } else { -1.0 }
}

/// Scores of a shape: how many, and how many of them have an effect.
struct Cell<'a> {
    shape: &'a Shape,
    scores: usize,
    effects: usize,
}

/// Runs of a cell and what they came to.
struct Outcome {
    /// Whether the interval holds the number, and its width, where one is printed.
    printed: Option<(bool, u64)>,
    bins: Bins,
}

impl Cell<'_> {
    fn run(&self, seed: u64, run: u64) -> Outcome {
        let mut rng = random::stream(seed, run);
        let mean = |i: usize, rng: &mut ChaCha8Rng| match i < self.effects {
            true => (self.shape.effect)(rng),
            false => self.shape.others * normal(rng),
        };
        let means: Vec<f64> = (0..self.scores).map(|i| mean(i, &mut rng)).collect();
        let z: Vec<f64> = means.iter().map(|mean| mean + normal(&mut rng)).collect();
        let truth = means.iter().filter(|mean| mean.abs() > 1.0).count() as u64;
        let directed: Vec<bool> = means.iter().zip(&z).map(|(mean, z)| mean * z > 0.0).collect();
        let posterior = SparseMeans::default().fit(&z, &mut Context::default()).unwrap();
        let printed = posterior.differ.interval.map(|[low, high]| ((low..=high).contains(&truth), high - low));
        let mut bins = Bins::default();
        bins.add(posterior.irrelevant.iter().map(|p| 1.0 - p), &directed);
        Outcome { printed, bins }
    }
}

/// Prints coverage by number of scores, share and shape, and probability against truth over all of them.
pub fn print(effort: Effort) {
    println!("\n### Coverage of the 95 % interval for the number of |μ| > 1: `SparseMeans::fit` on scores\n");
    let heads: String = SHAPES.iter().map(|shape| format!(" {} |", shape.name)).collect();
    println!(
        "| K | share | runs |{heads} bar 90 % a cell |\n| --- | --- | --- |{} --- |",
        " --- |".repeat(SHAPES.len())
    );
    let (mut bins, mut held, mut all, mut seed) = (Bins::default(), 0, 0, 6000);
    // fewer runs where they take longest
    for (scores, full) in [(100, 400), (2000, 400), (20_000, 100)] {
        let runs = effort.runs(full);
        let lowest = if scores == 100 { 0.01 } else { 0.005 };
        for share in [0.0, lowest, 0.02, 0.1, 0.4] {
            let shapes = if share == 0.0 { std::slice::from_ref(&NOISE) } else { &SHAPES[..] };
            let mut shares = vec![];
            for shape in shapes {
                seed += 1;
                let cell = Cell { shape, scores, effects: (share * scores as f64).round() as usize };
                let outcomes: Vec<Outcome> = (0..runs).into_par_iter().map(|run| cell.run(seed, run)).collect();
                let printed: Vec<(bool, u64)> = outcomes.iter().filter_map(|outcome| outcome.printed).collect();
                let holds = printed.iter().filter(|(held, _)| *held).count() as u64;
                outcomes.iter().for_each(|outcome| bins.merge(&outcome.bins));
                let n = printed.len() as f64;
                let width = printed.iter().map(|(_, width)| width).sum::<u64>() as f64 / n;
                shares.push((holds as f64 / n, width, n / runs as f64));
                (held, all) = (held + holds, all + printed.len() as u64);
            }
            let cells: String = shares
                .iter()
                .map(|(share, width, printed)| {
                    format!(" {:.1} % (width {width:.0}, printed {:.0} %) |", 100.0 * share, 100.0 * printed)
                })
                .collect();
            let empty = " |".repeat(SHAPES.len() - shapes.len());
            let met = shares.iter().all(|(share, _, printed)| *printed == 0.0 || *share >= 0.9);
            println!("| {scores} | {} % | {runs} |{cells}{empty} {} |", 100.0 * share, verdict(met));
        }
    }
    let over_all = held as f64 / all as f64;
    println!("\nover all {all} intervals printed: {:.2} %   bar 93 %: {}", 100.0 * over_all, verdict(over_all >= 0.93));
    bins.print("the same scores, all shapes together (true: an effect in the direction of the score)");
}
