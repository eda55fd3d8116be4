//! Properties of every page, whatever the result.

use crate::common::{
    change, evaluation, hostile, kinds, of_classes, of_method, of_needed, of_numbers, of_relations, of_survival,
    scores, text,
};
use serde_json::{Value, json};
use tamis::result::samples::{BoxPlot, MedianHalves};
use tamis::result::{ColumnValues, FeatureTable, SampleValues};
use tamis::table::Target;
use tamis_report::{page, selection_page};

/// The data of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The page without the script and style that are the same on every page.
fn own(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, rest) = rest.split_once("</style>").unwrap();
    head.to_string() + rest.rsplit_once("<script>").unwrap().0
}

#[test]
fn names_notes_and_files_are_text_everywhere() {
    let page = selection_page(&hostile(), None).unwrap();
    let own = own(&page);
    assert!(!own.contains("<script>window") && !own.contains("<img") && !own.contains("<b>"));
    assert_eq!(own.matches("<script").count(), 1);
    assert_eq!(page.matches("</script>").count(), 2);
    let names = data(&page)["names"].clone();
    let given: Vec<String> = hostile().features.names.to_vec();
    assert_eq!(names, json!(given));
}

#[test]
fn the_policy_allows_the_page_alone() {
    let page = selection_page(&scores(10, 1), None).unwrap();
    let policy = page.split_once("Content-Security-Policy\" content=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
}

#[test]
fn the_answer_comes_first_and_the_decision_starts_where_the_method_decided() {
    let saved = scores(200, 10);
    let page = selection_page(&saved, None).unwrap();
    assert!(page.contains(&format!("<h1>{} of 200 features have an effect</h1>", saved.n_selected)));
    let [low, high] = saved.n_expected_95.unwrap();
    assert!(
        page.contains(&format!("<p class=\"more\">In all, {low} to {high} features are affected (95 % confidence)"))
    );
    assert_eq!(page.matches("<p class=\"more\">").count(), 3, "false alarms, how many in all, how many clearly");
    let data = data(&page);
    assert_eq!(data["selected"].as_array().unwrap().len(), saved.n_selected);
    assert_eq!(data["rules"][0]["start"], 0.1);
    assert_eq!(data["rules"][1]["start"], 0.5);
    assert_eq!(data["rules"][0]["errors"], "sum");
    // decisions use numbers in full
    let p = data["columns"].as_array().unwrap().iter().find(|c| c["key"] == "probability").unwrap();
    for (feature, p) in p["values"].as_array().unwrap().iter().enumerate() {
        assert_eq!(saved.features.number("probability", feature), p.as_f64());
    }
}

#[test]
fn clusters_fold_out_under_their_best_feature() {
    let mut saved = scores(200, 10);
    assert!(!selection_page(&saved, None).unwrap().contains("id=\"clusters\""));
    let chosen = saved.selected();
    assert!(chosen.len() > 3, "{chosen:?}");
    let mut clusters = vec![None; 200];
    for (at, &i) in chosen.iter().enumerate() {
        clusters[i] = Some(if at < 2 { 1 } else { at as u32 });
    }
    saved.features.put("cluster", ColumnValues::Counts(clusters));
    let page = selection_page(&saved, None).unwrap();
    let name = |at: usize| saved.features.names[chosen[at]].as_str();
    assert!(page.contains(&format!("<summary>1. {} <small>and 1 more</small></summary>", name(0))));
    assert!(
        page.contains(&format!("<li>{} <small>rank 2</small></li>", name(1))) && page.matches("<summary>").count() == 2
    );
}

#[test]
fn the_band_of_random_targets_and_the_numbers_of_the_fit_are_there() {
    let saved = of_method("snbl", &[]);
    let data = data(&selection_page(&saved, None).unwrap());
    let band = &data["fit"]["band"];
    assert_eq!(band["low"].as_array().unwrap().len(), band["high"].as_array().unwrap().len());
    let facts = data["fit"]["facts"].as_array().unwrap();
    let value = |name: &str| facts.iter().find(|f| f[0] == name).unwrap()[1].as_str().unwrap();
    assert!(value("named, by the share that may be false").contains("at 1 %, "), "{facts:?}");
    assert!(value("does anything differ?").starts_with("yes: none of 999 permuted targets"), "{facts:?}");
    let [low, high] = saved.n_expected_95.unwrap();
    assert!(value("effects above 1").ends_with(&format!(", {low} to {high} (95 %)")), "{facts:?}");
}

#[test]
fn a_method_without_probabilities_does_not_pretend() {
    for (name, settings) in
        [("jmi", vec![("k", "5")]), ("pfcvm-lp", vec![("kernel", "linear"), ("starts", "1")]), ("t", vec![])]
    {
        let data = data(&selection_page(&of_method(name, &settings), None).unwrap());
        let keys: Vec<&str> = data["columns"].as_array().unwrap().iter().map(|c| c["key"].as_str().unwrap()).collect();
        assert_eq!(keys, ["score"], "{name}");
        assert_eq!(data["rules"][0]["errors"], "unknown", "{name}");
        assert_eq!(data["coloured"], false);
    }
    let npfs = data(&selection_page(&of_method("npfs", &[("bootstraps", "20"), ("k", "4")]), None).unwrap());
    assert_eq!(npfs["rules"][0]["errors"], "share");
    assert!(!npfs["npfs"]["picture"].as_array().unwrap().is_empty());
    // without evidence all probabilities are 0 by decree: there is nothing to decide
    let nothing = data(&selection_page(&scores(300, 0), None).unwrap());
    assert_eq!(nothing["rules"], json!([]));
    assert_eq!(nothing["coloured"], false);
}

#[test]
fn a_saved_result_of_any_kind_is_drawn_again() {
    for (name, text, _) in kinds() {
        let page = page(text.as_bytes(), &name).unwrap();
        assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"), "{name}");
        data(&page);
    }
}

#[test]
fn what_vector_machines_predict_counts_every_row() {
    let saved = of_method("pfcvm-lp", &[("kernel", "linear"), ("starts", "1")]);
    for machine in &saved.detail.machines {
        let rows: u32 = machine.predicted.iter().flat_map(|p| &p.counts).sum();
        assert_eq!(rows, 60);
    }
}

#[test]
fn missing_numbers_become_null_and_one_feature_or_none_is_enough() {
    let mut saved = scores(5, 1);
    ["score", "probability", "q_value"].iter().for_each(|column| change(&mut saved, column, 2, None));
    let page = selection_page(&saved, None).unwrap();
    assert_eq!(data(&page)["columns"][0]["values"][2], Value::Null);
    assert!(page.contains("–"));
    selection_page(&scores(1, 0), None).unwrap();
    saved.features = FeatureTable::default();
    saved.n_selected = 0;
    selection_page(&saved, None).unwrap();
}

#[test]
fn twenty_thousand_features_stay_small() {
    let page = selection_page(&scores(20_000, 100), None).unwrap();
    assert!(page.len() < 3_000_000, "{}", page.len());
}

#[test]
fn foreign_old_new_and_damaged_files_are_refused_with_words() {
    let good: Value = serde_json::from_str(&text(&scores(20, 2))).unwrap();
    let with = |key: &str, value: Value| {
        let mut changed = good.clone();
        changed[key] = value;
        changed.to_string()
    };
    let cut = good.to_string();
    let mut damaged = good.clone();
    damaged["detail"]["fit"]["curve"]["z"] = json!([1.0]);
    let mut unsorted = good.clone();
    unsorted["features"][1]["index"] = json!(7);
    let cases = [
        (cut[..cut.len() / 2].to_string(), "not JSON, or damaged"),
        ("[1, 2]".into(), "not a tamis result"),
        ("{}".into(), "not a tamis result"),
        (String::new(), "not JSON"),
        (with("format_version", json!(99)), "update tamis"),
        (with("format_version", json!(0)), "no longer read"),
        (with("features", json!("none")), "not a selection, or damaged"),
        (with("method", json!({"name": "sieve"})), "there is no method `sieve`"),
        (with("n_selected", json!(19)), "it is damaged"),
        (with("classifier", json!({})), "it is a model"),
        (with("runs", json!(3)), "not an evaluation"),
        (damaged.to_string(), "the parts of the fitted curve differ in size"),
        (unsorted.to_string(), "not in order"),
    ];
    for (text, words) in cases {
        let error = page(text.as_bytes(), "old.json").unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains("`old.json`"), "{error}");
    }
}

