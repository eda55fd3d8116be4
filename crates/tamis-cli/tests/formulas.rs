//! `--formula` and `--test`: the same answers as `--target` where both can ask, and errors that say what exists.

use crate::common::{Place, Run};

/// A number between 0 and 1 that has no pattern.
fn noise(i: usize, j: usize) -> f64 {
    let mut x = (i as u64 * 1_000_003 + j as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3 {
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^= x >> 27;
    }
    (x >> 11) as f64 / (1_u64 << 53) as f64
}

/// 24 samples of a 2 × 2 design with a dose, 40 features, the first three of which respond to both factors together.
fn table() -> String {
    let mut text = String::from("group,time,dose,fixed,weight");
    (0..40).for_each(|j| text += &format!(",f{j}"));
    for i in 0..24_usize {
        let (group, time) = (["a", "b"][i % 2], ["early", "late"][i / 2 % 2]);
        text += &format!("\n{group},{time},{},1,{}", i * i % 7, 50 + i);
        for j in 0..40_usize {
            let effect = if j < 3 && group == "b" && time == "late" { 3.0 } else { 0.0 };
            text += &format!(",{}", noise(i, j) + effect);
        }
    }
    text + "\n"
}

fn run(place: &Place, options: &[&str]) -> Run {
    place.run(&[&["select", "t.csv", "--drop", "fixed", "--drop", "weight"], options].concat())
}

#[test]
fn an_interaction_is_tested_by_its_name() {
    let place = Place::new();
    place.write("t.csv", table());
    let asked = ["--formula", "~ group * time + ns(dose, 2)", "--test", "group:time", "--json", "r.json"];
    let found = run(&place, &asked);
    assert_eq!(found.status, 0, "{found:?}");
    let result = place.json("r.json");
    assert_eq!(result["design"]["test"], "group:time");
    assert_eq!(result["design"]["test_df"], 1);
    assert_eq!(result["input"]["features"], 40);
    let features = result["features"].as_array().unwrap();
    let mut named: Vec<&str> =
        features.iter().filter(|f| f["selected"] == true).filter_map(|f| f["name"].as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, ["f0", "f1", "f2"]);
}

#[test]
fn a_sum_is_the_same_as_a_target_with_covariates() {
    let place = Place::new();
    place.write("t.csv", table());
    let scores = |options: &[&str]| -> Vec<f64> {
        let found = run(&place, &[options, &["--json", "r.json"]].concat());
        assert_eq!(found.status, 0, "{found:?}");
        let mut features: Vec<(String, f64)> = place.json("r.json")["features"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| (f["name"].as_str().unwrap().into(), f["score"].as_f64().unwrap()))
            .collect();
        features.sort_by(|a, b| a.0.cmp(&b.0));
        features.into_iter().map(|(_, score)| score).collect()
    };
    let formula = scores(&["--formula", "~ group + dose", "--test", "b - a", "--drop", "time"]);
    let target = scores(&["--target", "group", "--covariate", "dose", "--drop", "time"]);
    for (formula, target) in formula.iter().zip(&target) {
        assert!((formula - target).abs() < 1e-9, "{formula} for {target}");
    }
}

#[test]
fn what_cannot_be_tested_ends_with_status_2_and_writes_nothing() {
    let place = Place::new();
    place.write("t.csv", table());
    let cases: [(&[&str], &str); 9] = [
        (&["--formula", "~ group * tine", "--test", "group"], "tine"),
        (&["--formula", "~ group * time", "--test", "grop"], "group:time"),
        (&["--formula", "~ group * time"], "--test"),
        (&["--formula", "~ ns(weight, 3) + group +", "--test", "group"], "at its end"),
        (&["--formula", "~ log(dose)"], "log("),
        (&["--test", "group", "--target", "group"], "--formula"),
        (&["--formula", "~ group", "--target", "group"], "--target"),
        (&["--formula", "~ group + ns(dose, 40)", "--test", "group"], "too few different values"),
        (&["--formula", "~ group", "--method", "t"], "method snbl"),
    ];
    for (options, words) in cases {
        let found = run(&place, &[options, &["--json", "never.json"]].concat());
        assert_eq!(found.status, 2, "{options:?}: {found:?}");
        assert!(found.err.contains(words), "{options:?}: {}", found.err);
        assert!(!place.files().contains(&"never.json".to_string()), "{options:?}");
    }
    let few = "group,time,f\na,x,1\nb,x,2\na,y,3\nb,y,5\n";
    place.write("few.csv", few);
    let found = place.run(&["select", "few.csv", "--formula", "~ group * time", "--test", "group:time"]);
    assert_eq!(found.status, 2, "{found:?}");
    assert!(found.err.contains("coefficients"), "{}", found.err);
    let empty = table().lines().filter(|line| !line.starts_with("b,late")).collect::<Vec<_>>().join("\n");
    place.write("t.csv", empty);
    let found = run(&place, &["--formula", "~ group * time", "--test", "group:time"]);
    assert_eq!(found.status, 2, "{found:?}");
    assert!(found.err.contains("no row belongs to `groupb:timelate`"), "{}", found.err);
}
