//! Sets of features, such as pathways: does anything in a set differ, and does it differ more than the rest?
//!
//! For a vector of scores, a is the mean over the set, c is a minus the mean over all other features, b the mean of
//! squares over the set, g the mean of |z| over the set minus that over the others. The vectors of null targets hold the
//! real correlation between the features of a set.
//!
//! | question | statistic |
//! | --- | --- |
//! | does anything differ, in one direction? | a, in standard deviations of null targets |
//! | does anything differ? | b, by its tail among null targets |
//! | more than the rest, in one direction? | c, with the variance τ² that real effects add to the scores |
//! | more than the rest? | g, likewise |
//!
//! The first two are self-contained, the others competitive (Goeman & Bühlmann 2007). With real effects the features of a
//! set are a sample of effects, so that the competitive statistics vary by τ²(1/m + 1/(K − m)) more.
//!
//! Cost: the null scores again, and 3 sums for every feature of a set and null target.

use super::Sides;
use super::null_scores::NullScores;
use crate::base::{Progress, Result};
use crate::numeric::multiple_testing::benjamini_hochberg;
use crate::numeric::special::t_two_sided;
use crate::selection::{Direction, OfEachQuestion, SetTest};
use crate::table::FeatureGroup;
use rayon::prelude::*;
use std::ops::Range;

/// Null scores that are held at a time.
const MOST_IN_A_WAVE: usize = 1 << 22;
/// Features that speak for a set.
const LEADING: usize = 10;

/// Tests sets of features whose scores are `z`; `None` for a set without a signed score, and for one that has all.
///
/// # Errors
///
/// Fails if the null scores fail, or if the user cancels.
pub(super) fn test_sets(
    z: &[f64],
    sides: Sides<'_>,
    nulls: &dyn NullScores,
    sets: &[FeatureGroup],
    progress: &mut dyn Progress,
) -> Result<Vec<Option<SetTest>>> {
    let counts: Vec<bool> = (0..z.len()).map(|i| !z[i].is_nan() && !sides.one(i)).collect();
    let all: Vec<u32> = (0..z.len() as u32).filter(|&i| counts[i as usize]).collect();
    let members: Vec<Vec<u32>> = sets
        .iter()
        .map(|set| set.members.iter().copied().filter(|&member| counts[member as usize]).collect())
        .collect();
    let mut sums = Vec::with_capacity(sets.len() + 1);
    sums.extend(members.iter().chain([&all]).map(|_| SetSums::new(1 + nulls.gate_rows())));
    add_scores(z, nulls, &members, &all, &mut sums, progress)?;
    let total = SetSums { n: all.len() as f64, ..sums.pop().unwrap_or_default() };
    let spread = EffectSpread::of(&total);
    let mut tests: Vec<Option<SetTest>> = members
        .iter()
        .zip(sums)
        .map(|(members, sums)| {
            let sums = SetSums { n: members.len() as f64, ..sums };
            (!members.is_empty() && members.len() < all.len()).then(|| test(&sums, &total, &spread))
        })
        .collect();
    for (test, members) in tests.iter_mut().zip(&members) {
        if let Some(test) = test {
            test.leading = leading(test, z, members);
        }
    }
    adjust(&mut tests);
    Ok(tests)
}

/// Sums over a set's scores, of the data and of every null target.
#[derive(Default)]
struct SetSums {
    n: f64,
    scores: Vec<f64>,
    squares: Vec<f64>,
    sizes: Vec<f64>,
}

impl SetSums {
    fn new(rows: usize) -> SetSums {
        SetSums { n: 0.0, scores: vec![0.0; rows], squares: vec![0.0; rows], sizes: vec![0.0; rows] }
    }

    /// Adds the scores of a feature, that of the data first.
    fn add(&mut self, scores: &[f64]) {
        for (r, z) in scores.iter().enumerate() {
            self.scores[r] += z;
            self.squares[r] += z * z;
            self.sizes[r] += z.abs();
        }
    }

