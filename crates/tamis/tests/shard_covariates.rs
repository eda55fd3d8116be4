//! Covariates in shards: merged sums give what the whole table gives.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tamis::base::Auto;
use tamis::merge::{Batch, Frame, State};
use tamis::stream::Stream;
use tamis::table::{self, Categories, Column, Input, ReadOptions, Task, WeightKind};
use tamis::{Context, Selection, Selector, Snbl};

/// Standard normal numbers.
fn normal(state: &mut u64) -> f64 {
    let mut uniform = || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let (a, b) = (uniform(), uniform());
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Two,
    Three,
    FewNumbers,
    Number,
}

const KINDS: [Kind; 4] = [Kind::Two, Kind::Three, Kind::FewNumbers, Kind::Number];

/// The lines of a file: age (with gaps, far from 0), site (text; `rare` only near the end), dose, the target y, weights w,
/// and features that depend on all of them, some with gaps, one constant, one of categories, one of huge numbers.
fn lines(kind: Kind, rows: usize, features: usize) -> (String, Vec<String>) {
    let mut state = 11;
    let names: Vec<String> = (0..features).map(|j| format!("f{j}")).collect();
    let header = format!("age,site,dose,y,w,{}", names.join(","));
    let mut all = vec![];
    for i in 0..rows {
        let site = if i + 4 > rows { "rare" } else { ["north", "south", "west"][i * 7 % 3] };
        let age = 5000.0 + 10.0 * normal(&mut state) + if site == "north" { 8.0 } else { 0.0 };
        let dose = normal(&mut state) * 1e-3;
        let level = normal(&mut state) + (age - 5000.0) / 20.0;
        let y = match kind {
            Kind::Two => ["ill", "well"][usize::from(level > 0.2)].to_string(),
            Kind::Three => ["a", "b", "c"][usize::from(level > -0.4) + usize::from(level > 0.5)].into(),
            Kind::FewNumbers => ((level * 2.0).round().clamp(-4.0, 4.0) / 2.0).to_string(),
            Kind::Number => level.to_string(),
        };
        let y = if i % 19 == 7 { String::new() } else { y };
        let age_cell = if i % 17 == 3 { String::new() } else { age.to_string() };
        let mut line = format!("{age_cell},{site},{dose},{y},{}", i % 3);
        for j in 0..features {
            let noise = normal(&mut state);
            let x = noise
                + 0.2 * (age - 5000.0) * (j % 3) as f64
                + if site == "south" { 1.0 } else { 0.0 }
                + if j % 4 == 0 { level } else { 0.0 };
            match j {
                3 if noise > 0.3 => line += ",",
                4 if i < rows / 2 => line += ",",
                5 => line += ",7",
                6 => write!(line, ",{}", ["red", "blue"][i % 2]).unwrap(),
                7 => write!(line, ",{}", x * 1e200).unwrap(),
                8 => write!(line, ",{}", age * 2.0 - 3.0).unwrap(),
                _ => write!(line, ",{x}").unwrap(),
            }
        }
        all.push(line);
    }
    (header, all)
}

fn options(weights: Option<WeightKind>) -> ReadOptions {
    let mut options = ReadOptions::target("y");
    options.covariates = ["site", "age", "dose"].map(String::from).to_vec();
    options.drop = if weights.is_some() { vec![] } else { vec!["w".into()] };
    options.weight = weights.map(|_| "w".into());
    options.weight_kind = weights.unwrap_or_default();
    options
}

fn method() -> Snbl {
    let mut method = Snbl::default();
    method.means.permutations = Auto::Set(0);
    method
}

fn write(folder: &tempfile::TempDir, name: &str, header: &str, lines: &[String]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, format!("{header}\n{}\n", lines.join("\n"))).unwrap();
    path
}

fn whole(path: &Path, options: &ReadOptions) -> Selection {
    let table = table::read(Input::open(path).unwrap(), options, &mut Context::default()).unwrap();
    method().select(&table.view(), &mut Context::default()).unwrap()
}

