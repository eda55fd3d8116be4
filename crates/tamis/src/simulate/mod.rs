//! Simulated tables with known truth.

mod two_groups;

pub use two_groups::{Simulated, TwoGroups};
