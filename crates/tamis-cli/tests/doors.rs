//! One analysis through every door of Rust: the program on a file, the library on a table, whole, sparse and in pieces.
//! Python and R are compared with the program in their own tests (`python/tests/test_all_doors.py`,
//! `r/tests/testthat/test-all-doors.R`).

use crate::common::Place;
use serde_json::Value;
use std::path::Path;
use tamis::Analysis;
use tamis::analysis::{Data, Found, TableFiles};
use tamis::base::{Command, OptionName, Progress, Voice};
use tamis::table::counts::{CountSettings, Normalize};
use tamis::table::{self, Input, ReadOptions};

pub const ROWS: usize = 40;

/// Speaks as the program does of the options that these tables are about.
pub struct Shell;

impl Progress for Shell {
    fn update(&mut self, _: &str, _: u64, _: u64) -> bool {
        true
    }

    fn voice(&self) -> &'static dyn Voice {
        &Shell
    }
}

impl Voice for Shell {
    fn option(&self, name: &OptionName, value: Option<&str>) -> String {
        let option = match name {
            OptionName::Parameter(key) => return value.map_or(key.to_string(), |value| format!("--set {key}={value}")),
            name => format!("--{}", name.stem().replace('_', "-")),
        };
        value.map_or_else(|| option.clone(), |value| format!("{option} {value}"))
    }

    fn command(&self, _: Command) -> String {
        "tamis".into()
    }
}

/// A table and how it is analysed.
pub struct Case {
    pub name: &'static str,
    /// Columns beside the features: header and cells.
    about: Vec<(&'static str, Vec<String>)>,
    pub features: Vec<(String, Vec<String>)>,
    pub options: &'static [&'static str],
}

