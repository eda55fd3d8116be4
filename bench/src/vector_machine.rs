//! Vector machines: speed, and the papers' experiments.

use crate::peak;
use cpu_time::ProcessTime;
use serde_json::json;
use std::path::Path;
use tamis::simulate::Waveform;
use tamis::table::{self, Column, Input, ReadOptions, Target, View};
use tamis::vector_machine::{PfcvmLp, Shape};
use tamis::{Silent, Table, settings::Auto};

/// Waveform 0 against 1 with noise features, the least of three runs.
pub fn learn(rows: usize, starts: usize) {
    let table = waveform(rows, 1);
    let method = PfcvmLp { kernel: Shape::Rbf, starts: Auto::Set(starts), ..PfcvmLp::default() };
    let repeats = if rows > 5000 { 1 } else { 5 };
    timed(repeats, || method.fit(&table.view(), &mut Silent).unwrap());
}

/// All rows of a file but the first, linear kernel: one fold of leaving one out.
pub fn fold(file: &Path) {
    let table = table::read(Input::open(file).unwrap(), &ReadOptions::target("label"), &mut Silent).unwrap();
    let rows: Vec<u32> = (1..table.n_rows() as u32).collect();
    let view = View::of_rows(&table, &rows);
    timed(5, || PfcvmLp::default().fit(&view, &mut Silent).unwrap());
}

/// Classes 0 and 1 of the waveform data, half of the rows each.
fn waveform(rows: usize, seed: u64) -> Table {
    let all = Waveform { rows: rows / 2 * 3, ..Waveform::default() }.draw(seed).unwrap().table;
    let kept: Vec<usize> = (0..all.n_rows()).filter(|r| r % 3 < 2).collect();
    let column = |c: &Column| -> Vec<f64> { kept.iter().map(|&r| c.numbers().unwrap()[r]).collect() };
    let labels: Vec<Option<String>> = kept.iter().map(|&r| Some(all.target().text(r))).collect();
    let columns = all.columns().iter().map(column).collect();
    Table::new(all.names().to_vec(), columns, "label", Target::classes(&labels)).unwrap()
}

fn timed(repeats: usize, mut work: impl FnMut() -> tamis::Model) {
    let (mut seconds, mut kept) = (f64::INFINITY, 0);
    for _ in 0..repeats {
        let start = ProcessTime::now();
        kept = work().features().len();
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    println!("{}", json!({ "seconds": seconds, "features": kept, "peak_bytes": peak() }));
}
