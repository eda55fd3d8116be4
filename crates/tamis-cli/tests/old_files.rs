//! Files that earlier versions wrote are still read: results, evaluations, models and states of format versions 1 and 2.

use crate::common::{Place, Run};
use std::path::Path;

/// A folder with the files of format version 1.
fn with_old_files() -> Place {
    with_files_of("v1")
}

/// A folder with the files of a format version.
fn with_files_of(version: &str) -> Place {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(version);
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        place.write(entry.file_name().to_str().unwrap(), std::fs::read(entry.path()).unwrap());
    }
    place
}

fn succeeds(place: &Place, arguments: &[&str]) -> Run {
    let run = place.run(arguments);
    assert_eq!(run.status, 0, "{arguments:?}: {run:?}");
    run
}

#[test]
fn every_old_result_is_drawn() {
    let place = with_old_files();
    for (file, words) in [
        ("result.json", "<h1>2 of 6 features can be named</h1>"),
        ("npfs.json", "Bootstraps and the test"),
        ("machines.json", "How the classifier learned"),
        ("pairs.json", "Permutations"),
        ("evaluation.json", "<h1>Recommended: snbl + logistic</h1>"),
    ] {
        assert_eq!(place.json(file)["format_version"], 1, "{file}");
        succeeds(&place, &["report", file, "--out", "page.html"]);
        assert!(place.read("page.html").contains(words), "{file}");
    }
}

#[test]
fn an_old_selection_is_applied_to_a_file() {
    let place = with_old_files();
    succeeds(&place, &["select", "data.csv", "--id", "id", "--result", "result.json", "--reduced", "reduced.csv"]);
    assert!(place.read("reduced.csv").starts_with("id,a,b,label\n"), "{}", place.read("reduced.csv"));
}

#[test]
fn old_models_predict_as_they_did() {
    let place = with_old_files();
    succeeds(&place, &["predict", "data.csv", "--id", "id", "--model", "model.json", "--out", "again.csv"]);
    let (then, now) = (place.read("predicted.csv"), place.read("again.csv"));
    assert_eq!(then.lines().count(), now.lines().count());
    for (then, now) in then.lines().zip(now.lines()) {
        for (then, now) in then.split(',').zip(now.split(',')) {
            match (then.parse::<f64>(), now.parse::<f64>()) {
                (Ok(then), Ok(now)) => assert!((then - now).abs() < 1e-9, "{then} {now}"),
                _ => assert_eq!(then, now),
            }
        }
    }
    let run = succeeds(&place, &["predict", "data.csv", "--id", "id", "--model", "pipeline.json", "--quiet"]);
    assert!(run.out.starts_with("id,predicted,p_no,p_yes\n") && run.out.lines().count() == 31, "{}", run.out);
}

#[test]
fn an_old_state_is_merged_with_a_new_one() {
    let place = with_old_files();
    succeeds(&place, &["merge", "state.part", "--json", "merged.json"]);
    let selected = |file: &str| {
        place.json(file)["features"].as_array().unwrap().iter().map(|f| f["selected"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(selected("merged.json"), selected("result.json"));
    succeeds(&place, &["partial", "data.csv", "--id", "id", "--target", "label", "--out", "new.part"]);
    succeeds(&place, &["merge", "state.part", "new.part", "--json", "both.json"]);
    assert_eq!(place.json("both.json")["input"]["rows"], 60);
}

#[test]
fn files_of_the_second_version_are_read() {
    let place = with_files_of("v2");
    for (file, words) in [
        ("result.json", "<h1>3 of 30 features differ between case and control</h1>"),
        ("evaluation.json", "<h1>Recommended: snbl + logistic</h1>"),
    ] {
        succeeds(&place, &["report", file, "--out", "page.html"]);
        assert!(place.read("page.html").contains(words), "{file}");
    }
    assert_eq!(place.json("result.json")["format_version"], 2);
    succeeds(&place, &["select", "data.csv", "--result", "result.json", "--reduced", "reduced.csv"]);
    assert!(place.read("reduced.csv").starts_with("g1,g2,g3,label\n"));
    succeeds(&place, &["predict", "data.csv", "--model", "model.json", "--out", "again.csv"]);
    assert_eq!(place.read("again.csv"), place.read("predicted.csv"));
    // these states hold the trend that was the default
    let new = ["partial", "data.csv", "--target", "label", "--out", "new.part", "--set", "trend=false"];
    succeeds(&place, &new);
    succeeds(&place, &["merge", "state.part", "new.part", "--json", "both.json"]);
    assert_eq!(place.json("both.json")["input"]["rows"], 80);
}
