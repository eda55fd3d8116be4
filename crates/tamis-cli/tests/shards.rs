//! Tables in pieces: several files, `--memory`, `partial` and `merge`.

use crate::common::{Place, small_table};

/// Rows of the small table from `from` to `to`, with the header.
fn shard(from: usize, to: usize) -> String {
    let text = small_table(",", "\n");
    let lines: Vec<&str> = text.lines().collect();
    let mut kept = vec![lines[0]];
    kept.extend(&lines[1 + from..1 + to]);
    kept.join("\n") + "\n"
}

/// The table with its columns backwards.
fn backwards(text: &str) -> String {
    text.lines().map(|line| line.split(',').rev().collect::<Vec<_>>().join(",") + "\n").collect()
}

fn whole() -> Place {
    let place = Place::new();
    place.write("whole.csv", small_table(",", "\n"));
    place.write("s1.csv", shard(0, 9));
    place.write("s2.csv", shard(9, 10));
    place.write("s3.csv", backwards(&shard(10, 24)));
    place.write("empty.csv", shard(0, 0));
    place
}

/// The answer for the whole table, with features taken as independent as they are in shards.
const WHOLE: [&str; 8] = ["select", "whole.csv", "--target", "label", "--json", "whole.json", "--permutations", "0"];

/// Scores agree to 1e-11, what is selected exactly.
fn same(a: &serde_json::Value, b: &serde_json::Value) {
    let by_name = |v: &serde_json::Value| {
        let mut features = v["features"].as_array().unwrap().clone();
        features.sort_by_key(|f| f["name"].as_str().unwrap().to_string());
        features
    };
    for (a, b) in by_name(a).iter().zip(by_name(b)) {
        assert_eq!(a["name"], b["name"]);
        assert_eq!(a["selected"], b["selected"]);
        let (x, y) = (a["score"].as_f64().unwrap(), b["score"].as_f64().unwrap());
        assert!((x - y).abs() <= 1e-11 * y.abs(), "{x} and {y}");
    }
    for key in ["rows", "features", "target", "classes", "positive"] {
        assert_eq!(a["input"][key], b["input"][key], "{key}");
    }
    assert_eq!(a["n_selected"], b["n_selected"]);
    assert_eq!(a["method"], b["method"]);
}

#[test]
fn shards_merge_to_the_answer_of_the_whole_in_any_order() {
    let place = whole();
    assert_eq!(place.run(&WHOLE).status, 0);
    for name in ["s1", "s2", "s3", "empty"] {
        let (file, part) = (format!("{name}.csv"), format!("{name}.part"));
        let run = place.run(&["partial", &file, "--target", "label", "--out", &part]);
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.out.contains(&format!("wrote {part}")), "{run:?}");
    }
    let merged = place.run(&["merge", "s1.part", "s2.part", "s3.part", "empty.part", "--json", "a.json"]);
    assert_eq!(merged.status, 0, "{merged:?}");
    assert!(merged.out.contains("24 rows, 8 features; `label`: no (12), yes (12, positive)"), "{merged:?}");
    assert!(merged.out.contains("target `label` is treated as classes, since it is text"), "{merged:?}");
    assert!(merged.err.contains("near-copies"), "{merged:?}");
    same(&place.json("a.json"), &place.json("whole.json"));
    assert_eq!(place.run(&["merge", "s3.part", "empty.part", "s1.part", "s2.part", "--json", "b.json"]).status, 0);
    assert_eq!(place.run(&["merge", "*.part", "--json", "c.json"]).status, 0);
    for other in ["b.json", "c.json"] {
        assert_eq!(place.json(other)["features"], place.json("a.json")["features"], "identical bits");
    }
    let run =
        place.run(&["merge", "*.part", "--set", "prior=kde", "--set", "score=pooled", "--json", "-", "--keep", "h"]);
    assert_eq!(run.status, 0, "{run:?}");
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["method"]["prior"], "kde");
    assert_eq!(json["method"]["score"], "pooled");
    assert_eq!(json["features"].as_array().unwrap().iter().find(|f| f["name"] == "h").unwrap()["selected"], true);
    assert_eq!(place.run(&["merge", "*.part", "--report", "r.html"]).status, 0);
    assert!(place.read("r.html").starts_with("<!"));
}

