//! Classifiers against scikit-learn and numpy, and what none of them may depend on.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{data_file, data_tables, fixture, largest_difference, numbers};
use rand::RngExt;
use serde_json::Value;
use std::collections::HashMap;
use tamis::catalogue::FittedClassifier;
use tamis::classify::{Cart, Dlda, Prune, Rule, Shrinkage};
use tamis::filter::cat_scores;
use tamis::model::{Classifier, Fitted, Standardise};
use tamis::numeric::random;
use tamis::table::{self, Categories, Column, Input, ReadOptions, Target};
use tamis::{Context, Method, Result, Table, View, score};

fn data(name: &str) -> Table {
    table::read(Input::open(&data_file(name)).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap()
}

fn auc(scores: &[f64], positive: &[bool]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (a, _) in scores.iter().zip(positive).filter(|(_, p)| **p) {
        for (b, _) in scores.iter().zip(positive).filter(|(_, p)| !**p) {
            sum += if a > b {
                1.0
            } else if a == b {
                0.5
            } else {
                0.0
            };
            pairs += 1.0;
        }
    }
    sum / pairs
}

/// Adaptive sparsity §6, METHODS §2.3 and §2.4: leave-one-out on the prostate data.
#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn shrinking_centroids_raises_the_auc_on_prostate_as_published() {
    let table = data("prostate.csv.gz");
    let rows = table.n_rows() as u32;
    let Target::Classes { codes, .. } = table.target() else { panic!("classes") };
    let positive: Vec<bool> = codes.iter().map(|c| *c == 1).collect();
    let places: HashMap<&str, usize> = table.names().iter().map(String::as_str).zip(0..).collect();
    for (prior, wanted) in [
        (Shrinkage::None, 0.802),
        (Shrinkage::Laplace, 0.949),
        (Shrinkage::Normal, 0.960),
        (Shrinkage::Npmle, 0.965),
        (Shrinkage::Kde, 0.985),
        (Shrinkage::Auto, 0.985),
    ] {
        // log odds: probabilities of a naive model are 0 and 1 to all digits
        let score = |left_out: u32| {
            let others: Vec<u32> = (0..rows).filter(|&r| r != left_out).collect();
            let linear = Dlda { prior }
                .fit(&View::of_rows(&table, &others).unwrap(), &mut Context::default())
                .unwrap()
                .fitted
                .linear;
            let Standardise { names, means, spreads, .. } = &linear.standardise;
            let term = |k: usize| {
                let x = table.columns()[places[names[k].as_str()]].numbers().unwrap()[left_out as usize];
                (linear.weights[1][k] - linear.weights[0][k]) * (x - means[k]) / spreads[k]
            };
            linear.offsets[1] - linear.offsets[0] + (0..names.len()).map(term).sum::<f64>()
        };
        let scores: Vec<f64> = (0..rows).map(score).collect();
        let got = auc(&scores, &positive);
        println!("{prior:?}: {got:.4}, METHODS {wanted}");
        assert!((got - wanted).abs() < 0.01, "{prior:?}: {got} {wanted}");
    }
}

const CLASSIFIERS: [&str; 7] = ["dlda", "lda", "slda", "logistic", "naive-bayes", "cart", "ensemble"];

fn fit(name: &str, data: &View) -> Result<FittedClassifier> {
    Ok(Method::find(name)?.fit(data, &mut Context::default())?.classifier)
}

fn named<C: Into<Column>>(columns: Vec<C>, labels: &[String]) -> Table {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    let labels: Vec<Option<&str>> = labels.iter().map(|l| Some(l.as_str())).collect();
    Table::new(names, columns, "y", Target::classes(&labels)).unwrap()
}

/// The training rows of a fixture, then those to predict, with made-up labels.
fn of_fixture(case: &Value) -> (Table, Vec<u32>, Vec<u32>) {
    let rows = |key: &str| -> Vec<Vec<f64>> { case[key].as_array().unwrap().iter().map(numbers).collect() };
    let (x, new, y) = (rows("x"), rows("new"), numbers(&case["y"]));
    let all: Vec<Vec<f64>> = x.iter().chain(&new).cloned().collect();
    let columns = (0..x[0].len()).map(|j| all.iter().map(|row| row[j]).collect()).collect::<Vec<Vec<f64>>>();
    let labels: Vec<String> = (0..all.len()).map(|i| y.get(i).unwrap_or(&0.0).to_string()).collect();
    let train = (0..x.len() as u32).collect();
    (named(columns, &labels), train, (x.len() as u32..all.len() as u32).collect())
}

