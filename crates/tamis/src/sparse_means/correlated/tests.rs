use super::*;
use crate::base::Context;
use crate::fixtures::{numbers, oracle};
use crate::numeric::random;
use crate::selection::detail::GateTest;
use crate::sparse_means::{Curves, Posterior, SparseMeans, how_many_matter, scalings, sort};
use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("rows").iter().map(numbers).collect()
}

fn judged(z: &[f64], sides: Sides<'_>, nulls: &dyn NullScores, quiet: f64) -> Calibration {
    let judgement = Judgement { quiet, null: Null::Theoretical, residual_dimension: 1000 };
    calibrate(z, sides, nulls, &judgement, &mut Context::default()).expect("calibrates")
}

fn answer(z: &[f64], nulls: &dyn NullScores, quiet: f64) -> Posterior {
    let means = SparseMeans { quiet, ..SparseMeans::default() };
    means.fit_with_nulls(z, Sides::Two, nulls, 1000, Curves::Drawn, &mut Context::default()).expect("fits")
}

/// The ends of the interval for |μ| > 1 before the gate and before rounding.
fn ends(z: &[f64], calibration: &Calibration) -> [f64; 2] {
    let (sorted, order) = sort(&calibration.standardised);
    how_many_matter::ends(&scalings(z, &sorted, &order, Sides::Two, Some(calibration)), 1.0)
}

#[test]
fn null_scores_meet_every_fixture() {
    let mut met = vec![];
    for (name, file) in oracle("honest_count") {
        if file.get("Zgate").is_none() {
            continue;
        }
        let (z, quiet, want) = (numbers(&file["z"]), file["quiet"].as_f64().expect("a share"), &file["expect"]);
        let nulls = HeldNullScores { calibration: rows(&file["Z"]), gate: rows(&file["Zgate"]) };
        let got = judged(&z, Sides::Two, &nulls, quiet);
        let close = |value: f64, key: &str| {
            let (want, within) = (want[key].as_f64().expect("a number"), &file["tolerance"][key]);
            assert!((value - want).abs() <= within.as_f64().expect("a number"), "{name}, {key}: {value} for {want}");
        };
        close(got.correlation.a, "a");
        close(got.correlation.b, "b");
        close(got.correlation.w0, "w0");
        close(got.correlation.phi, "phi");
        close(got.guard.expect("a guard"), "limit");
        for (got, want) in got.standardised.iter().zip(numbers(&want["standardised_first"])) {
            assert!((got - want).abs() < 1e-8, "{name}: {got} for {want}");
        }
        let exceedances = got.gate.exceedances.expect("null targets");
        if let Some(exceed) = want["exceed"].as_u64() {
            assert_eq!(exceedances.maximum as u64, exceed, "{name}");
        }
        let posterior = answer(&z, &nulls, quiet);
        let gate = posterior.detail.gate.expect("a gate");
        assert_eq!(gate.passed, want["open"].as_bool().expect("a decision"), "{name}");
        if name.starts_with("gate_by_gain") {
            assert_eq!(gate.by, Some(GateTest::Gain));
        }
        close(posterior.n_expected, "n_expected");
        let mut named: Vec<u64> = posterior.selected.iter().map(|i| u64::from(*i)).collect();
        named.sort_unstable();
        assert_eq!(named, serde_json::from_value::<Vec<u64>>(want["named"].clone()).expect("a list"), "{name}");
        let ends = ends(&z, &got);
        let within = file["tolerance"]["ends"].as_f64().expect("a number");
        for (got, want) in ends.iter().zip(numbers(&want["ends"])) {
            assert!((got - want).abs() <= within, "{name}: {got} for {want}");
        }
        let interval: [u64; 2] = serde_json::from_value(want["interval"].clone()).expect("two counts");
        assert_eq!(posterior.n_expected_95, Some(interval), "{name}");
        met.push(name);
    }
    assert!(met.len() >= 4, "{met:?}");
}

/// Scores of noise with a common factor, and effects on the first few.
fn drawn(seed: u64, features: usize, rows: usize, common: f64) -> Vec<Vec<f64>> {
    let mut rng = random::stream(seed, 77);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let row = |_| {
        let shared = normal();
        (0..features).map(|_| common.sqrt() * shared + (1.0 - common).sqrt() * normal()).collect()
    };
    (0..rows).map(row).collect()
}

