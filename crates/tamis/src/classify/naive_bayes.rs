//! `naive-bayes`: features that are independent within a class, normal or categories.

use crate::base::{Context, Describe, Error, MethodInfo, Place, Progress, Result};
use crate::model::Fitted;
use crate::model::faults::{NOT_FINITE, SIZES_DIFFER};
use crate::model::linear::shares_as_scores;
use crate::model::model_columns::{columns, numbers};
use crate::model::standardise::MOST;
use crate::model::training_classes::{TrainingClasses, bad_shares, normalise};
use crate::score::class_moments::{Grouped, Scratch};
use crate::score::moments::Moments;
use crate::table::{Categories, Column, MISSING, Target, View};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The term added to every variance, as a share of the feature's variance over all classes.
const SMOOTHING: f64 = 1e-9;

/// Naive Bayes: features are independent within a class.
///
/// The score of a class is ln π_c + Σ_k ln p(x_k | c), where π_c is the class's share of the rows. A number is normal
/// within a class, with the class's mean and its variance (divisor n) plus 10⁻⁹ of the feature's variance over all
/// rows. A category has the probability (count + 1)/(rows of the class + number of categories). Missing values and
/// categories that did not occur in training are left out.
///
/// It has no parameters.
///
/// Cost: one pass over the table.
///
/// Errors: [`Error::Data`] for a numeric target.
///
/// Reference: Maron, *Automatic indexing: an experimental inquiry*, Journal of the ACM 8, 1961.
///
/// ```
/// use tamis::{Context, Method, classify::NaiveBayes, simulate::TwoGaussians};
///
/// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
/// let model = Method::from(NaiveBayes::default()).fit(&drawn.table.view(), &mut Context::default())?;
/// let predictions = model.predict(&drawn.table.view())?;
/// assert_eq!(predictions.probabilities[0].len(), 100);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NaiveBayes {}

/// A trained [`NaiveBayes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FittedNaiveBayes {
    /// Each class's share of the training rows.
    pub shares: Vec<f64>,
    /// Features of numbers.
    pub numbers: Vec<NormalFeature>,
    /// Features of categories.
    pub categories: Vec<CategoryFeature>,
}

/// A feature that is normal within each class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NormalFeature {
    /// Its name.
    pub name: String,
    /// Its mean over all classes.
    pub centre: f64,
    /// Its standard deviation over all classes.
    pub unit: f64,
    /// The means of the classes, minus the centre, in units.
    pub means: Vec<f64>,
    /// The variances of the classes, in squared units.
    pub variances: Vec<f64>,
}

/// A feature of categories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CategoryFeature {
    /// Its name.
    pub name: String,
    /// The categories seen in training.
    pub labels: Vec<String>,
    /// For each class the logarithm of each category's probability.
    pub log_probabilities: Vec<Vec<f64>>,
}

impl Describe for NaiveBayes {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "naive-bayes",
            summary: "a classifier: features are independent within a class, normal or categorical",
            number_by: "",
            cost: "one pass over the table",
            reference: "",
            parameters: vec![],
        }
    }
}

classifier!(NaiveBayes, FittedNaiveBayes);

impl NaiveBayes {
    pub(super) fn train(&self, data: &View, context: &mut Context) -> Result<FittedNaiveBayes> {
        let classes = TrainingClasses::of(data)?;
        let n_classes = classes.shares.len();
        let mut fitted = FittedNaiveBayes { shares: classes.shares, numbers: vec![], categories: vec![] };
        let Target::Classes { codes, .. } = data.target() else { return Ok(fitted) };
        context.step("moments", 0, 0)?;
        let groups = Grouped::new(data.rows(), codes, n_classes, data.weights());
        let mut scratch = Scratch::default();
        for (at, name) in data.names().iter().enumerate() {
            match &*data.column(at) {
                Column::Numbers(values) => {
                    let (moments, _, scale) = groups.scaled_moments(values, &mut scratch);
                    fitted.numbers.extend(normal(moments, scale, name));
                }
                Column::Categories(c) => fitted.categories.extend(category(data, c, codes, n_classes, name)),
            }
        }
        Ok(fitted)
    }
}

/// The feature of these moments, unless it has one value.
fn normal(classes: &[Moments], scale: f64, name: &str) -> Option<NormalFeature> {
    let total = Moments::merge_in_order(classes);
    let variance = total.m2 / total.count;
    let (centre, unit) = ((total.mean + total.rest) / scale, variance.sqrt() / scale);
    if !(unit > 0.0 && unit.is_finite() && centre.is_finite()) {
        return None;
    }
    // a class without a value is like all rows
    let mean = |c: &Moments| if c.count > 0.0 { total.difference(c) / variance.sqrt() } else { 0.0 };
    let spread = |c: &Moments| if c.count > 0.0 { c.m2 / c.count / variance } else { 1.0 };
    Some(NormalFeature {
        name: name.into(),
        centre,
        unit,
        means: classes.iter().map(mean).collect(),
        variances: classes.iter().map(|c| spread(c) + SMOOTHING).collect(),
    })
}

