//! Pipelines on the same folds; all learning is confined to the training rows of a fold.

use crate::base::{Context, Error, OptionName, Progress, Result, text};
use crate::catalogue::Pipeline;
use crate::evaluate::agreement::Confusion;
use crate::evaluate::probability::{brier, log_loss};
use crate::numeric::roc::{Auc, auc_of_classes, auc_with_interval};
use crate::resample::folds::{Fold, Plan};
use crate::table::{Target, View};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The result of a pipeline on one fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FoldResult {
    /// Which repeat, from 0.
    pub repeat: u32,
    /// Which fold of it, from 0.
    pub fold: u32,
    /// Rows learned from.
    pub n_train: usize,
    /// Rows predicted.
    pub n_test: usize,
    /// Features that predictions rest on.
    pub n_selected: usize,
    /// Which, by position; empty where a classifier takes all there are.
    pub selected: Vec<u32>,
    /// The value that tuning chose inside the fold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuned: Option<String>,
    /// The share of rows predicted wrongly.
    pub error: f64,
    /// The area under the ROC curve; null where the rows tested are all of one class.
    pub auc: Option<f64>,
    /// Cohen's kappa.
    pub kappa: Option<f64>,
    /// Brier score.
    pub brier: f64,
    /// Log loss.
    pub log_loss: f64,
    /// Seconds it took to learn and predict.
    pub seconds: f64,
    /// The predicted rows with their true classes, predicted classes and probabilities.
    #[serde(skip)]
    pub rows: FoldPredictions,
    /// DeLong's variance of `auc`.
    #[serde(skip)]
    pub(crate) auc_variance: Option<f64>,
}

/// Predictions of a fold.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct FoldPredictions {
    /// Row numbers of the table.
    pub rows: Vec<u32>,
    /// Their classes.
    pub truth: Vec<u32>,
    /// The predicted class of each row.
    pub predicted: Vec<usize>,
    /// For each class the probability of each row.
    pub probabilities: Vec<Vec<f64>>,
}

/// Every pipeline on every fold of a plan, side by side; the outer list is by pipeline. A pipeline that cannot be used
/// on the data says why instead.
///
/// Cost: training each pipeline on each fold; memory for as many at a time as there are threads.
///
/// ```
/// use tamis::prelude::*;
/// use tamis::resample::folds;
///
/// let table = TwoGroups { rows: 40, features: 30, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let pipeline = Pipeline::new(None, Method::find("dlda")?);
/// let plan = folds::stratified(&table.view(), 5, 1, 0)?;
/// let found = cross_validate(&table.view(), &[pipeline], &plan, &mut Context::default())?;
/// assert_eq!(found[0].as_ref().unwrap().len(), 5);
/// # Ok::<(), Error>(())
/// ```
pub fn cross_validate(
    data: &View,
    pipelines: &[Pipeline],
    plan: &Plan,
    context: &mut Context,
) -> Result<Vec<Result<Vec<FoldResult>>>> {
    data.target().refuse_survival("evaluate")?;
    let Target::Classes { .. } = data.target() else {
        let expected = text!["evaluation needs classes; pass ", OptionName::Task.set("classes")];
        return Err(Error::parameter(OptionName::Target, data.target_name(), expected));
    };
    pipelines.iter().try_for_each(Pipeline::validate)?;
    let mut found: Vec<Result<Vec<FoldResult>>> = pipelines.iter().map(|_| Ok(Vec::new())).collect();
    let seed = context.seed;
    let total = (plan.len() * pipelines.len()) as u64;
    // all pipelines of a few folds at a time, so that a pipeline that fails is not tried again
    let wave = (2 * rayon::current_num_threads()).div_ceil(pipelines.len().max(1)).max(1);
    for from in (0..plan.len()).step_by(wave) {
        let folds: Vec<Fold> = (from..(from + wave).min(plan.len())).filter_map(|at| plan.fold(at)).collect();
        let jobs: Vec<(usize, &Fold)> = folds
            .iter()
            .flat_map(|fold| (0..pipelines.len()).map(move |p| (p, fold)))
            .filter(|(p, _)| found[*p].is_ok())
            .collect();
        let results: Vec<(usize, Result<FoldResult>)> =
            jobs.into_par_iter().map(|(p, fold)| (p, test(data, &pipelines[p], fold, seed))).collect();
        for (p, result) in results {
            match (result, &mut found[p]) {
                (Err(Error::Cancelled), _) => return Err(Error::Cancelled),
                (Err(e), slot) => *slot = Err(e),
                (Ok(tested), Ok(list)) => list.push(tested),
                (Ok(_), Err(_)) => {}
            }
        }
        let done = ((from + folds.len()) * pipelines.len()) as u64;
        context.step("testing", done, total)?;
    }
    Ok(found)
}