fn table(seed: u64, features: usize, common: f64, effects: usize) -> (Vec<f64>, HeldNullScores) {
    let mut all = drawn(seed, features, 1 + 39 + 39, common);
    let gate = all.split_off(40);
    let calibration = all.split_off(1);
    let mut z = all.remove(0);
    z.iter_mut().take(effects).for_each(|z| *z += 5.0);
    (z, HeldNullScores { calibration, gate })
}

#[test]
fn independent_noise_is_left_as_it_is() {
    let (z, nulls) = table(1, 600, 0.0, 20);
    let got = judged(&z, Sides::Two, &nulls, 0.9);
    assert_eq!((got.correlation.a, got.correlation.b, got.correlation.phi), (0.0, 0.0, 1.0));
    assert_eq!(got.standardised, z);
    assert!(got.gate.passed && got.gate.by == Some(GateTest::Maximum));
    assert!(got.guard.is_some_and(|limit| limit > 2.0 && limit < 5.0), "{:?}", got.guard);
}

#[test]
fn a_common_factor_is_taken_off() {
    let (z, nulls) = table(2, 600, 0.5, 20);
    let got = judged(&z, Sides::Two, &nulls, 0.9);
    assert!(got.correlation.b > 0.9 && got.correlation.w0 < 0.8, "{:?}", got.correlation);
    assert!((got.correlation.centre_deviation - 0.7).abs() < 0.2);
    assert!(got.correlation.band.high.iter().zip(&got.correlation.band.low).all(|(high, low)| high >= low));
}

#[test]
fn neither_order_nor_missing_features_nor_threads_change_the_answer() {
    let (z, nulls) = table(3, 300, 0.3, 10);
    let plain = judged(&z, Sides::Two, &nulls, 0.9);
    // a missing feature in front: its null scores count nowhere
    let with = |row: &Vec<f64>| [&[9.0], &row[..]].concat();
    let longer = HeldNullScores {
        calibration: nulls.calibration.iter().map(with).collect(),
        gate: nulls.gate.iter().map(with).collect(),
    };
    let missing = judged(&[&[f64::NAN], &z[..]].concat(), Sides::Two, &longer, 0.9);
    assert!(missing.standardised[0].is_nan());
    assert_eq!(missing.standardised[1..], plain.standardised);
    assert_eq!((missing.guard, missing.correlation.phi), (plain.guard, plain.correlation.phi));
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let again = pool.install(|| judged(&z, Sides::Two, &nulls, 0.9));
        assert_eq!(again.standardised, plain.standardised);
        assert_eq!((again.guard, again.gate), (plain.guard, plain.gate));
    }
}

#[test]
fn all_one_sided_flags_say_the_same_as_one_sided_scores() {
    let (z, nulls) = table(4, 200, 0.3, 10);
    let one = judged(&z, Sides::One, &nulls, 0.9);
    let flags = judged(&z, Sides::Mixed(&vec![true; z.len()]), &nulls, 0.9);
    assert_eq!((one.guard, one.correlation.phi), (flags.guard, flags.correlation.phi));
    let two = judged(&z, Sides::Mixed(&vec![false; z.len()]), &nulls, 0.9);
    assert_eq!(two.guard, judged(&z, Sides::Two, &nulls, 0.9).guard);
}

#[test]
fn counted_scores_answer_like_held_ones() {
    let n = 20_000;
    let held = drawn(5, n, 12, 0.2);
    let flags: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
    let features = Features::new(&held[0], Sides::Mixed(&flags));
    let (mut exact, mut counted) = (vec![], vec![]);
    for row in held {
        let mut count = Row::counted();
        count.extend(&row, 0, 0, &features);
        counted.push(count);
        exact.push(Row::Held(row));
    }
    let judgement = Judgement { quiet: 0.9, null: Null::Theoretical, residual_dimension: 100 };
    let [a, b] = [&exact, &counted].map(|rows| {
        let shapes = conditional_null::shapes(&rows[1..]);
        let null = ConditionalNull::learn(&shapes, n, &judgement);
        let scalings: Vec<Scaling> = shapes.iter().map(|shape| null.scaling(*shape)).collect();
        let phi = overdispersion::phi(&rows[1..], &scalings, &features, null.beyond);
        let own = (&exact[0], null.scaling_of(&exact[0]));
        let limit = guard::limit(&rows[1..], &scalings, own, &features).expect("null scores");
        (null.a, null.b, phi, limit)
    });
    assert!((a.0 - b.0).abs() < 1e-3 && (a.1 - b.1).abs() < 1e-5, "{a:?} {b:?}");
    assert!((a.2 / b.2 - 1.0).abs() < 1e-3, "{a:?} {b:?}");
    assert!(a.3 == b.3 || (a.3 - b.3).abs() < 0.02, "{a:?} {b:?}");
}

