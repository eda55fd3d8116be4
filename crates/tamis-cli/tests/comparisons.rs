//! Which classes are compared, covariates around classifiers, `describe`, and few rows in shards.

use crate::common::Place;
use serde_json::Value;

/// 24 rows of 30 features; feature 0 is high in `case`, feature 1 in `late`, feature 2 depends on age alone.
fn place() -> Place {
    let place = Place::new();
    let mut text = String::from("id,label,stage,age,site");
    (0..30).for_each(|j| text.push_str(&format!(",g{j}")));
    text.push('\n');
    for i in 0..24 {
        let (label, stage) = (["case", "Control"][i % 2], ["early", "late", "middle"][i % 3]);
        let (age, site) = (40 + i * 7 % 11, ["north", "south"][i / 12]);
        text.push_str(&format!("r{i},{label},{stage},{age},{site}"));
        for j in 0..30 {
            let noise = ((i * 31 + j * 17 + 5) as f64 * 0.77).sin();
            let effect = match j {
                0 if label == "case" => 3.0,
                1 if stage == "late" => 4.0,
                2 => 0.5 * age as f64,
                _ => 0.0,
            };
            text.push_str(&format!(",{:.4}", noise + effect));
        }
        text.push('\n');
    }
    place.write("in.csv", &text);
    place
}

fn select(place: &Place, target: &str, others: &[&str], options: &[&str]) -> Value {
    let mut arguments = vec!["select", "in.csv", "--id", "id", "--target", target, "--json", "out.json"];
    others.iter().for_each(|name| arguments.extend(["--drop", name]));
    arguments.extend(options);
    let run = place.run(&arguments);
    assert_eq!(run.status, 0, "{run:?}");
    place.json("out.json")
}

const FOR_LABEL: [&str; 3] = ["stage", "age", "site"];
const FOR_STAGE: [&str; 3] = ["label", "age", "site"];

fn number(result: &Value, feature: usize, key: &str) -> f64 {
    result["features"][feature][key].as_f64().unwrap()
}

#[test]
fn the_reference_is_known_by_its_name_or_named() {
    let place = place();
    let plain = select(&place, "label", &FOR_LABEL, &[]);
    assert_eq!(plain["input"]["positive"], "case", "`Control` is a usual reference");
    assert!(number(&plain, 0, "difference") > 2.0);
    let turned = select(&place, "label", &FOR_LABEL, &["--reference", "case"]);
    assert_eq!(turned["input"]["positive"], "Control");
    assert_eq!(number(&turned, 0, "difference"), -number(&plain, 0, "difference"));
    let positive = select(&place, "label", &FOR_LABEL, &["--positive", "Control"]);
    assert_eq!(positive["features"], turned["features"]);
    let pair = select(&place, "label", &FOR_LABEL, &["--contrast", "case,Control"]);
    assert_eq!(pair["features"], turned["features"]);
}

#[test]
fn two_of_several_classes_are_compared_with_variances_from_all() {
    let place = place();
    let all = select(&place, "stage", &FOR_STAGE, &[]);
    assert_eq!(all["features"][1]["stands_out"], "late");
    let late = select(&place, "stage", &FOR_STAGE, &["--contrast", "early,late"]);
    assert!(number(&late, 1, "difference") > 3.0 && late["features"][1]["stands_out"].is_null());
    assert_eq!(late["design"]["contrast"], serde_json::json!(["early", "late"]));
    let means = &late["features"][1]["mean"];
    let between = means["late"].as_f64().unwrap() - means["early"].as_f64().unwrap();
    assert!((number(&late, 1, "difference") - between).abs() < 1e-12);
    let middle = select(&place, "stage", &FOR_STAGE, &["--contrast", "early,middle"]);
    assert!(number(&middle, 1, "difference").abs() < 1.5);
    let against = select(&place, "stage", &FOR_STAGE, &["--reference", "middle"]);
    assert_ne!(against["features"][1]["difference"], all["features"][1]["difference"]);
    assert_eq!(against["features"][1]["score"], all["features"][1]["score"]);
}

