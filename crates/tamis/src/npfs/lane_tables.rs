//! Tables with a count per lane in every cell: adding rows, and summing c ln c over the cells.

use crate::codes::counts::{CountScratch, NARROW};

/// Adds a row's weights to a cell. All are read before any is written: this way it is vectorised.
#[inline(always)]
pub(super) fn add_lanes<const L: usize>(counts: &mut [u16; L], weights: &[u16; L]) {
    let before = *counts;
    *counts = std::array::from_fn(|l| before[l].wrapping_add(weights[l]));
}

/// Sums over tables with more cells than rows: only cells that some row falls in are visited.
pub(super) fn sparse_lanes<const L: usize>(
    cells: &[u16],
    groups: &[u16],
    x: &[u8],
    weights: &[[u16; L]],
    tables: &mut LaneTables<L>,
    ln: &[f64; NARROW],
) -> ([f64; L], [f64; L]) {
    let (mut joint, mut margin) = ([0.0; L], [0.0; L]);
    let [by_class, by_group] = tables;
    let places = || {
        cells.iter().zip(groups).zip(x).map(|((cell, group), x)| {
            let x = u16::from(*x);
            (usize::from(cell.wrapping_add(x)), usize::from(group.wrapping_add(x)))
        })
    };
    for ((cell, group), w) in places().zip(weights) {
        add_lanes(&mut by_class[cell], w);
        add_lanes(&mut by_group[group], w);
    }
    for (cell, group) in places() {
        let (a, b) = (std::mem::replace(&mut by_class[cell], [0; L]), std::mem::replace(&mut by_group[group], [0; L]));
        for l in 0..L {
            joint[l] += ln[usize::from(a[l])];
            margin[l] += ln[usize::from(b[l])];
        }
    }
    (joint, margin)
}

/// Σ c ln c of every lane's table, which is emptied. With `MIXED` the second half of the counts are those of class 1.
pub(super) fn lane_sums<const L: usize, const MIXED: bool>(
    table: &mut [[u16; L]; NARROW],
    (groups, classes, stride): (usize, usize, usize),
    ln: &[f64; NARROW],
) -> ([f64; L], [f64; L]) {
    let (mut joint, mut margin) = ([0.0; L], [0.0; L]);
    for group in table[..groups * classes * stride].chunks_exact_mut(classes * stride) {
        if MIXED {
            for counts in group {
                let (all, ones) = counts.split_at_mut(L / 2);
                for l in 0..L / 2 {
                    joint[l] += ln[usize::from(ones[l])] + ln[usize::from(all[l].wrapping_sub(ones[l]))];
                    margin[l] += ln[usize::from(all[l])];
                }
                *counts = [0; L];
            }
            continue;
        }
        if classes == 2 {
            let (zeros, ones) = group.split_at_mut(stride);
            for (a, b) in zeros.iter_mut().zip(ones) {
                for l in 0..L {
                    joint[l] += ln[usize::from(a[l])] + ln[usize::from(b[l])];
                    margin[l] += ln[usize::from(a[l].wrapping_add(b[l]))];
                }
                (*a, *b) = ([0; L], [0; L]);
            }
            continue;
        }
        for level in 0..stride {
            let mut sum = [0_u16; L];
            for counts in group[level..].iter_mut().step_by(stride) {
                for l in 0..L {
                    joint[l] += ln[usize::from(counts[l])];
                    sum[l] = sum[l].wrapping_add(counts[l]);
                }
                *counts = [0; L];
            }
            for l in 0..L {
                margin[l] += ln[usize::from(sum[l])];
            }
        }
    }
    (joint, margin)
}

/// Two tables with a count per lane in every cell.
pub(super) type LaneTables<const L: usize> = [Box<[[u16; L]; NARROW]>; 2];

/// Memory a thread keeps, made when first needed.
#[derive(Default)]
pub(super) struct LaneScratch {
    scalar: Option<CountScratch>,
    eight: Option<LaneTables<8>>,
    sixteen: Option<LaneTables<16>>,
    thirty_two: Option<LaneTables<32>>,
    sixty_four: Option<LaneTables<64>>,
}

fn empty<const L: usize>(tables: &mut Option<LaneTables<L>>) -> &mut LaneTables<L> {
    tables.get_or_insert_with(|| {
        // from the system as zeros: what is never touched costs nothing
        std::array::from_fn(|_| bytemuck::allocation::zeroed_box())
    })
}

impl LaneScratch {
    pub(super) fn scalar(&mut self) -> &mut CountScratch {
        self.scalar.get_or_insert_with(CountScratch::new)
    }
    pub(super) fn empty_eight(&mut self) -> &mut LaneTables<8> {
        empty(&mut self.eight)
    }
    pub(super) fn empty_sixteen(&mut self) -> &mut LaneTables<16> {
        empty(&mut self.sixteen)
    }
    pub(super) fn empty_thirty_two(&mut self) -> &mut LaneTables<32> {
        empty(&mut self.thirty_two)
    }
    pub(super) fn empty_sixty_four(&mut self) -> &mut LaneTables<64> {
        empty(&mut self.sixty_four)
    }
}
