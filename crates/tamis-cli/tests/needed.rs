//! `--method needed`, as users see it.

use crate::common::Place;
use serde_json::Value;

/// Pseudo-random numbers between -1 and 1.
fn noise(row: usize, column: usize) -> f64 {
    let mixed =
        (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (column as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// 120 rows of 30 features: the target needs g0, of which g5 is nearly a copy, and g1.
fn table(rows: usize) -> String {
    let mut text = "y".to_string();
    (0..30).for_each(|j| text.push_str(&format!(",g{j}")));
    for row in 0..rows {
        let x = |j: usize| if j == 5 { noise(row, 0) + 0.05 * noise(row, 5) } else { noise(row, j) };
        text.push_str(&format!("\n{:.4}", x(0) + x(1) + 0.5 * noise(row, 99)));
        (0..30).for_each(|j| text.push_str(&format!(",{:.4}", x(j))));
    }
    text + "\n"
}

#[test]
fn findings_reach_the_screen_and_every_file() {
    let place = Place::new();
    place.write("in.csv", table(120));
    let asked = ["select", "in.csv", "--target", "y", "--method", "needed"];
    let run = place.run(&[&asked[..], &["--json", "r.json", "--csv", "r.csv", "--reduced", "few.csv"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.out.starts_with("2 findings: each is a set of interchangeable features"), "{run:?}");
    assert!(run.out.contains("needed with probability") && run.out.contains("Working set: "), "{run:?}");
    let result: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let findings = result["findings"].as_array().unwrap();
    let of = |name: &str| findings.iter().find(|f| f["members"].as_array().unwrap().contains(&name.into())).unwrap();
    assert_eq!(of("g1")["members"], serde_json::json!(["g1"]));
    let lead = of("g0")["lead"].as_str().unwrap();
    let first = &result["features"][lead.strip_prefix('g').unwrap().parse::<usize>().unwrap()];
    assert_eq!((&first["selected"], &first["lead"]), (&true.into(), &lead.into()));
    assert_eq!(first["set_probability"], of("g0")["probability"]);
    assert!(first["inclusion_probability"].as_f64().unwrap() > 0.1);
    assert!(result["working_set"].as_array().unwrap().len() >= 2 && result["related_at_all"]["open"] == true);
    let csv = place.read("r.csv");
    let head = csv.lines().next().unwrap();
    for column in ["inclusion_probability", "set", "set_probability", "lead"] {
        assert!(head.split(',').any(|name| name == column), "{head}");
    }
    let few = place.read("few.csv");
    assert_eq!(few.lines().next().unwrap().split(',').count(), 3, "two leads and the target");
}

#[test]
fn another_set_of_features_is_kept_on_request() {
    let place = Place::new();
    place.write("in.csv", table(120));
    let selected = |keep: &str| {
        let set = format!("keep={keep}");
        let run =
            place.run(&["select", "in.csv", "--target", "y", "--method", "needed", "--set", &set, "--json", "r.json"]);
        assert_eq!(run.status, 0, "{run:?}");
        let result: Value = serde_json::from_str(&place.read("r.json")).unwrap();
        let names = |key: &str| {
            let mut names: Vec<String> =
                result[key].as_array().unwrap().iter().map(|name| name.as_str().unwrap().into()).collect();
            names.sort();
            names
        };
        let features = result["features"].as_array().unwrap().iter().filter(|f| f["selected"] == true);
        let mut selected: Vec<String> = features.map(|f| f["name"].as_str().unwrap().into()).collect();
        selected.sort();
        (selected, names("working_set"))
    };
    let (working, wanted) = selected("working");
    assert_eq!(working, wanted);
    assert!(selected("members").0.len() >= selected("findings").0.len());
}

#[test]
fn what_cannot_be_used_ends_with_status_2_and_writes_nothing() {
    let place = Place::new();
    place.write("few.csv", table(8));
    place.write("in.csv", table(30));
    place.write("flat.csv", "y,a\n".to_string() + &(0..20).map(|i| format!("{i},1\n")).collect::<String>());
    let refused = |file: &str, more: &[&str], words: &str| {
        let asked = ["select", file, "--target", "y", "--method", "needed", "--json", "r.json"];
        let run = place.run(&[&asked[..], more].concat());
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.err.contains(words), "{run:?}");
        assert!(!place.path("r.json").exists());
    };
    refused("few.csv", &[], "8 rows");
    refused("flat.csv", &[], "no column is left");
    refused("in.csv", &["--fdr", "1.5"], "fdr");
    refused("in.csv", &["--set", "keep=all"], "findings, working, members");
    refused("in.csv", &["--set", "draws=3"], "draws");
}
