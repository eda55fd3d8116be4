//! Null scores of a table: what permuted or drawn targets score on its features.

use crate::base::Result;
use std::ops::Range;

/// Null scores of a table, computed in blocks of columns.
///
/// A row belongs to a null target and has a score for every feature, NaN where there is none. Who has them all in
/// memory copies; others compute them when asked. Each block is asked for once.
pub trait NullScores: Sync {
    /// Features of the table.
    fn features(&self) -> usize;

    /// Null targets scored on the table without the target's own part: they show the states of the noise.
    fn state_rows(&self) -> usize;

    /// Null targets scored on the table as it is: gate, floor and bounds compare the data with them.
    fn gate_rows(&self) -> usize;

    /// The scores of the real target, found as those of the null targets are, where these are found in another way than
    /// the scores that are judged. Gate, floor and bounds compare them with the null scores.
    fn observed(&self) -> Option<&[f64]> {
        None
    }

    /// Writes the null scores of some columns, one row after the other: row r has `columns.len()` scores from
    /// r·`columns.len()` on.
    fn fill(&self, columns: Range<usize>, states: &mut [f64], gate: &mut [f64]) -> Result<()>;
}

/// Null scores in memory, one vector per null target.
#[derive(Debug, Clone, Default)]
pub struct HeldNullScores {
    /// Scores on the table without the target's own part.
    pub states: Vec<Vec<f64>>,
    /// Scores on the table as it is.
    pub gate: Vec<Vec<f64>>,
}

impl NullScores for HeldNullScores {
    fn features(&self) -> usize {
        self.gate.first().or(self.states.first()).map_or(0, Vec::len)
    }

    fn state_rows(&self) -> usize {
        self.states.len()
    }

    fn gate_rows(&self) -> usize {
        self.gate.len()
    }

    fn fill(&self, columns: Range<usize>, states: &mut [f64], gate: &mut [f64]) -> Result<()> {
        for (held, out) in [(&self.states, states), (&self.gate, gate)] {
            for (row, out) in held.iter().zip(out.chunks_exact_mut(columns.len())) {
                out.copy_from_slice(&row[columns.clone()]);
            }
        }
        Ok(())
    }
}
