//! How strong the scores of a vector are: all that gate, floor and lower bounds use of it.

use super::counted_scores::{Cumulated, distance_at_rank};
use super::features::{Features, Kind};
use super::null_rows::ScoreRow;

/// Thresholds at which strong scores are counted.
pub(super) const THRESHOLDS: usize = 150;
/// Kinds with fewer features have no second leg of the gate.
const FEWEST_FOR_TAIL: usize = 50;

/// A threshold: .5025, .5525 … 7.9525.
pub(super) fn threshold(i: usize) -> f64 {
    0.5025 + 0.05 * i as f64
}

/// Ranks at which strengths are compared.
pub(super) struct Ranks {
    /// Of the strengths of all scores, ascending.
    of_all: Vec<usize>,
    /// Of each kind's scores about their median; none for small kinds.
    of_kinds: Vec<Option<Vec<usize>>>,
}

impl Ranks {
    /// 1, 2 and ten in geometric steps from 3 to half of the features; for a kind those up to a fifth of it.
    pub(super) fn new(features: &Features) -> Ranks {
        let half = (features.len() / 2).max(1);
        let last = half.max(3) as f64 / 3.0;
        let steps = (0..10).map(|i| (3.0 * last.powf(f64::from(i) / 9.0)).round_ties_even() as usize);
        let mut of_all: Vec<usize> = [1, 2].into_iter().chain(steps).filter(|k| *k <= half).collect();
        of_all.dedup();
        let tail = |kind: &Kind| {
            let n = kind.places.len();
            let most = (n / 5).max(1);
            (n >= FEWEST_FOR_TAIL).then(|| of_all.iter().copied().filter(|k| *k <= most).collect())
        };
        Ranks { of_kinds: features.kinds().iter().map(tail).collect(), of_all }
    }
}

/// The strengths of a vector of scores.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Strengths {
    /// The largest at the ranks of all; the first is the largest of all.
    pub(super) largest: Vec<f64>,
    /// Core and tail of each kind that is not small.
    pub(super) tails: Vec<Tail>,
    /// How many scores are as strong as each threshold.
    pub(super) reaching: Vec<u32>,
}

/// The scores of a kind about their median.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tail {
    pub(super) one_sided: bool,
    pub(super) median: f64,
    /// The quantiles of the distances from the median at ¼ and ½.
    pub(super) core: [f64; 2],
    /// The largest distances at the kind's ranks.
    pub(super) largest: Vec<f64>,
}

impl Strengths {
    pub(super) fn of(row: &ScoreRow, features: &Features, ranks: &Ranks) -> Strengths {
        match row {
            ScoreRow::Held(held) => of_held(held, features, ranks),
            ScoreRow::Counted(counted) => {
                let cumulated: Vec<Cumulated> = counted.iter().map(|counted| counted.cumulated()).collect();
                of_counted(&cumulated, features, ranks)
            }
        }
    }

    /// The largest of all.
    pub(super) fn most(&self) -> f64 {
        self.largest[0]
    }
}

/// How many of the strengths reach each threshold.
pub(super) fn reaching(strengths: impl Iterator<Item = f64>) -> Vec<u32> {
    let mut counts = [0_u32; THRESHOLDS + 1];
    for strength in strengths {
        // the number of thresholds reached: nearly this, corrected for rounding
        let near = (((strength - threshold(0)) * 20.0).max(0.0) as usize).min(THRESHOLDS - 1);
        let reached = if strength < threshold(near) {
            near
        } else if near + 1 < THRESHOLDS && strength >= threshold(near + 1) {
            near + 2
        } else {
            near + 1
        };
        counts[reached] += 1;
    }
    for i in (0..THRESHOLDS).rev() {
        counts[i] += counts[i + 1];
    }
    counts[1..].to_vec()
}

fn of_held(held: &[f32], features: &Features, ranks: &Ranks) -> Strengths {
    let strong =
        || features.kinds().iter().flat_map(|kind| held[kind.places.clone()].iter().map(|z| kind.strength(*z)));
    let mut keys: Vec<u32> = strong().map(|strength| ascending_key(strength as f32)).collect();
    let largest = largest_at(&mut keys, &ranks.of_all);
    let tails = features.kinds().iter().zip(&ranks.of_kinds).filter_map(|(kind, ranks)| {
        let scores = &held[kind.places.clone()];
        Some(tail(scores, kind.one_sided, ranks.as_ref()?, &mut keys))
    });
    Strengths { tails: tails.collect(), largest, reaching: reaching(strong()) }
}

/// An integer that orders like the number.
#[inline(always)]
fn ascending_key(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

fn number(key: u32) -> f64 {
    f64::from(f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key }))
}

/// The largest values at ascending ranks, which start at 1; reorders the keys.
fn largest_at(keys: &mut [u32], ranks: &[usize]) -> Vec<f64> {
    let n = keys.len();
    let mut from = 0;
    let mut values: Vec<f64> = vec![];
    for rank in ranks.iter().rev() {
        let at = n - rank;
        values.push(number(*keys[from..].select_nth_unstable(at - from).1));
        from = at;
    }
    values.reverse();
    values
}

/// The mean of the two middle values, or the middle one.
fn median(keys: &mut [u32]) -> f64 {
    let n = keys.len();
    let (below, middle, _) = keys.select_nth_unstable(n / 2);
    let middle = number(*middle);
    match n % 2 {
        1 => middle,
        _ => 0.5 * (number(below.iter().copied().max().unwrap_or(0)) + middle),
    }
}

/// The quantile of type 7; afterwards the keys below place ⌊level·(n − 1)⌋ are those of smaller values.
fn quantile(keys: &mut [u32], at: f64) -> f64 {
    let place = at as usize;
    let (_, value, above) = keys.select_nth_unstable(place);
    let value = number(*value);
    let next = above.iter().copied().min().map_or(value, number);
    value + (at - place as f64) * (next - value)
}

