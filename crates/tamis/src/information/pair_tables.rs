//! Tables of pairs of features and the target, a tile of pairs at a time, and a bound that spares most of them.
//!
//! With O_c the counts of class c in the cells of a pair's table, t those of all rows and n_c the sizes of the classes,
//! 1 + χ²/N = Σ_c Σ_cells O_c²/(t·n_c), and I(X_j,X_k;Y) ≤ κ·χ²/N ([`steepest`]): where that is too little, the
//! logarithms of the table are not taken. The bound is computed for eight pairs at once, in single precision; a pair that
//! might pass is computed exactly.

use super::pair_bits::{ClassRows, PackedBits};
use super::pair_floors::Floors;
use crate::codes::CodedTable;
use crate::codes::counts::XLnX;
use crate::numeric::linalg::{WideWork, run_wide};
use std::ops::Range;

/// Pairs whose bounds are computed together.
pub(super) const LANES: usize = 8;

type Lanes = [f32; LANES];

/// A target: its bits, and the terms its pairs share.
pub(super) struct PairTarget {
    classes: ClassRows,
    /// Sizes of the classes.
    sizes: Vec<usize>,
    bits: PackedBits,
    /// −N·H(Y|X) of every feature: what a pair must exceed.
    pub(super) own: Vec<f64>,
    /// I(X;Y) of every feature; behind them lanes that no pair reaches.
    relevance: Vec<f32>,
    /// κ of the classes.
    steepest: f32,
}

impl PairTarget {
    pub(super) fn new(codes: &CodedTable, classes: ClassRows, all: &PackedBits, ln: &XLnX) -> PairTarget {
        let bits = PackedBits::of_classes(codes, all.planes, &classes);
        let own = bits.conditional_entropies(&classes, all, ln);
        let sizes = classes.sizes();
        let rows = codes.n_rows();
        let entropy = ln.of(rows) - sizes.iter().map(|n| ln.of(*n)).sum::<f64>();
        let relevance = own.iter().map(|own| ((own + entropy) / rows as f64) as f32);
        let relevance = relevance.chain([f32::INFINITY; LANES]).collect();
        PairTarget { steepest: steepest(&sizes), classes, sizes, bits, own, relevance }
    }

    /// −N·H(Y|X_i,X_j), exactly: Σ c ln c over the classes in their order, less that of all rows.
    pub(super) fn sum(&self, pair: (usize, usize), all: &PackedBits, ln: &XLnX, scratch: &mut Vec<usize>) -> f64 {
        let cells = (all.planes + 1) * (all.planes + 1);
        let last = self.sizes.len() - 1;
        scratch.clear();
        scratch.resize(cells * (self.sizes.len() + 1), 0);
        let (whole, tables) = scratch.split_at_mut(cells);
        all.add_table(pair, 0, self.sizes.iter().sum(), whole);
        tables[self.classes.left_out * cells..][..cells].copy_from_slice(whole);
        for (part, class) in (0..=last).filter(|&c| c != self.classes.left_out).enumerate() {
            self.bits.add_table(pair, part, self.sizes[class], &mut tables[class * cells..][..cells]);
            for cell in 0..cells {
                tables[self.classes.left_out * cells + cell] -= tables[class * cells + cell];
            }
        }
        let mut sum = 0.0;
        tables[..last * cells].iter().for_each(|c| sum += ln.of(*c));
        tables[last * cells..].iter().zip(whole).for_each(|(c, w)| sum += ln.of(*c) - ln.of(*w));
        sum
    }

    /// The counts of a pair by class, each row by row of (planes + 1)² cells.
    pub(super) fn tables(&self, pair: (usize, usize), all: &PackedBits) -> Vec<Vec<usize>> {
        let cells = (all.planes + 1) * (all.planes + 1);
        let mut left = vec![0; cells];
        all.add_table(pair, 0, self.sizes.iter().sum(), &mut left);
        let mut tables = vec![vec![0; cells]; self.sizes.len()];
        for (part, class) in (0..self.sizes.len()).filter(|&c| c != self.classes.left_out).enumerate() {
            self.bits.add_table(pair, part, self.sizes[class], &mut tables[class]);
            left.iter_mut().zip(&tables[class]).for_each(|(l, c)| *l -= c);
        }
        tables[self.classes.left_out] = left;
        tables
    }
}

