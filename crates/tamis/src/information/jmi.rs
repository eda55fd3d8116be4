//! `jmi`: joint mutual information.

use super::Criterion;
use super::filter::{InformationFilter, info, information_method};
use serde::{Deserialize, Serialize};

/// The features X that add most to Σ_S I(X, S; Y) over the chosen features S.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `k` | `auto` | how many features are chosen | `auto`, 1… |
/// | `discretise` | `width` | how numbers become levels | `width`, `frequency`, `mdl`, `categories` |
/// | `bins` | 10 | into how many levels | 2…255 |
///
/// Cost: rows × features × k additions over one byte per cell. Errors: a column or target of more than 256 levels.
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
    info(
        "jmi",
        "information about the target together with each chosen feature, summed",
        "Yang & Moody, Data visualization and feature selection, NIPS 1999",
    )
);