#[test]
fn comparisons_that_cannot_be_made_are_refused() {
    let place = place();
    let refused = |target: &str, options: &[&str], words: &[&str]| {
        let mut arguments = vec!["select", "in.csv", "--target", target, "--id", "id", "--json", "refused.json"];
        arguments.extend(options);
        let run = place.run(&arguments);
        assert_eq!(run.status, 2, "{run:?}");
        assert!(words.iter().all(|word| run.err.contains(word)), "{words:?}: {}", run.err);
        assert!(!place.path("refused.json").exists());
    };
    refused("label", &["--reference", "cases"], &["cases", "case"]);
    refused("label", &["--reference", "case", "--positive", "case"], &["--reference", "positive class"]);
    refused("label", &["--contrast", "case"], &["--contrast", "comma"]);
    refused("label", &["--contrast", "case,case"], &["--contrast", "different"]);
    refused("stage", &["--contrast", "early,never"], &["never", "late"]);
    refused("stage", &["--contrast", "early,late", "--reference", "early"], &["--contrast", "--reference"]);
    refused("stage", &["--positive", "late"], &["--positive", "two classes"]);
    refused("stage", &["--reference", "late", "--method", "jmi"], &["jmi", "snbl"]);
    refused("stage", &["--contrast", "early,late", "--method", "f"], &["f", "snbl"]);
    refused("stage", &["--contrast", "early,late", "--memory", "1K"], &["--contrast", "rows"]);
    refused("stage", &["--contrast", "early,late", "--set", "score=kruskal"], &["kruskal", "moderated"]);
    refused("age", &["--reference", "44", "--task", "real"], &["--reference", "numeric"]);
}

#[test]
fn classifiers_are_trained_without_the_covariates_part() {
    let place = place();
    let fit = |options: &[&str], model: &str| {
        let mut arguments =
            vec!["fit", "in.csv", "--id", "id", "--target", "label", "--drop", "stage", "--drop", "site"];
        arguments.extend(["--method", "snbl", "--classifier", "lda", "--model", model]);
        arguments.extend(options);
        let run = place.run(&arguments);
        assert_eq!(run.status, 0, "{run:?}");
        run
    };
    let adjusted = fit(&["--covariate", "age"], "adjusted.json");
    assert!(adjusted.err.contains("adjusted for `age`"), "{adjusted:?}");
    fit(&["--drop", "age"], "plain.json");
    let predict = |model: &str, file: &str| {
        place.run(&["predict", file, "--model", model, "--id", "id", "--out", "predicted.csv"])
    };
    assert_eq!(predict("adjusted.json", "in.csv").status, 0);
    let with_age = place.read("predicted.csv");
    assert_eq!(predict("plain.json", "in.csv").status, 0);
    assert_ne!(place.read("predicted.csv"), with_age);
    let older: Vec<String> = place.read("in.csv").lines().map(|line| line.replacen(",4", ",9", 1)).collect();
    place.write("older.csv", older.join("\n"));
    assert_eq!(predict("adjusted.json", "older.csv").status, 0);
    assert_ne!(place.read("predicted.csv"), with_age, "other ages, other predictions");
    let without: Vec<String> = place
        .read("in.csv")
        .lines()
        .map(|line| {
            line.split(',').enumerate().filter(|(at, _)| *at != 3).map(|(_, cell)| cell).collect::<Vec<_>>().join(",")
        })
        .collect();
    place.write("without.csv", without.join("\n"));
    let run = predict("adjusted.json", "without.csv");
    assert!(run.status == 2 && run.err.contains("age"), "{run:?}");
}

