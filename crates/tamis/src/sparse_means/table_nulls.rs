//! The null scores of tables: in memory by permuted targets, else by sums against drawn ones.

use super::null_scores::NullScores;
use crate::base::Result;
use crate::score::null::by_row::RowScores;
use crate::score::null::{NullBlock, PermutedScores};
use std::ops::Range;

/// Features whose null scores are computed at a time: with their sums they fit a core's cache.
const BLOCK: usize = 64;

/// Null scores of a table, with what else is known of its null targets.
pub(crate) trait TableNulls: NullScores {
    /// The dimension of the space that is left once target and mean are taken out.
    fn residual_dimension(&self) -> usize;

    /// Whether there were too few arrangements, so that directions were drawn and variances pooled.
    fn rotated(&self) -> bool;
}

impl NullScores for PermutedScores<'_> {
    fn features(&self) -> usize {
        self.n_features()
    }

    fn state_rows(&self) -> usize {
        self.counts().states
    }

    fn gate_rows(&self) -> usize {
        self.counts().gate
    }

    fn observed(&self) -> Option<&[f64]> {
        PermutedScores::observed(self)
    }

    fn fill(&self, columns: Range<usize>, states: &mut [f64], gate: &mut [f64]) -> Result<()> {
        fill_by_blocks(columns, states, gate, |some| self.block(some))
    }
}

impl TableNulls for PermutedScores<'_> {
    fn residual_dimension(&self) -> usize {
        PermutedScores::residual_dimension(self)
    }

    fn rotated(&self) -> bool {
        PermutedScores::rotated(self)
    }
}

impl NullScores for RowScores {
    fn features(&self) -> usize {
        self.n_features()
    }

    fn state_rows(&self) -> usize {
        self.count()
    }

    fn gate_rows(&self) -> usize {
        self.count()
    }

    fn fill(&self, columns: Range<usize>, states: &mut [f64], gate: &mut [f64]) -> Result<()> {
        fill_by_blocks(columns, states, gate, |some| Ok(self.block(some)))
    }
}

impl TableNulls for RowScores {
    fn residual_dimension(&self) -> usize {
        RowScores::residual_dimension(self)
    }

    fn rotated(&self) -> bool {
        false
    }
}

/// Writes null scores row by row from blocks of columns.
fn fill_by_blocks(
    columns: Range<usize>,
    states: &mut [f64],
    gate: &mut [f64],
    block: impl Fn(Range<usize>) -> Result<NullBlock>,
) -> Result<()> {
    let width = columns.len();
    for from in columns.clone().step_by(BLOCK) {
        let some = from..(from + BLOCK).min(columns.end);
        let at = from - columns.start;
        let found = block(some.clone())?;
        for (matrix, out) in [(&found.states, &mut *states), (&found.gate, &mut *gate)] {
            for j in 0..some.len() {
                matrix.column(j).iter().enumerate().for_each(|(r, z)| out[r * width + at + j] = *z);
            }
        }
    }
    Ok(())
}
