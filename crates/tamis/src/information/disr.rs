//! `disr`: double input symmetrical relevance.

use super::Criterion;
use super::filter::{InformationFilter, info, information_method};
use serde::{Deserialize, Serialize};

/// The features X with the largest Σ_S I(X, S; Y)/H(X, S, Y) over the chosen features S.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `k` | `auto` | how many features are chosen | `auto`, 1… |
/// | `discretise` | `width` | how numbers become levels | `width`, `frequency`, `mdl`, `categories` |
/// | `bins` | 10 | into how many levels | 2…255 |
///
/// Cost: rows × features × k additions over one byte per cell. Errors: a column or target of more than 256 levels.
///
/// Reference: Meyer & Bontempi, *On the use of variable complementarity for feature selection in cancer classification*, 2006.
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
        "as jmi, each term divided by the entropy of what it is about",
        "Meyer & Bontempi, On the use of variable complementarity, 2006",
    )
);
