//! Score vectors, of null targets and of the data: held in single precision, or counted where features are very many.

use super::counted_scores::CountedScores;
use super::features::{Features, Kind};
use crate::base::{Progress, Result};
use crate::sparse_means::null_scores::NullScores;
use rayon::prelude::*;
use std::ops::Range;

/// Up to so many null scores are held.
const MOST_HELD: usize = 1 << 26;
/// Columns of a block at most.
const BLOCK: usize = 1024;
/// Null scores of a block at most: many targets neither fill the memory nor delay a cancellation.
const MOST_IN_A_BLOCK: usize = 1 << 22;

/// A vector of scores. Every vector is rounded alike, so that those of noise are exchangeable with the data's.
pub(super) enum ScoreRow {
    /// The scores of the arranged features.
    Held(Vec<f32>),
    /// How many scores of each kind lie in each cell.
    Counted(Vec<CountedScores>),
}

/// The scores of one kind in a vector.
pub(super) enum KindScores<'a> {
    Held(&'a [f32]),
    Counted(&'a CountedScores),
}

impl ScoreRow {
    fn new(features: &Features, held: bool) -> ScoreRow {
        match held {
            true => ScoreRow::Held(vec![0.0; features.len()]),
            false => ScoreRow::Counted(features.kinds().iter().map(|_| CountedScores::new()).collect()),
        }
    }

    /// Puts in the scores of the columns from `start` on; a missing one counts as 0.
    fn put(&mut self, scores: &[f64], start: usize, features: &Features) {
        let placed = scores.iter().enumerate().filter_map(|(j, z)| Some((features.place(start + j)?, rounded(*z))));
        match self {
            ScoreRow::Held(held) => placed.for_each(|(place, z)| held[place] = z),
            ScoreRow::Counted(counted) => placed.for_each(|(place, z)| {
                let kind = features.kinds().iter().position(|kind| kind.places.contains(&place)).unwrap_or(0);
                counted[kind].add(f64::from(z));
            }),
        }
    }

    /// The scores of a kind, number `k`.
    pub(super) fn of_kind(&self, k: usize, kind: &Kind) -> KindScores<'_> {
        match self {
            ScoreRow::Held(held) => KindScores::Held(&held[kind.places.clone()]),
            ScoreRow::Counted(counted) => KindScores::Counted(&counted[k]),
        }
    }

    /// Whether all scores are equal.
    fn is_constant(&self) -> bool {
        match self {
            ScoreRow::Held(held) => held.iter().all(|z| *z == held[0]),
            ScoreRow::Counted(counted) => {
                let [least, most] = counted
                    .iter()
                    .map(CountedScores::range)
                    .fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], [low, high]| {
                        [least.min(low), most.max(high)]
                    });
                least >= most
            }
        }
    }
}

/// A score in single precision; a missing one counts as 0, and none is so large that its square is not finite.
pub(super) fn rounded(z: f64) -> f32 {
    const LARGEST: f64 = 1e9;
    if z.is_nan() { 0.0 } else { z.clamp(-LARGEST, LARGEST) as f32 }
}

impl KindScores<'_> {
    /// Calls `visit` with scores and how many each stands for.
    #[inline(always)]
    pub(super) fn each(&self, mut visit: impl FnMut(f64, f64)) {
        match self {
            KindScores::Held(held) => held.iter().for_each(|z| visit(f64::from(*z), 1.0)),
            KindScores::Counted(counted) => counted.each(visit),
        }
    }
}

/// The score vectors of a table.
pub(super) struct NullRows {
    /// Of the data.
    pub(super) observed: ScoreRow,
    /// Of null targets on the table without the target's own part, those that [differ](differing).
    pub(super) states: Vec<ScoreRow>,
    /// Of null targets on the table as it is, those that [differ](differing).
    pub(super) gate: Vec<ScoreRow>,
}

