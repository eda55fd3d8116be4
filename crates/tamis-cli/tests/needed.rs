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
fn the_default_answer_says_which_of_its_features_are_needed() {
    let place = Place::new();
    place.write("in.csv", table(120));
    let run = |more: &[&str]| {
        let run = place.run(&[&["select", "in.csv", "--target", "y", "--json", "r.json"][..], more].concat());
        assert_eq!(run.status, 0, "{run:?}");
        let result: Value = serde_json::from_str(&place.read("r.json")).unwrap();
        (run, result)
    };
    let (said, result) = run(&["--report", "r.html", "--csv", "r.csv"]);
    let line = said.out.lines().find(|line| line.starts_with("Of these 3, 2 can be singled out as needed"));
    assert!(line.is_some_and(|line| line.contains("`g1`") && line.ends_with("(method `needed`)")), "{said:?}");
    assert!(said.out.contains("\n  needed, given the others:\n"), "{said:?}");
    assert!(said.out.contains("working set, which predicts together: "), "{said:?}");
    assert!(place.read("r.html").contains("Needed, given the others"));
    assert!(place.read("r.csv").lines().next().unwrap().contains(",inclusion_probability,set,set_probability,lead"));
    // the same as asked for by name
    let (_, alone) = run(&["--method", "needed"]);
    for key in ["findings", "working_set", "factors", "background", "related_at_all"] {
        assert_eq!(result[key], alone[key], "{key}");
    }
    // and nothing else changes without it
    let (plain, without) = run(&["--no-needed"]);
    assert!(!plain.out.contains("needed") && without.get("findings").is_none(), "{plain:?}");
    assert_eq!(without["n_selected"], result["n_selected"]);
    assert_eq!(without["features"][0]["score"], result["features"][0]["score"]);
    assert!(without["features"][0].get("inclusion_probability").is_none());
}

#[test]
fn what_takes_longer_than_the_answer_is_offered() {
    let place = Place::new();
    let columns = 3000;
    let mut text = "y".to_string();
    (0..columns).for_each(|j| text.push_str(&format!(",g{j}")));
    for row in 0..60 {
        text.push_str(if row % 2 == 0 { "\na" } else { "\nb" });
        let shift = |j: usize| if j < 5 && row % 2 == 0 { 1.5 } else { 0.0 };
        (0..columns).for_each(|j| text.push_str(&format!(",{:.3}", noise(row, j) + shift(j))));
    }
    place.write("wide.csv", text + "\n");
    let asked = ["select", "wide.csv", "--target", "y", "--permutations", "99", "--no-second-look"];
    let run = place.run(&asked);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("takes longer to answer; ask with `--method needed`"), "{run:?}");
    assert!(!run.out.contains("singled out"), "{run:?}");
    let run = place.run(&[&asked[..], &["--no-needed"]].concat());
    assert!(!run.err.contains("needed"), "{run:?}");
    let refused = place.run(&["select", "wide.csv", "--target", "y", "--method", "mim", "--no-needed"]);
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("`--no-needed` has no effect with method=mim; remove it"), "{refused:?}");
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
    place.write("constant.csv", "y,a\n".to_string() + &(0..20).map(|i| format!("3.5,{i}\n")).collect::<String>());
    refused("constant.csv", &[], "`y`");
    place.write(
        "timeless.csv",
        "y,died,a\n".to_string() + &(0..20).map(|i| format!("x{},{},{i}\n", i % 2, i % 2)).collect::<String>(),
    );
    refused("timeless.csv", &["--event", "died"], "`y`");
    refused("in.csv", &["--event", "died"], "died");
    refused("in.csv", &["--fdr", "0"], "fdr");
    refused("in.csv", &["--fdr", "1.5"], "fdr");
    refused("in.csv", &["--set", "keep=all"], "findings, working, members");
    refused("in.csv", &["--set", "draws=3"], "draws");
}
