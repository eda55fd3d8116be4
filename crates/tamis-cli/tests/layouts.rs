//! Files as they come: features in rows, samples in a second file, decimal commas, statistics of other programs.

use crate::common::Place;
use crate::common::spreadsheet::{sheet, workbook};
use serde_json::Value;

/// 24 samples of 30 genes, upright and with genes in rows, and a file of samples.
fn place() -> Place {
    let place = Place::new();
    let genes: Vec<Vec<f64>> = (0..30)
        .map(|j| {
            let value = |i: usize| {
                let noise = ((i * 31 + j * 17 + 5) as f64 * 0.77).sin();
                noise + if j < 3 && i % 2 == 1 { 2.0 } else { 0.0 }
            };
            (0..24).map(|i| (value(i) * 1e4).round() / 1e4).collect()
        })
        .collect();
    let label = |i: usize| ["control", "treated"][i % 2];
    let mut upright = String::from("sample,group,age");
    (0..30).for_each(|j| upright.push_str(&format!(",g{j}")));
    let mut samples = String::from("name\tgroup\tage\tremark\n");
    let mut transposed = String::from("gene");
    for i in 0..24 {
        upright.push_str(&format!("\ns{i},{},{}", label(i), 40 + i * 7 % 11));
        genes.iter().for_each(|gene| upright.push_str(&format!(",{}", gene[i])));
        transposed.push_str(&format!(",s{i}"));
    }
    for i in [5, 3, 1].into_iter().chain((0..24).filter(|i| ![5, 3, 1].contains(i))) {
        samples.push_str(&format!("s{i}\t{}\t{}\tnone\n", label(i), 40 + i * 7 % 11));
    }
    for (j, gene) in genes.iter().enumerate() {
        transposed.push_str(&format!("\ng{j}"));
        gene.iter().for_each(|x| transposed.push_str(&format!(",{x}")));
    }
    place.write("upright.csv", &upright);
    place.write("samples.tsv", samples);
    place.write("transposed.csv", transposed);
    place
}

