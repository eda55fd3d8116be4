//! Scores from ranks: Mann–Whitney, Kruskal–Wallis, Spearman, with ties handled exactly.
//!
//! A row of weight 3 counts as three rows: ties are measured by weight, and so are ranks.

use crate::numeric::special::{chi2_to_z, z_from_log_tail};
use crate::score::Statistic;
use crate::score::score_from_moments::Outcome;
use std::collections::HashMap;

/// A value with its class (or row) and weight.
pub(super) type Item = (f64, u32, f64);

/// The size of the smaller class up to which untied data get the exact distribution.
const EXACT: f64 = 8.0;
/// The most values of U the exact distribution is worked out for.
const EXACT_VALUES: f64 = 1e6;

/// Memory a thread keeps from column to column, with the exact distributions met so far.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) items: Vec<Item>,
    /// The sortable keys of the negative and the positive class.
    keys: [Vec<u64>; 2],
    exact: HashMap<(u32, u32), Vec<f64>>,
}

/// Runs of equal values in sorted items.
fn ties(items: &[Item]) -> impl Iterator<Item = &[Item]> {
    items.chunk_by(|a, b| a.0 == b.0)
}

/// Mann–Whitney's U of the positive class, from the rows of the negative and of the positive class.
///
/// Cost: a sort of each class and a merge.
pub(super) fn mann_whitney(values: &[f64], classes: &[Vec<u32>; 2], scratch: &mut Scratch) -> Outcome {
    for (keys, rows) in scratch.keys.iter_mut().zip(classes) {
        keys.clear();
        let known = rows.iter().map(|&r| values[r as usize]).filter(|x| !x.is_nan());
        keys.extend(known.map(sortable));
    }
    let [negative, positive] = &mut scratch.keys;
    let rows = (negative.len() + positive.len()) as u32;
    let counts = by_keys(negative, positive);
    let ends = [negative.first(), negative.last(), positive.first(), positive.last()];
    let mut ends = ends.into_iter().flatten();
    let first = ends.next();
    let constant = ends.all(|key| Some(key) == first);
    u_to_z(counts, rows, constant, Some(&mut scratch.exact))
}

/// Mann–Whitney's score from items (value, 1 for the positive class, weight).
pub(super) fn mann_whitney_weighted(items: &mut [Item]) -> Outcome {
    let rows = items.len() as u32;
    let counts = by_items(items);
    let constant = items.windows(2).all(|w| w[0].0 == w[1].0);
    u_to_z(counts, rows, constant, None)
}

/// The score of ordered levels counted by class, level by level, of so many rows; all rows of a level are tied.
pub(crate) fn of_counts(
    table: &[f64],
    classes: usize,
    (statistic, positive): (Statistic, usize),
    rows: u32,
) -> Outcome {
    let two = statistic == Statistic::MannWhitney;
    let label = |class: usize| if two { u32::from(class == positive) } else { class as u32 };
    let cells = table.iter().enumerate().filter(|(_, n)| **n > 0.0);
    let mut items: Vec<Item> = cells.map(|(at, n)| ((at / classes) as f64, label(at % classes), *n)).collect();
    if !two {
        return kruskal(&mut items, classes, rows);
    }
    let counts = by_items(&mut items);
    u_to_z(counts, rows, ties(&items).count() < 2, None)
}

/// From (U, n⁺, n⁻, Σ(t³ − t)) to a score: normal with a correction for ties and for continuity, or exact where a class has
/// at most 8 values and nothing is tied (never with weights).
fn u_to_z(
    (u, n1, n0, tied): (f64, f64, f64, f64),
    rows: u32,
    constant: bool,
    exact: Option<&mut HashMap<(u32, u32), Vec<f64>>>,
) -> Outcome {
    let n = n1 + n0;
    if constant {
        return Outcome::Constant { rows };
    }
    if n1 <= 0.0 || n0 <= 0.0 || n < 3.0 {
        return Outcome::TooFew { rows };
    }
    let centre = 0.5 * n1 * n0;
    let small = tied == 0.0 && n1.min(n0) <= EXACT && n1 * n0 <= EXACT_VALUES;
    let z = match exact.filter(|_| small) {
        Some(known) => {
            let sizes = (n1 as u32, n0 as u32);
            let tails = known.entry(sizes).or_insert_with(|| upper_tails(n1 as usize, n0 as usize));
            let extreme = u.max(n1 * n0 - u);
            z_from_log_tail(tails[extreme as usize].ln())
        }
        None => {
            let variance = n1 * n0 / 12.0 * ((n + 1.0) - tied / (n * (n - 1.0)));
            ((u - centre).abs() - 0.5).max(0.0) / variance.sqrt()
        }
    };
    Outcome::Score { z: z.copysign(u - centre), rows }
}

