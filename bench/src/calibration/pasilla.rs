//! A knock-down of one gene, four flies' libraries against three: RNA counts of which the answer is known in part.

use super::{Effort, print_bar, real_tables};
use tamis::analysis::{Analysis, Data};
use tamis::base::Silent;
use tamis::catalogue::Preparation;
use tamis::table::counts::{CountSettings, Normalize};
use tamis::table::{self, Input, ReadOptions, SampleFile};
use tamis::{Context, Table};

/// The gene that was knocked down.
const KNOCKED_DOWN: &str = "FBgn0261552";
const SEEDS: u64 = 3;

fn read() -> Option<Table> {
    let folder = real_tables::folder().join("known/pasilla");
    let samples = SampleFile { path: folder.join("samples.csv.gz"), id: None };
    let options = ReadOptions {
        transpose: true,
        samples: Some(samples),
        covariates: vec!["type".into()],
        ..ReadOptions::target("condition")
    };
    table::read(Input::open(&folder.join("counts.csv.gz")).ok()?, &options, &mut Context::default()).ok()
}

/// Prints what is named with three seeds, adjusted for the type of library.
pub fn print(_: Effort) {
    println!("\n### Pasilla: 4 + 3 libraries of counts, adjusted for their type, `--normalize tmm`, {SEEDS} seeds\n");
    let Some(table) = read() else { return println!("skipped: the table is not beside the project") };
    let counts = CountSettings { normalize: Normalize::Tmm, ..CountSettings::default() };
    let preparation = Preparation { counts: Some(counts), ..Preparation::default() };
    let analysis = Analysis { preparation, second_look: Some(false), ..Analysis::default() };
    let named = |seed: u64| {
        let analysis = Analysis { seed, ..analysis.clone() };
        let selection = analysis.select(&Data::of_table("pasilla", &table), &mut Silent).unwrap().selection;
        let knocked_down = selection.selected.iter().any(|&i| selection.names[i as usize] == KNOCKED_DOWN);
        let by_p = super::judged::benjamini_hochberg(&selection.scores, false, 0.1).len();
        (selection.selected.len(), knocked_down, by_p)
    };
    let found: Vec<(usize, bool, usize)> = (0..SEEDS).map(named).collect();
    let counts: Vec<usize> = found.iter().map(|found| found.0).collect();
    let (least, most) = (*counts.iter().min().unwrap(), *counts.iter().max().unwrap());
    let spread = (most - least) as f64 / (counts.iter().sum::<usize>() as f64 / SEEDS as f64);
    println!("| what | measured | bar | |\n| --- | --- | --- | --- |");
    print_bar("fewest genes named", least as f64, "at least 600", least >= 600);
    print_bar("most genes named", most as f64, "–", true);
    print_bar("(largest − smallest)/mean", spread, "at most .15", spread <= 0.15);
    let times = found.iter().filter(|found| found.1).count();
    print_bar("times that the gene knocked down is named", times as f64, "3", times == SEEDS as usize);
    print_bar("moderated t and Benjamini–Hochberg 10 %", found[0].2 as f64, "–", true);
}