#[test]
fn a_level_that_was_never_seen_is_refused_when_predicting() {
    let place = place();
    let arguments = ["fit", "in.csv", "--id", "id", "--target", "label", "--drop", "stage", "--drop", "age"];
    let options = ["--covariate", "site", "--method", "dlda", "--model", "m.json"];
    let run = place.run(&[&arguments[..], &options].concat());
    assert_eq!(run.status, 0, "{run:?}");
    place.write("new.csv", place.read("in.csv").replacen("south", "east", 1));
    let run = place.run(&["predict", "new.csv", "--model", "m.json", "--out", "p.csv"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains("east") && run.err.contains("row 13"), "{run:?}");
    assert!(!place.path("p.csv").exists());
}

#[test]
fn evaluation_adjusts_inside_every_fold_and_keeps_blocks_together() {
    let place = place();
    let evaluate = |options: &[&str]| {
        let mut arguments = vec!["evaluate", "in.csv", "--id", "id", "--target", "label", "--drop", "stage"];
        arguments.extend(["--method", "snbl", "--method", "dlda", "--json", "e.json"]);
        arguments.extend(options);
        let run = place.run(&arguments);
        assert_eq!(run.status, 0, "{run:?}");
        (run, place.json("e.json"))
    };
    let summary =
        |value: &Value| value["runs"].as_array().unwrap().iter().map(|r| r["summary"]["brier"].clone()).collect();
    let (_, plain) = evaluate(&["--drop", "age", "--drop", "site", "--folds", "4"]);
    let (run, adjusted) = evaluate(&["--covariate", "age", "--drop", "site", "--folds", "4"]);
    assert!(run.err.contains("adjusted for `age` inside every fold"), "{run:?}");
    let (a, b): (Vec<Value>, Vec<Value>) = (summary(&plain), summary(&adjusted));
    assert_eq!(a.len(), 2);
    assert!(a.iter().zip(&b).all(|(a, b)| a.is_number() && b.is_number() && a != b), "{a:?} {b:?}");
    let (run, _) = evaluate(&["--drop", "age", "--block", "site", "--folds", "2"]);
    assert!(run.out.contains("keep groups together"), "{run:?}");
}

#[test]
fn describe_shows_how_a_file_is_understood() {
    let place = place();
    let run = place.run(&[
        "describe",
        "in.csv",
        "--id",
        "id",
        "--target",
        "label",
        "--covariate",
        "age",
        "--covariate",
        "site",
        "--block",
        "stage",
    ]);
    assert_eq!(run.status, 0, "{run:?}");
    let expected = [
        "24 rows, 30 features",
        "Control (12, reference)",
        "case (12, positive)",
        "30 numeric",
        "`age`: numeric from 40 to 50",
        "`site`: a factor of 2 levels (north, south); reference north",
        "`stage`: 3; the target varies inside every block",
        "moderated",
    ];
    for words in expected {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    let run = place.run(&["describe", "in.csv", "--json", "-", "--drop", "id"]);
    assert_eq!(run.status, 0, "{run:?}");
    let described: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(described["categories"], serde_json::json!(["label", "stage", "site"]));
    assert!(described["score"].is_null());
    let run = place.run(&["describe", "in.csv", "--target", "nowhere"]);
    assert_eq!(run.status, 2, "{run:?}");
}

#[test]
fn few_rows_in_shards_get_the_scores_of_the_whole_table() {
    let place = place();
    let whole = select(&place, "label", &FOR_LABEL, &["--permutations", "0"]);
    assert_eq!(whole["method"]["score"], "moderated");
    let text = place.read("in.csv");
    let lines: Vec<&str> = text.lines().collect();
    for (at, rows) in lines[1..].chunks(7).enumerate() {
        place.write(&format!("part-{at}.csv"), [&lines[..1], rows].concat().join("\n"));
        let (file, out) = (format!("part-{at}.csv"), format!("{at}.part"));
        let drop = ["--drop", "stage", "--drop", "age", "--drop", "site", "--id", "id"];
        let arguments = ["partial", &file, "--target", "label", "--out", &out];
        assert_eq!(place.run(&[&arguments[..], &drop].concat()).status, 0);
    }
    let run = place.run(&["merge", "0.part", "1.part", "2.part", "3.part", "--json", "merged.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let merged = place.json("merged.json");
    assert_eq!(merged["method"]["score"], "moderated");
    for key in ["score", "difference", "difference_low", "p_value", "probability", "shrunken_difference", "df"] {
        for feature in 0..30 {
            let (a, b) = (number(&whole, feature, key), number(&merged, feature, key));
            assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{key} of {feature}: {a} and {b}");
        }
    }
}
