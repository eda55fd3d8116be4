//! Tables in pieces: files of any length, made and read in bounded memory.

use crate::peak;
use cpu_time::ProcessTime;
use rand_distr::{Distribution, StandardNormal};
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use tamis::numeric::random;
use tamis::shard::Stream;
use tamis::table::{Input, ReadOptions};
use tamis::{Silent, Snbl};

/// Writes a table of two classes, row by row; the first tenth of the columns differs between them by 0.01.
pub fn make(rows: u64, columns: usize, path: &Path) {
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
    println!("{}", json!({ "seconds": 0 }));
}

/// Reads a file in pieces and selects, or only understands its text.
pub fn run(file: &Path, target: &str, parse_only: bool) {
    let stream = Stream { options: ReadOptions::target(target), method: Snbl::default(), seed: 0, memory: None };
    let (start, wall) = (ProcessTime::now(), Instant::now());
    let (rows, selected) = if parse_only {
        (stream.parse_only(Input::open(file).unwrap(), &mut Silent).unwrap(), 0)
    } else {
        let state = stream.read(&[file.to_path_buf()], &mut Silent).unwrap();
        let answer = state.answer(&Snbl::default(), &[], &mut Silent).unwrap();
        (state.rows(), answer.selection.selected.len())
    };
    let (seconds, wall) = (start.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
    let peak = peak();
    println!("{}", json!({ "seconds": seconds, "wall": wall, "rows": rows, "selected": selected, "peak_bytes": peak }));
}