#[test]
fn an_evaluation_says_which_run_to_use_and_how_sure_its_numbers_are() {
    let page_of = |value: &Value| page(value.to_string().as_bytes(), "e.json").unwrap();
    let full = page_of(&evaluation());
    assert!(full.contains("<h1>Recommended: snbl + dlda</h1>") && full.contains("it errs least"));
    assert!(full.contains("0.100 <small>± 0.020</small>") && full.contains("none + &lt;i&gt;lda&lt;/i&gt;"));
    let own = own(&full);
    assert!(!own.contains("<b>") && !own.contains("<i>"));
    assert_eq!(data(&full)["kind"], "evaluate");
    let mut undecided = evaluation();
    undecided["recommendation"] = Value::Null;
    undecided["runs"][2]["summary"] = Value::Null;
    undecided["runs"][2]["failed"] = json!("too few rows");
    let page = page_of(&undecided);
    assert!(page.contains("<h1>3 pipelines compared</h1>") && page.contains("<td>–</td>"));
}

#[test]
fn intervals_of_a_roc_curve_count_the_rows_of_the_positive_class() {
    let of = |evaluation: &Value| data(&page(evaluation.to_string().as_bytes(), "e.json").unwrap());
    // 11 of the 22 rows of class `a`, which is positive though `b` comes last
    let point = of(&evaluation())["runs"][0]["roc"][1].clone();
    assert_eq!(point["true_positive_rate"], 0.5);
    assert_eq!(point["interval_95"], json!(tamis::evaluate::wilson(11, 22)));
    let mut unknown = evaluation();
    unknown["inputs"][0].as_object_mut().unwrap().remove("positive");
    assert_eq!(of(&unknown)["runs"][0]["roc"][1]["interval_95"], Value::Null);
}

