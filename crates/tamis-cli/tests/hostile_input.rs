//! Inputs that were made to do harm: they are refused, or answered, within their bounds of time and memory.

use crate::common::{Place, Run, small_table};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Expects refusal with status 2 and one line on standard error that holds these texts.
fn refused(run: &Run, says: &[&str]) {
    assert_eq!(run.status, 2, "{run:?}");
    for text in says {
        assert!(run.err.contains(text), "`{text}` is not in: {}", run.err);
    }
}

/// Numbers between 0 and 1 without any structure.
fn noise(row: u32, column: u32) -> f64 {
    let mut x = row.wrapping_mul(0x9e37_79b9) ^ column.wrapping_mul(0x85eb_ca6b) ^ 0x1234_5678;
    for _ in 0..3 {
        x = (x ^ (x >> 15)).wrapping_mul(0x2c1b_3c6d);
    }
    f64::from(x >> 8) / f64::from(1 << 24)
}

fn noise_table(rows: u32, features: u32) -> String {
    let mut text: String = (0..features).map(|j| format!("f{j},")).collect();
    text.push_str("y\n");
    for row in 0..rows {
        text.extend((0..features).map(|j| format!("{:.3},", noise(row, j))));
        text.push_str(if row % 3 == 0 { "a\n" } else { "b\n" });
    }
    text
}

#[test]
fn a_model_that_kept_no_feature_predicts_the_shares_of_the_classes() {
    let place = Place::new();
    place.write("noise.csv", noise_table(60, 5));
    let run = place.run(&["fit", "noise.csv", "--target", "y", "--method", "dlda", "--model", "m.json"]);
    assert!(run.status == 0 && run.out.contains("0 of 5 features kept"), "{run:?}");
    place.write("new.csv", "name,text\none,a b\ntwo,\n");
    let run = place.run(&["predict", "new.csv", "--model", "m.json", "--id", "name"]);
    assert_eq!(run.status, 0, "{run:?}");
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "name,predicted,p_a,p_b");
    assert!(
        lines[1].starts_with("one,b,0.333333333333333") && lines[2].starts_with("two,b,0.333333333333333"),
        "{lines:?}"
    );
    place.write("x.arff", "@relation r\n@attribute z numeric\n@data\n1\n2\n3\n");
    let run = place.run(&["predict", "x.arff", "--model", "m.json"]);
    assert!(run.status == 0 && run.out.lines().count() == 4, "{run:?}");
}

#[test]
fn too_few_rows_for_a_curve_are_refused() {
    let place = Place::new();
    place.write("four.csv", "f0,y\n1,a\n2,b\n3,a\n4,b\n");
    refused(
        &place.run(&["select", "four.csv", "--target", "y", "--method", "auc-curve"]),
        &["`auc-curve`", "more rows"],
    );
}

#[test]
fn a_stray_quote_is_found_where_it_opens_and_does_not_fill_the_memory() {
    let place = Place::new();
    let mut text = String::from("a,b,y\n1,2,x\n2,3,z\n1,\"5,0\n");
    text.push_str(&"1,2,x\n3,4,z\n".repeat(2_000_000)); // 24 MB
    place.write("in.csv", &text);
    let run = place.run(&["select", "in.csv", "--target", "y", "--memory", "20M"]);
    refused(&run, &["`in.csv`", "opens in line 4", "not closed within 5 MB", "--memory"]);
    let run = place.run(&["select", "in.csv", "--target", "y"]);
    refused(&run, &["opens in line 4", "before the end of the file"]);
    // the same, compressed
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(text.as_bytes()).unwrap();
    place.write("in.csv.gz", gz.finish().unwrap());
    let run = place.run(&["select", "in.csv.gz", "--target", "y", "--memory", "20M"]);
    refused(&run, &["opens in line 4", "not closed within 5 MB"]);
}

#[test]
fn a_line_without_end_is_refused_at_its_bound() {
    let place = Place::new();
    let long = format!("a,y\n1,x\n{}", "1".repeat(24 << 20));
    place.write("in.csv", &long);
    refused(&place.run(&["select", "in.csv", "--target", "y", "--memory", "20M"]), &["line 3", "longer than 5 MB"]);
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..300 {
        gz.write_all(&[b'1'; 1 << 20]).unwrap();
    }
    place.write("bomb.libsvm.gz", gz.finish().unwrap());
    refused(&place.run(&["select", "bomb.libsvm.gz"]), &["line 1", "longer than 256 MB"]);
}