fn by_class(said: &Value) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> = said.as_array().unwrap().iter().map(numbers).collect();
    (0..rows[0].len()).map(|c| rows.iter().map(|row| row[c]).collect()).collect()
}

fn differ(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| largest_difference(a, b)).fold(0.0, f64::max)
}

#[test]
fn every_fixture_is_met() {
    for case in fixture("classify.json")["cases"].as_array().unwrap() {
        let (table, train, new) = of_fixture(case);
        let (train, new) = (View::of_rows(&table, &train).unwrap(), View::of_rows(&table, &new).unwrap());
        for (kind, said) in case["said"].as_object().unwrap() {
            let shape = (train.rows().len(), table.names().len(), table.target().n_classes().unwrap());
            let fitted = match kind.as_str() {
                "dlda" => Dlda { prior: Shrinkage::None }.fit(&train, &mut Context::default()).unwrap().fitted.into(),
                "cart" => {
                    let cart = Cart { prune: Prune::None, ..Cart::default() };
                    cart.fit(&train, &mut Context::default()).unwrap().fitted.into()
                }
                "lda_wide" => fit("lda", &train).unwrap(),
                "naive_bayes" => fit("naive-bayes", &train).unwrap(),
                other => fit(other, &train).unwrap(),
            };
            let far = differ(&fitted.probabilities(&new).unwrap(), &by_class(&said["probabilities"]));
            println!("{kind} {shape:?}: {far:.1e}");
            assert!(far < 1e-8, "{kind} {shape:?}: {far}");
            match &fitted {
                FittedClassifier::Lda(f) => assert_eq!(f.intensity.is_some(), kind == "lda_wide"),
                FittedClassifier::NaiveBayes(_) => {
                    // smoothed in each feature's own unit, where scikit-learn takes the largest
                    let far = differ(&fitted.probabilities(&new).unwrap(), &by_class(&said["raw"]));
                    assert!(far < 1e-5, "{far}");
                }
                FittedClassifier::Logistic(f) => {
                    let wanted = numbers(&said["precisions"]);
                    let ratio = |(a, b): (&f64, &f64)| (a / b).ln().abs();
                    assert!(f.precisions.iter().zip(&wanted).map(ratio).all(|r| r < 1e-8), "{:?}", f.precisions);
                }
                _ => {}
            }
            let intensity = match &fitted {
                FittedClassifier::Lda(f) => f.intensity,
                FittedClassifier::Slda(f) => f.intensity,
                _ => None,
            };
            if let Some(wanted) = said["intensity"].as_f64() {
                assert!((intensity.unwrap() - wanted).abs() < 1e-12, "{kind}: {intensity:?} {wanted}");
            }
            if !said["cat"].is_null() {
                let far = largest_difference(&cat_scores(&train).unwrap(), &numbers(&said["cat"]));
                assert!(far < 1e-10, "{shape:?}: {far}");
            }
        }
    }
}

/// The same splits in the same order, and the same costs of branches.
#[test]
fn trees_are_those_of_scikit_learn() {
    let fixture = fixture("classify.json");
    let cases = fixture["cases"].as_array().unwrap();
    for case in cases.iter().filter(|case| !case["said"]["cart"].is_null()) {
        let (table, train, _) = of_fixture(case);
        let said = &case["said"]["cart"];
        let tree = Cart { prune: Prune::None, ..Cart::default() }
            .fit(&View::of_rows(&table, &train).unwrap(), &mut Context::default());
        let tree = tree.unwrap().fitted;
        let (features, thresholds) = (numbers(&said["features"]), numbers(&said["thresholds"]));
        assert_eq!(tree.nodes.len(), features.len());
        for (at, node) in tree.nodes.iter().enumerate() {
            match &node.split {
                None => assert_eq!(features[at], -2.0),
                Some(split) => {
                    assert_eq!(tree.features[split.feature].name, format!("f{}", features[at]));
                    assert_eq!(split.rule, Rule::AtMost(thresholds[at]));
                }
            }
        }
    }
}

