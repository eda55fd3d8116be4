//! How well the working set of `needed` predicts rows that it has not seen.

use crate::base::Context;
use crate::catalogue::{Pipeline, Preparation};
use crate::classify::Logistic;
use crate::evaluate::{Run, cross_validate};
use crate::needed::Needed;
use crate::numeric::roc::RocPoint;
use crate::resample::folds::drawn;
use crate::selection::Selection;
use crate::table::{Target, View};
use serde::{Deserialize, Serialize};

/// Folds of the cross-validation, and rows that each class must have.
const FOLDS: usize = 5;
const FEWEST_OF_CLASS: usize = 10;
/// Rows × features × the fewer of both: where this is larger, cross-validation takes longer than a report should.
const LARGEST: f64 = 1e8;

/// The ROC curve of working sets chosen anew in every fold, each with logistic regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkingSetCurve {
    /// Folds.
    pub folds: usize,
    /// How many features the working sets of the folds have, on average.
    pub features: f64,
    /// The mean over folds of the area under the curve.
    pub auc: f64,
    /// Its 95 % interval.
    pub auc_95: Option<[f64; 2]>,
    /// The curve over the rows of all folds.
    pub roc: Vec<RocPoint>,
}

impl WorkingSetCurve {
    /// Of the table that a selection was made from. `None` unless `needed` has looked and the target has two classes, for
    /// tables so large that it takes long, for counts, which folds must normalise by themselves, and for blocks.
    pub(super) fn of(data: &View, selection: &Selection) -> Option<WorkingSetCurve> {
        let needed = selection.needed.as_ref()?;
        let (rows, features) = (data.rows().len(), data.n_features());
        let small = rows as f64 * features as f64 * rows.min(features) as f64 <= LARGEST;
        let plain = !selection.log_counts && data.blocks().is_none() && !needed.working_set.is_empty();
        if !small || !plain || !has_two_classes(data) {
            return None;
        }
        let selector = Needed::default().for_prediction();
        let pipeline = Pipeline {
            selector: Some(selector.into()),
            classifier: Logistic::default().into(),
            tune: None,
            preparation: Preparation::default(),
            calibrate: None,
        };
        let plan = drawn(data, FOLDS, 1, selection.seed).ok()?;
        let found = cross_validate(data, std::slice::from_ref(&pipeline), &plan, &mut Context::seeded(selection.seed));
        let run = Run::new(0, data, &pipeline, found.ok()?.pop()?);
        let summary = run.summary?;
        let (auc, auc_95, features) = (summary.auc?, summary.auc_95, summary.n_selected);
        Some(WorkingSetCurve { folds: FOLDS, features, auc, auc_95, roc: run.roc })
    }
}

fn has_two_classes(data: &View) -> bool {
    let Target::Classes { labels, codes, .. } = data.target() else { return false };
    let rows_of = |class: u32| data.rows().iter().filter(|&&row| codes[row as usize] == class).count();
    labels.len() == 2 && rows_of(0).min(rows_of(1)) >= FEWEST_OF_CLASS
}
