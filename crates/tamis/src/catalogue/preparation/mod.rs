//! What is done to values before a method sees them: learned from some rows, applied to any.
//!
//! Selecting, training and every fold of an evaluation prepare alike. A selector sees a [`PreparedTable`]: counts of
//! repeated rows of a block are summed, counts become log counts per million, and one-hot columns become one category.
//! A classifier sees the rows themselves: their log counts, without what covariates explain. What that takes is learned
//! from the training rows, and saved with the model, as [`LearnedPreparation`].
//!
//! Rows that are repeated, but not counted, are averaged by `snbl` itself, which also finds latent factors: both are part
//! of how it scores features, not of their values.
//!
//! | file | holds |
//! | --- | --- |
//! | `prepared_table.rs` | the table that a selector sees |
//! | `learned.rs` | what a classifier's rows go through |

mod learned;
mod prepared_table;

pub use learned::{LearnedPreparation, PreparedRows};
pub use prepared_table::{Beside, PreparedTable};

use crate::base::{Error, OptionName, Result, text};
use crate::catalogue::Method;
use crate::table::counts::{CountSettings, Normalize};
use crate::table::{FeatureGroups, Target};
use serde::{Deserialize, Serialize};

/// How values are prepared.
///
/// ```
/// use tamis::prelude::*;
/// use tamis::table::counts::{CountSettings, Normalize};
///
/// let counts = CountSettings { normalize: Normalize::Tmm, ..CountSettings::default() };
/// let preparation = Preparation { counts: Some(counts), ..Preparation::default() };
/// let analysis = Analysis { preparation, ..Analysis::default() };
/// assert!(analysis.check_selection().is_ok());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preparation {
    /// How counts are normalised. None where nobody has said: then a note suggests it for features that look like counts.
    pub counts: Option<CountSettings>,
    /// Features that count together (`snbl`), by their positions in the table as it is given.
    pub feature_groups: FeatureGroups,
}

impl Preparation {
    /// Refuses settings that cannot be used, and groups beside a method that does not name features together.
    pub fn validate(&self, method: &Method) -> Result<()> {
        if let (Some(group), false) = (self.feature_groups.groups.first(), method.takes_designs()) {
            return Err(no_groups(&group.name));
        }
        self.counts.as_ref().map_or(Ok(()), CountSettings::validate)
    }

    /// How counts are normalised, if they are.
    pub(crate) fn normalize(&self) -> Normalize {
        self.counts.as_ref().map_or(Normalize::None, |counts| counts.normalize)
    }

    /// The same for one of several selectors: without groups where it does not name features together.
    pub(crate) fn for_selector(&self, selector: Option<&Method>) -> Preparation {
        let feature_groups = match selector.is_some_and(Method::takes_designs) {
            true => self.feature_groups.clone(),
            false => FeatureGroups::default(),
        };
        Preparation { counts: self.counts.clone(), feature_groups }
    }

    /// The method with what follows from the values it will see. The variance of log counts depends on their mean, so
    /// that `trend=auto` is true for them where variances are moderated; false where every value has a precision.
    pub fn method_for(&self, method: &Method, target: &Target) -> Method {
        let timed = matches!(target, Target::Survival { .. });
        match self.normalize() {
            Normalize::Voom if !timed => method.clone().with_trend(false),
            normalize if normalize.gives_log_counts() && !timed => method.clone().with_trend(true),
            _ => method.clone(),
        }
    }
}

/// The error of groups of features, given as `value`, beside a method that does not name features together.
pub(crate) fn no_groups(value: &str) -> Error {
    let expected = text!["only ", OptionName::Method.set("snbl"), " names features together; leave it out"];
    Error::parameter(OptionName::FeatureGroups, value, expected)
}
