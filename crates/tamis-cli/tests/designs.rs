//! Covariates and blocks at the command line: what they change, and what is refused.

use crate::common::Place;

/// 24 rows of 30 features, with a target and columns to adjust for, good and bad.
fn place() -> Place {
    let place = Place::new();
    let mut text = String::from("label,batch,age,copy,gone,huge,patient,donor");
    (0..30).for_each(|j| text.push_str(&format!(",g{j}")));
    text.push('\n');
    for i in 0..24 {
        let label = if i % 2 == 0 { "a" } else { "b" };
        let age = 40.0 + f64::from(i * 7 % 11);
        let huge = if i == 3 { "inf".into() } else { i.to_string() };
        let copy = if i % 2 == 0 { "x" } else { "y" };
        let (batch, patient, donor) = (i / 5, i / 2, i % 8);
        text.push_str(&format!("{label},m{batch},{age},{copy},,{huge},p{patient},d{donor}"));
        for j in 0..30 {
            let noise = (f64::from(i * 31 + j * 17 + 5) * 0.77).sin();
            let effect = if j < 3 && i % 2 == 1 { 2.0 } else { 0.0 };
            text.push_str(&format!(",{:.4}", noise + effect + 0.1 * f64::from(batch) + 0.02 * age));
        }
        text.push('\n');
    }
    place.write("in.csv", &text);
    place
}

const ROLES: [&str; 14] = [
    "--drop", "gone", "--drop", "huge", "--drop", "copy", "--drop", "batch", "--drop", "age", "--drop", "patient",
    "--drop", "donor",
];

/// The options that leave out all other columns but these.
fn roles(but: &[&str]) -> Vec<&'static str> {
    ROLES.chunks(2).filter(|pair| !but.contains(&pair[1])).flatten().copied().collect()
}

fn scores(place: &Place, options: &[&str], but: &[&str]) -> Vec<f64> {
    let mut arguments = vec!["select", "in.csv", "--target", "label", "--json", "out.json"];
    arguments.extend(options);
    arguments.extend(roles(but));
    let run = place.run(&arguments);
    assert_eq!(run.status, 0, "{run:?}");
    let json = place.json("out.json");
    json["features"].as_array().unwrap().iter().map(|f| f["score"].as_f64().unwrap()).collect()
}

#[test]
fn every_option_of_a_design_changes_the_scores() {
    let place = place();
    let plain = scores(&place, &[], &[]);
    let batch = scores(&place, &["--covariate", "batch"], &["batch"]);
    let both = scores(&place, &["--covariate", "batch", "--covariate", "age"], &["batch", "age"]);
    let pairs = scores(&place, &["--block", "patient"], &["patient"]);
    let least = scores(&place, &["--min-difference", "0.5"], &[]);
    let trend = scores(&place, &["--set", "trend=true"], &[]);
    let factors = scores(&place, &["--set", "factors=2"], &[]);
    let all = [&plain, &batch, &both, &pairs, &least, &trend, &factors];
    for (at, a) in all.iter().enumerate() {
        for b in &all[..at] {
            assert_ne!(a, b);
        }
    }
    assert_eq!(scores(&place, &["--group", "patient"], &["patient"]), pairs, "`--group` means `--block`");
}

#[test]
fn blocks_of_one_class_are_averaged() {
    let place = place();
    let arguments = ["select", "in.csv", "--target", "label", "--block", "donor", "--json", "out.json"];
    let run = place.run(&[&arguments[..], &roles(&["donor"])].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("24 rows of 8 blocks (`donor`) are averaged and used as 8 samples"), "{run:?}");
    let design = &place.json("out.json")["design"];
    assert_eq!(design["rows_used"], 8);
    assert_eq!(design["blocks"], "donor");
    assert!(design["prior_var"].as_f64().unwrap() > 0.0);
}

/// Cells of six donors under two conditions; donors differ, also in how they respond.
fn cells() -> String {
    let wave = |i: usize, j: usize| ((i * 37 + j * 101 + i * j * 7) as f64 * 0.61).sin();
    let mut text = String::from("donor,condition,both");
    (0..30).for_each(|j| text.push_str(&format!(",g{j}")));
    for i in 0..72_usize {
        let (donor, condition) = (i / 12, i % 2);
        text.push_str(&format!("\nd{donor},{},d{donor}-{condition}", ["rest", "stimulated"][condition]));
        for j in 0..30 {
            let shift = 2.0 * wave(donor, j) + wave(100 + 2 * donor + condition, j);
            let effect = if j < 3 { 4.0 * condition as f64 } else { 0.0 };
            text.push_str(&format!(",{:.4}", wave(1000 + i, j) + shift + effect));
        }
    }
    text + "\n"
}

