//! Training in one process, predicting in another: to the same bits, and with errors that help.

use crate::common::{Place, data_tables, small_table};
use tamis::table::{self, Input, ReadOptions, Task, View};
use tamis::{Context, Method};

/// Probabilities as a prediction file has them, bit by bit.
fn written(text: &str, classes: usize) -> Vec<u64> {
    let cells = |line: &str| -> Vec<u64> {
        let all: Vec<&str> = line.rsplitn(classes + 1, ',').collect();
        all[..classes].iter().rev().map(|cell| cell.parse::<f64>().unwrap().to_bits()).collect()
    };
    text.lines().skip(1).flat_map(cells).collect()
}

/// Every labelled table of the papers: what the library says at once is what two runs of the program say.
#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn fit_and_predict_in_other_processes_give_the_same_bits() {
    for (at, path) in data_tables().iter().enumerate() {
        let place = Place::new();
        let mut options = ReadOptions::target("label");
        options.task = Some(Task::Classes);
        let table = table::read(Input::open(path).unwrap(), &options, &mut Context::default()).unwrap();
        let categories = table.columns().iter().any(|c| c.numbers().is_none());
        // a few iterations are enough to see every part of a model; tables of categories have their own classifier
        let (name, set): (&str, &[&str]) = match at % 3 {
            _ if categories => ("naive-bayes", &[]),
            0 => ("pfcvm-lp", &["kernel=linear", "starts=2", "average=2", "max_iter=4"]),
            1 => ("pfcvm-em", &["max_iter=4"]),
            _ => ("rvm", &["max_iter=4"]),
        };
        let settings = set.iter().map(|s| s.split_once('=').unwrap());
        let model = Method::from_settings(name, settings).unwrap().fit(&table.view(), &mut Context::default()).unwrap();
        let here = model.predict(&View::every_row(&table)).unwrap();
        let file = path.to_str().unwrap();
        let mut command = vec!["fit", file, "--target", "label", "--model", "m.json", "--method", name, "--quiet"];
        set.iter().for_each(|s| command.extend(["--set", s]));
        let run = place.run(&command);
        assert_eq!(run.status, 0, "{file}: {run:?}");
        let run = place.run(&["predict", file, "--model", "m.json", "--out", "p.csv", "--quiet"]);
        assert_eq!(run.status, 0, "{file}: {run:?}");
        let text = std::fs::read_to_string(place.path("p.csv")).unwrap();
        let expected: Vec<u64> =
            (0..table.n_rows()).flat_map(|row| here.probabilities.iter().map(move |p| p[row].to_bits())).collect();
        assert!(written(&text, model.classes.len()) == expected, "{file}, {name}");
        println!("{name:11} {file}: {} rows, {} features kept", table.n_rows(), model.features().len());
    }
}

#[test]
fn every_classifier_fits_saves_and_predicts() {
    let place = Place::new();
    place.write("a.csv", small_table(",", "\n"));
    let head = small_table(",", "\n").lines().next().unwrap().to_string();
    let target = head.rsplit(',').next().unwrap();
    let methods = tamis::Method::catalogue().into_iter().map(|entry| entry.name);
    for name in methods.filter(|name| tamis::Method::find(name).unwrap().classifies()) {
        let run = place.run(&["fit", "a.csv", "--target", target, "--model", "m.json", "--method", name]);
        assert_eq!(run.status, 0, "{name}: {run:?}");
        assert!(run.out.contains("features kept") && run.out.contains("m.json"), "{name}: {run:?}");
        let run = place.run(&["predict", "a.csv", "--model", "m.json"]);
        assert_eq!(run.status, 0, "{name}: {run:?}");
        assert_eq!(run.out.lines().count(), small_table(",", "\n").lines().count(), "{name}");
        assert!(!run.out.contains("NaN"), "{name}");
    }
}

