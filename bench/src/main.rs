//! Our side of the benchmarks: each job prints one line of JSON with its CPU seconds and peak memory, which
//! `bench/compare.py` sets beside the peers' in the same run. Run `bench/run` for all of it.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod by_row;
mod calibration;
mod evaluate;
mod information;
mod needed;
mod noise_states;
mod scale;
mod vector_machine;

use calibration::Effort;
use cpu_time::ProcessTime;
use rand_distr::{Distribution, StandardNormal};
use serde_json::json;
use std::path::Path;
use tamis::numeric::random;
use tamis::score::{self, Scale, Scoring, Statistic};
use tamis::table::{self, Column, Covariate, Format, Input, ReadOptions, Target};
use tamis::{Context, Selector, Snbl, SparseMeans, Table};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["scores", rows, columns] => scores(rows.parse().unwrap(), columns.parse().unwrap(), Statistic::Auto),
        ["ranks", rows, columns] => scores(rows.parse().unwrap(), columns.parse().unwrap(), Statistic::MannWhitney),
        ["snbl", rows, columns] => snbl(&noise(rows.parse().unwrap(), columns.parse().unwrap())),
        ["snbl", rows, columns, effects, score] => {
            let (rows, columns) = (rows.parse().unwrap(), columns.parse().unwrap());
            snbl(&planted(rows, columns, effects.parse().unwrap(), score.parse().unwrap()));
        }
        ["designs", rows, columns, covariates] => {
            let number = |text: &str| text.parse::<usize>().unwrap();
            designs(number(rows), number(columns), number(covariates));
        }
        ["convert", file, target, out] => convert(file, target, Path::new(out)),
        ["csv", file, target] => csv(file, target),
        ["shrink", n] => shrink(n.parse().unwrap()),
        ["noise-states", features, rows] => noise_states::time(features.parse().unwrap(), rows.parse().unwrap()),
        ["rank", criterion, rows, features, k, bins] => {
            let number = |text: &str| text.parse::<usize>().unwrap();
            information::ranking(criterion, number(rows), number(features), number(k), number(bins) as u8);
        }
        ["npfs", rows, null] => information::npfs(rows.parse().unwrap(), null),
        ["npfs-wide", rows, features, relevant] => {
            information::npfs_wide(rows.parse().unwrap(), features.parse().unwrap(), relevant.parse().unwrap());
        }
        ["pairs-noise", rows, features] => {
            information::pairs_of_noise(rows.parse().unwrap(), features.parse().unwrap())
        }
        ["npfs-experiments"] => information::experiments(20),
        ["npfs-experiments", "--quick"] => information::experiments(2),
        ["npfs-digits", file] => information::digits(Path::new(file), 1),
        ["npfs-digits", file, "--quick"] => information::digits(Path::new(file), 8),
        ["npfs-calibration"] => information::calibration(200),
        ["npfs-calibration", "--quick"] => information::calibration(20),
        ["pairs", file] => information::pairs(Path::new(file)),
        ["pfcvm-lp", rows, starts] => vector_machine::learn(rows.parse().unwrap(), starts.parse().unwrap()),
        ["pfcvm-lp-fold", file] => vector_machine::fold(Path::new(file)),
        ["predict", rows, features] => vector_machine::predict(rows.parse().unwrap(), features.parse().unwrap()),
        ["cross", file, how, pipelines @ ..] => evaluate::cross(Path::new(file), how, pipelines),
        ["auc-curve", train, valid] => evaluate::curve(Path::new(train), Path::new(valid)),
        ["vm-synthetic"] => vector_machine::synthetic(),
        ["vm-waveform", file] => vector_machine::waveform_splits(Path::new(file)),
        ["vm-genes", file] => vector_machine::genes(Path::new(file), false),
        ["vm-genes", file, "--samplewise"] => vector_machine::genes(Path::new(file), true),
        ["vm-splits", file, splits, n] => {
            vector_machine::splits(Path::new(file), Path::new(splits), n.parse().unwrap())
        }
        ["scale-make", rows, columns, file] => {
            scale::make(rows.parse().unwrap(), columns.parse().unwrap(), Path::new(file))
        }
        ["scale-same"] => scale::same(),
        ["rows-memory", rows, columns] => by_row::memory(rows.parse().unwrap(), columns.parse().unwrap()),
        ["rows-pieces", file] => by_row::pieces(Path::new(file), None),
        ["rows-pieces", file, permutations] => by_row::pieces(Path::new(file), Some(permutations.parse().unwrap())),
        ["rows-states", rows, features, states] => {
            by_row::states(rows.parse().unwrap(), features.parse().unwrap(), states.parse().unwrap());
        }
        ["rows-quiet", runs] => by_row::quiet(runs.parse().unwrap()),
        ["growth", rows, columns] => scale::growth(rows.parse().unwrap(), columns.parse().unwrap()),
        ["scale-parse", file, target] => scale::run(Path::new(file), target, true),
        ["scale-select", file, target] => scale::run(Path::new(file), target, false),
        ["calibration", "--quick", only @ ..] => calibration::run(Effort::QUICK, only),
        ["calibration", "--one-of", n, only @ ..] => calibration::run(Effort::one_of(n.parse().unwrap()), only),
        ["calibration", only @ ..] => calibration::run(Effort::FULL, only),
        ["needed", "--one-of", n, only @ ..] => needed::run(n.parse().unwrap(), only),
        ["needed", only @ ..] => needed::run(1, only),
        _ => println!(
            "usage: tamis-bench scores|ranks ROWS COLUMNS | snbl ROWS COLUMNS [EFFECTS SCORE] | designs ROWS COLUMNS COVARIATES | csv FILE TARGET | convert FILE TARGET OUT | shrink N | noise-states FEATURES ROWS | \
             calibration [--quick|--one-of N] [SECTION ...] | needed [--one-of N] [SECTION ...] | rank jmi|mrmr ROWS FEATURES K BINS | npfs ROWS NULL | npfs-experiments [--quick] | \
             npfs-digits FILE [--quick] | npfs-calibration [--quick] | pairs FILE | pfcvm-lp ROWS STARTS | pfcvm-lp-fold FILE | \
             predict ROWS FEATURES | vm-synthetic | vm-waveform FILE | vm-genes FILE [--samplewise] | vm-splits FILE SPLITS N | \
             cross FILE N|loo PIPELINE... | auc-curve TRAIN VALID | scale-make ROWS COLUMNS FILE | \
             scale-parse|scale-select FILE TARGET | scale-same | growth ROWS COLUMNS | rows-memory ROWS COLUMNS | \
             rows-pieces FILE [PERMUTATIONS] | rows-states ROWS FEATURES STATES | rows-quiet RUNS"
        ),
    }
}

