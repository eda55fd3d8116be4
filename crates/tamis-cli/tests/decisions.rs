//! What is named, in the program: rates, permutations, clusters, and the words before the list.

use crate::common::{Place, small_table};

/// A table of 60 rows: of 120 features the first ten differ a little between the classes; `copy` is the last of them again.
fn table() -> String {
    table_of(60, |j| if j < 10 { 0.4 + 0.1 * f64::from(j) } else { 0.0 })
}

/// So many rows, with features shifted so far in every other one.
fn table_of(rows: u32, by: impl Fn(i32) -> f64) -> String {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let names: String = (0..120).map(|j| format!("f{j},")).collect();
    let mut text = format!("{names}copy,label\n");
    for i in 0..rows {
        let class = f64::from(i % 2);
        let shift = |j: i32| by(j) * class;
        let mut cells: Vec<f64> = (0..120).map(|j| (0..12).map(|_| uniform()).sum::<f64>() - 6.0 + shift(j)).collect();
        cells.push(-2.0 * cells[9]);
        text.push_str(&cells.iter().map(|x| format!("{x:.4},")).collect::<String>());
        text.push_str(if i % 2 == 0 { "no\n" } else { "yes\n" });
    }
    text
}

#[test]
fn fdr_and_permutations_are_short_for_settings() {
    let place = Place::new();
    place.write("in.csv", table());
    let select = |more: &[&str]| {
        let run = place.run(&[&["select", "in.csv", "--target", "label", "--json", "out.json"], more].concat());
        assert_eq!(run.status, 0, "{run:?}");
        place.json("out.json")
    };
    let named = |more: &[&str]| select(more)["n_selected"].as_u64().unwrap();
    assert_eq!(select(&["--fdr", "0.3"])["features"], select(&["--set", "fdr=0.3"])["features"]);
    assert!(named(&["--fdr", "0.001"]) < named(&["--fdr", "0.4"]));
    let permuted = select(&["--permutations", "399"]);
    assert_eq!((&permuted["gate"]["permutations"], &permuted["method"]["permutations"]), (&399.into(), &399.into()));
    assert!(permuted["noise"]["states"].as_u64().unwrap() >= 1, "{}", permuted["noise"]);
    let independent = select(&["--permutations", "0"]);
    assert_eq!(independent["noise"], serde_json::Value::Null);
    assert_eq!(independent["method"]["permutations"], 0);
    let npfs = ["--method", "npfs", "--permutations", "5", "--set", "bootstraps=10", "--set", "k=3"];
    assert_eq!(select(&npfs)["method"]["permutations"], 5);
}

#[test]
fn no_option_is_accepted_and_ignored() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    place.write("z.csv", "z\n0.5\n-0.2\n7\n1\n0\n");
    let select = ["select", "in.csv", "--target", "label"];
    let shrink = ["shrink", "z.csv"];
    let cases: [(&[&str], &[&str], &str); 7] = [
        (&select, &["--fdr", "0.1", "--set", "decide=count"], "`fdr` has no effect with decide=count"),
        (&select, &["--fdr", "0.1", "--set", "prior=kde"], "`fdr` has no effect with prior=kde"),
        (&select, &["--fdr", "0.1", "--set", "fdr=0.2"], "remove one of them"),
        (&select, &["--fdr", "1.5"], "between 0 and 1"),
        (&select, &["--fdr", "0.1", "--method", "jmi"], "fdr"),
        (&select, &["--permutations", "98"], "quiet=0.99 needs at least 99 null targets, or 0 for none"),
        (&shrink, &["--set", "permutations=199"], "`permutations` has no effect with scores alone"),
    ];
    for (command, options, words) in cases {
        let run = place.run(&[command, options].concat());
        assert_eq!(run.status, 2, "{options:?}: {run:?}");
        assert!(run.err.contains(words), "{options:?}: {}", run.err);
    }
    assert_eq!(place.run(&["shrink", "z.csv", "--fdr", "0.2"]).status, 0);
}

#[test]
fn correlated_features_that_are_named_share_a_cluster() {
    let place = Place::new();
    place.write("in.csv", table());
    let run = place.run(&["select", "in.csv", "--target", "label", "--json", "out.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let json = place.json("out.json");
    let features = json["features"].as_array().unwrap();
    assert!(features[120]["selected"] == true && features[9]["selected"] == true, "{}", run.out);
    assert_eq!(features[120]["cluster"], features[9]["cluster"]);
    let named: Vec<u64> =
        features.iter().filter(|f| f["selected"] == true).map(|f| f["cluster"].as_u64().unwrap()).collect();
    assert!(features.iter().all(|f| (f["selected"] == true) == f["cluster"].is_number()));
    let clusters = *named.iter().max().unwrap();
    assert_eq!(clusters + 1, named.len() as u64, "one pair moves together: {}", run.out);
    assert!(run.out.contains("probability  cluster"), "{}", run.out);
    assert!(!run.out.contains("move together"), "almost as many clusters as features say nothing: {}", run.out);
}

#[test]
fn the_answer_counts_clusters_where_most_named_features_move_together() {
    let place = Place::new();
    let copied = |(i, line): (usize, &str)| {
        let last: f64 = line.split(',').nth(9).and_then(|cell| cell.parse().ok()).unwrap_or(0.0);
        let cells: String = (0..20)
            .map(|k| if i == 0 { format!("more{k},") } else { format!("{:.4},", last * f64::from(k + 1)) })
            .collect();
        format!("{cells}{line}\n")
    };
    place.write("in.csv", table().lines().enumerate().map(copied).collect::<String>());
    let run = place.run(&["select", "in.csv", "--target", "label", "--json", "out.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let json = place.json("out.json");
    let named = json["n_selected"].as_u64().unwrap();
    let clusters = json["features"].as_array().unwrap().iter().filter_map(|f| f["cluster"].as_u64()).max().unwrap();
    assert!(named > 20 && 2 * clusters <= named, "{}", run.out);
    let told = format!("The {named} form {clusters} clusters of features that move together.");
    assert!(run.out.lines().next().unwrap().ends_with(&told), "{}", run.out);
    assert!(json["answer"][0].as_str().unwrap().ends_with(&told), "{}", json["answer"]);
}

#[test]
fn few_samples_have_no_clusters_and_no_word_of_them() {
    // independent features that all differ between 4 and 4 samples correlate over all rows
    let place = Place::new();
    place.write("in.csv", table_of(8, |j| if j < 20 { 12.0 } else { 0.0 }));
    let to = ["--json", "out.json", "--csv", "out.csv", "--report", "out.html"];
    let run = place.run(&[&["select", "in.csv", "--target", "label"], &to[..]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    let json = place.json("out.json");
    assert!(json["n_selected"].as_u64().unwrap() > 5, "{}", run.out);
    assert!(json["features"].as_array().unwrap().iter().all(|f| f["cluster"].is_null()));
    assert!(json["notes"].as_array().unwrap().iter().all(|note| note["kind"] != "near_copies"), "{}", json["notes"]);
    let screen = format!("{}{}", run.out, run.err);
    assert!(!screen.contains("cluster") && !screen.contains("near-copies"), "{screen}");
    assert!(!place.read("out.csv").lines().next().unwrap().contains("cluster"));
    assert!(!place.read("out.html").contains("id=\"clusters\""));
}