#[test]
fn shards_are_adjusted_for_covariates_as_the_whole_table_is() {
    let place = Place::new();
    let names: Vec<String> = (0..25).map(|j| format!("g{j}")).collect();
    let row = |i: usize| {
        let batch = ["one", "two", "three"][i * 5 % 3];
        let label = ["ill", "well"][usize::from((i * 7) % 10 < 4 + usize::from(batch == "two") * 3)];
        let noise = |j: usize| ((i * 37 + j * 11 + 3) as f64 * 0.61).sin() + ((i * j) as f64 * 1.7).cos();
        let shift = |j: usize| if batch == "two" { 2.0 } else { 0.0 } + if label == "ill" && j < 3 { 2.5 } else { 0.0 };
        let cells: Vec<String> = (0..25).map(|j| format!("{:.4}", noise(j) + shift(j))).collect();
        format!("{batch},{label},{}\n", cells.join(","))
    };
    let file = |from: usize, to: usize| {
        format!("batch,label,{}\n{}", names.join(","), (from..to).map(row).collect::<String>())
    };
    place.write("whole.csv", file(0, 60));
    place.write("s1.csv", file(0, 23));
    place.write("s2.csv", file(23, 60));
    let covariate = ["--target", "label", "--covariate", "batch"];
    let whole = [&["select", "whole.csv", "--json", "whole.json", "--permutations", "0"][..], &covariate].concat();
    assert_eq!(place.run(&whole).status, 0);
    for name in ["s1", "s2"] {
        let (file, part) = (format!("{name}.csv"), format!("{name}.part"));
        let run = place.run(&[&["partial", &file, "--out", &part][..], &covariate].concat());
        assert_eq!(run.status, 0, "{run:?}");
    }
    let merged = place.run(&["merge", "s1.part", "s2.part", "--json", "merged.json"]);
    assert_eq!(merged.status, 0, "{merged:?}");
    assert!(merged.out.contains("adjusted for `batch`"), "{merged:?}");
    let close = |a: &serde_json::Value, b: &serde_json::Value| {
        for (a, b) in a["features"].as_array().unwrap().iter().zip(b["features"].as_array().unwrap()) {
            assert_eq!((&a["name"], &a["selected"]), (&b["name"], &b["selected"]));
            for key in ["score", "difference", "df", "p_value", "probability"] {
                let (x, y) = (a[key].as_f64().unwrap(), b[key].as_f64().unwrap());
                assert!((x - y).abs() <= 1e-9 * y.abs().max(1e-3), "{key}: {x} and {y}");
            }
        }
        assert_eq!(a["design"]["covariates"], b["design"]["covariates"]);
    };
    close(&place.json("merged.json"), &place.json("whole.json"));
    let several = [&["select", "s1.csv", "s2.csv", "--json", "several.json", "--permutations", "0"][..], &covariate];
    assert_eq!(place.run(&several.concat()).status, 0);
    close(&place.json("several.json"), &place.json("whole.json"));
    let plain = place.run(&["partial", "s1.csv", "--target", "label", "--drop", "batch", "--out", "plain.part"]);
    assert_eq!(plain.status, 0, "{plain:?}");
    let mixed = place.run(&["merge", "plain.part", "s2.part", "--json", "mixed.json"]);
    assert_eq!(mixed.status, 2, "{mixed:?}");
    assert!(mixed.err.contains("the covariates") && !place.path("mixed.json").exists(), "{mixed:?}");
}

