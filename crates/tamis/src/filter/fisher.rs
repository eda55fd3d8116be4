//! `fisher`: variance between the classes over variance within them.

use super::ranking::{info, largest};
use super::scatter::{Scatter, scored};
use crate::base::parameter::parameters;
use crate::base::{Auto, Context, Describe, MethodInfo, Progress, Result};
use crate::selection::k::k;
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
    /// The `k` features with the largest Fisher score, Σ_c n_c (m_c − m)² / Σ_c Σ_i (x_ic − m_c)²: the scatter between the
    /// classes over the scatter within them.
    ///
    /// A missing value is left out. A feature that is constant within every class gets the largest finite score, and a
    /// note.
    ///
    /// Cost: two passes over the table.
    ///
    /// Errors: [`Error::Method`](crate::Error::Method) for a numeric target; [`Error::Data`](crate::Error::Data) for a
    /// column of categories and if no feature varies; [`Error::Parameter`](crate::Error::Parameter) if `k` is 0 or not less
    /// than the number of features that vary.
    ///
    /// Reference: Duda, Hart & Stork, *Pattern Classification*, 2001.
    ///
    /// ```
    /// use tamis::{Context, Selector, filter::Fisher, simulate::TwoGroups};
    ///
    /// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
    /// let selection = Fisher::default().select(&drawn.table.view(), &mut Context::default())?;
    /// assert_eq!(selection.selected.len(), 10);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Fisher {
        k: Auto<usize> = Auto::Auto, k!(range), k!(purpose);
    }
}

impl Describe for Fisher {
    fn info() -> MethodInfo {
        info(
            "fisher",
            "variance between the classes divided by variance within them",
            "Duda, Hart & Stork, Pattern Classification, 2001",
            Fisher::described(),
        )
    }
}

impl Selector for Fisher {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        context.step("scoring", 0, 1)?;
        let (_, size, notes) = scored(data, "fisher")?;
        let (k, ranked) = largest(self.k, size, notes)?;
        Ok(ranked.into_selection(data, Fisher { k: Auto::Set(k) }.record(), context.seed))
    }
}

/// Fisher's score, between/within: infinite where a feature has no variance once the class is known, NaN where it has
/// none at all.
pub fn fisher(scatter: &[Scatter]) -> Vec<f64> {
    scatter.iter().map(|s| s.between / s.within).collect()
}
