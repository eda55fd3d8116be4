//! Studies of other designs: true ones and false shares beside Benjamini and Hochberg's procedure on the same scores, which
//! for moderated t is what limma does.

use super::judged::{benjamini_hochberg, false_share, split};
use super::studies::{DESIGNS, Drawn, FEW_SAMPLES, Study};
use super::{Effort, mean, verdict};
use rayon::prelude::*;
use tamis::analysis::{Analysis, Data};
use tamis::base::Silent;
use tamis::catalogue::Preparation;
use tamis::selection::Selection;
use tamis::table::counts::CountSettings;

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
    for ((study, least), seed) in FEW_SAMPLES.iter().zip([0.6, 0.85, 1.0]).zip((51_000..).step_by(10)) {
        line(study, seed, (runs, noise), least);
    }
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
