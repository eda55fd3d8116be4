//! Mutual information between features and a target: columns become codes, codes become counts, counts a ranking.

pub mod codes;
pub mod criteria;
pub mod discretise;
pub mod filter;
pub mod greedy;
pub mod pairs;

pub(crate) mod counts;
mod mdl;

pub use codes::Codes;
pub use criteria::Criterion;
pub use discretise::{Coding, Discretise};
pub use filter::{Form, InformationFilter, Mrmr};
pub use greedy::{Ranking, rank, relevance};
pub use pairs::{Pairs, PairsDetail};
