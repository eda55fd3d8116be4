//! No option is accepted and ignored: each of every command changes something, or is refused.

use crate::common::Place;
use std::collections::BTreeMap;

/// 30 rows: names, two classes, three stages, an age, a site, pairs, weights, events, and 24 features with a gap.
fn table(mark: char, delimiter: char) -> String {
    let head = ["who", "y", "stage", "age", "site", "pair", "w", "died"].map(String::from);
    let genes = (0..24).map(|j| format!("g{j}"));
    let mut lines = vec![head.into_iter().chain(genes).collect::<Vec<_>>()];
    for i in 0..30_usize {
        let mut cells = vec![
            format!("r{i}"),
            ["a", "b"][i % 2].into(),
            ["early", "late", "middle"][i % 3].into(),
            (40 + i * 7 % 11).to_string(),
            ["north", "south"][i / 15].into(),
            format!("p{}", i / 2),
            (1 + i % 3).to_string(),
            usize::from(i % 4 > 0).to_string(),
        ];
        for j in 0..24 {
            let noise = ((i * 31 + j * 17 + 5) as f64 * 0.77).sin();
            let effect = match j {
                0 | 1 => 2.0 * (i % 2) as f64,
                2 => 1.5 * (i % 2) as f64 + 4.0 * (i / 2 * 5 % 7) as f64, // seen within pairs alone
                _ => 0.0,
            };
            let text = match (i, j) {
                (4, 1) => String::new(),
                (5, 0) => "-1".into(),
                _ => format!("{:.3}", noise + effect),
            };
            cells.push(text.replace('.', &mark.to_string()));
        }
        lines.push(cells);
    }
    let text: Vec<String> = lines.iter().map(|cells| cells.join(&delimiter.to_string())).collect();
    text.join("\n") + "\n"
}

/// The table with two more features, whose exclusive or is the class.
fn exclusive_or(table: &str) -> String {
    let more = |(i, line): (usize, &str)| match i {
        0 => format!("{line},left,right\n"),
        _ => format!("{line},{},{}\n", i / 2 % 2, usize::from((i - 1) % 2 == i / 2 % 2)),
    };
    table.lines().enumerate().map(more).collect()
}

fn place() -> Place {
    let place = Place::new();
    let plain = table('.', ',');
    place.write("in.csv", &plain);
    place.write("commas.csv", table(',', ';'));
    let cells: Vec<Vec<&str>> = plain.lines().map(|line| line.split(',').collect()).collect();
    let rows = |wanted: &dyn Fn(usize) -> bool, across: bool| -> String {
        let columns: Vec<usize> = (0..cells[0].len()).filter(|at| wanted(*at)).collect();
        let line = |cells: Vec<&str>| cells.join(",") + "\n";
        match across {
            false => cells.iter().map(|row| line(columns.iter().map(|at| row[*at]).collect())).collect(),
            true => columns.iter().map(|at| line(cells.iter().map(|row| row[*at]).collect())).collect(),
        }
    };
    place.write("genes.csv", rows(&|at| at == 0 || at > 7, true));
    let mut samples = rows(&|at| at < 8, false);
    samples = samples.lines().map(|line| format!("x{line},{}\n", line.split(',').next().unwrap())).collect();
    place.write("samples.csv", samples.replacen("xwho", "first", 1).replacen(",who\n", ",name\n", 1));
    let counts: String = plain
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let cells: Vec<&str> = line.split(',').collect();
            let counted = |(j, cell): (usize, &&str)| match (i, j) {
                (0, _) | (_, 0..8) => cell.to_string(),
                (_, 8) => (4 * ((i - 1) % 2) + i * 37 % 3).to_string(), // few counts, of which one class has more
                _ => ((i * 37 + j * 91) % if j < 12 { 9 } else { 400 }).to_string(),
            };
            cells.iter().enumerate().map(counted).collect::<Vec<_>>().join(",") + "\n"
        })
        .collect();
    place.write("counts.csv", counts);
    place.write("xor.csv", exclusive_or(&plain));
    let z = |i: usize| match i {
        7 => 9.0,
        8 => f64::NAN,
        _ => ((i as f64) * 2.399).sin() * 1.9 + if i < 6 { 6.0 } else { 0.0 },
    };
    let stats: String =
        (0..80).map(|i| format!("g{i},{},{},0.5,0.{:02},9,{}\n", z(i), z(i), 1 + i % 97, -z(i))).collect();
    place.write("stats.csv", format!("gene,z,beta,se,p,nu,other\n{stats}"));
    place.write(
        "runs.csv",
        (0..12).fold("a,b,c,d\n".to_string(), |text, i| text + &format!("1,{},0,{}\n", i % 2, i % 3 / 2)),
    );
    place.write("groups.csv", "g0,first\ng1,first\ng2,second\n");
    place.write("splits.json", r#"{"splits": [{"train": [0,1,2,3,4,5,6,7,8,9,10,11], "test": [12,13,14,15]}]}"#);
    for arguments in [
        &["fit", "in.csv", "--model", "m.json", "--method", "dlda", "--target", "y"][..],
        &["fit", "in.csv", "--model", "other.json", "--method", "lda", "--target", "y"],
        &["select", "in.csv", "--target", "y", "--json", "r.json"],
        &["partial", "in.csv", "--target", "y", "--out", "p.part"],
        &["profile", "in.csv", "--target", "y", "--out", "p.profile"],
    ] {
        let run = place.run(&[arguments, if arguments[0] == "none" { &[][..] } else { &OTHERS }].concat());
        assert_eq!(run.status, 0, "{run:?}");
    }
    place
}

