//! `t`: the size of Welch's t for two classes, of Pearson's for a numeric target.

use super::ranking::{info, largest, strengths};
use crate::base::parameter::parameters;
use crate::base::{Auto, Context, Describe, Error, MethodInfo, OptionName, Result, text};
use crate::score;
use crate::selection::k::k;
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
    /// The `k` features with the largest absolute t, compared after each t is mapped to a normal score.
    ///
    /// With two classes, t = (m₊ − m₋)/√(s₊²/n₊ + s₋²/n₋) with Welch's degrees of freedom. With a numeric target, t = r√((n
    /// − 2)/(1 − r²)) for Pearson's correlation r, with n − 2 degrees of freedom. A column of categories has the upper tail
    /// of its χ² test (classes) or F test (numeric target) instead. Every tail probability becomes the z with the same
    /// tail, so that columns with different numbers of values can be compared.
    ///
    /// Cost: two passes over the table.
    ///
    /// Errors: [`Error::Method`] for more than two classes; [`Error::Parameter`] if `k` is 0 or not less than the number of
    /// features that vary; [`Error::Data`] if no feature varies.
    ///
    /// Reference: Welch, *The generalization of "Student's" problem when several different population variances are
    /// involved*, Biometrika 34, 1947.
    ///
    /// ```
    /// use tamis::{Context, Selector, filter::TTest, simulate::TwoGroups};
    ///
    /// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
    /// let selection = TTest::default().select(&drawn.table.view(), &mut Context::default())?;
    /// assert_eq!(selection.selected.len(), 10);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct TTest {
        k: Auto<usize> = Auto::Auto, k!(range), k!(purpose);
    }
}

impl Describe for TTest {
    fn info() -> MethodInfo {
        info(
            "t",
            "|t| of Welch's test for two classes, of Pearson's correlation for a numeric target; scores are z",
            "",
            TTest::described(),
        )
    }
}

impl Selector for TTest {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        if let Some(n) = data.target().n_classes().filter(|n| *n > 2) {
            let problem = format!("needs two classes, but there are {n}");
            return Err(Error::method("t", problem, text!["pass ", OptionName::Method.set("f")]));
        }
        let scores = score::each_by_itself(data, context)?;
        let (k, ranked) = largest(self.k, strengths(&scores), scores.notes.clone())?;
        let mut selection = ranked.into_selection(data, TTest { k: Auto::Set(k) }.record(), context.seed);
        selection.scores = scores.into_z();
        Ok(selection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Scale, Statistic};
    use crate::simulate::TwoGroups;

    /// Whatever the other features' variances, which moderate the scores of `snbl` from twenty features on.
    #[test]
    fn scores_are_welchs_however_many_features_there_are() {
        for features in [10, 40] {
            let setup = TwoGroups { rows: 30, features, relevant: 3, ..TwoGroups::default() };
            let table = setup.draw(1).expect("a table").table;
            let found = TTest::default().select(&table.view(), &mut Context::default()).expect("scores");
            let welch = score::compute(&table.view(), Statistic::Welch, Scale::Z, &mut Context::default());
            assert_eq!(found.scores, welch.expect("scores").into_z(), "{features} features");
        }
    }
}