#[test]
fn several_files_a_folder_and_a_pattern_are_one_table() {
    let place = whole();
    assert_eq!(place.run(&WHOLE).status, 0);
    std::fs::create_dir(place.path("parts")).unwrap();
    for name in ["s1.csv", "s2.csv", "s3.csv"] {
        std::fs::copy(place.path(name), place.path("parts").join(name)).unwrap();
    }
    std::fs::write(place.path("parts").join("_SUCCESS"), "").unwrap();
    for files in
        [&["s1.csv", "s2.csv", "s3.csv"][..], &["parts"], &["s?.csv"], &["parts/*.csv"], &["s2.csv", "s[!2]*.csv"]]
    {
        let mut arguments = vec!["select"];
        arguments.extend(files);
        arguments.extend(["--target", "label", "--json", "several.json", "--permutations", "0"]);
        let run = place.run(&arguments);
        if files.contains(&"s[!2]*.csv") {
            assert_eq!(run.status, 2, "{run:?}");
            assert!(run.err.contains("no file matches it"), "{run:?}");
            continue;
        }
        assert_eq!(run.status, 0, "{run:?}");
        same(&place.json("several.json"), &place.json("whole.json"));
    }
}

#[test]
fn a_table_beyond_the_memory_is_read_in_pieces() {
    let place = whole();
    assert_eq!(place.run(&WHOLE).status, 0);
    let pieces = ["select", "whole.csv", "--target", "label", "--memory", "100", "--json", "pieces.json"];
    let run = place.run(&[&pieces[..], &["--permutations", "0"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("near-copies"), "it is read in pieces: {run:?}");
    assert!(run.err.contains("taken as independent"), "{run:?}");
    same(&place.json("pieces.json"), &place.json("whole.json"));
    let run = place.run(&["select", "whole.csv", "--target", "label", "--memory", "2G"]);
    assert!(run.status == 0 && !run.err.contains("near-copies among"), "it fits: {run:?}");
    let text = place.read("whole.csv");
    let run =
        place.run_with(&["select", "-", "--target", "label", "--memory", "1M", "--json", "in.json"], text.as_bytes());
    assert_eq!(run.status, 0, "{run:?}");
    same(&place.json("in.json"), &place.json("whole.json"));
    for (arguments, said) in [
        (
            &["--method", "fisher"][..],
            "`fisher` needs the whole table, and a table beyond `--memory` is read in pieces; pass `--method snbl`",
        ),
        (&["--method", "npfs", "--set", "base=fisher"], "`npfs` with base=fisher needs the whole table"),
        (&["--set", "score=spearman"], "`snbl` with score=spearman needs the whole table"),
        (&["--reduced", "r.csv"], "`--reduced` cannot be r.csv"),
    ] {
        let mut all = vec!["select", "whole.csv", "--target", "label", "--memory", "100"];
        all.extend(arguments);
        let run = place.run(&all);
        assert!(run.status == 2 && run.err.contains(said), "{run:?}");
    }
    assert!(!place.path("r.csv").exists());
}

#[test]
fn null_targets_are_summed_over_pieces() {
    let place = whole();
    let select = |files: &[&str], more: &[&str]| {
        let fixed = ["--target", "label", "--memory", "100", "--json", "pieces.json"];
        let run = place.run(&[&["select"], files, &fixed, more].concat());
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.err.contains("near-copies") && !run.err.contains("taken as independent"), "{run:?}");
        place.json("pieces.json")
    };
    let one = select(&["whole.csv"], &[]);
    assert_eq!((&one["method"]["permutations"], &one["gate"]["permutations"]), (&999.into(), &999.into()));
    assert_eq!(select(&["whole.csv"], &["--threads", "1"])["features"], one["features"], "identical bits");
    same(&select(&["s1.csv", "s2.csv", "s3.csv"], &[]), &one);
    assert_eq!(select(&["whole.csv"], &["--permutations", "499"])["method"]["permutations"], 499);
    let arguments = ["select", "whole.csv", "--target", "label", "--memory", "100", "--permutations", "499"];
    refused(
        &place,
        &[&arguments[..], &["--set", "score=mann-whitney"]].concat(),
        &["read in pieces without null targets"],
    );
}

#[test]
fn filters_npfs_and_ranks_read_pieces_too() {
    let place = whole();
    for method in [
        &["--method", "jmi", "--set", "k=3"][..],
        &["--method", "cmim", "--set", "k=3", "--set", "discretise=frequency"],
        &["--method", "npfs", "--set", "k=3", "--set", "bootstraps=20", "--seed", "5"],
        &["--set", "score=mann-whitney", "--permutations", "0"],
    ] {
        let mut arguments = vec!["select", "whole.csv", "--target", "label", "--json", "whole.json"];
        arguments.extend(method);
        assert_eq!(place.run(&arguments).status, 0);
        arguments.splice(1..2, ["s1.csv", "s2.csv", "s3.csv"]);
        let at = arguments.iter().position(|a| *a == "whole.json").unwrap();
        arguments[at] = "pieces.json";
        let run = place.run(&arguments);
        assert_eq!(run.status, 0, "{run:?}");
        same(&place.json("pieces.json"), &place.json("whole.json"));
        assert_eq!(place.json("pieces.json")["method"], place.json("whole.json")["method"]);
    }
    let text = place.read("whole.csv");
    let twice = ["select", "-", "--target", "label", "--memory", "1M", "--method", "jmi"];
    let run = place.run_with(&twice, text.as_bytes());
    assert!(run.status == 2 && run.err.contains("reads a table twice"), "{run:?}");
}

#[test]
fn shards_of_columns_are_put_side_by_side() {
    let place = whole();
    assert_eq!(place.run(&WHOLE).status, 0);
    let part = |file: &str, drop: &str, out: &str| {
        let mut arguments = vec!["partial", file, "--target", "label", "--out", out];
        arguments.extend(drop.split(',').flat_map(|name| ["--drop", name]));
        let run = place.run(&arguments);
        assert_eq!(run.status, 0, "{run:?}");
    };
    part("whole.csv", "a,b,c", "right.part");
    part("s1.csv", "d,e,f,g,h", "left1.part");
    part("s2.csv", "d,e,f,g,h", "left2.part");
    part("s3.csv", "d,e,f,g,h", "left3.part");
    let run = place.run(&["merge", "*.part", "--json", "grid.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("2 shards of columns are joined"), "{run:?}");
    same(&place.json("grid.json"), &place.json("whole.json"));
    let rows = &["merge", "left1.part", "left2.part", "right.part"];
    refused(&place, rows, &["the shard of columns with `d` has 24 rows", "every row of it"]);
    part("whole.csv", "b", "overlap.part");
    refused(&place, &["merge", "left1.part", "overlap.part"], &["there is no column `", "with the same columns"]);
}

#[test]
fn a_killed_partial_leaves_no_file() {
    use std::io::Write;
    let place = whole();
    let before = place.files();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tamis"))
        .args(["partial", "-", "--target", "label", "--out", "killed.part"])
        .current_dir(place.path("."))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(place.read("whole.csv").as_bytes()).unwrap();
    input.flush().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.files(), before);
}

/// Refused with status 2 and these words, and nothing is written.
fn refused(place: &Place, arguments: &[&str], words: &[&str]) {
    let before = place.files();
    let run = place.run(arguments);
    assert_eq!(run.status, 2, "{arguments:?}: {run:?}");
    for word in words {
        assert!(run.err.contains(word), "{arguments:?}: {word}: {}", run.err);
    }
    assert_eq!(place.files(), before, "{arguments:?}");
}

#[test]
fn pieces_of_other_tables_are_refused() {
    let place = whole();
    place.write("other.csv", small_table(",", "\n").replacen('h', "i", 1));
    place.write("more.csv", "a,b,c,d,e,f,g,h,z,label\n1,2,3,4,5,6,7,8,9,no\n");
    let target = ["--target", "label"];
    refused(&place, &["select", "s1.csv", "other.csv", "--target", "label"], &["`other.csv`", "no column `h`"]);
    refused(&place, &["select", "s1.csv", "more.csv", "--target", "label"], &["`more.csv`, column `z`", "--drop z"]);
    refused(&place, &["select", "s1.csv", "s1.csv", "--target", "label"], &["named twice"]);
    refused(&place, &["select", "s1.csv", "nosuch.csv", "--target", "label"], &["`nosuch.csv`", "no such file"]);
    refused(&place, &["select", "no*.csv", "--target", "label"], &["`no*.csv`", "no file matches it"]);
    refused(&place, &["select", "s1.csv", "-", "--target", "label"], &["standard input cannot be one of several"]);
    refused(
        &place,
        &["select", "s1.csv", "s2.csv", "--target", "label", "--method", "fisher"],
        &["several files", "`--method snbl`"],
    );
    refused(&place, &["select", "s1.csv", "s2.csv", "--target", "labl"], &["did you mean `label`"]);
    refused(&place, &["select", "empty.csv", "s2.csv", "--target", "label"], &["1 row;"]);
    refused(&place, &["partial", "s1.csv", "--out", "x.part", "--target", "labl"], &["did you mean `label`"]);
    refused(&place, &["partial", "s1.csv", "--out", "s1.csv", target[0], target[1]], &["end the name in .part"]);
    let ranks = ["partial", "s1.csv", "--out", "x.part", "--target", "label", "--set", "score=kruskal"];
    refused(&place, &ranks, &["`score` cannot be kruskal"]);
    let real = ["partial", "s1.csv", "--out", "x.part", "--target", "label", "--task", "real"];
    refused(&place, &real, &["`s1.csv`, row 1, column `label`", "`no` is not a number"]);
    place.write("ragged.csv", shard(0, 9) + "1,2\n");
    let ragged = ["partial", "ragged.csv", "--out", "x.part", "--target", "label"];
    refused(&place, &ragged, &["`ragged.csv`, row 10", "2 fields instead of 9"]);
}

#[test]
fn parts_of_something_else_are_refused() {
    let place = whole();
    let part = |file: &str, out: &str, more: &[&str]| {
        let mut arguments = vec!["partial", file, "--target", "label", "--out", out];
        arguments.extend(more);
        let run = place.run(&arguments);
        assert_eq!(run.status, 0, "{run:?}");
    };
    part("s1.csv", "s1.part", &[]);
    part("s2.csv", "dropped.part", &["--drop", "c"]);
    part("s2.csv", "seed.part", &["--seed", "3"]);
    part("s2.csv", "set.part", &["--set", "score=pooled"]);
    part("s2.csv", "task.part", &["--task", "classes"]);
    let other = ["partial", "s2.csv", "--target", "h", "--drop", "label", "--out", "target.part"];
    assert_eq!(place.run(&other).status, 0);
    for (file, word) in [
        ("dropped.part", "column"),
        ("seed.part", "the seed"),
        ("set.part", "the setting"),
        ("task.part", "the task"),
        ("target.part", "the target"),
    ] {
        refused(&place, &["merge", "s1.part", file, "--json", "x.json"], &[".part`", word]);
    }
    let bytes = std::fs::read(place.path("s1.part")).unwrap();
    place.write("short.part", &bytes[..bytes.len() - 9]);
    refused(&place, &["merge", "short.part"], &["`short.part`: it is truncated", "make it again"]);
    let mut newer = bytes.clone();
    newer[8] = 9;
    place.write("newer.part", &newer);
    refused(&place, &["merge", "newer.part", "s1.part"], &["`newer.part`: it has format version 9"]);
    let mut damaged = bytes.clone();
    damaged[200] ^= 1;
    place.write("damaged.part", &damaged);
    refused(&place, &["merge", "damaged.part", "s1.part"], &["`damaged.part`: it is damaged"]);
    refused(&place, &["merge", "s1.part", "whole.csv"], &["`whole.csv`: it is not the state of a shard"]);
    refused(&place, &["merge", "s1.part", "s1.part"], &["named twice"]);
    refused(&place, &["merge", "s1.part", "nosuch.part"], &["`nosuch.part`", "no such file"]);
    refused(&place, &["merge", "s1.part", "--set", "score=spearman"], &["`score` cannot be spearman"]);
    refused(&place, &["merge", "s1.part", "--set", "priro=kde"], &["did you mean `prior`"]);
    refused(&place, &["merge", "s1.part", "--keep", "zz"], &["there is no column `zz`"]);
    part("empty.csv", "empty.part", &[]);
    refused(&place, &["merge", "empty.part"], &["0 rows;"]);
}

#[test]
fn a_class_missing_from_a_shard_is_fine() {
    let place = whole();
    let text = small_table(",", "\n");
    let (header, rows) = text.split_once('\n').unwrap();
    for class in ["yes", "no"] {
        let some: String = rows.lines().filter(|line| line.ends_with(class)).map(|line| format!("{line}\n")).collect();
        place.write(&format!("{class}.csv"), format!("{header}\n{some}"));
        let out = format!("{class}.part");
        assert_eq!(place.run(&["partial", &format!("{class}.csv"), "--target", "label", "--out", &out]).status, 0);
    }
    assert_eq!(place.run(&WHOLE).status, 0);
    assert_eq!(place.run(&["merge", "yes.part", "no.part", "--json", "merged.json"]).status, 0);
    same(&place.json("merged.json"), &place.json("whole.json"));
}

#[test]
fn compressed_shards_are_read() {
    let place = whole();
    assert_eq!(place.run(&WHOLE).status, 0);
    for (name, ending) in [("s1", "gz"), ("s2", "zst"), ("s3", "gz")] {
        let text = place.read(&format!("{name}.csv"));
        let bytes = if ending == "gz" {
            let mut gz = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
            std::io::Write::write_all(&mut gz, text.as_bytes()).unwrap();
            gz.finish().unwrap()
        } else {
            zstd::encode_all(text.as_bytes(), 0).unwrap()
        };
        place.write(&format!("c{name}.csv.{ending}"), bytes);
    }
    let run = place.run(&["select", "cs*", "--target", "label", "--json", "several.json", "--permutations", "0"]);
    assert_eq!(run.status, 0, "{run:?}");
    same(&place.json("several.json"), &place.json("whole.json"));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_shards_give_the_same_answer() {
    let place = whole();
    let all = "a,b,c,d,e,f,g,h".split(',').flat_map(|name| ["--keep", name]);
    assert_eq!(place.run(&WHOLE).status, 0);
    for (from, to) in [("whole.csv", "whole.parquet"), ("s1.csv", "p1.parquet"), ("s3.csv", "p3.parquet")] {
        let mut arguments = vec!["select", from, "--target", "label", "--reduced", to];
        arguments.extend(all.clone());
        let run = place.run(&arguments);
        assert_eq!(run.status, 0, "{run:?}");
    }
    let independent = ["--target", "label", "--permutations", "0"];
    let pieces = ["select", "whole.parquet", "--memory", "1500", "--json", "p.json"];
    let run = place.run(&[&pieces[..], &independent].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("near-copies"), "{run:?}");
    same(&place.json("p.json"), &place.json("whole.json"));
    let files = ["select", "p1.parquet", "s2.csv", "p3.parquet", "--json", "mixed.json"];
    let run = place.run(&[&files[..], &independent].concat());
    assert_eq!(run.status, 0, "{run:?}");
    same(&place.json("mixed.json"), &place.json("whole.json"));
    refused(&place, &["select", "whole.parquet", "--target", "label", "--memory", "100"], &["row group", "--memory"]);
}