/// Numbers between 0 and 1 without a pattern.
fn noise(row: usize, column: usize) -> f64 {
    let mut x = (row as u64 * 7919 + column as u64 * 104_729 + 12_345).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^= x >> 31;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((x ^ (x >> 29)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// About normal.
fn normal(row: usize, column: usize) -> f64 {
    (0..6).map(|part| noise(row, column * 6 + part)).sum::<f64>() * 2.0_f64.sqrt() - 3.0 * 2.0_f64.sqrt()
}

/// 60 features, of which the first six follow `effect`.
fn features(effect: impl Fn(usize) -> f64) -> Vec<(String, Vec<String>)> {
    let cell = |row: usize, j: usize| format!("{}", normal(row, j) + if j < 6 { effect(row) } else { 0.0 });
    (0..60).map(|j| (format!("g{j}"), (0..ROWS).map(|row| cell(row, j)).collect())).collect()
}

pub fn texts<T: ToString>(of: impl Fn(usize) -> T) -> Vec<String> {
    (0..ROWS).map(|row| of(row).to_string()).collect()
}

/// Every kind of table that selections are made from.
pub fn cases() -> Vec<Case> {
    let two = |row: usize| if row.is_multiple_of(2) { "a" } else { "b" };
    let shift = |row: usize| 2.0 * (row % 2) as f64;
    let city = |row: usize, code: usize| usize::from(if noise(row, 900) < 0.8 { row % 2 } else { 2 } == code);
    let mut one_hot = features(|_| 0.0);
    for (code, name) in ["Rome", "Oslo", "New_York"].iter().enumerate() {
        one_hot.push((format!("city_{name}"), texts(|row| city(row, code))));
    }
    let mut gaps = features(shift);
    (0..60).for_each(|j| gaps[j].1[(7 * j) % ROWS] = String::new());
    let count = |row: usize, j: usize| {
        let depth = 1.0 + 3.0 * noise(row / 5, 700);
        let fold = if j < 6 && (row / 5) % 2 == 1 { 4.0 } else { 1.0 };
        (depth * fold * (5.0 + 40.0 * noise(0, 800 + j)) * (0.6 + 0.8 * noise(row, j))).round()
    };
    let counts = |of: &dyn Fn(usize) -> usize| -> Vec<(String, Vec<String>)> {
        (0..60).map(|j| (format!("g{j}"), texts(|row| count(of(row), j)))).collect()
    };
    let case = |name, about, features, options| Case { name, about, features, options };
    vec![
        case("two classes", vec![("y", texts(two))], features(shift), &[]),
        case("three classes", vec![("y", texts(|row| ["a", "b", "c"][row % 3]))], features(|r| (r % 3) as f64), &[]),
        case("numbers", vec![("y", texts(|row| normal(row, 500)))], features(|row| normal(row, 500)), &[]),
        case(
            "survival",
            vec![
                ("y", texts(|row| (0.2 + noise(row, 600)) * (1.0 + 3.0 * shift(row)))),
                ("died", texts(|row| u8::from(noise(row, 601) < 0.9))),
            ],
            features(|row| 2.0 * shift(row)),
            &["--event", "died"],
        ),
        case(
            "covariates",
            vec![
                ("y", texts(two)),
                ("age", texts(|row| 30.0 + 40.0 * noise(row, 602))),
                ("batch", texts(|row| ["p", "q"][usize::from(noise(row, 603) < 0.5)])),
            ],
            features(shift),
            &["--covariate", "age", "--covariate", "batch"],
        ),
        case("missing values", vec![("y", texts(two))], gaps, &[]),
        case("one-hot columns", vec![("y", texts(two))], one_hot, &[]),
        case(
            "counts",
            vec![("y", texts(|row| ["a", "b"][(row / 5) % 2]))],
            counts(&|row| row),
            &["--normalize", "tmm"],
        ),
        case(
            "counts of blocks",
            vec![("y", texts(|row| ["a", "b"][(row / 5) % 2])), ("donor", texts(|row| format!("d{}", row / 5)))],
            counts(&|row| row),
            &["--normalize", "tmm", "--block", "donor"],
        ),
    ]
}

impl Case {
    fn columns(&self) -> impl Iterator<Item = (&str, &Vec<String>)> {
        let about = self.about.iter().map(|(name, cells)| (*name, cells));
        about.chain(self.features.iter().map(|(name, cells)| (name.as_str(), cells)))
    }

    /// Some rows as CSV.
    pub fn csv(&self, rows: impl Iterator<Item = usize>) -> String {
        let names: Vec<&str> = self.columns().map(|(name, _)| name).collect();
        let line = |row: usize| self.columns().map(|(_, cells)| cells[row].as_str()).collect::<Vec<_>>().join(",");
        std::iter::once(names.join(",")).chain(rows.map(line)).map(|line| line + "\n").collect()
    }

    pub fn option(&self, name: &str) -> impl Iterator<Item = String> {
        let given = self.options.chunks(2).filter(move |pair| pair[0] == name);
        given.map(|pair| pair[1].to_string()).collect::<Vec<_>>().into_iter()
    }

    pub fn reading(&self) -> ReadOptions {
        let mut options = ReadOptions::target(self.option("--target").next().unwrap_or("y".into()));
        options.ids = self.option("--id").collect();
        options.event = self.option("--event").next();
        options.comparison.positive = self.option("--positive").next();
        options.covariates = self.option("--covariate").collect();
        options.block = self.option("--block").next();
        options
    }

    pub fn analysis(&self, method: tamis::Method) -> Analysis {
        let mut analysis = Analysis { method, ..Analysis::default() };
        analysis.preparation.counts = self
            .option("--normalize")
            .next()
            .map(|way| CountSettings { normalize: way.parse::<Normalize>().unwrap(), ..CountSettings::default() });
        analysis
    }

    /// Whether classifiers can be trained on it, in any fold.
    pub fn has_classes(&self) -> bool {
        !matches!(self.name, "numbers" | "survival")
    }
}

/// A document without what differs from run to run: times, memory, the file's name.
pub fn timeless(mut document: Value) -> Value {
    fn forget(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                ["seconds", "peak_bytes", "file"].iter().for_each(|key| drop(fields.remove(*key)));
                fields.values_mut().for_each(forget);
            }
            Value::Array(values) => values.iter_mut().for_each(forget),
            _ => {}
        }
    }
    forget(&mut document);
    document
}

fn document(found: Found) -> Value {
    timeless(serde_json::to_value(found.result).unwrap())
}

pub fn program(place: &Place, arguments: &[&str], case: &Case) -> Value {
    let target: &[&str] = if case.options.contains(&"--target") { &[] } else { &["--target", "y"] };
    let run = place.run(&[arguments, target, &["--json", "answer.json"], case.options].concat());
    assert_eq!(run.status, 0, "{}: {arguments:?} {run:?}", case.name);
    timeless(place.json("answer.json"))
}

fn library(place: &Place, case: &Case, name: &str) -> (Value, Analysis) {
    let table = table::read(Input::open(&place.path("whole.csv")).unwrap(), &case.reading(), &mut Shell).unwrap();
    let analysis = case.analysis(tamis::Method::find(name).unwrap());
    let found = analysis.select(&Data::of_table("whole.csv", &table), &mut Shell).unwrap();
    (document(found), analysis)
}

/// The names of the selected features.
fn selected(document: &Value) -> Vec<&str> {
    let features = document["features"].as_array().unwrap().iter().filter(|feature| feature["selected"] == true);
    features.map(|feature| feature["name"].as_str().unwrap()).collect()
}

#[test]
fn program_and_library_select_alike_from_every_table() {
    for case in cases() {
        let place = Place::new();
        place.write("whole.csv", case.csv(0..ROWS));
        let mut methods = vec!["snbl"];
        if matches!(case.name, "two classes" | "three classes" | "one-hot columns") {
            methods.extend(["jmi", "f", "dependence"]);
        }
        for method in methods {
            let ours = program(&place, &["select", "whole.csv", "--method", method], &case);
            assert_eq!(ours, library(&place, &case, method).0, "{}, {method}", case.name);
            assert!(!selected(&ours).is_empty(), "{}, {method}", case.name);
        }
    }
}

/// The tables of the transcripts, each as its transcript analyses it.
const FIXTURES: [(&str, &[&str]); 8] = [
    ("counts.in/counts.csv", &["--target", "group", "--id", "sample", "--normalize", "tmm"]),
    ("designs.in/batches.csv", &["--target", "group", "--covariate", "batch", "--covariate", "age"]),
    ("designs.in/pairs.csv", &["--target", "group", "--block", "patient"]),
    ("relations.in/sensors.csv", &["--target", "fault"]),
    ("select.in/people.csv", &["--target", "smoker"]),
    ("select.in/people.csv", &["--target", "weight"]),
    ("select.in/small.csv", &["--target", "smoker"]),
    ("survival.in/patients.csv", &["--target", "months", "--event", "status", "--positive", "dead", "--id", "patient"]),
];

#[test]
fn program_and_library_select_alike_from_every_fixture() {
    for (file, options) in FIXTURES {
        let place = Place::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
        place.write("whole.csv", std::fs::read(folder.join(file)).unwrap());
        let case = Case { name: file, about: vec![], features: vec![], options };
        let ours = program(&place, &["select", "whole.csv"], &case);
        assert_eq!(ours, library(&place, &case, "snbl").0, "{file}");
        if !options.iter().any(|option| ["--block", "--event", "--normalize"].contains(option)) {
            let mut again = place.read("whole.csv");
            let half = again.len() / 2 + again[again.len() / 2..].find('\n').unwrap() + 1;
            let (head, rest) = (again.lines().next().unwrap().to_string() + "\n", again.split_off(half));
            place.write("a.csv", again);
            place.write("b.csv", head + &rest);
            let pieces = program(&place, &["select", "a.csv", "b.csv"], &case);
            close(&pieces, &ours, "difference", 1e-9, file);
            assert_eq!(selected(&pieces), selected(&ours), "{file}");
        }
    }
}

#[test]
fn pieces_give_what_the_library_gives_and_the_scores_of_the_whole() {
    for case in cases().into_iter().filter(|case| !matches!(case.name, "survival") && !case.name.starts_with("counts"))
    {
        let place = Place::new();
        place.write("whole.csv", case.csv(0..ROWS));
        place.write("a.csv", case.csv(0..17));
        place.write("b.csv", case.csv(17..ROWS));
        let ours = program(&place, &["select", "a.csv", "b.csv"], &case);
        let paths = ["a.csv", "b.csv"].map(|name| place.path(name)).to_vec();
        let files = TableFiles::new(paths, case.reading());
        let analysis = case.analysis(tamis::Method::find("snbl").unwrap());
        let passage = analysis.passage(&files, &mut Shell).unwrap();
        let (theirs, _) = analysis.select_files(&files, passage, &mut Shell).unwrap();
        assert_eq!(ours, document(theirs), "{}", case.name);
        if case.name != "one-hot columns" {
            let (whole, _) = library(&place, &case, "snbl");
            for key in ["score", "p_value", "difference", "difference_low", "difference_high"] {
                close(&ours, &whole, key, 1e-9, case.name);
            }
            // null targets are others
            let probability = |document: &Value, j: usize| document["features"][j]["probability"].as_f64().unwrap();
            let unlike = (0..60).map(|j| (probability(&ours, j) - probability(&whole, j)).abs()).sum::<f64>() / 60.0;
            assert!(unlike < 0.05, "{}: {unlike}", case.name);
        }
    }
}

#[test]
fn columns_that_describe_samples_are_noticed_in_pieces_too_and_as_many_features_selected_as_asked_for() {
    let place = Place::new();
    let header: Vec<String> = (0..60).map(|j| if j == 3 { "batch".into() } else { format!("g{j}") }).collect();
    let row = |i: usize| -> String {
        let cells: Vec<String> = (0..60).map(|j| ((i * 37 + j * 91) % 17).to_string()).collect();
        format!("{},{}\n", if i.is_multiple_of(2) { "a" } else { "b" }, cells.join(","))
    };
    let csv = |rows: std::ops::Range<usize>| format!("y,{}\n{}", header.join(","), rows.map(row).collect::<String>());
    for (file, rows) in [("whole.csv", 0..40), ("one.csv", 0..20), ("two.csv", 20..40)] {
        place.write(file, csv(rows));
    }
    for paths in [&["whole.csv"][..], &["one.csv", "two.csv"]] {
        let paths: Vec<_> = paths.iter().map(|name| place.path(name)).collect();
        let files = TableFiles::new(paths.clone(), ReadOptions::target("y"));
        let analysis = tamis::Analysis { least_features: 7, ..tamis::Analysis::default() };
        let passage = analysis.passage(&files, &mut Shell).unwrap();
        let (found, _) = analysis.select_files(&files, passage, &mut Shell).unwrap();
        let noted = |words: &str| found.result.notes.iter().any(|note| note.to_string().contains(words));
        assert!(noted("`batch` is read as a feature") && noted("only on request"), "{paths:?}");
        assert_eq!(found.result.n_selected, 7, "{paths:?}");
        assert!(found.selection.selected.iter().all(|&j| found.selection.ranks[j as usize] <= 7), "{paths:?}");
    }
}

/// The same numbers of every feature in two documents, to so many parts of the larger.
fn close(one: &Value, other: &Value, key: &str, tolerance: f64, what: &str) {
    let of = |document: &Value| -> Vec<Value> {
        document["features"].as_array().unwrap().iter().map(|feature| feature[key].clone()).collect()
    };
    let (one, other) = (of(one), of(other));
    assert_eq!(one.len(), other.len(), "{what}");
    for (j, (a, b)) in one.iter().zip(&other).enumerate() {
        let near = match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0),
            _ => a == b,
        };
        assert!(near, "{what}, {key} of feature {j}: {a} and {b}");
    }
}

