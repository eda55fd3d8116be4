//! Vector machines: speed, and the papers' experiments.

use crate::peak;
use cpu_time::ProcessTime;
use rand::RngExt;
use rayon::prelude::*;
use serde_json::json;
use std::path::Path;
use tamis::base::Auto;
use tamis::machines::{KernelShape, PfcvmLp};
use tamis::numeric::random;
use tamis::simulate::{TwoGaussians, Waveform};
use tamis::table::{self, Column, ExpansionLimit, Input, ReadOptions, Target, Task, View};
use tamis::{Context, Method, Model, Table};

/// Waveform 0 against 1 with noise features, the least of three runs.
pub fn learn(rows: usize, starts: usize) {
    let table = waveform(rows, 1);
    let method = PfcvmLp { starts: Auto::Set(starts), ..PfcvmLp::of(KernelShape::Rbf) };
    let repeats = if rows > 5000 { 1 } else { 5 };
    timed(repeats, || Method::from(method.clone()).fit(&table.view(), &mut Context::default()).unwrap());
}

/// All rows of a file but the first, linear kernel: one fold of leaving one out.
pub fn fold(file: &Path) {
    let table =
        table::read(Input::open(file).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap();
    let rows: Vec<u32> = (1..table.n_rows() as u32).collect();
    let view = View::of_rows(&table, &rows).unwrap();
    timed(5, || Method::from(PfcvmLp::of(KernelShape::Linear)).fit(&view, &mut Context::default()).unwrap());
}

/// Predicting with 20 of many features, beside a plain read of their columns and beside reading them from a file.
pub fn predict(rows: usize, features: usize) {
    let mut rng = random::stream(3, 0);
    let mut column = || (0..rows).map(|_| rng.random::<f64>()).collect::<Vec<f64>>();
    let few: Vec<Vec<f64>> = (0..20).map(|_| column()).collect();
    let target: Vec<Option<&str>> =
        (0..rows).map(|r| Some(if few.iter().map(|c| c[r]).sum::<f64>() > 10.0 { "a" } else { "b" })).collect();
    let columns: Vec<Vec<f64>> = (0..features).map(|k| few[k % 20].clone()).collect();
    let names: Vec<String> = (0..features).map(|k| format!("f{k}")).collect();
    let table = Table::new(names.clone(), columns, "label", Target::classes(&target)).unwrap();
    let small = Table::new(names[..20].to_vec(), few.clone(), "label", Target::classes(&target)).unwrap();
    let train: Vec<u32> = (0..400).collect();
    let model = method("pfcvm-lp", &[("kernel", "linear"), ("starts", "1")])
        .fit(&View::of_rows(&small, &train).unwrap(), &mut Context::default())
        .unwrap();
    let kept = model.features().len();
    let (mut seconds, mut read) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        let start = ProcessTime::now();
        std::hint::black_box(model.predict(&View::every_row(&table)).unwrap());
        seconds = seconds.min(start.elapsed().as_secs_f64());
        let start = ProcessTime::now();
        let sums: f64 = table.columns()[..20].iter().map(|c| crate::sum(c.numbers().unwrap())).sum();
        read = read.min(start.elapsed().as_secs_f64());
        std::hint::black_box(sums);
    }
    let mut bytes = Vec::new();
    table::write_reduced(&small, &(0..20).collect::<Vec<u32>>(), tamis::table::Format::Csv, &mut bytes).unwrap();
    let start = ProcessTime::now();
    let input = Input::from_reader(std::io::Cursor::new(bytes), "kept.csv");
    std::hint::black_box(table::read(input, &ReadOptions::target("label"), &mut Context::default()).unwrap());
    let file = start.elapsed().as_secs_f64();
    println!(
        "{}",
        json!({ "seconds": seconds, "read_seconds": read, "file_seconds": file, "kept": kept, "peak_bytes": peak() })
    );
}

/// Two classes of simulated waveform data, half of the rows each.
fn waveform(rows: usize, seed: u64) -> Table {
    two_classes(&Waveform { rows: rows / 2 * 3, ..Waveform::default() }.draw(seed).unwrap().table)
}

/// The rows of classes 0 and 1.
fn two_classes(all: &Table) -> Table {
    let kept: Vec<usize> = (0..all.n_rows()).filter(|&r| all.target().text(r) != "2").collect();
    let column = |c: &Column| -> Vec<f64> { kept.iter().map(|&r| c.numbers().unwrap()[r]).collect() };
    let labels: Vec<Option<String>> = kept.iter().map(|&r| Some(all.target().text(r))).collect();
    let columns = all.columns().iter().map(column).collect();
    Table::new(all.names().to_vec(), columns, "label", Target::classes(&labels)).unwrap()
}

