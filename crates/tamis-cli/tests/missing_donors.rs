//! Rows whose donor is not known are set aside, whatever the format: they are not rows of one more donor.

use crate::common::Place;
use crate::common::spreadsheet::{sheet, workbook};
use serde_json::Value;

const ROWS: usize = 36;
const FEATURES: usize = 30;
/// What stands in the cells of three rows where their donor is not known.
const UNKNOWN: [(usize, &str); 3] = [(4, ""), (5, "NA"), (22, "NaN")];

/// Numbers without a pattern, a donor's own number in them.
fn value(row: usize, feature: usize) -> f64 {
    let noise = |x: usize| (x as f64 * 12.9898 + 4.1).sin() * 43_758.545_3;
    let part = |x: usize| noise(x) - noise(x).floor() - 0.5;
    let own = 4.0 * part(row / 3 * 977 + feature * 31 + 7);
    (own + part(row * 131 + feature * 17)) * 1e4_f64.round() / 1e4
}

/// Twelve donors of three rows each, six of each class; some of the rows.
fn lines(delimiter: &str, rows: &[usize], unknown: &[(usize, &str)]) -> Vec<String> {
    let names: Vec<String> = (0..FEATURES).map(|j| format!("g{j}")).collect();
    let mut lines = vec![["sample", "group", "donor"].map(String::from).into_iter().chain(names).collect::<Vec<_>>()];
    for &row in rows {
        let donor =
            unknown.iter().find(|(at, _)| *at == row).map_or(format!("d{}", row / 3), |(_, text)| (*text).into());
        let about = [format!("s{row}"), ["a", "b"][row / 3 % 2].into(), donor];
        lines.push(about.into_iter().chain((0..FEATURES).map(|j| format!("{:.4}", value(row, j)))).collect());
    }
    lines.iter().map(|cells| cells.join(delimiter) + "\n").collect()
}

fn text(delimiter: &str, rows: &[usize], unknown: &[(usize, &str)]) -> String {
    lines(delimiter, rows, unknown).concat()
}

/// The same as features in rows, with a file of samples beside them.
fn transposed(place: &Place, unknown: &[(usize, &str)]) {
    let all: Vec<usize> = (0..ROWS).collect();
    let table: Vec<Vec<String>> =
        lines(",", &all, unknown).iter().map(|line| line.trim_end().split(',').map(String::from).collect()).collect();
    let part = |columns: std::ops::Range<usize>, line: &[String]| line[columns].join(",") + "\n";
    place.write("samples.csv", table.iter().map(|line| part(0..3, line)).collect::<String>());
    let mut features = String::new();
    for at in std::iter::once(0).chain(3..FEATURES + 3) {
        let cells: Vec<&str> = table.iter().map(|line| line[at].as_str()).collect();
        features += &(cells.join(",") + "\n");
    }
    place.write("transposed.csv", features);
    let entries: String = (0..ROWS)
        .flat_map(|row| (0..FEATURES).map(move |j| format!("{} {} {:.4}\n", row + 1, j + 1, value(row, j))))
        .collect();
    let head = "%%MatrixMarket matrix coordinate real general";
    place.write("m.mtx", format!("{head}\n{ROWS} {FEATURES} {}\n{entries}", ROWS * FEATURES));
    let numbered = |(at, line): (usize, &Vec<String>)| match at {
        0 => part(0..3, line),
        _ => format!("{at},{},{}\n", line[1], line[2]),
    };
    place.write("numbered.csv", table.iter().enumerate().map(numbered).collect::<String>());
}

fn arff(unknown: &[(usize, &str)]) -> String {
    let all: Vec<usize> = (0..ROWS).collect();
    let features: String = (0..FEATURES).map(|j| format!("@attribute g{j} numeric\n")).collect();
    let rows = lines(",", &all, &unknown.iter().map(|(row, _)| (*row, "?")).collect::<Vec<_>>());
    let head = "@relation r\n@attribute sample string\n@attribute group {a,b}\n@attribute donor string\n";
    format!("{head}{features}@data\n{}", rows[1..].concat())
}

/// A place with the table in every format, and without the rows.
fn place() -> (Place, Vec<Vec<&'static str>>) {
    let place = Place::new();
    let all: Vec<usize> = (0..ROWS).collect();
    let known: Vec<usize> = all.iter().copied().filter(|row| UNKNOWN.iter().all(|(at, _)| at != row)).collect();
    place.write("known.csv", text(",", &known, &[]));
    place.write("in.csv", text(",", &all, &UNKNOWN));
    place.write("in.tsv", text("\t", &all, &UNKNOWN));
    place.write("in.xlsx", workbook(&[("Data", sheet(&text(",", &all, &UNKNOWN)))]));
    place.write("in.arff", arff(&UNKNOWN));
    transposed(&place, &UNKNOWN);
    let mut doors: Vec<Vec<&str>> =
        ["in.csv", "in.tsv", "in.xlsx", "in.arff"].into_iter().map(|file| vec![file, "--id", "sample"]).collect();
    doors.push(vec!["transposed.csv", "--transpose", "--samples", "samples.csv"]);
    doors.push(vec!["m.mtx", "--samples", "numbered.csv"]);
    (place, doors)
}

