//! Tables in pieces: files of any length, made and read in bounded memory.

use crate::peak;
use cpu_time::ProcessTime;
use rand_distr::{Distribution, StandardNormal};
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use tamis::base::error::Place;
use tamis::codes::CodedTable;
use tamis::information::{Criterion, rank};
use tamis::merge::{Batch, Frame, State};
use tamis::numeric::random;
use tamis::resample::bootstrap_and_half_samples;
use tamis::score::{self, Scale, Statistic};
use tamis::stream::Stream;
use tamis::table::{Column, Input, ReadOptions, Target};
use tamis::{Context, Selector, Snbl, Table};

/// What sums, states and ranking of so many rows and columns take: CPU seconds and bytes. Rows come in batches of at most
/// 10,000 that are made once, so that only the work on them is measured.
pub fn growth(rows: usize, columns: usize) {
    let batch_rows = rows.min(10_000).min((1 << 25) / columns.max(1)).max(2);
    let mut rng = random::stream(6, 0);
    let names: Vec<String> = (0..columns).map(|j| format!("f{j}")).collect();
    let target: Vec<f64> = (0..batch_rows).map(|row| f64::from(u8::from(row * 7 % 5 < 2))).collect();
    let mut column = |j: usize| -> Vec<f64> {
        let shift = if j < columns / 10 { 1.0 } else { 0.0 };
        target
            .iter()
            .map(|y| shift * y + <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng))
            .collect()
    };
    let data: Vec<Vec<f64>> = (0..columns).map(&mut column).collect();
    let frame = Frame::new(names, &ReadOptions::target("y"), Snbl::default(), 0).unwrap();
    let batch = || {
        let columns = data.iter().cloned().map(Column::Numbers).collect();
        Batch::new(columns, &Column::Numbers(target.clone()), None).unwrap()
    };
    let mut state = State::new(&frame);
    let mut summing = 0.0;
    for _ in 0..rows.div_ceil(batch_rows) {
        let batch = batch();
        let start = ProcessTime::now();
        state.update(batch).unwrap();
        summing += start.elapsed().as_secs_f64();
    }
    let start = ProcessTime::now();
    let bytes = state.to_bytes();
    let mut other = State::from_bytes(&bytes, "state").unwrap();
    other.merge(state, &Place::default()).unwrap();
    let merging = start.elapsed().as_secs_f64();
    let start = ProcessTime::now();
    other.answer(&Snbl::default(), &[], &mut Context::default()).unwrap();
    let answering = start.elapsed().as_secs_f64();
    drop(other);
    let mut ranking = f64::NAN;
    if rows.saturating_mul(columns) <= 500_000_000 {
        let codes: Vec<Vec<u8>> = (0..columns)
            .map(|j| (0..rows).map(|row| ((data[j][row % batch_rows] * 2.0 + 5.0) as i64).clamp(0, 9) as u8).collect())
            .collect();
        let codes = CodedTable::from_columns(&codes, (0..rows).map(|row| target[row % batch_rows] as u8).collect());
        let start = ProcessTime::now();
        rank(&codes, None, Criterion::Jmi, 10, &[], &mut Context::default()).unwrap();
        ranking = start.elapsed().as_secs_f64();
    }
    let peak = peak();
    println!(
        "{}",
        json!({ "seconds": summing, "merging": merging, "answering": answering,
                "ranking": if ranking.is_nan() { None } else { Some(ranking) }, "bytes": bytes.len(), "peak_bytes": peak })
    );
}