#[test]
fn a_stream_of_nul_bytes_is_refused_at_once() {
    let place = Place::new();
    let run = place.run_with(&["select", "-", "--target", "y"], &vec![0; 4 << 20]);
    refused(&run, &["byte 1 is NUL"]);
    place.write("in.csv", b"a,y\n1,x\n2,\0\n");
    refused(&place.run(&["select", "in.csv", "--target", "y"]), &["byte 11 is NUL", "--format"]);
}

#[cfg(target_os = "linux")]
#[test]
fn devices_without_end_are_bounded() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    for arguments in [
        &["select", "/dev/zero", "--target", "y"][..],
        &["select", "/dev/zero", "--format", "npz"],
        &["select", "/dev/zero", "--format", "libsvm"],
        &["report", "/dev/zero", "--out", "x.html", "--max"],
        &["describe", "/dev/zero", "--format", "arff"],
    ] {
        let arguments: Vec<&str> = arguments.iter().copied().filter(|a| *a != "--max").collect();
        let run = place.run(&arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_few_bytes_cannot_ask_for_gigabytes() {
    let place = Place::new();
    place.write("wide.libsvm", "1 1:1\n0 2:1\n1 49999999:1\n0 1:2\n");
    refused(&place.run(&["select", "wide.libsvm"]), &["49999999 features", "--max-expanded"]);
    place.write("half.libsvm", "1 1:1\n0 2:1\n1 99999:1\n0 1:2\n1 1:3\n0 2:2\n");
    refused(&place.run(&["select", "half.libsvm", "--method", "t"]), &["99999 features in 40 bytes", "--max-expanded"]);
    let run = place.run(&["select", "half.libsvm", "--method", "t", "--max-expanded", "1G"]);
    assert_eq!(run.status, 0, "{run:?}");
    place.write("s.csv", "id,y\n1,a\n2,b\n");
    place.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n4000000000 4000000000 1\n1 1 1\n");
    let run = place.run(&["select", "m.mtx", "--target", "y", "--samples", "s.csv"]);
    refused(&run, &["4000000000 rows in", "--max-expanded"]);
}

#[test]
fn a_series_matrix_of_keys_without_end_is_refused() {
    let place = Place::new();
    let samples = 20_000;
    let line = |key: &str, cell: &dyn Fn(usize) -> String| {
        format!("!Sample_{key}{}\n", (0..samples).map(|i| format!("\t{}", cell(i))).collect::<String>())
    };
    let names = line("geo_accession", &|i| format!("G{i}"));
    let keys = line("characteristics_ch1", &|i| format!("k{i}: 1"));
    let header: String = (0..samples).map(|i| format!("\tG{i}")).collect();
    let matrix = format!("!series_matrix_table_begin\nID_REF{header}\n!series_matrix_table_end\n");
    place.write("x_series_matrix.txt", names + &keys + &matrix);
    let run = place.run(&["select", "x_series_matrix.txt", "--target", "k1"]);
    refused(&run, &["so many different characteristics"]);
}

#[test]
fn numbers_that_sums_cannot_hold_are_refused_with_their_cell() {
    let place = Place::new();
    let text = small_table(",", "\n");
    let (head, rest) = text.split_once('\n').unwrap();
    place.write("in.csv", format!("{head}\n1e305,1,1,1,1,1,1,1,yes\n{rest}"));
    let run = place.run(&[
        "fit",
        "in.csv",
        "--target",
        "label",
        "--method",
        "dlda",
        "--set",
        "prior=normal",
        "--model",
        "m.json",
    ]);
    refused(&run, &["row 1, column `a`", "`1e305` is beyond 1e300", "--missing 1e305"]);
    place.write("in.csv", format!("{head}\n1e299,1,1,1,1,1,1,1,yes\n{rest}"));
    let run = place.run(&[
        "fit",
        "in.csv",
        "--target",
        "label",
        "--method",
        "dlda",
        "--set",
        "prior=normal",
        "--model",
        "m.json",
    ]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(place.run(&["predict", "in.csv", "--model", "m.json"]).status, 0);
}

#[test]
fn weights_beyond_counting_are_refused_and_large_ones_are_finite() {
    let place = Place::new();
    let weighted = |weight: &str| {
        let mut lines = noise_table(40, 4).lines().map(|line| format!("{line},{weight}\n")).collect::<String>();
        lines = lines.replacen(&format!(",{weight}\n"), ",w\n", 1);
        lines
    };
    place.write("w.csv", weighted("1e200"));
    for method in ["snbl", "fisher", "dlda"] {
        let run = place.run(&["select", "w.csv", "--target", "y", "--weight", "w", "--method", method]);
        refused(&run, &["row 1, column `w`", "the weight is 1e200", "at most 1e100"]);
    }
    place.write("w.csv", weighted("1e99"));
    let run = place.run(&["select", "w.csv", "--target", "y", "--weight", "w", "--method", "fisher"]);
    assert!(run.status == 0 && !run.err.contains("constant"), "{run:?}");
}

#[test]
fn a_numeric_target_that_is_constant_where_rows_have_weight_is_refused() {
    let place = Place::new();
    let mut text = String::from("a,b,w,y\n");
    for row in 0..40 {
        let y = if row < 20 { 1.5 } else { f64::from(row) / 7.0 };
        text.push_str(&format!("{:.3},{:.3},{},{y}\n", noise(row, 1), noise(row, 2), u8::from(row < 20)));
    }
    place.write("in.csv", text);
    for method in ["npfs", "snbl", "mim"] {
        let run = place.run(&[
            "select", "in.csv", "--target", "y", "--weight", "w", "--task", "real", "--method", method, "--json",
            "r.json",
        ]);
        refused(&run, &["one value only in the rows with a positive weight"]);
    }
    assert_eq!(place.files(), ["in.csv"]);
}

#[test]
fn names_labels_and_files_cannot_steer_the_terminal() {
    let place = Place::new();
    let bad = "\u{1b}[31mboo\u{202e}\u{200b}";
    let mut text = format!("{bad},b,y{bad}\n");
    for row in 0..24 {
        let label = if row % 2 == 0 { format!("no{bad}") } else { "yes".into() };
        text.push_str(&format!("{:.3},{:.3},{label}\n", noise(row, 1) + f64::from(row % 2) * 3.0, noise(row, 2)));
    }
    let file = format!("in{bad}\n.csv");
    place.write(&file, &text);
    let target = format!("y{bad}");
    let missing = format!("no{bad}.csv");
    let runs: [&[&str]; 12] = [
        &["select", &file, "--target", &target],
        &["select", &file, "--target", &target, "--method", "t", "--json", "r.json", "--csv", "r.csv"],
        &["describe", &file, "--target", &target],
        &["fit", &file, "--target", &target, "--method", "dlda", "--set", "prior=none", "--model", "m.json"],
        &["evaluate", &file, "--target", &target, "--method", "t", "--folds", "3"],
        &["partial", &file, "--target", &target, "--out", "p.part"],
        &["select", &file, "--target", bad, "--missing", bad],
        &["select", &missing, "--target", "y"],
        &["select", &file, "--target", &target, "--method", bad],
        &["select", &file, "--target", &target, "--set", bad],
        &["select", &file, "--target", &target, "--decimal", bad],
        &["select", &file, "--result", "r.json", "--reduced", "d.csv"],
    ];
    for arguments in runs {
        let run = place.run(arguments);
        for (stream, text) in [("standard output", &run.out), ("standard error", &run.err)] {
            let hidden = text.chars().find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202e}' | '\u{200b}'));
            assert_eq!(hidden, None, "{stream} of {arguments:?}: {text}");
        }
        // the parser of arguments takes colours out, and the rest is escaped
        assert!((run.out.clone() + &run.err).contains("boo\\u{202e}\\u{200b}") || run.err.contains("\\x1b"), "{run:?}");
    }
    assert!(place.read("r.csv").contains(bad) && place.read("d.csv").contains(bad), "files hold names as they are");
    // what another program reads is as it is
    assert!(place.run(&["predict", &file, "--model", "m.json"]).out.contains(bad));
}

#[test]
fn a_value_to_type_is_quoted_so_that_a_shell_takes_it() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n").replacen("\n0.", "\nx\u{1b}0.", 2));
    let run = place.run(&["select", "in.csv", "--target", "label"]);
    assert!(run.status == 2 && run.err.contains("--missing $'x\\x1b0."), "{run:?}");
}

#[test]
fn small_levels_do_not_take_permutations_without_asking() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let run = place.run(&["select", "in.csv", "--target", "label", "--method", "npfs", "--set", "alpha=1e-5"]);
    refused(&run, &["100000 permutations", "permutations"]);
    let run = place.run(&[
        "select",
        "in.csv",
        "--target",
        "label",
        "--method",
        "npfs",
        "--set",
        "alpha=1e-5",
        "--set",
        "permutations=5",
        "--set",
        "bootstraps=5",
    ]);
    assert_eq!(run.status, 0, "{run:?}");
}

