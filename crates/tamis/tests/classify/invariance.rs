//! What no classifier may depend on, and what none may fail at.

use super::{CLASSIFIERS, check, differ, fit, named, simulated};
use rand::RngExt;
use serde_json::Value;
use tamis::catalogue::FittedClassifier;
use tamis::classify::{Cart, Prune};
use tamis::model::{Classifier, Fitted};
use tamis::numeric::random;
use tamis::table::{Categories, Column, RowWeights, Target, WeightKind};
use tamis::{Context, Table, View};

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

/// A row of weight 3 is three rows, or weights are refused.
#[test]
fn weights_count_rows_or_are_refused() {
    let (columns, labels) = simulated(40, 5, 2, 8);
    let weights: Vec<f64> = (0..40).map(|i| f64::from(1 + i % 3)).collect();
    let copies = RowWeights::new(weights.clone(), WeightKind::Frequency).unwrap();
    let weighted = named(columns.clone(), &labels).with_weights(copies).unwrap();
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
