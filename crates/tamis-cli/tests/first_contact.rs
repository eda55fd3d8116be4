//! First contact: no arguments, a file alone, no target; versions, `-v` and `-q`, completions and manual pages.

use crate::common::{Place, small_table};

#[test]
fn the_program_alone_shows_three_examples() {
    let run = Place::new().run(&[]);
    assert_eq!((run.status, run.err.as_str()), (0, ""));
    assert_eq!(run.out.lines().filter(|line| line.starts_with("  tamis ")).count(), 3, "{}", run.out);
}

#[test]
fn a_file_alone_is_taken_as_select_and_the_note_says_so() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let guessed = place.run(&["in.csv", "--target", "label", "--csv", "-"]);
    let plain = place.run(&["select", "in.csv", "--target", "label", "--csv", "-"]);
    assert_eq!((guessed.status, &guessed.out), (0, &plain.out));
    assert!(guessed.err.contains("taken as `tamis select in.csv`"), "{}", guessed.err);
    let quiet = place.run(&["in.csv", "--target", "label", "-q"]);
    assert_eq!((quiet.status, quiet.err.as_str()), (0, ""));
    let missing = place.run(&["absent.csv", "--target", "label"]);
    assert_eq!(missing.status, 2);
    assert!(missing.err.contains("cannot read `absent.csv`"), "{}", missing.err);
}

#[test]
fn a_command_goes_before_a_file_of_its_name_and_a_misspelt_one_is_no_file() {
    let place = Place::new();
    place.write("methods", "a,b\n1,2\n");
    assert!(place.run(&["methods"]).out.contains("snbl"));
    let wrong = place.run(&["slect", "in.csv"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.err.contains("select"), "{}", wrong.err);
}

#[test]
fn without_a_target_the_likely_columns_are_listed() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    for command in ["select", "evaluate"] {
        let run = place.run(&[command, "in.csv"]);
        assert_eq!((run.status, run.out.as_str()), (2, ""));
        assert!(run.err.contains("--target label  no (12), yes (12)"), "{}", run.err);
        assert!(!run.err.contains("--target a"), "{}", run.err);
    }
}

#[test]
fn without_a_target_a_file_that_cannot_be_read_as_it_is_says_why() {
    let place = Place::new();
    let rows: String = (0..12).map(|i| format!("{};{}\n", ["a", "b"][i % 2], ["1,5"; 9].join(";"))).collect();
    place.write("comma.csv", format!("label;a;b;c;d;e;f;g;h;i\n{rows}"));
    let found = place.run(&["select", "comma.csv"]);
    assert_eq!(found.status, 2);
    assert!(found.err.contains("pass `--decimal ,` if numbers have a comma"), "{found:?}");
}

#[test]
fn without_a_target_the_columns_of_the_samples_are_listed() {
    let place = Place::new();
    let genes = (0..12).map(|g| {
        format!("g{g},") + &(0..100).map(|s| ((g * 31 + s * 17) % 23).to_string()).collect::<Vec<_>>().join(",") + "\n"
    });
    let names: Vec<String> = (0..100).map(|s| format!("s{s}")).collect();
    place.write("genes.csv", format!("gene,{}\n{}", names.join(","), genes.collect::<String>()));
    let rows: String =
        names.iter().enumerate().map(|(i, n)| format!("{n},{},{}\n", ["ill", "well"][i % 2], i)).collect();
    place.write("samples.csv", format!("sample,state,number\n{rows}"));
    let run = place.run(&["select", "genes.csv", "--transpose", "--samples", "samples.csv"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("--target state  ill (50), well (50)"), "{}", run.err);
}

#[test]
fn the_version_has_the_features_of_the_build() {
    let run = Place::new().run(&["--version"]);
    let expected = format!("tamis {} (", env!("CARGO_PKG_VERSION"));
    assert!(run.out.starts_with(&expected), "{}", run.out);
    assert_eq!(run.out.contains("parquet"), cfg!(feature = "parquet"), "{}", run.out);
}

#[test]
fn verbose_tells_stages_and_threads_and_quiet_nothing() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n").replacen("0.", "", 1).replacen(",0.0000,", ",,", 1));
    let verbose = place.run(&["select", "in.csv", "--target", "label", "-v", "--threads", "2"]);
    assert_eq!(verbose.status, 0);
    assert!(verbose.err.contains("2 threads") && verbose.err.contains("scoring"), "{}", verbose.err);
    let quiet = place.run(&["select", "in.csv", "--target", "label", "-q"]);
    assert_eq!((quiet.status, quiet.err.as_str()), (0, ""));
    assert_eq!(place.run(&["select", "in.csv", "--target", "label", "-q", "-v"]).status, 2);
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let place = Place::new();
    let help = place.run(&["--help"]).out;
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1).take_while(|l| !l.is_empty());
    let commands: Vec<&str> = listed
        .filter(|l| l.starts_with("  ") && !l.starts_with("   "))
        .map(|l| l.split_whitespace().next().unwrap())
        .collect();
    assert!(commands.len() > 14, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = place.run(&["completions", shell]);
        assert_eq!(run.status, 0);
        assert!(commands.iter().all(|command| run.out.contains(command)), "{shell}");
    }
    assert_eq!(place.run(&["man", "--out", "pages"]).status, 0);
    for command in commands.iter().filter(|command| **command != "help") {
        assert!(place.path("pages").join(format!("tamis-{command}.1")).is_file(), "{command}");
    }
    assert!(place.run(&["man", "select"]).out.contains("\\-\\-target"));
    assert!(place.run(&["man", "slect"]).err.contains("did you mean `select`?"));
}