fn test(data: &View, pipeline: &Pipeline, fold: &Fold, seed: u64) -> Result<FoldResult> {
    let started = Instant::now();
    let (train, test) = (data.of_these_rows(&fold.train)?, data.of_these_rows(&fold.test)?.copies_as_rows()?);
    let trained = pipeline.fit_briefly(&train, &mut Context::seeded(seed))?;
    let predictions = trained.model.predict(&test)?;
    let seconds = started.elapsed().as_secs_f64();
    let truth: Vec<u32> =
        test.rows().iter().filter_map(|&r| data.target().code(r as usize)).map(|c| c as u32).collect();
    let rows = FoldPredictions {
        rows: test.rows().to_vec(),
        truth,
        predicted: predictions.predicted,
        probabilities: predictions.probabilities,
    };
    let confusion = rows.confusion()?;
    let area = rows.auc(data.target().positive());
    Ok(FoldResult {
        repeat: fold.repeat,
        fold: fold.fold,
        n_train: train.n_samples() as usize,
        n_test: test.rows().len(),
        n_selected: trained.selected.len(),
        selected: trained.selected,
        tuned: trained.tuned,
        error: confusion.error_rate()?,
        auc: area.as_ref().map(|a| a.auc),
        kappa: confusion.kappa().ok().map(|k| k.kappa),
        brier: brier(&rows.probabilities, &rows.truth)?,
        log_loss: log_loss(&rows.probabilities, &rows.truth)?,
        seconds,
        auc_variance: area.and_then(|a| a.variance),
        rows,
    })
}

impl FoldPredictions {
    /// Who was taken for what.
    pub fn confusion(&self) -> Result<Confusion> {
        Confusion::of(self.probabilities.len(), &self.truth, &self.predicted)
    }

    /// The area under the ROC curve: of two classes with DeLong's variance, of several after Hand & Till. `None` where
    /// the rows are of one class.
    pub fn auc(&self, positive: usize) -> Option<Auc> {
        if self.probabilities.len() == 2 {
            let truth: Vec<bool> = self.truth.iter().map(|c| *c as usize == positive).collect();
            // by log odds: probabilities near 1 are rounded alike, while the other class's near 0 are not
            let odds = |(p, q): (&f64, &f64)| p.ln() - q.ln();
            let (own, other) = (&self.probabilities[positive], &self.probabilities[1 - positive]);
            return auc_with_interval(&own.iter().zip(other).map(odds).collect::<Vec<_>>(), &truth).ok();
        }
        let auc = auc_of_classes(&self.probabilities, &self.truth).ok()?;
        Some(Auc { auc, variance: None, interval_95: [0.0, 1.0], positives: 0, negatives: 0 })
    }

    /// The rows of several folds as one.
    pub(crate) fn pooled<'a>(folds: impl Iterator<Item = &'a FoldPredictions>) -> FoldPredictions {
        let mut all = FoldPredictions::default();
        for fold in folds {
            all.rows.extend(&fold.rows);
            all.truth.extend(&fold.truth);
            all.predicted.extend(&fold.predicted);
            all.probabilities.resize(fold.probabilities.len(), vec![]);
            all.probabilities.iter_mut().zip(&fold.probabilities).for_each(|(a, p)| a.extend(p));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_does_not_depend_on_which_class_is_positive() {
        // log odds from −90 to 90, which probabilities near 1 cannot tell apart
        let odds: Vec<f64> = (0..40).map(|i| f64::from(i * 37 % 40) * 4.5 - 90.0).collect();
        let class = |odds: &dyn Fn(f64) -> f64, z: f64| 1.0 / (1.0 + odds(z).exp());
        let probabilities =
            vec![odds.iter().map(|z| class(&|z| z, *z)).collect(), odds.iter().map(|z| class(&|z| -z, *z)).collect()];
        let truth: Vec<u32> = odds.iter().map(|z| u32::from(*z > 20.0 || (*z > -60.0 && *z < -40.0))).collect();
        let rows = FoldPredictions { probabilities, truth, ..FoldPredictions::default() };
        let [one, two] = [0, 1].map(|positive| rows.auc(positive).expect("two classes").auc);
        assert!((one - two).abs() < 1e-12, "{one} {two}");
    }
}
