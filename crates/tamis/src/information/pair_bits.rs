//! Features as planes of bits, one bit a row, packed class by class: what tables of pairs are counted on.

use crate::codes::CodedTable;
use crate::codes::counts::XLnX;
use rayon::prelude::*;

/// The rows of every class of a target.
pub(super) struct ClassRows {
    rows: Vec<Vec<u32>>,
    /// The class that is not counted: the largest, the first of those. Its tables are what the others leave.
    pub(super) left_out: usize,
}

impl ClassRows {
    /// The classes of `target`, of which there are `classes`.
    pub(super) fn new(target: impl Iterator<Item = u8>, classes: usize) -> ClassRows {
        let mut rows = vec![vec![]; classes.max(1)];
        target.enumerate().for_each(|(row, class)| rows[usize::from(class)].push(row as u32));
        let left_out = (0..rows.len()).rev().max_by_key(|&c| rows[c].len()).unwrap_or(0);
        ClassRows { rows, left_out }
    }

    /// How many rows each class has.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.rows.iter().map(Vec::len).collect()
    }

    /// The rows of the classes that are counted.
    fn counted(&self) -> Vec<&[u32]> {
        (0..self.rows.len()).filter(|&c| c != self.left_out).map(|c| self.rows[c].as_slice()).collect()
    }

    /// Bytes that [`PackedBits`] of so many planes and features take.
    pub(super) fn bytes(&self, planes: usize, features: usize) -> usize {
        let words: usize = self.counted().iter().map(|rows| rows.len().div_ceil(64)).sum();
        8 * words * planes * features
    }
}

/// The levels of every feature as bits over some parts of the rows. Of L levels the last has no plane: it is what the
/// others leave.
pub(super) struct PackedBits {
    /// Planes of a feature; those behind its own levels are empty.
    pub(super) planes: usize,
    features: usize,
    /// Where the words of each part end, within a plane.
    pub(super) ends: Vec<usize>,
    /// Feature by feature, word by word, plane by plane.
    bits: Vec<u64>,
    /// Feature by feature, part by part: how many rows each plane has.
    margins: Vec<u32>,
}

impl PackedBits {
    /// All rows, as one part.
    pub(super) fn of_all(codes: &CodedTable, planes: usize) -> PackedBits {
        let all: Vec<u32> = (0..codes.n_rows() as u32).collect();
        PackedBits::of_parts(codes, planes, &[&all])
    }

    /// The counted classes of a target, a part each.
    pub(super) fn of_classes(codes: &CodedTable, planes: usize, classes: &ClassRows) -> PackedBits {
        PackedBits::of_parts(codes, planes, &classes.counted())
    }

    fn of_parts(codes: &CodedTable, planes: usize, parts: &[&[u32]]) -> PackedBits {
        let mut ends = Vec::with_capacity(parts.len());
        let mut words = 0;
        for rows in parts {
            words += rows.len().div_ceil(64);
            ends.push(words);
        }
        let mut bits = vec![0_u64; codes.len() * words * planes];
        let mut margins = vec![0; codes.len() * parts.len() * planes];
        let features =
            bits.par_chunks_mut((words * planes).max(1)).zip(margins.par_chunks_mut((parts.len() * planes).max(1)));
        features.enumerate().for_each(|(at, (bits, margins))| {
            let column = codes.column(at);
            let mut words = bits.chunks_exact_mut(planes);
            for (rows, margins) in parts.iter().zip(margins.chunks_exact_mut(planes)) {
                for (some, word) in rows.chunks(64).zip(&mut words) {
                    for (bit, &row) in some.iter().enumerate() {
                        if let Some(plane) = word.get_mut(usize::from(column[row as usize])) {
                            *plane |= 1 << bit;
                        }
                    }
                    word.iter().zip(&mut *margins).for_each(|(plane, count)| *count += plane.count_ones());
                }
            }
        });
        PackedBits { planes, features: codes.len(), ends, bits, margins }
    }

    /// The words of a feature, plane by plane within a word.
    #[inline(always)]
    pub(super) fn feature(&self, at: usize) -> &[u64] {
        let size = self.ends.last().copied().unwrap_or(0) * self.planes;
        &self.bits[at * size..(at + 1) * size]
    }

    /// How many rows of a part each plane of a feature has.
    #[inline(always)]
    pub(super) fn margin(&self, at: usize, part: usize) -> &[u32] {
        let from = (at * self.ends.len() + part) * self.planes;
        &self.margins[from..from + self.planes]
    }

    /// The words of a part.
    #[inline(always)]
    pub(super) fn part(&self, part: usize) -> std::ops::Range<usize> {
        (if part == 0 { 0 } else { self.ends[part - 1] })..self.ends[part]
    }

    /// Adds the table of two features in a part of `rows` rows to `table`, row by row of (planes + 1)² cells, the last
    /// level of each feature last.
    pub(super) fn add_table(&self, (i, j): (usize, usize), part: usize, rows: usize, table: &mut [usize]) {
        let (p, side, words) = (self.planes, self.planes + 1, self.part(part));
        let words = words.start * p..words.end * p;
        let (a, b) = (&self.feature(i)[words.clone()], &self.feature(j)[words]);
        let mut corner = rows as i64;
        let (left, right) = (self.margin(i, part), self.margin(j, part));
        let mut below: Vec<i64> = right.iter().map(|m| i64::from(*m)).collect();
        for u in 0..p {
            let mut beside = i64::from(left[u]);
            for v in 0..p {
                let both = a.chunks_exact(p).zip(b.chunks_exact(p)).map(|(x, y)| (x[u] & y[v]).count_ones());
                let count = i64::from(both.sum::<u32>());
                table[u * side + v] += count as usize;
                beside -= count;
                below[v] -= count;
            }
            table[u * side + p] += beside as usize;
            corner -= i64::from(left[u]);
        }
        for (v, count) in below.into_iter().enumerate() {
            table[p * side + v] += count as usize;
            corner -= count;
        }
        table[p * side + p] += corner as usize;
    }

    /// −N·H(Y|X) of every feature, from the bits of a target and those of all rows.
    pub(super) fn conditional_entropies(&self, classes: &ClassRows, all: &PackedBits, ln: &XLnX) -> Vec<f64> {
        let sizes = classes.sizes();
        let levels = |counts: &[u32], rows: usize| -> Vec<usize> {
            let known: usize = counts.iter().map(|c| *c as usize).sum();
            counts.iter().map(|c| *c as usize).chain([rows - known]).collect()
        };
        let one = |at: usize| {
            let total = levels(all.margin(at, 0), sizes.iter().sum());
            let mut left = total.clone();
            let mut tables = Vec::with_capacity(sizes.len());
            for (part, class) in (0..sizes.len()).filter(|&c| c != classes.left_out).enumerate() {
                let counts = levels(self.margin(at, part), sizes[class]);
                left.iter_mut().zip(&counts).for_each(|(l, c)| *l -= c);
                tables.push(counts);
            }
            tables.insert(classes.left_out, left);
            let sum = |counts: &[usize]| counts.iter().map(|c| ln.of(*c)).sum::<f64>();
            tables.iter().fold(0.0, |total, counts| total + sum(counts)) - sum(&total)
        };
        (0..self.features).into_par_iter().map(one).collect()
    }
}
