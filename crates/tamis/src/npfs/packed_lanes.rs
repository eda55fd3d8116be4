//! Candidates of few levels on few rows, each row of a candidate a word with a field per level.
//!
//! The word of a row has a 1 in the field of its level, so that the sum of the words of some rows is the histogram of a
//! candidate over them. A lane sorts its rows by the cell (s, y) of the feature it chose last and the target; eight
//! candidates are added at once. Where two fields of 6 bits fit beside each other, both classes of a level lie in one
//! field, which is then an index into a table of f(a) + f(b) − f(a + b), f(c) = c ln c.

use super::lane_counts::{Lane, LaneJob};
use crate::codes::CodedTable;
use crate::codes::counts::{EntropySums, XLnX};
use crate::information::Criterion;
use crate::numeric::linalg::vectorised;

/// Candidates that are added at once.
const WIDE: usize = 8;
/// Lanes that share a look at some candidates.
pub(super) const TOGETHER: usize = 16;
/// Words that stay in the cache while lanes look at them.
const CACHED: usize = 1 << 14;
/// The most rows; with more of them, lanes that are counted together are faster.
const MOST_ROWS: usize = 255;
/// The most words of all candidates.
const MOST_WORDS: usize = 1 << 25;
/// Bits of a count that is half of an index.
const HALF: u32 = 6;

/// All candidates of a table.
pub(super) struct PackedCandidates<'a> {
    codes: &'a CodedTable,
    ln: &'a XLnX,
    /// Bits of a field.
    width: u32,
    /// f(a) + f(b) − f(a + b) at a + 2⁶b, where both classes share a field.
    both: Vec<f64>,
    /// Eight candidates at a time, row by row.
    words: Vec<[u64; WIDE]>,
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
        let (rows, levels) = (codes.n_rows(), codes.levels as u32);
        let bits = usize::BITS - most.leading_zeros();
        let fits = levels * bits <= u64::BITS && most <= MOST_ROWS && rows * codes.len() <= MOST_WORDS;
        if !by_difference || !fits || codes.in_file() {
            return None;
        }
        let paired = codes.classes == 2 && bits <= HALF && levels * 2 * HALF <= u64::BITS;
        let width = if paired { 2 * HALF } else { bits };
        let term = |at: usize| {
            let (a, b) = (at % (1 << HALF), at >> HALF);
            if a + b <= most { ln.of(a) + ln.of(b) - ln.of(a + b) } else { 0.0 }
        };
        let both = if paired { (0..1 << (2 * HALF)).map(term).collect() } else { vec![] };
        let mut words = vec![[0; WIDE]; codes.len().div_ceil(WIDE) * rows];
        for at in 0..codes.len() {
            let block = &mut words[at / WIDE * rows..][..rows];
            for (word, code) in block.iter_mut().zip(codes.column(at)) {
                word[at % WIDE] = 1 << (u32::from(*code) * width);
            }
        }
        Some(PackedCandidates { codes, ln, width, both, words })
    }

    /// Counts the newest pair of every candidate in these lanes, and adds its term.
    pub(super) fn count(&self, job: &LaneJob, lanes: &mut [Lane]) {
        let rows = self.codes.n_rows();
        let sorted: Vec<SortedRows> = lanes.iter().map(|lane| SortedRows::new(self.codes, job, lane)).collect();
        let at_once = (CACHED / (rows * WIDE).max(1)).max(1);
        for (block, words) in self.words.chunks(at_once * rows).enumerate() {
            for (lane, sorted) in lanes.iter_mut().zip(&sorted) {
                let newest = lane.chosen.last().map(|n| *n as usize);
                for (at, words) in words.chunks_exact(rows).enumerate() {
                    let from = (block * at_once + at) * WIDE;
                    let sums = vectorised(|| self.sums(words, sorted));
                    for (candidate, sum) in (from..self.codes.len()).zip(sums) {
                        LaneJob::add(lane, newest, candidate, EntropySums { joint: sum, margin: 0.0 });
                    }
                }
            }
        }
        for lane in lanes.iter_mut().filter(|lane| !lane.chosen.is_empty()) {
            lane.state.end_step();
        }
    }

    /// Σ c ln c over the cells (x, s, y) less that over the cells (x, s), of eight candidates.
    #[inline(always)]
    fn sums(&self, words: &[[u64; WIDE]], sorted: &SortedRows) -> [f64; WIDE] {
        let mut sums = [0.0; WIDE];
        let mask = (1_u64 << self.width) - 1;
        let mut cells = sorted.cells();
        for _ in 0..sorted.groups {
            if !self.both.is_empty() {
                let (zeros, ones) = (added(words, cells.next()), added(words, cells.next()));
                for level in 0..self.codes.levels as u32 {
                    for l in 0..WIDE {
                        let index = ((zeros[l] | ones[l] << HALF) >> (level * self.width)) & mask;
                        sums[l] += self.both[index as usize];
                    }
                }
                continue;
            }
            let mut all = [0; WIDE];
            for _ in 0..self.codes.classes {
                let counts = added(words, cells.next());
                for level in 0..self.codes.levels as u32 {
                    (0..WIDE).for_each(|l| sums[l] += self.ln.of((counts[l] >> (level * self.width) & mask) as usize));
                }
                (0..WIDE).for_each(|l| all[l] += counts[l]);
            }
            for level in 0..self.codes.levels as u32 {
                (0..WIDE).for_each(|l| sums[l] -= self.ln.of((all[l] >> (level * self.width) & mask) as usize));
            }
        }
        sums
    }
}

/// The sum of some rows' words.
#[inline(always)]
fn added(words: &[[u64; WIDE]], rows: Option<&[u32]>) -> [u64; WIDE] {
    let mut sum = [0; WIDE];
    for &row in rows.unwrap_or_default() {
        let word = &words[row as usize];
        (0..WIDE).for_each(|l| sum[l] += word[l]);
    }
    sum
}

/// The rows of a lane, each as often as the lane counts it, by the cell (s, y) it falls in.
struct SortedRows {
    groups: usize,
    rows: Vec<u32>,
    ends: Vec<usize>,
}

impl SortedRows {
    fn new(codes: &CodedTable, job: &LaneJob, lane: &Lane) -> SortedRows {
        let newest = lane.chosen.last().map(|at| codes.column(*at as usize));
        let groups = if newest.is_some() { codes.levels } else { 1 };
        let mut cells: Vec<Vec<u32>> = vec![vec![]; groups * codes.classes];
        let (weights, target) = (&job.weights[lane.bootstrap], &job.targets[lane.target]);
        for (row, (weight, class)) in weights.iter().zip(target).enumerate() {
            let group = newest.map_or(0, |codes| usize::from(codes[row]));
            let cell = &mut cells[group * codes.classes + usize::from(*class)];
            cell.extend(std::iter::repeat_n(row as u32, usize::from(*weight)));
        }
        let mut ends = Vec::with_capacity(cells.len());
        let mut end = 0;
        for cell in &cells {
            end += cell.len();
            ends.push(end);
        }
        SortedRows { groups, rows: cells.concat(), ends }
    }

    /// The rows of each cell, group by group and class by class.
    #[inline(always)]
    fn cells(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, to)| &self.rows[from..*to])
    }
}