/// The share of rows that a model gets wrong.
fn error(model: &Model, rows: &View) -> f64 {
    let truth = |&r: &u32| rows.target().text(r as usize);
    let predicted = model.predict(rows).unwrap().predicted;
    let wrong = predicted.iter().zip(rows.rows()).filter(|(p, r)| model.classes[**p] != truth(r)).count();
    wrong as f64 / predicted.len() as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean with its standard error.
fn with_error(values: &[f64]) -> String {
    let m = mean(values);
    let spread = values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0).max(1.0);
    format!("{m:.3} ± {:.3}", (spread / values.len() as f64).sqrt())
}

/// A title, a method, its settings, and what METHODS has.
type Row<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a str);
/// The same with a figure for each of three sizes.
type Sizes<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], [&'a str; 3]);

fn method(name: &str, set: &[(&str, &str)]) -> Method {
    Method::from_settings(name, set.iter().copied()).unwrap()
}

/// Two Gaussians of 200 rows each in the first features, noise in the others; 10 repeats, 2,000 test rows.
/// METHODS §4.3: error / noise features kept.
pub fn synthetic() {
    let columns: [Sizes; 6] = [
        ("LP c = .5", "pfcvm-lp", &[("kernel", "linear")], [".157/0", ".165/.4", ".171/2.5"]),
        ("LP c = 1.5", "pfcvm-lp", &[("kernel", "linear"), ("strictness", "1.5")], [".157/0", ".164/0", ".163/.1"]),
        (
            "LP as in the paper",
            "pfcvm-lp",
            &[("kernel", "linear"), ("strictness", "0"), ("truncation", "paper"), ("starts", "1")],
            [".158/2.6", ".169/2.8", ".174/1.5"],
        ),
        ("EM k = 1", "pfcvm-em", &[("kappa_theta", "1"), ("kappa", "1")], [".157/.1", ".168/1.6", ".178/5.2"]),
        ("EM k = 2", "pfcvm-em", &[("kappa_theta", "2"), ("kappa", "1")], [".157/0", ".164/0", ".165/.4"]),
        ("JCFO", "jcfo", &[], ["none"; 3]),
    ];
    for (at, features) in [10, 50, 100].into_iter().enumerate() {
        for (title, name, set, wanted) in &columns {
            let (mut errors, mut noise) = (vec![], vec![]);
            for seed in 0..10 {
                let drawn = TwoGaussians { features, rows: 400 }.draw(seed).unwrap();
                let test = TwoGaussians { features, rows: 2000 }.draw(1000 + seed).unwrap().table;
                let model = method(name, set).fit(&drawn.table.view(), &mut Context::default()).unwrap();
                errors.push(error(&model, &test.view()));
                let is_noise = |f: &&&str| {
                    let at = drawn.table.names().iter().position(|n| n == **f).unwrap();
                    drawn.truth[at] == 0.0
                };
                noise.push(model.features().iter().filter(is_noise).count() as f64);
            }
            println!(
                "K = {features:3}  {title:18}  error {}  noise features {}  (METHODS {})",
                with_error(&errors),
                with_error(&noise),
                wanted[at]
            );
        }
    }
}

/// Classes 0 and 1 of the waveform file with 19 noise features, 200 rows a class, 20 random splits: accuracy on the
/// other rows, features, stability. METHODS §4.3.
pub fn waveform_splits(file: &Path) {
    let mut options = ReadOptions::target("label");
    options.task = Some(Task::Classes);
    let table = two_classes(&table::read(Input::open(file).unwrap(), &options, &mut Context::default()).unwrap());
    let columns: [Row; 7] = [
        ("LP rbf, best of 4", "pfcvm-lp", &[("kernel", "rbf"), ("starts", "4")], ".908, 7.5 features, .535/.629"),
        ("LP rbf, one start", "pfcvm-lp", &[("kernel", "rbf"), ("starts", "1")], ".492/.589"),
        ("EM rbf, k = 1", "pfcvm-em", &[("kernel", "rbf"), ("kappa", "1"), ("kappa_theta", "1")], ".447/.473"),
        ("EM linear, k = 1", "pfcvm-em", &[("kappa", "1"), ("kappa_theta", "1")], ".914, .591/.671"),
        ("EM rbf, default", "pfcvm-em", &[("kernel", "rbf")], "none"),
        ("EM linear, default", "pfcvm-em", &[], "none"),
        (
            "LP as in the paper",
            "pfcvm-lp",
            &[("kernel", "rbf"), ("strictness", "0"), ("truncation", "paper"), ("starts", "1")],
            ".887, .326/.311",
        ),
    ];
    for (title, name, set, wanted) in columns {
        let (mut accuracy, mut kept, mut runs) = (vec![], vec![], vec![]);
        let mut noise = vec![0.0; 40];
        for seed in 0..20 {
            let (mut train, mut test) = (vec![], vec![]);
            for class in ["0", "1"] {
                let mut rows: Vec<u32> =
                    (0..table.n_rows() as u32).filter(|&r| table.target().text(r as usize) == class).collect();
                let mut rng = random::stream(seed, 77);
                for at in 0..200 {
                    let other = rng.random_range(at..rows.len());
                    rows.swap(at, other);
                }
                test.extend(rows.split_off(200));
                train.extend(rows);
            }
            let model =
                method(name, set).fit(&View::of_rows(&table, &train).unwrap(), &mut Context::seeded(seed)).unwrap();
            accuracy.push(1.0 - error(&model, &View::of_rows(&table, &test).unwrap()));
            let place = |f: &&str| table.names().iter().position(|n| n == f).unwrap() as u32;
            let features: Vec<u32> = model.features().iter().map(place).collect();
            features.iter().for_each(|&f| noise[f as usize] += 1.0 / 20.0);
            kept.push(features.len() as f64);
            runs.push(features);
        }
        let stability = tamis::evaluate::stability::stability(&runs, 40).unwrap();
        println!(
            "{title:18}  accuracy {}  features {}  Jaccard {:.3}  Pearson {:.3}  most chosen noise {:.2}  (METHODS {wanted})",
            with_error(&accuracy),
            with_error(&kept),
            stability.jaccard,
            stability.pearson,
            noise[21..].iter().copied().fold(0.0, f64::max)
        );
    }
}

/// Leave-one-out on gene data, linear kernel, each strictness of METHODS §4.3.
pub fn genes(file: &Path, samplewise: bool) {
    let table =
        table::read(Input::open(file).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap();
    let n = table.n_rows() as u32;
    for strictness in ["0", "0.1", "0.25", "0.5"] {
        let samplewise = if samplewise { "true" } else { "false" };
        let method =
            method("pfcvm-lp", &[("kernel", "linear"), ("strictness", strictness), ("samplewise", samplewise)]);
        let one = |left_out: u32| {
            let rows: Vec<u32> = (0..n).filter(|r| *r != left_out).collect();
            let model = method.fit(&View::of_rows(&table, &rows).unwrap(), &mut Context::default()).unwrap();
            (error(&model, &View::of_rows(&table, &[left_out]).unwrap()), model.features().len() as f64)
        };
        let results: Vec<(f64, f64)> = (0..n).into_par_iter().map(one).collect();
        let (errors, kept): (Vec<f64>, Vec<f64>) = results.into_iter().unzip();
        println!(
            "strictness {strictness:4}  accuracy {:.1} %  features {:.2}",
            100.0 * (1.0 - mean(&errors)),
            mean(&kept)
        );
    }
}

/// The first splits of a benchmark: error of one machine, and of the average of three.
pub fn splits(file: &Path, splits: &Path, how_many: usize) {
    let table =
        table::read(Input::open(file).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap();
    let text = Input::open(splits).unwrap().text(ExpansionLimit::default()).unwrap();
    let plan = tamis::resample::given(&table.view(), &text, "splits").unwrap();
    for (title, set) in
        [("one machine", vec![("kernel", "rbf")]), ("average of 3", vec![("kernel", "rbf"), ("average", "3")])]
    {
        let (mut errors, mut kept) = (vec![], vec![]);
        for (at, fold) in plan.iter().take(how_many).enumerate() {
            let method = method("pfcvm-lp", &set);
            let model =
                method.fit(&View::of_rows(&table, &fold.train).unwrap(), &mut Context::seeded(at as u64)).unwrap();
            errors.push(error(&model, &View::of_rows(&table, &fold.test).unwrap()));
            kept.push(model.features().len() as f64);
        }
        println!("{title:12}  error {}  features {}", with_error(&errors), with_error(&kept));
    }
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
