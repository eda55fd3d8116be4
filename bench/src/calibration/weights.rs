//! What importance weights do to the answer on noise, and to the intervals of differences.

use super::{Effort, mean, verdict};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};
use rayon::prelude::*;
use tamis::numeric::random;
use tamis::table::{RowWeights, Target, WeightKind};
use tamis::{Context, Selector, Snbl, Table};

const ROWS: usize = 200;
const FEATURES: usize = 500;

/// The weight of a row of this class.
type Weigh = fn(&mut ChaCha8Rng, usize) -> f64;

const WEIGHTS: [(&str, Weigh); 6] = [
    ("1", |_, _| 1.0),
    ("10", |_, _| 10.0),
    ("1, 2 or 3", |rng, _| f64::from(rng.random_range(1..=3))),
    ("exponential", |rng, _| Exp1.sample(rng)),
    ("9 in one class, 1 in the other", |_, class| if class == 1 { 9.0 } else { 1.0 }),
    ("exponential, 9 times as large in one class", |rng, class| {
        let weight: f64 = Exp1.sample(rng);
        if class == 1 { 9.0 * weight } else { weight }
    }),
];

/// The targets: how many of the rows are of the first class, or `None` for a numeric target.
const TARGETS: [(&str, Option<usize>); 3] = [("100 + 100", Some(100)), ("20 + 180", Some(20)), ("numeric", None)];

struct Noise {
    named: usize,
    /// The share of intervals that hold 0.
    covered: f64,
}

fn noise(first: Option<usize>, weigh: Weigh, run: u64) -> Noise {
    let mut rng = random::stream(8000, run);
    let mut normal = || (0..ROWS).map(|_| StandardNormal.sample(&mut rng)).collect::<Vec<f64>>();
    let columns: Vec<Vec<f64>> = (0..FEATURES).map(|_| normal()).collect();
    let class = |row: usize| usize::from(first.is_some_and(|first| row < first));
    let target = match first {
        None => Target::Real { values: normal() },
        Some(_) => Target::classes(&(0..ROWS).map(|row| Some(["a", "b"][class(row)])).collect::<Vec<_>>()),
    };
    let names = (0..FEATURES).map(|j| format!("f{j}")).collect();
    let mut rng = random::stream(8001, run);
    let weights = (0..ROWS).map(|row| weigh(&mut rng, class(row))).collect();
    let weights = RowWeights::new(weights, WeightKind::Importance).unwrap();
    let table = Table::new(names, columns, "y", target).unwrap().with_weights(weights).unwrap();
    let selection = Snbl::default().select(&table.view(), &mut Context::seeded(run)).unwrap();
    let holds = |f: &tamis::score::FeatureSummary| f.low <= 0.0 && f.high >= 0.0;
    let features = &selection.summaries.as_ref().unwrap().features;
    let covered = features.iter().filter(|f| holds(f)).count() as f64 / FEATURES as f64;
    Noise { named: selection.selected.len(), covered }
}

/// Prints the share of tables of noise in which anything is named, for several kinds of importance weights.
pub fn print(effort: Effort) {
    let tables = effort.runs(30);
    println!("\n### Importance weights: {ROWS} rows and {FEATURES} features of noise\n");
    println!("| target | weights | tables | anything named | intervals that hold 0 | bar 4 % |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (target, first) in TARGETS {
        for (name, weigh) in WEIGHTS {
            let found: Vec<Noise> = (0..tables).into_par_iter().map(|run| noise(first, weigh, run)).collect();
            let loud = found.iter().filter(|noise| noise.named > 0).count();
            let covered = mean(found.iter().map(|noise| noise.covered));
            let share = loud as f64 / tables as f64;
            println!(
                "| {target} | {name} | {tables} | {loud} ({:.1} %) | {:.1} % | {} |",
                100.0 * share,
                100.0 * covered,
                verdict(share <= 0.04)
            );
        }
    }
}