/// The largest ratio κ of KL(p‖π) to Σ(p − π)²/π over all p, for the shares π of the classes; 1 is never too small.
///
/// For two classes KL(p‖π) = (p − π)²·a(p), where a averages 1/(2x(1 − x)) between π and p with weights that keep their
/// form as p moves. So a is convex in p and largest at an end, where all rows are of one class.
fn steepest(sizes: &[usize]) -> f32 {
    let &[a, b] = sizes else { return 1.0 };
    let share = a.max(b) as f64 / (a + b).max(1) as f64;
    if share < 1.0 { (-share * share.ln() / (1.0 - share)) as f32 } else { 1.0 }
}

/// Some features paired with some others, all rows counted: 1/t of every cell, eight pairs at a time.
pub(super) struct PairTile {
    pub(super) left: Range<usize>,
    pub(super) right: Range<usize>,
    inverse: Vec<Lanes>,
}

/// How many planes features of at most `levels` levels get.
pub(super) fn planes_for(levels: usize) -> usize {
    match levels {
        0..=2 => 1,
        3..=5 => levels - 1,
        6..=9 => 8,
        _ => 16,
    }
}

impl PairTile {
    pub(super) fn new(all: &PackedBits, left: Range<usize>, right: Range<usize>, rows: usize) -> PairTile {
        let tile = PairTile { left, right, inverse: vec![] };
        let inverse = run_wide(Inverses { tile: &tile, all, rows });
        PairTile { inverse, ..tile }
    }

    /// Calls `found` with every pair (i, j), i < j, that may reach its floor.
    pub(super) fn scan(
        &self,
        target: &PairTarget,
        floors: &mut Floors,
        found: &mut dyn FnMut(usize, usize, &mut Floors),
    ) {
        run_wide(Scan { tile: self, target, floors, found });
    }
}

/// Counting all rows of a tile's pairs.
struct Inverses<'a> {
    tile: &'a PairTile,
    all: &'a PackedBits,
    rows: usize,
}

impl WideWork for Inverses<'_> {
    type Output = Vec<Lanes>;

    #[inline(always)]
    fn run(self) -> Vec<Lanes> {
        let Inverses { tile, all, rows } = self;
        match all.planes {
            1 => inverses::<1>(tile, all, rows),
            2 => inverses::<2>(tile, all, rows),
            3 => inverses::<3>(tile, all, rows),
            4 => inverses::<4>(tile, all, rows),
            8 => inverses::<8>(tile, all, rows),
            _ => inverses::<16>(tile, all, rows),
        }
    }
}

/// A look at a tile's pairs with a target.
struct Scan<'a, 'b> {
    tile: &'a PairTile,
    target: &'a PairTarget,
    floors: &'a mut Floors,
    found: &'a mut (dyn FnMut(usize, usize, &mut Floors) + 'b),
}

impl WideWork for Scan<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Scan { tile, target, floors, found } = self;
        match target.bits.planes {
            1 => scan::<1>(tile, target, floors, found),
            2 => scan::<2>(tile, target, floors, found),
            3 => scan::<3>(tile, target, floors, found),
            4 => scan::<4>(tile, target, floors, found),
            8 => scan::<8>(tile, target, floors, found),
            _ => scan::<16>(tile, target, floors, found),
        }
    }
}

/// Eight features side by side: for every word and plane their bits, and for every part and plane their margins.
struct Eight<const P: usize> {
    words: Vec<[[u64; LANES]; P]>,
    margins: Vec<[Lanes; P]>,
}

