//! Transcripts of the program, as people see it (rewrite them with TRYCMD=overwrite).
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod common;

#[test]
fn transcripts_are_what_the_program_prints() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

#[test]
fn the_page_on_survival_shows_what_the_program_prints() {
    let place = common::Place::new();
    place.write("patients.csv", include_str!("cmd/survival.in/patients.csv"));
    let page = without_time(include_str!("../../../docs/survival.md"));
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("$ tamis ")).collect();
    assert!(!commands.is_empty());
    for command in commands {
        let run = place.run(&command.split(' ').collect::<Vec<&str>>());
        assert_eq!(run.status, 0, "{run:?}");
        let shown = without_time(&run.out);
        assert!(page.contains(&format!("$ tamis {command}\n{shown}")), "docs/survival.md does not show:\n{shown}");
    }
}

/// The time it took, which differs from run to run, taken out.
fn without_time(text: &str) -> String {
    let lines = text.lines().map(|l| l.split("; seed ").next().unwrap_or(l).trim_end().to_string() + "\n");
    lines.collect()
}

#[test]
fn the_readme_shows_what_the_demo_prints() {
    let run = common::Place::new().run(&["demo"]);
    assert_eq!(run.status, 0, "{run:?}");
    let readme = without_time(include_str!("../../../README.md"));
    assert!(readme.contains(&without_time(&run.out)), "the README's transcript is not this:\n{}", run.out);
}
