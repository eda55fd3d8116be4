//! Vector machines on tables: selection, models, and what they must survive.
#![allow(clippy::unwrap_used)]

use rand::RngExt;
use tamis::base::Auto;
use tamis::machines::{BasisParameters, KernelShape, PfcvmLp};
use tamis::numeric::random;
use tamis::simulate::TwoGaussians;
use tamis::table::Target;
use tamis::{Context, Method, Model, NoteKind, Selector, Table};

fn saved(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    model.write(&mut bytes).unwrap();
    bytes
}

fn table(columns: Vec<Vec<f64>>, labels: &[&str]) -> Table {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    let labels: Vec<Option<&str>> = labels.iter().map(|l| Some(*l)).collect();
    Table::new(names, columns, "y", Target::classes(&labels)).unwrap()
}

/// Two features that separate three classes, among noise.
fn three_classes(rows: usize, noise: usize) -> Table {
    let mut rng = random::stream(12, 0);
    let labels: Vec<&str> = (0..rows).map(|i| ["a", "b", "c"][i % 3]).collect();
    let mut columns = vec![vec![], vec![]];
    for i in 0..rows {
        columns[0].push(rng.random::<f64>() + if i % 3 == 0 { 1.5 } else { 0.0 });
        columns[1].push(rng.random::<f64>() - if i % 3 == 1 { 1.5 } else { 0.0 });
    }
    columns.extend((0..noise).map(|_| (0..rows).map(|_| rng.random::<f64>()).collect::<Vec<f64>>()));
    table(columns, &labels)
}

fn accuracy(model: &Model, table: &Table) -> f64 {
    let got = model.predict(&table.view()).unwrap();
    let right = (0..table.n_rows()).filter(|&r| model.classes[got.predicted[r]] == table.target().text(r)).count();
    for row in 0..table.n_rows() {
        let sum: f64 = got.probabilities.iter().map(|p| p[row]).sum();
        assert!((sum - 1.0).abs() < 1e-12 && got.probabilities.iter().all(|p| (0.0..=1.0).contains(&p[row])));
    }
    right as f64 / table.n_rows() as f64
}

#[test]
fn the_features_that_matter_stay() {
    let drawn = TwoGaussians { features: 30, ..TwoGaussians::default() }.draw(1).unwrap();
    let got = PfcvmLp::default().select(&drawn.table.view(), &mut Context::default()).unwrap();
    let relevant = |i: u32| drawn.truth[i as usize] != 0.0;
    let wanted = (0..30).filter(|&i| relevant(i)).count();
    assert_eq!(got.selected.iter().filter(|&&i| relevant(i)).count(), wanted, "{:?}", got.selected);
    assert!(got.selected.len() <= wanted + 3, "{:?}", got.selected);
    let averaged = PfcvmLp { average: 2, ..PfcvmLp::default() }.select(&drawn.table.view(), &mut Context::default());
    assert!(
        averaged.unwrap_err().to_string().contains("averaging is for `Method::fit`"),
        "an option that selection has no use for"
    );
    let detail = &got.detail.machines[0];
    assert!(detail.features_left.windows(2).all(|w| w[1] <= w[0]), "features only drop out");
    assert_eq!(detail.theta.iter().filter(|t| **t > 0.0).count(), got.selected.len());
}

#[test]
fn a_model_reads_back_to_the_same_bits() {
    let table = three_classes(90, 6);
    for kernel in [KernelShape::Linear, KernelShape::Rbf, KernelShape::Poly] {
        let model = Method::from(PfcvmLp { basis: BasisParameters::of(kernel), average: 2, ..PfcvmLp::default() })
            .fit(&table.view(), &mut Context::default())
            .unwrap();
        let bytes = saved(&model);
        let again = Model::read(&bytes, "m.json").unwrap();
        assert!(again == model && saved(&again) == bytes);
        assert_eq!(again.predict(&table.view()).unwrap(), model.predict(&table.view()).unwrap());
        assert!(accuracy(&model, &table) > 0.9, "{kernel:?}: {}", accuracy(&model, &table));
        assert!(model.features().contains(&"f0") && model.features().contains(&"f1"), "{:?}", model.features());
    }
}

