//! The program as its users run it, end to end.

use crate::common::{Place, data_tables, small_table};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

fn selected(json: &serde_json::Value) -> Vec<String> {
    let features = json["features"].as_array().unwrap().iter();
    features.filter(|f| f["selected"] == true).map(|f| f["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn the_demo_finds_the_planted_features_and_writes_its_files() {
    let place = Place::new();
    let run = place.run(&["demo", "--out", "d"]);
    assert_eq!(run.status, 0, "{run:?}");
    for name in ["data.csv", "truth.csv", "result.json", "reduced.csv", "report.html"] {
        assert!(place.path("d").join(name).is_file(), "{name}");
        assert!(run.out.contains(name), "{name}");
    }
    let line = run.out.lines().find(|l| l.starts_with("Compared with the truth")).unwrap();
    let numbers: Vec<u32> = line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    assert!(numbers[0] >= 36 && numbers[1] == 40 && numbers[2] <= 4, "{line}");
}

#[test]
fn one_table_in_every_dress_gives_one_answer() {
    let place = Place::new();
    let plain = small_table(",", "\n");
    place.write("plain.csv", &plain);
    place.write("crlf.csv", small_table(",", "\r\n"));
    place.write("tab.tsv", small_table("\t", "\n"));
    place.write("semicolon.csv", small_table(";", "\n"));
    place.write("mark.csv", [b"\xef\xbb\xbf", plain.as_bytes()].concat());
    let quoted: String =
        plain.lines().map(|l| l.split(',').map(|c| format!("\"{c}\"")).collect::<Vec<_>>().join(",") + "\n").collect();
    place.write("quoted.csv", quoted);
    place.write("unfinished.csv", plain.trim_end());
    place.write("declared.csv", format!("sep=;\r\n{}", small_table(";", "\r\n")));
    let ends = |l: &str| format!("{l},\n");
    place.write("trailing.csv", plain.lines().map(ends).collect::<String>());
    let (head, rows) = plain.split_once('\n').unwrap();
    place.write("trailing_rows.csv", format!("{head}\n{}", rows.lines().map(ends).collect::<String>()));
    place.write("blank.csv", plain.replacen("yes\n", "yes \n\n   \n", 3) + "  \n");
    let pandas = |(i, l): (usize, &str)| if i == 0 { format!("Unnamed: 0,{l}\n") } else { format!("{},{l}\n", i - 1) };
    place.write("pandas.csv", plain.lines().enumerate().map(pandas).collect::<String>());
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(plain.as_bytes()).unwrap();
    place.write("squeezed.csv.gz", gz.finish().unwrap());
    place.write("squeezed.csv.zst", zstd::encode_all(plain.as_bytes(), 3).unwrap());
    let rows: String = plain
        .lines()
        .enumerate()
        .map(|(i, l)| if i == 0 { format!("{l}\n") } else { format!("row{i},{l}\n") })
        .collect();
    place.write("row_names.csv", rows);
    let mut first = None;
    let files: Vec<String> = place.files();
    for file in &files {
        let run = place.run(&["select", file, "--target", "label", "--json", "-"]);
        assert_eq!(run.status, 0, "{file}: {run:?}");
        let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let features = json["features"].clone();
        assert_eq!(first.get_or_insert_with(|| features.clone()), &features, "{file}");
    }
    let run = place.run_with(&["select", "-", "--target", "label", "--json", "-"], plain.as_bytes());
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["features"], first.unwrap());
    assert_eq!(json["input"]["file"], "standard input");
}

#[test]
fn a_report_is_one_page_and_a_saved_result_gives_the_same_one_without_values() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let run = place.run(&["select", "in.csv", "--target", "label", "--json", "r.json", "--report", "r.html"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.out.contains("wrote r.html"), "{run:?}");
    let run = place.run(&["report", "r.json", "--out", "again.html"]);
    assert_eq!((run.status, run.out.as_str()), (0, "wrote again.html\n"), "{run:?}");
    assert!(place.read("r.html").starts_with("<!doctype html>"));
    let (page, again) = (place.read("r.html"), place.read("again.html"));
    let (without, rest) = again.split_once("\"values\":null,\"fit\":").unwrap();
    let (with, _) = page.split_once("\"values\":{\"kind\":\"classes\"").unwrap();
    assert_eq!((with, page.split_once(",\"fit\":").unwrap().1), (without, rest));
    let run = place.run_with(&["report", "-"], place.read("r.json").as_bytes());
    assert_eq!((run.status, run.out.as_str()), (0, "wrote report.html\n"), "{run:?}");
    let run = place.run(&["select", "in.csv", "--target", "label", "--report", "in.csv"]);
    assert_eq!(run.status, 2, "{run:?}");
}

#[test]
fn a_report_of_what_is_no_result_is_refused_and_nothing_written() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    place.write("old.json", r#"{"format_version": 0}"#);
    place.write("new.json", r#"{"format_version": 99}"#);
    place.write("other.json", r#"{"a": 1}"#);
    place.write("cut.json", r#"{"format_version": 1, "tam"#);
    let run = place.run(&["fit", "in.csv", "--target", "label", "--model", "model.json", "--method", "dlda"]);
    assert_eq!(run.status, 0, "{run:?}");
    for file in ["old.json", "new.json", "other.json", "cut.json", "model.json", "in.csv", "missing.json"] {
        let run = place.run(&["report", file, "--out", "r.html"]);
        assert_eq!(run.status, 2, "{file}: {run:?}");
        assert!(run.err.starts_with("error: ") && run.err.contains(file), "{file}: {run:?}");
        assert!(!place.path("r.html").exists(), "{file}");
    }
}

#[test]
fn the_result_file_keeps_its_promises() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let run = place.run(&["select", "in.csv", "--target", "label", "--json", "out.json", "--seed", "7"]);
    assert_eq!(run.status, 0, "{run:?}");
    let json = place.json("out.json");
    assert_eq!(json["format_version"], 3);
    assert_eq!(json["tamis"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["seed"], 7);
    assert_eq!(json["input"]["rows"], 24);
    assert_eq!(json["input"]["features"], 8);
    assert_eq!(json["input"]["target"], "label");
    assert_eq!(json["input"]["classes"]["yes"], 12);
    assert_eq!(json["method"]["name"], "snbl");
    assert_eq!(json["method"]["score"], "welch");
    assert_eq!(json["method"]["prior"], "auto");
    assert_eq!(selected(&json), ["a", "b"]);
    assert_eq!(json["n_selected"], 2);
    assert!(json["n_expected"].as_f64().unwrap() > 1.5);
    assert_eq!(json["n_expected_95"], serde_json::json!([2, 2]));
    assert_eq!(json["n_strong_95"], serde_json::json!([2, 2]));
    assert!(json["n_strong"].as_f64().unwrap() > 1.5);
    assert_eq!(json["why"], serde_json::Value::Null);
    assert_eq!((&json["at_least_95"], &json["at_least_named_95"]), (&2.into(), &2.into()));
    assert!(json["expected_false"].as_f64().unwrap() < 0.2);
    assert_eq!((json["fdr"].as_f64(), json["quiet"].as_f64()), (Some(0.1), Some(0.99)));
    assert_eq!(json["gate"], serde_json::json!({"open": true, "exceeded": 0, "permutations": 999}));
    let few = serde_json::json!({"states": 1, "phi": 1.0, "lambda": 1.0, "dispersion": json["noise"]["dispersion"]});
    assert_eq!(json["noise"], few, "eight features show no states");
    assert!(json["noise"]["dispersion"].is_number());
    let answer: Vec<&str> = json["answer"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert!(answer[0].starts_with("2 of 8 features differ between yes and no; "), "{answer:?}");
    assert_eq!(answer[1], "In all, 2 features are affected (95 % confidence), all of the 2 among them.");
    assert!(answer[2].starts_with("Clearly affected"), "{answer:?}");
    assert!(run.out.starts_with(&answer.join("\n")), "the file holds what the screen shows: {}", run.out);
    let first = &json["features"][0];
    assert_eq!(first["index"], 0);
    assert_eq!(first["rank"], 1);
    assert!(first["score"].as_f64().unwrap() > 8.0);
    // of fewer than 20 features only the floor of 999 permuted targets speaks: 1 in 1000
    assert!((first["probability"].as_f64().unwrap() - 0.999).abs() < 1e-12, "{first}");
    assert!((first["q_value"].as_f64().unwrap() - 0.001).abs() < 1e-12, "{first}");
    // the file reads back to the same numbers
    let text = place.read("out.json");
    let saved = tamis::result::SelectionResult::read(text.as_bytes(), "out.json").unwrap();
    let mut again = Vec::new();
    saved.write(&mut again).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), text);
    let newer = text.replacen("\"format_version\":3", "\"format_version\":9", 1);
    assert!(tamis::result::SelectionResult::read(newer.as_bytes(), "x").unwrap_err().to_string().contains("newer"));
    assert!(tamis::result::SelectionResult::read(b"{}", "x").is_err());
}

#[test]
fn the_reduced_table_holds_the_selected_columns_and_reads_back() {
    let place = Place::new();
    let text: String = small_table(",", "\n")
        .lines()
        .enumerate()
        .map(|(i, l)| if i == 0 { format!("id,{l}\n") } else { format!("\"p,{i}\",{l}\n") })
        .collect();
    place.write("in.csv", text);
    for out in ["small.csv", "small.tsv", "small.csv.gz", "small.csv.zst"] {
        let run = place.run(&["select", "in.csv", "--target", "label", "--id", "id", "--reduced", out]);
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.out.contains(&format!("wrote {out}")));
        let again = place.run(&["select", out, "--target", "label", "--id", "id", "--json", "-"]);
        let json: serde_json::Value = serde_json::from_str(&again.out).unwrap();
        assert_eq!(json["input"]["features"], 2, "{out}");
        assert_eq!(json["input"]["rows"], 24, "{out}");
    }
    assert!(place.read("small.csv").starts_with("id,a,b,label\n\"p,1\",0,0.7948,no\n"), "{}", place.read("small.csv"));
    assert!(place.read("small.tsv").starts_with("id\ta\tb\tlabel\np,1\t0\t0.7948\tno\n"));
}

#[test]
fn missing_values_and_missing_targets_are_noted_and_used_pairwise() {
    let place = Place::new();
    let mut lines: Vec<String> = small_table(",", "\n").lines().map(String::from).collect();
    lines[3] = lines[3]
        .replacen("0.", "NA,0.", 1)
        .splitn(3, ',')
        .enumerate()
        .filter(|(i, _)| *i != 1)
        .map(|(_, c)| c.to_string())
        .collect::<Vec<_>>()
        .join(",");
    lines[5] = lines[5].rsplit_once(',').unwrap().0.to_string() + ",";
    lines[6] = lines[6].replacen(lines[6].split(',').next().unwrap(), "unknown", 1);
    place.write("in.csv", lines.join("\n"));
    let run = place.run(&["select", "in.csv", "--target", "label", "--missing", "unknown", "--json", "out.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("1 of 24 rows has no target"), "{}", run.err);
    assert!(run.err.contains("1 feature with missing values"), "{}", run.err);
    assert_eq!(place.json("out.json")["input"]["rows"], 23);
    assert_eq!(selected(&place.json("out.json")), ["a", "b"]);
}

#[test]
fn missing_values_are_refused_on_request() {
    let place = Place::new();
    let text = small_table(",", "\n");
    place.write("whole.csv", &text);
    let (head, rows) = text.split_once('\n').unwrap();
    place.write("gap.csv", format!("{head}\n,{}", rows.split_once(',').unwrap().1));
    place.write("error.csv", format!("{head}\nerror,{}", rows.split_once(',').unwrap().1));
    let select = |file: &str, options: &[&str]| {
        let all: Vec<&str> = ["select", file, "--target", "label"].iter().chain(options).copied().collect();
        place.run(&all)
    };
    assert_eq!(select("gap.csv", &[]).status, 0);
    for options in [&["--no-missing"][..], &["--missing", "error"]] {
        let refused = select("gap.csv", options);
        assert!(refused.status == 2 && refused.err.contains("column `a`"), "{refused:?}");
        assert_eq!(select("whole.csv", options).status, 0);
    }
    // the old way is accepted, and the new one named
    let old = select("whole.csv", &["--missing", "error"]);
    assert!(old.err.contains("use `--no-missing`"), "{}", old.err);
    assert_eq!(select("whole.csv", &["--missing", "error", "--quiet"]).err, "");
    assert!(!select("whole.csv", &["--no-missing"]).err.contains("--no-missing"));
    // beside the new one, `error` is a text like any other
    let both = select("error.csv", &["--no-missing", "--missing", "error"]);
    assert!(both.status == 2 && both.err.contains("missing"), "{both:?}");
}

#[test]
fn an_ending_that_promises_another_format_is_refused_before_any_work() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let select = ["select", "in.csv", "--target", "label"];
    let evaluate = ["evaluate", "in.csv", "--target", "label", "--method", "dlda", "--folds", "2"];
    assert_eq!(place.run(&[&select[..], &["--json", "r.json", "--quiet"]].concat()).status, 0);
    assert_eq!(place.run(&["fit", "in.csv", "--target", "label", "--method", "lda", "--model", "m.json"]).status, 0);
    let before = place.files();
    for (command, option, file, words) in [
        (&select[..], "--json", "x.csv", ".json"),
        (&select, "--json", "x.csv.gz", ".json"),
        (&select, "--json", "x.html", ".json"),
        (&select, "--report", "x.csv", ".html"),
        (&select, "--report", "x.PDF", ".html"),
        (&select, "--reduced", "x.json", ".csv"),
        (&select, "--reduced", "x.xlsx", ".csv"),
        (&evaluate, "--json", "x.tsv", ".json"),
        (&evaluate, "--report", "x.json", ".html"),
        (&evaluate, "--csv", "x.json", ".csv"),
        (&["report", "r.json"], "--out", "x.csv", ".html"),
        (&["predict", "in.csv", "--model", "m.json"], "--out", "x.json", ".csv"),
        (&["fit", "in.csv", "--target", "label"], "--model", "x.csv", ".json"),
        (&["partial", "in.csv", "--target", "label"], "--out", "x.csv", ".part"),
        (&["simulate", "uniform"], "--out", "x.json", ".csv"),
    ] {
        let run = place.run(&[command, &[option, file]].concat());
        let told = run.err.contains(&format!("`{option}` cannot be {file}")) && run.err.contains(words);
        assert!(run.status == 2 && told, "{run:?}");
        assert_eq!(place.files(), before, "{option} {file}");
    }
    // an ending that promises nothing, or that is compressed, is no fault; tabs where they are asked for
    for (option, file) in [("--json", "result"), ("--json", "v1.2"), ("--json", "r.json.gz"), ("--report", "r.HTML")] {
        let run = place.run(&[&select[..], &[option, file]].concat());
        assert_eq!(run.status, 0, "{run:?}");
    }
    assert_eq!(place.run(&[&evaluate[..], &["--csv", "e.tsv"]].concat()).status, 0);
    assert!(place.read("e.tsv").starts_with("file\tmethod\terror\t"), "{}", place.read("e.tsv"));
}

#[test]
fn pure_noise_is_called_noise() {
    let place = Place::new();
    let text: String = (0..40)
        .map(|i| {
            (0..30)
                .map(|k| ((i * 7919 + k * 104_729 + i * i * 31 + i * k * 17) % 1009).to_string() + ",")
                .collect::<String>()
                + ["x", "y"][(i / 3) % 2]
                + "\n"
        })
        .collect();
    let names: String = (0..30).map(|k| format!("f{k},")).collect();
    place.write("noise.csv", format!("{names}label\n{text}"));
    let run = place.run(&["select", "noise.csv", "--target", "label", "--json", "out.json", "--reduced", "r.csv"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.out.starts_with("Nothing found: none of 30 features can be shown to differ between y and x: "),
        "{}",
        run.out
    );
    assert!(run.out.contains("of 999 tables with a permuted target have scores as extreme (at most 9 are allowed)."));
    assert!(run.out.contains("This does not show that there is no effect"), "{}", run.out);
    let json = place.json("out.json");
    assert_eq!((&json["no_evidence"], &json["gate"]["open"]), (&true.into(), &false.into()));
    assert_eq!(json["n_selected"], 0);
    assert_eq!((&json["at_least_95"], &json["at_least_named_95"]), (&0.into(), &0.into()));
    assert_eq!((&json["n_expected_95"], &json["why"]), (&serde_json::Value::Null, &"gate-shut".into()));
    assert!(json["features"].as_array().unwrap().iter().all(|feature| feature["probability"] == 0.0));
    assert!(place.read("r.csv").starts_with("label\n"));
}

#[test]
fn several_classes_and_numbers_are_explained_too() {
    let place = Place::new();
    let text = small_table(",", "\n");
    let with = |cell: fn(usize) -> String| -> String {
        text.lines()
            .enumerate()
            .map(
                |(i, l)| {
                    if i == 0 { format!("{l}\n") } else { format!("{},{}\n", l.rsplit_once(',').unwrap().0, cell(i)) }
                },
            )
            .collect()
    };
    place.write("three.csv", with(|i| ["r", "g", "b", "g"][i % 4].into()));
    place.write("real.csv", with(|i| format!("{}", (i % 2) as f64 * 10.0 + i as f64 * 0.125)));
    let run = place.run(&["select", "three.csv", "--target", "label"]);
    assert!(run.out.contains("score f") && run.out.contains("2 of 8"), "{}", run.out);
    let run = place.run(&["select", "real.csv", "--target", "label"]);
    assert!(run.out.contains("score pearson") && run.out.contains("treated as numeric"), "{}", run.out);
}

#[test]
fn shrink_takes_scores_as_limma_writes_them() {
    let place = Place::new();
    let mut text = "logFC\tt\tP.Value\n".to_string(); // one name fewer than fields: row names
    for i in 0..200 {
        let u = (f64::from((i * 37) % 100) + 0.5) / 100.0;
        let noise = (u.powf(0.14) - (1.0 - u).powf(0.14)) / 0.1975; // about normal
        let t = if i % 20 == 0 { 6.0 } else { noise };
        text.push_str(&format!("gene{i}\t0.5\t{t}\t0.01\n"));
    }
    text.push_str("geneX\t0.5\tNA\t0.01\n");
    place.write("limma.tsv", text);
    let run = place.run(&["shrink", "limma.tsv", "--column", "t", "--json", "out.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let json = place.json("out.json");
    assert_eq!(json["features"][0]["name"], "gene0");
    assert_eq!(json["n_selected"], 10);
    assert_eq!(json["features"][200]["probability"], 0.0);
    assert_eq!(json["features"][200]["score"], serde_json::Value::Null);
    assert!(run.err.contains("1 of 201 scores is missing"), "{}", run.err);
    let run = place.run_with(&["shrink", "-", "--set", "prior=kde"], b"z\n0.5\n-0.2\n7\n1\n0\n");
    assert!(run.out.starts_with("1 of 5 features can be named"), "{}", run.out);
}

#[test]
fn t_statistics_are_mapped_to_z_first_where_their_degrees_of_freedom_are_given() {
    let place = Place::new();
    let run = place.run_with(&["shrink", "-", "--df", "4", "--json", "out.json"], b"gene,t\na,2.5\nb,-0.3\nc,1\n");
    assert_eq!(run.status, 2, "two columns: {run:?}");
    let text = b"gene,t\na,2.5\nb,-0.3\nc,1\n";
    let run = place.run_with(&["shrink", "-", "--column", "t", "--df", "4", "--json", "out.json"], text);
    assert_eq!(run.status, 0, "{run:?}");
    let score = place.json("out.json")["features"][0]["score"].as_f64().unwrap();
    assert!((score - 1.833_242).abs() < 1e-5, "{score}"); // scipy: norm.isf(t.sf(2.5, 4))
    assert_eq!(place.json("out.json")["features"][0]["name"], "a", "names come from the first column of text");
}

#[test]
fn a_feature_alike_in_all_classes_is_never_named() {
    // f is exactly balanced over three classes: its F is 0, its z far below zero
    let place = Place::new();
    let noise = |i: u32, k: u32| f64::from((i * 7919 + k * 104_729 + i * i * 31) % 1009) / 1009.0;
    let mut text = "same,n1,n2,n3,n4,n5,label\n".to_string();
    for i in 0..30_u32 {
        let cells: Vec<String> = (1..6).map(|k| noise(i, k).to_string()).collect();
        text.push_str(&format!("{},{},c{}\n", (i / 3) % 5, cells.join(","), i % 3));
    }
    place.write("in.csv", text);
    for prior in ["auto", "kde", "normal", "laplace", "npmle"] {
        let set = format!("prior={prior}");
        let run = place.run(&["select", "in.csv", "--target", "label", "--set", &set, "--json", "-"]);
        let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let same = &json["features"][0];
        assert_eq!(same["name"], "same");
        assert!(same["score"].as_f64().unwrap() < -5.0, "{same}");
        assert_eq!(same["selected"], false, "{prior}: {same}");
        assert_eq!(same["probability"], 0.0, "{prior}: {same}");
    }
}

#[test]
fn labels_are_told_apart_by_their_text_where_numbers_would_merge_them() {
    let place = Place::new();
    let label = |i: usize| if i.is_multiple_of(2) { "100000000000000001" } else { "100000000000000002" };
    let text: String = (0..20).map(|i| format!("{},{} \n", i % 7, label(i))).collect();
    place.write("in.csv", format!("a,label\n{text}"));
    let run = place.run(&["select", "in.csv", "--target", "label", "--json", "-"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["input"]["classes"]["100000000000000001"], 10, "{json}");
}

#[test]
fn categories_weights_and_kept_columns_reach_the_answer() {
    let place = Place::new();
    let text: String = small_table(",", "\n")
        .lines()
        .enumerate()
        .map(|(i, l)| match i {
            0 => format!("{l},colour,w,person\n"),
            _ => format!("{l},{},{},p{}\n", if i % 2 == 0 { "red" } else { "blue" }, 1 + i % 3, i / 4),
        })
        .collect();
    place.write("in.csv", &text);
    let arguments = [
        "select",
        "in.csv",
        "--target",
        "label",
        "--weight",
        "w",
        "--weight-kind",
        "frequency",
        "--id",
        "person",
        "--keep",
        "h",
    ];
    let run = place.run(&[&arguments[..], &["--json", "out.json", "--reduced", "small.csv"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    let json = place.json("out.json");
    assert_eq!(selected(&json), ["a", "b", "h", "colour"]);
    assert!(run.err.contains("1 feature selected only on request: `h`"), "{}", run.err);
    assert!(place.read("small.csv").starts_with("person,w,a,b,h,colour,label\n"), "{}", place.read("small.csv"));
    // a weight of 3 is three rows
    let repeated: String = text
        .lines()
        .flat_map(|l| {
            let weight = l.split(',').nth_back(1).and_then(|w| w.parse().ok()).unwrap_or(1_usize);
            vec![format!("{l}\n"); weight]
        })
        .collect();
    place.write("repeated.csv", repeated);
    let drop = ["select", "repeated.csv", "--target", "label", "--id", "person", "--drop", "w", "--json", "-"];
    let again: serde_json::Value = serde_json::from_str(&place.run(&drop).out).unwrap();
    for (a, b) in json["features"].as_array().unwrap().iter().zip(again["features"].as_array().unwrap()) {
        let (a, b) = (a["score"].as_f64().unwrap(), b["score"].as_f64().unwrap());
        assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn an_earlier_selection_is_applied_to_a_new_file_with_or_without_its_target() {
    let place = Place::new();
    let text = small_table(",", "\n");
    place.write("old.csv", &text);
    assert_eq!(place.run(&["select", "old.csv", "--target", "label", "--json", "r.json"]).status, 0);
    let unlabelled: String = text
        .lines()
        .enumerate()
        .map(|(i, l)| {
            let cells: Vec<&str> = l.split(',').collect();
            let note = if i == 0 { "note".to_string() } else { format!("free text {i}") };
            format!("{},{note},{},{}\n", cells[1], cells[0], cells[5])
        })
        .collect();
    place.write("new.csv", unlabelled);
    let run = place.run(&["select", "new.csv", "--result", "r.json", "--reduced", "small.csv"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(place.read("small.csv").starts_with("b,a\n0.7948,0\n"), "{}", place.read("small.csv"));
    let run = place.run(&["select", "old.csv", "--result", "r.json", "--reduced", "again.csv"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(place.read("again.csv").starts_with("a,b,label\n"));
    place.write("lacking.csv", "a,x\n1,2\n3,4\n");
    let run = place.run(&["select", "lacking.csv", "--result", "r.json", "--reduced", "no.csv"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("no column `b`"), "{}", run.err);
    place.write("other.json", "{\"a\": 1}");
    let run = place.run(&["select", "old.csv", "--result", "other.json", "--reduced", "no.csv"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("not a tamis result"), "{}", run.err);
}

#[test]
fn one_table_in_every_format_gives_one_answer() {
    let place = Place::new();
    let simulate = ["simulate", "uniform", "--out", "data.csv", "--set", "rows=300", "--set", "features=12"];
    assert_eq!(place.run(&simulate).status, 0);
    assert!(place.read("data.truth.csv").starts_with("feature,truth\nf01,1\n"), "{}", place.read("data.truth.csv"));
    // keep everything, so that the reduced table is the whole one
    let mut keep = vec!["select", "data.csv", "--target", "label", "--quiet"];
    let names: Vec<String> = (1..=12).map(|j| format!("f{j:02}")).collect();
    names.iter().for_each(|n| keep.extend(["--keep", n]));
    let answer = |file: &str| {
        let target = if file.ends_with("npy") { "f13" } else { "label" };
        let run = place.run(&["select", file, "--target", target, "--json", "-"]);
        assert_eq!(run.status, 0, "{file}: {run:?}");
        let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let features = json["features"].as_array().unwrap().iter();
        features.map(|f| (f["score"].as_f64(), f["probability"].as_f64(), f["selected"].clone())).collect::<Vec<_>>()
    };
    let mut endings = vec!["tsv", "libsvm", "arff", "npz", "npy", "csv.gz", "arff.zst"];
    if cfg!(feature = "parquet") {
        endings.extend(["parquet", "arrow"]);
    }
    for ending in endings {
        let out = format!("copy.{ending}");
        let run = place.run(&[&keep[..], &["--reduced", &out]].concat());
        assert_eq!(run.status, 0, "{ending}: {run:?}");
        assert_eq!(answer(&out), answer("data.csv"), "{ending}");
    }
}

/// Every method of the catalogue that selects on one table, by its name alone: an answer, a result that reads back, a reduced file.
#[test]
fn every_method_selects() {
    let place = Place::new();
    let simulate = ["simulate", "uniform", "--out", "data.csv", "--set", "rows=200", "--set", "features=15"];
    assert_eq!(place.run(&simulate).status, 0);
    let list = place.run(&["methods"]).out;
    let names: Vec<&str> = list
        .lines()
        .filter(|line| !line.starts_with(' ') && !line.is_empty() && !line.starts_with('`'))
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|name| tamis::Method::find(name).unwrap().selects())
        .collect();
    assert!(names.len() >= 18 && names.contains(&"npfs") && names.contains(&"trace-ratio"), "{names:?}");
    for name in names {
        let method = ["select", "data.csv", "--target", "label", "--method", name, "--seed", "7"];
        let run = place.run(&[&method[..], &["--json", "result.json", "--reduced", "small.csv"]].concat());
        assert_eq!(run.status, 0, "{name}: {run:?}");
        let json = place.json("result.json");
        assert_eq!(json["method"]["name"], name);
        assert_eq!(json["seed"], 7);
        let chosen = selected(&json);
        // each of the five relevant features has a small part in the target: none can be singled out
        assert!((name == "needed") == chosen.is_empty() && chosen.len() < 15, "{name}: {chosen:?}");
        assert_eq!(place.read("small.csv").lines().next().unwrap().split(',').count(), chosen.len() + 1, "{name}");
        let mut ranks: Vec<u64> =
            json["features"].as_array().unwrap().iter().map(|f| f["rank"].as_u64().unwrap()).collect();
        ranks.sort_unstable();
        assert_eq!(ranks, (1..=15).collect::<Vec<u64>>(), "{name}");
        let again = place.run(&["select", "data.csv", "--result", "result.json", "--reduced", "again.csv"]);
        if chosen.is_empty() {
            assert_eq!(again.status, 2, "{name}: {again:?}");
            continue;
        }
        assert_eq!((again.status, place.read("again.csv")), (0, place.read("small.csv")), "{name}");
        assert!(place.run(&["methods", name]).out.starts_with(&format!("{name}: ")), "{name}");
    }
}

#[test]
fn filters_take_columns_of_every_kind() {
    let place = Place::new();
    let colour = |i: usize| ["red", "green", "blue", ""][i / 2 * 7 % 4];
    let row = |i: usize| {
        let y = if i.is_multiple_of(2) { "a" } else { "b" };
        let x = if i.is_multiple_of(5) { String::new() } else { format!("{}", (i % 2) as f64 + (i % 7) as f64 / 9.0) };
        format!("{x},{},{},1,,{},{y}\n", colour(i), i * 13 % 17, i % 2 * 3)
    };
    let table: String = (0..60).map(row).collect();
    place.write("in.csv", format!("x,colour,noise,constant,empty,copy,label\n{table}"));
    for method in ["jmi", "mrmr", "mim", "cmim", "disr", "jmim", "npfs", "pairs", "f", "t"] {
        let run = place.run(&["select", "in.csv", "--target", "label", "--method", method, "--json", "out.json"]);
        assert_eq!(run.status, 0, "{method}: {run:?}");
        assert!(run.err.contains("single value") && run.err.contains("`constant`"), "{method}: {}", run.err);
        let json = place.json("out.json");
        assert!(json["features"][3]["score"].is_null() && json["features"][4]["score"].is_null(), "{method}");
        assert!(selected(&json).contains(&"copy".to_string()), "{method}");
    }
    for method in ["fisher", "trace-ratio", "l21"] {
        let run = place.run(&["select", "in.csv", "--target", "label", "--method", method]);
        assert_eq!(run.status, 2, "{method}");
        assert!(run.err.contains("column `colour`") && run.err.contains("--drop colour"), "{}", run.err);
        let run = place.run(&["select", "in.csv", "--target", "label", "--method", method, "--drop", "colour"]);
        assert_eq!(run.status, 0, "{method}: {run:?}");
    }
    // a number as target, cut into levels
    let run =
        place.run(&["select", "in.csv", "--target", "noise", "--task", "real", "--method", "jmi", "--drop", "label"]);
    assert_eq!(run.status, 0, "{run:?}");
}

#[test]
fn kept_columns_come_first_and_weights_count_as_rows() {
    let place = Place::new();
    let simulate = ["simulate", "uniform", "--out", "data.csv", "--set", "rows=150", "--set", "features=12"];
    assert_eq!(place.run(&simulate).status, 0);
    let order = |more: &[&str], file: &str| -> Vec<String> {
        let run =
            [&["select", file, "--target", "label", "--method", "jmi", "--set", "k=4", "--json", "out.json"], more];
        assert_eq!(place.run(&run.concat()).status, 0);
        let json = place.json("out.json");
        let mut features: Vec<(u64, String)> = json["features"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|f| f["selected"] == true)
            .map(|f| (f["rank"].as_u64().unwrap(), f["name"].as_str().unwrap().to_string()))
            .collect();
        features.sort();
        features.into_iter().map(|f| f.1).collect()
    };
    let kept = order(&["--keep", "f12"], "data.csv");
    assert_eq!((kept.len(), kept[0].as_str()), (4, "f12"));
    // every row three times, or with a weight of 3; half the rows with weight 0, or left out
    let text = place.read("data.csv");
    let (head, rows) = text.split_once('\n').unwrap();
    let weight = |i: usize| i * 5 % 4;
    let repeated: String = rows.lines().enumerate().flat_map(|(i, r)| vec![format!("{r}\n"); weight(i)]).collect();
    let weighted: String = rows.lines().enumerate().map(|(i, r)| format!("{r},{}\n", weight(i))).collect();
    place.write("repeated.csv", format!("{head}\n{repeated}"));
    place.write("weighted.csv", format!("{head},w\n{weighted}"));
    for method in ["width", "frequency", "mdl"] {
        let set = format!("discretise={method}");
        let a = order(&["--set", &set], "repeated.csv");
        let copies = ["--set", &set, "--weight", "w", "--weight-kind", "frequency"];
        assert_eq!(a, order(&copies, "weighted.csv"), "{method}");
    }
}

#[test]
fn a_matrix_from_elsewhere_is_decided() {
    let place = Place::new();
    // the first two always, the others one by one
    let row = |i: usize| {
        format!("{i},1,1,{}\n", (0..8).map(|j| u8::from(i % 8 == j).to_string()).collect::<Vec<_>>().join(","))
    };
    let rows: String = (0..40).map(row).collect();
    place.write("runs.csv", format!("run,a,b,c,d,e,f,g,h,i,j\n{rows}"));
    let run = place.run(&["npfs-decide", "runs.csv", "--id", "run", "--json", "out.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let json = place.json("out.json");
    assert_eq!(selected(&json), ["a", "b"]);
    assert_eq!(json["detail"]["npfs"]["counts"][2], 5);
    assert!(run.out.starts_with("2 of 10 features can be named"), "{}", run.out);
    let run = place.run(&["npfs-decide", "runs.csv", "--drop", "run", "--set", "null=stability"]);
    assert!(run.status == 0 && run.out.starts_with("2 of 10"), "{run:?}");
}

#[test]
fn the_matrix_comes_on_request() {
    let place = Place::new();
    let simulate = ["simulate", "uniform", "--out", "data.csv", "--set", "rows=100", "--set", "features=12"];
    assert_eq!(place.run(&simulate).status, 0);
    let npfs = ["select", "data.csv", "--target", "label", "--method", "npfs", "--set", "bootstraps=25"];
    let run = place.run(&[&npfs[..], &["--set", "matrix=true", "--json", "out.json"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    let detail = &place.json("out.json")["detail"]["npfs"];
    let matrix = detail["matrix"].as_array().unwrap();
    assert_eq!(matrix.len(), 12);
    for (row, count) in matrix.iter().zip(detail["counts"].as_array().unwrap()) {
        let ones = row.as_str().unwrap().bytes().filter(|c| *c == b'1').count() as u64;
        assert_eq!((row.as_str().unwrap().len(), ones), (25, count.as_u64().unwrap()));
    }
    assert!(detail["half_width"].as_f64().unwrap() > 0.0 && detail["kuncheva"].is_number());
}

#[test]
fn threads_and_repeats_change_nothing() {
    let place = Place::new();
    assert_eq!(place.run(&["demo", "--out", "."]).status, 0);
    let run = |threads: &str, prior: &str| {
        let set = format!("prior={prior}");
        let run =
            place.run(&["select", "data.csv", "--target", "group", "--threads", threads, "--set", &set, "--json", "-"]);
        let mut json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        json["seconds"] = 0.into();
        json["peak_bytes"] = 0.into();
        json.to_string()
    };
    for prior in ["auto", "kde"] {
        assert!(run("1", prior) == run("2", prior), "{prior}");
        assert!(run("2", prior) == run("2", prior), "{prior}");
    }
}

#[test]
fn a_reader_that_stops_reading_is_no_failure() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let mut child = place
        .command(&["select", "in.csv", "--target", "label", "--json", "-"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_with_130_and_leaves_nothing() {
    use std::process::Stdio;
    let place = Place::new();
    // rows without end: the program is still reading when it is interrupted
    let mut child = place
        .command(&["select", "-", "--target", "label", "--json", "out.json", "--reduced", "small.csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let pid = child.id().to_string();
    let feed = std::thread::spawn(move || {
        let _ = stdin.write_all(small_table(",", "\n").as_bytes());
        let rows = "0.25,0.5,0.75,1,2,3,4,5,yes\n".repeat(10_000);
        let mut sent = 0;
        while sent < 2000 && stdin.write_all(rows.as_bytes()).is_ok() {
            if sent == 20 {
                assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
            }
            sent += 1;
        }
        sent
    });
    let done = child.wait_with_output().unwrap();
    let sent = feed.join().unwrap();
    assert_eq!(done.status.code(), Some(130), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(sent < 2000, "it stopped reading");
    assert_eq!(place.files(), Vec::<String>::new());
}

#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn every_labelled_file_of_the_papers_gets_an_answer() {
    let mut seen = 0;
    for path in data_tables() {
        let place = Place::new();
        let run = place.run(&["select", path.to_str().unwrap(), "--target", "label", "--json", "-"]);
        assert_eq!(run.status, 0, "{}: {}", path.display(), run.err);
        let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let (n, k) = (json["n_selected"].as_u64().unwrap(), json["input"]["features"].as_u64().unwrap());
        assert!(n <= k);
        seen += 1;
        let named = |text: &str| path.file_name().unwrap().to_string_lossy().starts_with(text);
        if named("madelon_train") {
            assert_eq!(n, 13);
            let kde = place.run(&[
                "select",
                path.to_str().unwrap(),
                "--target",
                "label",
                "--set",
                "prior=kde",
                "--json",
                "-",
            ]);
            let kde: serde_json::Value = serde_json::from_str(&kde.out).unwrap();
            let probable = |f: &&serde_json::Value| f["probability"].as_f64().unwrap() > 0.5;
            assert_eq!(kde["features"].as_array().unwrap().iter().filter(probable).count(), 13);
        }
        if named("prostate") {
            // Benjamini and Hochberg's procedure rejects 62 at the same rate
            assert!((50..=70).contains(&n), "{n}");
            let at_least = json["at_least_95"].as_u64().unwrap();
            assert!((85..=115).contains(&at_least), "{at_least}");
            assert!(json["n_expected_95"].is_null() && json["why"].is_string(), "{}", json["why"]);
            let count = |set: &[&str]| {
                let mut arguments = vec!["select", path.to_str().unwrap(), "--target", "label", "--json", "-"];
                set.iter().for_each(|s| arguments.extend(["--set", s]));
                let json: serde_json::Value = serde_json::from_str(&place.run(&arguments).out).unwrap();
                json["n_selected"].as_u64().unwrap()
            };
            assert!((50..=70).contains(&count(&["scale=raw"])));
            assert!(count(&["scale=raw", "prior=kde"]).abs_diff(352) <= 2);
            assert!((50..=70).contains(&count(&["permutations=0"])));
            assert!((5..=20).contains(&count(&["null=empirical"])));
        }
    }
    assert!(seen >= 25, "{seen} files");
}
