//! Many columns, files and classes, and long names. A short round takes a tenth of each.

use super::round::{Round, table};
use crate::common::Place;

pub fn attack(round: &mut Round) {
    many_columns(round);
    many_files(round);
    long_names(round);
    many_classes(round);
}

/// 100,000 columns, or a million.
fn many_columns(round: &mut Round) {
    let place = Place::new();
    place.write("wide.csv", table(8, 100_000 * round.scale));
    let command = place.command(&["select", "wide.csv", "--target", "label", "--method", "t", "--csv", "t.csv"]);
    assert_eq!(round.run("limits", &place, command).0, 0);
    assert_eq!(place.read("t.csv").lines().count(), 100_000 * round.scale + 1);
    let command =
        place.command(&["select", "wide.csv", "--target", "label", "--permutations", "0", "--json", "s.json"]);
    assert_eq!(round.run("limits", &place, command).0, 0);
    let command = place.command(&["report", "s.json", "--out", "s.html"]);
    assert_eq!(round.run("limits", &place, command).0, 0);
}

/// 2,000 files, or 20,000 (a hundred thousand take a quarter of an hour).
fn many_files(round: &mut Round) {
    let place = Place::new();
    std::fs::create_dir(place.path("shards")).unwrap();
    let text = table(4, 5);
    for at in 0..2000 * round.scale {
        place.write(&format!("shards/{at:06}.csv"), &text);
    }
    let command = place.command(&["select", "shards", "--target", "label", "--json", "s.json"]);
    assert_eq!(round.run("limits", &place, command).0, 0);
    assert_eq!(place.json("s.json")["input"]["rows"], serde_json::json!(8000 * round.scale));
}

/// Names, labels and cells of a megabyte.
fn long_names(round: &mut Round) {
    let place = Place::new();
    let long = "n".repeat(1_000_000);
    place.write("in.csv", table(30, 20).replacen("f3,", &format!("{long},"), 1).replace("yes", &format!("y{long}")));
    for more in [&["--method", "t"][..], &[], &["--report", "r.html", "--reduced", "d.arff"]] {
        let arguments = [&["select", "in.csv", "--target", "label", "--json", "r.json"], more].concat();
        assert_eq!(round.run("limits", &place, place.command(&arguments)).0, 0);
    }
    let argument = &long[..100_000]; // the system takes no longer one
    for arguments in [["describe", "in.csv", "--target", "label"], ["select", "in.csv", "--target", argument]] {
        let (status, err) = round.run("limits", &place, place.command(&arguments));
        assert!(status == 0 || status == 2, "{status} {err}");
    }
}

/// 10,000 classes, or 100,000.
fn many_classes(round: &mut Round) {
    let place = Place::new();
    let classes = 10_000 * round.scale;
    let mut text = String::from("a,b,label\n");
    for row in 0..2 * classes {
        text.push_str(&format!("{},{},c{}\n", row % 101, row % 97, row % classes));
    }
    place.write("in.csv", text);
    for method in ["snbl", "f", "mim"] {
        let command =
            place.command(&["select", "in.csv", "--target", "label", "--task", "classes", "--method", method]);
        let (status, err) = round.run("limits", &place, command);
        assert!(status == 0 || status == 2, "{method}: {status} {err}");
    }
}
