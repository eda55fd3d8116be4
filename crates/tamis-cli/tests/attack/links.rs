//! Links: followed where they lead to a file, refused where they lead nowhere a file could be.

use super::round::{Round, table};
use crate::common::Place;
use std::os::unix::fs::symlink;

pub fn attack(round: &mut Round) {
    let place = Place::new();
    place.write("in.csv", table(40, 60));
    place.write("real.json", "old");
    std::fs::create_dir(place.path("folder")).unwrap();
    let select = |round: &mut Round, input: &str, output: &str| {
        let command = place.command(&["select", input, "--target", "label", "--json", output]);
        round.run("links", &place, command)
    };
    for (target, name) in [
        ("real.json", "link"),
        ("link", "link_to_link"),
        ("loop", "loop"),
        ("folder", "to_folder"),
        ("in.csv", "to_input"),
        ("nowhere/x", "dangling_far"),
        ("nowhere", "dangling"),
        ("in.csv", "input"),
    ] {
        symlink(target, place.path(name)).unwrap();
    }
    assert_eq!(select(round, "in.csv", "link_to_link").0, 0);
    assert!(place.path("link").is_symlink() && place.path("link_to_link").is_symlink());
    assert!(place.read("real.json").contains("format_version"), "the link is followed");
    assert_eq!(select(round, "in.csv", "to_folder").0, 2);
    assert_eq!(select(round, "in.csv", "to_input").0, 2, "it is the input");
    assert_eq!(select(round, "input", "in.csv").0, 2, "it is the input");
    assert_eq!(select(round, "input", "fresh.json").0, 0);
    assert_ne!(select(round, "loop", "fresh.json").0, 0);
    select(round, "in.csv", "loop");
    select(round, "in.csv", "dangling");
    select(round, "in.csv", "dangling_far");
    assert_eq!(place.read("in.csv"), table(40, 60), "the input is as it was");
    // a hard link is the same file
    std::fs::hard_link(place.path("in.csv"), place.path("hard")).unwrap();
    assert_eq!(select(round, "in.csv", "hard").0, 2);
}