impl<const P: usize> Eight<P> {
    /// The features from `from` on; those behind `last` are filled up with it.
    #[inline(always)]
    fn new(bits: &PackedBits, from: usize, last: usize) -> Eight<P> {
        let mut words = vec![[[0; LANES]; P]; bits.ends.last().copied().unwrap_or(0)];
        let mut margins = vec![[[0.0; LANES]; P]; bits.ends.len()];
        for lane in 0..LANES {
            let at = (from + lane).min(last);
            for (word, own) in words.iter_mut().zip(bits.feature(at).chunks_exact(P)) {
                (0..P).for_each(|v| word[v][lane] = own[v]);
            }
            for (part, margin) in margins.iter_mut().enumerate() {
                (0..P).for_each(|v| margin[v][lane] = bits.margin(at, part)[v] as f32);
            }
        }
        Eight { words, margins }
    }

    /// All features of a range, eight at a time.
    #[inline(always)]
    fn all(bits: &PackedBits, range: &Range<usize>) -> Vec<Eight<P>> {
        range.clone().step_by(LANES).map(|from| Eight::new(bits, from, range.end - 1)).collect()
    }

    /// How many rows of a part the planes of another feature share with those of the eight.
    #[inline(always)]
    fn shared(&self, bits: &PackedBits, part: usize, at: usize) -> [[Lanes; P]; P] {
        let range = bits.part(part);
        let other = &bits.feature(at)[range.start * P..range.end * P];
        let mut counts = [[[0.0; LANES]; P]; P];
        for u in 0..P {
            for v in 0..P {
                // one table cell at a time: its sums stay in registers
                let mut sum = [0_u64; LANES];
                for (eight, other) in self.words[range.clone()].iter().zip(other.chunks_exact(P)) {
                    for l in 0..LANES {
                        sum[l] += u64::from((other[u] & eight[v][l]).count_ones());
                    }
                }
                counts[u][v] = sum.map(|c| c as u32 as f32);
            }
        }
        counts
    }
}

/// Calls `visit` with every cell of eight tables, row by row, the last level of each feature last.
#[inline(always)]
fn cells<const P: usize>(
    counts: &[[Lanes; P]; P],
    (left, right): (&[f32; P], &[Lanes; P]),
    rows: f32,
    mut visit: impl FnMut(usize, Lanes),
) {
    let mut below = *right;
    let mut corner = [rows - left.iter().sum::<f32>(); LANES];
    for u in 0..P {
        let mut beside = [left[u]; LANES];
        for v in 0..P {
            for l in 0..LANES {
                beside[l] -= counts[u][v][l];
                below[v][l] -= counts[u][v][l];
            }
            visit(u * (P + 1) + v, counts[u][v]);
        }
        visit(u * (P + 1) + P, beside);
    }
    for v in 0..P {
        (0..LANES).for_each(|l| corner[l] -= below[v][l]);
        visit(P * (P + 1) + v, below[v]);
    }
    visit(P * (P + 1) + P, corner);
}

/// Σ O²/t over the cells of eight tables.
#[inline(always)]
fn squares<const P: usize>(
    counts: &[[Lanes; P]; P],
    margins: (&[f32; P], &[Lanes; P]),
    rows: f32,
    inverse: &[Lanes],
) -> Lanes {
    let mut sum = [0.0; LANES];
    cells::<P>(counts, margins, rows, |cell, count| {
        (0..LANES).for_each(|l| sum[l] += count[l] * count[l] * inverse[cell][l]);
    });
    sum
}

#[inline(always)]
fn left_margin<const P: usize>(bits: &PackedBits, part: usize, at: usize) -> [f32; P] {
    let margin = bits.margin(at, part);
    std::array::from_fn(|u| margin[u] as f32)
}

