//! The doors that train, `fit` and `evaluate`: they open tables as `select` does, and prepare and select alike.

use crate::common::Place;
use crate::doors::{Case, ROWS, Shell, cases, program, texts, timeless};
use serde_json::Value;
use tamis::Analysis;
use tamis::analysis::{Compared, Data, RequestedSplits, TableFiles};
use tamis::resample::RequestedFolds;
use tamis::table::{self, Input, Task};

#[test]
fn program_and_library_evaluate_and_fit_alike() {
    for case in cases().into_iter().filter(Case::has_classes) {
        let place = Place::new();
        place.write("whole.csv", case.csv(0..ROWS));
        let methods = if case.option("--block").next().is_some() { ["snbl", "none"] } else { ["snbl", "f"] };
        let [first, second] = methods;
        let arguments = ["evaluate", "whole.csv", "--method", first, "--method", second, "--folds", "4"];
        let ours = program(&place, &arguments, &case);
        let mut options = case.reading();
        options.task = Some(Task::Classes);
        let table = table::read(Input::open(&place.path("whole.csv")).unwrap(), &options, &mut Shell).unwrap();
        let data = Data::of_table("whole.csv", &table);
        let compared = Compared { methods: methods.map(String::from).to_vec(), ..Compared::default() };
        let splits = RequestedSplits::Folds(RequestedFolds::Count { folds: 4, repeats: 1 });
        let analysis = case.analysis(tamis::Method::find("snbl").unwrap());
        let theirs = analysis.evaluate(&compared, &splits, &data, &mut Shell).unwrap();
        assert_eq!(ours, timeless(serde_json::to_value(theirs).unwrap()), "{}", case.name);

        let arguments = ["fit", "whole.csv", "--method", "snbl", "--classifier", "lda", "--model", "model.json"];
        let run = place.run(&[&arguments[..], &["--target", "y"], case.options].concat());
        assert_eq!(run.status, 0, "{}: {run:?}", case.name);
        let pair = Analysis::to_train("snbl", Some("lda"), &[]).unwrap();
        let trained = Analysis { preparation: analysis.preparation, ..pair }.fit(&data, &mut Shell).unwrap();
        let theirs = serde_json::to_value(trained.model).unwrap();
        assert_eq!(place.json("model.json"), theirs, "{}", case.name);
    }
}

/// What `select` finds is what a model is trained on, and what every fold of an evaluation would find on all rows.
#[test]
fn fit_and_evaluate_select_as_select_does() {
    for case in cases().into_iter().filter(Case::has_classes) {
        let place = Place::new();
        place.write("whole.csv", case.csv(0..ROWS));
        let answer = program(&place, &["select", "whole.csv"], &case);
        let arguments = ["fit", "whole.csv", "--method", "snbl", "--classifier", "lda", "--model", "model.json"];
        let run = place.run(&[&arguments[..], &["--target", "y"], case.options].concat());
        assert_eq!(run.status, 0, "{}: {run:?}", case.name);
        let model = place.json("model.json");
        let columns = |feature: &Value| match feature["columns"].as_array() {
            Some(columns) => columns.clone(),
            None => vec![feature["name"].clone()],
        };
        let features = answer["features"].as_array().unwrap().iter();
        let mut wanted: Vec<Value> = features.filter(|f| f["selected"] == true).flat_map(columns).collect();
        let mut trained: Vec<Value> = model["classifier"]["features"].as_array().cloned().unwrap_or_default();
        if trained.is_empty() {
            trained = model["classifier"]["standardise"]["names"].as_array().cloned().unwrap_or_default();
        }
        wanted.sort_by_key(Value::to_string);
        trained.sort_by_key(Value::to_string);
        assert_eq!(wanted, trained, "{}: {}", case.name, model["classifier"]);
        // whether the variances follow their means is decided by the rows, unless it is known before
        let as_in_answer = |trend: &Value| *trend == "auto" || *trend == answer["method"]["trend"];
        assert!(as_in_answer(&model["selector"]["trend"]), "{}", case.name);

        let evaluation = program(&place, &["evaluate", "whole.csv", "--method", "snbl", "--folds", "4"], &case);
        assert!(as_in_answer(&evaluation["runs"][0]["method"]["trend"]), "{}", case.name);
        if !case.name.starts_with("counts") {
            assert_eq!(evaluation["input"]["features"], answer["input"]["features"], "{}", case.name);
        }
    }
}