#[test]
fn damaged_models_are_refused() {
    let table = three_classes(60, 2);
    let model = PfcvmLp { starts: Auto::Set(1), ..PfcvmLp::default() };
    let bytes = saved(&Method::from(model).fit(&table.view(), &mut Context::default()).unwrap());
    let refused = |bytes: &[u8], says: &str| {
        let error = Model::read(bytes, "m.json").unwrap_err().to_string();
        assert!(error.contains("m.json") && error.contains(says), "{error}");
    };
    refused(&bytes[..bytes.len() / 2], "not a model");
    refused(b"{}", "not a model");
    let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let edited = |edit: &dyn Fn(&mut serde_json::Value)| {
        let mut json = json.clone();
        edit(&mut json);
        serde_json::to_vec(&json).unwrap()
    };
    refused(&edited(&|j| j["format_version"] = 99.into()), "newer");
    refused(&edited(&|j| j["classifier"]["machines"][0][0]["w"] = serde_json::json!([1.0])), "size");
    refused(&edited(&|j| j["classifier"]["machines"][0][0]["theta"][0] = serde_json::Value::Null), "damaged");
    refused(&edited(&|j| j["classifier"]["machines"][0][0]["features"][0] = 999.into()), "does not name");
    refused(&edited(&|j| j["classifier"]["standardise"]["spreads"][0] = 0.0.into()), "spread");
    refused(&edited(&|j| j["classifier"]["machines"][1] = serde_json::json!([])), "no machine");
    refused(&edited(&|j| j["classes"] = serde_json::json!(["a"])), "classes");
}

/// Tables that are hard on arithmetic: an answer without NaN, or an error that says why.
#[test]
fn awkward_tables_end_with_numbers_or_an_error() {
    let labels = |n: usize| -> Vec<&str> { (0..n).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect() };
    let mut rng = random::stream(3, 0);
    let mut noise = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random::<f64>()).collect() };
    let informative: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
    let base = noise(40);
    let scaled = |by: f64| base.iter().zip(&informative).map(|(x, y)| (x + y) * by).collect::<Vec<f64>>();
    let twins: Vec<f64> = (0..40).map(|i| f64::from(i / 2)).collect(); // identical rows of opposite labels
    let mut gaps = informative.clone();
    gaps[3] = f64::NAN;
    let cases: Vec<(&str, Vec<Vec<f64>>, usize)> = vec![
        ("scales", vec![scaled(1e-12), scaled(1e12), scaled(1e200)], 40),
        ("copies", vec![informative.clone(), informative.clone(), informative.clone()], 40),
        ("twins", vec![twins], 40),
        ("one feature", vec![informative.clone()], 40),
        ("gaps", vec![gaps, noise(40)], 40),
        ("four rows", vec![noise(4), noise(4)], 4),
        ("wide", (0..60).map(|_| noise(6)).collect(), 6),
        ("noise", (0..3).map(|_| noise(40)).collect(), 40),
    ];
    for (name, columns, rows) in cases {
        let table = table(columns, &labels(rows));
        for kernel in [KernelShape::Linear, KernelShape::Rbf, KernelShape::Poly] {
            let method = Method::from(PfcvmLp { basis: BasisParameters::of(kernel), ..PfcvmLp::default() });
            let model = method.fit(&table.view(), &mut Context::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
            accuracy(&model, &table); // probabilities are numbers that sum to one
            assert!(!model.features().is_empty(), "{name}");
            assert_eq!(model.notes.iter().any(|n| n.kind == NoteKind::MissingValues), name == "gaps", "{name}");
        }
    }
    let constant = table(vec![vec![1.0; 10]], &labels(10));
    let error =
        Method::from(PfcvmLp::default()).fit(&constant.view(), &mut Context::default()).unwrap_err().to_string();
    assert!(error.contains("no feature varies"), "{error}");
}

#[test]
fn the_seed_decides_which_rows_are_bases() {
    let drawn = TwoGaussians { features: 5, rows: 500 }.draw(1).unwrap();
    let fit = |seed: u64| {
        let method =
            PfcvmLp { starts: Auto::Set(1), basis: BasisParameters::of(KernelShape::Rbf), ..PfcvmLp::default() };
        saved(&Method::from(method).fit(&drawn.table.view(), &mut Context::seeded(seed)).unwrap())
    };
    assert!(fit(1) == fit(1) && fit(1) != fit(2));
}
