//! The rows of a lane by the cell they fall in.

use super::lane_counts::{Lane, LaneJob};
use crate::codes::CodedTable;

/// The rows of a lane, each as often as the lane counts it, by the cell (s, y) it falls in.
pub(super) struct SortedRows {
    /// Levels of s.
    pub(super) groups: usize,
    rows: Vec<u32>,
    /// Where each cell starts, and the end of the last.
    starts: Vec<usize>,
}

impl SortedRows {
    pub(super) fn new(codes: &CodedTable, job: &LaneJob, lane: &Lane) -> SortedRows {
        let newest = lane.chosen.last().map(|at| codes.column(*at as usize));
        let groups = if newest.is_some() { codes.levels } else { 1 };
        let mut cells: Vec<Vec<u32>> = vec![vec![]; groups * codes.classes];
        let (weights, target) = (&job.weights[lane.bootstrap], &job.targets[lane.target]);
        for (row, (weight, class)) in weights.iter().zip(target).enumerate() {
            let group = newest.map_or(0, |codes| usize::from(codes[row]));
            let cell = &mut cells[group * codes.classes + usize::from(*class)];
            cell.extend(std::iter::repeat_n(row as u32, usize::from(*weight)));
        }
        let mut starts = vec![0];
        for cell in &cells {
            starts.push(starts[starts.len() - 1] + cell.len());
        }
        SortedRows { groups, rows: cells.concat(), starts }
    }

    /// The rows of a cell; those of the first group come first, class by class.
    #[inline(always)]
    pub(super) fn cell(&self, at: usize) -> &[u32] {
        &self.rows[self.starts[at]..self.starts[at + 1]]
    }
}
