//! The moderated scores of a table of two classes, and of permuted targets, by the public functions.

use tamis::numeric::random;
use tamis::score::{Scoring, Statistic};
use tamis::sparse_means::noise_states::{Naming, Noise, NoiseStates, explain};
use tamis::sparse_means::null_scores::HeldNullScores;
use tamis::sparse_means::{Curves, Sides};
use tamis::table::{Column, Covariate, Target};
use tamis::{Context, Table};

/// Null targets.
const ROWS: u64 = 199;

/// A table's scores, and what they say.
pub struct Judged {
    pub z: Vec<f64>,
    pub answer: NoiseStates,
}

/// The moderated score of every feature.
fn scores(table: &Table) -> Vec<f64> {
    let scoring = Scoring { statistic: Statistic::Moderated, ..Scoring::default() };
    scoring.scores(&table.view(), &mut Context::default()).unwrap().into_z()
}

/// The columns of a table with another target.
fn with_target(table: &Table, target: Target) -> Table {
    let columns = table.columns().iter().map(|column| column.numbers().unwrap().to_vec()).collect();
    Table::new(table.names().to_vec(), columns, "y", target).unwrap()
}

/// Judges a table of two classes: gate rows have permuted labels, rows for the states permuted numbers beside the real
/// labels as a covariate.
pub fn judge(table: &Table, seed: u64) -> Judged {
    let Target::Classes { codes, labels, positive, .. } = table.target() else { panic!("two classes") };
    let classes: Vec<f64> = codes.iter().map(|code| f64::from(u8::from(code == positive))).collect();
    let order = |r: u64| random::permutation(seed, r, codes.len());
    let gate = |r: u64| {
        let permuted = order(r).iter().map(|&row| codes[row as usize]).collect();
        scores(&with_target(table, Target::of_codes(labels.clone(), permuted, *positive).unwrap()))
    };
    let state = |r: u64| {
        let values = order(ROWS + r).iter().map(|&row| classes[row as usize]).collect();
        let covariate = Covariate { name: "class".into(), values: Column::Numbers(classes.clone()) };
        scores(&with_target(table, Target::Real { values }).with_covariates(vec![covariate]).unwrap())
    };
    let nulls = HeldNullScores { states: (0..ROWS).map(state).collect(), gate: (0..ROWS).map(gate).collect() };
    let z = scores(table);
    let noise = Noise::Table { nulls: &nulls, residual_dimension: codes.len() - 2 };
    let answer = explain(&z, Sides::Two, noise, NAMING, Curves::Drawn, &mut Context::default()).unwrap();
    Judged { z, answer }
}

/// The defaults.
pub const NAMING: Naming = Naming { fdr: 0.1, quiet: 0.99 };