#[test]
fn a_sparse_matrix_gives_the_answer_of_the_table() {
    let case = &cases()[0];
    let place = Place::new();
    let rounded =
        |cell: &String| cell.parse::<f64>().ok().filter(|x| x.abs() > 0.7).map_or("0".into(), |_| cell.clone());
    let features: Vec<(String, Vec<String>)> =
        case.features.iter().map(|(name, cells)| (name.clone(), cells.iter().map(rounded).collect())).collect();
    let case = Case { about: case.about.clone(), features, ..*case };
    let mut about = case.about.clone();
    about.insert(0, ("cell", texts(|row| row + 1)));
    let samples = Case { about, features: vec![], ..case };
    place.write("whole.csv", case.csv(0..ROWS));
    place.write("samples.csv", samples.csv(0..ROWS));
    let mut entries = String::new();
    let mut count = 0;
    for (j, (_, cells)) in case.features.iter().enumerate() {
        for (row, cell) in cells.iter().enumerate().filter(|(_, cell)| *cell != "0") {
            entries += &format!("{} {} {cell}\n", row + 1, j + 1);
            count += 1;
        }
    }
    place.write("m.mtx", format!("%%MatrixMarket matrix coordinate real general\n{ROWS} 60 {count}\n{entries}"));
    let sparse = program(&place, &["select", "m.mtx", "--samples", "samples.csv"], &case);
    let whole = program(&place, &["select", "whole.csv"], &case);
    for key in
        ["score", "p_value", "probability", "q_value", "difference", "difference_low", "difference_high", "selected"]
    {
        close(&sparse, &whole, key, 1e-6, "sparse");
    }
    assert_eq!(sparse["second_look"], whole["second_look"]);

    let compared = ["--method", "snbl", "--method", "f", "--folds", "4"];
    let [sparse, whole] = [&["evaluate", "m.mtx", "--samples", "samples.csv"][..], &["evaluate", "whole.csv"]]
        .map(|table| program(&place, &[table, &compared].concat(), &case));
    for run in 0..2 {
        for part in ["folds", "summary"] {
            assert_eq!(sparse["runs"][run][part], whole["runs"][run][part]);
        }
    }
}