    /// The mean of these sums over the set minus that over all other features.
    fn excess(&self, own: &[f64], total: &SetSums, all: &[f64]) -> Vec<f64> {
        own.iter().zip(all).map(|(own, all)| own / self.n - (all - own) / (total.n - self.n)).collect()
    }
}

/// Adds the scores of all features to the sums of their sets, in the order of the features; the last sums are those of all.
fn add_scores(
    z: &[f64],
    nulls: &dyn NullScores,
    members: &[Vec<u32>],
    all: &[u32],
    sums: &mut [SetSums],
    progress: &mut dyn Progress,
) -> Result<()> {
    const BLOCK: usize = 256;
    let (rows, states) = (nulls.gate_rows(), nulls.state_rows());
    let wave = (MOST_IN_A_WAVE / (rows + states).max(1)).max(BLOCK);
    for start in (0..z.len()).step_by(wave) {
        progress.step("testing sets of features", start as u64, z.len() as u64)?;
        let end = z.len().min(start + wave);
        let blocks: Vec<Range<usize>> = (start..end).step_by(BLOCK).map(|from| from..end.min(from + BLOCK)).collect();
        let fill = |columns: Range<usize>| {
            let width = columns.len();
            let (mut state, mut gate) = (vec![0.0; width * states], vec![0.0; width * rows]);
            nulls.fill(columns.clone(), &mut state, &mut gate)?;
            // a missing null score counts as 0
            let of_feature = |at: usize| {
                let null = (0..rows).map(|r| gate[r * width + at]);
                std::iter::once(z[columns.start + at]).chain(null).map(|z| if z.is_nan() { 0.0 } else { z }).collect()
            };
            Ok((0..width).map(of_feature).collect::<Vec<Vec<f64>>>())
        };
        let scores: Vec<Vec<f64>> =
            blocks.into_par_iter().map(fill).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        let sets: Vec<&[u32]> = members.iter().map(Vec::as_slice).chain([all]).collect();
        sums.par_iter_mut().zip(sets).for_each(|(sums, members)| {
            let from = members.partition_point(|&member| (member as usize) < start);
            let here = members[from..].iter().map(|&member| member as usize).take_while(|&member| member < end);
            here.for_each(|member| sums.add(&scores[member - start]));
        });
    }
    Ok(())
}

/// The variances that real effects add to the scores and to their sizes: τ².
struct EffectSpread {
    scores: f64,
    sizes: f64,
}

impl EffectSpread {
    fn of(total: &SetSums) -> EffectSpread {
        let variance = |sum: f64, square: f64| (square - sum * sum / total.n) / (total.n - 1.0);
        let added = |sums: &[f64]| {
            let variances: Vec<f64> = sums.iter().zip(&total.squares).map(|(sum, sq)| variance(*sum, *sq)).collect();
            (variances[0] - mean(&variances[1..])).max(0.0)
        };
        EffectSpread { scores: added(&total.scores), sizes: added(&total.sizes) }
    }
}

/// The test of a set by its sums and those of all features.
fn test(set: &SetSums, total: &SetSums, spread: &EffectSpread) -> SetTest {
    let of_set = |sums: &[f64]| sums.iter().map(|sum| sum / set.n).collect::<Vec<f64>>();
    let (means, squares) = (of_set(&set.scores), of_set(&set.squares));
    let excess = set.excess(&set.scores, total, &total.scores);
    let sizes = set.excess(&set.sizes, total, &total.sizes);
    let rows = means.len() as f64 - 1.0;
    let uneven = 1.0 / set.n + 1.0 / (total.n - set.n);
    let direction = distance(&means, 1.0 + 1.0 / rows, 0.0);
    let competitive = distance(&excess, 1.0 + 1.0 / rows, spread.scores * uneven);
    let (centre, sd) = (mean(&sizes[1..]), variance(&sizes[1..]).sqrt());
    let null_sizes: Vec<f64> = sizes[1..].iter().map(|g| (g - centre) / sd).collect();
    let p = OfEachQuestion {
        direction: known(t_two_sided(direction, rows - 1.0)),
        mixed: known(tail(&squares[1..], squares[0])),
        competitive_direction: known(t_two_sided(competitive, rows - 1.0)),
        competitive_mixed: known(tail(&null_sizes, distance(&sizes, 1.0, spread.sizes * uneven))),
    };
    let side = if direction >= 0.0 { Direction::Up } else { Direction::Down };
    SetTest::new(set.n as usize, side, means[0], p)
}