#[test]
fn columns_are_found_by_name_and_what_is_missing_is_said() {
    let place = Place::new();
    let rows: Vec<(f64, f64, &str)> = (0..40)
        .map(|i| {
            (f64::from(i % 2) + f64::from(i) / 100.0, f64::from(i * 7 % 11), if i % 2 == 0 { "no" } else { "yes" })
        })
        .collect();
    let table = |header: &str, line: &dyn Fn(&(f64, f64, &str)) -> String| {
        format!("{header}\n{}", rows.iter().map(|r| line(r) + "\n").collect::<String>())
    };
    place.write("train.csv", table("a,b,y", &|(a, b, y)| format!("{a},{b},{y}")));
    let fit = place.run(&["fit", "train.csv", "--target", "y", "--model", "m.json", "--method", "lda"]);
    assert_eq!(fit.status, 0, "{fit:?}");
    let plain = place.run(&["predict", "train.csv", "--model", "m.json"]);
    assert!(!plain.err.contains("not used"), "the target is not worth a word: {plain:?}");
    // other columns, in another order, without the target
    place.write("other.csv", table("id,b,more,a", &|(a, b, _)| format!("r,{b},7,{a}")));
    let other = place.run(&["predict", "other.csv", "--model", "m.json"]);
    assert_eq!(other.status, 0, "{other:?}");
    assert_eq!(other.out, plain.out);
    assert!(other.err.contains("2 columns are not used: `id`, `more`\n"), "{other:?}");
    let with_id = place.run(&["predict", "other.csv", "--model", "m.json", "--id", "id"]);
    assert!(with_id.out.starts_with("id,predicted,p_no,p_yes\nr,"), "{with_id:?}");
    // a column too few
    place.write("less.csv", table("a,c", &|(a, b, _)| format!("{a},{b}")));
    let less = place.run(&["predict", "less.csv", "--model", "m.json"]);
    assert_eq!(less.status, 2);
    assert!(less.err.contains("`b`"), "{less:?}");
    // a gap: taken as the mean with a note, or refused
    place.write("gap.csv", "a,b\n1,2\n,3\n");
    let gap = place.run(&["predict", "gap.csv", "--model", "m.json"]);
    assert_eq!(gap.status, 0, "{gap:?}");
    assert!(gap.err.contains("missing values"), "{gap:?}");
    let refused = place.run(&["predict", "gap.csv", "--model", "m.json", "--missing", "error"]);
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("row 2") && refused.err.contains("`a`"), "{refused:?}");
    place.write(
        "gaps.csv",
        table("a,b,y", &|(a, b, y)| format!("{},{b},{y}", if *b == 3.0 { String::new() } else { a.to_string() })),
    );
    let gaps = place.run(&["fit", "gaps.csv", "--target", "y", "--model", "n.json", "--missing", "error"]);
    assert_eq!(gaps.status, 2, "{gaps:?}");
    assert!(!place.path("n.json").exists());
    // a model cut off, and one from the future
    let model = std::fs::read_to_string(place.path("m.json")).unwrap();
    place.write("cut.json", &model[..model.len() / 2]);
    place.write("new.json", model.replacen("\"format_version\":1", "\"format_version\":9", 1));
    for (name, says) in [("cut.json", "not a model"), ("new.json", "newer"), ("absent.json", "absent.json")] {
        let run = place.run(&["predict", "train.csv", "--model", name]);
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.err.contains(says), "{run:?}");
    }
}

