//! Classifiers: `oracle` against scikit-learn and numpy, `invariance` what none of them may depend on, `papers` on data
//! that are not ours to pass on.

mod invariance;
mod oracle;
mod papers;

use crate::common::largest_difference;
use rand::RngExt;
use tamis::catalogue::FittedClassifier;
use tamis::numeric::random;
use tamis::table::{Column, Target};
use tamis::{Context, Method, Result, Table, View};

const CLASSIFIERS: [&str; 7] = ["dlda", "lda", "slda", "logistic", "naive-bayes", "cart", "ensemble"];

fn fit(name: &str, data: &View) -> Result<FittedClassifier> {
    Ok(Method::find(name)?.fit(data, &mut Context::default())?.classifier)
}

fn named<C: Into<Column>>(columns: Vec<C>, labels: &[String]) -> Table {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    let labels: Vec<Option<&str>> = labels.iter().map(|l| Some(l.as_str())).collect();
    Table::new(names, columns, "y", Target::classes(&labels)).unwrap()
}

fn differ(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| largest_difference(a, b)).fold(0.0, f64::max)
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