#[inline(always)]
fn inverses<const P: usize>(tile: &PairTile, all: &PackedBits, rows: usize) -> Vec<Lanes> {
    let (size, right) = ((P + 1) * (P + 1), Eight::<P>::all(all, &tile.right));
    let mut inverse = vec![[0.0; LANES]; tile.left.len() * tile.right.len().div_ceil(LANES) * size];
    let mut tables = inverse.chunks_exact_mut(size);
    for i in tile.left.clone() {
        let left = left_margin::<P>(all, 0, i);
        for (eight, out) in right.iter().zip(&mut tables) {
            let counts = eight.shared(all, 0, i);
            cells::<P>(&counts, (&left, &eight.margins[0]), rows as f32, |cell, count| {
                out[cell] = count.map(|t| if t > 0.0 { 1.0 / t } else { 0.0 });
            });
        }
    }
    inverse
}

#[inline(always)]
fn scan<const P: usize>(
    tile: &PairTile,
    target: &PairTarget,
    floors: &mut Floors,
    found: &mut dyn FnMut(usize, usize, &mut Floors),
) {
    // as exact as sums of so many terms are in single precision
    let (base, slope) = (1.0 - 2e-7 * (10 + (P + 1) * (P + 1)) as f32, 1.0 / target.steepest);
    let (size, last) = ((P + 1) * (P + 1), tile.right.end - 1);
    let mut tables = tile.inverse.chunks_exact(size);
    let right = Eight::<P>::all(&target.bits, &tile.right);
    for (a, i) in tile.left.clone().enumerate() {
        let own = target.relevance[i];
        for ((chunk, eight), inverse) in right.iter().enumerate().zip(&mut tables) {
            let from = tile.right.start + chunk * LANES;
            if from + LANES <= i + 1 {
                continue; // pairs that the other half of the tile has
            }
            let ratio = ratio::<P>(target, i, eight, inverse);
            let other = &target.relevance[from..from + LANES];
            let floor = &floors.right[chunk * LANES..][..LANES];
            let (mine, gain) = (floors.left[a], floors.gain);
            let mut passes = [false; LANES];
            for l in 0..LANES {
                let limit = (mine + other[l]).min(floor[l] + own).min(gain + own.max(other[l]));
                passes[l] = ratio[l] >= base + slope * limit;
            }
            if passes.contains(&true) {
                for l in (0..LANES).filter(|l| passes[*l] && from + l > i && from + l <= last) {
                    found(i, from + l, floors);
                }
            }
        }
    }
}

/// 1 + χ²/N of a feature with eight others.
#[inline(always)]
fn ratio<const P: usize>(target: &PairTarget, i: usize, eight: &Eight<P>, inverse: &[Lanes]) -> Lanes {
    let (sizes, left_out) = (&target.sizes, target.classes.left_out);
    let parts = sizes.len() - 1;
    let total: usize = sizes.iter().sum();
    let mut ratio = [0.0; LANES];
    // of all classes that are counted together
    let (mut counts, mut left, mut right) = ([[[0.0; LANES]; P]; P], [0.0; P], [[0.0; LANES]; P]);
    let mut last_squares = [0.0; LANES];
    for part in 0..parts {
        let rows = sizes[part + usize::from(part >= left_out)] as f32;
        let (own, others) = (left_margin::<P>(&target.bits, part, i), &eight.margins[part]);
        let found = eight.shared(&target.bits, part, i);
        last_squares = squares::<P>(&found, (&own, others), rows, inverse);
        let share = if rows > 0.0 { 1.0 / rows } else { 0.0 };
        (0..LANES).for_each(|l| ratio[l] += last_squares[l] * share);
        if parts > 1 {
            for u in 0..P {
                left[u] += own[u];
                for l in 0..LANES {
                    right[u][l] += others[u][l];
                    (0..P).for_each(|v| counts[u][v][l] += found[u][v][l]);
                }
            }
        }
    }
    let counted = total - sizes[left_out];
    if parts > 1 {
        last_squares = squares::<P>(&counts, (&left, &right), counted as f32, inverse);
    }
    let (rest, share) = (total as f32 - 2.0 * counted as f32, 1.0 / sizes[left_out].max(1) as f32);
    (0..LANES).for_each(|l| ratio[l] += (rest + last_squares[l]) * share);
    ratio
}
