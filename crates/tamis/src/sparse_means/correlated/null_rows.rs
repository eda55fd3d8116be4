//! Null scores target by target: held up to 100,000 features, counted on a grid beyond.

use super::NullScores;
use super::score_histogram::Counted;
use crate::base::{Progress, Result};
use crate::numeric::order_statistics::median;
use crate::sparse_means::Sides;
use rayon::prelude::*;
use std::ops::Range;

/// Up to so many features null scores are held.
const MOST_HELD: usize = 100_000;
/// Columns of a block at most.
const BLOCK: usize = 1024;
/// Null scores of a block at most: many targets neither fill the memory nor delay a cancellation.
const MOST_IN_A_BLOCK: usize = 1 << 22;
/// The standard deviation of a normal distribution is its median absolute deviation divided by this.
const MAD_OF_NORMAL: f64 = 0.674_49;

/// The features that have a score, and which of them only positive scores speak for.
pub(super) struct Features {
    kept: Vec<bool>,
    n: usize,
    kinds: Kinds,
}

enum Kinds {
    TwoSided,
    OneSided,
    /// For each feature that has a score.
    Mixed(Vec<bool>),
}

impl Features {
    pub(super) fn new(z: &[f64], sides: Sides<'_>) -> Features {
        let kept: Vec<bool> = z.iter().map(|z| !z.is_nan()).collect();
        let n = kept.iter().filter(|kept| **kept).count();
        let kinds = match sides {
            Sides::Two => Kinds::TwoSided,
            Sides::One => Kinds::OneSided,
            Sides::Mixed(one) => Kinds::Mixed(one.iter().zip(&kept).filter(|(_, k)| **k).map(|(o, _)| *o).collect()),
        };
        Features { kept, n, kinds }
    }

    /// How many have a score.
    pub(super) fn len(&self) -> usize {
        self.n
    }

    /// Whether only positive scores speak for the i-th feature that has a score.
    fn one_sided(&self, i: usize) -> bool {
        match &self.kinds {
            Kinds::TwoSided => false,
            Kinds::OneSided => true,
            Kinds::Mixed(one) => one[i],
        }
    }

    /// Whether only positive scores speak for any feature.
    pub(super) fn all_one_sided(&self) -> bool {
        matches!(self.kinds, Kinds::OneSided)
    }

    /// How many features only positive scores speak for.
    pub(super) fn count_one_sided(&self) -> usize {
        (0..self.n).filter(|i| self.one_sided(*i)).count()
    }
}

/// A vector of scores.
pub(super) enum Row {
    /// The scores of the features that have one, in their order.
    Held(Vec<f64>),
    /// How many scores lie in each cell of a grid.
    Counted(Box<Counted>),
}

impl Row {
    fn new(features: &Features) -> Row {
        if features.len() <= MOST_HELD { Row::Held(Vec::with_capacity(features.len())) } else { Row::counted() }
    }

    /// An empty vector that is counted.
    pub(super) fn counted() -> Row {
        Row::Counted(Box::default())
    }

    /// Appends the scores of the columns from `start` on; `before` of the features before them have a score.
    pub(super) fn extend(&mut self, scores: &[f64], start: usize, before: usize, features: &Features) {
        let kept = scores.iter().zip(&features.kept[start..]).filter(|(_, kept)| **kept).map(|(z, _)| *z);
        match self {
            Row::Held(held) => held.extend(kept),
            Row::Counted(counted) => {
                let known = kept.enumerate().filter(|(_, z)| !z.is_nan());
                known.for_each(|(i, z)| counted.add(z, features.one_sided(before + i)));
            }
        }
    }

    /// Calls `visit` for every score that is not missing: the score, whether only positive scores speak for its feature,
    /// and how many scores it stands for.
    pub(super) fn each(&self, features: &Features, mut visit: impl FnMut(f64, bool, f64)) {
        match self {
            Row::Held(held) => {
                let known = held.iter().enumerate().filter(|(_, z)| !z.is_nan());
                known.for_each(|(i, z)| visit(*z, features.one_sided(i), 1.0));
            }
            Row::Counted(counted) => counted.each(visit),
        }
    }