/// An integer that orders like the number; −0 counts as 0.
fn sortable(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// (U, n⁺, n⁻, Σ(t³ − t)) without weights: each class is sorted by itself, then merged.
fn by_keys(negative: &mut [u64], positive: &mut [u64]) -> (f64, f64, f64, f64) {
    negative.sort_unstable();
    positive.sort_unstable();
    untied(negative, positive).unwrap_or_else(|| tied(negative, positive))
}

/// [`by_keys`] without ties and without a branch that could be mispredicted; `None` at the first tie.
fn untied(negative: &[u64], positive: &[u64]) -> Option<(f64, f64, f64, f64)> {
    let repeats = |keys: &[u64]| keys.windows(2).any(|w| w[0] == w[1]);
    if repeats(negative) || repeats(positive) {
        return None;
    }
    let (mut i, mut j, mut u, mut equal) = (0, 0, 0_u64, 0_u64);
    while i < positive.len() && j < negative.len() {
        let (p, n) = (positive[i], negative[j]);
        let below = usize::from(n < p);
        equal += u64::from(n == p);
        u += (j as u64) * (1 - below as u64);
        i += 1 - below;
        j += below;
    }
    u += ((positive.len() - i) * negative.len()) as u64;
    (equal == 0).then_some((u as f64, positive.len() as f64, negative.len() as f64, 0.0))
}

fn tied(negative: &[u64], positive: &[u64]) -> (f64, f64, f64, f64) {
    let (mut i, mut j) = (0, 0);
    let (mut u2, mut tied) = (0_u64, 0.0); // twice U is whole
    while i < positive.len() || j < negative.len() {
        let next = match (positive.get(i), negative.get(j)) {
            (Some(a), Some(b)) => *a.min(b),
            (Some(a), None) => *a,
            (None, Some(b)) => *b,
            (None, None) => break,
        };
        let (from_i, from_j) = (i, j);
        while positive.get(i) == Some(&next) {
            i += 1;
        }
        while negative.get(j) == Some(&next) {
            j += 1;
        }
        let (p, n) = ((i - from_i) as u64, (j - from_j) as u64);
        u2 += p * (2 * from_j as u64 + n);
        if p + n > 1 {
            let t = (p + n) as f64;
            tied += t * t * t - t;
        }
    }
    (0.5 * u2 as f64, positive.len() as f64, negative.len() as f64, tied)
}

/// (U, n⁺, n⁻, Σ(t³ − t)) with weights.
fn by_items(items: &mut [Item]) -> (f64, f64, f64, f64) {
    items.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut u, mut n1, mut n0, mut tied) = (0.0, 0.0, 0.0, 0.0);
    for tie in ties(items) {
        let p: f64 = tie.iter().filter(|i| i.1 == 1).map(|i| i.2).sum();
        let n: f64 = tie.iter().filter(|i| i.1 != 1).map(|i| i.2).sum();
        u += p * (n0 + 0.5 * n);
        n1 += p;
        n0 += n;
        let t = p + n;
        tied += t * t * t - t;
    }
    (u, n1, n0, tied)
}

/// P(U ≥ u) for u = 0…mn without ties: the coefficients of the Gaussian binomial ∏ (1 − q^{n+i})/(1 − q^i).
fn upper_tails(m: usize, n: usize) -> Vec<f64> {
    let (m, n) = (m.min(n), m.max(n));
    let size = m * n + 1;
    let mut counts = vec![0.0; size];
    counts[0] = 1.0;
    for i in 1..=m {
        for u in (n + i..size).rev() {
            counts[u] -= counts[u - n - i];
        }
        for u in i..size {
            counts[u] += counts[u - i];
        }
    }
    let total: f64 = counts.iter().sum();
    let mut tail = 0.0;
    for count in counts.iter_mut().rev() {
        tail += *count;
        *count = tail / total;
    }
    counts
}