/// Scores, or whatever a key holds, of the features of a document.
fn of_features(document: &Value, key: &str) -> Vec<Value> {
    document["features"].as_array().unwrap().iter().map(|feature| feature[key].clone()).collect()
}

fn notes(document: &Value) -> String {
    document["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| format!("{}\n", note["message"].as_str().unwrap()))
        .collect()
}

#[test]
fn rows_without_a_block_are_set_aside_in_every_format() {
    let (place, doors) = place();
    let select = |door: &[&str]| {
        let run =
            place.run(&[&["select"], door, &["--target", "group", "--block", "donor", "--json", "out.json"]].concat());
        assert_eq!(run.status, 0, "{door:?}: {run:?}");
        place.json("out.json")
    };
    let known = select(&["known.csv", "--id", "sample"]);
    assert_eq!(known["n_selected"], 0);
    for door in &doors {
        let found = select(door);
        for key in ["selected", "p_value"] {
            let near = |(a, b): (&Value, &Value)| match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b,
                _ => a == b,
            };
            let (ours, theirs) = (of_features(&found, key), of_features(&known, key));
            assert!(ours.iter().zip(&theirs).all(near), "{door:?}, {key}: {ours:?} and {theirs:?}");
        }
        assert!(notes(&found).contains("3 of 36 "), "{door:?}: {}", notes(&found));
        assert!(notes(&found).contains(" have no block and are set aside"), "{door:?}: {}", notes(&found));
    }
}

#[test]
fn rows_without_a_group_are_set_aside_in_every_format() {
    let (place, doors) = place();
    let evaluate = |door: &[&str]| {
        let options =
            ["--target", "group", "--group", "donor", "--method", "dlda", "--folds", "4", "--json", "out.json"];
        let run = place.run(&[&["evaluate"], door, &options].concat());
        assert_eq!(run.status, 0, "{door:?}: {run:?}");
        place.json("out.json")
    };
    let errors = |document: &Value| {
        document["runs"][0]["folds"].as_array().unwrap().iter().map(|f| f["error"].clone()).collect::<Vec<_>>()
    };
    let known = evaluate(&["known.csv", "--id", "sample"]);
    for door in &doors {
        let found = evaluate(door);
        assert_eq!(errors(&found), errors(&known), "{door:?}");
        assert!(notes(&found).contains("3 of 36 "), "{door:?}: {}", notes(&found));
        assert!(notes(&found).contains(" have no group and are set aside"), "{door:?}: {}", notes(&found));
    }
}

#[test]
fn where_nothing_may_be_missing_a_missing_donor_or_covariate_is_refused() {
    let (place, doors) = place();
    for door in &doors {
        for (command, option) in [("select", "--block"), ("evaluate", "--group"), ("select", "--covariate")] {
            let roles = ["--target", "group", option, "donor", "--no-missing"];
            let run = place.run(&[&[command], &door[..], &roles].concat());
            assert_eq!(run.status, 2, "{door:?}, {option}: {run:?}");
            let told = run.err.contains("column `donor`") && run.err.contains("the value is missing");
            assert!(told && run.err.contains("row 5"), "{door:?}, {option}: {}", run.err);
        }
    }
    place.write("again.csv", place.read("in.csv"));
    let pieces = ["select", "in.csv", "again.csv", "--id", "sample", "--target", "group", "--covariate", "donor"];
    let run = place.run(&[&pieces[..], &["--no-missing"]].concat());
    assert!(run.status == 2 && run.err.contains("column `donor`"), "{run:?}");
}

#[test]
fn a_donor_that_is_known_of_no_row_is_refused() {
    let place = Place::new();
    let all: Vec<usize> = (0..ROWS).collect();
    let none: Vec<(usize, &str)> = all.iter().map(|&row| (row, "")).collect();
    place.write("in.csv", text(",", &all, &none));
    for (command, option) in [("select", "--block"), ("evaluate", "--group")] {
        let run = place.run(&[command, "in.csv", "--id", "sample", "--target", "group", option, "donor"]);
        assert!(run.status == 2 && run.err.contains("column `donor`") && run.err.contains("in every row"), "{run:?}");
    }
}
