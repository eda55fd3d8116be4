//! `mrmr`: relevance less redundancy.

use super::Criterion;
use super::filter::{InformationFilter, info, information_method};
use crate::base::Parameter;
use serde::{Deserialize, Serialize};

/// The features X with the largest I(X; Y) against the mean of I(X; S) over the chosen features S.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `k` | `auto` | how many features are chosen | `auto`, 1… |
/// | `form` | `difference` | how relevance is set against redundancy | `difference`, `quotient` |
/// | `discretise` | `width` | how numbers become levels | `width`, `frequency`, `mdl`, `categories` |
/// | `bins` | 10 | into how many levels | 2…255 |
///
/// Cost: rows × features × k additions over one byte per cell. Errors: a column or target of more than 256 levels.
///
/// Reference: Peng, Long & Ding, *Feature selection based on mutual information*, IEEE TPAMI 27(8), 2005.
///
/// ```
/// use tamis::{Context, Selector, information::Mrmr, simulate::TwoGroups};
///
/// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
/// let selection = Mrmr::default().select(&drawn.table.view(), &mut Context::default())?;
/// assert_eq!(selection.selected.len(), 10);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Mrmr {
    /// Difference or quotient.
    pub form: Form,
    /// The parameters of every mutual-information filter.
    #[serde(flatten)]
    pub filter: InformationFilter,
}

/// How `mrmr` sets relevance against redundancy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// I(X;Y) minus the mean of I(X;S).
    #[default]
    Difference,
    /// I(X;Y) over the mean of I(X;S).
    Quotient,
}

impl Form {
    pub(crate) fn criterion(self) -> Criterion {
        match self {
            Form::Difference => Criterion::MrmrDifference,
            Form::Quotient => Criterion::MrmrQuotient,
        }
    }
}

/// The parameter `form`.
pub(crate) const FORM: Parameter =
    Parameter { name: "form", range: "difference, quotient", purpose: "how mrmr sets relevance against redundancy" };

information_method!(Mrmr, |mrmr: &Mrmr| mrmr.form.criterion(), {
    let mut page = info(
        "mrmr",
        "information about the target, less what the chosen features say already",
        "Peng, Long & Ding, Feature selection based on mutual information, IEEE TPAMI 27(8), 2005",
    );
    page.parameters.insert(1, FORM);
    page
});
