//! Cross-validation and the AUC curve: speed.

use cpu_time::ProcessTime;
use serde_json::json;
use std::path::Path;
use std::time::Instant;
use tamis::compose::auc_curve;
use tamis::evaluate::{Run, cross_validate};
use tamis::resample::folds;
use tamis::table::{self, Input, ReadOptions};
use tamis::{Context, Method, Pipeline, Table};

fn read(file: &Path) -> Table {
    table::read(Input::open(file).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap()
}

/// Pipelines like `snbl+dlda` on a file: CPU and wall-clock seconds, the AUC of the last.
pub fn cross(file: &Path, how: &str, pipelines: &[&str]) {
    let table = read(file);
    let method = |name: &str| Method::from_settings(name, []).unwrap();
    let pipeline = |text: &&str| match text.split_once('+') {
        Some((a, b)) => Pipeline::new(Some(method(a)), method(b)),
        None => Pipeline::new(None, method(text)),
    };
    let pipelines: Vec<Pipeline> = pipelines.iter().map(pipeline).collect();
    let view = table.view();
    let plan = match how {
        "loo" => folds::leave_one_out(&view).unwrap(),
        n => folds::stratified(&view, n.parse().unwrap(), 1, 0).unwrap(),
    };
    let (start, clock) = (ProcessTime::now(), Instant::now());
    let mut found = cross_validate(&view, &pipelines, &plan, &mut Context::default()).unwrap();
    let (seconds, wall) = (start.elapsed().as_secs_f64(), clock.elapsed().as_secs_f64());
    let last = Run::new(0, &view, &pipelines[pipelines.len() - 1], found.pop().unwrap());
    let auc = last.summary.and_then(|s| s.auc);
    println!("{}", json!({ "seconds": seconds, "wall": wall, "auc": auc, "peak_bytes": crate::peak() }));
}

/// The whole curve, with its order, for another program to go over.
pub fn curve(train: &Path, valid: &Path) {
    let (train, valid) = (read(train), read(valid));
    let mut seconds = f64::INFINITY;
    let mut found = None;
    for _ in 0..3 {
        let start = ProcessTime::now();
        found = Some(auc_curve(&train.view(), &valid.view(), &mut Context::default()).unwrap());
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let curve = found.unwrap();
    println!("{}", json!({ "seconds": seconds, "order": curve.order, "auc": curve.auc, "peak_bytes": crate::peak() }));
}
