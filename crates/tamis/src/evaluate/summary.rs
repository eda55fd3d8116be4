//! Summary of one pipeline over its folds.

use crate::base::{Error, OptionName, Result, Text, text};
use crate::catalogue::Method;
use crate::catalogue::Pipeline;
use crate::evaluate::cross_validate::{FoldPredictions, FoldResult};
use crate::evaluate::probability::{CalibrationBin, calibration, calibration_slope};
use crate::evaluate::stability::{Stability, stability};
use crate::numeric::roc::{RocPoint, roc_points};
use crate::numeric::special::Z_95;
use crate::table::View;
use serde::{Deserialize, Serialize};

/// A pipeline on one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Run {
    /// Which table, by position.
    pub input: usize,
    /// The name of the pipeline.
    pub label: String,
    /// The selector; null if all features are used or the classifier selects as it learns.
    pub method: Option<Method>,
    /// The classifier.
    pub classifier: Method,
    /// Why it could not be used on this table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Text>,
    /// Results fold by fold.
    pub folds: Vec<FoldResult>,
    /// The summary over all folds.
    pub summary: Option<Summary>,
    /// The ROC curve of two classes, over all rows of the first repeat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roc: Vec<RocPoint>,
    /// Predicted against observed shares, over all rows of the first repeat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationBin>,
    /// In what share of the folds each feature was used, most often first; none where all always are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frequency: Vec<Frequency>,
}

/// How often a feature was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Frequency {
    /// The feature.
    pub name: String,
    /// The share of folds.
    pub frequency: f64,
}

/// Means over folds; where every fold tests one row, measures of all those rows together.
///
/// ```
/// use tamis::front::{Compared, RequestedSplits};
/// use tamis::prelude::*;
/// use tamis::resample::RequestedFolds;
///
/// let table = TwoGroups { rows: 40, features: 30, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let compared = Compared { methods: vec!["t".into()], ..Compared::default() };
/// let data = Data::of_table("drawn", &table);
/// let splits = RequestedSplits::Folds(RequestedFolds::Count { folds: 4, repeats: 1 });
/// let found = Analysis::default().evaluate(&compared, &splits, &data, &mut Silent)?;
/// let summary: &Summary = found.runs[0].summary.as_ref().unwrap();
/// assert!(summary.error < 0.5);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// The share of rows predicted wrongly.
    pub error: f64,
    /// Its standard error.
    pub error_se: f64,
    /// The area under the ROC curve; null where no fold has both classes.
    pub auc: Option<f64>,
    /// Its 95 % interval, by DeLong's variance; null for more than two classes.
    pub auc_95: Option<[f64; 2]>,
    /// Cohen's kappa over all rows of the first repeat.
    pub kappa: Option<f64>,
    /// Its 95 % interval.
    pub kappa_95: Option<[f64; 2]>,
    /// Brier score.
    pub brier: f64,
    /// Log loss.
    pub log_loss: f64,
    /// The slope of what happened on the predicted log odds over all rows of the first repeat: below 1, probabilities are
    /// too sure; null where there is none.
    #[serde(default)]
    pub calibration_slope: Option<f64>,
    /// Features used.
    pub n_selected: f64,
    /// Their standard deviation over the folds.
    pub n_selected_sd: f64,
    /// How alike the folds' selections are; null where all features are always used.
    pub stability: Option<Stability>,
    /// Seconds of learning and predicting, over all folds.
    pub seconds: f64,
}

impl Run {
    /// Puts the folds of a pipeline together, or says why it could not be used.
    pub fn new(input: usize, data: &View, pipeline: &Pipeline, folds: Result<Vec<FoldResult>>) -> Run {
        let mut run = Run {
            input,
            label: pipeline.label(),
            method: pipeline.selector_for(data.target()),
            classifier: pipeline.classifier.clone(),
            failed: None,
            folds: vec![],
            summary: None,
            roc: vec![],
            calibration: vec![],
            frequency: vec![],
        };
        match folds {
            Err(e) => run.failed = Some(e.text()),
            Ok(folds) if folds.is_empty() => run.failed = Some("there is no fold".into()),
            Ok(folds) => run.fill(data, folds).unwrap_or_else(|e| run.failed = Some(e.text())),
        }
        run
    }

    /// The summary, the curves and the frequencies of these folds.
    fn fill(&mut self, data: &View, folds: Vec<FoldResult>) -> Result<()> {
        let first = FoldPredictions::pooled(folds.iter().filter(|f| f.repeat == 0).map(|f| &f.rows));
        (self.roc, self.calibration) = curves(&first, data.target().positive())?;
        self.summary = Some(summary(data, &folds, &first));
        self.frequency = frequency(data, &folds);
        self.folds = folds;
        if self.frequency.is_empty() {
            self.folds.iter_mut().for_each(|f| f.selected.clear()); // all of them, always
        }
        Ok(())
    }

    /// The standard error of the AUC, from its interval.
    pub(crate) fn auc_se(&self) -> f64 {
        self.summary.as_ref().and_then(|s| s.auc_95).map_or(0.0, |[low, high]| (high - low) / (2.0 * Z_95))
    }
}

/// Refuses runs of which none could be used on these data.
pub fn check_usable(runs: &[Run]) -> Result<()> {
    match runs.iter().find_map(|run| run.failed.as_ref()) {
        Some(reason) if runs.iter().all(|run| run.failed.is_some()) => {
            let expected = text!["none can be used on these data: ", reason.clone()];
            Err(Error::parameter(OptionName::Method, "all", expected))
        }
        _ => Ok(()),
    }
}