fn near(a: f64, b: f64, what: &str) {
    let close = (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * b.abs().max(1e-2);
    assert!(close, "{what}: {a} and {b}");
}

fn same(got: &Selection, want: &Selection, what: &str) {
    assert_eq!(got.selected, want.selected, "{what}");
    for (j, (a, b)) in got.scores.iter().zip(&want.scores).enumerate() {
        near(*a, *b, &format!("{what}: score {j}"));
    }
    let (got_all, want_all) = (got.summaries.as_ref().unwrap(), want.summaries.as_ref().unwrap());
    for (j, (a, b)) in got_all.features.iter().zip(&want_all.features).enumerate() {
        let what = format!("{what}: feature {j}");
        assert_eq!(a.rows, b.rows, "{what}");
        near(a.difference, b.difference, &what);
        near(a.df, b.df, &what);
        near(a.standard_error, b.standard_error, &what);
        near(a.p_value, b.p_value, &what);
        a.means.iter().zip(&b.means).for_each(|(a, b)| near(*a, *b, &what));
    }
    let (a, b) = (got.design.as_ref().unwrap(), want.design.as_ref().unwrap());
    // in the order in which they were asked for, or in that of the file
    let sorted = |names: &[String]| std::collections::BTreeSet::from_iter(names.iter().cloned());
    assert_eq!((sorted(&a.covariates), a.rows_used), (sorted(&b.covariates), b.rows_used), "{what}");
    near(a.prior_df.unwrap_or(f64::NAN), b.prior_df.unwrap_or(f64::NAN), what);
    let kinds = |selection: &Selection| selection.notes.iter().map(|note| note.kind).collect::<Vec<_>>();
    for kind in kinds(want) {
        assert!(kinds(got).contains(&kind), "{what}: {kind:?} is not among {:?}", kinds(got));
    }
}

#[test]
fn merged_shards_are_adjusted_as_the_whole_table_is() {
    for kind in KINDS {
        let weights = [WeightKind::Importance, WeightKind::Frequency].map(|kind| (Some(kind), 30));
        for (weights, features) in weights.into_iter().chain([(None, 30), (None, 12)]) {
            let folder = tempfile::tempdir().unwrap();
            let (header, lines) = lines(kind, 120, features);
            let options = options(weights);
            let want = whole(&write(&folder, "whole.csv", &header, &lines), &options);
            let stream = Stream { options, method: method(), seed: 0, memory: None };
            for cuts in [vec![0, 120], vec![0, 1, 60, 60, 118, 120], (0..=40).map(|i| i * 3).collect()] {
                let states: Vec<State> = cuts
                    .windows(2)
                    .map(|cut| {
                        let path = write(&folder, "shard.csv", &header, &lines[cut[0]..cut[1]]);
                        let state = stream.read(&[path], &mut Context::default()).unwrap();
                        State::from_bytes(&state.to_bytes(), "shard").unwrap()
                    })
                    .collect();
                let merged = State::merge_all(states).unwrap();
                let answer = merged.answer(&method(), &[], &mut Context::default()).unwrap();
                let what = format!("{kind:?}, {features} features, weights {weights:?}, {} shards", cuts.len() - 1);
                same(&answer.selection, &want, &what);
            }
        }
    }
}

#[test]
fn several_files_with_covariates_give_the_answer_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let (header, lines) = lines(Kind::Two, 120, 30);
    let want = whole(&write(&folder, "whole.csv", &header, &lines), &options(None));
    let files = [write(&folder, "a.csv", &header, &lines[..50]), write(&folder, "b.csv", &header, &lines[50..])];
    let stream = Stream { options: options(None), method: method(), seed: 0, memory: None };
    let answer = stream.select_summed(&files, &[], &mut Context::default()).unwrap();
    same(&answer.selection, &want, "two files");
}

#[test]
fn states_in_any_order_have_the_same_bits() {
    let (header, lines) = lines(Kind::Number, 60, 20);
    let folder = tempfile::tempdir().unwrap();
    let stream = Stream { options: options(None), method: method(), seed: 0, memory: None };
    let shard = |from: usize, to: usize| {
        let path = write(&folder, "shard.csv", &header, &lines[from..to]);
        stream.read(&[path], &mut Context::default()).unwrap()
    };
    let states = || vec![shard(0, 13), shard(13, 15), shard(15, 60)];
    let forwards = State::merge_all(states()).unwrap();
    let backwards = State::merge_all(states().into_iter().rev().collect()).unwrap();
    assert_eq!(forwards.to_bytes(), backwards.to_bytes());
}