/// A statistic's distance from those of null targets, in standard deviations: their variance times `factor`, and `more`.
fn distance(statistics: &[f64], factor: f64, more: f64) -> f64 {
    let null = &statistics[1..];
    (statistics[0] - mean(null)) / (variance(null) * factor + more).sqrt()
}

/// The probability of a value at least as large under null targets with these: by rank among the lower four fifths, else
/// by an exponential tail whose scale is known from the fifth above only (predictive, so that it is never too short).
fn tail(null: &[f64], value: f64) -> f64 {
    let rows = null.len();
    if value.is_nan() || null.iter().any(|t| t.is_nan()) {
        return f64::NAN;
    }
    let mut sorted = null.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let k = rows / 5;
    let start = sorted[k];
    let above: f64 = sorted[..k].iter().map(|t| t - start).sum();
    if value <= start || above == 0.0 {
        return (1.0 + null.iter().filter(|t| **t >= value).count() as f64) / (rows as f64 + 1.0);
    }
    (k as f64 + 1.0) / (rows as f64 + 1.0) * (1.0 + (value - start) / above).powf(-(k as f64))
}

/// The q-values of all sets, each question by itself.
fn adjust(tests: &mut [Option<SetTest>]) {
    type Answer = fn(&mut OfEachQuestion) -> &mut Option<f64>;
    let questions: [Answer; 4] = [
        |of| &mut of.direction,
        |of| &mut of.mixed,
        |of| &mut of.competitive_direction,
        |of| &mut of.competitive_mixed,
    ];
    for answer in questions {
        let p: Vec<f64> = tests.iter_mut().flatten().filter_map(|test| *answer(&mut test.p)).collect();
        let mut q = benjamini_hochberg(&p).into_iter();
        for test in tests.iter_mut().flatten() {
            *answer(&mut test.q) = answer(&mut test.p).and_then(|_| q.next());
        }
    }
}

