//! Files as other people's programs leave them: gene symbols beside names, remarks above a header, dates, thousands points,
//! samples that are called otherwise, donors that nobody mentions.

use crate::common::spreadsheet::{sheet, workbook};
use crate::common::{Place, Run};

/// 24 samples of 30 genes with genes in rows, three of which differ, and a file of samples with donors and batches.
fn place() -> Place {
    let place = Place::new();
    let names: Vec<String> = (0..24).map(|i| format!("s{i}")).collect();
    let value = |i: usize, j: usize| {
        let noise = ((i * 31 + j * 17 + 5) as f64 * 0.77).sin();
        ((noise + if j < 3 && i >= 12 { 2.0 } else { 0.0 }) * 1e4).round() / 1e4
    };
    let rows = |start: &dyn Fn(usize) -> String| -> String {
        let cells = |j: usize| (0..24).map(|i| format!("\t{}", value(i, j))).collect::<String>();
        (0..30).map(|j| format!("{}{}\n", start(j), cells(j))).collect()
    };
    let header = names.join("\t");
    place.write("genes.tsv", format!("gene\t{header}\n{}", rows(&|j| format!("g{j}"))));
    let described = format!("gene\tsymbol\tLength\t{header}\n{}", rows(&|j| format!("g{j}\tSYM{j}\t{}", 900 + j)));
    place.write("described.tsv", format!("# Program: \"counter\" \"-T\" 4\n{described}"));
    place.write("doubled.tsv", format!("gene\t{header}\n{}", rows(&|j| format!("g{}", j % 20))));
    let mut samples = String::from("name\tgroup\tdonor\tbatch\tother\n");
    for (i, name) in names.iter().enumerate() {
        let batch = ["p", "q"][usize::from(i % 12 < 10) ^ (i / 12)];
        samples.push_str(&format!("{name}\t{}\td{}\t{batch}\tx{i}\n", ["control", "treated"][i / 12], i / 4));
    }
    place.write("samples.tsv", samples);
    place
}

fn run(place: &Place, arguments: &[&str]) -> Run {
    place.run(&[&["select"], arguments, &["--target", "group", "--samples", "samples.tsv"]].concat())
}

fn refused(run: &Run, words: &[&str]) {
    assert_eq!(run.status, 2, "{run:?}");
    for word in words {
        assert!(run.err.contains(word), "{word}: {}", run.err);
    }
}

#[test]
fn columns_that_describe_genes_are_left_out() {
    let place = place();
    let plain = run(&place, &["genes.tsv", "--transpose", "--json", "plain.json"]);
    let described = run(&place, &["described.tsv", "--transpose", "--json", "described.json"]);
    assert!(plain.status == 0 && described.status == 0, "{plain:?} {described:?}");
    assert_eq!(place.json("plain.json")["features"], place.json("described.json")["features"]);
    assert!(described.err.contains("the column `symbol` holds text and no sample"), "{described:?}");
    let alone = place.run(&["select", "described.tsv", "--transpose", "--target", "g3"]);
    refused(&alone, &["text is mixed with numbers", "--drop symbol"]);
}

#[test]
fn names_of_genes_that_stand_twice_are_numbered() {
    let place = place();
    let found = run(&place, &["doubled.tsv", "--transpose", "--json", "out.json"]);
    assert!(found.status == 0 && found.err.contains("called like another, and numbered"), "{found:?}");
    let out = place.json("out.json");
    assert!(out["features"].as_array().unwrap().iter().any(|feature| feature["name"] == "g3-1"));
}

#[test]
fn a_header_of_samples_leads_to_transpose() {
    let place = place();
    refused(&run(&place, &["genes.tsv"]), &["24 samples", "--transpose"]);
    refused(&run(&place, &["genes.tsv", "--id", "gene"]), &["24 samples", "--transpose"]);
    place.write("a_samples.csv", "name,other\ns0,1\n");
    let alone = place.run(&["select", "genes.tsv", "--target", "group"]);
    refused(&alone, &["--transpose", "--samples samples.tsv"]);
    assert!(!place.run(&["select", "genes.tsv", "--target", "grup"]).err.contains("samples.tsv"));
}

#[test]
fn donors_and_batches_that_are_not_used_are_told() {
    let place = place();
    let found = run(&place, &["genes.tsv", "--transpose"]);
    assert!(found.err.contains("`donor` of the file of samples is not used: it has 6 values for 24"), "{found:?}");
    assert!(found.err.contains("`batch` of the file of samples is not used, and goes together"), "{found:?}");
    assert!(!found.err.contains("`other`"), "{found:?}");
    let used = run(&place, &["genes.tsv", "--transpose", "--block", "donor"]);
    assert!(!used.err.contains("`donor` of the file"), "{used:?}");
}