#[test]
fn a_volcano_plot_is_drawn_even_where_p_values_underflow() {
    let mut saved = of_method("snbl", &[]);
    change(&mut saved, "p_value", 0, Some(0.0));
    change(&mut saved, "score", 0, Some(-45.0));
    change(&mut saved, "p_value", 1, None);
    let volcano = data(&selection_page(&saved, None).unwrap())["volcano"].clone();
    let drawn = volcano["log_p"][0].as_f64().unwrap();
    assert!((drawn - 441.47).abs() < 0.01, "{drawn}"); // 2 Φ(−45) = 3.4e-442
    assert_eq!(volcano["log_p"][1], Value::Null);
    assert_eq!((&volcano["x"], &volcano["means"]), (&json!("difference"), &Value::Null));
    // scores alone have neither differences nor p-values
    assert_eq!(data(&selection_page(&scores(50, 3), None).unwrap())["volcano"], Value::Null);
    assert_eq!(data(&selection_page(&saved, None).unwrap())["values"], Value::Null);
}

#[test]
fn counts_have_an_ma_plot_of_their_overall_means() {
    let mut saved = of_method("snbl", &[]);
    saved.log_counts = true;
    let volcano = data(&selection_page(&saved, None).unwrap())["volcano"].clone();
    let means = saved.features.columns().filter(|column| column.name.starts_with("mean_"));
    let sum: f64 = means.map(|column| saved.features.number(&column.name, 2).unwrap()).sum();
    let half = sum / 2.0; // the classes have 30 rows each
    assert!((volcano["means"][2].as_f64().unwrap() - half).abs() < 1e-4 * half.abs());
    assert_eq!(volcano["x"], "log₂ fold change");
}

