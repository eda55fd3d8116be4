//! How often something is named where nothing matters.

use super::{Effort, designs, verdict};
use rayon::prelude::*;
use tamis::{Context, Selector, Snbl};

/// Prints the share of tables of noise, or with shuffled labels, in which anything is named.
pub fn print(effort: Effort) {
    println!("\n### Nothing matters: tables in which anything is named\n");
    println!("| design | tables | anything named | most named | bar 4 % a cell |\n| --- | --- | --- | --- | --- |");
    let (mut named_in, mut all) = (0, 0);
    let tables = effort.runs(200);
    for (design, seed) in designs::all().iter().zip(7000..) {
        let named: Vec<usize> = (0..tables)
            .into_par_iter()
            .map(|run| {
                let drawn = design.draw(0, seed, run);
                let selection = Snbl::default().select(&drawn.table.view(), &mut Context::seeded(run)).unwrap();
                selection.selected.len()
            })
            .collect();
        let loud = named.iter().filter(|named| **named > 0).count();
        let most = named.iter().max().copied().unwrap_or(0);
        let share = loud as f64 / tables as f64;
        println!(
            "| {} | {tables} | {loud} ({:.1} %) | {most} | {} |",
            design.name,
            100.0 * share,
            verdict(share <= 0.04)
        );
        (named_in, all) = (named_in + loud, all + tables);
    }
    let share = named_in as f64 / all as f64;
    println!("\nover all {all} tables: {:.2} %   bar 1.5 %: {}", 100.0 * share, verdict(share <= 0.015));
}