#[test]
fn categories_are_those_of_scikit_learn() {
    let said = &fixture("classify.json")["categories"];
    let rows = |key: &str| -> Vec<Vec<f64>> { said[key].as_array().unwrap().iter().map(numbers).collect() };
    let (x, new, y) = (rows("x"), rows("new"), numbers(&said["y"]));
    let all: Vec<Vec<f64>> = x.iter().chain(&new).cloned().collect();
    let column = |j: usize| Categories::of(all.iter().map(|row| Some(format!("c{}", row[j]))));
    let labels: Vec<String> = (0..all.len()).map(|i| y.get(i).unwrap_or(&0.0).to_string()).collect();
    let table = named((0..3).map(column).collect::<Vec<Categories>>(), &labels);
    let n = x.len() as u32;
    let fitted = fit("naive-bayes", &View::of_rows(&table, &(0..n).collect::<Vec<u32>>()).unwrap()).unwrap();
    let new = View::of_rows(&table, &(n..all.len() as u32).collect::<Vec<u32>>()).unwrap();
    assert!(differ(&fitted.probabilities(&new).unwrap(), &by_class(&said["probabilities"])) < 1e-12);
}

/// Rows of noise with some features that differ between classes a, b, …
fn simulated(rows: usize, features: usize, classes: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<String>) {
    let mut rng = random::stream(seed, 0);
    let labels: Vec<usize> = (0..rows).map(|i| (i * i + i / 3) % classes).collect();
    let column = |j: usize| {
        let value = |&class: &usize| {
            let noise: f64 = (0..6).map(|_| rng.random::<f64>() - 0.5).sum();
            noise + if j < 4 { 1.4 * ((class + j) % classes) as f64 } else { 0.0 }
        };
        labels.iter().map(value).collect::<Vec<f64>>()
    };
    let columns = (0..features).map(column).collect();
    (columns, labels.iter().map(|&c| char::from(b'a' + c as u8).to_string()).collect())
}

/// Probabilities are numbers that sum to one.
fn check(probabilities: &[Vec<f64>], rows: usize, what: &str) {
    for row in 0..rows {
        let sum: f64 = probabilities.iter().map(|p| p[row]).sum();
        let fine = probabilities.iter().all(|p| p.len() == rows && (0.0..=1.0).contains(&p[row]));
        assert!(fine && (sum - 1.0).abs() < 1e-12, "{what}, row {row}: sum {sum}");
    }
}

fn share_right(probabilities: &[Vec<f64>], table: &Table) -> f64 {
    let Target::Classes { codes, .. } = table.target() else { panic!("classes") };
    let best =
        |row: usize| (0..probabilities.len()).max_by(|&a, &b| probabilities[a][row].total_cmp(&probabilities[b][row]));
    (0..codes.len()).filter(|&row| best(row) == Some(codes[row] as usize)).count() as f64 / codes.len() as f64
}