fn tail(scores: &[f32], one_sided: bool, ranks: &[usize], keys: &mut Vec<u32>) -> Tail {
    let n = scores.len();
    let fill = |keys: &mut Vec<u32>, of: &dyn Fn(f32) -> f32| {
        keys.clear();
        keys.extend(scores.iter().map(|z| ascending_key(of(*z))));
    };
    fill(keys, &|z| z);
    let median = median(keys);
    let centre = median as f32;
    fill(keys, &|z| (z - centre).abs());
    let last = (n - 1) as f64;
    let half = quantile(keys, 0.5 * last);
    let quarter = quantile(&mut keys[..=(0.5 * last) as usize], 0.25 * last);
    if one_sided {
        fill(keys, &|z| z - centre);
    }
    Tail { one_sided, median, core: [quarter, half], largest: largest_at(keys, ranks) }
}

fn of_counted(counted: &[Cumulated], features: &Features, ranks: &Ranks) -> Strengths {
    let kinds = || features.kinds().iter().zip(counted);
    let beyond = |t: f64| kinds().map(|(kind, counted)| counted.beyond(0.0, t, !kind.one_sided)).sum::<f64>();
    let farthest = || kinds().map(|(kind, counted)| counted.farthest(0.0, !kind.one_sided));
    let tails = kinds().zip(&ranks.of_kinds).filter_map(|((kind, counted), ranks)| {
        let (median, both) = (counted.median(), !kind.one_sided);
        let at = |rank: f64| distance_at_rank(|t| counted.beyond(median, t, true), rank);
        let core = [0.25, 0.5].map(|level| at(counted.len() * (1.0 - level)));
        let beyond = |t: f64| counted.beyond(median, t, both);
        let largest = at_ranks(beyond, counted.farthest(median, both), ranks.as_ref()?);
        Some(Tail { one_sided: kind.one_sided, median, core, largest })
    });
    Strengths {
        tails: tails.collect(),
        largest: at_ranks(beyond, farthest().fold(f64::NEG_INFINITY, f64::max), &ranks.of_all),
        reaching: (0..THRESHOLDS).map(|i| beyond(threshold(i)).round() as u32).collect(),
    }
}

/// The distances at ascending ranks, the first of which is 1; half a score lies beyond that at a rank.
fn at_ranks(beyond: impl Fn(f64) -> f64, farthest: f64, ranks: &[usize]) -> Vec<f64> {
    let distance = |rank: &usize| if *rank == 1 { farthest } else { distance_at_rank(&beyond, *rank as f64 - 0.5) };
    ranks.iter().map(distance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::order_statistics::{ascending, quantile as of_ascending};
    use crate::numeric::random;
    use crate::sparse_means::Sides;
    use crate::sparse_means::noise_states::null_rows::held;

    #[test]
    fn selection_finds_what_sorting_finds() {
        for n in [50, 51, 52, 53, 200] {
            let mut rng = random::stream(n as u64, 0);
            let z: Vec<f64> = (0..n).map(|_| f64::from((2.0 * random::standard_normal(&mut rng)) as f32)).collect();
            for sides in [Sides::Two, Sides::One] {
                let strength = |z: f64| if matches!(sides, Sides::Two) { z.abs() } else { z };
                let features = Features::new(&z, sides);
                let ranks = Ranks::new(&features);
                let found = Strengths::of(&held(&z, &features), &features, &ranks);
                let sorted = ascending(z.iter().map(|z| strength(*z)).collect());
                let largest: Vec<f64> = ranks.of_all.iter().map(|rank| sorted[n - rank]).collect();
                assert_eq!(found.largest, largest);
                let tail = &found.tails[0];
                assert!((tail.median - of_ascending(&ascending(z.clone()), 0.5)).abs() < 1e-6);
                let distances = ascending(z.iter().map(|z| (z - tail.median).abs()).collect());
                assert!((tail.core[0] - of_ascending(&distances, 0.25)).abs() < 1e-6);
                assert!((tail.core[1] - of_ascending(&distances, 0.5)).abs() < 1e-6);
                let about = ascending(z.iter().map(|z| strength(z - tail.median)).collect());
                assert!((tail.largest[1] - about[n - 2]).abs() < 1e-6);
                let counts = (0..THRESHOLDS).map(|i| sorted.iter().filter(|s| **s >= threshold(i)).count() as u32);
                assert_eq!(found.reaching, counts.collect::<Vec<u32>>());
            }
        }
    }

    #[test]
    fn a_strength_at_a_threshold_reaches_it() {
        let at: Vec<u32> = reaching((0..THRESHOLDS).map(threshold).chain([0.0, -3.0, 0.5, 1e9]));
        assert_eq!(at, (0..THRESHOLDS).map(|i| (THRESHOLDS - i + 1) as u32).collect::<Vec<u32>>());
    }

    #[test]
    fn ranks_run_from_the_largest_to_half_of_the_features() {
        let ranks = |n: usize| Ranks::new(&Features::new(&vec![0.0; n], Sides::Two));
        assert_eq!(ranks(1).of_all, [1]);
        assert_eq!((ranks(7).of_all, ranks(49).of_kinds), (vec![1, 2, 3], vec![None]));
        let many = ranks(2000);
        assert_eq!((many.of_all[..3].to_vec(), *many.of_all.last().expect("ranks")), (vec![1, 2, 3], 1000));
        assert!(many.of_kinds[0].as_ref().is_some_and(|ranks| ranks.iter().all(|k| *k <= 400) && ranks.len() > 5));
    }
}