/// Columns of a city are named together or not at all, and count once.
#[test]
fn one_hot_columns_count_once_in_every_fold() {
    let case = cases().into_iter().find(|case| case.name == "one-hot columns").unwrap();
    let place = Place::new();
    place.write("whole.csv", case.csv(0..ROWS));
    let evaluation = program(&place, &["evaluate", "whole.csv", "--method", "snbl", "--folds", "4"], &case);
    let run = &evaluation["runs"][0];
    let names: Vec<&str> =
        run["frequency"].as_array().unwrap().iter().map(|feature| feature["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "city", "{names:?}");
    assert!(names.iter().all(|name| !name.starts_with("city_")), "{names:?}");
    for fold in run["folds"].as_array().unwrap() {
        assert_eq!(fold["n_selected"].as_u64().unwrap() as usize, fold["selected"].as_array().unwrap().len());
    }
}

/// Where no method joins columns, features are counted as a selection by the method counts them.
#[test]
fn one_hot_columns_stay_single_for_methods_that_do_not_join_them() {
    let case = cases().into_iter().find(|case| case.name == "one-hot columns").unwrap();
    let place = Place::new();
    place.write("whole.csv", case.csv(0..ROWS));
    let counted = |methods: &[&str]| {
        let arguments = ["evaluate", "whole.csv", "--folds", "4", "--set", "f.k=3"];
        program(&place, &[&arguments[..], methods].concat(), &case)
    };
    let alone = counted(&["--method", "f"]);
    assert_eq!((&alone["input"]["features"], &alone["runs"][0]["summary"]["n_selected"]), (&63.into(), &3.0.into()));
    assert!(!alone["notes"].to_string().contains("one-hot"), "{}", alone["notes"]);
    let both = counted(&["--method", "f", "--method", "snbl"]);
    assert_eq!(both["input"]["features"], 61);
    assert!(both["notes"].to_string().contains("one-hot"), "{}", both["notes"]);
}

/// Folds number features as the table does, whatever counts they leave out.
#[test]
fn features_of_counts_keep_their_names_in_every_fold() {
    let mut case = cases().into_iter().find(|case| case.name == "counts").unwrap();
    for name in ["city_Rome", "city_Oslo"] {
        let cells = texts(|row| usize::from(row.is_multiple_of(2) == (name == "city_Rome")));
        case.features.insert(0, (name.into(), cells)); // too few counts, and like one-hot columns
    }
    let place = Place::new();
    place.write("whole.csv", case.csv(0..ROWS));
    let arguments = ["evaluate", "whole.csv", "--folds", "4", "--method", "snbl", "--method", "f", "--set", "f.k=6"];
    let evaluation = program(&place, &arguments, &case);
    assert_eq!(evaluation["input"]["features"], 62);
    for run in evaluation["runs"].as_array().unwrap() {
        let frequency = run["frequency"].as_array().unwrap().iter();
        let mut always: Vec<&str> =
            frequency.filter(|f| f["frequency"] == 1.0).map(|f| f["name"].as_str().unwrap()).collect();
        always.sort_unstable();
        let true_ones = ["g0", "g1", "g2", "g3", "g4", "g5"];
        assert!(true_ones.iter().all(|name| always.contains(name)), "{}: {always:?}", run["label"]);
        if run["method"]["name"] == "f" {
            assert_eq!(always, true_ones);
        }
    }
}

#[test]
fn groups_of_features_count_together_behind_every_door() {
    let mut case = cases().into_iter().find(|case| case.name == "one-hot columns").unwrap();
    for (name, (old, _)) in ["here", "there", "elsewhere"].iter().zip(&mut case.features[60..]) {
        *old = (*name).into();
    }
    let place = Place::new();
    place.write("whole.csv", case.csv(0..ROWS));
    place.write("groups.csv", "feature,group\nhere,place\nthere,place\nelsewhere,place\n");
    let groups = ["--feature-groups", "groups.csv"];
    let door = |arguments: &[&str]| program(&place, &[arguments, &groups].concat(), &case);
    let selected = door(&["select", "whole.csv"]);
    let evaluated = door(&["evaluate", "whole.csv", "--folds", "4", "--method", "snbl", "--method", "f"]);
    assert_eq!((&selected["input"]["features"], &evaluated["input"]["features"]), (&61.into(), &61.into()));
    assert_eq!(evaluated["runs"][0]["frequency"][0]["name"], "place");
    let fit = ["fit", "whole.csv", "--target", "y", "--classifier", "lda", "--model", "model.json"];
    let run = place.run(&[&fit[..], &["--method", "snbl"], &groups].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.out.contains("elsewhere") && run.out.contains("there"), "{run:?}");
    let refused = place.run(&[&fit[..], &["--method", "f"], &groups].concat());
    assert!(refused.status != 0 && refused.err.contains("names features together"), "{refused:?}");
}

/// What trains holds the whole table, and says so where it cannot.
#[test]
fn tables_in_pieces_are_refused_where_methods_are_trained() {
    let case = &cases()[0];
    let place = Place::new();
    place.write("a.csv", case.csv(0..20));
    place.write("b.csv", case.csv(20..ROWS));
    let [a, b] = ["a.csv", "b.csv"].map(|name| place.path(name));
    let (compared, splits) =
        (Compared::default(), RequestedSplits::Folds(RequestedFolds::Count { folds: 4, repeats: 1 }));
    let trained = Analysis::to_train("lda", None, &[]).unwrap();
    let several = TableFiles::new(vec![a.clone(), b], case.reading());
    let large = TableFiles { memory: Some(100), ..TableFiles::new(vec![a.clone()], case.reading()) };
    for (files, remedy) in [(&several, "join the files into one"), (&large, "raise `--memory`")] {
        let fit = trained.fit_files(files, &mut Shell).unwrap_err();
        let evaluate = Analysis::default().evaluator(&compared, &splits).add_files(files, &mut Shell).unwrap_err();
        for error in [fit, evaluate] {
            let said = error.say(&Shell);
            assert!(said.contains("training needs the whole table") && said.contains(remedy), "{said}");
        }
    }
    let run = place.run(&["fit", "a.csv", "b.csv", "--target", "y", "--model", "model.json"]);
    assert_ne!(run.status, 0, "{run:?}");
    std::fs::create_dir(place.path("folder")).unwrap();
    place.write("folder/a.csv", case.csv(0..20));
    place.write("folder/b.csv", case.csv(20..ROWS));
    let run = place.run(&["fit", "folder", "--target", "y", "--model", "model.json"]);
    assert!(run.status != 0 && run.err.contains("a model is trained on one"), "{run:?}");
}
