//! What `snbl` promises about tables, in small: fixed seeds, wide bounds. `bench/run calibration` is the whole.

use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use tamis::base::Auto;
use tamis::numeric::random;
use tamis::selection::Selection;
use tamis::table::Target;
use tamis::{Context, Selector, Snbl, SparseMeans, Table};

const ROWS: usize = 40;
const FEATURES: usize = 300;

/// How the noise of features is shared.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    Independent,
    /// Blocks of 30, ρ = .8.
    Blocks,
    /// Two factors with loadings N(0, .7²).
    Factors,
}

const NOISES: [Noise; 3] = [Noise::Independent, Noise::Blocks, Noise::Factors];

/// How many standard deviations of noise a feature's two classes lie apart.
type Effects = fn(usize) -> f64;

fn none(_: usize) -> f64 {
    0.0
}

/// Expected scores near ±5 of the first twenty features.
fn twenty(j: usize) -> f64 {
    if j < 20 { 1.6 * sign(j) } else { 0.0 }
}

/// Expected scores of all sizes up to ±5 of the first 120 features.
fn graded(j: usize) -> f64 {
    if j < 120 { 1.6 * sign(j) * (j + 1) as f64 / 120.0 } else { 0.0 }
}

fn sign(j: usize) -> f64 {
    1.0 - 2.0 * (j % 2) as f64
}

/// Two classes of 20.
fn table(noise: Noise, effects: Effects, run: u64) -> Table {
    let mut rng = random::stream(500 + noise as u64, run);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut vectors = |n: usize| (0..n).map(|_| (0..ROWS).map(|_| normal()).collect()).collect::<Vec<Vec<f64>>>();
    let factors = match noise {
        Noise::Independent => vec![],
        Noise::Blocks => vectors(FEATURES / 30),
        Noise::Factors => vectors(2),
    };
    let mut columns = vectors(FEATURES);
    for (j, column) in columns.iter_mut().enumerate() {
        let loadings = [0.7 * normal(), 0.7 * normal()];
        let deviation = (1.0 + loadings.iter().map(|l| l * l).sum::<f64>()).sqrt();
        for (r, x) in column.iter_mut().enumerate() {
            *x = match noise {
                Noise::Independent => *x,
                Noise::Blocks => 0.8_f64.sqrt() * factors[j / 30][r] + 0.2_f64.sqrt() * *x,
                Noise::Factors => (*x + loadings[0] * factors[0][r] + loadings[1] * factors[1][r]) / deviation,
            };
            *x += if r % 2 == 1 { effects(j) } else { 0.0 };
        }
    }
    let codes = (0..ROWS).map(|r| (r % 2) as u32).collect();
    let target = Target::of_codes(vec!["a".into(), "b".into()], codes, 1).unwrap();
    Table::new((0..FEATURES).map(|j| format!("f{j}")).collect(), columns, "y", target).unwrap()
}

/// Selects with a tenth of the noise tables allowed to name something, which takes few null targets.
fn select(noise: Noise, effects: Effects, run: u64, permutations: usize) -> Selection {
    let means = SparseMeans { quiet: 0.9, permutations: Auto::Set(permutations), ..SparseMeans::default() };
    let snbl = Snbl { means, ..Snbl::default() };
    snbl.select(&table(noise, effects, run).view(), &mut Context::seeded(run)).unwrap()
}

fn selections(noise: Noise, effects: Effects, runs: u64) -> Vec<Selection> {
    (0..runs).into_par_iter().map(|run| select(noise, effects, run, 39)).collect()
}

#[test]
fn noise_stays_quiet_however_its_features_are_correlated() {
    for noise in NOISES {
        let named = selections(noise, none, 40).iter().filter(|s| !s.selected.is_empty()).count();
        // four of 40 are expected at most
        assert!(named <= 9, "{noise:?}: {named} of 40");
    }
}

#[test]
fn without_null_targets_correlated_noise_is_named() {
    let named = |permutations: usize| {
        let loud = |run: &u64| !select(Noise::Blocks, none, *run, permutations).selected.is_empty();
        (0..40_u64).into_par_iter().filter(loud).count()
    };
    let (with, without) = (named(39), named(0));
    assert!(with < without, "{with} with null targets, {without} without");
}

#[test]
fn a_tenth_of_the_named_features_is_false_at_most() {
    for noise in NOISES {
        let (mut right, mut share, mut said) = (0, 0.0, 0.0);
        for selection in selections(noise, twenty, 24) {
            let wrong = selection.selected.iter().filter(|&&j| j >= 20).count();
            let named = selection.selected.len().max(1) as f64;
            right += selection.selected.len() - wrong;
            share += wrong as f64 / named / 24.0;
            said += selection.expected_false.unwrap() / named / 24.0;
        }
        assert!(right > 19 * 24, "{noise:?}: {right} of 480 found");
        // with this few tables the mean share has a standard error near .02
        assert!(said <= 0.1 && share < 0.14 && share < said + 0.1, "{noise:?}: {share} false, {said} expected");
    }
}

#[test]
fn the_interval_holds_the_number_of_features_that_matter() {
    for noise in NOISES {
        for (effects, matter) in [(none as Effects, 0), (twenty, 20)] {
            // an interval that says nothing is not given
            let holds = |s: &Selection| {
                s.n_expected_95.is_none_or(|[low, high]| (low..=high).contains(&matter))
                    && s.at_least_95.is_some_and(|least| least <= matter)
            };
            let selections = selections(noise, effects, 20);
            let held = selections.iter().filter(|s| holds(s)).count();
            assert!(held >= 17, "{noise:?}, {matter} matter: {held} of 20");
            let least: u64 = selections.iter().filter_map(|s| s.at_least_95).sum();
            assert_eq!(matter > 0, least > 12 * 20, "{noise:?}, {matter} matter: at least {least} in 20 tables");
        }
    }
}

#[test]
fn probabilities_are_shares_of_the_truth() {
    let (mut count, mut right, mut sum) = ([0_u32; 3], [0_u32; 3], [0.0; 3]);
    for noise in NOISES {
        for selection in selections(noise, graded, 16) {
            for (j, probability) in selection.probabilities.unwrap().into_iter().enumerate() {
                let bin = [0.5, 0.9].iter().filter(|edge| probability >= **edge).count();
                count[bin] += 1;
                right[bin] += u32::from(selection.scores[j] * graded(j) > 0.0);
                sum[bin] += probability;
            }
        }
    }
    let share = |bin: usize| f64::from(right[bin]) / f64::from(count[bin]);
    let mean = |bin: usize| sum[bin] / f64::from(count[bin]);
    assert!(count[2] > 300 && (share(2) - mean(2)).abs() < 0.05, "{count:?} {right:?} {sum:?}");
    for bin in [0, 1] {
        assert!((share(bin) - mean(bin)).abs() < 0.12, "{count:?} {right:?} {sum:?}");
    }
}
