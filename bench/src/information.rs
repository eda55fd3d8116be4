//! Mutual-information filters, NPFS and pairs: speed, calibration, and the paper's experiments.

use crate::peak;
use cpu_time::ProcessTime;
use rand::RngExt;
use serde_json::json;
use std::path::Path;
use std::time::Instant;
use tamis::codes::CodedTable;
use tamis::information::{Criterion, rank};
use tamis::numeric::random;
use tamis::simulate::{TwoGroups, UniformSum};
use tamis::table::{self, Input, ReadOptions, Target};
use tamis::{Context, Method, Selection, Selector, Table};

/// Random codes with a target of two classes; CPU seconds, the least of five.
pub fn ranking(criterion: &str, rows: usize, features: usize, k: usize, bins: u8) {
    let mut rng = random::stream(1, 0);
    let columns: Vec<Vec<u8>> = (0..features).map(|_| (0..rows).map(|_| rng.random_range(0..bins)).collect()).collect();
    let target = (0..rows).map(|_| rng.random_range(0..2)).collect();
    let codes = CodedTable::from_columns(&columns, target);
    let criterion = if criterion == "mrmr" { Criterion::MrmrDifference } else { Criterion::Jmi };
    let mut seconds = f64::INFINITY;
    for _ in 0..5 {
        let start = ProcessTime::now();
        std::hint::black_box(rank(&codes, None, criterion, k, &[], &mut Context::default()).unwrap());
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let giga = rows as f64 * features as f64 * k as f64 / seconds / 1e9;
    println!("{}", json!({ "seconds": seconds, "giga": giga, "peak_bytes": peak() }));
}

fn select(table: &Table, name: &str, set: &[(&str, &str)], seed: u64) -> Selection {
    let method = Method::from_settings(name, set.iter().copied()).unwrap();
    method.select(&table.view(), &mut Context::seeded(seed)).unwrap()
}

/// The paper's bins.
const PAPER: [(&str, &str); 2] = [("discretise", "width"), ("bins", "10")];

/// The paper's uniform data, 15 of 250 relevant, k = 10, 100 bootstraps, ten bins of equal width.
pub fn npfs(rows: usize, null: &str) {
    let table = UniformSum { rows, features: 250, relevant: 15 }.draw(1).unwrap().table;
    let (mut cpu, mut wall) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        let (start, clock) = (ProcessTime::now(), Instant::now());
        std::hint::black_box(select(&table, "npfs", &[("k", "10"), ("null", null), PAPER[0], PAPER[1]], 0));
        cpu = cpu.min(start.elapsed().as_secs_f64());
        wall = wall.min(clock.elapsed().as_secs_f64());
    }
    println!("{}", json!({ "seconds": cpu, "wall": wall, "peak_bytes": peak() }));
}