/// The definitions written down plainly, for a table with both kinds of scores.
mod by_definition {
    pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    pub(super) fn quantile(values: &[f64], level: f64) -> f64 {
        let (v, x) = (sorted(values), level * (values.len() - 1) as f64);
        let i = x as usize;
        if i + 1 == v.len() { v[i] } else { v[i] * (1.0 - x.fract()) + v[i + 1] * x.fract() }
    }

    pub(super) fn variance(values: &[f64]) -> f64 {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (values.len() - 1) as f64
    }

    /// Median and MAD/0.67449.
    pub(super) fn shape(row: &[f64]) -> (f64, f64) {
        let centre = quantile(row, 0.5);
        let deviations: Vec<f64> = row.iter().map(|z| (z - centre).abs()).collect();
        (centre, quantile(&deviations, 0.5) / 0.67449)
    }

    pub(super) fn strengths(row: &[f64], one: &[bool]) -> Vec<f64> {
        row.iter().zip(one).map(|(z, one)| if *one { *z } else { z.abs() }).collect()
    }

    /// S_r of standardised scores.
    pub(super) fn statistic(row: &[f64], one: &[bool]) -> f64 {
        let term = |(z, one): (&f64, &bool)| if *one { (z - 0.5).exp() } else { (-0.5_f64).exp() * z.cosh() };
        row.iter().zip(one).map(|pair| term(pair) - 1.0).sum()
    }

    /// a_k* of standardised scores `own` beside those of null targets.
    pub(super) fn guard(own: &[f64], nulls: &[Vec<f64>], one: &[bool]) -> f64 {
        let mut ranked = sorted(&strengths(own, one));
        ranked.reverse();
        let passes = |k: &usize| {
            let as_strong = |row: &Vec<f64>| strengths(row, one).iter().filter(|s| **s >= ranked[k - 1]).count();
            let mut counts: Vec<usize> = nulls.iter().map(as_strong).collect();
            counts.sort_unstable();
            counts[(0.9 * (counts.len() - 1) as f64).ceil() as usize] as f64 <= *k as f64 / 5.0
        };
        (1..=own.len()).rev().find(passes).map_or(f64::INFINITY, |k| ranked[k - 1])
    }
}

#[test]
fn both_kinds_of_scores_follow_the_definitions() {
    use by_definition::{guard, quantile, shape, statistic, variance};
    let (z, nulls) = table(7, 90, 0.4, 25);
    let one: Vec<bool> = (0..z.len()).map(|i| i % 2 == 0).collect();
    let k = z.len() as f64;
    let (d, s): (Vec<f64>, Vec<f64>) = nulls.calibration.iter().map(|row| shape(row)).unzip();
    // a space of residuals of dimension 7 has 27 degrees of freedom, fewer than there are rows
    let beyond = 1.0 + 2.0 * (2.0 / 27.0_f64).sqrt();
    let share = |v: f64| if v > beyond { 1.0 - 1.0 / v } else { 0.0 };
    let b = share(variance(&d) * k * 2.0 / std::f64::consts::PI);
    let a = share(variance(&s.iter().map(|s| s.ln()).collect::<Vec<_>>()) * k / 1.36);
    let standardised = |row: &[f64]| {
        let (centre, width) = shape(row);
        let shift = b * centre.max(quantile(&d, 0.025)).min(quantile(&d, 0.975));
        let divisor = width.powf(a).max(1.0).min(quantile(&s, 0.95).max(1.0));
        row.iter().map(|z| (z - shift) / divisor).collect::<Vec<f64>>()
    };
    let null: Vec<Vec<f64>> = nulls.calibration.iter().map(|row| standardised(row)).collect();
    let statistics: Vec<f64> = null.iter().map(|row| statistic(row, &one)).collect();
    let phi = variance(&statistics) / (45.0 * (1_f64.exp() - 1.0) + 45.0 * (1_f64.cosh() - 1.0));
    let own = standardised(&z);

    let judgement = Judgement { quiet: 0.9, null: Null::Theoretical, residual_dimension: 7 };
    let got = calibrate(&z, Sides::Mixed(&one), &nulls, &judgement, &mut Context::default()).expect("calibrates");
    let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-9, "{x} {y}");
    near(got.correlation.a, a);
    near(got.correlation.b, b);
    near(got.correlation.phi, if phi > beyond { phi } else { 1.0 });
    near(got.guard.expect("a guard"), guard(&own, &null, &one));
    own.iter().zip(&got.standardised).for_each(|(x, y)| near(*x, *y));
    assert!(b > 0.0 && got.guard.is_some_and(f64::is_finite));
}