/// The ROC curve of two classes, none where a class has no row, and the calibration.
fn curves(rows: &FoldPredictions, positive: usize) -> Result<(Vec<RocPoint>, Vec<CalibrationBin>)> {
    const BINS: usize = 10;
    if rows.probabilities.len() == 2 {
        let truth: Vec<bool> = rows.truth.iter().map(|c| *c as usize == positive).collect();
        let both = truth.contains(&true) && truth.contains(&false);
        let probabilities = &rows.probabilities[positive];
        let roc = if both { roc_points(probabilities, &truth)? } else { vec![] };
        return Ok((roc, calibration(probabilities, &truth, BINS)?));
    }
    // of several classes, that of the class a row was taken for
    let taken = rows.predicted.iter().enumerate();
    let sure: Vec<f64> = taken.map(|(row, &class)| rows.probabilities[class][row]).collect();
    let right: Vec<bool> = rows.predicted.iter().zip(&rows.truth).map(|(p, t)| *p == *t as usize).collect();
    Ok((vec![], calibration(&sure, &right, BINS)?))
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count() as f64;
    values.sum::<f64>() / n
}

fn deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (m, n) = (mean(values.clone()), values.clone().count() as f64);
    (values.map(|v| (v - m) * (v - m)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt()
}

fn summary(data: &View, folds: &[FoldResult], first: &FoldPredictions) -> Summary {
    let single = folds.iter().all(|f| f.n_test == 1);
    let over = |value: fn(&FoldResult) -> f64| mean(folds.iter().map(value));
    let error = over(|f| f.error);
    let rows = first.rows.len().max(1) as f64;
    let by_fold = deviation(folds.iter().map(|f| f.error)) / (folds.len() as f64).sqrt();
    let error_se = if single { (error * (1.0 - error) / rows).sqrt() } else { by_fold };
    let positive = data.target().positive();
    let (auc, auc_95) = if single || folds.iter().all(|f| f.auc.is_none()) {
        let area = first.auc(positive);
        let interval = area.as_ref().filter(|_| first.probabilities.len() == 2).map(|a| a.interval_95);
        (area.map(|a| a.auc), interval)
    } else {
        mean_auc(folds)
    };
    let kappa = first.confusion().and_then(|c| c.kappa()).ok();
    let all = data.names().len();
    let selections: Vec<&[u32]> = folds.iter().map(|f| f.selected.as_slice()).collect();
    let everything = folds.iter().all(|f| f.n_selected == all);
    Summary {
        error,
        error_se,
        auc,
        auc_95,
        kappa: kappa.as_ref().map(|k| k.kappa),
        kappa_95: kappa.as_ref().map(|k| k.interval_95),
        brier: over(|f| f.brier),
        log_loss: over(|f| f.log_loss),
        calibration_slope: calibration_slope(&first.probabilities, &first.truth).ok(),
        n_selected: over(|f| f.n_selected as f64),
        n_selected_sd: deviation(folds.iter().map(|f| f.n_selected as f64)),
        stability: if everything || folds.len() < 2 { None } else { stability(&selections, all).ok() },
        seconds: folds.iter().map(|f| f.seconds).sum(),
    }
}

/// The mean over folds that have one, and an interval on the logit scale. The variance is that of a mean over the folds
/// of one repeat: repeats go over the same rows and do not narrow it.
fn mean_auc(folds: &[FoldResult]) -> (Option<f64>, Option<[f64; 2]>) {
    let known: Vec<(f64, Option<f64>)> = folds.iter().filter_map(|f| Some((f.auc?, f.auc_variance))).collect();
    let auc = mean(known.iter().map(|(a, _)| *a));
    let repeats = folds.iter().map(|f| f.repeat).max().map_or(1.0, |r| f64::from(r) + 1.0);
    let per_repeat = known.len() as f64 / repeats;
    let variances: Vec<f64> = known.iter().filter_map(|(_, v)| *v).collect();
    if variances.is_empty() {
        return (Some(auc), None);
    }
    let variance = mean(variances.iter().copied()) / per_repeat;
    // at 0 or 1 the logit has no end: half a row's worth of doubt is always there
    let near = 0.5 / folds.iter().filter(|f| f.repeat == 0).map(|f| f.n_test).sum::<usize>().max(1) as f64;
    let bounded = auc.clamp(near, 1.0 - near);
    let logit = (bounded / (1.0 - bounded)).ln();
    let wide = Z_95 * variance.sqrt() / (bounded * (1.0 - bounded));
    let back = |x: f64| 1.0 / (1.0 + (-x).exp());
    (Some(auc), Some([back(logit - wide).min(auc), back(logit + wide).max(auc)]))
}

fn frequency(data: &View, folds: &[FoldResult]) -> Vec<Frequency> {
    if folds.iter().all(|f| f.n_selected == data.names().len()) {
        return vec![];
    }
    let mut counts = vec![0_u32; data.names().len()];
    folds.iter().flat_map(|f| &f.selected).for_each(|&i| counts[i as usize] += 1);
    let mut order: Vec<usize> = (0..counts.len()).filter(|&i| counts[i] > 0).collect();
    order.sort_by(|&a, &b| counts[b].cmp(&counts[a]).then(a.cmp(&b)));
    let share = |i: usize| f64::from(counts[i]) / folds.len() as f64;
    order.into_iter().map(|i| Frequency { name: data.names()[i].clone(), frequency: share(i) }).collect()
}
