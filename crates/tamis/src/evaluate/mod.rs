//! How good is it: measures of predictions and of selections, tests between methods, and resampling plans.
//!
//! Numbers in, numbers out. A measure that cannot be taken (a class is absent, a value is missing) is an error that
//! says why; in a loop over folds, `.ok()` makes it the null of a result file. Nothing here returns NaN.
//!
//! | file | what |
//! | --- | --- |
//! | [`roc`] | area under the ROC curve with its interval, the curve itself, several classes |
//! | [`mod@auc_curve`] | validation AUC as features are added |
//! | [`agreement`] | confusion matrix, error rate and Cohen's kappa with their intervals |
//! | [`probability`] | Brier score, log loss, calibration |
//! | [`mod@stability`] | how alike the selections of several runs are |
//! | [`compare`] | two methods on the same folds, rows or data sets |
//! | [`mod@friedman`] | several methods on several data sets, with critical differences |
//! | [`folds`] | stratified, grouped and leave-one-out plans |
//! | [`mod@given`] | plans given in a file |
//! | [`mod@cross_validate`] | pipelines on the same folds |
//! | [`summary`] | what the folds of a pipeline come to |
//! | [`verdict`] | pipelines compared, and one recommended |
//! | [`evaluation`] | all of it as it is saved |

pub mod agreement;
pub mod auc_curve;
pub mod compare;
pub mod cross_validate;
pub mod evaluation;
pub mod folds;
pub mod friedman;
pub mod given;
mod groups;
pub mod probability;
pub mod roc;
pub mod stability;
pub mod summary;
pub mod verdict;

pub use agreement::{Confusion, Kappa, wilson};
pub use compare::{Discordant, PairedT, Wilcoxon, corrected_paired_t, discordant, paired_t, sign_test, wilcoxon};
pub use cross_validate::{Predicted, Tested, cross_validate};
pub use evaluation::Evaluation;
pub use folds::{Fold, Plan};
pub use friedman::{Better, CriticalDifference, Friedman, bonferroni_dunn, friedman, nemenyi, nemenyi_p};
pub use given::given;
pub use probability::{CalibrationBin, brier, calibration, calibration_of_classes, log_loss};
pub use roc::{Auc, RocPoint, auc, auc_of_classes, auc_with_interval, roc_points};
pub use stability::{Nogueira, Stability, stability};
pub use summary::{Run, Summary};
pub use verdict::{Comparison, Recommendation};

use crate::error::Place;
use crate::{Error, Result};

/// The normal quantile of every 95 % interval.
pub(crate) const Z_95: f64 = 1.959_963_984_540_054;

/// An error about the numbers given to a measure.
fn refuse<T>(problem: impl Into<String>, remedy: &str) -> Result<T> {
    Err(Error::data(Place::default(), problem, remedy))
}

/// Refuses two arrays of different lengths.
fn same_length(a: (usize, &str), b: (usize, &str)) -> Result<()> {
    if a.0 == b.0 {
        return Ok(());
    }
    refuse(format!("there are {} {} and {} {}", a.0, a.1, b.0, b.1), "give one of each per row")
}

/// The positions of `values` in rising order, and the stretches of that order in which values are equal.
///
/// Refuses NaN. O(n log n).
fn tied_runs(values: &[f64], what: &str) -> Result<(Vec<u32>, Vec<std::ops::Range<usize>>)> {
    if let Some(at) = values.iter().position(|v| v.is_nan()) {
        return refuse(format!("{what} {} is not a number", at + 1), "measure only what was predicted");
    }
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
    let value = |at: usize| values[order[at] as usize];
    let mut runs = Vec::new();
    let mut start = 0;
    for end in 1..=values.len() {
        if end == values.len() || value(end) != value(start) {
            runs.push(start..end);
            start = end;
        }
    }
    Ok((order, runs))
}

/// Ranks from 1, equal values sharing their average, and Σ(t³ − t) over runs of t equal values. O(n log n).
fn average_ranks(values: &[f64], what: &str) -> Result<(Vec<f64>, f64)> {
    let (order, runs) = tied_runs(values, what)?;
    let mut ranks = vec![0.0; values.len()];
    let mut ties = 0.0;
    for run in runs {
        let t = run.len() as f64;
        ties += t * t * t - t;
        for &at in &order[run.clone()] {
            ranks[at as usize] = 0.5 * (run.start + 1 + run.end) as f64;
        }
    }
    Ok((ranks, ties))
}
