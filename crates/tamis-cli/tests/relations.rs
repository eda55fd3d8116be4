//! `--method dependence` and the second look after `snbl`, as users see them.

use crate::common::Place;
use serde_json::Value;

/// Pseudo-random numbers between -1 and 1.
fn noise(row: usize, column: usize) -> f64 {
    let mixed =
        (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (column as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// 200 rows of 20 features: g0 is higher, g1 wider in class b, and the class is the exclusive or of g2 and g3.
fn table() -> String {
    let mut text = "y".to_string();
    (0..20).for_each(|j| text.push_str(&format!(",g{j}")));
    for row in 0..200 {
        let b = noise(row, 2) * noise(row, 3) > 0.0;
        text.push_str(if b { "\nb" } else { "\na" });
        for j in 0..20 {
            let x = noise(row, j);
            let x = match (j, b) {
                (0, true) => x + 0.6,
                (1, true) => 4.0 * x,
                _ => x,
            };
            text.push_str(&format!(",{x:.4}"));
        }
    }
    text + "\n"
}

#[test]
fn finds_are_told_with_their_kind_and_partner() {
    let place = Place::new();
    place.write("in.csv", table());
    let run = place.run(&[
        "select",
        "in.csv",
        "--target",
        "y",
        "--method",
        "dependence",
        "--json",
        "r.json",
        "--csv",
        "r.csv",
    ]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.out.starts_with("4 of 20 features can be named (1 by level, 1 by shape, 2 together with another)"),
        "{run:?}"
    );
    let line = |name: &str| run.out.lines().find(|line| line.contains(name)).unwrap().to_string();
    assert!(line("g2 ").ends_with("together  g3") && line("g1 ").ends_with("shape"), "{run:?}");
    let result: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let (third, first) = (&result["features"][2], &result["features"][0]);
    assert_eq!((&third["kind"], &third["partner"]), (&"together".into(), &"g3".into()));
    assert_eq!((&first["kind"], &first["partner"]), (&"level".into(), &Value::Null));
    assert!(result["features"][9]["kind"].is_null() && first["effect"].is_null() && first["probability"].is_null());
    assert_eq!(result["fdr"], 0.05);
    let csv = place.read("r.csv");
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    assert!(["p_value", "q_value", "kind", "partner"].iter().all(|name| head.contains(name)), "{head:?}");
    assert!(csv.lines().any(|line| line.ends_with("together,g3")), "{csv}");
    let page = place.run(&["report", "r.json", "--out", "r.html"]);
    assert_eq!(page.status, 0, "{page:?}");
}

/// What is said of a feature that is related only together with another.
fn pair(partner: &str) -> (Value, Value) {
    ("together".into(), partner.into())
}

/// What is said of features, but for what a second look says.
fn without_kinds(mut features: Value) -> Value {
    for feature in features.as_array_mut().unwrap() {
        feature.as_object_mut().unwrap().retain(|name, _| name != "kind" && name != "partner");
    }
    features
}

#[test]
fn a_second_look_counts_what_means_do_not_show_and_changes_nothing_else() {
    let place = Place::new();
    place.write("in.csv", table());
    let select = ["select", "in.csv", "--target", "y", "--fdr", "0.01"]; // so that g1 is not named by its level
    let looked = place.run(&[&select[..], &["--json", "looked.json"]].concat());
    let plain = place.run(&[&select[..], &["--json", "plain.json", "--no-second-look"]].concat());
    let told = "Not named, but related in other ways: 1 by shape (`g1`), 2 only together with another feature (`g2`, `g3`) \
                (method `dependence`)";
    assert!(looked.out.lines().any(|line| line == told), "{looked:?}");
    assert!(!plain.out.contains("dependence"), "{plain:?}");
    let [looked, plain] =
        ["looked.json", "plain.json"].map(|name| -> Value { serde_json::from_str(&place.read(name)).unwrap() });
    let [kinds, none] = [&looked, &plain].map(|result| {
        let features = result["features"].as_array().unwrap().iter();
        features.map(|feature| (feature["kind"].clone(), feature["partner"].clone())).collect::<Vec<_>>()
    });
    assert_eq!(kinds[1..4], [("shape".into(), Value::Null), pair("g3"), pair("g2")], "{kinds:?}");
    assert!(none.iter().all(|(kind, partner)| kind.is_null() && partner.is_null()), "{none:?}");
    assert_eq!(without_kinds(looked["features"].clone()), without_kinds(plain["features"].clone()));
    assert_eq!((&looked["n_selected"], &plain["n_selected"]), (&1.into(), &1.into()));
    assert_eq!(looked["second_look"]["together"], serde_json::json!([2, 3]));
    assert!(plain.get("second_look").is_none());
}

#[test]
fn no_second_look_is_refused_where_there_is_none() {
    let place = Place::new();
    place.write("in.csv", table());
    let run = place.run(&["select", "in.csv", "--target", "y", "--method", "mim", "--no-second-look"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("`--no-second-look` has no effect with method=mim; remove it"), "{run:?}");
    place.write("more.csv", table());
    let pieces = place.run(&["select", "in.csv", "more.csv", "--target", "y", "--no-second-look"]);
    assert_eq!(pieces.status, 2);
    assert!(pieces.err.contains("tables read in pieces"), "{pieces:?}");
}