#[test]
fn many_rows_of_a_block_and_class_are_averaged_and_blocks_stay() {
    let place = Place::new();
    place.write("cells.csv", cells());
    let select = |options: &[&str], out: &str| {
        let fixed = ["select", "cells.csv", "--target", "condition", "--json", out];
        let run = place.run(&[&fixed[..], options].concat());
        assert_eq!(run.status, 0, "{run:?}");
        (run.err, place.json(out))
    };
    let (told, by_donor) = select(&["--block", "donor", "--drop", "both"], "donor.json");
    let words = "72 rows of 12 combinations of `donor` and `condition` are averaged and used as 12 samples";
    assert!(told.contains(words) && told.contains("give `donor` as a covariate instead"), "{told}");
    assert_eq!(by_donor["design"]["rows_used"], 12);
    let (_, by_both) = select(&["--block", "both", "--covariate", "donor"], "both.json");
    let (_, by_row) = select(&["--covariate", "donor", "--drop", "both"], "row.json");
    let score = |result: &serde_json::Value, at: usize| result["features"][at]["score"].as_f64().unwrap();
    for at in 0..30 {
        assert!((score(&by_donor, at) - score(&by_both, at)).abs() < 1e-9, "{at}");
        assert!(score(&by_row, at).abs() > score(&by_donor, at).abs() * 0.5);
    }
    assert!((0..30).any(|at| (score(&by_row, at) - score(&by_donor, at)).abs() > 1.0));
}

#[test]
fn the_table_of_features_has_means_and_differences() {
    let place = place();
    let arguments = ["select", "in.csv", "--target", "label", "--covariate", "batch", "--csv", "features.tsv"];
    let run = place.run(&[&arguments[..], &roles(&["batch"])].concat());
    assert_eq!(run.status, 0, "{run:?}");
    let text = place.read("features.tsv");
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 31);
    assert_eq!(lines[0][..6], ["rank", "name", "selected", "n", "mean_a", "mean_b"]);
    let number = |line: &[&str], name: &str| -> f64 {
        line[lines[0].iter().position(|head| *head == name).unwrap()].parse().unwrap()
    };
    // R and pandas read these as truth values, and `true` as text
    let flags: Vec<&str> = lines[1..].iter().map(|line| line[2]).collect();
    assert!(flags.contains(&"TRUE") && flags.contains(&"FALSE"), "{flags:?}");
    assert!(flags.iter().all(|flag| ["TRUE", "FALSE"].contains(flag)), "{flags:?}");
    for line in &lines[1..] {
        let (low, middle, high) =
            (number(line, "difference_low"), number(line, "difference"), number(line, "difference_high"));
        assert!(low < middle && middle < high, "{line:?}");
        assert!((0.0..=1.0).contains(&number(line, "p_value")) && (0.0..=1.0).contains(&number(line, "lfsr")));
        assert_eq!(number(line, "n"), 24.0);
    }
    let to_stdout = ["select", "in.csv", "--target", "label", "--covariate", "batch", "--csv", "-", "--quiet"];
    let run = place.run(&[&to_stdout[..], &roles(&["batch"])].concat());
    assert_eq!(run.out, text.replace('\t', ","));
    let twice = ["select", "in.csv", "--target", "label", "--csv", "-", "--json", "-"];
    assert_eq!(place.run(&[&twice[..], &roles(&[])].concat()).status, 2);
}

#[test]
fn designs_that_cannot_be_used_are_refused() {
    let place = place();
    let refused = |options: &[&str], but: &[&str], words: &[&str]| {
        let mut arguments = vec!["select", "in.csv", "--target", "label", "--json", "refused.json"];
        arguments.extend(options);
        arguments.extend(roles(but));
        let run = place.run(&arguments);
        assert_eq!(run.status, 2, "{run:?}");
        assert!(words.iter().all(|word| run.err.contains(word)), "{words:?}: {}", run.err);
        assert!(!place.path("refused.json").exists());
    };
    refused(&["--covariate", "copy"], &["copy"], &["`copy` determines the target", "--covariate"]);
    refused(&["--covariate", "gone"], &["gone"], &["gone", "missing in every row"]);
    refused(&["--covariate", "huge"], &["huge"], &["huge", "infinite"]);
    refused(&["--covariate", "nowhere"], &[], &["nowhere"]);
    refused(&["--covariate", "batch", "--covariate", "batch"], &["batch"], &["batch", "once"]);
    refused(&["--covariate", "batch", "--method", "npfs"], &["batch"], &["npfs", "--method snbl"]);
    refused(&["--block", "patient", "--method", "jmi"], &["patient"], &["jmi", "--method snbl"]);
    refused(&["--block", "patient", "--set", "score=welch"], &["patient"], &["welch", "score=moderated"]);
    refused(&["--covariate", "age", "--set", "score=mann-whitney"], &["age"], &["mann-whitney", "score=moderated"]);
    refused(
        &["--block", "donor", "--covariate", "batch"],
        &["donor", "batch"],
        &["batch", "several values in the block"],
    );
    refused(&["--min-difference", "-1"], &[], &["--min-difference", "at least 0"]);
    refused(&["--min-difference", "1", "--set", "score=welch"], &[], &["score=moderated"]);
    refused(&["--set", "trend=true", "--set", "score=pooled"], &[], &["trend", "score=moderated"]);
    refused(&["--set", "factors=many"], &[], &["factors"]);
    refused(&["--block", "patient", "--memory", "1K"], &["patient"], &["--block", "pieces", "--covariate"]);
    let by_ranks = ["--covariate", "age", "--memory", "1K", "--set", "score=kruskal"];
    refused(&by_ranks, &["age"], &["--covariate", "not adjusted"]);
    let partial = place.run(&["partial", "in.csv", "--target", "label", "--out", "new.part", "--block", "patient"]);
    assert_eq!(partial.status, 2, "{partial:?}");
    assert!(partial.err.contains("rows of a block") && partial.err.contains("--covariate"), "{partial:?}");
    assert!(!place.path("new.part").exists());
    refused(&["--set", "factors=2", "--memory", "1K"], &[], &["factors"]);
}

