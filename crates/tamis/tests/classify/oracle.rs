//! Classifiers against scikit-learn and numpy.

use super::{differ, fit, named};
use crate::common::{fixture, largest_difference, numbers};
use serde_json::Value;
use tamis::catalogue::FittedClassifier;
use tamis::classify::{Cart, Dlda, Prune, Rule, Shrinkage};
use tamis::filter::cat_scores;
use tamis::model::{Classifier, Fitted};
use tamis::table::Categories;
use tamis::{Context, Table, View};

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
