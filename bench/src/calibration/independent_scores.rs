//! Independent scores of known means: true ones beside Benjamini and Hochberg's procedure, and the false share.

use super::judged::benjamini_hochberg;
use super::{Effort, mean, verdict};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use tamis::numeric::random;
use tamis::sparse_means::{Curves, Sides};
use tamis::{Context, SparseMeans};

/// Prints a line per number of scores; a tenth of the effects of ±3.
pub fn print(effort: Effort) {
    println!("\n### Independent scores, 10 % with effects of ±3\n");
    println!(
        "| K | runs | true ones | Benjamini–Hochberg 10 % | ratio, bar | false share, bar .11 |\n| --- | --- | --- | --- | --- | --- |"
    );
    for (k, full, least) in [(20, 400, 0.55), (50, 400, 0.55), (500, 200, 0.9), (5000, 100, 0.9), (1_000_000, 4, 0.9)] {
        let runs = effort.runs(full);
        let outcomes: Vec<[f64; 3]> = (0..runs).into_par_iter().map(|run| one(k, run)).collect();
        let over = |at: usize| mean(outcomes.iter().map(|outcome| outcome[at]));
        let (right, theirs, share) = (over(0), over(1), over(2));
        let ratio = right / theirs;
        println!(
            "| {k} | {runs} | {right:.2} | {theirs:.2} | {ratio:.2}, {least}: {} | {share:.3}: {} |",
            verdict(ratio >= least),
            verdict(share <= 0.11)
        );
    }
}

/// The true ones named, those of the other procedure, and the false share.
fn one(k: usize, run: u64) -> [f64; 3] {
    let mut rng = random::stream(41_000 + k as u64, run);
    let mean = |i: usize| if i < k / 10 { [3.0, -3.0][i % 2] } else { 0.0 };
    let z: Vec<f64> =
        (0..k).map(|i| mean(i) + <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng)).collect();
    let context = &mut Context::seeded(run);
    let named = SparseMeans::default().fit_sides(&z, Sides::Two, Curves::LeftOut, context).unwrap().selected;
    let right = |named: &[u32]| named.iter().filter(|i| mean(**i as usize) * z[**i as usize] > 0.0).count() as f64;
    let found = right(&named);
    [found, right(&benjamini_hochberg(&z, false, 0.1)), (named.len() as f64 - found) / named.len().max(1) as f64]
}