#[test]
fn threads_beyond_use_are_not_started() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let run = place.run(&["select", "in.csv", "--target", "label", "--threads", "65535"]);
    assert!(run.status == 0 && run.err.contains("instead of 65535"), "{run:?}");
}

#[test]
fn columns_without_a_name_are_written_so_that_they_read_back() {
    let place = Place::new();
    let text = small_table(",", "\n").replacen("a,b,", "a,,", 1);
    place.write("in.csv", text);
    let run = place.run(&["select", "in.csv", "--target", "label", "--reduced", "d.arff"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(place.read("d.arff").contains("@attribute unnamed numeric"));
    assert_eq!(place.run(&["select", "d.arff", "--target", "label"]).status, 0);
}

#[test]
fn edited_models_whose_probabilities_do_not_sum_to_one_are_refused() {
    let place = Place::new();
    let text: String = small_table(",", "\n")
        .lines()
        .enumerate()
        .map(|(i, line)| match i {
            0 => format!("kind,{line}\n"),
            i => format!("{},{line}\n", ["red", "green"][i / 2 % 2]),
        })
        .collect();
    place.write("in.csv", text);
    for (method, key) in
        [("dlda", "shares"), ("naive-bayes", "shares"), ("naive-bayes", "log_probabilities"), ("cart", "shares")]
    {
        let drop: &[&str] = if method == "dlda" { &["--drop", "kind"] } else { &[] };
        let run = place.run(
            &[&["fit", "in.csv", "--target", "label", "--method", method, "--model", "m.json"][..], drop].concat(),
        );
        assert_eq!(run.status, 0, "{run:?}");
        let mut model = place.json("m.json");
        edit_first(&mut model, key);
        place.write("m.json", model.to_string());
        refused(&place.run(&["predict", "in.csv", "--model", "m.json"]), &["the model is damaged"]);
    }
}

/// Changes the first number under a key.
fn edit_first(value: &mut serde_json::Value, key: &str) -> bool {
    match value {
        serde_json::Value::Object(map) => {
            for (name, inner) in map {
                if (name == key && change(inner)) || edit_first(inner, key) {
                    return true;
                }
            }
            false
        }
        serde_json::Value::Array(all) => all.iter_mut().any(|inner| edit_first(inner, key)),
        _ => false,
    }
}

fn change(value: &mut serde_json::Value) -> bool {
    match value {
        serde_json::Value::Array(all) => all.iter_mut().any(change),
        serde_json::Value::Number(_) => {
            *value = serde_json::json!(
                value.as_f64().unwrap() * 0.5 - if value.as_f64().unwrap() < 0.0 { 1.0 } else { 0.0 }
            );
            true
        }
        _ => false,
    }
}

#[test]
#[cfg(unix)]
fn merging_something_without_an_end_is_refused() {
    let run = crate::common::Place::new().run(&["merge", "/dev/zero"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains("/dev/zero") && run.err.contains("tamis partial"), "{run:?}");
}

/// Text that is almost nothing compressed.
fn compressed(parts: &[(&str, usize)]) -> Vec<u8> {
    let mut gz = GzEncoder::new(vec![], Compression::fast());
    for (part, times) in parts {
        let block = part.repeat(1000);
        (0..times / 1000).for_each(|_| gz.write_all(block.as_bytes()).unwrap());
        gz.write_all(part.repeat(times % 1000).as_bytes()).unwrap();
    }
    gz.finish().unwrap()
}

#[test]
fn remarks_do_not_speak_for_the_size_of_a_matrix() {
    let place = Place::new();
    place.write("samples.csv", "id,group\n1,a\n2,b\n");
    let head = "%%MatrixMarket matrix coordinate integer general\n";
    let (remark, sizes) = (format!("%{}\n", "x".repeat(1000)), "300000000 100000000 1\n1 1 1\n");
    place.write("m.mtx.gz", compressed(&[(head, 1), (&remark, 100_000), (sizes, 1)]));
    place.write("m.mtx", format!("{head}{}{sizes}", remark.repeat(1000)));
    for file in ["m.mtx", "m.mtx.gz"] {
        let run = place.run(&["select", file, "--target", "group", "--samples", "samples.csv"]);
        refused(&run, &["it declares 300000000 rows in", "--max-expanded"]);
    }
}

#[test]
fn cells_that_are_kept_count_as_what_a_file_expands_to() {
    let place = Place::new();
    place.write("t.csv", "id,a,b\n1,1,2\n2,4,3\n3,2,6\n4,2,1\n");
    // each byte of text is a cell, which takes more than twenty times its memory
    let bound = ["--max-expanded", "40M"];
    let rows: Vec<(String, usize)> = (0..3000).map(|row| (format!("{row}{}\n", ",".repeat(1000)), 1)).collect();
    let rows: Vec<(&str, usize)> = rows.iter().map(|(row, times)| (row.as_str(), *times)).collect();
    place.write("samples.csv.gz", compressed(&[&[("id", 1), (",c", 1000), ("\n", 1)], &rows[..]].concat()));
    let samples = ["select", "t.csv", "--target", "group", "--samples", "samples.csv.gz"];
    refused(&place.run(&[&samples[..], &bound].concat()), &["its cells take more than", "--max-expanded"]);
    place.write("sets.gmt.gz", compressed(&[("s\tx", 1), ("\tg", 4_000_000), ("\n", 1)]));
    let sets = ["select", "t.csv", "--target", "a", "--id", "id", "--feature-groups", "sets.gmt.gz"];
    refused(&place.run(&[&sets[..], &bound].concat()), &["its cells take more than", "--max-expanded"]);
    place.write("wide.csv.gz", compressed(&[("x", 1), (",a", 4_000_000), ("\n", 1)]));
    let wide = ["select", "wide.csv.gz", "--target", "y"];
    refused(&place.run(&[&wide[..], &bound].concat()), &["its cells take more than", "--max-expanded"]);
    let names: String = (0..2000).map(|sample| format!("\ts{sample}")).collect();
    let lines: Vec<(String, usize)> =
        (0..1000).map(|line| (format!("!Sample_x{line}{}\n", "\t".repeat(2000)), 1)).collect();
    let mut parts = vec![("!Series_title\t\"x\"\n!Sample_geo_accession", 1), (names.as_str(), 1), ("\n", 1)];
    parts.extend(lines.iter().map(|(line, times)| (line.as_str(), *times)));
    parts.push(("!series_matrix_table_begin\nID_REF\ts0\ng\t1\n!series_matrix_table_end\n", 1));
    place.write("g_series_matrix.txt.gz", compressed(&parts));
    let geo = ["select", "g_series_matrix.txt.gz", "--target", "x1"];
    refused(&place.run(&[&geo[..], &bound].concat()), &["so many different characteristics"]);
}

#[test]
fn what_cannot_be_read_is_called_by_its_name() {
    let place = Place::new();
    let wide = |text: &str| text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<u8>>();
    place.write("t.csv", wide("\u{feff}a,b,y\n1,2,u\n2,3,v\n"));
    refused(&place.run(&["select", "t.csv", "--target", "y"]), &["UTF-32"]);
    let rows: String = (0..40).map(|i| format!("g{i},{},{}\n", f64::from(i * 37 % 41) / 10.0 - 2.0, i % 9)).collect();
    place.write("t.csv", format!("gene,t,df\n{rows}"));
    refused(
        &place.run(&["shrink", "t.csv", "--column", "t", "--df", "df"]),
        &["row 1, column `df`: 0 is no number of"],
    );
}

#[test]
fn a_score_without_a_bound_leaves_no_infinite_cell() {
    let place = Place::new();
    let rows: String = (0..20).map(|i| format!("{},{},{}\n", i % 2, i * 3 % 7, ["u", "v"][i % 2])).collect();
    place.write("t.csv", format!("a,b,y\n{rows}"));
    let run = place.run(&["select", "t.csv", "--target", "y", "--csv", "-", "--quiet"]);
    assert!(run.status == 0 && run.out.contains("a,TRUE") && !run.out.contains("inf"), "{run:?}");
}
