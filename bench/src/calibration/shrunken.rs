//! Shrunken differences in the features' own unit: whether `shrink` on moderated t statistics and `select` on the rows give
//! the true ones back, by degrees of freedom.

use super::{Effort, mean, verdict};
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use rayon::prelude::*;
use tamis::numeric::random;
use tamis::score::given::{DegreesOfFreedom, GivenScores};
use tamis::table::Target;
use tamis::{Context, Selection, Selector, Snbl, SparseMeans, Table, sparse_means};

const FEATURES: usize = 2000;
const RELEVANT: usize = 200;
/// The true difference of features that have one, either way.
const DIFFERENCE: f64 = 1.5;
/// The typical standard deviation within classes, and the degrees of freedom that variances scatter about it with.
const DEVIATION: f64 = 0.3;
const PRIOR_DF: f64 = 4.0;

fn truth(feature: usize) -> f64 {
    match feature {
        RELEVANT.. => 0.0,
        _ if feature.is_multiple_of(2) => DIFFERENCE,
        _ => -DIFFERENCE,
    }
}

/// So many rows of each of two classes, those of the positive class first.
fn draw(rows: usize, run: u64) -> Table {
    let mut rng = random::stream(9000 + rows as u64, run);
    let scatter = ChiSquared::new(PRIOR_DF).unwrap();
    let column = |feature: usize| -> Vec<f64> {
        let deviation = DEVIATION * (PRIOR_DF / scatter.sample(&mut rng)).sqrt();
        let value = |row: usize| {
            let noise: f64 = StandardNormal.sample(&mut rng);
            deviation * noise + if row < rows { truth(feature) } else { 0.0 }
        };
        (0..2 * rows).map(value).collect()
    };
    let columns: Vec<Vec<f64>> = (0..FEATURES).map(column).collect();
    let labels: Vec<Option<&str>> = (0..2 * rows).map(|row| Some(if row < rows { "treated" } else { "a" })).collect();
    let names = (0..FEATURES).map(|feature| format!("f{feature}")).collect();
    Table::new(names, columns, "class", Target::classes(&labels)).unwrap()
}

/// Differences of the classes' means with standard errors that are moderated as limma does.
fn estimates(table: &Table, rows: usize) -> (Vec<f64>, Vec<f64>) {
    let of = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / rows as f64;
        (mean, values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>())
    };
    let one = |x: &[f64]| {
        let (treated, others) = (of(&x[..rows]), of(&x[rows..]));
        let df = (2 * rows - 2) as f64;
        let variance = (PRIOR_DF * DEVIATION * DEVIATION + treated.1 + others.1) / (PRIOR_DF + df);
        (treated.0 - others.0, (2.0 * variance / rows as f64).sqrt())
    };
    table.columns().iter().map(|column| one(column.numbers().unwrap())).unzip()
}

/// What is told of the features that differ: their mean shrunken difference in the direction of the truth, and how often
/// the 95 % interval holds the truth, where there is one.
struct Told {
    mean: f64,
    held: Option<f64>,
}

fn told(selection: &Selection) -> Told {
    let shrunken = selection.shrunken_differences.as_ref().unwrap();
    let holds = |[low, high]: &[Vec<f64>; 2]| {
        mean((0..RELEVANT).map(|i| f64::from(u8::from(low[i] <= truth(i) && truth(i) <= high[i]))))
    };
    Told {
        mean: mean((0..RELEVANT).map(|i| shrunken[i] * truth(i).signum())),
        held: selection.shrunken_differences_95.as_ref().map(holds),
    }
}

fn run(rows: usize, run: u64) -> [Told; 2] {
    let table = draw(rows, run);
    let (beta, se) = estimates(&table, rows);
    let df = DegreesOfFreedom::Same(2.0 * rows as f64 - 2.0 + PRIOR_DF);
    let given = GivenScores::of_estimates(&beta, &se, Some(&df)).unwrap();
    let context = &mut Context::seeded(run);
    let by_statistics =
        sparse_means::shrink_given(&SparseMeans::default(), table.names().clone(), &given, context).unwrap();
    let by_rows = Snbl::default().select(&table.view(), context).unwrap();
    [told(&by_statistics), told(&by_rows)]
}

/// Prints a line per number of rows.
pub fn print(effort: Effort) {
    let runs = effort.runs(50);
    println!("\n### Shrunken differences: {RELEVANT} of {FEATURES} features differ by ±{DIFFERENCE}\n");
    println!("standard deviations {DEVIATION}, their squares scattered with {PRIOR_DF} degrees of freedom\n");
    println!(
        "| rows | runs | `shrink` on differences, moderated errors, df | its 95 % intervals hold the truth | `select` on the \
         rows | bar: `shrink` at least 1.1, from 5 + 5 on 1.35, at most 1.6 |\n| --- | --- | --- | --- | --- | --- |"
    );
    for rows in [3, 5, 10, 30] {
        let all: Vec<[Told; 2]> = (0..runs).into_par_iter().map(|at| run(rows, at)).collect();
        let over = |which: usize| mean(all.iter().map(|told| told[which].mean));
        let held = 100.0 * mean(all.iter().map(|told| told[0].held.unwrap_or(0.0)));
        let least = if rows < 5 { 1.1 } else { 1.35 };
        let met = verdict((least..=1.6).contains(&over(0)));
        println!("| {rows} + {rows} | {runs} | {:.2} | {held:.0} % | {:.2} | {met} |", over(0), over(1));
    }
}