#[test]
fn names_that_almost_match_are_told() {
    let place = place();
    let good = place.read("samples.tsv");
    for (samples, words) in [
        (good.replace("\ns", "\nS"), "24 would be if capital letters did not count"),
        (
            good.replace("\nd", "\n").replace("\tcontrol", "-1\tcontrol").replace("\ttreated", "-1\ttreated"),
            "the last `-`",
        ),
    ] {
        place.write("samples.tsv", samples);
        refused(&run(&place, &["genes.tsv", "--transpose"]), &[words]);
    }
    let swapped = good.replace("name\t", "barcode\t").replace("\ts", "\tz").replace("other", "name");
    let swapped: Vec<String> = swapped.lines().map(|line| line.replace("\tx", "\ts").replacen('s', "c", 1)).collect();
    place.write("samples.tsv", swapped.join("\n"));
    refused(&run(&place, &["genes.tsv", "--transpose"]), &["--sample-id name"]);
}

#[test]
fn dates_in_spreadsheets_are_no_obstacle_where_they_are_not_used() {
    let place = Place::new();
    let rows: Vec<String> = (0..12).map(|i| format!("{},777777,{}", ["a", "b"][i % 2], (i * 7) % 5)).collect();
    let cells = sheet(&format!("y,taken,x\n{}\n", rows.join("\n")));
    let dated = cells.replace("<c><v>777777</v></c>", "<c t=\"d\"><v>2024-05-17</v></c>");
    assert_ne!(cells, dated);
    place.write("in.xlsx", workbook(&[("Data", dated)]));
    let with = |more: &[&str]| place.run(&[&["select", "in.xlsx", "--target", "y"], more].concat());
    refused(&with(&[]), &["B2", "2024-05-17", "--drop taken"]);
    assert_eq!(with(&["--drop", "taken"]).status, 0, "{:?}", with(&["--drop", "taken"]));
    assert_eq!(with(&["--id", "taken"]).status, 0);
}

#[test]
fn thousands_points_are_read_beside_decimal_commas() {
    let place = Place::new();
    let rows = |format: &dyn Fn(f64) -> String| -> String {
        let value = |i: usize| 900.0 + 150.0 * (i % 7) as f64 + 0.25 * (i % 3) as f64;
        (0..20).map(|i| format!("{};{}\n", ["a", "b"][i % 2], format(value(i)))).collect()
    };
    let german = |x: f64| {
        let whole = x.trunc() as u64;
        let cents = ((x - x.trunc()) * 100.0) as u64;
        if whole >= 1000 {
            format!("{}.{:03},{cents:02}", whole / 1000, whole % 1000)
        } else {
            format!("{whole},{cents:02}")
        }
    };
    place.write("german.csv", format!("y;x\n{}", rows(&german)));
    place.write("plain.csv", format!("y;x\n{}", rows(&|x| x.to_string())));
    let read = place.run(&["select", "german.csv", "--target", "y", "--decimal", ",", "--json", "german.json"]);
    assert_eq!(read.status, 0, "{read:?}");
    assert_eq!(place.run(&["select", "plain.csv", "--target", "y", "--json", "plain.json"]).status, 0);
    assert_eq!(place.json("german.json")["features"], place.json("plain.json")["features"]);
    refused(&place.run(&["select", "german.csv", "--target", "y"]), &["--decimal ,"]);
}

#[test]
fn files_that_others_read_say_who_does() {
    let place = Place::new();
    for (name, bytes, words) in [
        ("cells.h5ad", &b"\x89HDF\r\n\x1a\n\0\0\0"[..], "anndata.read_h5ad"),
        ("old.xls", &b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], ".xlsx"),
        ("fit.rds", &b"\x1f\x8b\x08\0\0\0\0\0"[..], "R package"),
    ] {
        place.write(name, bytes);
        refused(&place.run(&["select", name, "--target", "y"]), &[words]);
    }
}

#[test]
fn statistics_of_the_wrong_column_are_noticed() {
    let place = Place::new();
    let z = |i: usize| 3.0 * ((i * 37) as f64 * 0.77).sin();
    let line = |i: usize| format!("G{i},5,{},0.5,{},{},0.5\n", z(i) / 2.0, z(i), if i < 3 { "NA" } else { "0.3" });
    let rows: String = (0..100).map(line).collect();
    place.write("deseq.csv", format!(",baseMean,log2FoldChange,lfcSE,stat,pvalue,padj\n{rows}"));
    let outliers = place.run(&["shrink", "deseq.csv"]);
    assert!(
        outliers.status == 0 && outliers.err.contains("3 features have a statistic but no p-value"),
        "{outliers:?}"
    );
    refused(&place.run(&["shrink", "deseq.csv", "--pvalue", "padj"]), &["adjusted"]);
    let rows: String = (0..100).map(|i| format!("G{i},{}\n", -6.0 + 0.1 * z(i))).collect();
    place.write("odds.csv", format!(",B\n{rows}"));
    let odds = place.run(&["shrink", "odds.csv", "--column", "B"]);
    assert!(odds.err.contains("no score is near 0"), "{odds:?}");
    let rows: String = (0..100).map(|i| format!("G{i},{}\n", 0.1 * z(i))).collect();
    place.write("z.csv", format!(",logFC\n{rows}"));
    let small = place.run(&["shrink", "z.csv"]);
    assert!(small.status == 0 && small.err.contains("do not look like z scores"), "{small:?}");
}
