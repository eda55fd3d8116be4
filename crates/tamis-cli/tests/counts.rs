//! Counts in the program: normalised, refused where they are none, stored in models.

use crate::common::{Place, Run};

/// Twelve samples of 80 genes; genes 5, 10, 21, 34 and 42 differ, the last ten are hardly counted, and treated samples
/// were sequenced more deeply.
const COUNTS: &str = include_str!("cmd/counts.in/counts.csv");
const DIFFERENT: [&str; 5] = ["gene_10", "gene_21", "gene_34", "gene_42", "gene_5"];

fn place() -> Place {
    let place = Place::new();
    place.write("counts.csv", COUNTS);
    place
}

/// `select` on the counts, with further arguments.
fn select(place: &Place, more: &[&str]) -> Run {
    place.run(&[&["select", "counts.csv", "--target", "group", "--id", "sample"], more].concat())
}

/// The table of counts with one cell (row and column counted from 1) replaced.
fn with_cell(row: usize, column: usize, cell: &str) -> String {
    let mut lines: Vec<Vec<&str>> = COUNTS.lines().map(|line| line.split(',').collect()).collect();
    lines[row][column] = cell;
    lines.iter().map(|line| line.join(",") + "\n").collect()
}

/// The names of the selected features of a result, sorted.
fn selected(place: &Place, name: &str) -> Vec<String> {
    let result = place.json(name);
    let features = result["features"].as_array().unwrap().iter().filter(|f| f["selected"] == true);
    let mut names: Vec<String> = features.map(|f| f["name"].as_str().unwrap().to_string()).collect();
    names.sort();
    names
}