#[test]
fn order_units_and_names_of_classes_do_not_matter() {
    for (rows, features, classes) in [(70, 6, 2), (30, 90, 2), (66, 5, 3), (30, 50, 3)] {
        let (columns, labels) = simulated(rows, features, classes, 5);
        let table = named(columns.clone(), &labels);
        let order = random::permutation(3, 0, rows);
        let pick = |values: &Vec<f64>| order.iter().map(|&i| values[i as usize]).collect::<Vec<f64>>();
        let shuffled_labels: Vec<String> = order.iter().map(|&i| labels[i as usize].clone()).collect();
        let by_rows = named(columns.iter().map(pick).collect(), &shuffled_labels);
        let names: Vec<String> = (0..features).rev().map(|j| format!("f{j}")).collect();
        let reversed: Vec<Vec<f64>> = columns.iter().rev().cloned().collect();
        let by_columns = Table::new(names, reversed, "y", table.target().clone()).unwrap();
        let unit = |j: usize| [1e-12, 3.7, 1.0, 1e12][j % 4];
        let scaled = columns.iter().enumerate().map(|(j, c)| c.iter().map(|x| x * unit(j)).collect());
        let scaled = named(scaled.collect::<Vec<Vec<f64>>>(), &labels);
        for name in CLASSIFIERS {
            let what = format!("{name} {rows} × {features}, {classes} classes");
            let fitted = fit(name, &table.view()).unwrap();
            let said = fitted.probabilities(&table.view()).unwrap();
            check(&said, rows, &what);
            assert!(share_right(&said, &table) > 0.7, "{what}: {}", share_right(&said, &table));
            for (other, change) in [(&by_rows, "rows"), (&by_columns, "columns")] {
                let again = fit(name, &other.view()).unwrap().probabilities(&table.view()).unwrap();
                assert!(differ(&said, &again) < 1e-9, "{what}, {change}: {}", differ(&said, &again));
            }
            let again = fit(name, &scaled.view()).unwrap().probabilities(&scaled.view()).unwrap();
            assert!(differ(&said, &again) < 1e-9, "{what}, scales: {}", differ(&said, &again));
            if classes == 2 {
                let swapped: Vec<String> =
                    labels.iter().map(|l| if l == "a" { "b" } else { "a" }.to_string()).collect();
                let swapped = named(columns.clone(), &swapped);
                let mut again = fit(name, &swapped.view()).unwrap().probabilities(&swapped.view()).unwrap();
                again.reverse();
                assert!(differ(&said, &again) < 1e-9, "{what}, labels: {}", differ(&said, &again));
                // which class is called positive changes nothing at all
                let target = table.target().clone().with_positive("a").unwrap();
                let positive = table.view();
                let again =
                    fit(name, &positive.with_target(&target).unwrap()).unwrap().probabilities(&table.view()).unwrap();
                assert!(differ(&said, &again) < 1e-9, "{what}, positive: {}", differ(&said, &again));
            }
            let json = serde_json::to_string(&fitted).unwrap();
            let back: FittedClassifier = serde_json::from_str(&json).unwrap();
            assert!(back == fitted && serde_json::to_string(&back).unwrap() == json, "{what}");
            assert!(json.starts_with(&format!("{{\"kind\":\"{name}\"")), "{json:.60}");
            assert_eq!(back.probabilities(&table.view()).unwrap(), said, "{what}");
            assert_eq!(back.fault(classes), None, "{what}");
            assert!(back.fault(classes + 1).is_some(), "{what}");
        }
    }
}

