//! tamis (a fine sieve): *how many features matter, and which* — with a probability for each, and without a
//! number to choose.
//!
//! ```
//! use tamis::{Selector, Silent, Snbl, simulate::TwoGroups};
//!
//! // A table with known truth: 200 rows, 500 features, 20 of which differ between two groups.
//! let setup = TwoGroups { features: 500, relevant: 20, ..TwoGroups::default() };
//! let drawn = setup.draw(1)?;
//!
//! let selection = Snbl::default().select(&drawn.table.view(), &mut Silent)?;
//!
//! println!("{} can be named, about {:.0} are expected to matter", selection.selected.len(),
//!     selection.n_expected.unwrap_or_default());
//! let found = selection.selected.iter().filter(|&&j| drawn.truth[j as usize] != 0.0).count();
//! assert!(found >= 17 && selection.selected.len() - found <= 2);
//! # Ok::<(), tamis::Error>(())
//! ```
//!
//! Data flow one way: a file becomes a [`Table`] ([`table`]), its columns become scores ([`score`]), the scores a
//! posterior ([`sparse_means`]), and that a [`Selection`]. Or the columns become codes and are ranked by information
//! ([`information`]) or by their numbers ([`filter`]), and a test on bootstraps says how many of the ranked are real
//! ([`npfs`]). A table that does not fit is read in pieces whose states are merged ([`shard`]). [`Method`] knows every
//! method by name.

pub mod classify;
pub mod copies;
pub mod error;
pub mod evaluate;
pub mod filter;
pub mod information;
pub mod method;
pub mod model;
pub mod note;
pub mod npfs;
pub mod numeric;
pub mod output;
pub mod pipeline;
pub mod progress;
pub mod result;
pub mod score;
pub mod selection;
pub mod settings;
pub mod shard;
pub mod simulate;
pub mod sparse_means;
pub mod table;
pub mod vector_machine;

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod fixtures;

pub use error::{Error, Result};
pub use method::Method;
pub use model::{Fitted, Model};
pub use note::{Note, NoteKind};
pub use npfs::Npfs;
pub use pipeline::Pipeline;
pub use progress::{Progress, Silent};
pub use selection::{Selection, Selector};
pub use sparse_means::{Snbl, SparseMeans};
pub use table::{Table, View};
