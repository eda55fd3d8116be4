//! Survival times at the command line: `--target TIME --event STATUS`.

use crate::common::Place;

const PATIENTS: &str = include_str!("cmd/survival.in/patients.csv");

/// The table with the cells of one column replaced; rows are counted from 1.
fn with_column(name: &str, cell: impl Fn(usize, &str) -> String) -> String {
    let at = PATIENTS.lines().next().unwrap().split(',').position(|n| n == name).unwrap();
    let line = |(row, line): (usize, &str)| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        if row > 0 {
            cells[at] = cell(row, &cells[at]);
        }
        cells.join(",") + "\n"
    };
    PATIENTS.lines().enumerate().map(line).collect()
}

const SURVIVAL: [&str; 6] = ["--id", "patient", "--target", "months", "--event", "status"];

/// Expects refusal, with these words, and nothing written.
fn refused(table: &str, more: &[&str], says: &[&str]) {
    let place = Place::new();
    place.write("patients.csv", table);
    let fixed = ["select", "patients.csv", "--json", "out.json", "--reduced", "small.csv"];
    let run = place.run(&[&fixed, &SURVIVAL[..], more].concat());
    assert_eq!(run.status, 2, "{run:?}");
    assert_eq!(run.out, "");
    for text in says {
        assert!(run.err.contains(text), "`{text}` is not in: {}", run.err);
    }
    assert_eq!(place.files(), ["patients.csv"], "nothing is left behind");
}