#[test]
fn awkward_tables_give_probabilities() {
    let half = |n: usize| -> Vec<String> { (0..n).map(|i| if i % 2 == 0 { "a" } else { "b" }.into()).collect() };
    let mut rng = random::stream(3, 0);
    let mut noise = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random::<f64>()).collect() };
    let perfect: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
    let base = noise(40);
    let scaled = |by: f64| base.iter().zip(&perfect).map(|(x, y)| (x + y) * by).collect::<Vec<f64>>();
    let mut gaps = base.clone();
    gaps[3] = f64::NAN;
    let mut one_side: Vec<f64> = base.clone();
    (0..40).step_by(2).for_each(|i| one_side[i] = f64::NAN); // a class without a single value
    let mut cases: Vec<(&str, Vec<Vec<f64>>)> = vec![
        ("four rows", vec![noise(4), noise(4)]),
        ("four rows, wide", (0..30).map(|_| noise(4)).collect()),
        ("four rows, one feature", vec![noise(4)]),
        ("one feature", vec![base.clone()]),
        ("constant", vec![vec![1.0; 40], vec![0.1; 40]]),
        ("constant and not", vec![vec![1e300; 40], base.clone()]),
        ("all missing", vec![vec![f64::NAN; 40]]),
        ("one class missing", vec![one_side]),
        ("gaps", vec![gaps, noise(40)]),
        ("copies", vec![base.clone(), base.clone(), scaled(1.0), scaled(1.0)]),
        ("perfect", vec![perfect.clone()]),
        ("perfect copies among noise", vec![perfect.clone(), perfect.clone(), noise(40)]),
        ("nearly perfect", vec![perfect.iter().zip(&base).map(|(p, b)| p + 1e-13 * b).collect(), noise(40)]),
        ("scales", vec![scaled(1e-12), scaled(1e12), scaled(1e-200), scaled(1e200)]),
        ("far away", vec![base.iter().map(|x| x + 1e9).collect(), noise(40)]),
        ("noise", (0..5).map(|_| noise(40)).collect()),
        ("wide copies", (0..80).map(|j| if j % 2 == 0 { base.clone() } else { scaled(1.0) }).collect()),
    ];
    cases.push(("as many features as rows", (0..40).map(|_| noise(40)).collect()));
    for (name, columns) in cases {
        let rows = columns[0].len();
        let table = named(columns, &half(rows));
        for classifier in CLASSIFIERS {
            let what = format!("{classifier}, {name}");
            let fitted = fit(classifier, &table.view()).unwrap_or_else(|e| panic!("{what}: {e}"));
            let said = fitted.probabilities(&table.view()).unwrap();
            check(&said, rows, &what);
            assert_eq!(fitted.fault(2), None, "{what}");
            if name == "constant" || name == "all missing" {
                assert!(said.iter().flatten().all(|p| (p - 0.5).abs() < 1e-12), "{what}: {:?}", said[0]);
            }
            // dlda asks whether there is evidence that anything matters: one feature of a few rows is none
            if name.contains("perfect") && (classifier, name) != ("dlda", "perfect") {
                assert!(share_right(&said, &table) == 1.0, "{what}: {}", share_right(&said, &table));
            }
            // two rows, one of each class; two rows of one class
            for few in [[0, 1], [0, 2]] {
                let few = View::of_rows(&table, &few).unwrap();
                let fitted = fit(classifier, &few).unwrap_or_else(|e| panic!("{what}, two rows: {e}"));
                check(&fitted.probabilities(&table.view()).unwrap(), rows, &what);
                assert_eq!(fitted.fault(2), None, "{what}");
            }
        }
    }
}

#[test]
fn a_class_that_a_fold_has_lost_has_probability_zero() {
    for features in [4, 60] {
        let (columns, labels) = simulated(45, features, 3, 9);
        let table = named(columns, &labels);
        let rows: Vec<u32> = (0..45).filter(|&i| labels[i as usize] != "b").collect();
        let without = View::of_rows(&table, &rows).unwrap();
        let columns: Vec<Vec<f64>> =
            table.columns().iter().map(|c| rows.iter().map(|&r| c.numbers().unwrap()[r as usize]).collect()).collect();
        let two = named(columns, &rows.iter().map(|&r| labels[r as usize].clone()).collect::<Vec<String>>());
        for name in CLASSIFIERS {
            let said = fit(name, &without).unwrap().probabilities(&table.view()).unwrap();
            check(&said, 45, name);
            assert!(said[1].iter().all(|p| *p == 0.0), "{name}");
            let plain = fit(name, &two.view()).unwrap().probabilities(&table.view()).unwrap();
            let far = differ(&[said[0].clone(), said[2].clone()], &plain);
            assert!(far < 1e-9, "{name}, {features}: {far}");
        }
    }
}

#[test]
fn columns_are_found_by_name_and_refused_by_kind() {
    let (columns, labels) = simulated(40, 5, 2, 2);
    let table = named(columns.clone(), &labels);
    let less = named(columns[..1].to_vec(), &labels);
    let text = Categories::of((0..40).map(|i| Some(if i % 3 == 0 { "x" } else { "y" })));
    let mixed = |first: Column| named(vec![first, columns[1].clone().into()], &labels);
    for name in CLASSIFIERS {
        let fitted = fit(name, &table.view()).unwrap();
        let error = fitted.probabilities(&less.view()).unwrap_err().to_string();
        assert!(error.contains("column of the model"), "{name}: {error}");
        let takes_categories = ["naive-bayes", "cart"].contains(&name);
        let got = fit(name, &mixed(text.clone().into()).view());
        assert_eq!(got.is_ok(), takes_categories, "{name}");
        if let Err(e) = got {
            assert!(e.to_string().contains("categories"), "{name}: {e}");
        }
        let as_text: Vec<Column> = (0..5).map(|_| text.clone().into()).collect();
        let error = fitted.probabilities(&named(as_text, &labels).view()).unwrap_err().to_string();
        assert!(error.contains("categories"), "{name}: {error}");
        let real =
            Table::new(vec!["f0".into()], vec![columns[0].clone()], "y", Target::Real { values: columns[1].clone() });
        assert!(fit(name, &real.unwrap().view()).unwrap_err().to_string().contains("classes"), "{name}");
    }
}