#[test]
fn awkward_tables_are_refused_or_learned_from() {
    let place = Place::new();
    let cases = [
        ("one_class", "a,y\n1,x\n2,x\n3,x\n", 2, "one value only"),
        ("constant", "a,b,y\n1,2,x\n1,2,z\n1,2,x\n1,2,z\n", 2, "no feature varies"),
        ("two_rows", "a,y\n1,x\n2,z\n", 2, "one sample only"),
        ("twins", "a,y\n1,x\n1,z\n2,x\n2,z\n", 0, ""),
        ("scales", "a,b,y\n1e-12,5e12,x\n2e-12,4e12,z\n1.1e-12,4.9e12,x\n2.1e-12,4.1e12,z\n", 0, ""),
        ("copies", "a,b,c,y\n1,1,1,x\n2,2,2,z\n1.5,1.5,1.5,x\n2.5,2.5,2.5,z\n", 0, ""),
    ];
    for (name, text, status, says) in cases {
        let file = format!("{name}.csv");
        place.write(&file, text);
        for method in ["pfcvm-lp", "pfcvm-em", "jcfo", "pcvm", "rvm"] {
            let run = place.run(&["fit", &file, "--target", "y", "--model", "m.json", "--method", method]);
            assert_eq!(run.status, status, "{name}, {method}: {run:?}");
            assert!(run.err.contains(says), "{name}, {method}: {run:?}");
            if status == 0 {
                let run = place.run(&["predict", &file, "--model", "m.json"]);
                assert_eq!(run.status, 0, "{name}, {method}: {run:?}");
                assert!(!run.out.contains("NaN") && !run.out.contains("inf"), "{name}, {method}: {run:?}");
            }
        }
    }
}

#[test]
fn evaluate_compares_and_recommends() {
    let place = Place::new();
    place.write("a.csv", small_table(",", "\n"));
    let head = small_table(",", "\n").lines().next().unwrap().to_string();
    let target = head.rsplit(',').next().unwrap();
    let evaluate = |more: &[&str]| {
        let mut command = vec!["evaluate", "a.csv", "--target", target];
        command.extend(more);
        if !more.contains(&"--folds") && !more.contains(&"--splits") {
            command.extend(["--folds", "4"]);
        }
        place.run(&command)
    };
    let run = evaluate(&["--json", "e.json", "--csv", "e.csv", "--method", "t", "--method", "dlda", "--set", "t.k=2"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.out.starts_with("recommended: `"), "{run:?}");
    assert!(run.out.contains("t + logistic") && run.out.contains("4 stratified folds"), "{run:?}");
    let json = place.json("e.json");
    assert_eq!(json["kind"], "evaluate");
    assert_eq!(json["runs"][0]["folds"].as_array().unwrap().len(), 4);
    assert_eq!(json["runs"][0]["folds"][0]["n_selected"], 2);
    assert_eq!(place.read("e.csv").lines().count(), 3);
    let tuned = evaluate(&["--method", "t", "--tune", "t.k=1,2"]);
    assert!(tuned.out.contains("k tuned"), "{tuned:?}");
    // two tables: average ranks
    place.write("b.csv", small_table(",", "\n"));
    let two = place
        .run(&["evaluate", "a.csv", "b.csv", "--target", target, "--folds", "3", "--method", "t", "--method", "dlda"]);
    assert_eq!(two.status, 0, "{two:?}");
    assert!(two.out.contains("average rank"), "{two:?}");
    place.write("splits.json", r#"{"splits": [{"train": [0, 1, 2, 3, 4, 5, 6, 7], "test": [8, 9]}]}"#);
    assert_eq!(evaluate(&["--splits", "splits.json", "--method", "dlda"]).status, 0);
    let leave = place.run(&["evaluate", "a.csv", "--target", target, "--folds", "loo", "--method", "dlda"]);
    assert!(leave.out.contains("one row left out"), "{leave:?}");
    for (more, says) in [
        (&["--method", "nothing"][..], "nothing"),
        (&["--method", "t", "--classifier", "snbl"], "does not classify"),
        (&["--method", "t", "--set", "strictness=1"], "strictness"),
        (&["--method", "t", "--tune", "k=1"], "METHOD.KEY"),
        (&["--folds", "1"], "at least 2"),
        (&["--folds", "100000", "--method", "dlda"], "rows"),
        (&["--splits", "absent.json"], "absent.json"),
        (&["--splits", "splits.json", "--folds", "3"], "cannot be used with"),
        (&["--folds", "loo", "--repeats", "2"], "are not random"),
        (&["--method", "dlda", "--classifier", "lda"], "is a selector"),
    ] {
        let run = evaluate(more);
        assert_eq!(run.status, 2, "{more:?}: {run:?}");
        assert!(run.err.contains(says), "{more:?}: {run:?}");
    }
}
