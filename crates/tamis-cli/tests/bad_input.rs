//! Every input that cannot be used: exit status 2, a message that says where and what to do, nothing written.

use crate::common::{Place, small_table};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Runs `select` on these bytes with both outputs asked for; expects refusal.
fn refused(bytes: &[u8], more: &[&str], says: &[&str]) {
    refused_file("in.csv", bytes, &[&["--target", "label"], more].concat(), says);
}

/// Like `refused`, for a file of this name.
fn refused_file(name: &str, bytes: &[u8], more: &[&str], says: &[&str]) {
    let place = Place::new();
    place.write(name, bytes);
    let mut arguments = vec!["select", name, "--json", "out.json", "--reduced", "small.csv"];
    arguments.extend(more);
    let run = place.run(&arguments);
    assert_eq!(run.status, 2, "{run:?}");
    assert_eq!(run.out, "", "nothing on standard output");
    for text in says {
        assert!(run.err.contains(text), "`{text}` is not in: {}", run.err);
    }
    assert!(!run.err.contains("panicked"), "{}", run.err);
    assert_eq!(place.files(), [name], "nothing is left behind");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// A small table with one cell (row counted from 1) replaced.
fn with_cell(row: usize, column: usize, cell: &str) -> String {
    let text = small_table(",", "\n");
    let mut lines: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    lines[row][column] = cell;
    lines.iter().map(|l| l.join(",") + "\n").collect()
}

/// A small table with its last column replaced.
fn with_target(cell: impl Fn(usize) -> String) -> String {
    let text = small_table(",", "\n");
    let lines = text.lines().enumerate().map(|(i, line)| match (i, line.rsplit_once(',')) {
        (0, _) => line.to_string() + "\n",
        (_, Some((rest, _))) => format!("{rest},{}\n", cell(i)),
        (_, None) => unreachable!(),
    });
    lines.collect()
}

#[test]
fn a_missing_file() {
    let place = Place::new();
    place.write("genes.csv.gz", b"x");
    let run = place.run(&["select", "genes.csv", "--target", "label"]);
    assert_eq!(run.status, 2);
    assert!(
        run.err.contains("cannot read `genes.csv`: there is no such file (but there is `genes.csv.gz`)"),
        "{}",
        run.err
    );
    let run = place.run(&["shrink", "none.csv", "--column", "z"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("no such file"), "{}", run.err);
}

#[test]
fn a_folder_instead_of_a_file() {
    let run = Place::new().run(&["select", ".", "--target", "label"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("it is a folder"), "{}", run.err);
}

#[test]
fn an_empty_file() {
    refused(b"", &[], &["`in.csv`", "the file is empty"]);
    refused(b"\n\n  \n", &[], &["the file is empty"]);
}

#[test]
fn a_header_only() {
    refused(b"a,b,label\n", &[], &["`in.csv`", "no row below it"]);
}

#[test]
fn ragged_rows() {
    let mut text = small_table(",", "\n");
    text.push_str("1,2,3\n");
    refused(text.as_bytes(), &[], &["`in.csv`, row 25", "3 fields instead of 9", "--delimiter"]);
    let long = small_table(",", "\n") + "1,2,3,4,5,6,7,8,yes,9\n";
    refused(long.as_bytes(), &[], &["row 25", "10 fields instead of 9"]);
}

#[test]
fn numbers_mixed_with_text() {
    let text = with_cell(17, 2, "n/a");
    refused(text.as_bytes(), &[], &["column `c`", "`n/a` in row 17", "--missing n/a", "--drop c"]);
    refused(with_cell(3, 2, "\"1,5\"").as_bytes(), &[], &["column `c`", "decimal point"]);
    refused(with_cell(3, 2, "\"27,408.5\"").as_bytes(), &[], &["column `c`", "thousands separators"]);
    refused(with_cell(3, 2, "\u{2212}1").as_bytes(), &[], &["column `c`", "plain `-`"]);
    let text = with_cell(3, 2, "-999x");
    let place = Place::new();
    place.write("in.csv", text);
    assert_eq!(place.run(&["select", "in.csv", "--target", "label", "--missing", "-999x"]).status, 0);
}

#[test]
fn a_number_that_means_missing_is_no_number() {
    let place = Place::new();
    place.write("in.csv", with_cell(3, 2, "-999"));
    let run = place.run(&["select", "in.csv", "--target", "label", "--missing", "-999"]);
    assert!(run.status == 0 && run.err.contains("1 feature with missing values"), "{run:?}");
}

/// A small table with a first column `who` of these texts.
fn with_text(text: impl Fn(usize) -> String) -> String {
    let lines = small_table(",", "\n");
    let first = |i: usize| if i == 0 { "who".to_string() } else { text(i) };
    lines.lines().enumerate().map(|(i, line)| format!("{},{line}\n", first(i))).collect()
}

#[test]
fn text_with_too_many_values_or_mixed_with_numbers() {
    let mut many = with_text(|i| format!("p{i}"));
    let rows: String = (0..60).map(|i| format!("q{i},1,2,3,4,5,6,7,8,yes\n")).collect();
    many.push_str(&rows);
    refused(many.as_bytes(), &[], &["column `who`", "more than 64 distinct values", "`p1`", "--id who", "--drop who"]);
    let mixed = with_text(|i| if i < 9 { "low".into() } else { i.to_string() });
    refused(mixed.as_bytes(), &[], &["column `who`", "text is mixed with numbers", "`9` in row 9", "--missing low"]);
}

#[test]
fn weights_that_cannot_be_used() {
    let weights = |w: fn(usize) -> String| with_text(w).replacen("who", "w", 1);
    let weight = ["--weight", "w"];
    refused(weights(|i| (2 - i as i64 % 4).to_string()).as_bytes(), &weight, &["row 3", "column `w`", "weight is -1"]);
    refused(weights(|_| "0".into()).as_bytes(), &weight, &["column `w`", "sum to zero"]);
    refused(weights(|i| if i == 4 { String::new() } else { "1".into() }).as_bytes(), &weight, &["row 4", "missing"]);
    refused(weights(|_| "heavy".into()).as_bytes(), &weight, &["column `w`", "24 values are not numbers"]);
    refused(weights(|_| "1".into()).as_bytes(), &["--weight", "w", "--drop", "w"], &["--weight", "name it once"]);
    refused(weights(|_| "1".into()).as_bytes(), &["--keep", "label"], &["--keep", "not a feature"]);
}

#[test]
fn infinite_cells() {
    for cell in ["inf", "-Infinity", "1e999"] {
        refused(with_cell(5, 1, cell).as_bytes(), &[], &["row 5", "column `b`", "is infinite", "--missing"]);
    }
}

#[test]
fn a_target_that_is_absent() {
    let text = small_table(",", "\n").replace("label", "lable");
    refused(text.as_bytes(), &[], &["no column `label`", "did you mean `lable`?"]);
}

#[test]
fn a_target_that_is_constant() {
    refused(with_target(|_| "yes".into()).as_bytes(), &[], &["column `label`", "one value only", "--target"]);
    let real = ["--task", "real"];
    refused(with_target(|_| "1.5".into()).as_bytes(), &real, &["column `label`", "one value only"]);
}

#[test]
fn a_target_that_is_all_missing() {
    refused(with_target(|_| "NA".into()).as_bytes(), &[], &["column `label`", "is missing", "--target"]);
}

#[test]
fn a_class_with_one_sample() {
    let text = with_target(|i| if i == 1 { "once".into() } else { ["yes", "no"][i % 2].into() });
    refused(text.as_bytes(), &[], &["class `once` has one sample only", "`tamis select`, with `--task real`"]);
}

#[test]
fn a_target_that_is_not_a_number_where_one_is_asked_for() {
    refused(small_table(",", "\n").as_bytes(), &["--task", "real"], &["row 1", "column `label`", "is not a number"]);
}

#[test]
fn an_unknown_positive_class() {
    refused(small_table(",", "\n").as_bytes(), &["--positive", "maybe"], &["no class `maybe`", "`no`, `yes`"]);
    let several = with_target(|i| ["r", "g", "b"][i % 3].into());
    refused(several.as_bytes(), &["--positive", "r"], &["--positive", "two classes"]);
}

#[test]
fn duplicate_column_names() {
    let text = small_table(",", "\n").replacen("a,b,c", "a,b,a", 1);
    refused(text.as_bytes(), &[], &["`in.csv`", "two columns are called `a`", "rename"]);
}

#[test]
fn all_features_constant() {
    let text: String =
        std::iter::once("a,b,label\n".to_string()).chain((0..8).map(|i| format!("1,2,{}\n", i % 2))).collect();
    refused(text.as_bytes(), &[], &["every one is constant"]);
}

#[test]
fn no_feature_at_all() {
    refused(b"label\nx\ny\nx\ny\n", &[], &["no feature besides the target"]);
}

#[test]
fn fewer_than_two_rows() {
    refused(b"a,b,label\n1,2,x\n", &[], &["1 row;", "at least 2"]);
}

#[test]
fn bytes_that_are_not_utf8() {
    let mut text = with_cell(4, 2, "@@").into_bytes();
    let at = text.windows(2).position(|w| w == b"@@").unwrap();
    text[at] = 0xff;
    refused(&text, &[], &["row 4", "column `c`", "UTF-8"]);
    let mut header = small_table(",", "\n").into_bytes();
    header[0] = 0xe9;
    refused(&header, &[], &["column 1", "UTF-8"]);
    refused(b"\xff\xfea\x00,\x00", &[], &["UTF-16"]);
}

#[test]
fn truncated_and_damaged_gzip() {
    let whole = gzip(small_table(",", "\n").as_bytes());
    refused(&whole[..whole.len() / 2], &[], &["`in.csv`", "end early"]);
    let mut damaged = whole.clone();
    let n = damaged.len();
    damaged[n - 6] ^= 0x55; // the checksum
    refused(&damaged, &[], &["`in.csv`", "damaged"]);
    let zst = zstd::encode_all(small_table(",", "\n").as_bytes(), 3).unwrap();
    refused(&zst[..zst.len() / 2], &[], &["`in.csv`", "end early"]);
}

#[test]
fn a_compressed_file_that_expands_without_end() {
    let bomb = gzip(&vec![b'1'; 30 << 20]);
    assert!(bomb.len() < 100_000);
    refused(&bomb, &["--max-expanded", "1M"], &["expand to more than 1048576 bytes", "--max-expanded"]);
    let bomb = zstd::encode_all(&vec![b','; 30 << 20][..], 3).unwrap();
    refused(&bomb, &["--max-expanded", "1M"], &["expand to more than 1048576 bytes"]);
}

/// A small array of NumPy as its header describes it.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{header}\n");
    [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

#[test]
fn lines_of_libsvm_that_are_out_of_order() {
    let lines = |bad: &str| format!("1 1:2 3:1\n0 1:3 2:4\n{bad}\n0 1:1\n");
    let refused = |bad: &str, says: &[&str]| refused_file("in.libsvm", lines(bad).as_bytes(), &[], says);
    refused("1 3:1 2:5", &["`in.libsvm`, row 3", "3", "2"]);
    refused("1 0:1", &["row 3", "1"]);
    refused("1 2:1 2:3", &["row 3"]);
    refused("1 2:x", &["row 3", "`x`"]);
    refused("1 2:inf", &["row 3", "infinite"]);
    refused("1 2", &["row 3"]);
    refused("1 99999999999999999999:1", &["row 3"]);
    refused("1 2000000000:1", &["row 3", "too large"]);
}

#[test]
fn arff_that_does_not_keep_to_what_it_declares() {
    let file = |rows: &str| {
        format!(
            "@relation r\n@attribute x numeric\n@attribute c {{red, green}}\n@attribute label {{a,b}}\n@data\n{rows}"
        )
    };
    let refused = |rows: &str, says: &[&str]| {
        refused_file("in.arff", file(rows).as_bytes(), &["--target", "label"], says);
    };
    refused("1,red,a\n2,blue,b\n", &["row 2, column `c`", "`blue`"]);
    refused("1,red,a\n2,red,c\n", &["row 2, column `label`", "`c`"]);
    refused("1,red,a\n2,red\n", &["row 2"]);
    refused("1,red,a\ntwo,red,b\n", &["row 2, column `x`", "`two`"]);
    refused("", &["no row"]);
    refused_file("in.arff", b"@relation r\n@attribute x date\n@data\n1\n", &["--target", "x"], &["in.arff"]);
}

#[test]
fn arrays_that_hold_something_else_or_less_than_they_say() {
    let head = |descr: &str, shape: &str| format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let refused = |descr: &str, shape: &str, says: &[&str]| {
        refused_file("in.npy", &npy(&head(descr, shape), &[0; 64]), &[], says);
    };
    refused("|O", "(4, 2)", &["`in.npy`", "Python objects", "astype(float)"]);
    refused("<f8", "(400000000000, 2)", &["ends before"]);
    refused("<f8", "(9, 1)", &["ends before"]);
    refused("<f8", "(7, 1)", &["bytes behind"]);
    refused("<c16", "(2, 2)", &["complex"]);
}

#[test]
fn an_archive_that_expands_without_end() {
    let zeros = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (400000, 10), }", &vec![0; 32_000_000]);
    let mut squeezed = flate2::write::DeflateEncoder::new(Vec::new(), Compression::best());
    squeezed.write_all(&zeros).unwrap();
    let squeezed = squeezed.finish().unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(&zeros);
    let sizes: Vec<u8> =
        [crc.sum(), squeezed.len() as u32, zeros.len() as u32].iter().flat_map(|n| n.to_le_bytes()).collect();
    let common = [&[20, 0, 0, 0, 8, 0, 0, 0, 0, 0][..], &sizes, &[5, 0, 0, 0]].concat();
    let mut zip = [b"PK\x03\x04", &common[..], b"X.npy", &squeezed].concat();
    let start = zip.len() as u32;
    let entry = [b"PK\x01\x02\x14\0", &common[..], &[0; 14], b"X.npy"].concat();
    let end = [
        &entry[..],
        b"PK\x05\x06\0\0\0\0\x01\0\x01\0",
        &(entry.len() as u32).to_le_bytes(),
        &start.to_le_bytes(),
        &[0; 2],
    ];
    zip.extend(end.concat());
    assert!(zip.len() < 100_000, "{}", zip.len());
    let more = ["--target", "f10", "--max-expanded", "1M"];
    refused_file("in.npz", &zip, &more, &["`in.npz`", "--max-expanded"]);
    refused_file("in.npz", &zip[..zip.len() / 2], &more, &["`in.npz`"]);
}

/// Files by another library, damaged: cut anywhere, or with numbers in them that lie.
#[cfg(feature = "parquet")]
#[test]
fn columnar_files_that_are_damaged_or_nested() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for name in ["columnar.parquet", "columnar.feather", "columnar-lz4.feather"] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let more = ["--target", "label"];
        // these have lists, structs and dates, none of which is a feature
        if !name.contains("lz4") {
            refused_file(name, &bytes, &more, &["column `", "--drop"]);
        }
        refused_file(name, &bytes[..bytes.len() / 2], &more, &[name]);
        refused_file(name, &bytes[..bytes.len() - 1], &more, &[name]);
        refused_file(name, &bytes[..9], &more, &[name]);
    }
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    for name in ["copy.parquet", "copy.arrow"] {
        let head = small_table(",", "\n").lines().next().unwrap().to_string();
        let mut arguments = vec!["select", "in.csv", "--target", "label", "--quiet", "--reduced", name];
        head.split(',').filter(|name| *name != "label").for_each(|name| arguments.extend(["--keep", name]));
        assert_eq!(place.run(&arguments).status, 0);
        let bytes = std::fs::read(place.path(name)).unwrap();
        // the length of what follows or precedes, where each format has it: two thousand million bytes
        let at = if name.ends_with("arrow") { 12 } else { bytes.len() - 8 };
        let mut lying = bytes.clone();
        lying[at..at + 4].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
        refused_file(name, &lying, &["--target", "label"], &[name]);
        refused_file(name, &bytes[..bytes.len() / 2], &["--target", "label"], &[name]);
    }
}

/// Such a file without the means to read it: the message says how to get them.
#[cfg(not(feature = "parquet"))]
#[test]
fn columnar_files_say_how_to_read_them() {
    refused_file("in.parquet", b"PAR1rest", &["--target", "label"], &["--features parquet"]);
}

#[test]
fn files_of_another_kind() {
    refused(b"PK\x03\x04rest", &[], &["Excel", "CSV"]);
    refused(b"PAR1rest", &[], &["Parquet"]);
}

#[test]
fn lines_that_end_with_a_lone_carriage_return() {
    refused(small_table(",", "\r").as_bytes(), &[], &["`in.csv`", "carriage return"]);
}

#[test]
fn options_that_a_format_has_no_use_for() {
    let place = Place::new();
    place.write("in.libsvm", "1 1:2\n0 1:3\n1 1:4\n0 1:1\n");
    let run = place.run(&["select", "in.libsvm", "--delimiter", ";"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains("--delimiter") && run.err.contains("libsvm"), "{}", run.err);
    place.write("z.csv", "z\n1\n2\n");
    let run = place.run(&["shrink", "z.csv", "--format", "npy"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains("not read from npy"), "{}", run.err);
}

#[test]
fn an_output_that_is_no_name() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let run = place.run(&["select", "in.csv", "--target", "label", "--report", "-"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert_eq!(place.files(), ["in.csv"]);
}

#[test]
fn a_quote_that_is_never_closed() {
    let text = with_cell(2, 1, "\"1.5");
    refused(text.as_bytes(), &[], &["`in.csv`", "not closed"]);
}

#[test]
fn a_first_line_of_numbers() {
    refused(b"0.5,1.5,2.5\n1,2,3\n4,5,6\n", &[], &["first line holds numbers", "names"]);
}

#[test]
fn unknown_methods_keys_and_values() {
    let text = small_table(",", "\n");
    let text = text.as_bytes();
    refused(text, &["--method", "snbll"], &["no method `snbll`", "did you mean `snbl`?"]);
    refused(text, &["--method", "shrink"], &["tamis shrink"]);
    refused(text, &["--set", "pior=kde"], &["no parameter `pior`", "did you mean `prior`?"]);
    refused(text, &["--set", "prior"], &["KEY=VALUE"]);
    refused(text, &["--set", "prior=uniform"], &["`prior` cannot be `uniform`", "auto, kde"]);
    refused(text, &["--set", "tol=0.01"], &["`tol`", "has no effect"]);
    refused(text, &["--set", "tol=7"], &["`tol` cannot be 7", "1e-15"]);
    refused(text, &["--set", "max_iter=0"], &["`max_iter` cannot be 0"]);
    refused(text, &["--set", "bandwidth=-2"], &["`bandwidth` cannot be -2"]);
    refused(text, &["--set", "decide=fdr:2"], &["`decide` cannot be fdr:2"]);
    refused(text, &["--set", "score=pearson"], &["`score` cannot be pearson", "--task real"]);
    refused(text, &["--set", "score=f", "--set", "scale=raw"], &["`scale` cannot be raw", "not a t statistic"]);
    refused(text, &["--threads", "0"], &["--threads"]);
    refused(text, &["--delimiter", "ab"], &["--delimiter"]);
    refused(text, &["--drop", "zz"], &["no column `zz`"]);
    refused(text, &["--id", "zz"], &["no column `zz`"]);
    refused(text, &["--drop", "label"], &["--target", "name it once"]);
    let place = Place::new();
    assert_eq!(place.run(&["methods", "snlb"]).status, 2);
    assert_eq!(place.run(&["sleect"]).status, 2);
    assert_eq!(place.run(&["select"]).status, 2);
}

#[test]
fn an_output_folder_that_is_not_there() {
    for (option, path) in [("--json", "no/such/out.json"), ("--reduced", "no/such/out.csv")] {
        let place = Place::new();
        place.write("in.csv", small_table(",", "\n"));
        let run = place.run(&["select", "in.csv", "--target", "label", option, path]);
        assert_eq!(run.status, 2);
        assert!(run.err.contains("there is no folder `no/such`"), "{}", run.err);
        assert_eq!(place.files(), ["in.csv"]);
    }
}

#[test]
fn an_output_that_would_overwrite_the_input_or_another() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let run = place.run(&["select", "in.csv", "--target", "label", "--reduced", "./in.csv"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("it is the input"), "{}", run.err);
    let run = place.run(&["select", "in.csv", "--target", "label", "--reduced", "x", "--json", "x"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("another output"), "{}", run.err);
    assert_eq!(place.read("in.csv"), small_table(",", "\n"));
}

#[test]
fn scores_that_cannot_be_shrunk() {
    let place = Place::new();
    let refuse = |text: &str, arguments: &[&str], says: &[&str]| {
        place.write("z.csv", text);
        let mut all = vec!["shrink", "z.csv", "--json", "out.json"];
        all.extend(arguments);
        let run = place.run(&all);
        assert_eq!(run.status, 2, "{run:?}");
        for text in says {
            assert!(run.err.contains(text), "`{text}` is not in: {}", run.err);
        }
        assert_eq!(place.files(), ["z.csv"]);
    };
    refuse("gene,z\na,1.5\nb,inf\n", &["--column", "z"], &["row 2", "column `z`", "infinite"]);
    refuse("gene,z\na,1.5\nb,-2\n", &["--column", "t"], &["no column `t`"]);
    refuse("gene,z\na,1.5\nb,-2\n", &[], &["--column", "`gene`, `z`"]);
    refuse("gene,z\na,1.5\nb,oops\n", &["--column", "z"], &["column `z`", "`oops` in row 2", "--missing oops"]);
    refuse("gene,z\na,1.5\nb,2\n", &["--column", "z", "--df", "0"], &["--df", "more than 0"]);
    refuse("gene,z\na,\nb,NA\n", &["--column", "z"], &["every score is missing"]);
    refuse("z\n", &[], &["no row below it"]);
}

#[test]
fn filters_that_cannot_be_run() {
    let table = small_table(",", "\n");
    let features = table.lines().next().unwrap().split(',').count() - 1;
    let all = format!("k={features}");
    let with = |method: &str, set: &[&str], says: &[&str]| {
        let mut more = vec!["--method", method];
        set.iter().for_each(|s| more.extend(["--set", s]));
        refused(table.as_bytes(), &more, says);
    };
    for method in ["jmi", "npfs", "fisher", "trace-ratio", "l21", "t"] {
        with(method, &["k=0"], &["`k`", "at least one"]);
        with(method, &[&all], &["`k`", "less than the number of features"]);
    }
    with("npfs", &["k=100000"], &["less than"]);
    with("npfs", &["alpha=0"], &["alpha", "between 0 and 1"]);
    with("npfs", &["alpha=1"], &["alpha"]);
    with("npfs", &["alpha=1.5"], &["alpha"]);
    with("npfs", &["alpha=x"], &["alpha", "auto, 0…1"]);
    with("npfs", &["null=binomial", "beta=0.95", "k=2"], &["beta", "lower it"]);
    with("npfs", &["beta=0.1"], &["`beta` has no effect with null=permutation; remove it"]);
    with("npfs", &["base=snbl", "k=3"], &["`k` has no effect with base=snbl; remove it"]);
    with("npfs", &["base=fisher", "bins=3"], &["`bins` has no effect with base=fisher; remove it"]);
    with("npfs", &["base=nothing"], &["base", "jmi, mrmr"]);
    with("npfs", &["bootstraps=1"], &["bootstraps"]);
    with("npfs", &["permutations=0"], &["permutations"]);
    with("npfs", &["null=stability", "alpha=0.1"], &["null=stability"]);
    with("jmi", &["bins=1"], &["bins"]);
    with("jmi", &["bins=300"], &["bins"]);
    with("jmi", &["discretise=mdl", "bins=5"], &["`bins` has no effect with discretise=mdl; remove it"]);
    with("mrmr", &["form=ratio"], &["difference, quotient"]);
    with("pairs", &["permutations=0"], &["permutations"]);
    with("l21", &["gamma=0"], &["gamma"]);
}

#[test]
fn columns_with_too_many_levels() {
    let rows: String = (0..400).map(|i| format!("{},{},{}\n", i * 7 % 331, i % 3, i % 2)).collect();
    let table = format!("many,few,label\n{rows}");
    let more = ["--method", "jmi", "--set", "discretise=categories", "--set", "k=1"];
    refused(table.as_bytes(), &more, &["column `many`", "331 levels", "discretise=frequency"]);
}

#[test]
fn matrices_that_are_not_of_zeros_and_ones() {
    let refuse = |text: &str, more: &[&str], says: &[&str]| {
        let place = Place::new();
        place.write("in.csv", text);
        let run = place.run(&[&["npfs-decide", "in.csv", "--json", "out.json"], more].concat());
        assert_eq!(run.status, 2, "{run:?}");
        says.iter().for_each(|s| assert!(run.err.contains(s), "`{s}` is not in: {}", run.err));
        assert_eq!(place.files(), ["in.csv"]);
    };
    refuse("a,b\n1,0\n0,2\n", &[], &["row 2, column `b`", "`2` is neither 0 nor 1"]);
    refuse("a,b\n1,0\n0,\n", &[], &["row 2, column `b`"]);
    refuse("a,b\n1,0\n0,x\n", &[], &["`b`"]);
    refuse("a,b\n1,0\n", &[], &["fewer than 2 runs"]);
    refuse("a,b\n1,0\n0,1\n", &["--set", "null=permutation"], &["no target to permute"]);
    refuse("a,b\n1,1\n1,1\n", &["--set", "beta=0.5"], &["beta"]);
    refuse("a,b\n1,0\n0,1\n", &["--set", "k=3"], &["k"]);
}