/// A row of weight 3 counts as three rows, or weights are refused.
#[test]
fn weights_count_rows_or_are_refused() {
    let (columns, labels) = simulated(40, 5, 2, 8);
    let weights: Vec<f64> = (0..40).map(|i| f64::from(1 + i % 3)).collect();
    let weighted = named(columns.clone(), &labels).with_weights(weights.clone()).unwrap();
    let repeated: Vec<u32> = (0..40).flat_map(|i| vec![i as u32; weights[i] as usize]).collect();
    let plain = named(columns, &labels);
    for name in CLASSIFIERS {
        if !["dlda", "naive-bayes", "cart"].contains(&name) {
            let error = fit(name, &weighted.view()).unwrap_err().to_string();
            assert!(error.contains("weights"), "{name}: {error}");
            continue;
        }
        let said = fit(name, &weighted.view()).unwrap().probabilities(&plain.view()).unwrap();
        let again =
            fit(name, &View::of_rows(&plain, &repeated).unwrap()).unwrap().probabilities(&plain.view()).unwrap();
        assert!(differ(&said, &again) < 1e-9, "{name}: {}", differ(&said, &again));
    }
}

#[test]
fn categories_and_gaps_are_used_by_those_that_can() {
    for classes in [2, 3] {
        let n = 90;
        let labels: Vec<String> = (0..n).map(|i| ["a", "b", "c"][i % classes].to_string()).collect();
        let hint = |i: usize| match i % 7 {
            0 => None,
            1 => Some("other".to_string()),
            k => Some(format!("{}{}", labels[i], k % 2)),
        };
        let mut noise: Vec<f64> = simulated(n, 1, 2, 4).0.remove(0);
        noise.iter_mut().step_by(5).for_each(|x| *x = f64::NAN);
        let columns: Vec<Column> = vec![noise.clone().into(), Categories::of((0..n).map(hint)).into()];
        let table = named(columns, &labels);
        // the same categories under other codes, and one that nobody has seen
        let renamed = |i: usize| if i == 2 { Some("aaa new".to_string()) } else { hint(i) };
        let other = named(vec![Column::from(noise), Categories::of((0..n).map(renamed)).into()], &labels);
        for name in ["naive-bayes", "cart"] {
            let fitted = fit(name, &table.view()).unwrap();
            let said = fitted.probabilities(&table.view()).unwrap();
            check(&said, n, name);
            assert!(share_right(&said, &table) > 0.75, "{name} {classes}: {}", share_right(&said, &table));
            let again = fitted.probabilities(&other.view()).unwrap();
            check(&again, n, name);
            let same = |row: usize| said.iter().zip(&again).all(|(a, b)| a[row] == b[row]);
            assert!((0..n).all(|row| row == 2 || same(row)), "{name} {classes}");
            let back: FittedClassifier = serde_json::from_str(&serde_json::to_string(&fitted).unwrap()).unwrap();
            assert_eq!(back, fitted);
        }
    }
}

#[test]
fn pruning_leaves_what_holds_up() {
    let (columns, labels) = simulated(200, 8, 2, 6);
    let table = named(columns[4..].to_vec(), &labels); // noise only
    let size = |prune: Prune, seed: u64, table: &Table| {
        let cart = Cart { prune, ..Cart::default() };
        cart.fit(&table.view(), &mut Context::seeded(seed)).unwrap().fitted.nodes.len()
    };
    assert!(size(Prune::None, 0, &table) > 40);
    for seed in 0..5 {
        assert!(size(Prune::OneSe, seed, &table) <= 3, "{}", size(Prune::OneSe, seed, &table));
    }
    let useful = named(columns, &labels);
    let (one, least, all) =
        (size(Prune::OneSe, 1, &useful), size(Prune::Min, 1, &useful), size(Prune::None, 1, &useful));
    assert!(3 <= one && one <= least && least <= all && one < all, "{one} {least} {all}");
    assert!(Cart { folds: 1, ..Cart::default() }.fit(&useful.view(), &mut Context::default()).is_err());
}

