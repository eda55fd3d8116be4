//! `jmi`: joint mutual information.

use super::Criterion;
use super::filter::{InformationFilter, info_with_auto, information_method};
use serde::{Deserialize, Serialize};

/// Forward selection by joint mutual information with the target Y.
///
/// At every step the feature X is added that has the largest Σ_S I(X, S; Y), where S runs over the features selected so
/// far; the first has the largest I(X; Y).
///
/// Information is estimated by the observed frequencies of levels, in nats. A missing value is a level of its own.
///
/// With `k=auto` the next feature is added only if its score exceeds that of every candidate under each of 19 random
/// orders of the rows, in which the target and the selected features move together and the candidates stay. On noise,
/// something is selected with probability 1/20.
///
/// Cost: rows × features × k additions, on one byte per cell; 20 times that with `k=auto`.
///
/// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range, or a `k` not less than the
/// number of features that vary; [`Error::Method`](crate::Error::Method) for weights that are not whole with `k=auto`;
/// [`Error::Data`](crate::Error::Data) for a column or target with more than 255 levels.
///
/// Reference: Yang & Moody, *Data visualization and feature selection*, NIPS 1999.
///
/// ```
/// use tamis::{Context, Selector, information::Jmi, simulate::TwoGroups};
///
/// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
/// let selection = Jmi::default().select(&drawn.table.view(), &mut Context::default())?;
/// assert_eq!(selection.selected.len(), 10);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Jmi {
    /// The parameters of every mutual-information filter.
    #[serde(flatten)]
    pub filter: InformationFilter,
}

information_method!(
    Jmi,
    |_: &Jmi| Criterion::Jmi,
    info_with_auto(
        "jmi",
        "information about the target jointly with each chosen feature, summed",
        "Yang & Moody, Data visualization and feature selection, NIPS 1999",
    )
);
