//! Candidates of few levels on few rows, each row of a candidate a word with a field per level (`packed_words`). A lane
//! sorts its rows by the cell (s, y) of the feature it chose last and the target, and adds the words of each cell.

use super::lane_counts::{Lane, LaneJob};
use super::packed_words::{Histograms, Words};
use super::sorted_rows::SortedRows;
use crate::codes::CodedTable;
use crate::codes::counts::XLnX;
use crate::information::Criterion;
use crate::numeric::linalg::run_wide;

/// Lanes that share a look at some candidates.
pub(super) const TOGETHER: usize = 16;
/// Words that stay in the cache while lanes look at them.
const CACHED: usize = 1 << 14;
/// The most rows; with more of them, lanes that are counted together are faster.
const MOST_ROWS: usize = 255;
/// The most words of all candidates.
const MOST_WORDS: usize = 1 << 25;

/// Candidates whose counts fit into fields of a word.
pub(super) struct PackedCandidates<'a> {
    codes: &'a CodedTable,
    ln: &'a XLnX,
    words: Words,
}

impl<'a> PackedCandidates<'a> {
    /// Packs the candidates where their counts, of at most `most`, fit.
    pub(super) fn new(
        codes: &'a CodedTable,
        criterion: Criterion,
        most: usize,
        ln: &'a XLnX,
    ) -> Option<PackedCandidates<'a>> {
        let by_difference = matches!(criterion, Criterion::Mim | Criterion::Jmi | Criterion::Jmim | Criterion::Cmim);
        let few = most <= MOST_ROWS && codes.n_rows() * codes.len() <= MOST_WORDS;
        if !by_difference || !few || codes.in_file() {
            return None;
        }
        Some(PackedCandidates { codes, ln, words: Words::new(codes, most, ln)? })
    }

    /// Counts the newest pair of every candidate in these lanes, and adds its term.
    pub(super) fn count(&self, job: &LaneJob, lanes: &mut [Lane]) {
        let (codes, words, ln) = (self.codes, &self.words, self.ln);
        let sorted: Vec<SortedRows> = lanes.iter().map(|lane| SortedRows::new(codes, job, lane)).collect();
        let wide = words.wide();
        let at_once = (CACHED / (codes.n_rows() * wide).max(1)).max(1);
        let all = codes.len().div_ceil(wide);
        for from in (0..all).step_by(at_once) {
            for (lane, sorted) in lanes.iter_mut().zip(&sorted) {
                let newest = lane.chosen.last().map(|n| *n as usize);
                let blocks = from..(from + at_once).min(all);
                let sums = run_wide(Histograms { codes, words, ln, blocks, sorted });
                lane.state.add_joint(from * wide, newest, &sums[..sums.len().min(codes.len() - from * wide)]);
            }
        }
        for lane in lanes.iter_mut().filter(|lane| !lane.chosen.is_empty()) {
            lane.state.end_step();
        }
    }
}