/// How far the scores of shards are from those of the whole, relative to them: 2, 7 and 64 shards of rows, in order and
/// shuffled, each set merged in two orders. The last column lies 10⁵ deviations from 0.
pub fn same() {
    let (rows, columns) = (20_000, 200);
    let mut rng = random::stream(7, 0);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let y: Vec<f64> = (0..rows).map(|row| f64::from(u8::from(row * 7 % 5 < 2))).collect();
    let far = |j: usize| if j + 1 == columns { 1e5 } else { 0.0 };
    let data: Vec<Vec<f64>> = (0..columns)
        .map(|j| y.iter().map(|y| normal() + far(j) + if j < 20 { 0.1 * y } else { 0.0 }).collect())
        .collect();
    let names: Vec<String> = (0..columns).map(|j| format!("f{j}")).collect();
    let frame = Frame::new(names.clone(), &ReadOptions::target("y"), Snbl::default(), 0).unwrap();
    let (target, _) = Target::of_numbers(&y, None, None).unwrap();
    let table = Table::new(names, data.iter().cloned().map(Column::Numbers).collect(), "y", target).unwrap();
    let whole = score::compute(&table.view(), Statistic::Auto, Scale::Z, &mut Context::default()).unwrap().into_z();
    let selected = Snbl::default().select(&table.view(), &mut Context::default()).unwrap().selected;
    let shuffled: Vec<usize> =
        bootstrap_and_half_samples::permutation(1, 0, rows).into_iter().map(|r| r as usize).collect();
    let in_order: Vec<usize> = (0..rows).collect();
    let mut found = vec![];
    for shards in [1, 2, 7, 64] {
        for (how, order) in [("in order", &in_order), ("shuffled", &shuffled)] {
            let state = |some: &[usize]| {
                let mut state = State::new(&frame);
                let pick = |column: &Vec<f64>| Column::Numbers(some.iter().map(|&r| column[r]).collect());
                state.update(Batch::new(data.iter().map(pick).collect(), &pick(&y), None).unwrap()).unwrap();
                state
            };
            let states: Vec<State> = order.chunks(rows.div_ceil(shards)).map(state).collect();
            let merged = State::merge_all(states.clone()).unwrap();
            let backwards = State::merge_all(states.into_iter().rev().collect()).unwrap();
            let z = merged.scores(&Snbl::default()).unwrap().into_z();
            let off = |j: usize| ((z[j] - whole[j]) / whole[j]).abs();
            let answer = merged.answer(&Snbl::default(), &[], &mut Context::default()).unwrap().selection;
            found.push(json!({
                "shards": shards, "how": how,
                "off": (0..columns - 1).map(off).fold(0.0, f64::max), "far": off(columns - 1),
                "same_selection": answer.selected == selected, "same_bits": merged.to_bytes() == backwards.to_bytes(),
            }));
        }
    }
    println!("{}", json!({ "seconds": 0, "peak_bytes": 0, "found": found }));
}

/// Writes a table of two classes, row by row; the first tenth of the columns differs between them by 0.01.
pub fn make(rows: u64, columns: usize, path: &Path) {
    write(rows, columns, path);
    println!("{}", json!({ "seconds": 0 }));
}

/// Like [`make`], silently.
pub fn write(rows: u64, columns: usize, path: &Path) {
    let mut rng = random::stream(5, 0);
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(path).unwrap());
    let names: Vec<String> = (0..columns).map(|j| format!("f{j}")).collect();
    writeln!(out, "{},label", names.join(",")).unwrap();
    for row in 0..rows {
        let class = row * 7 % 5 < 2;
        for j in 0..columns {
            let noise: f64 = StandardNormal.sample(&mut rng);
            let shift = if class && j < columns / 10 { 0.01 } else { 0.0 };
            write!(out, "{:.6},", noise + shift).unwrap();
        }
        writeln!(out, "{}", if class { "yes" } else { "no" }).unwrap();
    }
    out.flush().unwrap();
}

/// Reads a file in pieces and selects, or only understands its text.
pub fn run(file: &Path, target: &str, parse_only: bool) {
    let stream = Stream { options: ReadOptions::target(target), method: Snbl::default(), seed: 0, memory: None };
    let (start, wall) = (ProcessTime::now(), Instant::now());
    let (rows, selected) = if parse_only {
        (stream.parse_only(Input::open(file).unwrap(), &mut Context::default()).unwrap(), 0)
    } else {
        let state = stream.read(&[file.to_path_buf()], &mut Context::default()).unwrap();
        let answer = state.answer(&Snbl::default(), &[], &mut Context::default()).unwrap();
        (state.n_rows(), answer.selection.selected.len())
    };
    let (seconds, wall) = (start.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
    let peak = peak();
    println!("{}", json!({ "seconds": seconds, "wall": wall, "rows": rows, "selected": selected, "peak_bytes": peak }));
}
