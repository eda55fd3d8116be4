//! `mim`: mutual information, feature by feature.

use super::Criterion;
use super::filter::{InformationFilter, info, information_method};
use serde::{Deserialize, Serialize};

/// The features X with the largest I(X; Y), each by itself.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `k` | `auto` | how many features are chosen | `auto`, 1… |
/// | `discretise` | `width` | how numbers become levels | `width`, `frequency`, `mdl`, `categories` |
/// | `bins` | 10 | into how many levels | 2…255 |
///
/// Cost: rows × features × k additions over one byte per cell. Errors: a column or target of more than 256 levels.
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
    info("mim", "information about the target, feature by feature", "Lewis 1992",)
);