#[test]
fn as_many_covariates_as_rows_are_refused() {
    let place = Place::new();
    let mut text = String::from("label,a,b,c,d,x,y\n");
    for i in 0..6 {
        let square = (i * i) % 7;
        text.push_str(&format!(
            "{},{i},{square},{},{},{},{}\n",
            ["n", "p"][i % 2],
            i * i * i % 5,
            i * 3 % 4,
            i % 3,
            9 - i
        ));
    }
    place.write("small.csv", &text);
    let options = ["--covariate", "a", "--covariate", "b", "--covariate", "c", "--covariate", "d"];
    let run = place.run(&[&["select", "small.csv", "--target", "label"][..], &options].concat());
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains("6 rows for 6 coefficients") || run.err.contains("determine the target"), "{run:?}");
}

#[test]
fn rows_of_a_block_share_a_correlation_and_samples_are_weighted() {
    let place = place();
    let correlated = ["--block", "donor", "--block-model", "correlated"];
    let select = |options: &[&str], but: &[&str]| {
        let fixed = ["select", "in.csv", "--target", "label", "--json", "out.json", "--report", "out.html"];
        let run = place.run(&[&fixed[..], options, &roles(but)].concat());
        assert_eq!(run.status, 0, "{run:?}");
        (run, place.json("out.json")["design"].clone())
    };
    let (run, design) = select(&correlated, &["donor"]);
    assert!(run.err.contains("the correlation of rows of the same `donor` is"), "{run:?}");
    assert_eq!((design["rows_used"].as_u64(), design["block_correlation"].is_f64()), (Some(24), true));
    let (run, design) = select(&["--sample-weights", "auto"], &[]);
    assert_eq!(design["sample_weights"].as_array().unwrap().len(), 24);
    assert_eq!(design["sample_weights"][6]["sample"], "row 7");
    assert!(run.out.contains("samples weighted from"), "{run:?}");
    assert!(place.read("out.html").contains("Weights of samples"));
    let refused: [(&[&str], &str); 5] = [
        (&["--block-model", "correlated"], "there are no blocks: pass `--block`"),
        (&["--block-model", "sometimes", "--block", "donor"], "correlated"),
        (&["--sample-weights", "all"], "auto"),
        (&["--sample-weights", "auto", "--weight", "age"], "rows have weights already"),
        (&["--block-model", "fixed", "--block", "donor"], "the blocks of `donor` determine the target"),
    ];
    for (options, said) in refused {
        let but: Vec<&str> = options.iter().copied().filter(|word| ["donor", "age"].contains(word)).collect();
        let run = place.run(&[&["select", "in.csv", "--target", "label"][..], options, &roles(&but)].concat());
        assert!(run.status == 2 && run.err.contains(said), "{run:?}");
    }
}

#[test]
fn a_sample_that_disagrees_is_named() {
    let place = Place::new();
    let table = |noisy: usize| {
        let mut text = String::from("sample,group");
        (0..60).for_each(|j| text.push_str(&format!(",g{j}")));
        for i in 0..16_usize {
            text.push_str(&format!("\nS{},{}", i + 1, ["a", "b"][i % 2]));
            for j in 0..60 {
                let noise = ((i * 37 + j * 101 + i * j * 7) as f64 * 0.61).sin();
                let effect = if j < 6 { 1.2 * (i % 2) as f64 } else { 0.0 };
                text.push_str(&format!(",{:.4}", effect + noise * if i == noisy { 6.0 } else { 1.0 }));
            }
        }
        text + "\n"
    };
    place.write("even.csv", table(99));
    place.write("noisy.csv", table(6));
    let select = |file: &str, options: &[&str]| {
        let run = place.run(&[&["select", file, "--target", "group", "--id", "sample"][..], options].concat());
        assert_eq!(run.status, 0, "{run:?}");
        run.err
    };
    assert!(!select("even.csv", &[]).contains("disagree"));
    let told = select("noisy.csv", &[]);
    assert!(told.contains("`S7` disagrees with the others: with weights"), "{told}");
    assert!(told.contains("`--set sample_weights=auto`"), "{told}");
    let told = select("noisy.csv", &["--sample-weights", "auto"]);
    assert!(told.contains("1 sample weighs less than a third: `S7`") && !told.contains("disagrees"), "{told}");
}
