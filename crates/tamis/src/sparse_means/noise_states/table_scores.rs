//! The scores of a table that are to be explained, of one kind, on the grid.

use super::features::Kind;
use super::score_grid::{CERTAIN, NODES, OnGrid, count};
use std::ops::Range;

/// Scores of one kind.
pub(super) struct TableScores {
    pub(super) one_sided: bool,
    /// Scores that no noise explains; they stay out of every fit.
    pub(super) far: usize,
    /// The others.
    pub(super) n: usize,
    /// The others on the grid.
    pub(super) counts: OnGrid,
    /// From the first node with scores to the last one.
    pub(super) nodes: Range<usize>,
    /// The largest |z|, and the largest strength, of the others; 0 of none.
    pub(super) largest: f64,
    pub(super) strongest: f64,
}

/// Whether no noise explains a score.
pub(super) fn is_far(kind: &Kind, z: f64) -> bool {
    kind.strength(z) > CERTAIN
}

impl TableScores {
    /// Of arranged scores.
    pub(super) fn new(z: &[f64], kind: &Kind) -> TableScores {
        let mut counts = [0.0; NODES];
        let (mut n, mut largest, mut strongest) = (0, 0.0_f64, 0.0_f64);
        let scores = &z[kind.places.clone()];
        for z in scores.iter().filter(|z| !is_far(kind, **z)) {
            count(&mut counts, *z, 1.0);
            n += 1;
            largest = largest.max(z.abs());
            strongest = strongest.max(kind.strength(*z));
        }
        let first = counts.iter().position(|c| *c > 0.0).unwrap_or(0);
        let end = counts.iter().rposition(|c| *c > 0.0).map_or(first, |last| last + 1);
        TableScores {
            one_sided: kind.one_sided,
            far: scores.len() - n,
            n,
            counts,
            nodes: first..end,
            largest,
            strongest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_scores_stay_out_of_the_counts() {
        let z = [-9.0, -3.0, 0.0, 2.5, 7.91, 7.9];
        let signed = TableScores::new(&z, &Kind { one_sided: false, places: 0..6 });
        assert_eq!((signed.far, signed.n, signed.largest, signed.strongest), (2, 4, 7.9, 7.9));
        assert!((signed.counts.iter().sum::<f64>() - 4.0).abs() < 1e-12);
        assert_eq!(signed.nodes.start, 50);
        let one_sided = TableScores::new(&z, &Kind { one_sided: true, places: 0..4 });
        assert_eq!((one_sided.far, one_sided.n, one_sided.largest, one_sided.strongest), (0, 4, 9.0, 2.5));
    }
}
