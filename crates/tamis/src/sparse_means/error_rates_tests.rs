//! Promises about repeated use, in small: fixed seeds, wide bounds.

use super::null_scores::HeldNullScores;
use super::{Curves, Posterior, Sides, SparseMeans};
use crate::base::Context;
use crate::numeric::random;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// Runs for which `happens`.
fn count(runs: u64, happens: impl Fn(u64) -> bool + Sync) -> usize {
    (0..runs).into_par_iter().filter(|run| happens(*run)).count()
}

/// A source of standard normal numbers.
fn normals(purpose: u64, run: u64) -> impl FnMut() -> f64 {
    let mut rng = random::stream(run, purpose);
    move || StandardNormal.sample(&mut rng)
}

fn fit(means: &SparseMeans, z: &[f64]) -> Posterior {
    means.fit_sides(z, Sides::Two, Curves::LeftOut, &mut Context::default()).expect("fits")
}

#[test]
fn independent_noise_stays_quiet() {
    // at 0.99 two of 200 are expected, at 0.9 twenty
    for (quiet, most) in [(0.99, 7), (0.9, 34)] {
        let named = count(200, |run| {
            let mut draw = normals(101, run);
            let z: Vec<f64> = (0..150).map(|_| draw()).collect();
            !fit(&SparseMeans { quiet, ..SparseMeans::default() }, &z).selected.is_empty()
        });
        assert!(named <= most, "quiet {quiet}: {named} of 200");
    }
}

#[test]
fn the_interval_holds_the_true_number() {
    /// The effect of feature i of n, from a standard normal number.
    type Effect = fn(usize, usize, f64) -> f64;
    let cells: [(&str, usize, Effect); 5] = [
        ("noise", 100, |_, _, _| 0.0),
        ("2 % at 3", 100, |i, n, _| if 50 * i < n { 3.0 } else { 0.0 }),
        ("40 % at ±1.05", 400, |i, n, x| if 5 * i < 2 * n { 1.05 * x.signum() } else { 0.0 }),
        ("10 % from N(0, 4)", 2000, |i, n, x| if 10 * i < n { 2.0 * x } else { 0.0 }),
        ("2 % at ±4 beside small effects", 1000, |i, n, x| if 50 * i < n { 4.0 * x.signum() } else { 0.4 * x }),
    ];
    for (name, n, effect) in cells {
        let held = count(20, |run| {
            let mut draw = normals(102, run);
            let effects: Vec<f64> = (0..n).map(|i| effect(i, n, draw())).collect();
            let z: Vec<f64> = effects.iter().map(|effect| effect + draw()).collect();
            let fitted = SparseMeans::default().fit(&z, &mut Context::default()).expect("fits").differ;
            let beyond = |limit: f64| effects.iter().filter(|effect| effect.abs() > limit).count() as u64;
            let holds =
                |interval: Option<[u64; 2]>, truth| interval.is_none_or(|[low, high]| (low..=high).contains(&truth));
            let others = effects.iter().filter(|effect| **effect != 0.0).count() as u64;
            holds(fitted.interval, beyond(1.0))
                && holds(fitted.strong_interval, beyond(2.0))
                && fitted.at_least.is_some_and(|least| least <= others)
        });
        assert!(held >= 17, "{name}: {held} of 20");
    }
}

#[test]
fn as_many_named_features_are_false_as_is_said() {
    let (mut named, mut wrong, mut said) = (0, 0, 0.0);
    for run in 0..12 {
        let mut draw = normals(103, run);
        let z: Vec<f64> = (0..1000).map(|i| draw() + if i < 40 { 3.5 } else { 0.0 }).collect();
        let got = fit(&SparseMeans::default(), &z);
        named += got.selected.len();
        wrong += got.selected.iter().filter(|i| **i >= 40).count();
        said += got.expected_false;
    }
    let (share, said) = (wrong as f64 / named as f64, said / named as f64);
    assert!(named > 250 && said <= 0.1 && share < said + 0.06, "{named} named, {share} false, {said} expected");
}

/// Scores in blocks of 20 that share noise.
fn blocks(draw: &mut impl FnMut() -> f64, features: usize, correlation: f64) -> Vec<f64> {
    let mut shared = 0.0;
    let score = |i: usize| {
        if i.is_multiple_of(20) {
            shared = draw();
        }
        correlation.sqrt() * shared + (1.0 - correlation).sqrt() * draw()
    };
    (0..features).map(score).collect()
}

#[test]
fn noise_in_blocks_stays_quiet_with_null_scores() {
    let means = SparseMeans { quiet: 0.9, ..SparseMeans::default() };
    let named = |run: u64, with_nulls: bool| {
        let mut draw = normals(104, run);
        let mut rows = |n: usize| (0..n).map(|_| blocks(&mut draw, 120, 0.8)).collect::<Vec<_>>();
        let z = rows(1).remove(0);
        if !with_nulls {
            return !fit(&means, &z).selected.is_empty();
        }
        let nulls = HeldNullScores { states: rows(39), gate: rows(39) };
        let context = &mut Context::default();
        let got = means.fit_with_nulls(&z, Sides::Two, &nulls, 80, Curves::LeftOut, context).expect("fits");
        !got.selected.is_empty()
    };
    let (with, without) = (count(40, |run| named(run, true)), count(40, |run| named(run, false)));
    // four of 40 are expected at most
    assert!(with <= 9 && with < without, "{with} with null scores, {without} without");
}

#[test]
fn intervals_of_effects_hold_them() {
    let cells: [fn(usize, f64) -> f64; 3] = [
        |i, x| if i % 10 == 0 { 3.0 * x } else { 0.0 },
        |i, x| if i % 20 == 0 { 4.0 + 0.5 * x } else { 0.3 * x },
        |_, x| 2.0 * x,
    ];
    for (cell, effect) in cells.into_iter().enumerate() {
        let mut draw = normals(110, cell as u64);
        let effects: Vec<f64> = (0..4000).map(|i| effect(i, draw())).collect();
        let z: Vec<f64> = effects.iter().map(|effect| effect + draw()).collect();
        let fitted =
            SparseMeans::default().fit_sides(&z, Sides::Two, Curves::DrawnWithIntervals, &mut Context::default());
        let Posterior { effects: means, effects_95, .. } = fitted.expect("fits");
        let [low, high] = effects_95.expect("was asked for");
        let held = (0..z.len()).filter(|&i| low[i] <= effects[i] && effects[i] <= high[i]).count();
        assert!(held >= 3760, "cell {cell}: {held} of 4000");
        let width = (0..z.len()).map(|i| high[i] - low[i]).sum::<f64>() / 4000.0;
        assert!(width < 3.7, "cell {cell}: {width} where scores alone give 3.92");
        assert!((0..z.len()).all(|i| low[i] <= means[i] && means[i] <= high[i]), "cell {cell}");
    }
}
