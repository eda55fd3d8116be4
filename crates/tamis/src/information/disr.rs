//! `disr`: double input symmetrical relevance.

use super::Criterion;
use super::filter::{InformationFilter, info, information_method};
use serde::{Deserialize, Serialize};

/// Forward selection by double input symmetrical relevance for the target Y.
///
/// At every step the feature X is added that has the largest Σ_S I(X, S; Y)/H(X, S, Y), where S runs over the features
/// selected so far; the first has the largest I(X; Y). It is [`Jmi`](crate::information::Jmi) with every term divided
/// by the joint entropy.
///
/// Information is estimated by the observed frequencies of levels, in nats. A missing value is a level of its own.
///
/// Cost: rows × features × k additions, on one byte per cell.
///
/// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range, or a `k` not less than the
/// number of features that vary; [`Error::Data`](crate::Error::Data) for a column or target with more than 255 levels.
///
/// Reference: Meyer & Bontempi, *On the use of variable complementarity for feature selection in cancer
/// classification*, 2006.
///
/// ```
/// use tamis::{Context, Selector, information::Disr, simulate::TwoGroups};
///
/// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
/// let selection = Disr::default().select(&drawn.table.view(), &mut Context::default())?;
/// assert_eq!(selection.selected.len(), 10);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Disr {
    /// The parameters of every mutual-information filter.
    #[serde(flatten)]
    pub filter: InformationFilter,
}

information_method!(
    Disr,
    |_: &Disr| Criterion::Disr,
    info(
        "disr",
        "as jmi, each term divided by its joint entropy",
        "Meyer & Bontempi, On the use of variable complementarity, 2006",
    )
);
