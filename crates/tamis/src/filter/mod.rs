//! Filters on the values themselves: every feature gets a score or a rank, and the first `k` are selected.

mod cat;
mod f;
mod fisher;
mod l21;
mod l21_solver;
mod ranking;
mod scatter;
mod shrunken_correlation;
mod trace_ratio;
mod welch_or_pearson_t;

pub use cat::{Cat, cat_scores};
pub use f::FTest;
pub use fisher::{Fisher, fisher};
pub use l21::L21;
pub use scatter::Scatter;
pub(crate) use shrunken_correlation::{ShrunkenCorrelation, out_of_range};
pub use trace_ratio::{TraceRatio, trace_ratio};
pub use welch_or_pearson_t::TTest;