fn features(place: &Place, arguments: &[&str]) -> Value {
    let run = place.run(&[&["select"], arguments, &["--json", "out.json"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    place.json("out.json")["features"].clone()
}

const SAMPLES: [&str; 3] = ["--transpose", "--samples", "samples.tsv"];

#[test]
fn genes_in_rows_give_the_bits_of_the_upright_table() {
    let place = place();
    let upright = features(&place, &["upright.csv", "--target", "group", "--id", "sample", "--drop", "age"]);
    let transposed = features(&place, &[&["transposed.csv", "--target", "group"], &SAMPLES[..]].concat());
    assert_eq!(upright, transposed);
    let adjusted = features(&place, &["upright.csv", "--target", "group", "--id", "sample", "--covariate", "age"]);
    let both = [&["transposed.csv", "--target", "group", "--covariate", "age"], &SAMPLES[..]].concat();
    assert_eq!(adjusted, features(&place, &both));
    // annotations beside an upright table
    let drop = ["--drop", "group", "--drop", "age"];
    let beside = ["upright.csv", "--id", "sample", "--target", "group", "--samples", "samples.tsv"];
    assert_eq!(upright, features(&place, &[&beside[..], &drop].concat()));
    // the target as a row among the features
    let text = place.read("transposed.csv");
    let (head, rest) = text.split_once('\n').unwrap();
    let labels: Vec<&str> = (0..24).map(|i| ["control", "treated"][i % 2]).collect();
    place.write("with_target.csv", format!("{head}\ngroup,{}\n{rest}", labels.join(",")));
    let own = features(&place, &["with_target.csv", "--target", "group", "--transpose"]);
    assert_eq!(upright.as_array().unwrap().len(), own.as_array().unwrap().len());
    assert_eq!(upright[0]["score"], own[0]["score"]);
}

#[test]
fn rows_that_the_layout_calls_samples_are_called_so() {
    let place = place();
    let answer = |arguments: &[&str]| {
        let run = place.run(&[&["select"], arguments].concat());
        assert_eq!(run.status, 0, "{run:?}");
        run.out
    };
    let transposed = answer(&[&["transposed.csv", "--target", "group"], &SAMPLES[..]].concat());
    assert!(transposed.contains("24 samples, 30 features") && !transposed.contains("24 rows"), "{transposed}");
    let upright = answer(&["upright.csv", "--target", "group", "--id", "sample", "--drop", "age"]);
    assert!(upright.contains("24 rows, 30 features"), "{upright}");
    // a sample without a target
    let samples = place.read("samples.tsv").replace("s7\ttreated", "s7\t");
    place.write("samples.tsv", samples);
    let run = place.run(&[&["select", "transposed.csv", "--target", "group"], &SAMPLES[..]].concat());
    assert!(run.err.contains("1 of 24 samples has no target and is set aside"), "{run:?}");
}

#[test]
fn models_predict_from_genes_in_rows() {
    let place = place();
    let fit = ["fit", "transposed.csv", "--target", "group", "--method", "dlda", "--model", "m.json"];
    let run = place.run(&[&fit[..], &SAMPLES].concat());
    assert_eq!(run.status, 0, "{run:?}");
    let run = place.run(&["predict", "transposed.csv", "--transpose", "--model", "m.json", "--out", "p.csv"]);
    assert_eq!(run.status, 0, "{run:?}");
    let text = place.read("p.csv");
    assert_eq!(text.lines().count(), 25);
    assert!(text.starts_with("sample,predicted,p_control,p_treated\ns0,control,"), "{text}");
}

#[test]
fn names_that_do_not_match_are_told() {
    let place = place();
    let run = |samples: &str, options: &[&str]| {
        place.write("other.tsv", samples);
        let base = ["select", "transposed.csv", "--transpose", "--samples", "other.tsv", "--target", "group"];
        place.run(&[&base[..], options].concat())
    };
    let good = place.read("samples.tsv");
    let partly = run(&good.replace("s0\t", "x0\t").replace("s23\t", "x23\t"), &[]);
    assert_eq!(partly.status, 0, "{partly:?}");
    assert!(partly.err.contains("`s0`, `s23`") && partly.err.contains("`x0`, `x23`"), "{partly:?}");
    let none = run(&good.replace("\ns", "\nx"), &[]);
    assert_eq!(none.status, 2, "{none:?}");
    assert!(none.err.contains("no sample of the table") && none.err.contains("--sample-id"), "{none:?}");
    let twice = run(&good.replace("s7\t", "s6\t"), &[]);
    assert!(twice.status == 2 && twice.err.contains("`s6` stands twice"), "{twice:?}");
    let column = run(&good, &["--sample-id", "remark"]);
    assert!(column.status == 2 && column.err.contains("stands twice"), "{column:?}");
    let missing = run(&good.replace("group", "klass"), &[]);
    assert!(missing.status == 2 && missing.err.contains("group"), "{missing:?}");
    let ragged = run(&good.replace("\tnone\ns4", "\ns4"), &[]);
    assert!(ragged.status == 2 && ragged.err.contains("fields"), "{ragged:?}");
}

#[test]
fn a_file_with_genes_in_rows_proposes_what_to_type() {
    let place = place();
    let run = place.run(&["select", "transposed.csv", "--target", "group"]);
    assert_eq!(run.status, 2, "{run:?}");
    for words in ["--transpose", "--samples samples.tsv", "`g0`", "24 samples"] {
        assert!(run.err.contains(words), "{words}: {}", run.err);
    }
    let run = place.run(&["select", "upright.csv", "--target", "grp", "--id", "sample"]);
    assert!(run.status == 2 && !run.err.contains("--transpose"), "{run:?}");
    let run = place.run(&[
        "select",
        "transposed.csv",
        "--transpose",
        "--samples",
        "samples.tsv",
        "--memory",
        "1K",
        "--target",
        "group",
    ]);
    assert!(run.status == 2 && run.err.contains("--transpose"), "{run:?}");
}

#[test]
fn decimal_commas_are_refused_with_the_remedy_and_read_on_request() {
    let place = place();
    let commas: String = place.read("upright.csv").replace(',', ";").replace('.', ",");
    place.write("commas.csv", &commas);
    let run = place.run(&["select", "commas.csv", "--target", "group", "--id", "sample"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains("--decimal ,"), "{run:?}");
    let read = features(&place, &["commas.csv", "--target", "group", "--id", "sample", "--decimal", ","]);
    assert_eq!(read, features(&place, &["upright.csv", "--target", "group", "--id", "sample"]));
    let target = commas.replace("group", "x").replace(";control;", ";1,5;").replace(";treated;", ";2,5;");
    place.write("target.csv", target);
    let run = place.run(&["select", "target.csv", "--target", "x", "--id", "sample"]);
    assert!(run.status == 2 && run.err.contains("--decimal ,"), "{run:?}");
    let run = place.run(&["select", "upright.csv", "--target", "group", "--id", "sample", "--decimal", ","]);
    assert!(run.status == 2 && run.err.contains("--decimal"), "{run:?}");
}

#[test]
fn numbers_with_signs_and_units_are_named() {
    let place = Place::new();
    let refused = |cells: [&str; 4], words: &str| {
        let rows: Vec<String> =
            cells.iter().enumerate().map(|(i, c)| format!("{},{c},{i}", ["a", "b"][i % 2])).collect();
        place.write("in.csv", format!("y,x,z\n{}\n", rows.join("\n")));
        let run = place.run(&["select", "in.csv", "--target", "y"]);
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.err.contains(words), "{words}: {}", run.err);
    };
    refused(["12%", "13%", "9%", "7%"], "percent");
    refused(["$12", "$13", "$9", "$7"], "currenc");
    refused(["\"1,5\"", "\"2,5\"", "\"3,5\"", "\"4,5\""], "--decimal ,");
    refused(["1", "2 kg", "3 kg", "4"], "`2 kg` in row 2, `3 kg` in row 3");
    refused(["1", "1 234", "3", "4"], "thousands");
}

#[test]
fn statistics_of_every_kind_give_the_same_answer() {
    let place = Place::new();
    let z: Vec<f64> = (0..200)
        .map(|i| {
            let noise = 1.9 * (f64::from(i) * 2.399).sin();
            if i < 10 { noise + 6.0 } else { noise }
        })
        .collect();
    let mut text = String::from("gene,z,beta,se,p,big\n");
    for (i, z) in z.iter().enumerate() {
        let p = tamis::numeric::special::normal_two_sided(*z);
        text.push_str(&format!("g{i},{z},{},0.5,{p},1e9\n", z * 0.5));
    }
    place.write("stats.csv", text);
    let shrink = |options: &[&str]| {
        let run = place.run(&[&["shrink", "stats.csv", "--json", "out.json"], options].concat());
        assert_eq!(run.status, 0, "{run:?}");
        place.json("out.json")["features"].as_array().unwrap().clone()
    };
    let probabilities =
        |features: &[Value]| -> Vec<f64> { features.iter().map(|f| f["probability"].as_f64().unwrap()).collect() };
    let plain = shrink(&["--column", "z"]);
    let wanted = probabilities(&plain);
    for options in [
        &["--beta", "beta", "--se", "se"][..],
        &["--pvalue", "p", "--sign", "beta"],
        &["--column", "z", "--df", "big"],
        &["--column", "z", "--df", "1e12"],
    ] {
        for (a, b) in probabilities(&shrink(options)).iter().zip(&wanted) {
            assert!((a - b).abs() < 1e-6, "{options:?}: {a} for {b}");
        }
    }
    let estimates = shrink(&["--beta", "beta", "--se", "se"]);
    let (effect, shrunken) = (estimates[0]["effect"].as_f64().unwrap(), estimates[0]["shrunken_difference"].as_f64());
    assert!((shrunken.unwrap() - 0.5 * effect).abs() < 1e-12);
    for estimate in &estimates {
        let of = |key: &str| estimate[key].as_f64().unwrap();
        let (low, high) = (of("shrunken_difference_low"), of("shrunken_difference_high"));
        assert!(low <= of("shrunken_difference") && of("shrunken_difference") <= high, "{estimate}");
    }
    assert!(plain[0].get("shrunken_difference_low").is_none());
    // with degrees of freedom, z is smaller than estimate by error: the estimate is shrunk as its score was
    for estimate in &shrink(&["--beta", "beta", "--se", "se", "--df", "4"]) {
        let of = |key: &str| estimate[key].as_f64().unwrap();
        let beta = 0.5 * z[estimate["index"].as_u64().unwrap() as usize];
        assert!((of("shrunken_difference") * of("score") - of("effect") * beta).abs() < 1e-9, "{estimate}");
        assert!((of("shrunken_difference_low") <= of("shrunken_difference_high")), "{estimate}");
    }
    let unsigned = shrink(&["--pvalue", "p"]);
    assert!(unsigned[0]["probability"].as_f64().unwrap() > 0.9);
    let refused = |options: &[&str], words: &str| {
        let run = place.run(&[&["shrink", "stats.csv"], options].concat());
        assert!(run.status == 2 && run.err.contains(words), "{words}: {run:?}");
    };
    refused(&["--column", "p"], "--pvalue");
    refused(&["--pvalue", "z"], "not a p-value");
    refused(&["--beta", "beta"], "--se");
    refused(&["--beta", "beta", "--se", "z"], "standard error");
    refused(&["--sign", "beta"], "--pvalue");
    refused(&["--column", "z", "--df", "nowhere"], "nowhere");
    refused(&["--column", "z", "--df", "-3"], "more than 0");
}

#[test]
fn tables_of_other_programs_need_no_option() {
    let place = Place::new();
    let t: Vec<f64> = (0..100).map(|i| 2.2 * (f64::from(i) * 1.7).sin() + if i < 5 { 7.0 } else { 0.0 }).collect();
    let p = |t: f64, df: f64| tamis::numeric::special::t_two_sided(t, df);
    let write = |name: &str, head: &str, row: &dyn Fn(usize, f64) -> String| {
        let rows: Vec<String> = t.iter().enumerate().map(|(i, t)| format!("g{i},{}", row(i, *t))).collect();
        place.write(name, format!("{head}\n{}\n", rows.join("\n")));
        let run = place.run(&["shrink", name, "--json", "out.json"]);
        assert_eq!(run.status, 0, "{run:?}");
        (run.err, place.json("out.json")["features"][0]["score"].as_f64().unwrap())
    };
    let limma =
        write("limma.csv", "logFC,AveExpr,t,P.Value,adj.P.Val,B", &|_, t| format!("{t},8,{t},{},0.5,1", p(t, 38.0)));
    assert!(limma.0.contains("limma's topTable: using `t` with 38.0 degrees of freedom"), "{}", limma.0);
    let expected = tamis::numeric::special::t_to_z(t[0], 38.0);
    assert!((limma.1 - expected).abs() < 1e-6, "{} for {expected}", limma.1);
    let automatic = place.json("out.json")["features"].clone();
    for (feature, t) in automatic.as_array().unwrap().iter().zip(&t) {
        let of = |key: &str| feature[key].as_f64().unwrap();
        assert!((of("shrunken_difference") * of("score") - of("effect") * t).abs() < 1e-9, "as logFC is t: {feature}");
        assert!(of("shrunken_difference_low") <= of("shrunken_difference_high"), "{feature}");
    }
    let named = place.run(&["shrink", "limma.csv", "--column", "t", "--json", "named.json"]);
    assert!(named.err.contains("38.0 degrees of freedom"), "{named:?}");
    assert_eq!(place.json("named.json")["features"], automatic);
    let deseq = write("deseq.csv", "gene,baseMean,log2FoldChange,lfcSE,stat,pvalue,padj", &|_, t| {
        format!("10,1,0.1,{t},0.5,NA")
    });
    assert!(deseq.0.contains("DESeq2") && deseq.1 == t[0], "{deseq:?}");
    // a likelihood ratio is χ², whatever its column is called: the p-values are taken, which have no direction
    let ratio = write("ratio.csv", "gene,baseMean,log2FoldChange,lfcSE,stat,pvalue,padj", &|_, t| {
        format!("10,1,0.1,{},{},NA", t * t, p(t, 1e7))
    });
    assert!(ratio.0.contains("using `pvalue`, without directions (`stat` is not z"), "{}", ratio.0);
    assert!(ratio.1 < t[0], "{} for a square of {}", ratio.1, t[0]);
    let positive = write("positive.csv", "gene,baseMean,log2FoldChange,lfcSE,stat,pvalue,padj", &|_, t| {
        format!("10,1,0.1,{},{},NA", t.abs(), p(t, 1e7))
    });
    assert!(positive.0.contains("using `stat`") && positive.1 == t[0], "{positive:?}");
    let edger = write("edger.csv", "gene,logFC,logCPM,F,PValue,FDR", &|_, t| format!("{t},5,9,{},0.5", p(t, 1e7)));
    assert!(edger.0.contains("edgeR") && (edger.1 - t[0]).abs() < 1e-3, "{edger:?}");
}

#[test]
fn spreadsheets_give_the_bits_of_text() {
    let place = place();
    let options = ["--target", "group", "--id", "sample"];
    let plain = features(&place, &[&["upright.csv"], &options[..]].concat());
    let upright = sheet(&place.read("upright.csv"));
    place.write("one.xlsx", workbook(&[("Data", upright.clone()), ("Empty", sheet(""))]));
    assert_eq!(plain, features(&place, &[&["one.xlsx"], &options[..]].concat()));
    let transposed = sheet(&place.read("transposed.csv"));
    place.write("two.xlsx", workbook(&[("Data", upright.clone()), ("Genes", transposed)]));
    let genes = ["two.xlsx", "--sheet", "Genes", "--target", "group", "--transpose", "--samples", "samples.tsv"];
    let without_age = features(&place, &[&["upright.csv", "--drop", "age"], &options[..]].concat());
    assert_eq!(without_age, features(&place, &genes));
    let refused = |file: &str, more: &[&str], words: &str| {
        let run = place.run(&[&["select", file], &options[..], more].concat());
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.err.contains(words), "{words}: {}", run.err);
    };
    refused("two.xlsx", &[], "`Data`, `Genes`");
    refused("two.xlsx", &["--sheet", "Gene"], "Genes");
    refused("upright.csv", &["--sheet", "Data"], "--sheet");
    let merged = format!("{upright}<mergeCells><mergeCell ref=\"A1:B1\"/></mergeCells>");
    place.write("merged.xlsx", workbook(&[("Data", merged)]));
    refused("merged.xlsx", &[], "A1:B1");
    let wrong = upright.replacen("<c><v>", "<c t=\"e\"><v>#DIV/0!</v></c><c><v>", 1);
    place.write("wrong.xlsx", workbook(&[("Data", wrong)]));
    refused("wrong.xlsx", &[], "#DIV/0!");
    place.write("cut.xlsx", &workbook(&[("Data", upright)])[..500]);
    refused("cut.xlsx", &[], "cut.xlsx");
}

#[test]
fn a_series_matrix_holds_its_samples() {
    let place = place();
    let options = ["--target", "group", "--id", "sample", "--drop", "age"];
    let plain = features(&place, &[&["upright.csv"], &options[..]].concat());
    let samples: Vec<String> = (0..24).map(|i| format!("\"s{i}\"")).collect();
    let groups: Vec<String> = (0..24).map(|i| format!("\"group: {}\"", ["control", "treated"][i % 2])).collect();
    let matrix = place.read("transposed.csv").replacen("gene", "\"ID_REF\"", 1).replace(',', "\t");
    let text = format!(
        "!Series_title\t\"A study\"\n#remark\n!Sample_title\t{0}\n!Sample_geo_accession\t{0}\n\
         !Sample_characteristics_ch1\t{1}\n!series_matrix_table_begin\n{matrix}\n!series_matrix_table_end\n",
        samples.join("\t"),
        groups.join("\t")
    );
    place.write("GSE1_series_matrix.txt", &text);
    assert_eq!(plain, features(&place, &["GSE1_series_matrix.txt", "--target", "group"]));
    let run = place.run(&["select", "GSE1_series_matrix.txt", "--target", "tissue"]);
    assert!(run.status == 2 && run.err.contains("tissue") && run.err.contains("group"), "{run:?}");
    // a probe may be called as it likes
    let odd = text.replace("g3\t", "#g3\t").replace("g4\t", "!g4\t");
    assert_ne!(odd, text);
    place.write("odd_series_matrix.txt", &odd);
    let found = features(&place, &["odd_series_matrix.txt", "--target", "group"]);
    let names: Vec<&str> = found.as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"#g3") && names.contains(&"!g4"), "{names:?}");
    let all = |found: &Value| found.as_array().unwrap().len();
    assert_eq!(all(&found), all(&plain));
    // of two characteristics of one key none is lost
    let doses: Vec<String> = (0..24).map(|i| format!("\"group: {}\"", i % 3)).collect();
    let line = format!("!Sample_characteristics_ch1\t{}\n", groups.join("\t"));
    let twice = text.replace(&line, &format!("{line}!Sample_characteristics_ch1\t{}\n", doses.join("\t")));
    place.write("twice_series_matrix.txt", &twice);
    assert_eq!(features(&place, &["twice_series_matrix.txt", "--target", "group"]), plain);
    let run = place.run(&["select", "twice_series_matrix.txt", "--target", "group-2", "--json", "twice.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(place.json("twice.json")["input"]["classes"], serde_json::json!({ "0": 8, "1": 8, "2": 8 }));
    // cut at the end of a line
    let whole: Vec<&str> = text.trim_end().lines().collect();
    place.write("short_series_matrix.txt", whole[..whole.len() - 4].join("\n") + "\n");
    let run = place.run(&["select", "short_series_matrix.txt", "--target", "group"]);
    assert!(run.status == 2 && run.err.contains("cut off"), "{run:?}");
    place.write("cut_series_matrix.txt", text.split("!series_matrix_table_begin").next().unwrap());
    let run = place.run(&["select", "cut_series_matrix.txt", "--target", "group"]);
    assert!(run.status == 2 && run.err.contains("no matrix"), "{run:?}");
}

/// A folder of 10x Genomics: 40 cells, 60 genes, few counts; genes 0 and 1 are high in treated cells.
fn cells(place: &Place) -> (String, String) {
    let count = |gene: usize, cell: usize| {
        let noise = ((gene * 37 + cell * 91 + 11) % 97) as f64;
        if gene < 2 && cell % 2 == 1 {
            5.0 + noise % 3.0
        } else if noise < 12.0 {
            1.0 + noise % 2.0
        } else {
            0.0
        }
    };
    let mut entries = vec![];
    let mut dense = String::from("cell,group");
    (0..60).for_each(|gene| dense.push_str(&format!(",G{gene}")));
    let mut samples = String::from("barcode,group\n");
    for cell in 0..40 {
        let group = ["control", "treated"][cell % 2];
        samples.push_str(&format!("c{cell},{group}\n"));
        dense.push_str(&format!("\nc{cell},{group}"));
        for gene in 0..60 {
            let x = count(gene, cell);
            dense.push_str(&format!(",{x}"));
            if x != 0.0 {
                entries.push(format!("{} {} {x}", gene + 1, cell + 1));
            }
        }
    }
    let head = format!("%%MatrixMarket matrix coordinate integer general\n%remark\n60 40 {}\n", entries.len());
    let matrix = head + &entries.join("\n") + "\n";
    std::fs::create_dir_all(place.path("10x")).unwrap();
    place.write("10x/matrix.mtx", &matrix);
    let features: Vec<String> = (0..60).map(|j| format!("ENS{j}\tG{j}\tGene Expression")).collect();
    place.write("10x/features.tsv", features.join("\n"));
    let barcodes: Vec<String> = (0..40).map(|i| format!("c{i}")).collect();
    place.write("10x/barcodes.tsv", barcodes.join("\n"));
    place.write("cells.csv", samples);
    place.write("dense.csv", &dense);
    (matrix, dense)
}

#[test]
fn sparse_matrices_give_the_answer_of_the_dense_table() {
    let place = Place::new();
    let (matrix, _) = cells(&place);
    let close = |a: &Value, b: &Value| {
        for (a, b) in a.as_array().unwrap().iter().zip(b.as_array().unwrap()) {
            assert_eq!(a["name"], b["name"]);
            assert_eq!(a["selected"], b["selected"]);
            let (x, y) = (a["score"].as_f64().unwrap_or(0.0), b["score"].as_f64().unwrap_or(0.0));
            assert!((x - y).abs() <= 1e-9 * y.abs().max(1.0), "{x} for {y}");
        }
    };
    let dense = features(&place, &["dense.csv", "--target", "group", "--id", "cell"]);
    let folder = features(&place, &["10x", "--target", "group", "--samples", "cells.csv", "--reduced", "few.csv"]);
    close(&folder, &dense);
    assert!(place.read("few.csv").starts_with("sample,G0,G1,group\nc0,"), "{}", place.read("few.csv"));
    close(&features(&place, &["10x/matrix.mtx", "--target", "group", "--samples", "cells.csv"]), &dense);
    // another method, which looks at the values written out
    let jmi = |file: &[&str]| features(&place, &[file, &["--target", "group", "--method", "mim"]].concat());
    close(&jmi(&["10x", "--samples", "cells.csv"]), &jmi(&["dense.csv", "--id", "cell"]));
    let refused = |text: &str, options: &[&str], words: &str| {
        place.write("10x/matrix.mtx", text);
        let run = place.run(&[&["select", "10x", "--target", "group"], options].concat());
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.err.contains(words), "{words}: {}", run.err);
    };
    let samples = ["--samples", "cells.csv"];
    refused(&matrix, &[], "--samples");
    refused(
        &matrix.replacen("1 2 5", "61 2 5", 1).replacen("1 2 6", "61 2 6", 1).replacen("1 2 7", "61 2 7", 1),
        &samples,
        "outside of 60 × 40",
    );
    refused(&matrix[..matrix.trim_end().rfind('\n').unwrap()], &samples, "entries where the head says");
    refused(&matrix.replacen("60 40", "60 41", 1), &samples, "names");
    refused(&matrix.replace("integer", "complex"), &samples, "complex");
    refused("hello\n", &samples, "Matrix Market");
    refused(&matrix.replacen("60 40", "99999999999 40", 1), &samples, "sizes");
}

#[test]
fn a_folder_of_cells_trains_a_model_and_is_predicted() {
    let place = Place::new();
    cells(&place);
    let fit = |file: &[&str], model: &str| {
        let run = place.run(&[&["fit", "--target", "group", "--method", "slda", "--model", model], file].concat());
        assert_eq!(run.status, 0, "{run:?}");
    };
    fit(&["10x", "--samples", "cells.csv"], "sparse.json");
    fit(&["dense.csv", "--id", "cell"], "dense.json");
    let predict = |file: &[&str], model: &str| {
        let run = place.run(&[&["predict", "--model", model], file].concat());
        assert_eq!(run.status, 0, "{run:?}");
        let skip_head = |text: &str| text.lines().skip(1).map(String::from).collect::<Vec<String>>();
        skip_head(&run.out)
    };
    let wanted = predict(&["dense.csv", "--id", "cell"], "dense.json");
    assert_eq!(wanted.len(), 40);
    for file in ["10x", "10x/matrix.mtx"] {
        let found = predict(&[file], "sparse.json");
        assert_eq!(found.len(), 40);
        for (found, wanted) in found.iter().zip(&wanted) {
            let start = |line: &str| line.split(',').take(2).map(String::from).collect::<Vec<String>>();
            assert_eq!(start(found), start(wanted));
        }
    }
    let run = place.run(&["select", "10x", "--target", "group", "--samples", "cells.csv", "--json", "r.json"]);
    assert!(run.status == 0 && place.json("r.json")["input"]["file"] == "10x", "{run:?}");
    let run = place.run(&["select", "10x", "--result", "r.json", "--reduced", "few.csv"]);
    assert!(run.status == 0 && place.read("few.csv").starts_with("sample,G0,G1"), "{run:?}");
    let run = place.run(&["select", "10x", "--target", "groups", "--samples", "cells.csv"]);
    assert!(run.status == 2 && run.err.contains("there are `barcode`, `group`"), "{run:?}");
    let covariate = ["select", "10x", "--target", "group", "--samples", "cells.csv", "--covariate", "batch"];
    let run = place.run(&covariate);
    assert!(run.status == 2 && run.err.contains("there are `barcode`, `group`"), "{run:?}");
}

#[test]
fn counts_of_a_donor_are_summed_before_they_are_normalised() {
    let place = Place::new();
    let mut text = String::from("donor,group");
    (0..30).for_each(|j| text.push_str(&format!(",g{j}")));
    let count =
        |cell: usize, gene: usize| usize::from((cell * 31 + gene * 17).is_multiple_of(5)) * (1 + (cell + gene) % 3);
    for cell in 0..80 {
        let treated = cell % 8 >= 4;
        text.push_str(&format!("\nd{},{}", cell % 8, if treated { "treated" } else { "control" }));
        for gene in 0..30 {
            let more = if gene == 0 && treated { 3 } else { 0 };
            text.push_str(&format!(",{}", count(cell, gene) + more));
        }
    }
    place.write("in.csv", &text);
    let mut sums = vec![[0_usize; 30]; 8];
    for cell in 0..80 {
        for gene in 0..30 {
            sums[cell % 8][gene] += count(cell, gene) + if gene == 0 && cell % 8 >= 4 { 3 } else { 0 };
        }
    }
    let rows: Vec<String> = sums
        .iter()
        .enumerate()
        .map(|(donor, genes)| {
            let counts: Vec<String> = genes.iter().map(ToString::to_string).collect();
            format!("{},{}", if donor >= 4 { "treated" } else { "control" }, counts.join(","))
        })
        .collect();
    let head: Vec<String> = (0..30).map(|j| format!("g{j}")).collect();
    place.write("sums.csv", format!("group,{}\n{}\n", head.join(","), rows.join("\n")));
    let normalised = ["--target", "group", "--normalize", "logcpm", "--min-count", "0"];
    let cells = features(&place, &[&["in.csv", "--block", "donor"], &normalised[..]].concat());
    assert_eq!(place.json("out.json")["design"]["blocks"], "donor");
    let donors = features(&place, &[&["sums.csv"], &normalised[..]].concat());
    for (a, b) in cells.as_array().unwrap().iter().zip(donors.as_array().unwrap()) {
        assert_eq!(a["difference"], b["difference"]);
        assert_eq!(a["score"], b["score"]);
    }
}

#[test]
fn a_difference_is_shrunk_as_its_score_was() {
    let place = place();
    let few: Vec<String> = place.read("upright.csv").lines().take(9).map(String::from).collect();
    place.write("few.csv", few.join("\n"));
    let found =
        features(&place, &["few.csv", "--target", "group", "--id", "sample", "--drop", "age", "--permutations", "0"]);
    for feature in found.as_array().unwrap() {
        let number = |key: &str| feature[key].as_f64().unwrap();
        if number("score").abs() > 0.1 {
            let (shrunken, wanted) =
                (number("shrunken_difference") / number("difference"), number("effect") / number("score"));
            assert!((shrunken - wanted).abs() < 1e-9, "{shrunken} for {wanted}");
        }
    }
}

#[test]
fn small_counts_get_the_hint_and_text_beside_covariates_one_note() {
    let place = Place::new();
    cells(&place);
    let many: String = place
        .read("dense.csv")
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let more: Vec<String> = (0..60)
                .map(|j| if i == 0 { format!("h{j}") } else { usize::from((i + j).is_multiple_of(9)).to_string() })
                .collect();
            format!("{line},{}\n", more.join(","))
        })
        .collect();
    place.write("many.csv", many);
    let run = place.run(&["select", "many.csv", "--target", "group", "--id", "cell"]);
    assert!(run.err.contains("--normalize tmm"), "{run:?}");
    let place = self::place();
    let run = place.run(&["select", "upright.csv", "--target", "group", "--covariate", "age"]);
    assert!(run.err.contains("set aside"), "{run:?}");
    assert!(!run.err.contains("too few values") && !run.err.contains("missing values"), "{run:?}");
}

#[test]
fn errors_about_samples_say_where_they_could_be() {
    let place = place();
    let run = place.run(&["select", "transposed.csv", "--transpose", "--target", "group"]);
    assert!(run.status == 2 && run.err.contains("--samples FILE"), "{run:?}");
    let base = ["select", "transposed.csv", "--target", "group", "--samples", "samples.tsv"];
    let run = place.run(&base);
    assert!(run.status == 2 && run.err.contains("--transpose"), "{run:?}");
    let run = place.run(&[&base[..], &["--transpose", "--covariate", "agee"]].concat());
    assert!(
        run.status == 2 && run.err.contains("agee") && run.err.contains("remark") && !run.err.contains("g17"),
        "{run:?}"
    );
    cells(&place);
    let run = place.run(&["describe", "10x", "--samples", "cells.csv", "--target", "group"]);
    assert!(run.status == 0 && run.out.contains("60 numeric"), "{run:?}");
}
