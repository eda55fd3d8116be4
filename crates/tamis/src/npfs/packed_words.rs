//! The words of candidates of few levels, and the sums of information over them.
//!
//! The word of a row has a 1 in the field of its level, so that the sum of the words of some rows is the histogram of a
//! candidate over them. Fields of two classes that have few bits are together an index into a table of
//! f(a) + f(b) − f(a + b), f(c) = c ln c: two levels at once where neither cell has more than 15 rows, else one.

use super::sorted_rows::SortedRows;
use crate::codes::CodedTable;
use crate::codes::counts::{NARROW, XLnX};
use crate::numeric::linalg::WideWork;
use std::ops::Range;

/// Candidates that are added at once where their words are short.
const SHORT: usize = 32;
/// Candidates that are added at once where their words are long.
const LONG: usize = 8;
/// Bits of a count where one level is looked up at a time.
const SINGLE: u32 = 6;
/// Bits of a count where two levels are.
const DOUBLE: u32 = 4;
/// The number of different fields of two classes, each of so many bits.
const SINGLES: usize = 1 << (2 * SINGLE);
const DOUBLES: usize = 1 << (4 * DOUBLE);

/// All candidates of a table, row by row, several candidates at a time.
pub(super) enum Words {
    Short(ShortWords),
    Long(LongWords),
}

/// Words of two classes, whose counts have few bits; and the terms of the counts of one level and of two.
pub(super) struct ShortWords {
    singles: Vec<[u32; SHORT]>,
    single_terms: Box<[f64; SINGLES]>,
    doubles: Vec<[u32; SHORT]>,
    double_terms: Box<[f64; DOUBLES]>,
}

/// Words with fields of so many bits.
pub(super) struct LongWords {
    words: Vec<[u64; LONG]>,
    bits: u32,
}

impl Words {
    /// Packs the candidates, where their counts of at most `most` fit.
    pub(super) fn new(codes: &CodedTable, most: usize, ln: &XLnX) -> Option<Words> {
        let (levels, bits) = (codes.levels as u32, usize::BITS - most.leading_zeros());
        if codes.classes == 2 && bits <= SINGLE && levels * SINGLE <= u32::BITS {
            let field = |bits: u32| move |code: u8| 1_u32 << (u32::from(code) * bits);
            return Some(Words::Short(ShortWords {
                singles: packed(codes, field(SINGLE)),
                single_terms: terms(1, SINGLE, most, ln),
                doubles: packed(codes, field(DOUBLE)),
                double_terms: terms(2, DOUBLE, most, ln),
            }));
        }
        let long = || LongWords { words: packed(codes, |code| 1 << (u32::from(code) * bits)), bits };
        (levels * bits <= u64::BITS).then(|| Words::Long(long()))
    }

    /// Candidates in a block.
    pub(super) fn wide(&self) -> usize {
        match self {
            Words::Short(_) => SHORT,
            Words::Long(_) => LONG,
        }
    }
}

/// The words of all candidates, from those of their codes.
fn packed<W: Copy + Default, const WIDE: usize>(codes: &CodedTable, word: impl Fn(u8) -> W) -> Vec<[W; WIDE]> {
    let rows = codes.n_rows();
    let mut words = vec![[W::default(); WIDE]; codes.len().div_ceil(WIDE) * rows];
    for at in 0..codes.len() {
        let block = &mut words[at / WIDE * rows..][..rows];
        block.iter_mut().zip(codes.column(at)).for_each(|(words, code)| words[at % WIDE] = word(*code));
    }
    words
}

/// Σ f(a) + f(b) − f(a + b) over so many levels, for all fields of two classes side by side.
fn terms<const N: usize>(levels: u32, bits: u32, most: usize, ln: &XLnX) -> Box<[f64; N]> {
    let term = |at: usize, level: u32| {
        let field = |class: u32| at >> ((class * levels + level) * bits) & ((1 << bits) - 1);
        let (a, b) = (field(0), field(1));
        if a + b <= most { ln.of(a) + ln.of(b) - ln.of(a + b) } else { 0.0 }
    };
    let all: Box<[f64]> = (0..N).map(|at| (0..levels).map(|level| term(at, level)).sum()).collect();
    all.try_into().expect("as many terms as fields")
}

