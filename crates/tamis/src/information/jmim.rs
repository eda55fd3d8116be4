//! `jmim`: the least joint mutual information.

use super::Criterion;
use super::filter::{InformationFilter, info, information_method};
use serde::{Deserialize, Serialize};

/// Forward selection by the least joint mutual information with the target Y.
///
/// At every step the feature X is added that has the largest min_S I(X, S; Y), where S runs over the features selected
/// so far; the first has the largest I(X; Y).
///
/// Information is estimated by the observed frequencies of levels, in nats. A missing value is a level of its own.
///
/// Cost: rows × features × k additions, on one byte per cell.
///
/// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range, or a `k` not less than the
/// number of features that vary; [`Error::Data`](crate::Error::Data) for a column or target with more than 255 levels.
///
/// Reference: Bennasar, Hicks & Setchi, *Feature selection using joint mutual information maximisation*, Expert Systems
/// with Applications 42, 2015.
///
/// ```
/// use tamis::{Context, Selector, information::Jmim, simulate::TwoGroups};
///
/// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
/// let selection = Jmim::default().select(&drawn.table.view(), &mut Context::default())?;
/// assert_eq!(selection.selected.len(), 10);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Jmim {
    /// The parameters of every mutual-information filter.
    #[serde(flatten)]
    pub filter: InformationFilter,
}

information_method!(
    Jmim,
    |_: &Jmim| Criterion::Jmim,
    info(
        "jmim",
        "as jmi, with the least term instead of the sum",
        "Bennasar, Hicks & Setchi, Feature selection using joint mutual information maximisation, 2015",
    )
);
