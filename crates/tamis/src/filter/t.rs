//! `t`: the size of Welch's t for two classes, of Pearson's for a numeric target.

use super::ranking::{info, largest, strengths};
use crate::base::{Auto, Context, Describe, Error, MethodInfo, OptionName, Result, text};
use crate::score::{self, Scale, Statistic};
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// The `k` features with the strongest t: |t| of numbers, the one-sided score of categories.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `k` | `auto` | how many features are chosen | `auto`, 1… |
///
/// Cost: two passes over the table. Several classes are refused.
///
/// ```
/// use tamis::{Context, Selector, filter::T, simulate::TwoGroups};
///
/// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
/// let selection = T::default().select(&drawn.table.view(), &mut Context::default())?;
/// assert_eq!(selection.selected.len(), 10);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct T {
    /// How many features are chosen; auto: 10, or half of them where there are no more than that.
    pub k: Auto<usize>,
}

impl Describe for T {
    fn info() -> MethodInfo {
        info("t", "the size of Welch's t for two classes, of Pearson's for a numeric target; scores are z", "")
    }
}

impl Selector for T {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        if let Some(n) = data.target().n_classes().filter(|n| *n > 2) {
            let problem = format!("needs two classes, and there are {n}");
            return Err(Error::method("t", problem, text!["pass ", OptionName::Method.set("f")]));
        }
        let scores = score::compute(data, Statistic::Auto, Scale::Z, context)?;
        let (k, ranked) = largest(self.k, strengths(&scores), scores.notes.clone())?;
        let mut selection = ranked.into_selection(data, T { k: Auto::Set(k) }.record(), context.seed);
        selection.scores = scores.into_z();
        Ok(selection)
    }
}
