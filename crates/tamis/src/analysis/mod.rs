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
//! Every analysis takes the same way, whether it is `tamis select … --report`, `SNBL().fit(X, y)` of Python, `tamis()` of R,
//! or `tamis evaluate`:
//!
//! ```text
//! arguments   Analysis, and Compared with RequestedSplits for evaluate
//!     │
//! open        TableFiles: whole, without zeros, or in pieces         a matrix of Python or R
//!     │           (training and comparing hold the whole table)           │
//! rows        Data: a View of the rows, and notes on how they were read ◄─┘
//!     │
//! prepare     PreparedTable: counts of blocks summed and normalised, one-hot columns joined
//!     │           select: all rows; fit: all rows, saved with the model; evaluate: the training rows of every fold
//!     │
//! method      select: Method::select, then look_again        fit, evaluate: Pipeline::fit, selector and classifier
//!     │
//! answer      Found                                          Trained, Evaluation
//!     │
//! caller      notes in their order and in the front end's words, seconds
//!     │
//! shown       the screen, JSON, the report; attributes of Python; lists of R
//! ```
//!
//! Pieces leave the way after *open*: `stream` sums their rows up, `merge` makes the answer of the sums, and `Found` is the
//! same from there on. What needs the values is refused, or noted as not sought.
//!
//! A front end passes a [`Progress`](crate::base::Progress), which also knows its names for options
//! ([`voice`](crate::base::Progress::voice)); it neither orders notes nor takes the time.
//!
//! | file | holds |
//! | --- | --- |
//! | `files.rs` | the door to files: how a table is opened, for a selection, for training, and to compare methods |
//! | `data.rs` | rows to analyse, and what is known of them |
//! | `select.rs` | selecting from rows in memory, dense or sparse |
//! | `pieces.rs` | what a table in pieces allows, and the answer of its states |
//! | `fit.rs` | training |
//! | `evaluate.rs`, `compared.rs` | comparing methods on the same folds; which methods, and which folds |
//! | `shrink.rs`, `statistic_columns.rs` | scores that others have computed; the columns of a table that make them |
//! | `found.rs` | what a selection found: the document, and what front ends need beside it |
//! | `caller.rs` | who asked, and when: that makes a document theirs |

mod caller;
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

pub use caller::Caller;
pub use compared::{Compared, RequestedSplits};
pub use data::Data;
pub use evaluate::Evaluator;
pub use files::{HeldTable, Passage, TableFiles};
pub use fit::Trained;
pub use found::Found;
pub use pieces::answer_of_parts;
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
    /// A second look, or the question of what is needed, wanted or not, where the method has none; groups of features beside a
    /// method that does not name features together, and a least count that cannot be used.
    pub fn check_selection(&self) -> Result<()> {
        if !self.method.takes_designs() {
            self.refuse_beside(&format!("method={}", self.method.name()))?;
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

    /// The error of wanting, or renouncing, what is not looked at here in any case.
    fn refuse_beside(&self, here: &str) -> Result<()> {
        let wished = [
            (self.second_look, "second_look", "there is no second look", OptionName::NoSecondLook),
            (self.needed, "needed", "what is needed is not asked", OptionName::NoNeeded),
        ];
        for (wish, name, said, renounced) in wished {
            match wish {
                Some(true) => {
                    let expected = format!("{said} with {here}; leave it out");
                    return Err(Error::parameter(name, true, expected));
                }
                Some(false) => return Err(Error::NoEffect { name: renounced, beside: here.into() }),
                None => {}
            }
        }
        Ok(())
    }
}
