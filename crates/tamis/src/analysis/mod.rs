//! The one entrance: what the program, Python, R and the page call. They translate arguments into an [`Analysis`] and its
//! answer into their words; everything in between is decided here.
//!
//! ```
//! use tamis::analysis::{Analysis, Data};
//! use tamis::{base::Silent, simulate::TwoGroups};
//!
//! let drawn = TwoGroups { features: 500, relevant: 20, ..TwoGroups::default() }.draw(1)?;
//! let found = Analysis::default().select(&Data::of_table("drawn", &drawn.table), &mut Silent)?;
//! println!("{}", found.result.sentence());
//! assert!(found.result.n_selected >= 17);
//! # Ok::<(), tamis::Error>(())
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `data.rs` | rows to analyse, and what is known of them |
//! | `found.rs` | what a selection found: the document, and what front ends need beside it |
//! | `select.rs` | selecting from rows in memory, dense or sparse |
//! | `files.rs` | selecting from files, held whole, sparse, or read in pieces |
//! | `pieces.rs` | what a table in pieces allows, and the answer of its states |
//! | `fit.rs` | training |
//! | `evaluate.rs`, `compared.rs` | comparing methods on the same folds; which methods, and which folds |
//! | `shrink.rs`, `statistic_columns.rs` | scores that others have computed; the columns of a table that make them |

mod compared;
mod data;
mod evaluate;
mod files;
mod fit;
mod found;
mod pieces;
mod select;
mod shrink;
mod statistic_columns;

pub use compared::{Compared, RequestedSplits};
pub use data::Data;
pub use evaluate::Evaluator;
pub use files::{HeldTable, Passage, TableFiles};
pub use fit::Trained;
pub use found::Found;
pub use pieces::{answer_of_row_states, answer_of_states};
pub use statistic_columns::RequestedStatistics;

use crate::base::{Error, OptionName, Result};
use crate::catalogue::{Beside, Method, Preparation};
use crate::model::Calibrate;
use crate::sparse_means::Snbl;
use serde::{Deserialize, Serialize};

/// An analysis of a table: the method, and everything around it.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let analysis = Analysis { method: Method::find("t")?.with("k", "5")?, ..Analysis::default() };
/// let found = analysis.select(&Data::of_table("drawn", &table), &mut Silent)?;
/// assert_eq!(found.result.n_selected, 5);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Analysis {
    /// The selector; of [`Analysis::fit`] a selector or a classifier.
    pub method: Method,
    /// The classifier that is trained on the features of a selector.
    pub classifier: Option<Method>,
    /// How values are prepared.
    pub preparation: Preparation,
    /// Whether to look for relations that the method does not see; by default after `snbl` alone, which has a second look.
    pub second_look: Option<bool>,
    /// Whether to ask which of the named features are needed, given the others; by default after `snbl` alone, and where it
    /// takes less work than the answer itself.
    pub needed: Option<bool>,
    /// Select at least so many features, the best by rank.
    pub least_features: usize,
    /// Whether the values of the selected features are kept for a report.
    pub sample_values: bool,
    /// Whether a report shows how well the working set of `needed` predicts, which takes five times as long as finding it.
    pub working_set_curve: bool,
    /// How probabilities of a classifier are corrected.
    pub calibrate: Option<Calibrate>,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl Default for Analysis {
    /// `snbl` with its second look, and what of it is needed.
    fn default() -> Self {
        Analysis {
            method: Snbl::default().into(),
            classifier: None,
            preparation: Preparation::default(),
            second_look: None,
            needed: None,
            least_features: 0,
            sample_values: false,
            working_set_curve: false,
            calibrate: None,
            seed: 0,
        }
    }
}

impl Analysis {
    /// Refuses settings of a selection that do not go together.
    ///
    /// # Errors
    ///
    /// No second look, or no question of what is needed, where the method has none anyway, groups of features beside a
    /// method that does not name features together, and a least count that cannot be used.
    pub fn check_selection(&self) -> Result<()> {
        if !self.method.takes_designs() {
            self.refuse_renouncing(&format!("method={}", self.method.name()))?;
        }
        self.preparation.validate(&self.method)
    }

    /// What is looked at beside the answer.
    fn beside(&self) -> Beside {
        let designs = self.method.takes_designs();
        Beside {
            second_look: designs && self.second_look.unwrap_or(true),
            needed: designs && self.needed.unwrap_or(true),
        }
    }

    /// The error of renouncing what is not looked at anyway.
    fn refuse_renouncing(&self, beside: &str) -> Result<()> {
        let renounced = [(self.second_look, OptionName::NoSecondLook), (self.needed, OptionName::NoNeeded)];
        match renounced.into_iter().find(|(asked, _)| *asked == Some(false)) {
            Some((_, name)) => Err(Error::NoEffect { name, beside: beside.into() }),
            None => Ok(()),
        }
    }
}