    /// The median.
    pub(super) fn centre(&self) -> f64 {
        match self {
            Row::Held(held) => median(&mut known(held, |z| z)),
            Row::Counted(counted) => counted.cumulative().median(),
        }
    }

    /// The median and the spread about it, MAD/0.67449.
    pub(super) fn centre_and_width(&self) -> (f64, f64) {
        match self {
            Row::Held(held) => {
                let mut work = known(held, |z| z);
                let centre = median(&mut work);
                work.iter_mut().for_each(|z| *z = (*z - centre).abs());
                (centre, median(&mut work) / MAD_OF_NORMAL)
            }
            Row::Counted(counted) => {
                let cumulative = counted.cumulative();
                let centre = cumulative.median();
                (centre, cumulative.deviation(centre) / MAD_OF_NORMAL)
            }
        }
    }
}

fn known(held: &[f64], of: impl Fn(f64) -> f64) -> Vec<f64> {
    held.iter().filter(|z| !z.is_nan()).map(|z| of(*z)).collect()
}

/// A block of null scores: its columns, and the rows of both sets.
struct Block {
    columns: Range<usize>,
    /// Features before it that have a score.
    before: usize,
    calibration: Vec<f64>,
    gate: Vec<f64>,
}

/// Columns of a block with scores of so many targets.
fn block_width(targets: usize) -> usize {
    (MOST_IN_A_BLOCK / targets.max(1)).clamp(16, BLOCK)
}

/// Both sets of null scores, target by target. Blocks are computed several at a time.
pub(super) fn collect(
    nulls: &dyn NullScores,
    features: &Features,
    progress: &mut dyn Progress,
) -> Result<(Vec<Row>, Vec<Row>)> {
    let n = nulls.features();
    let mut calibration: Vec<Row> = (0..nulls.calibration_rows()).map(|_| Row::new(features)).collect();
    let mut gate: Vec<Row> = (0..nulls.gate_rows()).map(|_| Row::new(features)).collect();
    let mut before = 0;
    let width = block_width(nulls.calibration_rows() + nulls.gate_rows());
    let wave = width * 2 * rayon::current_num_threads();
    for start in (0..n).step_by(wave) {
        progress.step("scoring null targets", start as u64, n as u64)?;
        let mut blocks = vec![];
        for from in (start..n.min(start + wave)).step_by(width) {
            let columns = from..n.min(from + width);
            blocks.push((columns.clone(), before));
            before += features.kept[columns].iter().filter(|kept| **kept).count();
        }
        let fill = |(columns, before): (Range<usize>, usize)| {
            let width = columns.len();
            let (mut calibration, mut gate) =
                (vec![0.0; width * nulls.calibration_rows()], vec![0.0; width * nulls.gate_rows()]);
            nulls.fill(columns.clone(), &mut calibration, &mut gate)?;
            Ok(Block { columns, before, calibration, gate })
        };
        let blocks: Vec<Block> = blocks.into_par_iter().map(fill).collect::<Result<_>>()?;
        append(&mut calibration, &blocks, |block| &block.calibration, features);
        append(&mut gate, &blocks, |block| &block.gate, features);
    }
    Ok((calibration, gate))
}

/// Appends blocks to every row.
fn append(rows: &mut [Row], blocks: &[Block], of: impl Fn(&Block) -> &Vec<f64> + Sync, features: &Features) {
    rows.par_iter_mut().enumerate().for_each(|(r, row)| {
        for block in blocks {
            let width = block.columns.len();
            row.extend(&of(block)[r * width..(r + 1) * width], block.columns.start, block.before, features);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_narrow_where_targets_are_many() {
        assert_eq!(block_width(199), BLOCK);
        assert!(block_width(100_000) * 100_000 <= MOST_IN_A_BLOCK);
        assert_eq!(block_width(usize::MAX), 16);
    }
}
