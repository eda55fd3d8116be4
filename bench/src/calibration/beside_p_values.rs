//! Studies of other designs: true ones and false shares beside Benjamini and Hochberg's procedure on the same scores, which
//! for moderated t is what limma does.

use super::judged::{benjamini_hochberg, false_share, judge, split};
use super::real_noise;
use super::studies::{DESIGNS, Drawn, FEW_DONORS, FEW_SAMPLES, Study};
use super::{Effort, mean, verdict};
use rayon::prelude::*;
use tamis::analysis::{Analysis, Data};
use tamis::base::Silent;
use tamis::catalogue::Preparation;
use tamis::selection::Selection;
use tamis::table::counts::CountSettings;

/// Rows of each class in small tables.
const FEW_ROWS: [usize; 5] = [3, 4, 5, 6, 8];

/// The true and the false ones of a table, by tamis and by the other procedure, at .05 and at .1.
struct Outcome([[[usize; 2]; 2]; 2]);

fn analysed(study: &Study, drawn: &Drawn, seed: u64) -> Selection {
    let counts = CountSettings { normalize: study.normalize, ..CountSettings::default() };
    let preparation = Preparation { counts: Some(counts), ..Preparation::default() };
    let analysis = Analysis { preparation, second_look: Some(false), seed, ..Analysis::default() };
    analysis.select(&Data::of_table("drawn", &drawn.table), &mut Silent).unwrap().selection
}

fn outcome(study: &Study, seed: u64, run: u64) -> Outcome {
    let drawn = study.draw(true, seed, run);
    let selection = analysed(study, &drawn, run);
    let one_sided = drawn.table.target().n_classes().is_some_and(|n| n > 2);
    let is_right = |i: u32| {
        let (size, z) = (drawn.sizes[i as usize], selection.scores[i as usize]);
        if one_sided { size != 0.0 } else { size * z > 0.0 }
    };
    let q = selection.q_values.as_ref().unwrap();
    Outcome([0.05, 0.1].map(|rate| {
        let named: Vec<u32> = selection.selected.iter().copied().filter(|&i| q[i as usize] <= rate).collect();
        [named, benjamini_hochberg(&selection.scores, one_sided, rate)].map(|named| split(&named, is_right))
    }))
}

fn is_quiet(study: &Study, seed: u64, run: u64) -> bool {
    analysed(study, &study.draw(false, seed, run), run).selected.is_empty()
}

fn head(title: &str, runs: u64, noise: u64) {
    println!("\n### {title}: {runs} tables with effects and {noise} without a line\n");
    println!(
        "| study | rate | true ones | Benjamini–Hochberg on the same scores | ratio, bar | false share, bar .11 | theirs | something named without effects |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
}

/// Prints a line per study and rate; the number of tables of noise in which something is named.
fn line(study: &Study, seed: u64, (runs, noise): (u64, u64), least: f64) -> usize {
    let outcomes: Vec<Outcome> = (0..runs).into_par_iter().map(|run| outcome(study, seed, run)).collect();
    let loud = (0..noise).into_par_iter().filter(|run| !is_quiet(study, seed + 1, *run)).count();
    for (at, rate) in [".05", ".1"].into_iter().enumerate() {
        let [ours, theirs] = [0, 1].map(|who| mean(outcomes.iter().map(|o| o.0[at][who][0] as f64)));
        let [share, their_share] = [0, 1].map(|who| mean(outcomes.iter().map(|o| false_share(o.0[at][who]))));
        let ratio = ours / theirs;
        println!(
            "| {} | {rate} | {ours:.1} | {theirs:.1} | {ratio:.2}, {least}: {} | {share:.3}: {} | {their_share:.3} | {loud} of {noise} |",
            study.name,
            verdict(ratio >= least),
            verdict(share <= 0.11)
        );
    }
    loud
}

/// Prints studies of few samples.
pub fn print_few_samples(effort: Effort) {
    let (runs, noise) = (effort.runs(20), effort.runs(50));
    head("Few samples, 5,000 features of which 500 differ by N(0, 1), variances .16·4/χ²₄", runs, noise);
    let bars = [0.6, 0.7, 0.85, 0.9, 1.0, 0.6, 0.6, 0.6];
    for ((study, least), seed) in FEW_SAMPLES.iter().chain(&FEW_DONORS).zip(bars).zip((51_000..).step_by(10)) {
        line(study, seed, (runs, noise), least);
    }
    few_of_real_noise(effort.runs(25));
}

/// Prints in how many small tables, drawn from the noise of real ones, something is named.
fn few_of_real_noise(runs: u64) {
    println!(
        "\n### A few rows of each class drawn from the noise of real tables, labels shuffled: {runs} tables a cell\n\n\
         | table | {} |\n| --- |{}",
        FEW_ROWS.map(|n| format!("{n} + {n}")).join(" | "),
        " --- |".repeat(FEW_ROWS.len())
    );
    let (mut loud, mut all) = (0, 0);
    for (noise, seed) in real_noise::all().iter().zip((56_000..).step_by(100)) {
        let of = |n: usize| {
            let named = |run: u64| judge(&noise.draw_few(n, seed + n as u64, run), run).named().len();
            (0..runs).into_par_iter().filter(|run| named(*run) > 0).count()
        };
        let counts = FEW_ROWS.map(of);
        println!("| {} | {} |", noise.name, counts.map(|count| count.to_string()).join(" | "));
        (loud, all) = (loud + counts.iter().sum::<usize>(), all + runs as usize * FEW_ROWS.len());
    }
    let share = loud as f64 / all.max(1) as f64;
    println!("\nSomething is named in {loud} of {all}: {:.2} %, bar 1.5 %: {}", 100.0 * share, verdict(share <= 0.015));
}

/// Prints studies of other designs.
pub fn print_designs(effort: Effort) {
    let (runs, noise) = (effort.runs(20), effort.runs(50));
    head("Other designs", runs, noise);
    let mut loud = 0;
    for (study, seed) in DESIGNS.iter().zip((52_000..).step_by(10)) {
        loud += line(study, seed, (runs, noise), 0.95);
    }
    let all = noise as usize * DESIGNS.len();
    let share = loud as f64 / all as f64;
    println!(
        "\nSomething is named in {loud} of {all} tables without effects: {:.2} %, bar 1.5 %: {}",
        100.0 * share,
        verdict(share <= 0.015)
    );
}