#[test]
fn with_the_empirical_null_neither_shift_nor_scale_of_scores_matters() {
    let (z, nulls) = table(8, 150, 0.0, 12);
    let moved = |row: &Vec<f64>| row.iter().map(|z| 2.0 * z + 1.0).collect::<Vec<f64>>();
    let apart = HeldNullScores {
        calibration: nulls.calibration.iter().map(moved).collect(),
        gate: nulls.gate.iter().map(moved).collect(),
    };
    let means = SparseMeans { quiet: 0.9, null: Null::Empirical, ..SparseMeans::default() };
    let [a, b] = [(&z, &nulls), (&moved(&z), &apart)].map(|(z, nulls)| {
        means.fit_with_nulls(z, Sides::Two, nulls, 1000, Curves::Drawn, &mut Context::default()).expect("fits")
    });
    assert!(!a.selected.is_empty());
    assert_eq!((&a.selected, a.n_expected_95), (&b.selected, b.n_expected_95));
    let facts = a.detail.correlation.expect("null targets");
    assert_eq!((facts.a, facts.b, facts.phi, facts.w0), (0.0, 0.0, 1.0, 1.0));
}

#[test]
fn rows_without_spread_are_dropped_and_none_left_leaves_no_guard() {
    let (z, mut nulls) = table(9, 100, 0.0, 5);
    let plain = judged(&z, Sides::Two, &nulls, 0.9);
    nulls.calibration.push(vec![0.0; 100]);
    let more = judged(&z, Sides::Two, &nulls, 0.9);
    assert_eq!((plain.guard, plain.correlation.phi), (more.guard, more.correlation.phi));
    nulls.calibration = vec![vec![0.0; 100]; 3];
    let none = judged(&z, Sides::Two, &nulls, 0.9);
    assert_eq!((none.guard, none.correlation.phi, none.correlation.b), (None, 1.0, 0.0));
    let missing = judged(&[f64::NAN; 100], Sides::Two, &nulls, 0.9);
    assert!(!missing.gate.passed && missing.guard.is_none());
}

#[test]
fn the_papers_priors_do_not_look_at_null_scores() {
    let (z, nulls) = table(10, 100, 0.5, 5);
    let means = SparseMeans { prior: crate::sparse_means::Prior::Kde, ..SparseMeans::default() };
    let context = &mut Context::default();
    let with = means.fit_with_nulls(&z, Sides::Two, &nulls, 1000, Curves::Drawn, context).expect("fits");
    let without = means.fit(&z, context).expect("fits");
    assert_eq!((with.irrelevant, with.selected), (without.irrelevant, without.selected));
}

#[test]
fn too_few_gate_rows_are_refused() {
    let (z, nulls) = table(6, 60, 0.0, 0);
    let judgement = Judgement { quiet: 0.99, null: Null::Theoretical, residual_dimension: 100 };
    let error = calibrate(&z, Sides::Two, &nulls, &judgement, &mut Context::default()).expect_err("too few");
    assert!(error.to_string().contains("199"), "{error}");
}
