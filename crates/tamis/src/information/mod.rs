//! Mutual information between features and a target: counts of codes become a ranking.

pub(crate) mod auto_number;
mod cmim;
pub(crate) mod criteria;
mod disr;
mod filter;
pub(crate) mod greedy;
mod jmi;
mod jmim;
mod mim;
mod mrmr;
mod pair_bits;
mod pair_floors;
mod pair_levels;
mod pair_search;
mod pair_tables;
mod pairs;

pub use auto_number::{AutoRanking, rank_auto};
pub use cmim::Cmim;
pub use criteria::Criterion;
pub use disr::Disr;
pub(crate) use filter::CodedSelector;
pub use filter::InformationFilter;
pub(crate) use filter::coding;
pub use greedy::{Ranking, rank, relevance};
pub use jmi::Jmi;
pub use jmim::Jmim;
pub use mim::Mim;
pub(crate) use mrmr::form;
pub use mrmr::{Form, Mrmr};
pub use pairs::Pairs;