#[test]
fn damaged_models_are_noticed() {
    let (columns, labels) = simulated(40, 5, 2, 2);
    let table = named(columns, &labels);
    let faulty = |name: &str, edit: &dyn Fn(&mut Value)| {
        let mut json = serde_json::to_value(fit(name, &table.view()).unwrap()).unwrap();
        edit(&mut json);
        serde_json::from_value::<FittedClassifier>(json).map_or(true, |fitted| fitted.fault(2).is_some())
    };
    for name in ["dlda", "lda", "slda", "logistic"] {
        assert!(!faulty(name, &|_| {}), "{name}");
        assert!(faulty(name, &|j| j["weights"][0] = serde_json::json!([1.0])), "{name}");
        assert!(faulty(name, &|j| j["offsets"][0] = Value::Null), "{name}");
        assert!(faulty(name, &|j| j["standardise"]["spreads"][0] = 0.0.into()), "{name}");
        assert!(faulty(name, &|j| j["shares"] = serde_json::json!([0.0, 0.0])), "{name}");
    }
    assert!(faulty("naive-bayes", &|j| j["numbers"][0]["variances"][0] = 0.0.into()));
    assert!(faulty("naive-bayes", &|j| j["numbers"][0]["means"] = serde_json::json!([])));
    assert!(faulty("cart", &|j| j["nodes"] = serde_json::json!([])));
    assert!(faulty("cart", &|j| j["nodes"][0]["split"]["left"] = 0.into()));
    assert!(faulty("cart", &|j| j["nodes"][0]["split"]["feature"] = 99.into()));
    assert!(faulty("cart", &|j| j["nodes"][0]["shares"] = serde_json::json!([0.5, 0.6])));
    assert!(faulty("ensemble", &|j| j["factors"][0] = (-1.0).into()));
    assert!(faulty("ensemble", &|j| j["slda"]["offsets"] = serde_json::json!([])));
}

/// Accuracy and AUC of stratified 10-fold cross-validation, five times, with the `top` features by |score| chosen in
/// every fold.
fn honest(table: &Table, top: usize, score: &dyn Fn(&View) -> Vec<f64>, name: &str) -> (f64, f64) {
    let Target::Classes { codes, .. } = table.target() else { panic!("classes") };
    let (rows, mut right, mut area) = (table.n_rows(), 0.0, 0.0);
    for repeat in 0..5 {
        let mut fold = vec![0; rows];
        let mut next = 0;
        for class in 0..2 {
            for i in random::permutation(11, repeat, rows) {
                if codes[i as usize] == class {
                    fold[i as usize] = next % 10;
                    next += 1;
                }
            }
        }
        let mut said = vec![0.0; rows];
        for f in 0..10 {
            let train: Vec<u32> = (0..rows as u32).filter(|&i| fold[i as usize] != f).collect();
            let test: Vec<u32> = (0..rows as u32).filter(|&i| fold[i as usize] == f).collect();
            let scores = score(&View::of_rows(table, &train).unwrap());
            let mut order: Vec<usize> = (0..scores.len()).filter(|&j| !scores[j].is_nan()).collect();
            order.sort_by(|&a, &b| scores[b].abs().total_cmp(&scores[a].abs()));
            order.truncate(top);
            let names = order.iter().map(|&j| table.names()[j].clone()).collect();
            let columns: Vec<Column> = order.iter().map(|&j| table.columns()[j].clone()).collect();
            let less = Table::new(names, columns, "label", table.target().clone()).unwrap();
            let fitted = fit(name, &View::of_rows(&less, &train).unwrap()).unwrap();
            let p = fitted.probabilities(&View::of_rows(&less, &test).unwrap()).unwrap();
            test.iter().zip(&p[1]).for_each(|(&i, p)| said[i as usize] = *p);
        }
        let positive: Vec<bool> = codes.iter().map(|c| *c == 1).collect();
        right += said.iter().zip(&positive).filter(|(p, y)| (**p > 0.5) == **y).count() as f64 / rows as f64 / 5.0;
        area += auc(&said, &positive) / 5.0;
    }
    (right, area)
}