/// Σ c ln c over the cells (x, s, y) less that over the cells (x, s), of some blocks of candidates in a lane.
pub(super) struct Histograms<'a> {
    pub(super) codes: &'a CodedTable,
    pub(super) words: &'a Words,
    pub(super) ln: &'a XLnX,
    pub(super) blocks: Range<usize>,
    pub(super) sorted: &'a SortedRows,
}

impl WideWork for Histograms<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run(self) -> Vec<f64> {
        let rows = self.codes.n_rows();
        let range = self.blocks.start * rows..self.blocks.end * rows;
        let mut found = Vec::with_capacity(self.blocks.len() * self.words.wide());
        // loops, not closures: those would be compiled for the vectors that every machine has
        match self.words {
            Words::Short(of) => {
                let both = of.singles[range.clone()].chunks_exact(rows).zip(of.doubles[range].chunks_exact(rows));
                for (singles, doubles) in both {
                    found.extend_from_slice(&self.short(of, singles, doubles));
                }
            }
            Words::Long(of) => {
                for words in of.words[range].chunks_exact(rows) {
                    found.extend_from_slice(&self.long(words, of.bits));
                }
            }
        }
        found
    }
}

impl Histograms<'_> {
    #[inline(always)]
    fn short(&self, of: &ShortWords, singles: &[[u32; SHORT]], doubles: &[[u32; SHORT]]) -> [f64; SHORT] {
        let levels = self.codes.levels;
        let mut sums = [0.0; SHORT];
        for group in 0..self.sorted.groups {
            let cells = [self.sorted.cell(2 * group), self.sorted.cell(2 * group + 1)];
            if cells[0].len().max(cells[1].len()) < 1 << DOUBLE {
                look::<{ 2 * DOUBLE }, DOUBLES>(&mut sums, cells, doubles, levels.div_ceil(2), &of.double_terms);
            } else {
                look::<SINGLE, SINGLES>(&mut sums, cells, singles, levels, &of.single_terms);
            }
        }
        sums
    }

    #[inline(always)]
    fn long(&self, words: &[[u64; LONG]], width: u32) -> [f64; LONG] {
        let (codes, ln, field) = (self.codes, self.ln.narrow(), (1_u64 << width) - 1);
        let mut sums = [0.0; LONG];
        for group in 0..self.sorted.groups {
            let mut all = [0_u64; LONG];
            for class in 0..codes.classes {
                let mut counts = [0_u64; LONG];
                for &row in self.sorted.cell(group * codes.classes + class) {
                    add(&mut counts, &words[row as usize]);
                }
                add(&mut all, &counts);
                for _ in 0..codes.levels {
                    for l in 0..LONG {
                        sums[l] += ln[(counts[l] & field) as usize % NARROW];
                        counts[l] >>= width;
                    }
                }
            }
            for _ in 0..codes.levels {
                for l in 0..LONG {
                    sums[l] -= ln[(all[l] & field) as usize % NARROW];
                    all[l] >>= width;
                }
            }
        }
        sums
    }
}

/// Adds the terms of a group of two cells, by so many looks at `BITS` bits of either.
#[inline(always)]
fn look<const BITS: u32, const N: usize>(
    sums: &mut [f64; SHORT],
    cells: [&[u32]; 2],
    words: &[[u32; SHORT]],
    looks: usize,
    terms: &[f64; N],
) {
    let field = (1 << BITS) - 1;
    let [mut zeros, mut ones] = [[0_u32; SHORT]; 2];
    for &row in cells[0] {
        add(&mut zeros, &words[row as usize]);
    }
    for &row in cells[1] {
        add(&mut ones, &words[row as usize]);
    }
    for _ in 0..looks {
        let mut index = [0; SHORT];
        for l in 0..SHORT {
            index[l] = zeros[l] & field | (ones[l] & field) << BITS;
        }
        for l in 0..SHORT {
            sums[l] += terms[index[l] as usize % N];
        }
        for l in 0..SHORT {
            zeros[l] >>= BITS;
            ones[l] >>= BITS;
        }
    }
}

#[inline(always)]
fn add<W: Copy + std::ops::AddAssign, const WIDE: usize>(sums: &mut [W; WIDE], words: &[W; WIDE]) {
    for l in 0..WIDE {
        sums[l] += words[l];
    }
}
