//! `cmim`: conditional mutual information.

use super::Criterion;
use super::filter::{InformationFilter, info, information_method};
use serde::{Deserialize, Serialize};

/// The features X with the largest min_S I(X; Y | S) over the chosen features S.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `k` | `auto` | how many features are chosen | `auto`, 1… |
/// | `discretise` | `width` | how numbers become levels | `width`, `frequency`, `mdl`, `categories` |
/// | `bins` | 10 | into how many levels | 2…255 |
///
/// Cost: rows × features × k additions over one byte per cell. Errors: a column or target of more than 256 levels.
///
/// Reference: Fleuret, *Fast binary feature selection with conditional mutual information*, JMLR 5, 2004.
///
/// ```
/// use tamis::{Context, Selector, information::Cmim, simulate::TwoGroups};
///
/// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
/// let selection = Cmim::default().select(&drawn.table.view(), &mut Context::default())?;
/// assert_eq!(selection.selected.len(), 10);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Cmim {
    /// The parameters of every mutual-information filter.
    #[serde(flatten)]
    pub filter: InformationFilter,
}

information_method!(
    Cmim,
    |_: &Cmim| Criterion::Cmim,
    info(
        "cmim",
        "the least information about the target that a chosen feature leaves",
        "Fleuret, Fast binary feature selection with conditional mutual information, JMLR 5, 2004",
    )
);