fn frame(covariates: &[&str]) -> Arc<Frame> {
    let mut options = ReadOptions::target("y");
    options.task = Some(Task::Classes);
    options.covariates = covariates.iter().map(ToString::to_string).collect();
    Frame::new((0..20).map(|j| format!("x{j}")).collect(), &options, method(), 0).unwrap()
}

/// Twelve rows with these covariates.
fn state(covariates: &[&str], columns: Vec<Column>) -> tamis::Result<State> {
    let mut seed = 5;
    let features = (0..20).map(|_| Column::Numbers((0..12).map(|_| normal(&mut seed)).collect())).collect();
    let target = Column::Categories(Categories::of((0..12).map(|i| Some(["a", "b"][i % 2]))));
    let mut state = State::new(&frame(covariates));
    state.update(Batch::new(features, &target, None)?.with_covariates(columns))?;
    Ok(state)
}

fn refusal(covariates: &[&str], columns: Vec<Column>) -> String {
    let answer =
        state(covariates, columns).and_then(|state| state.answer(&method(), &[], &mut Context::default()).map(drop));
    answer.unwrap_err().to_string()
}

#[test]
fn covariates_that_cannot_be_used_are_refused() {
    let numbers = |value: &dyn Fn(usize) -> f64| Column::Numbers((0..12).map(value).collect());
    let said = refusal(&["copy"], vec![numbers(&|i| (i % 2) as f64)]);
    assert!(said.contains("`copy` determines the target"), "{said}");
    let said = refusal(&["u", "v"], vec![numbers(&|i| i as f64), numbers(&|i| (i + i % 2) as f64)]);
    assert!(said.contains("`u`, `v` together determine the target"), "{said}");
    let said = refusal(&["gone"], vec![numbers(&|_| f64::NAN)]);
    assert!(said.contains("gone") || said.contains("covariate"), "{said}");
    let said = refusal(&["huge"], vec![numbers(&|i| if i == 3 { f64::INFINITY } else { 1.0 })]);
    assert!(said.contains("row 4") && said.contains("huge"), "{said}");
    let many: Vec<Column> = (0..11).map(|k| numbers(&|i| ((i * i + k * i * 7) as f64 * 0.37).sin())).collect();
    let names: Vec<String> = (0..11).map(|k| format!("c{k}")).collect();
    let said = refusal(&names.iter().map(String::as_str).collect::<Vec<_>>(), many);
    assert!(said.contains("coefficients") || said.contains("determine"), "{said}");
    let said = refusal(&["one", "two"], vec![numbers(&|_| 1.0)]);
    assert!(said.contains("1 covariate for 12 rows instead of 2"), "{said}");
}

#[test]
fn a_covariate_that_adds_nothing_is_left_out_with_a_note() {
    let numbers = |value: &dyn Fn(usize) -> f64| Column::Numbers((0..12).map(value).collect());
    let found = state(&["u", "twice"], vec![numbers(&|i| (i * i) as f64), numbers(&|i| 2.0 * (i * i) as f64)]);
    let answer = found.unwrap().answer(&method(), &[], &mut Context::default()).unwrap();
    let notes: Vec<String> = answer.selection.notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("left out: `twice`")), "{notes:?}");
}

#[test]
fn shards_with_other_covariates_are_not_merged() {
    let numbers = || Column::Numbers((0..12).map(|i| (i * i) as f64).collect());
    let (a, b) = (state(&["u"], vec![numbers()]).unwrap(), state(&["v"], vec![numbers()]).unwrap());
    let said = State::merge_all(vec![a, b]).unwrap_err().to_string();
    assert!(said.contains("the covariates"), "{said}");
    let text = Column::Categories(Categories::of((0..12).map(|i| Some(["p", "q", "r"][i % 3]))));
    let (a, b) = (state(&["u"], vec![numbers()]).unwrap(), state(&["u"], vec![text]).unwrap());
    let said = State::merge_all(vec![a, b]).unwrap_err().to_string();
    assert!(said.contains("text"), "{said}");
}
