//! Mutual information between features and a target: columns become codes, codes become counts, counts a ranking.

pub mod criteria;
pub mod discretise;
pub mod greedy;

pub(crate) mod counts;
mod mdl;

pub use criteria::Criterion;
pub use discretise::{Codes, Coding, Discretise};
pub use greedy::{Ranking, rank};