/// Two classes and noise.
fn noise(rows: usize, columns: usize) -> Table {
    planted(rows, columns, 0, 0.0)
}

/// Two classes, noise of variance 1, and some features whose scores are expected at `score` or its negative.
fn planted(rows: usize, columns: usize, effects: usize, score: f64) -> Table {
    let mut rng = random::stream(1, 0);
    let of_a = |row: usize| row * 7 % 5 < 2;
    let in_a = (0..rows).filter(|row| of_a(*row)).count() as f64;
    let shift = score / (in_a * (rows as f64 - in_a) / rows as f64).sqrt();
    let column = |j: usize| {
        let sign = if j.is_multiple_of(2) { 1.0 } else { -1.0 };
        let shift = if j < effects { sign * shift } else { 0.0 };
        let mut cell = |row: usize| -> f64 {
            let x: f64 = StandardNormal.sample(&mut rng);
            x + if of_a(row) { shift } else { 0.0 }
        };
        (0..rows).map(&mut cell).collect()
    };
    let data: Vec<Vec<f64>> = (0..columns).map(column).collect();
    let labels: Vec<Option<&str>> = (0..rows).map(|row| Some(if of_a(row) { "a" } else { "b" })).collect();
    let names = (0..columns).map(|j| format!("f{j}")).collect();
    Table::new(names, data, "y", Target::classes(&labels)).unwrap()
}

