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

#[test]
fn the_page_on_designs_shows_what_select_prints() {
    let place = common::Place::new();
    place.write("batches.csv", include_str!("cmd/designs.in/batches.csv"));
    place.write("pairs.csv", include_str!("cmd/designs.in/pairs.csv"));
    let page = without_time(include_str!("../../../docs/designs.md"));
    for arguments in [
        "select batches.csv --target group --covariate batch --covariate age",
        "select pairs.csv --target group --block patient",
    ] {
        let run = place.run(&arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(run.status, 0, "{run:?}");
        assert!(page.contains(&format!("$ tamis {arguments}")), "{arguments}");
        assert!(page.contains(&without_time(&run.out)), "the page's transcript is not this:\n{}", run.out);
    }
}

#[test]
fn the_guide_shows_what_select_prints_on_counts() {
    let place = common::Place::new();
    place.write("counts.csv", include_str!("cmd/counts.in/counts.csv"));
    let run = place.run(&["select", "counts.csv", "--target", "group", "--id", "sample", "--normalize", "tmm"]);
    assert_eq!(run.status, 0, "{run:?}");
    let guide = without_time(include_str!("../../../docs/guide.md"));
    assert!(guide.contains(&without_time(&run.out)), "the guide's transcript is not this:\n{}", run.out);
}

#[test]
fn the_guide_shows_what_dependence_finds() {
    let place = common::Place::new();
    place.write("sensors.csv", include_str!("cmd/relations.in/sensors.csv"));
    let guide = without_time(include_str!("../../../docs/guide.md"));
    for arguments in ["select sensors.csv --target fault", "select sensors.csv --target fault --method dependence"] {
        let run = place.run(&arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(run.status, 0, "{run:?}");
        let shown = without_time(&run.out);
        assert!(
            guide.contains(&format!("$ tamis {arguments}\n{shown}")),
            "the guide's transcript is not this:\n{shown}"
        );
    }
}