/// All pairs of a file's features, 50 permutations.
pub fn pairs(file: &Path) {
    let table =
        table::read(Input::open(file).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap();
    let clock = Instant::now();
    let found = select(&table, "pairs", &[], 0);
    let wall = clock.elapsed().as_secs_f64();
    println!("{}", json!({ "wall": wall, "selected": found.selected.len(), "peak_bytes": peak() }));
}

/// All pairs of normal columns with the default permutations: CPU seconds, wall-clock seconds, and nanoseconds of CPU for
/// each pair and target.
pub fn pairs_of_noise(rows: usize, features: usize) {
    let drawn = TwoGroups { rows, features, relevant: 0, ..TwoGroups::default() }.draw(1).unwrap();
    let table = drawn.table;
    let (start, clock) = (ProcessTime::now(), Instant::now());
    let found = select(&table, "pairs", &[], 0);
    let (cpu, wall) = (start.elapsed().as_secs_f64(), clock.elapsed().as_secs_f64());
    let looked_at = 51.0 * (features * (features - 1) / 2) as f64;
    let nanoseconds = cpu / looked_at * 1e9;
    let selected = found.selected.len();
    let figures = json!({ "seconds": cpu, "wall": wall, "nanoseconds": nanoseconds, "selected": selected });
    println!("{figures}");
}

/// `npfs` with its defaults on a wide table, of which `relevant` features differ by one standard deviation.
pub fn npfs_wide(rows: usize, features: usize, relevant: usize) {
    let table = TwoGroups { rows, features, relevant, effect: (1.0, 1.0) }.draw(1).unwrap().table;
    let (start, clock) = (ProcessTime::now(), Instant::now());
    let found = select(&table, "npfs", &[], 0);
    let (cpu, wall) = (start.elapsed().as_secs_f64(), clock.elapsed().as_secs_f64());
    println!("{}", json!({ "seconds": cpu, "wall": wall, "selected": found.selected.len(), "peak_bytes": peak() }));
}

/// How many were selected, and how many of those are among the first `relevant`.
fn found(table: &Table, relevant: u32, set: &[(&str, &str)], seed: u64) -> (usize, usize) {
    let paper = if set.iter().any(|(key, _)| *key == "discretise") { &[][..] } else { &PAPER };
    let set: Vec<(&str, &str)> = paper.iter().chain(set).copied().collect();
    let selection = select(table, "npfs", &set, seed);
    (selection.selected.len(), selection.selected.iter().filter(|i| **i < relevant).count())
}

fn mean(values: impl Iterator<Item = usize>) -> f64 {
    let (sum, n) = values.fold((0, 0), |(sum, n), v| (sum + v, n + 1));
    sum as f64 / n as f64
}

/// NPFS §IV.B: k too large (5 of 25 relevant), and too small or too large (15 of 50, 100, 250), under both nulls.
pub fn experiments(repeats: u64) {
    println!("\n## 5 of 25 relevant, 100 bootstraps: selected (relevant among them), mean of {repeats} data sets\n");
    println!("| k | binomial | permutation |\n| --- | --- | --- |");
    let row = |relevant: u32, features: usize, bootstraps: &str, k: usize, repeats: u64| {
        let text = k.to_string();
        let cell = |null: &str| {
            let runs: Vec<(usize, usize)> = (0..repeats)
                .map(|seed| {
                    let relevant_features = relevant as usize;
                    let table =
                        UniformSum { rows: 1000, features, relevant: relevant_features }.draw(seed).unwrap().table;
                    let set = [("k", text.as_str()), ("null", null), ("bootstraps", bootstraps)];
                    found(&table, relevant, &set, seed)
                })
                .collect();
            format!("{:.1} ({:.1})", mean(runs.iter().map(|r| r.0)), mean(runs.iter().map(|r| r.1)))
        };
        (cell("binomial"), cell("permutation"))
    };
    for k in [10, 15, 20, 24] {
        let (binomial, permutation) = row(5, 25, "100", k, repeats);
        println!("| {k} | {binomial} | {permutation} |");
    }
    println!("\n## 15 relevant, 500 bootstraps (a reference program: 34.6 (15.0) of 250 at k = 25, binomial)\n");
    println!("| features | k | binomial | permutation |\n| --- | --- | --- | --- |");
    for features in [50, 100, 250] {
        for k in [3, 5, 10, 15, 25] {
            let (binomial, permutation) = row(15, features, "500", k, repeats.div_ceil(10));
            println!("| {features} | {k} | {binomial} | {permutation} |");
        }
    }
}

/// NPFS §IV.D: 8×8 digits inside 16×16 pixels of noise, k = 64 of 256, for `jmi` and `mim` under both nulls.
pub fn digits(file: &Path, every: usize) {
    let all = table::read(Input::open(file).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap();
    let rows = all.n_rows().div_ceil(every);
    let some = |x: &[f64]| x.iter().copied().step_by(every).collect::<Vec<f64>>();
    let mut columns: Vec<Vec<f64>> = all.columns().iter().map(|c| some(c.numbers().unwrap())).collect();
    for pixel in 64..256 {
        let mut rng = random::stream(4, pixel);
        columns.push((0..rows).map(|_| f64::from(rng.random_range(1..=16))).collect());
    }
    let labels: Vec<Option<String>> = (0..all.n_rows()).step_by(every).map(|r| Some(all.target().text(r))).collect();
    let names = (0..256).map(|p| format!("p{p:03}")).collect();
    let table = Table::new(names, columns, "label", Target::classes(&labels)).unwrap();
    println!("\n## Noisy digits, {rows} images, k = 64 of 256: inside the digit + noise pixels");
    println!("(the paper: 52 selected; a reference program, binomial, all images: jmi 44 + 6, mim 52 + 0 to 2)\n");
    println!("| base | binomial | permutation |\n| --- | --- | --- |");
    for base in ["jmi", "mim"] {
        let cell = |null: &str| {
            let set = [("k", "64"), ("null", null), ("base", base), ("discretise", "categories")];
            let (selected, inside) = found(&table, 64, &set, 0);
            format!("{inside} + {}", selected - inside)
        };
        println!("| {base} | {} | {} |", cell("binomial"), cell("permutation"));
    }
}

/// Pure noise, and 5 of 50 relevant: how often anything false is selected, and how often all five are found.
pub fn calibration(repeats: u64) {
    let run = |noise: bool, null: &str| {
        let mut any_false = 0;
        let mut all_five = 0;
        for seed in 0..repeats {
            let drawn = UniformSum { rows: 500, features: 50, relevant: 5 }.draw(seed).unwrap();
            let table = if noise { shuffled(&drawn.table, seed) } else { drawn.table };
            let (selected, relevant) = found(&table, 5, &[("k", "10"), ("null", null)], seed);
            let relevant = if noise { 0 } else { relevant };
            any_false += u64::from(selected > relevant);
            all_five += u64::from(relevant == 5);
        }
        (any_false as f64 / repeats as f64, all_five as f64 / repeats as f64)
    };
    println!("\n## NPFS calibration, K = 50, k = 10, 100 bootstraps, {repeats} data sets of 500 rows\n");
    println!("| null | noise: any false | 5 relevant: any false | all 5 found |\n| --- | --- | --- | --- |");
    for null in ["permutation", "binomial"] {
        let (noise, (wrong, all)) = (run(true, null).0, run(false, null));
        println!("| {null} | {noise:.3} | {wrong:.3} | {all:.3} |");
    }
    let mut silent = 0;
    for seed in 0..repeats {
        let table = shuffled(&UniformSum { rows: 300, features: 60, relevant: 5 }.draw(seed).unwrap().table, seed);
        silent += u64::from(select(&table, "pairs", &[], seed).selected.is_empty());
    }
    println!(
        "\n`pairs` on noise (300 × 60): nothing selected in {:.3} of {repeats} data sets",
        silent as f64 / repeats as f64
    );
}

/// The same table with its target in another order.
fn shuffled(table: &Table, seed: u64) -> Table {
    let order = tamis::resample::bootstrap_and_half_samples::permutation(seed + 1_000_000, 0, table.n_rows());
    let Target::Classes { labels, codes, positive, .. } = table.target() else { panic!("classes") };
    let codes = order.iter().map(|&r| codes[r as usize]).collect();
    let target = Target::of_codes(labels.clone(), codes, *positive).unwrap();
    Table::new(table.names().to_vec(), table.columns().to_vec(), "label", target).unwrap()
}