/// The figure of the feature of the best rank, and its values.
fn first_figure(page: &str, values: &SampleValues) -> (Value, Vec<f64>) {
    let data = data(page);
    let found = &data["values"]["features"][0];
    assert_eq!(found["index"], values.features[0].index);
    assert_eq!(data["values"]["features"].as_array().unwrap().len(), values.features.len());
    (found["figure"].clone(), values.features[0].values.clone())
}

#[test]
fn boxes_by_class_are_those_of_the_values() {
    let (saved, mut values) = of_classes(["case", "control"], &[]);
    let page = selection_page(&saved, Some(&values)).unwrap();
    let (figure, x) = first_figure(&page, &values);
    let Target::Classes { codes, .. } = &values.target else { panic!("no classes") };
    for (class, drawn) in figure.as_array().unwrap().iter().enumerate() {
        let members = x.iter().zip(codes).filter(|(_, code)| **code as usize == class).map(|(x, _)| *x);
        let found = BoxPlot::of(members).unwrap();
        assert_eq!(drawn["rows"], found.rows);
        assert!((drawn["marks"][2].as_f64().unwrap() - found.median).abs() < 1e-4 * found.median.abs());
        assert_eq!(drawn["points"].as_array().unwrap().len(), found.rows);
    }
    // a class of one row, and one without any
    let codes = (0..60).map(|row| if row == 0 { 1 } else { 0 }).collect();
    values.target = Target::of_codes(["a", "b", "c"].map(String::from).to_vec(), codes, 0).unwrap();
    values.features[0].values = vec![3.0; 60];
    let (figure, _) = first_figure(&selection_page(&saved, Some(&values)).unwrap(), &values);
    assert_eq!((&figure[1]["marks"], &figure[2]), (&json!([3.0, 3.0, 3.0, 3.0, 3.0]), &Value::Null));
    // values of another table are not drawn
    values.features[0].index = 1000;
    assert_eq!(data(&selection_page(&saved, Some(&values)).unwrap())["values"], Value::Null);
}

#[test]
fn numeric_targets_have_points_and_survival_times_have_curves() {
    let (saved, values) = of_numbers();
    let (figure, x) = first_figure(&selection_page(&saved, Some(&values)).unwrap(), &values);
    assert_eq!(figure["values"].as_array().unwrap().len(), x.len());
    assert!(figure["line"][1].as_f64() > figure["line"][0].as_f64());

    let (saved, values) = of_survival();
    let page = selection_page(&saved, Some(&values)).unwrap();
    let (figure, x) = first_figure(&page, &values);
    let Target::Survival { times, events, .. } = &values.target else { panic!("no times") };
    let found = MedianHalves::of(&x, times, events).unwrap();
    for (drawn, curve) in figure["curves"].as_array().unwrap().iter().zip([found.low, found.high]) {
        assert_eq!((&drawn["rows"], &drawn["events"]), (&json!(curve.times.len()), &json!(curve.events)));
        for (at, (time, share)) in curve.steps.iter().enumerate() {
            let position = drawn["steps"][0][at].as_u64().unwrap() as usize;
            assert_eq!(data(&page)["values"]["times"][position], *time);
            assert!((drawn["steps"][1][at].as_f64().unwrap() - share).abs() < 1e-4);
        }
    }
}

