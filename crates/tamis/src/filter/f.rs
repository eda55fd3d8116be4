//! `f`: one-way analysis of variance.

use super::ranking::{info, largest, strengths};
use crate::base::parameter::parameters;
use crate::base::{Auto, Context, Describe, Error, MethodInfo, OptionName, Result, text};
use crate::score::{self, Scale, Statistic};
use crate::selection::k::k;
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
    /// The `k` features with the largest F of a one-way analysis of variance, compared by the z of its upper tail.
    ///
    /// For N rows and C classes, F = Σ_c n_c (m_c − m)²/(C − 1) ÷ Σ_c Σ_i (x_ic − m_c)²/(N − C). A column of categories is
    /// scored by its χ² test instead.
    ///
    /// Cost: two passes over the table.
    ///
    /// Errors: [`Error::Method`] for a numeric target; [`Error::Parameter`] if `k` is 0 or not less than the number of
    /// features that vary; [`Error::Data`] if no feature varies.
    ///
    /// Reference: Fisher, *Statistical Methods for Research Workers*, 1925.
    ///
    /// ```
    /// use tamis::{Context, Selector, base::Auto, filter::FTest, simulate::TwoGroups};
    ///
    /// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
    /// let selection = FTest { k: Auto::Set(3) }.select(&drawn.table.view(), &mut Context::default())?;
    /// assert_eq!(selection.selected.len(), 3);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct FTest {
        k: Auto<usize> = Auto::Auto, k!(range), k!(purpose);
    }
}

impl Describe for FTest {
    fn info() -> MethodInfo {
        info("f", "F of a one-way analysis of variance; scores are the z of its upper tail", "", FTest::described())
    }
}

impl Selector for FTest {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        if data.target().n_classes().is_none() {
            let remedy = text!["pass ", OptionName::Method.set("t"), ", or ", OptionName::Task.set("classes")];
            return Err(Error::method("f", "needs classes", remedy));
        }
        let scores = score::compute(data, Statistic::F, Scale::Z, context)?;
        let (k, ranked) = largest(self.k, strengths(&scores), scores.notes.clone())?;
        let mut selection = ranked.into_selection(data, FTest { k: Auto::Set(k) }.record(), context.seed);
        selection.scores = scores.into_z();
        Ok(selection)
    }
}