#[test]
fn the_event_may_be_a_label_a_number_or_true() {
    let answers = [("dead", "alive", Some("dead")), ("1", "0", None), ("true", "False", None), ("2", "1", Some("2"))];
    let mut found: Vec<serde_json::Value> = vec![];
    for (event, censored, positive) in answers {
        let place = Place::new();
        let label = |_: usize, status: &str| (if status == "dead" { event } else { censored }).to_string();
        place.write("patients.csv", with_column("status", label));
        let positive: Vec<&str> = positive.map_or(vec![], |label| vec!["--positive", label]);
        let fixed = ["select", "patients.csv", "--json", "out.json", "--quiet"];
        let run = place.run(&[&fixed, &SURVIVAL[..], &positive].concat());
        assert_eq!(run.status, 0, "{run:?}");
        let result = place.json("out.json");
        assert_eq!(result["input"]["target"], "months");
        assert_eq!(result["input"]["event"], "status");
        assert_eq!(result["input"]["events"], 104);
        assert_eq!(result["method"]["score"], "cox");
        assert!(result["input"].get("classes").is_none());
        found.push(result["features"].clone());
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn other_formats_and_missing_cells() {
    let place = Place::new();
    let cell = |row: usize, status: &str| match row {
        3 => "NA".to_string(),
        4 => "unknown".to_string(),
        _ => u8::from(status == "dead").to_string(),
    };
    place.write("patients.csv", with_column("status", cell));
    let fixed = ["select", "patients.csv", "--json", "csv.json", "--missing", "unknown", "--keep", "protein_9"];
    for (file, same) in [("small.arff", true), ("small.tsv", true), ("small.npz", false)] {
        let run = place.run(&[&fixed, &SURVIVAL[..], &["--reduced", file]].concat());
        assert_eq!(run.status == 0, same, "{file}: {run:?}");
        if same {
            let again = place.run(&[&["select", file, "--json", "again.json"], &SURVIVAL[..]].concat());
            assert_eq!(again.status, 0, "{file}: {again:?}");
            let (one, two) = (place.json("csv.json"), place.json("again.json"));
            assert_eq!(one["input"]["events"], two["input"]["events"], "{file}");
            assert_eq!(two["input"]["rows"], 148, "{file}");
            let score = |result: &serde_json::Value, name: &str| {
                let features = result["features"].as_array().unwrap().clone();
                features.into_iter().find(|f| f["name"] == name).map(|f| f["score"].as_f64().unwrap())
            };
            for name in ["protein_1", "protein_9"] {
                let (one, two) = (score(&one, name).unwrap(), score(&two, name).unwrap());
                assert!((one - two).abs() < 1e-9, "{file} {name}: {one} {two}");
            }
        }
    }
}

#[test]
fn an_earlier_selection_is_applied_with_its_events() {
    let place = Place::new();
    let label = |_: usize, status: &str| u8::from(status == "dead").to_string();
    place.write("patients.csv", with_column("status", label));
    let run = place.run(&[&["select", "patients.csv", "--json", "out.json", "--quiet"], &SURVIVAL[..]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    let run = place.run(&["select", "patients.csv", "--result", "out.json", "--reduced", "small.csv"]);
    assert_eq!(run.status, 0, "{run:?}");
    let header = place.read("small.csv").lines().next().unwrap().to_string();
    assert!(header.ends_with("status,months"), "{header}");
}

#[test]
fn wrong_times_are_refused_with_their_row() {
    let dead = ["--positive", "dead"];
    let time =
        |wrong: &'static str| with_column("months", move |row, time| (if row == 7 { wrong } else { time }).into());
    refused(&time("0"), &dead, &["row 7", "`months`", "above 0"]);
    refused(&time("-2.5"), &dead, &["row 7", "`months`", "-2.5"]);
    refused(&time("inf"), &dead, &["row 7", "`months`"]);
    refused(&time("soon"), &dead, &["row 7", "`months`", "`soon`", "--missing"]);
    refused(&with_column("months", |_, _| "3".into()), &dead, &["equal", "--target"]);
    refused(&with_column("months", |_, _| "".into()), &dead, &["no row has both"]);
}

#[test]
fn wrong_events_are_refused_with_their_row() {
    refused(PATIENTS, &[], &["row 1", "`status`", "--positive"]);
    refused(PATIENTS, &["--positive", "died"], &["died", "dead", "alive"]);
    let third = with_column("status", |row, status| (if row == 9 { "lost" } else { status }).into());
    refused(&third, &["--positive", "dead"], &["`status`", "`alive`", "`lost`"]);
    let numbers =
        with_column("status", |row, status| if row == 5 { "2".into() } else { u8::from(status == "dead").to_string() });
    refused(&numbers, &[], &["row 5", "`status`", "`2`", "1 nor 0", "--positive"]);
    refused(&with_column("status", |_, _| "0".into()), &[], &["no event"]);
    refused(&with_column("status", |_, _| "NA".into()), &[], &["no row has both"]);
}

#[test]
fn options_that_do_not_go_with_survival_are_refused() {
    let dead = ["--positive", "dead"];
    let with = |more: &[&'static str]| [&dead[..], more].concat();
    refused(PATIENTS, &with(&["--method", "jmi"]), &["jmi", "survival", "--method snbl"]);
    refused(PATIENTS, &with(&["--method", "npfs"]), &["npfs", "survival", "--method snbl"]);
    refused(PATIENTS, &with(&["--set", "score=welch"]), &["survival", "score=auto"]);
    refused(PATIENTS, &with(&["--set", "scale=raw"]), &["scale=z"]);
    refused(PATIENTS, &with(&["--task", "classes"]), &["--task", "--event"]);
    refused(PATIENTS, &with(&["--weight", "protein_3"]), &["weights", "--weight"]);
    refused(PATIENTS, &with(&["--drop", "status"]), &["status", "name it once"]);

    let place = Place::new();
    place.write("patients.csv", PATIENTS);
    let score =
        ["select", "patients.csv", "--target", "months", "--drop", "status", "--id", "patient", "--set", "score=cox"];
    let run = place.run(&score);
    assert!(run.status == 2 && run.err.contains("--event"), "{run:?}");
    place.write("more.csv", PATIENTS);
    let run = place.run(&[&["select", "patients.csv", "more.csv"], &SURVIVAL[..], &dead].concat());
    assert!(run.status == 2 && run.err.contains("--event") && run.err.contains("pieces"), "{run:?}");
}
