//! Null scores of independent features: standard normal numbers from the seed.

use super::features::Features;
use super::null_rows::ScoreRow;
use crate::numeric::random;

/// How many rows are drawn, if that is enough.
pub(super) const ROWS: usize = 199;
/// The stream of the first row; no other numbers are drawn from these.
const STREAMS: u64 = 1 << 42;

/// Row number `r`.
pub(super) fn row(seed: u64, r: usize, features: &Features) -> ScoreRow {
    let mut rng = random::stream(seed, STREAMS + r as u64);
    ScoreRow::Held((0..features.len()).map(|_| random::standard_normal(&mut rng) as f32).collect())
}