#[test]
fn normalised_counts_do_not_show_the_depth() {
    let place = place();
    let raw = select(&place, &["--json", "raw.json"]);
    assert_eq!(raw.status, 0, "{raw:?}");
    assert!(raw.err.contains("if they are counts (of reads, for instance), pass `--normalize tmm`"), "{raw:?}");
    assert!(selected(&place, "raw.json").len() >= 15, "depth alone makes genes differ");
    let files = ["--json", "tmm.json", "--reduced", "small.csv", "--report", "tmm.html"];
    let run = select(&place, &[&["--normalize", "tmm"], &files[..]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    let page = place.read("tmm.html");
    assert!(page.contains("\"x\":\"log₂ fold change\"") && page.contains("\"value\":\"log₂ counts per million\""));
    let found = selected(&place, "tmm.json");
    assert!(DIFFERENT.iter().all(|gene| found.iter().any(|name| name == gene)), "{found:?}");
    assert!(found.len() <= DIFFERENT.len() + 1, "{found:?}");
    assert!(run.err.contains("TMM factors") && run.err.contains("features with too few counts left out"), "{run:?}");
    assert!(!run.err.contains("if they are counts"), "{run:?}");
    let small = place.read("small.csv");
    assert!(
        small.starts_with("sample,gene_5,gene_10,gene_21,gene_34,gene_42,") && small.contains("\ns1,169,112,"),
        "{small}"
    );
}

#[test]
fn without_a_least_count_every_feature_is_in_the_result() {
    let place = place();
    let features = |more: &[&str]| {
        let run = select(&place, &[&["--normalize", "logcpm", "--json", "r.json"], more].concat());
        assert_eq!(run.status, 0, "{run:?}");
        place.json("r.json")["features"].as_array().unwrap().len()
    };
    assert_eq!(features(&["--min-count", "0"]), 80);
    assert!(features(&[]) < 71);
    let kept = select(&place, &["--normalize", "tmm", "--keep", "gene_80", "--json", "r.json"]);
    assert_eq!(kept.status, 0, "{kept:?}");
    assert!(selected(&place, "r.json").contains(&"gene_80".to_string()));
}

#[test]
fn saying_that_features_are_no_counts_silences_the_note() {
    let run = select(&place(), &["--normalize", "none"]);
    assert!(run.status == 0 && !run.err.contains("counts"), "{run:?}");
}

/// Expects these bytes to be refused by every command that learns, with nothing written.
fn refused(text: &str, more: &[&str], says: &[&str]) {
    let commands: [&[&str]; 3] = [
        &["select", "counts.csv", "--json", "out.json", "--reduced", "small.csv"],
        &["fit", "counts.csv", "--model", "model.json", "--method", "dlda"],
        &["evaluate", "counts.csv", "--json", "out.json", "--method", "dlda", "--folds", "2"],
    ];
    for command in commands {
        let place = Place::new();
        place.write("counts.csv", text);
        let run = place.run(&[command, &["--target", "group", "--id", "sample"], more].concat());
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{run:?}");
        for said in says {
            assert!(run.err.contains(said), "`{said}` is not in: {}", run.err);
        }
        assert_eq!(place.files(), ["counts.csv"], "nothing is left behind");
    }
}

#[test]
fn what_is_no_count_is_refused_with_its_place() {
    let tmm = ["--normalize", "tmm"];
    refused(&with_cell(3, 2, "-4"), &tmm, &["row 3, column `gene_2`", "-4 is not a count", "--drop gene_2"]);
    refused(&with_cell(3, 2, "NA"), &tmm, &["row 3, column `gene_2`", "the count is missing"]);
    refused(&with_cell(3, 2, "inf"), &tmm, &["row 3", "`gene_2`", "infinite"]);
    let zeros = |line: &str| match line.strip_prefix("s4,") {
        Some(_) => format!("s4,{}control\n", "0,".repeat(80)),
        None => format!("{line}\n"),
    };
    refused(&COUNTS.lines().map(zeros).collect::<String>(), &tmm, &["row 4: the counts of all 80 features used are 0"]);
    let sexes = COUNTS.lines().enumerate().map(|(row, line)| match row {
        0 => format!("sex,{line}\n"),
        row => format!("{},{line}\n", ["f", "m"][row % 2]),
    });
    refused(&sexes.collect::<String>(), &tmm, &["categories are no counts: `sex`", "--drop sex"]);
}

#[test]
fn options_that_cannot_be_meant_are_refused() {
    refused(COUNTS, &["--min-count", "5"], &["--normalize"]);
    refused(COUNTS, &["--normalize", "none", "--min-count", "5"], &["`--min-count` has no effect"]);
    refused(COUNTS, &["--normalize", "tmm", "--min-count", "-1"], &["--min-count", "at least 0"]);
    refused(COUNTS, &["--normalize", "tmm", "--min-count", "1e9"], &["no feature has enough counts", "--min-count"]);
    refused(COUNTS, &["--normalize", "tpm"], &["tpm", "`logcpm`"]);
    let place = place();
    for more in [["--memory", "1K"], ["--memory", "2K"]] {
        let run = select(&place, &[&["--normalize", "tmm"], more.as_slice()].concat());
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.err.contains("library sizes need the whole table") && run.err.contains("--memory"), "{run:?}");
    }
    place.write("more.csv", COUNTS);
    let run = select(&place, &["more.csv", "--normalize", "tmm"]);
    assert!(run.status == 2 && run.err.contains("join the files into one"), "{run:?}");
}

#[test]
fn a_model_normalises_new_rows_with_what_it_learned() {
    let place = place();
    let fit = ["fit", "counts.csv", "--target", "group", "--id", "sample", "--normalize", "tmm"];
    let run = place.run(&[&fit[..], &["--method", "snbl", "--classifier", "dlda", "--model", "m.json"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.out.contains(" of 80 features kept") && DIFFERENT.iter().all(|gene| run.out.contains(gene)), "{run:?}");
    let all = place.run(&["predict", "counts.csv", "--model", "m.json", "--id", "sample"]);
    assert_eq!(all.status, 0, "{all:?}");
    // one row at a time, and columns in another order: the same probabilities
    let mut lines = COUNTS.lines();
    let head: String = lines.next().unwrap().rsplit(',').collect::<Vec<_>>().join(",");
    for (line, expected) in lines.zip(all.out.lines().skip(1)) {
        let row: String = line.rsplit(',').collect::<Vec<_>>().join(",");
        place.write("one.csv", format!("{head}\n{row}\n"));
        let one = place.run(&["predict", "one.csv", "--model", "m.json", "--id", "sample"]);
        assert_eq!(one.out.lines().nth(1), Some(expected), "{one:?}");
    }
    // a sample of three times the depth is judged alike, which raw counts do not allow
    let deep = COUNTS.lines().nth(2).unwrap().split(',').map(|cell| match cell.parse::<u32>() {
        Ok(count) => (3 * count).to_string(),
        Err(_) => cell.to_string(),
    });
    place.write("deep.csv", format!("{}\n{}\n", COUNTS.lines().next().unwrap(), deep.collect::<Vec<_>>().join(",")));
    let deep = place.run(&["predict", "deep.csv", "--model", "m.json", "--id", "sample"]);
    assert!(deep.out.lines().nth(1).unwrap().starts_with("s2,control,"), "{deep:?}");
    // columns that a library size needs must be there, and must be counts
    let less = place.run(&["predict", "one.csv", "--model", "m.json", "--id", "gene_1"]);
    assert!(less.status == 2 && less.err.contains("gene_1"), "{less:?}");
    place.write("wrong.csv", with_cell(3, 1, "-0.5"));
    let wrong = place.run(&["predict", "wrong.csv", "--model", "m.json", "--id", "sample", "--out", "p.csv"]);
    assert!(wrong.status == 2 && wrong.err.contains("row 3, column `gene_1`: -0.5 is not a count"), "{wrong:?}");
    assert!(!place.path("p.csv").exists());
    let mut damaged = place.json("m.json");
    damaged["counts"]["mean_library_size"] = (-1).into();
    place.write("damaged.json", damaged.to_string());
    let damaged = place.run(&["predict", "counts.csv", "--model", "damaged.json"]);
    assert!(damaged.status == 2 && damaged.err.contains("the model is damaged"), "{damaged:?}");
}

#[test]
fn folds_learn_from_their_training_rows() {
    let place = place();
    let evaluate =
        ["evaluate", "counts.csv", "--target", "group", "--id", "sample", "--folds", "loo", "--json", "e.json"];
    let run = place.run(&[&evaluate[..], &["--method", "snbl", "--method", "dlda", "--normalize", "tmm"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("counts are normalised (tmm) inside every fold"), "{run:?}");
    let evaluation = place.json("e.json");
    for run in evaluation["runs"].as_array().unwrap() {
        assert_eq!(run["summary"]["error"], 0.0, "{}", run["label"]);
    }
    // the positions are those of the file, whatever the folds left out
    let frequencies = &evaluation["runs"][0]["folds"][0]["selected"];
    for feature in [4, 9, 20, 33, 41] {
        assert!(frequencies.as_array().unwrap().contains(&feature.into()), "{frequencies}");
    }
}
