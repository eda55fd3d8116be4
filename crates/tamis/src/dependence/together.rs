//! Pairs of features and the target: the strongest partner of every feature, in the data and under permutations.

use super::null_targets::Targets;
use super::pair_kernel::{Cells, Halves, PairKernel, TILE, pair_statistic};
use crate::base::{Progress, Result};
use crate::numeric::special::surprise_chi2;
use rayon::prelude::*;
use std::ops::Range;

/// Statistics that differ by less are equal: rounding depends on which of the two features comes first.
const TIE: f64 = 1e-12;

/// The strongest pair of every feature.
#[derive(Debug, Default)]
pub(super) struct TogetherScores {
    /// T2 = surprise − ln(K − 1) of the data, K features that vary; −∞ for a feature without halves.
    pub(super) scores: Vec<f64>,
    /// The partner, the first of equal ones.
    pub(super) partners: Vec<Option<u32>>,
    /// The surprise of the pair if halves are centred within their class.
    pub(super) within: Vec<f64>,
    /// T2 of every feature under each permutation.
    pub(super) null: Vec<Vec<f64>>,
}

/// Targets that are compared at once: the data and few permutations first, since these mostly tell whether the strongest
/// pair of the data is one of chance.
const FIRST: usize = 3;

/// Strongest statistics that differ by less may be equal, and do not tell.
const CLEARLY: f64 = 1e-6;

/// The scores of features from the sets of their upper halves; `None` for one that takes no part. If scores are `wanted`
/// only where the strongest pair is stronger than any of a permutation, there are none once a permutation has a stronger
/// one.
///
/// Cost: rows/64 operations a pair, class and target.
pub(super) fn score(
    sets: &[Option<Vec<u64>>],
    targets: &Targets,
    wanted: Wanted,
    progress: &mut dyn Progress,
) -> Result<Option<TogetherScores>> {
    let taking_part: Vec<usize> = (0..sets.len()).filter(|&at| sets[at].is_some()).collect();
    let words: Vec<&[u64]> = sets.iter().flatten().map(Vec::as_slice).collect();
    let halves = Halves::new(targets.rows, &words);
    let kernel = PairKernel::new(&halves, targets);
    let Some(largest) = largest_of_all(&kernel, (halves.len(), targets.len()), wanted, progress)? else {
        return Ok(None);
    };
    let partners = partners(&kernel, &largest[0]);
    let df = targets.sizes.len() as f64 - 1.0;
    let spread = |values: &mut dyn Iterator<Item = f64>| {
        let mut all = vec![f64::NEG_INFINITY; sets.len()];
        taking_part.iter().zip(values).for_each(|(&at, value)| all[at] = value);
        all
    };
    let less = ((sets.len().max(2) - 1) as f64).ln();
    let t2 = |h: f64| if h >= 0.0 { surprise_chi2(h, df) - less } else { f64::NEG_INFINITY };
    let exact: Vec<(f64, f64)> = (0..halves.len())
        .map(|at| match partners[at] {
            u32::MAX => (f64::NEG_INFINITY, 0.0),
            partner => {
                let (h, within) = both_ways(words[at], words[partner as usize], targets);
                (t2(h), surprise_chi2(within, df))
            }
        })
        .collect();
    let mut named = vec![None; sets.len()];
    for (&at, &partner) in taking_part.iter().zip(&partners).filter(|(_, partner)| **partner != u32::MAX) {
        named[at] = Some(taking_part[partner as usize] as u32);
    }
    let null = largest[1..].iter().map(|h| spread(&mut h.iter().map(|h| t2(*h)))).collect();
    let scores = spread(&mut exact.iter().map(|both| both.0));
    let within = spread(&mut exact.iter().map(|both| both.1));
    Ok(Some(TogetherScores { scores, partners: named, within, null }))
}

/// Which scores of pairs are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wanted {
    /// Those of any table.
    Always,
    /// Those of a table whose strongest pair is stronger than any of a permutation.
    BeyondChance,
}

/// The largest H of every feature for every target, −∞ for a feature without a partner; nothing if they are not wanted.
fn largest_of_all(
    kernel: &PairKernel,
    (n, targets): (usize, usize),
    wanted: Wanted,
    progress: &mut dyn Progress,
) -> Result<Option<Vec<Vec<f64>>>> {
    let mut best: Vec<Vec<f64>> = vec![];
    while best.len() < targets {
        let next = match wanted {
            Wanted::Always => targets,
            Wanted::BeyondChance => (best.len() + best.len().max(FIRST)).min(targets),
        };
        best.extend(largest(kernel, n, best.len()..next, progress)?);
        let strongest = |h: &Vec<f64>| h.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let limit = strongest(&best[0]) * (1.0 + CLEARLY);
        if wanted == Wanted::BeyondChance && best[1..].iter().any(|h| strongest(h) > limit) {
            return Ok(None);
        }
    }
    Ok(Some(best))
}