/// Kruskal–Wallis' H over items (value, class, weight), with the correction for ties, as a one-sided z.
pub(super) fn kruskal(items: &mut [Item], classes: usize, rows: u32) -> Outcome {
    items.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut before, mut tied) = (0.0, 0.0);
    let mut sums = vec![(0.0, 0.0); classes]; // (weight, Σ weight·rank) of each class
    let mut groups = 0;
    for tie in ties(items) {
        let t: f64 = tie.iter().map(|i| i.2).sum();
        let rank = before + 0.5 * (t + 1.0);
        for (_, class, weight) in tie {
            let sum = &mut sums[*class as usize];
            sum.0 += weight;
            sum.1 += weight * rank;
        }
        before += t;
        tied += t * t * t - t;
        groups += 1;
    }
    let n = before;
    if groups <= 1 {
        return Outcome::Constant { rows };
    }
    let k = sums.iter().filter(|s| s.0 > 0.0).count() as f64;
    if k < 2.0 || n < 3.0 {
        return Outcome::TooFew { rows };
    }
    let centre = 0.5 * (n + 1.0);
    let between: f64 = sums.iter().filter(|s| s.0 > 0.0).map(|s| s.0 * (s.1 / s.0 - centre).powi(2)).sum();
    let h = 12.0 / (n * (n + 1.0)) * between / (1.0 - tied / (n * n * n - n));
    Outcome::one_sided(chi2_to_z(h, k - 1.0), rows)
}

/// The score of a U with (U, n⁺, n⁻, Σ(t³ − t)); 0 where there is none.
pub(super) fn z_of_u(counts: (f64, f64, f64, f64), weighted: bool, exact: &mut HashMap<(u32, u32), Vec<f64>>) -> f64 {
    u_to_z(counts, 0, false, (!weighted).then_some(exact)).finite().unwrap_or(0.0)
}

/// Σ(t³ − t) over the ties of items, which are sorted by it.
pub(super) fn ties_of(items: &mut [Item]) -> f64 {
    items.sort_by(|a, b| a.0.total_cmp(&b.0));
    let sizes = ties(items).map(|tie| tie.iter().map(|item| item.2).sum::<f64>());
    sizes.map(|t| t * t * t - t).sum()
}

/// The mid-ranks of numbers with these weights.
pub(super) fn of_values(values: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut items: Vec<Item> = values.iter().zip(0..).zip(weights).map(|((&x, at), &w)| (x, at, w)).collect();
    to_ranks(&mut items);
    items.into_iter().map(|item| item.0).collect()
}

/// Replaces the values of items (value, position, weight) by their mid-ranks and puts them back in order of position.
pub(super) fn to_ranks(items: &mut [Item]) {
    items.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut before = 0.0;
    let mut from = 0;
    while from < items.len() {
        let to = from + items[from..].iter().take_while(|i| i.0 == items[from].0).count();
        let t: f64 = items[from..to].iter().map(|i| i.2).sum();
        for item in &mut items[from..to] {
            item.0 = before + 0.5 * (t + 1.0);
        }
        before += t;
        from = to;
    }
    items.sort_by_key(|i| i.1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_tails_are_those_of_counting_all_orders() {
        // 3 and 4 values: 35 equally likely sets of positions
        let tails = upper_tails(3, 4);
        let mut counts = [0_u32; 13];
        for a in 0..7_u32 {
            for b in a + 1..7 {
                for c in b + 1..7 {
                    counts[(a + b + c - 3) as usize] += 1;
                }
            }
        }
        for u in 0..13 {
            let want = f64::from(counts[u..].iter().sum::<u32>()) / 35.0;
            assert!((tails[u] - want).abs() < 1e-15, "{u}: {} {want}", tails[u]);
        }
    }

    #[test]
    fn tied_values_share_their_mean_rank() {
        let mut items = vec![(3.0, 0, 1.0), (1.0, 1, 1.0), (3.0, 2, 1.0), (2.0, 3, 2.0)];
        to_ranks(&mut items);
        assert_eq!(items.iter().map(|i| i.0).collect::<Vec<_>>(), [4.5, 1.0, 4.5, 2.5]);
    }
}
