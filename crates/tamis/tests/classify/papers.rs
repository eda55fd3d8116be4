//! Classifiers on the data of the papers.

use super::{CLASSIFIERS, check, fit};
use crate::common::{data_file, data_tables};
use std::collections::HashMap;
use tamis::classify::{Dlda, Shrinkage};
use tamis::filter::cat_scores;
use tamis::model::{Classifier, Fitted, Standardise};
use tamis::numeric::random;
use tamis::table;
use tamis::table::{Column, Input, ReadOptions, Target};
use tamis::{Context, Table, View, score};

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
