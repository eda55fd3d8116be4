//! Candidates of few levels on few rows, each row of a candidate a word with a field per level.
//!
//! The word of a row has a 1 in the field of its level, so that the sum of the words of some rows is the histogram of a
//! candidate over them. A lane sorts its rows by the cell (s, y) of the feature it chose last and the target; eight
//! candidates are added at once. Counts of two classes that have at most 6 bits are together an index into a table of
//! f(a) + f(b) − f(a + b), f(c) = c ln c.

use super::lane_counts::{Lane, LaneJob};
use crate::codes::CodedTable;
use crate::codes::counts::{EntropySums, NARROW, XLnX};
use crate::information::Criterion;
use crate::numeric::linalg::{WideWork, run_wide};
use std::ops::Range;

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
/// Pairs of such counts.
const BOTH: usize = 1 << (2 * HALF);

/// All candidates of a table, eight at a time, row by row.
enum Words {
    /// Of two classes with counts of 6 bits: fields of as many, and the terms of two counts.
    Short(Vec<[u32; WIDE]>, Box<[f64; BOTH]>),
    /// Fields of so many bits.
    Long(Vec<[u64; WIDE]>, u32),
}

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
        let levels = codes.levels as u32;
        let bits = usize::BITS - most.leading_zeros();
        let fits = levels * bits <= u64::BITS && most <= MOST_ROWS && codes.n_rows() * codes.len() <= MOST_WORDS;
        if !by_difference || !fits || codes.in_file() {
            return None;
        }
        let words = if codes.classes == 2 && bits <= HALF && levels * HALF <= u32::BITS {
            let term = |at: usize| {
                let (a, b) = (at % (1 << HALF), at >> HALF);
                if a + b <= most { ln.of(a) + ln.of(b) - ln.of(a + b) } else { 0.0 }
            };
            Words::Short(packed(codes, |code| 1 << (u32::from(code) * HALF)), Box::new(std::array::from_fn(term)))
        } else {
            Words::Long(packed(codes, |code| 1 << (u32::from(code) * bits)), bits)
        };
        Some(PackedCandidates { codes, ln, words })
    }

    /// Counts the newest pair of every candidate in these lanes, and adds its term.
    pub(super) fn count(&self, job: &LaneJob, lanes: &mut [Lane]) {
        let sorted: Vec<SortedRows> = lanes.iter().map(|lane| SortedRows::new(self.codes, job, lane)).collect();
        let at_once = (CACHED / (self.codes.n_rows() * WIDE).max(1)).max(1);
        let all = self.codes.len().div_ceil(WIDE);
        for from in (0..all).step_by(at_once) {
            for (lane, sorted) in lanes.iter_mut().zip(&sorted) {
                let newest = lane.chosen.last().map(|n| *n as usize);
                let sums = run_wide(Histograms { of: self, blocks: from..(from + at_once).min(all), sorted });
                for (candidate, sum) in (from * WIDE..self.codes.len()).zip(sums.into_iter().flatten()) {
                    LaneJob::add(lane, newest, candidate, EntropySums { joint: sum, margin: 0.0 });
                }
            }
        }
        for lane in lanes.iter_mut().filter(|lane| !lane.chosen.is_empty()) {
            lane.state.end_step();
        }
    }
}

/// The words of all candidates, from those of their codes.
fn packed<W: Copy + Default>(codes: &CodedTable, word: impl Fn(u8) -> W) -> Vec<[W; WIDE]> {
    let rows = codes.n_rows();
    let mut words = vec![[W::default(); WIDE]; codes.len().div_ceil(WIDE) * rows];
    for at in 0..codes.len() {
        let block = &mut words[at / WIDE * rows..][..rows];
        block.iter_mut().zip(codes.column(at)).for_each(|(words, code)| words[at % WIDE] = word(*code));
    }
    words
}

/// Σ c ln c over the cells (x, s, y) less that over the cells (x, s), of some blocks of candidates in a lane.
struct Histograms<'a> {
    of: &'a PackedCandidates<'a>,
    blocks: Range<usize>,
    sorted: &'a SortedRows,
}

impl WideWork for Histograms<'_> {
    type Output = Vec<[f64; WIDE]>;

    #[inline(always)]
    fn run(self) -> Vec<[f64; WIDE]> {
        let rows = self.of.codes.n_rows();
        let range = self.blocks.start * rows..self.blocks.end * rows;
        let mut found = Vec::with_capacity(self.blocks.len());
        match &self.of.words {
            Words::Short(words, terms) => {
                words[range].chunks_exact(rows).for_each(|words| found.push(self.short(words, terms)));
            }
            Words::Long(words, width) => {
                words[range].chunks_exact(rows).for_each(|words| found.push(self.long(words, *width)));
            }
        }
        found
    }
}

impl Histograms<'_> {
    #[inline(always)]
    fn short(&self, words: &[[u32; WIDE]], terms: &[f64; BOTH]) -> [f64; WIDE] {
        const FIELD: u32 = (1 << HALF) - 1;
        let mut sums = [0.0; WIDE];
        let mut cells = self.sorted.cells();
        for _ in 0..self.sorted.groups {
            let (mut zeros, mut ones) = ([0_u32; WIDE], [0_u32; WIDE]);
            cells.next().unwrap_or_default().iter().for_each(|&row| add(&mut zeros, &words[row as usize]));
            cells.next().unwrap_or_default().iter().for_each(|&row| add(&mut ones, &words[row as usize]));
            for _ in 0..self.of.codes.levels {
                let index: [u32; WIDE] = std::array::from_fn(|l| zeros[l] & FIELD | (ones[l] & FIELD) << HALF);
                for l in 0..WIDE {
                    sums[l] += terms[index[l] as usize % BOTH];
                    zeros[l] >>= HALF;
                    ones[l] >>= HALF;
                }
            }
        }
        sums
    }

    #[inline(always)]
    fn long(&self, words: &[[u64; WIDE]], width: u32) -> [f64; WIDE] {
        let (codes, ln, field) = (self.of.codes, self.of.ln.narrow(), (1_u64 << width) - 1);
        let mut sums = [0.0; WIDE];
        let mut cells = self.sorted.cells();
        for _ in 0..self.sorted.groups {
            let mut all = [0_u64; WIDE];
            for _ in 0..codes.classes {
                let mut counts = [0_u64; WIDE];
                cells.next().unwrap_or_default().iter().for_each(|&row| add(&mut counts, &words[row as usize]));
                add(&mut all, &counts);
                for _ in 0..codes.levels {
                    for l in 0..WIDE {
                        sums[l] += ln[(counts[l] & field) as usize % NARROW];
                        counts[l] >>= width;
                    }
                }
            }
            for _ in 0..codes.levels {
                for l in 0..WIDE {
                    sums[l] -= ln[(all[l] & field) as usize % NARROW];
                    all[l] >>= width;
                }
            }
        }
        sums
    }
}

#[inline(always)]
fn add<W: Copy + std::ops::AddAssign>(sums: &mut [W; WIDE], words: &[W; WIDE]) {
    (0..WIDE).for_each(|l| sums[l] += words[l]);
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
