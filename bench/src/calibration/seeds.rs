//! How much the answer on real tables depends on the seed, and what other procedures name.

use super::judged::judge;
use super::{Effort, real_tables, verdict};
use rayon::prelude::*;

const SEEDS: u64 = 6;

/// Prints a line per real table: what is named with each seed, and by Benjamini and Hochberg's and Storey's procedures.
pub fn print(_: Effort) {
    println!("\n### Real tables, {SEEDS} seeds each\n");
    println!(
        "| table | rows × features | named by seed | (largest − smallest)/mean | bar .12 | at least | in all | Benjamini–Hochberg 10 % | Storey 10 % |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for real in real_tables::all() {
        let judged: Vec<_> = (0..SEEDS).into_par_iter().map(|seed| judge(&real.table, seed)).collect();
        let named: Vec<usize> = judged.iter().map(|judged| judged.named().len()).collect();
        let (least, most) = (named.iter().min().unwrap(), named.iter().max().unwrap());
        let mean = named.iter().sum::<usize>() as f64 / SEEDS as f64;
        let spread = if mean > 0.0 { (most - least) as f64 / mean } else { 0.0 };
        let first = &judged[0];
        let counts: Vec<String> = named.iter().map(ToString::to_string).collect();
        let interval = first.selection.n_expected_95.map_or("not said".into(), |[low, high]| format!("{low}–{high}"));
        println!(
            "| {} | {} × {} | {} | {spread:.3} | {} | {} | {interval} | {} | {} |",
            real.name,
            real.table.n_rows(),
            real.table.names().len(),
            counts.join(", "),
            verdict(spread <= 0.12),
            first.selection.at_least_95.unwrap(),
            first.by_p(0.1).len(),
            first.by_q(0.1).len()
        );
    }
}
