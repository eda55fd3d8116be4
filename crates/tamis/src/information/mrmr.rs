//! `mrmr`: relevance less redundancy.

use super::Criterion;
use super::filter::{InformationFilter, info, information_method};
use crate::base::parameter::parameters;
use serde::{Deserialize, Serialize};

/// What there is to say of the parameter `form`, for the tables of parameters.
macro_rules! form {
    (range) => {
        "difference, quotient"
    };
    (purpose) => {
        "for mrmr: relevance minus redundancy, or divided by it"
    };
}
pub(crate) use form;

parameters! {
    /// Forward selection by relevance and redundancy.
    ///
    /// At every step the feature X is added that has the largest I(X; Y) − m (`form=difference`) or I(X; Y)/m (`quotient`),
    /// where m is the mean of I(X; S) over the features S selected so far; the first has the largest I(X; Y).
    ///
    /// Information is estimated by the observed frequencies of levels, in nats. A missing value is a level of its own.
    ///
    /// Cost: rows × features × k additions, on one byte per cell.
    ///
    /// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range, or a `k` not less than the
    /// number of features that vary; [`Error::Data`](crate::Error::Data) for a column or target with more than 255 levels.
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
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Mrmr {
        form: Form = Form::Difference, form!(range), form!(purpose);
        + filter: InformationFilter = InformationFilter::default();
    }
}

/// How `mrmr` combines relevance and redundancy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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

information_method!(Mrmr, |mrmr: &Mrmr| mrmr.form.criterion(), {
    let mut page = info(
        "mrmr",
        "information about the target, minus the redundancy with chosen features",
        "Peng, Long & Ding, Feature selection based on mutual information, IEEE TPAMI 27(8), 2005",
    );
    page.parameters.insert(1, Mrmr::described()[0]);
    page
});
