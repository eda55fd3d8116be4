//! `cat`: correlation-adjusted t.

use super::ranking::{BY_THE_MEAN, info, largest, missing_note, numbers, set_aside};
use super::shrunken_correlation::ShrunkenCorrelation;
use crate::base::parameter::parameters;
use crate::base::{Auto, Context, Describe, Error, MethodInfo, Place, Progress, Result};
use crate::model::training_classes::TrainingClasses;
use crate::selection::k::k;
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
    /// The `k` features with the largest absolute correlation-adjusted t, for two classes.
    ///
    /// The vector of scores is R^(−½) t, where t holds the pooled t of each feature and R = (1 − λ)R̂ + λI is the
    /// correlation within the classes, shrunk by the λ of [`Slda`](crate::classify::Slda). Scores of correlated features
    /// are thus decorrelated before they are ranked. A missing value is replaced by the feature's mean.
    ///
    /// Cost: rows × features × min(rows, features) flops.
    ///
    /// Errors: [`Error::Method`] for weighted rows; [`Error::Data`] for a column of categories and for other than two
    /// classes; [`Error::Parameter`] if `k` is 0 or not less than the number of features that vary.
    ///
    /// Reference: Zuber & Strimmer, *Gene ranking and biomarker discovery under correlation*, Bioinformatics 25, 2009.
    ///
    /// ```
    /// use tamis::{Context, Selector, filter::Cat, simulate::TwoGroups};
    ///
    /// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
    /// let selection = Cat::default().select(&drawn.table.view(), &mut Context::default())?;
    /// assert_eq!(selection.selected.len(), 10);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Cat {
        k: Auto<usize> = Auto::Auto, k!(range), k!(purpose);
    }
}

impl Describe for Cat {
    fn info() -> MethodInfo {
        MethodInfo {
            cost: "rows × features × min(rows, features) flops",
            ..info(
                "cat",
                "|t| after decorrelation of the features; two classes",
                "Zuber & Strimmer, Gene ranking and biomarker discovery under correlation, Bioinformatics 2009",
                Cat::described(),
            )
        }
    }
}

impl Selector for Cat {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        context.step("scoring", 0, 1)?;
        let columns = numbers(data, "cat")?;
        let scores = cat_scores(data)?;
        let mut notes: Vec<_> = set_aside(data, |i| !scores[i].is_nan()).into_iter().collect();
        notes.extend(missing_note(data, &columns, BY_THE_MEAN));
        let size: Vec<f64> = scores.iter().map(|s| s.abs()).collect(); // either sign speaks for a feature
        let (k, ranked) = largest(self.k, size, notes)?;
        let mut selection = ranked.into_selection(data, Cat { k: Auto::Set(k) }.record(), context.seed);
        selection.scores = scores;
        Ok(selection)
    }
}

/// Correlation-adjusted t scores of two classes: R^(−½) t with the shrunken correlation R of `slda` and the pooled t,
/// positive minus negative class; one per column, NaN where a column has one value.
///
/// Cost: rows × features × min(rows, features) flops, and an eigendecomposition of that size.
pub fn cat_scores(data: &View) -> Result<Vec<f64>> {
    let classes = TrainingClasses::unweighted(data, "cat")?;
    if classes.shares.len() != 2 {
        let place = Place::default().at_column(data.target_name());
        let problem = format!("the target has {} classes", classes.shares.len());
        return Err(Error::data(place, problem, "correlation-adjusted scores need two; use another score"));
    }
    let mut scores = vec![f64::NAN; data.n_features()];
    let Some(correlation) = ShrunkenCorrelation::learn(data, &classes)? else { return Ok(scores) };
    let ShrunkenCorrelation { design, means, units, .. } = &correlation;
    let side = |positive: bool| usize::from((classes.occurring[1] == classes.positive) == positive);
    let error = (1.0 / classes.count(0) + 1.0 / classes.count(1)).sqrt();
    let mut t: Vec<f64> =
        (0..units.len()).map(|k| (means[side(true)][k] - means[side(false)][k]) / (units[k] * error)).collect();
    correlation.multiply_by_power(&mut t, -0.5)?;
    design.features.iter().zip(t).for_each(|(&at, t)| scores[at] = t);
    Ok(scores)
}