/// The feature of these categories, unless a single one occurs.
fn category(data: &View, column: &Categories, codes: &[u32], classes: usize, name: &str) -> Option<CategoryFeature> {
    let levels = column.labels().len();
    let mut counts = vec![vec![0.0; levels]; classes];
    for &row in data.rows() {
        let (row, code) = (row as usize, column.codes()[row as usize]);
        if code != MISSING {
            counts[codes[row] as usize][code as usize] += data.weights().map_or(1.0, |w| w[row]);
        }
    }
    let seen: Vec<usize> = (0..levels).filter(|&l| counts.iter().any(|c| c[l] > 0.0)).collect();
    if seen.len() < 2 {
        return None;
    }
    let logs = |counts: &Vec<f64>| {
        let total = (counts.iter().sum::<f64>() + seen.len() as f64).ln();
        seen.iter().map(|&l| (counts[l] + 1.0).ln() - total).collect()
    };
    Some(CategoryFeature {
        name: name.into(),
        labels: seen.iter().map(|&l| column.labels()[l].clone()).collect(),
        log_probabilities: counts.iter().map(logs).collect(),
    })
}

pub(super) fn not_categories(name: &str) -> Error {
    let place = Place::default().at_column(name);
    Error::data(place, "it holds numbers, but held categories in training", "give the column as it was in training")
}

impl Fitted for FittedNaiveBayes {
    fn column_names(&self) -> Vec<&str> {
        let numbers = self.numbers.iter().map(|f| f.name.as_str());
        numbers.chain(self.categories.iter().map(|f| f.name.as_str())).collect()
    }

    fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        let occurring: Vec<usize> = (0..self.shares.len()).filter(|&c| self.shares[c] > 0.0).collect();
        let mut scores: Vec<Vec<f64>> =
            shares_as_scores(&self.shares).iter().map(|s| vec![*s; data.rows().len()]).collect();
        let found = columns(data, self.column_names())?;
        let mut z = vec![0.0; data.rows().len()];
        for (feature, column) in self.numbers.iter().zip(&found) {
            let values = numbers(column, &feature.name)?;
            for (z, &row) in z.iter_mut().zip(data.rows()) {
                *z = ((values[row as usize] - feature.centre) / feature.unit).clamp(-MOST, MOST); // NaN stays
            }
            for &c in &occurring {
                let (mean, variance) = (feature.means[c], feature.variances[c]);
                let constant = -0.5 * variance.ln();
                for (score, z) in scores[c].iter_mut().zip(&z) {
                    if !z.is_nan() {
                        *score += constant - 0.5 * (z - mean) * (z - mean) / variance;
                    }
                }
            }
        }
        for (feature, column) in self.categories.iter().zip(&found[self.numbers.len()..]) {
            let Column::Categories(column) = &**column else { return Err(not_categories(&feature.name)) };
            let places: HashMap<&str, usize> = feature.labels.iter().map(String::as_str).zip(0..).collect();
            let known: Vec<Option<usize>> = column.labels().iter().map(|l| places.get(l.as_str()).copied()).collect();
            for (at, &row) in data.rows().iter().enumerate() {
                if let Some(Some(level)) = known.get(column.codes()[row as usize] as usize) {
                    occurring.iter().for_each(|&c| scores[c][at] += feature.log_probabilities[c][*level]);
                }
            }
        }
        Ok(normalise(scores, &occurring))
    }

    fn fault(&self, classes: usize) -> Option<&'static str> {
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        if let Some(fault) = bad_shares(&self.shares, classes) {
            return Some(fault);
        }
        let sizes = self.numbers.iter().all(|f| f.means.len() == classes && f.variances.len() == classes)
            && self.categories.iter().all(|f| {
                f.log_probabilities.len() == classes && f.log_probabilities.iter().all(|p| p.len() == f.labels.len())
            });
        let finite = |f: &NormalFeature| {
            f.centre.is_finite()
                && positive(&f.unit)
                && f.means.iter().all(|m| m.is_finite())
                && f.variances.iter().all(positive)
        };
        let logs = self.categories.iter().flat_map(|f| f.log_probabilities.iter().flatten());
        let whole = |logs: &Vec<f64>| (logs.iter().map(|p| p.exp()).sum::<f64>() - 1.0).abs() < 1e-6;
        if !sizes {
            Some(SIZES_DIFFER)
        } else if !self.categories.iter().all(|f| f.log_probabilities.iter().all(whole)) {
            Some("the probabilities of a feature's categories do not sum to one")
        } else if !self.numbers.iter().all(finite) || logs.into_iter().any(|p| !p.is_finite()) {
            Some(NOT_FINITE)
        } else {
            None
        }
    }
}