#[test]
fn a_second_look_is_refused_where_there_is_none() {
    let case = &cases()[0];
    let place = Place::new();
    place.write("a.csv", case.csv(0..20));
    place.write("b.csv", case.csv(20..ROWS));
    let files = TableFiles::new(["a.csv", "b.csv"].map(|name| place.path(name)).to_vec(), case.reading());
    let wanted = Analysis { second_look: Some(true), ..Analysis::default() };
    let said = wanted.passage(&files, &mut Shell).unwrap_err().say(&Shell);
    assert!(said.contains("there is no second look with tables read in pieces"), "{said}");
    let other = Analysis { method: tamis::Method::find("f").unwrap(), ..wanted };
    assert!(other.check_selection().unwrap_err().say(&Shell).contains("no second look with method=f"));
    let found = program(&place, &["select", "a.csv", "b.csv"], case);
    assert!(found["notes"].to_string().contains("not searched for"), "{}", found["notes"]);
}

#[test]
fn a_table_of_scores_is_shrunk_alike() {
    let place = Place::new();
    let z = |j: usize| normal(j, 77) + if j < 20 { 5.0 } else { 0.0 };
    let text: String = (0..300).map(|j| format!("s{j},{}\n", z(j))).collect();
    place.write("z.csv", format!("name,z\n{text}"));
    let run = place.run(&["shrink", "z.csv", "--column", "z", "--id", "name", "--json", "answer.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let analysis = Analysis { method: tamis::Method::find("shrink").unwrap(), ..Analysis::default() };
    let scores: Vec<f64> = (0..300).map(z).collect();
    let given = tamis::score::given::GivenScores::of_scores(&scores, None).unwrap();
    let names = (0..300).map(|j| format!("s{j}")).collect();
    let found = analysis.shrink(names, &given, ("z.csv".into(), "z".into()), &mut Shell).unwrap();
    assert_eq!(timeless(place.json("answer.json")), document(found));
}

/// The demo tells people to type a command; it has run that command.
#[test]
fn the_demo_prints_what_its_command_prints() {
    for seed in [&[][..], &["--seed", "3"]] {
        let place = Place::new();
        let demo = place.run(&[&["demo"], seed].concat());
        assert_eq!(demo.status, 0, "{demo:?}");
        let typed = demo.out.lines().find_map(|line| line.strip_prefix("Try it on the file:  tamis ")).unwrap();
        let words: Vec<&str> = typed.split(' ').chain(["--json", "typed.json"]).collect();
        let run = place.run(&words);
        assert_eq!(run.status, 0, "{run:?}");
        let typed = timeless(place.json("typed.json"));
        assert_eq!(timeless(place.json("tamis-demo/result.json")), typed);
        assert!(typed["second_look"].is_object(), "it looks again");
        // all but the line with the seconds, and what the demo has done already
        let apart = ["  time", "wrote", "For pictures of all this"];
        let told = |line: &&str| !apart.iter().any(|start| line.starts_with(start));
        for line in run.out.lines().filter(told) {
            assert!(demo.out.contains(line), "{line}");
        }
        assert_eq!(demo.err, run.err);
    }
}