/// The members with the strongest scores, in the set's direction unless the mixed test says more.
fn leading(test: &SetTest, z: &[f64], members: &[u32]) -> Vec<u32> {
    let one_way = test.p.direction.unwrap_or(1.0) <= test.p.mixed.unwrap_or(1.0);
    let fits = |z: f64| !one_way || (z > 0.0) == (test.direction == Direction::Up);
    let mut strongest: Vec<u32> = members.iter().copied().filter(|&member| fits(z[member as usize])).collect();
    strongest.sort_by(|&a, &b| z[b as usize].abs().total_cmp(&z[a as usize].abs()));
    strongest.truncate(LEADING);
    strongest
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The variance about the mean, by one less than their number.
fn variance(values: &[f64]) -> f64 {
    let middle = mean(values);
    values.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

fn known(p: f64) -> Option<f64> {
    (!p.is_nan()).then_some(p)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::base::Silent;
    use crate::numeric::random;
    use crate::sparse_means::null_scores::HeldNullScores;

    fn tested(z: &[f64], null: Vec<Vec<f64>>, sets: &[Vec<u32>]) -> Vec<Option<SetTest>> {
        let nulls = HeldNullScores { states: vec![], gate: null };
        let group = |members: &Vec<u32>| FeatureGroup { name: String::new(), members: members.clone() };
        test_sets(z, Sides::Two, &nulls, &sets.iter().map(group).collect::<Vec<_>>(), &mut Silent).unwrap()
    }

    fn close(found: f64, wanted: f64, place: &str) {
        assert!((found - wanted).abs() <= 1e-10 * wanted.abs().max(1.0), "{place}: {found} {wanted}");
    }

    #[test]
    fn sets_agree_with_the_reference() {
        for name in ["sets_independent", "sets_correlated"] {
            let path = format!("{}/tests/fixtures/oracle/designs2/{name}.json", env!("CARGO_MANIFEST_DIR"));
            let file: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            let numbers = |v: &serde_json::Value| -> Vec<f64> { serde_json::from_value(v.clone()).unwrap() };
            let null = file["Z"].as_array().unwrap().iter().map(numbers).collect();
            let mut sets: Vec<Vec<u32>> = serde_json::from_value(file["sets"].clone()).unwrap();
            sets.iter_mut().for_each(|set| set.sort_unstable());
            for (at, test) in tested(&numbers(&file["z"]), null, &sets).into_iter().enumerate() {
                let test = test.unwrap();
                let wanted = |key: &str| file["expected"][key][at].as_f64().unwrap();
                close(test.mean_score, wanted("mean"), name);
                assert_eq!(test.direction == Direction::Up, wanted("direction_u") > 0.0);
                for (of, kind) in [(test.p, "p"), (test.q, "q")] {
                    let keys = ["direction", "mixed", "competitive_direction", "competitive_mixed"];
                    for (found, key) in of.all().into_iter().zip(keys) {
                        let key = format!("{key}_{kind}");
                        let (found, wanted) = (found.unwrap(), wanted(&key));
                        assert!((found / wanted - 1.0).abs() <= 1e-9, "{name} {key} {at}: {found} {wanted}");
                    }
                }
            }
        }
    }

    /// Scores of features in blocks of ten that share half their variance.
    fn correlated(rng: &mut impl rand::Rng, features: usize) -> Vec<f64> {
        let blocks: Vec<f64> = (0..features.div_ceil(10)).map(|_| random::standard_normal(rng)).collect();
        (0..features).map(|i| 0.5_f64.sqrt() * (blocks[i / 10] + random::standard_normal(rng))).collect()
    }

    #[test]
    fn correlated_sets_of_noise_keep_their_level_and_effects_are_seen() {
        let mut rng = random::stream(7, 0);
        let sets: Vec<Vec<u32>> = (0..10).map(|s| (20 * s..20 * s + 20).collect()).collect();
        let (mut below, mut seen) = ([0; 4], [0; 4]);
        let tables = 60;
        for _ in 0..tables {
            let mut z = correlated(&mut rng, 400);
            let null: Vec<Vec<f64>> = (0..99).map(|_| correlated(&mut rng, 400)).collect();
            for test in tested(&z, null.clone(), &sets).into_iter().flatten() {
                let hits = test.p.all().map(|p| usize::from(p.unwrap() < 0.05));
                below.iter_mut().zip(hits).for_each(|(sum, hit)| *sum += hit);
            }
            z[..20].iter_mut().step_by(2).for_each(|z| *z += 3.0);
            let first = tested(&z, null, &sets)[0].clone().unwrap();
            assert!(first.leading.iter().all(|&at| at < 20) && first.direction == Direction::Up);
            seen.iter_mut().zip(first.p.all()).for_each(|(sum, p)| *sum += usize::from(p.unwrap() < 0.05));
        }
        // 600 sets: .05 ± .009
        assert!(below.iter().all(|&n| (12..=50).contains(&n)), "{below:?}");
        assert!(seen.iter().all(|&n| n >= tables / 2), "{seen:?}");
    }

    #[test]
    fn sets_without_scores_and_of_everything_are_not_tested() {
        let null = vec![vec![0.5; 3], vec![1.0, -1.0, 0.3], vec![0.1, 0.7, -2.0]];
        let found = tested(&[1.0, f64::NAN, 2.0], null, &[vec![0, 2], vec![1], vec![0]]);
        assert!(found[0].is_none() && found[1].is_none() && found[2].is_some());
    }
}
