//! `mim`: mutual information, feature by feature.

use super::Criterion;
use super::filter::{InformationFilter, info, information_method};
use serde::{Deserialize, Serialize};

/// The `k` features X with the largest mutual information I(X; Y) with the target Y, each by itself.
///
/// Information is estimated by the observed frequencies of levels, in nats. A missing value is a level of its own.
///
/// Cost: rows × features × k additions, on one byte per cell.
///
/// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range, or a `k` not less than the
/// number of features that vary; [`Error::Data`](crate::Error::Data) for a column or target with more than 255 levels.
///
/// Reference: Lewis, *Feature selection and feature extraction for text categorization*, 1992.
///
/// ```
/// use tamis::{Context, Selector, information::Mim, simulate::TwoGroups};
///
/// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
/// let selection = Mim::default().select(&drawn.table.view(), &mut Context::default())?;
/// assert_eq!(selection.selected.len(), 10);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Mim {
    /// The parameters of every mutual-information filter.
    #[serde(flatten)]
    pub filter: InformationFilter,
}

information_method!(
    Mim,
    |_: &Mim| Criterion::Mim,
    info("mim", "information about the target, each feature by itself", "Lewis 1992",)
);
