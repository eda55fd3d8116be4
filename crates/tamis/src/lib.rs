//! tamis
#![allow(missing_docs)]
pub mod error;
pub mod method;
pub mod note;
pub mod numeric;
pub mod progress;
pub mod score;
pub mod selection;
pub mod sparse_means;
pub mod table;
pub use error::{Error, Result};
pub use method::Method;
pub use progress::{Progress, Silent};
pub use selection::{Selection, Selector};
pub use sparse_means::{Snbl, SparseMeans};
pub use table::{Table, View};