/// The largest H of every feature for some targets.
fn largest(kernel: &PairKernel, n: usize, targets: Range<usize>, progress: &mut dyn Progress) -> Result<Vec<Vec<f64>>> {
    let mut best = vec![vec![f64::NEG_INFINITY; n]; targets.len()];
    let tiles = kernel.tiles();
    let at_once = 4 * rayon::current_num_threads();
    for (group, some) in tiles.chunks(at_once).enumerate() {
        progress.step("pairing", (group * at_once) as u64, tiles.len() as u64)?;
        let found: Vec<[Vec<[f64; TILE]>; 2]> =
            some.par_iter().map(|&tile| tile_maxima(kernel, tile, &targets)).collect();
        for (&(a, b), [rows, columns]) in some.iter().zip(&found) {
            for (target, best) in best.iter_mut().enumerate() {
                for (first, maxima) in [(a, &rows[target]), (b, &columns[target])] {
                    best[first..].iter_mut().zip(maxima).for_each(|(best, &h)| *best = best.max(h));
                }
            }
        }
    }
    progress.step("pairing", tiles.len() as u64, tiles.len() as u64)?;
    Ok(best)
}

/// For each target the largest H of the features in the rows and in the columns of a tile.
fn tile_maxima(kernel: &PairKernel, (a, b): (usize, usize), targets: &Range<usize>) -> [Vec<[f64; TILE]>; 2] {
    let mut rows = vec![[f64::NEG_INFINITY; TILE]; targets.len()];
    let mut columns = rows.clone();
    kernel.tile((a, b), targets.clone(), |target, j, k, h| {
        let target = target - targets.start;
        let mut largest = f64::NEG_INFINITY;
        for (known, &h) in columns[target][k - b..].iter_mut().zip(h) {
            *known = if h > *known { h } else { *known };
            largest = if h > largest { h } else { largest };
        }
        let known = &mut rows[target][j - a];
        *known = known.max(largest);
    });
    [rows, columns]
}

/// The first feature with which each has its largest H in the data; `u32::MAX` for a feature without any.
fn partners(kernel: &PairKernel, largest: &[f64]) -> Vec<u32> {
    let least: Vec<f64> = largest.iter().map(|h| h * (1.0 - TIE)).collect();
    let tiles = kernel.tiles();
    let found: Vec<[[u32; TILE]; 2]> = tiles.par_iter().map(|&tile| tile_partners(kernel, tile, &least)).collect();
    let mut partners = vec![u32::MAX; largest.len()];
    for (&(a, b), [rows, columns]) in tiles.iter().zip(&found) {
        for (first, found) in [(a, rows), (b, columns)] {
            partners[first..].iter_mut().zip(found).for_each(|(known, &partner)| *known = (*known).min(partner));
        }
    }
    partners
}

/// For the features in the rows and in the columns of a tile, the first partner with which H is at least `least`.
fn tile_partners(kernel: &PairKernel, (a, b): (usize, usize), least: &[f64]) -> [[u32; TILE]; 2] {
    let [mut rows, mut columns] = [[u32::MAX; TILE]; 2];
    kernel.tile((a, b), 0..1, |_, j, first, h| {
        for (k, &h) in (first..).zip(h) {
            if h >= least[j] {
                rows[j - a] = rows[j - a].min(k as u32);
            }
            if h >= least[k] {
                columns[k - b] = columns[k - b].min(j as u32);
            }
        }
    });
    [rows, columns]
}

/// H of a pair in the data, with halves centred over all rows and within each class.
fn both_ways(x: &[u64], y: &[u64], targets: &Targets) -> (f64, f64) {
    let ones = |words: &mut dyn Iterator<Item = u64>| words.map(|word| f64::from(word.count_ones())).sum::<f64>();
    let cells = |mask: &dyn Fn(usize) -> u64, n: f64| -> Cells {
        let both = ones(&mut (0..x.len()).map(|w| x[w] & y[w] & mask(w)));
        let first = ones(&mut (0..x.len()).map(|w| x[w] & mask(w)));
        let second = ones(&mut (0..x.len()).map(|w| y[w] & mask(w)));
        [both, first - both, second - both, n - first - second + both]
    };
    let all = cells(&|_| u64::MAX, targets.rows as f64);
    let mut classes = vec![all];
    for set in 0..targets.n_sets() {
        let rows = targets.set(0, set);
        let own = cells(&|word| rows[word], targets.sizes[set + 1]);
        classes[0].iter_mut().zip(own).for_each(|(rest, count)| *rest -= count);
        classes.push(own);
    }
    let centre = |[both, first, second, none]: &Cells| {
        let n = both + first + second + none;
        ((both + first) / n, (both + second) / n)
    };
    let (overall, own) = (vec![centre(&all); classes.len()], classes.iter().map(centre).collect::<Vec<_>>());
    (pair_statistic(&classes, &overall), pair_statistic(&classes, &own))
}
