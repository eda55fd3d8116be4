//! tamis (a fine sieve): *how many features matter, and which* — with a probability for each, and no count
//! to choose in advance.
//!
//! ```
//! use tamis::{Context, Selector, Snbl, simulate::TwoGroups};
//!
//! // A table with known truth: 200 rows, 500 features, 20 of which differ between two groups.
//! let setup = TwoGroups { features: 500, relevant: 20, ..TwoGroups::default() };
//! let drawn = setup.draw(1)?;
//!
//! let selection = Snbl::default().select(&drawn.table.view(), &mut Context::default())?;
//!
//! println!("{} can be named, about {:.0} are expected to matter", selection.selected.len(),
//!     selection.n_expected.unwrap_or_default());
//! let found = selection.selected.iter().filter(|&&j| drawn.truth[j as usize] != 0.0).count();
//! assert!(found >= 17 && selection.selected.len() - found <= 2);
//! # Ok::<(), tamis::Error>(())
//! ```

// Hidden modules hold plumbing; what front ends need of them is in `front`.
pub mod analysis;
pub mod base;
pub mod catalogue;
pub mod classify;
#[doc(hidden)]
pub mod codes;
pub mod compose;
pub mod dependence;
pub mod evaluate;
pub mod filter;
pub mod front;
pub mod information;
pub mod machines;
#[doc(hidden)]
pub mod merge;
pub mod model;
pub mod needed;
pub mod npfs;
#[doc(hidden)]
pub mod numeric;
pub mod prelude;
pub mod resample;
pub mod result;
pub mod score;
pub mod selection;
pub mod simulate;
pub mod sparse_means;
#[doc(hidden)]
pub mod stream;
pub mod table;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod fixtures;

pub use analysis::Analysis;
pub use base::{Context, Error, Note, NoteKind, Progress, Result, Silent};
pub use catalogue::{Method, Model, Pipeline};
pub use dependence::Dependence;
pub use model::Classifier;
pub use needed::Needed;
pub use npfs::Npfs;
pub use selection::{Selection, Selector};
pub use sparse_means::{Snbl, SparseMeans};
pub use table::{Table, View};