/// Moderated scores of a table in memory with and without covariates. The least of five.
fn designs(rows: usize, columns: usize, covariates: usize) {
    let table = noise(rows, columns);
    let mut rng = random::stream(2, 0);
    let covariate = |j: usize| Covariate {
        name: format!("z{j}"),
        values: Column::Numbers((0..rows).map(|_| StandardNormal.sample(&mut rng)).collect()),
    };
    let adjusted = table.clone().with_covariates((0..covariates).map(covariate).collect()).unwrap();
    let time = |table: &Table| {
        let scoring = Scoring { statistic: Statistic::Moderated, ..Scoring::default() };
        let one = || {
            let start = ProcessTime::now();
            scoring.scores(&table.view(), &mut Context::default()).unwrap();
            start.elapsed().as_secs_f64()
        };
        (0..5).map(|_| one()).fold(f64::INFINITY, f64::min)
    };
    println!("{}", json!({ "plain": time(&table), "adjusted": time(&adjusted), "peak_bytes": peak() }));
}

/// The whole of `snbl` on a table in memory. The least of three.
fn snbl(table: &Table) {
    let mut seconds = f64::INFINITY;
    for _ in 0..3 {
        let start = ProcessTime::now();
        Snbl::default().select(&table.view(), &mut Context::default()).unwrap();
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    println!("{}", json!({ "seconds": seconds, "peak_bytes": peak() }));
}

/// Scores of a table in memory, against a plain read of the same numbers. The least of seven.
fn scores(rows: usize, columns: usize, statistic: Statistic) {
    let table = noise(rows, columns);
    let view = table.view();
    let (mut read, mut scored) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..7 {
        let start = ProcessTime::now();
        let sum: f64 = table.columns().iter().filter_map(|c| c.numbers()).map(sum).sum();
        read = read.min(start.elapsed().as_secs_f64());
        std::hint::black_box(sum);
        let start = ProcessTime::now();
        let scores = score::compute(&view, statistic, Scale::Z, &mut Context::default()).unwrap();
        scored = scored.min(start.elapsed().as_secs_f64());
        std::hint::black_box(scores);
    }
    println!("{}", json!({ "seconds": scored, "read_seconds": read, "peak_bytes": peak() }));
}

fn sum(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    for chunk in values.chunks_exact(8) {
        for i in 0..8 {
            lanes[i] += chunk[i];
        }
    }
    lanes.iter().sum()
}

fn csv(file: &str, target: &str) {
    let start = ProcessTime::now();
    let table =
        table::read(Input::open(Path::new(file)).unwrap(), &ReadOptions::target(target), &mut Context::default())
            .unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let bytes = table.n_rows() * table.names().len() * 8;
    println!("{}", json!({ "seconds": seconds, "matrix_bytes": bytes, "peak_bytes": peak() }));
}

/// The whole table in another format.
fn convert(file: &str, target: &str, out: &Path) {
    let table =
        table::read(Input::open(Path::new(file)).unwrap(), &ReadOptions::target(target), &mut Context::default())
            .unwrap();
    let all: Vec<u32> = (0..table.names().len() as u32).collect();
    let mut written = std::io::BufWriter::new(std::fs::File::create(out).unwrap());
    table::write_reduced(&table, &all, Format::of_path(out), &mut written).unwrap();
    println!("{}", json!({ "seconds": 0 }));
}

/// 95 % noise, 5 % of effects around ±4: scores in memory to the result in memory, beside one sort of as many numbers.
fn shrink(n: usize) {
    let mut rng = random::stream(2, 0);
    let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
    let z: Vec<f64> =
        (0..n).map(|i| draw() + if i % 20 == 0 { 4.0 * (i % 40) as f64 / 10.0 - 4.0 + draw() } else { 0.0 }).collect();
    let repeats = if n > 2_000_000 { 1 } else { 5 };
    let (mut seconds, mut sort) = (f64::INFINITY, f64::INFINITY);
    let mut selected = 0;
    for _ in 0..repeats {
        let mut copy = z.clone();
        let start = ProcessTime::now();
        copy.sort_unstable_by(f64::total_cmp);
        sort = sort.min(start.elapsed().as_secs_f64());
        drop(std::hint::black_box(copy));
        let start = ProcessTime::now();
        selected = SparseMeans::default().fit(&z, &mut Context::default()).unwrap().selected.len();
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    println!("{}", json!({ "seconds": seconds, "sort_seconds": sort, "selected": selected, "peak_bytes": peak() }));
}

/// The most memory this process has held; 0 where the system does not tell.
pub fn peak() -> u64 {
    tamis::result::peak_memory().unwrap_or(0)
}
