//! Evaluation: measures of predictions and selections, cross-validation, and tests between methods.
//!
//! Numbers in, numbers out. A measure that cannot be taken (a class is absent, a value is missing) is an error that
//! says why; in a loop over folds, `.ok()` makes it the null of a result file. Nothing here returns NaN.
//!
//! | file | what |
//! | --- | --- |
//! | [`agreement`] | confusion matrix, error rate and Cohen's kappa with their intervals |
//! | [`probability`] | Brier score, log loss, calibration and its slope |
//! | [`mod@stability`] | how alike the selections of several runs are |
//! | [`paired_comparison`] | two methods on the same folds, rows or data sets |
//! | [`mod@friedman`] | several methods on several data sets, with critical differences |
//! | [`compared_pipelines`] | which pipelines are compared |
//! | [`mod@cross_validate`] | pipelines on the same folds |
//! | [`summary`] | summary of a pipeline over its folds |
//! | [`verdict`] | pipelines compared, and one recommended |

pub mod agreement;
pub mod compared_pipelines;
pub mod cross_validate;
pub mod friedman;
pub mod paired_comparison;
pub mod probability;
pub mod stability;
pub mod summary;
pub mod verdict;

pub use crate::numeric::roc::{Auc, RocPoint, auc, auc_of_classes, auc_with_interval, roc_points};
pub use agreement::{Confusion, Kappa, wilson};
pub use cross_validate::{FoldPredictions, FoldResult, cross_validate};
pub use friedman::{Better, CriticalDifference, Friedman, bonferroni_dunn, friedman, nemenyi, nemenyi_p};
pub use paired_comparison::{
    Discordant, PairedT, Wilcoxon, corrected_paired_t, discordant, paired_t, sign_test, wilcoxon,
};
pub use probability::{CalibrationBin, brier, calibration, calibration_of_classes, calibration_slope, log_loss};
pub use stability::{Nogueira, Stability, stability};
pub use summary::{Run, Summary, check_usable};
pub use verdict::{Comparison, Recommendation};