/// SNBL Table 2, METHODS §2.4: trained on the best features by |t|, judged on the validation part.
#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn lda_on_madelon_is_that_of_the_paper() {
    let (train, valid) = (data("madelon_train.csv.gz"), data("madelon_valid.csv.gz"));
    let Target::Classes { codes, .. } = valid.target() else { panic!("classes") };
    let positive: Vec<bool> = codes.iter().map(|c| *c == 1).collect();
    let t = score::compute(&train.view(), score::Statistic::Welch, score::Scale::Raw, &mut Context::default())
        .unwrap()
        .into_z();
    let mut order: Vec<usize> = (0..t.len()).collect();
    order.sort_by(|&a, &b| t[b].abs().total_cmp(&t[a].abs()));
    for (top, wanted) in [(13, 0.634), (15, 0.645)] {
        let names = order[..top].iter().map(|&j| train.names()[j].clone()).collect();
        let columns: Vec<Column> = order[..top].iter().map(|&j| train.columns()[j].clone()).collect();
        let less = Table::new(names, columns, "label", train.target().clone()).unwrap();
        let said = fit("lda", &less.view()).unwrap().probabilities(&valid.view()).unwrap();
        let got = auc(&said[1], &positive);
        println!("{top} features: {got:.4}, the paper {wanted}");
        assert!((got - wanted).abs() < 5e-4, "{top}: {got}");
    }
}

/// METHODS §4.3: 200 genes by correlation-adjusted scores and slda, 10 genes by t and the ensemble.
#[test]
#[ignore = "takes minutes and needs the data sets in ../shared/data"]
fn few_genes_do_as_well_as_published_takes_minutes() {
    let (table, breast) = (data("prostate.csv.gz"), data("breast.csv.gz"));
    let t = |data: &View| {
        score::compute(data, score::Statistic::Pooled, score::Scale::Raw, &mut Context::default()).unwrap().into_z()
    };
    let cat = |data: &View| cat_scores(data).unwrap();
    for (name, wanted) in [("naive-bayes", 0.062), ("cart", 0.076)] {
        let (right, _) = honest(&breast, usize::MAX, &t, name);
        println!("breast, {name}: {:.3}, METHODS {wanted}", 1.0 - right);
        assert!((1.0 - right - wanted).abs() < 0.015);
    }
    for (what, top, by, name, accuracy, area) in [
        ("cat", 200, &cat as &dyn Fn(&View) -> Vec<f64>, "slda", 0.949, 0.993),
        ("t", 10, &t, "ensemble", 0.745, 0.821),
    ] {
        let got = honest(&table, top, by, name);
        println!("{what}-{top} + {name}: {:.3} ({:.3}), METHODS {accuracy} ({area})", got.0, got.1);
        assert!((got.0 - accuracy).abs() < 0.03 && (got.1 - area).abs() < 0.03);
    }
}

/// Several classes, missing values, few rows, many columns: every file of the papers can be learned.
#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn every_file_can_be_learned() {
    for path in data_tables() {
        let table =
            table::read(Input::open(&path).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap();
        let rows: Vec<u32> = (0..table.n_rows() as u32).filter(|r| table.n_rows() < 500 || r % 10 == 0).collect();
        let data = View::of_rows(&table, &rows).unwrap();
        for name in CLASSIFIERS {
            let what = format!("{name}, {}", path.display());
            let fitted = fit(name, &data).unwrap_or_else(|e| panic!("{what}: {e}"));
            let said = fitted.probabilities(&table.view()).unwrap();
            check(&said, table.n_rows(), &what);
            assert_eq!(fitted.fault(said.len()), None, "{what}");
        }
    }
}
