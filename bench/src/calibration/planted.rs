//! Thirty features matter: how many are named, and how many of the named are false.

use super::bins::Bins;
use super::designs::Design;
use super::judged::benjamini_hochberg;
use super::{Effort, designs, mean, verdict};
use rayon::prelude::*;
use tamis::base::Auto;
use tamis::table::Target;
use tamis::{Context, Selector, Snbl, SparseMeans};

const EFFECTS: usize = 30;

/// A table and what was made of it.
struct Outcome {
    right: usize,
    wrong: usize,
    claimed: f64,
    held: bool,
    independent: usize,
    benjamini_hochberg: (usize, usize),
    bins: Bins,
}

fn run(design: &Design, seed: u64, run: u64) -> Outcome {
    let drawn = design.draw(EFFECTS, seed, run);
    let (view, matters) = (drawn.table.view(), &drawn.matters);
    let selection = Snbl::default().select(&view, &mut Context::seeded(run)).unwrap();
    let right = |named: &[u32]| named.iter().filter(|&&i| matters[i as usize]).count();
    let named = selection.selected.len();
    let means = SparseMeans { permutations: Auto::Set(0), ..SparseMeans::default() };
    let independent = Snbl { means, ..Snbl::default() }.choose(&view, &mut Context::seeded(run)).unwrap();
    let one_sided = matches!(drawn.table.target(), Target::Classes { labels, .. } if labels.len() > 2);
    let by_p = benjamini_hochberg(&selection.scores, one_sided, 0.05);
    let mut bins = Bins::default();
    bins.add(selection.probabilities.unwrap().into_iter(), matters);
    // without an interval: at least so many
    let [low, high] = selection.n_expected_95.unwrap_or([selection.at_least_95.unwrap(), u64::MAX]);
    Outcome {
        right: right(&selection.selected),
        wrong: named - right(&selection.selected),
        claimed: selection.expected_false.unwrap() / named.max(1) as f64,
        held: (low..=high).contains(&(EFFECTS as u64)),
        independent: right(&independent),
        benjamini_hochberg: (right(&by_p), by_p.len() - right(&by_p)),
        bins,
    }
}

/// The share of false ones, 0 if nothing is named.
fn false_share(right: usize, wrong: usize) -> f64 {
    wrong as f64 / (right + wrong).max(1) as f64
}

/// Prints a line per design, and probability against truth.
pub fn print(effort: Effort) {
    println!("\n### {EFFECTS} features matter, their scores 3 to 6 (gene tables: shifts of 1 to 2 sd)\n");
    println!(
        "| design | tables | true named | false share | claimed | bar claimed + .03 | worst table | interval holds {EFFECTS} | \
         true named, `permutations=0` | Benjamini–Hochberg 5 %: true / false share |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let tables = effort.runs(100);
    let (mut independent, mut correlated, mut power) = (Bins::default(), Bins::default(), String::new());
    for (design, seed) in designs::all().iter().zip(8000..) {
        let outcomes: Vec<Outcome> = (0..tables).into_par_iter().map(|at| run(design, seed, at)).collect();
        let over = |of: fn(&Outcome) -> f64| mean(outcomes.iter().map(of));
        let (right, before) = (over(|o| o.right as f64), over(|o| o.independent as f64));
        let (wrong, claimed) = (over(|o| false_share(o.right, o.wrong)), over(|o| o.claimed));
        let worst = outcomes.iter().map(|o| false_share(o.right, o.wrong)).fold(0.0, f64::max);
        println!(
            "| {} | {tables} | {right:.1} | {wrong:.3} | {claimed:.3} | {} | {worst:.2} | {:.0} % | {before:.1} | {:.1} / {:.3} |",
            design.name,
            verdict(wrong <= claimed + 0.03),
            100.0 * over(|o| f64::from(u8::from(o.held))),
            over(|o| o.benjamini_hochberg.0 as f64),
            over(|o| false_share(o.benjamini_hochberg.0, o.benjamini_hochberg.1)),
        );
        let bins = if design.is_plain() { &mut independent } else { &mut correlated };
        outcomes.iter().for_each(|outcome| bins.merge(&outcome.bins));
        if design.is_plain() {
            power = format!("{:.1} %   bar 95 %: {}", 100.0 * right / before, verdict(right >= 0.95 * before));
        }
    }
    println!("\npower under independence against `permutations=0`: {power}");
    independent.print("independent features");
    correlated.print("the other designs together");
}