#[test]
fn classes_with_hostile_names_are_text() {
    let labels = ["</script><script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>"];
    let (saved, values) = of_classes(labels, &["<b>bold</b>"]);
    let page = selection_page(&saved, Some(&values)).unwrap();
    let own = own(&page);
    assert!(!own.contains("<script>window") && !own.contains("<img") && !own.contains("<b>"));
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn a_find_by_shape_has_densities_and_a_pair_its_table() {
    let (saved, values) = of_relations(&[]);
    let page = selection_page(&saved, Some(&values)).unwrap();
    let data = data(&page);
    let features = data["values"]["features"].as_array().unwrap();
    let of = |index: usize| &features.iter().find(|f| f["index"] == index).unwrap()["relation"];
    assert_eq!(of(0)["kind"], "shape");
    assert_eq!(of(0)["curves"].as_array().unwrap().len(), 2);
    assert_eq!(of(0)["curves"][0].as_array().unwrap().len(), of(0)["at"].as_array().unwrap().len());
    assert_eq!((&of(1)["kind"], &of(1)["partner"]), (&"together".into(), &2.into()));
    let cells = of(1)["counts"].as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
    let rows: u64 = cells.flat_map(|cell| cell.as_array().unwrap()).map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(rows, 200);
    // who is low in both or high in both is of one class
    assert_eq!(of(1)["counts"][0][0][0], 0);
    assert_eq!(of(1)["counts"][2][2][0], 0);
    assert!(page.contains("1 by shape, 2 together with another"));
    let (plain, values) = of_classes(["a", "b"], &[]);
    let page = selection_page(&plain, Some(&values)).unwrap();
    assert!(self::data(&page)["values"]["features"][0].get("relation").is_none());
}

#[test]
fn findings_are_rows_with_members_and_correlations() {
    let (mut saved, values) = of_needed();
    let full = selection_page(&saved, Some(&values)).unwrap();
    let findings = saved.findings.clone().unwrap();
    let pair = findings.iter().position(|finding| finding.members.len() == 2).unwrap();
    let part = data(&full)["needed"].clone();
    let members: Vec<usize> = serde_json::from_value(part["findings"][pair].clone()).unwrap();
    assert!(members.contains(&0) && members.contains(&2), "{members:?}");
    assert!(own(&full).contains("</strong>, "));
    assert!(["(0.99)", "(1.00)"].iter().any(|r| own(&full).contains(&format!("<small>{r}</small>"))));
    // chains: as many probabilities as features shown, whose mean is the one that is named
    let inclusion = &part["inclusion"];
    for (at, feature) in part["shown"].as_array().unwrap().iter().enumerate() {
        let of_chains = part["chains"].as_array().unwrap().iter().map(|chain| chain[at].as_f64().unwrap());
        let mean = of_chains.sum::<f64>() / 4.0;
        assert!((mean - inclusion[feature.as_u64().unwrap() as usize].as_f64().unwrap()).abs() < 1e-3);
    }
    let pairs: Vec<(usize, usize, f64)> = serde_json::from_value(part["neighbours"].clone()).unwrap();
    assert!(pairs.iter().any(|&(a, b, r)| (a, b) == (0, 2) && r > 0.99), "{pairs:?}");
    let [a, b] = [0, 1].map(|k| part["components"]["axes"][k]["scores"].as_array().unwrap().clone());
    let dot =
        |a: &[Value], b: &[Value]| a.iter().zip(b).map(|(a, b)| a.as_f64().unwrap() * b.as_f64().unwrap()).sum::<f64>();
    assert!((dot(&a, &a) - 1.0).abs() < 1e-3 && dot(&a, &b).abs() < 1e-3, "components are orthonormal");
    assert!(part["curve"]["words"].as_str().unwrap().contains("by 5-fold cross-validation"), "{part}");
    assert_eq!(own(&full).matches("id=\"needed\"").count(), 1);
    // a result without them is drawn as before
    saved.findings = None;
    let page = selection_page(&saved, Some(&values)).unwrap();
    assert_eq!(data(&page)["needed"], Value::Null);
    assert!(!own(&page).contains("id=\"needed\""));
}

#[test]
fn a_result_without_chains_still_lists_its_findings() {
    let (saved, _) = of_needed();
    let mut old: Value = serde_json::from_str(&text(&saved)).unwrap();
    old["detail"].as_object_mut().unwrap().remove("needed");
    let page = page(old.to_string().as_bytes(), "old.json").unwrap();
    assert!(own(&page).contains("class=\"findings\""));
    assert_eq!(data(&page)["needed"]["chains"], json!([]));
    old["detail"]["needed"] = json!({"features": [0, 999], "chains": [[0.5, 0.5]]});
    let error = tamis_report::page(old.to_string().as_bytes(), "old.json").unwrap_err();
    assert!(error.to_string().contains("its chains are of other features"), "{error}");
}