/// All score vectors; blocks of columns are computed several at a time. `z` are the scores of the data.
pub(super) fn collect(
    z: &[f64],
    nulls: &dyn NullScores,
    features: &Features,
    progress: &mut dyn Progress,
) -> Result<NullRows> {
    let (n, counts) = (nulls.features(), [nulls.state_rows(), nulls.gate_rows()]);
    let rows = counts[0] + counts[1];
    let held = features.len().saturating_mul(rows) <= MOST_HELD;
    let [mut states, mut gate] =
        counts.map(|count| -> Vec<ScoreRow> { (0..count).map(|_| ScoreRow::new(features, held)).collect() });
    let width = block_width(rows);
    let wave = width * 2 * rayon::current_num_threads();
    for start in (0..n).step_by(wave) {
        progress.step("scoring null targets", start as u64, n as u64)?;
        let columns: Vec<Range<usize>> =
            (start..n.min(start + wave)).step_by(width).map(|from| from..n.min(from + width)).collect();
        let fill = |columns: Range<usize>| {
            let [mut states, mut gate] = counts.map(|count| vec![0.0; columns.len() * count]);
            nulls.fill(columns.clone(), &mut states, &mut gate)?;
            Ok((columns, states, gate))
        };
        let blocks: Vec<NullScoreBlock> = columns.into_par_iter().map(fill).collect::<Result<_>>()?;
        put(&mut states, blocks.iter().map(|(columns, scores, _)| (columns, scores)).collect(), features);
        put(&mut gate, blocks.iter().map(|(columns, _, scores)| (columns, scores)).collect(), features);
    }
    let mut observed = ScoreRow::new(features, held);
    observed.put(z, 0, features);
    Ok(NullRows { observed, states: differing(states), gate: differing(gate) })
}

/// The rows that are not constant; all of them where most are, as of features that are copies of each other.
fn differing(rows: Vec<ScoreRow>) -> Vec<ScoreRow> {
    let constant: Vec<bool> = rows.iter().map(ScoreRow::is_constant).collect();
    if 2 * constant.iter().filter(|constant| **constant).count() > rows.len() {
        return rows;
    }
    rows.into_iter().zip(constant).filter(|(_, constant)| !constant).map(|(row, _)| row).collect()
}

/// A block of null scores: its columns, and the rows of both sets.
type NullScoreBlock = (Range<usize>, Vec<f64>, Vec<f64>);

/// Columns of a block with scores of so many targets.
fn block_width(targets: usize) -> usize {
    (MOST_IN_A_BLOCK / targets.max(1)).clamp(16, BLOCK)
}

/// Puts blocks into every row.
fn put(rows: &mut [ScoreRow], blocks: Vec<(&Range<usize>, &Vec<f64>)>, features: &Features) {
    rows.par_iter_mut().enumerate().for_each(|(r, row)| {
        for (columns, scores) in &blocks {
            let width = columns.len();
            row.put(&scores[r * width..(r + 1) * width], columns.start, features);
        }
    });
}

/// The scores of the data alone, held.
pub(super) fn held(z: &[f64], features: &Features) -> ScoreRow {
    let mut row = ScoreRow::new(features, true);
    row.put(z, 0, features);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use crate::sparse_means::Sides;
    use crate::sparse_means::noise_states::row_shape::RowShape;
    use crate::sparse_means::noise_states::strengths::{Ranks, Strengths};

    #[test]
    fn blocks_are_narrow_where_targets_are_many() {
        assert_eq!(block_width(398), BLOCK);
        assert!(block_width(100_000) * 100_000 <= MOST_IN_A_BLOCK);
        assert_eq!(block_width(usize::MAX), 16);
    }

    #[test]
    fn counted_scores_say_what_held_ones_do() {
        let mut rng = random::stream(5, 0);
        let z: Vec<f64> = (0..40_000).map(|_| 0.2 + 1.1 * random::standard_normal(&mut rng)).collect();
        let half: Vec<bool> = (0..z.len()).map(|i| i >= 20_000).collect();
        let features = Features::new(&z, Sides::Mixed(&half));
        let [held, counted] = [true, false].map(|held| {
            let mut row = ScoreRow::new(&features, held);
            row.put(&z, 0, &features);
            row
        });
        let ranks = Ranks::new(&features);
        let [exact, close] = [&held, &counted].map(|row| Strengths::of(row, &features, &ranks));
        assert_eq!((exact.tails.len(), exact.most()), (2, close.most()));
        let facts = |strengths: &Strengths| -> Vec<f64> {
            let tails = strengths
                .tails
                .iter()
                .flat_map(|tail| [tail.median].into_iter().chain(tail.core).chain(tail.largest.iter().copied()));
            strengths.largest.iter().copied().chain(tails).collect()
        };
        for (exact, close) in facts(&exact).iter().zip(facts(&close)) {
            assert!((exact - close).abs() < 3e-3, "{exact} {close}");
        }
        let apart = exact.reaching.iter().zip(&close.reaching).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(apart <= Some(16), "{apart:?}");
        for (k, kind) in features.kinds().iter().enumerate() {
            let [exact, close] = [&held, &counted].map(|row| RowShape::of(&row.of_kind(k, kind)));
            assert!((exact.mean - close.mean).abs() < 1e-4 && (exact.variance - close.variance).abs() < 1e-4);
            assert!(exact.counts.iter().zip(close.counts).all(|(a, b)| (a - b).abs() < 3.0));
        }
    }
}