/// Columns that are no features.
const OTHERS: [&str; 14] = [
    "--drop", "stage", "--drop", "age", "--drop", "site", "--drop", "pair", "--drop", "w", "--drop", "died", "--drop",
    "who",
];

/// Options that change nothing that can be seen here, and why that is right.
const UNSEEN: [(&str, &str); 5] = [
    ("threads", "the same bits on any number of threads"),
    ("quiet", "seen where there are notes, and tested there"),
    ("memory", "the same answer in pieces"),
    ("max-expanded", "a limit that small files do not reach"),
    ("help", ""),
];

/// A command, the arguments it is given at least, and for every option an example of its use; `-who` among these takes a
/// column out of the columns that are dropped.
type Examples = (&'static str, &'static [&'static str], &'static [(&'static str, &'static [&'static str])]);

const LAYOUT: [(&str, &[&str]); 10] = [
    ("positive", &["--positive", "a"]),
    ("reference", &["--reference", "b"]),
    ("id", &["-who", "--id", "who"]),
    ("drop", &["--drop", "g0"]),
    ("transpose", &["--transpose"]),
    ("samples", &["--samples", "samples.csv"]),
    ("sample-id", &["--samples", "samples.csv", "--sample-id", "name"]),
    ("missing", &["--missing", "-1"]),
    ("no-missing", &["--no-missing"]),
    ("sheet", &["--sheet", "x"]),
];
const READING: [(&str, &[&str]); 3] =
    [("format", &["--format", "arff"]), ("delimiter", &["--delimiter", ";"]), ("decimal", &["--decimal", ","])];

const COMMANDS: [Examples; 17] = [
    (
        "select",
        &["in.csv", "--target", "y"],
        &[
            ("method", &["--method", "mim"]),
            ("set", &["--set", "score=pooled"]),
            ("fdr", &["--fdr", "0.4"]),
            ("permutations", &["--permutations", "120"]),
            ("min-difference", &["--min-difference", "0.5"]),
            ("target", &["-stage", "--target", "stage", "--drop", "y"]),
            ("event", &["-died", "--event", "died"]),
            ("contrast", &["--contrast", "b,a"]),
            ("task", &["--task", "real"]),
            ("weight", &["-w", "--weight", "w"]),
            ("weight-kind", &["-w", "--weight", "w", "--weight-kind", "frequency"]),
            ("formula", &["-age", "--formula", "~ y + age"]),
            ("test", &["--test", "y"]),
            ("covariate", &["-age", "--covariate", "age"]),
            ("block", &["-pair", "--block", "pair"]),
            ("block-model", &["-pair", "--block", "pair", "--block-model", "correlated"]),
            ("sample-weights", &["--sample-weights", "auto"]),
            ("group", &["-pair", "--group", "pair"]),
            ("keep", &["--keep", "g9"]),
            ("feature-groups", &["--feature-groups", "groups.csv"]),
            ("groups-csv", &["--feature-groups", "groups.csv", "--groups-csv", "sets.csv"]),
            ("normalize", &["--normalize", "tmm"]),
            ("min-count", &["--min-count", "3"]),
            ("no-second-look", &["--no-second-look"]),
            ("no-needed", &["--no-needed"]),
            ("result", &["--result", "r.json", "--reduced", "few.csv"]),
            ("reduced", &["--reduced", "few.csv"]),
            ("json", &["--json", "new.json"]),
            ("report", &["--report", "new.html"]),
            ("csv", &["--csv", "new.csv"]),
            ("seed", &["--seed", "5"]),
        ],
    ),
    (
        "describe",
        &["in.csv", "--target", "y"],
        &[
            ("target", &["-stage", "--target", "stage", "--drop", "y"]),
            ("event", &["-died", "--event", "died"]),
            ("task", &["--task", "real"]),
            ("weight", &["-w", "--weight", "w"]),
            ("weight-kind", &["-w", "--weight", "w", "--weight-kind", "frequency"]),
            ("covariate", &["-age", "--covariate", "age"]),
            ("block", &["-pair", "--block", "pair"]),
            ("group", &["-pair", "--group", "pair"]),
            ("json", &["--json", "new.json"]),
        ],
    ),
    (
        "fit",
        &["in.csv", "--target", "y", "--model", "new.json", "--method", "snbl"],
        &[
            ("model", &["--model", "newer.json"]),
            ("method", &["--method", "f"]),
            ("classifier", &["--classifier", "lda"]),
            ("set", &["--set", "snbl.score=pooled"]),
            ("calibrate", &["--calibrate", "platt"]),
            ("feature-groups", &["--feature-groups", "groups.csv"]),
            ("target", &["-stage", "--target", "stage", "--drop", "y"]),
            ("covariate", &["-age", "--covariate", "age"]),
            ("block", &["-pair", "--block", "pair"]),
            ("normalize", &["--normalize", "tmm"]),
            ("min-count", &["--min-count", "3"]),
            ("seed", &["--seed", "5"]),
        ],
    ),
    (
        "evaluate",
        &["in.csv", "--target", "y", "--method", "snbl", "--method", "dlda", "--folds", "3", "--json", "new.json"],
        &[
            ("method", &["--method", "cart"]),
            ("classifier", &["--classifier", "lda"]),
            ("set", &["--set", "snbl.score=pooled"]),
            ("tune", &["--tune", "dlda.prior=none,auto"]),
            ("calibrate", &["--calibrate", "isotonic"]),
            ("feature-groups", &["--feature-groups", "groups.csv"]),
            ("folds", &["--folds", "4"]),
            ("repeats", &["--repeats", "2"]),
            ("splits", &["--splits", "splits.json"]),
            ("group", &["-site", "--group", "site"]),
            ("target", &["-stage", "--target", "stage", "--drop", "y"]),
            ("covariate", &["-age", "--covariate", "age"]),
            ("block", &["-pair", "--block", "pair"]),
            ("normalize", &["--normalize", "tmm"]),
            ("min-count", &["--min-count", "3"]),
            ("csv", &["--csv", "new.csv"]),
            ("json", &["--json", "newer.json"]),
            ("report", &["--report", "new.html"]),
            ("seed", &["--seed", "5"]),
        ],
    ),
    (
        "predict",
        &["in.csv", "--model", "m.json"],
        &[("model", &["--model", "other.json"]), ("out", &["--out", "new.csv"]), ("id", &["--id", "who"])],
    ),
    (
        "shrink",
        &["stats.csv"],
        &[
            ("column", &["--column", "z"]),
            ("beta", &["--beta", "beta", "--se", "se"]),
            ("se", &["--beta", "beta", "--se", "nu"]),
            ("pvalue", &["--pvalue", "p"]),
            ("sign", &["--pvalue", "p", "--sign", "other"]),
            ("df", &["--df", "nu"]),
            ("id", &["--id", "p"]),
            ("set", &["--set", "prior=normal"]),
            ("fdr", &["--fdr", "0.4"]),
            ("missing", &["--missing", "9"]),
            ("no-missing", &["--no-missing"]),
            ("sheet", &["--sheet", "x"]),
            ("json", &["--json", "new.json"]),
            ("report", &["--report", "new.html"]),
            ("csv", &["--csv", "new.csv"]),
            ("seed", &["--seed", "5"]),
        ],
    ),
    (
        "npfs-decide",
        &["runs.csv"],
        &[
            ("set", &["--set", "alpha=0.4"]),
            ("id", &["--id", "a"]),
            ("drop", &["--drop", "b"]),
            ("missing", &["--missing", "1"]),
            ("no-missing", &["--no-missing"]),
            ("sheet", &["--sheet", "x"]),
            ("json", &["--json", "new.json"]),
            ("report", &["--report", "new.html"]),
            ("csv", &["--csv", "new.csv"]),
            ("seed", &["--seed", "5"]),
        ],
    ),
    (
        "partial",
        &["in.csv", "--target", "y", "--out", "new.part"],
        &[
            ("out", &["--out", "newer.part"]),
            ("profile", &["--profile", "p.profile"]),
            ("set", &["--set", "score=pooled"]),
            ("target", &["-stage", "--target", "stage", "--drop", "y"]),
            ("task", &["--task", "classes"]),
            ("weight", &["-w", "--weight", "w"]),
            ("weight-kind", &["-w", "--weight", "w", "--weight-kind", "frequency"]),
            ("covariate", &["-age", "--covariate", "age"]),
            ("block", &["-pair", "--block", "pair"]),
            ("seed", &["--seed", "5"]),
        ],
    ),
    (
        "profile",
        &["in.csv", "--target", "y", "--out", "new.profile"],
        &[
            ("out", &["--out", "newer.profile"]),
            ("missing", &["--missing", "b"]), // of features nothing but their names is read
            ("set", &["--set", "score=pooled"]),
            ("target", &["-stage", "--target", "stage", "--drop", "y"]),
            ("task", &["--task", "classes"]),
            ("weight", &["-w", "--weight", "w"]),
            ("weight-kind", &["-w", "--weight", "w", "--weight-kind", "frequency"]),
            ("covariate", &["-age", "--covariate", "age"]),
            ("seed", &["--seed", "5"]),
        ],
    ),
    (
        "merge",
        &["p.part"],
        &[
            ("set", &["--set", "score=pooled"]),
            ("fdr", &["--fdr", "0.4"]),
            ("keep", &["--keep", "g9"]),
            ("json", &["--json", "new.json"]),
            ("report", &["--report", "new.html"]),
            ("csv", &["--csv", "new.csv"]),
        ],
    ),
    ("report", &["r.json"], &[("out", &["--out", "new.html"])]),
    ("methods", &["snbl"], &[("json", &["--json"])]),
    ("schema", &["result"], &[]),
    ("completions", &["bash"], &[]),
    ("man", &[], &[("out", &["--out", "pages"])]),
    (
        "simulate",
        &["two-groups", "--out", "new.csv"],
        &[("out", &["--out", "newer.csv"]), ("set", &["--set", "rows=30"]), ("seed", &["--seed", "5"])],
    ),
    ("demo", &["--out", "shown"], &[("out", &["--out", "shown2"]), ("seed", &["--seed", "5"])]),
];

/// What a run leaves behind: its status, its words without times, and every file.
fn traces(place: &Place, arguments: &[&str]) -> (i32, String, BTreeMap<String, Vec<u8>>) {
    let before = place.files();
    let run = place.run(arguments);
    let timeless = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let timed =
            |at: usize| words.get(at + 1).is_some_and(|next| next.starts_with("s,") || *next == "s" || *next == "MB");
        words.iter().enumerate().filter(|(at, _)| !timed(*at)).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    };
    let mut files = BTreeMap::new();
    for name in place.files().into_iter().filter(|name| !before.contains(name)) {
        let path = place.path(&name);
        if path.is_file() {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            let timeless = text.split(',').filter(|part| !part.contains("seconds") && !part.contains("peak_bytes"));
            files.insert(name.clone(), timeless.collect::<Vec<_>>().join(",").into_bytes());
            std::fs::remove_file(&path).unwrap();
        } else {
            files.insert(name.clone(), vec![]);
            std::fs::remove_dir_all(&path).unwrap();
        }
    }
    (run.status, timeless(&run.out) + &timeless(&run.err), files)
}

/// The options that a command's help lists.
fn listed(place: &Place, command: &str) -> Vec<String> {
    let help = place.run(&[command, "--help"]).out;
    let option = |line: &str| {
        let line = line.trim_start();
        let long = line
            .strip_prefix("--")
            .or_else(|| line.split_once(", --").filter(|(a, _)| a.len() == 2).map(|(_, b)| b))?;
        Some(long.split([' ', '=']).next()?.to_string())
    };
    help.lines().filter(|line| line.trim_start().starts_with('-')).filter_map(option).collect()
}

#[test]
fn every_option_of_every_command_changes_something_or_is_refused() {
    let place = place();
    let mut checked = 0;
    for (command, least, examples) in COMMANDS {
        let reads_table = matches!(command, "select" | "describe" | "fit" | "evaluate" | "partial" | "profile");
        let mut all: Vec<(&str, &[&str])> = examples.to_vec();
        if reads_table || command == "predict" {
            all.extend(
                LAYOUT.iter().filter(|(name, _)| all.iter().all(|(own, _)| own != name)).copied().collect::<Vec<_>>(),
            );
        }
        if !matches!(command, "merge" | "report" | "simulate" | "demo") {
            all.extend(READING);
        }
        all.push(("verbose", &["--verbose"]));
        all.push(("provenance", &["--provenance", "full"])); // refused without a result that could hold it
        for option in listed(&place, command) {
            if UNSEEN.iter().any(|(name, _)| *name == option) {
                continue;
            }
            // a gap among choices is refused in any case; a profile reads no numbers here, and no cell that is missing
            let unseen_here = [("npfs-decide", "no-missing"), ("profile", "no-missing"), ("profile", "decimal")];
            if unseen_here.contains(&(command, option.as_str())) {
                continue;
            }
            let Some((_, example)) = all.iter().find(|(name, _)| *name == option) else {
                panic!("`tamis {command} --{option}` has no example here");
            };
            // what the example needs beside the option itself stands in both runs
            let others = |but: Option<&str>| -> Vec<&str> {
                let kept = OTHERS.chunks(2).filter(|pair| Some(pair[1]) != but);
                if reads_table { kept.flatten().copied().collect() } else { vec![] }
            };
            let taken = example.first().and_then(|word| word.strip_prefix('-')).filter(|word| !word.starts_with('-'));
            let given: Vec<&str> = example.iter().skip(usize::from(taken.is_some())).copied().collect();
            // a column that names rows is left out as a dropped one is: compare it with a feature
            let beside = taken.filter(|_| option == "id");
            let mut without: Vec<&str> = [&[command], least, &others(beside)[..]].concat();
            let mut with: Vec<&str> = [&[command], least, &others(taken)[..]].concat();
            if command == "shrink" && !matches!(option.as_str(), "column" | "beta" | "se" | "pvalue" | "sign") {
                without.extend(["--column", "z"]);
                with.extend(["--column", "z"]);
            }
            if option == "min-count" {
                without.extend(["--normalize", "tmm"]);
                with.extend(["--normalize", "tmm"]);
            }
            if option == "sample-id" {
                if matches!(command, "partial" | "profile") {
                    continue; // it refuses `--samples`, without which this is no option
                }
                for arguments in [&mut without, &mut with] {
                    arguments.retain(|word| !OTHERS.contains(word));
                    arguments.iter_mut().filter(|word| **word == "in.csv").for_each(|word| *word = "genes.csv");
                    arguments.extend(["--transpose", "--samples", "samples.csv"]);
                }
            }
            if matches!(option.as_str(), "normalize" | "min-count") {
                without
                    .iter_mut()
                    .chain(&mut with)
                    .filter(|word| **word == "in.csv")
                    .for_each(|word| *word = "counts.csv");
            }
            if option == "no-second-look" {
                [&mut without, &mut with].iter_mut().for_each(|words| words[1] = "xor.csv");
            }
            if option == "decimal" && reads_table {
                without
                    .iter_mut()
                    .chain(&mut with)
                    .filter(|word| **word == "in.csv")
                    .for_each(|word| *word = "commas.csv");
            }
            replace(&mut with, &given, command == "evaluate");
            let (plain, changed) = (traces(&place, &without), traces(&place, &with));
            assert_ne!(plain, changed, "`{}` is as without `--{option}`", with.join(" "));
            assert!(changed.0 == 0 || changed.0 == 2, "{}: {changed:?}", with.join(" "));
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked}");
}

/// Appends options, in place of those that are given already and may be given once.
fn replace<'a>(arguments: &mut Vec<&'a str>, given: &[&'a str], several_methods: bool) {
    let repeatable = |word: &str| matches!(word, "--drop" | "--keep") || (several_methods && word == "--method");
    for option in given.iter().filter(|word| word.starts_with("--") && !repeatable(word)) {
        if let Some(at) = arguments.iter().position(|word| word == option) {
            arguments.drain(at..(at + 2).min(arguments.len()));
        }
    }
    arguments.extend(given);
}
