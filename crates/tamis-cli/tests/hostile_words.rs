//! Words of the command line and of the data in messages: they are seen as they are, and mean what they show.

use crate::common::Place;

/// A table whose target, and a label of it, have this name.
fn table(target: &str, label: &str) -> String {
    let rows: String =
        (0..20).map(|row| format!("{},{}\n", row * 7 % 11, if row % 2 == 0 { label } else { "b" })).collect();
    format!("x,{target}\n{rows}")
}

#[test]
fn words_that_are_not_understood_are_shown_with_escapes() {
    let place = Place::new();
    let bad = "\u{1b}[31mboo\u{9b}2J\u{202e}\u{7}";
    let long = format!("--{bad}");
    let lines: [&[&str]; 6] = [
        &[bad],
        &["select", "in.csv", "--task", bad],
        &["select", "in.csv", "--seed", bad],
        &["select", "in.csv", &long],
        &["completions", bad],
        &["select", "in.csv", "--format", bad],
    ];
    for line in lines {
        let run = place.run(line);
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.err.contains("\\u{1b}[31mboo\\u{9b}2J\\u{202e}\\u{7}"), "{line:?}: {}", run.err);
        assert!(!run.err.chars().any(|c| c.is_control() && c != '\n'), "{line:?}: {}", run.err);
    }
}

#[test]
fn errors_as_json_hold_hidden_characters_as_json_escapes() {
    let place = Place::new();
    let name = "z\u{9b}2J\u{202e}\u{e0041}.csv";
    let run = place.run(&["select", name, "--target", "y", "--json", "-"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains("z\\u009b2J\\u202e\\udb40\\udc41.csv"), "{}", run.err);
    let told: serde_json::Value = serde_json::from_str(&run.err).unwrap();
    assert_eq!(told["error"]["file"], name, "the same text to whoever reads the JSON");
}

#[test]
fn likely_targets_cannot_forge_lines_or_commands() {
    let place = Place::new();
    place.write("in.csv", table("\"y; rm -rf x\"", "\"a\nerror: forged\""));
    let run = place.run(&["select", "in.csv"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains("--target 'y; rm -rf x'"), "{}", run.err);
    assert!(run.err.contains("a\\nerror: forged") && !run.err.contains("\nerror: forged"), "{}", run.err);
    place.write("in.csv", table("\"y\nerror: forged\"", "a"));
    let run = place.run(&["select", "in.csv"]);
    assert!(run.err.contains("--target $'y\\x0aerror: forged'"), "{}", run.err);
}
