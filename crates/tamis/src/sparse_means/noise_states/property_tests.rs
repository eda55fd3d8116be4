//! What must hold for every table.

use super::{Naming, Noise, NoiseStates, explain};
use crate::base::{Error, Progress, Silent};
use crate::numeric::random;
use crate::selection::Unsaid;
use crate::sparse_means::Curves;
use crate::sparse_means::Sides;
use crate::sparse_means::null_scores::HeldNullScores;

const NAMING: Naming = Naming { fdr: 0.1, quiet: 0.99 };

/// Scores of a table with its null rows; noise differs from row to row in centre and width.
#[derive(Clone)]
struct Drawn {
    z: Vec<f64>,
    nulls: HeldNullScores,
}

/// The first `effects` of the features have effects of about ±`size`.
fn drawn(features: usize, effects: usize, size: f64, seed: u64) -> Drawn {
    let row = |r: u64| -> Vec<f64> {
        let mut rng = random::stream(seed, r);
        let (centre, width) = (0.3 * random::standard_normal(&mut rng), 0.2 * random::standard_normal(&mut rng));
        (0..features).map(|_| centre + f64::exp(width) * random::standard_normal(&mut rng)).collect()
    };
    let mut z = row(0);
    z[..effects].iter_mut().enumerate().for_each(|(i, z)| *z += if i % 3 == 0 { -size } else { size });
    let rows = |from: u64| (from..from + 99).map(row).collect();
    Drawn { z, nulls: HeldNullScores { states: rows(1), gate: rows(1000) } }
}

impl Drawn {
    fn with(&self, of: impl Fn(&[f64]) -> Vec<f64>) -> Drawn {
        let rows = |rows: &[Vec<f64>]| rows.iter().map(|row| of(row)).collect();
        let nulls = HeldNullScores { states: rows(&self.nulls.states), gate: rows(&self.nulls.gate) };
        Drawn { z: of(&self.z), nulls }
    }

    fn explained(&self, sides: Sides<'_>) -> Result<NoiseStates, Error> {
        let noise = Noise::Table { nulls: &self.nulls, residual_dimension: 30 };
        explain(&self.z, sides, noise, NAMING, Curves::Drawn, &mut Silent)
    }

    fn answer(&self) -> NoiseStates {
        self.explained(Sides::Two).expect("an answer")
    }
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| if a.is_nan() && b.is_nan() { 0.0 } else { (a - b).abs() }).fold(0.0, f64::max)
}

#[test]
fn planted_effects_are_named_and_the_noise_has_states() {
    let answer = drawn(400, 40, 5.0, 1).answer();
    assert!(answer.gate.open && answer.states == 198 && answer.phi >= 1.0, "{:?}", answer.gate);
    assert!(answer.dispersions[0].lambda < 0.5, "{:?}", answer.dispersions);
    let right = answer.named.iter().filter(|i| **i < 40).count();
    assert!(right >= 30 && answer.named.len() - right <= right / 5, "{right} of {}", answer.named.len());
    assert!((1..=40).contains(&answer.at_least) && (1..=answer.at_least).contains(&answer.at_least_named));
    let [one, two] = answer.matter.expect("asked for");
    assert!(one.interval[0] <= 40.0 && one.interval[1] >= 40.0 && one.unsaid.is_none(), "{one:?}");
    assert!(two.expected <= one.expected && (30.0..60.0).contains(&two.expected), "{two:?}");
    assert!((0..400).all(|i| answer.sign_errors[i] <= answer.p[i]));
    let towards = (0..40).map(|i| if i % 3 == 0 { -answer.effects[i] } else { answer.effects[i] }).sum::<f64>() / 40.0;
    assert!((3.5..6.0).contains(&towards), "{towards}");
}

#[test]
fn behind_a_shut_gate_nothing_differs() {
    let answer = drawn(400, 0, 0.0, 2).answer();
    assert!(!answer.gate.open && answer.named.is_empty() && answer.p.iter().all(|p| *p == 1.0));
    assert_eq!((answer.at_least, answer.at_least_named), (0, 0));
    assert!(answer.matter.iter().flatten().all(|how_many| how_many.unsaid == Some(Unsaid::GateShut)));
}

#[test]
fn reordering_features_reorders_the_answer() {
    let drawn = drawn(300, 30, 4.0, 3);
    let moved = |row: &[f64]| -> Vec<f64> { (0..300).map(|i| row[(i * 7 + 5) % 300]).collect() };
    let (first, second) = (drawn.answer(), drawn.with(moved).answer());
    assert!(farthest(&moved(&first.p), &second.p) < 1e-8);
    assert!(farthest(&moved(&first.effects), &second.effects) < 1e-8);
    assert_eq!((first.gate, first.at_least, first.states), (second.gate, second.at_least, second.states));
    let mut named: Vec<u32> = second.named.iter().map(|i| (i * 7 + 5) % 300).collect();
    named.sort_unstable();
    assert_eq!(first.named, named);
}

#[test]
fn changing_all_signs_mirrors_the_answer() {
    let mirror = |row: &[f64]| row.iter().map(|z| -z).collect::<Vec<f64>>();
    // smoothing moves the mirror image of a state otherwise than the state: p changes a little, and what is exact does not
    let drawn_states = drawn(300, 30, 4.0, 4);
    let (first, second) = (drawn_states.answer(), drawn_states.with(mirror).answer());
    assert_eq!((first.gate, first.at_least), (second.gate, second.at_least));
    assert!((first.phi - second.phi).abs() < 1e-9);
    assert!(farthest(&first.p, &second.p) < 0.05 && farthest(&first.effects, &mirror(&second.effects)) < 0.2);
    // independent features have one state, which is its own mirror image
    let independent = drawn(40, 4, 5.0, 5);
    let (first, second) = (independent.answer(), independent.with(mirror).answer());
    assert_eq!((first.states, second.states), (1, 1));
    assert!(farthest(&first.p, &second.p) < 1e-6 && farthest(&first.effects, &mirror(&second.effects)) < 1e-5);
    assert_eq!(first.named, second.named);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let drawn = drawn(300, 30, 4.0, 6);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| drawn.answer())
    };
    let (one, four) = (on(1), on(4));
    let bits = |answer: &NoiseStates| -> Vec<u64> {
        let ends = answer.matter.iter().flatten().flat_map(|how_many| how_many.interval);
        let all = answer.p.iter().chain(&answer.effects).chain(&answer.sign_errors).copied();
        all.chain(ends).chain([answer.phi]).map(f64::to_bits).collect()
    };
    assert_eq!(bits(&one), bits(&four));
}

#[test]
fn features_without_a_score_are_left_out() {
    let drawn = drawn(200, 20, 5.0, 7);
    let filled = |row: &[f64], missing: f64| -> Vec<f64> {
        row.iter().enumerate().flat_map(|(i, z)| if i % 9 == 4 { vec![missing, *z] } else { vec![*z] }).collect()
    };
    let mut with_missing = drawn.with(|row| filled(row, 3.0));
    with_missing.z = filled(&drawn.z, f64::NAN);
    let (without, with) = (drawn.answer(), with_missing.answer());
    let known: Vec<usize> = (0..with.p.len()).filter(|&i| !with_missing.z[i].is_nan()).collect();
    let p: Vec<f64> = known.iter().map(|&i| with.p[i]).collect();
    assert_eq!((p, with.phi, with.at_least), (without.p, without.phi, without.at_least));
    let unknown = |i: usize| with.p[i] == 1.0 && with.effects[i] == 0.0 && with.sign_errors[i].is_nan();
    assert!((0..with.p.len()).filter(|i| with_missing.z[*i].is_nan()).all(unknown));
    let nothing = Drawn { z: vec![f64::NAN; 3], nulls: HeldNullScores::default() };
    assert_eq!(nothing.answer().p, [1.0; 3]);
}

#[test]
fn a_missing_null_score_counts_as_zero() {
    let drawn = drawn(100, 10, 5.0, 8);
    let with =
        |missing: f64| drawn.with(|row| row.iter().map(|z| if *z > 2.0 && *z < 2.1 { missing } else { *z }).collect());
    let (mut absent, mut zero) = (with(f64::NAN), with(0.0));
    (absent.z, zero.z) = (drawn.z.clone(), drawn.z.clone());
    assert_eq!(absent.answer(), zero.answer());
}

#[test]
fn too_few_rows_are_refused_with_the_number_needed() {
    for constant in [false, true] {
        let mut drawn = drawn(50, 5, 5.0, 9);
        if constant {
            drawn.nulls.gate[40] = vec![0.7; 50];
        } else {
            drawn.nulls.states.pop();
        }
        let refused = drawn.explained(Sides::Two).expect_err("98 rows").to_string();
        assert!(refused.contains("98") && refused.contains("99"), "{refused}");
    }
    let mut other_table = drawn(50, 5, 5.0, 9);
    other_table.z.pop();
    assert!(other_table.explained(Sides::Two).is_err());
}

#[test]
fn constant_rows_do_not_count() {
    let drawn = drawn(60, 6, 5.0, 10);
    let mut more = drawn.clone();
    more.nulls.gate.insert(3, vec![9.0; 60]);
    more.nulls.states.push(vec![0.0; 60]);
    assert_eq!(drawn.answer(), more.answer());
}

#[test]
fn of_few_features_only_those_beyond_all_noise_are_named() {
    let mut few = drawn(19, 0, 0.0, 11);
    few.z = (0..19).map(|i| if i == 4 { 7.0 } else { 0.1 * f64::from(i) - 1.0 }).collect();
    let answer = few.answer();
    assert!(answer.gate.open);
    assert_eq!((answer.named.as_slice(), answer.p[4]), ([4].as_slice(), 0.01));
    assert!((0..19).filter(|i| *i != 4).all(|i| answer.p[i] >= 0.5));
    let single = drawn(1, 1, 9.0, 12).answer();
    assert_eq!((single.p[0], single.named.as_slice()), (0.01, [0].as_slice()));
}

#[test]
fn far_scores_are_certain_and_keep_their_size() {
    let mut far = drawn(100, 10, 4.0, 13);
    (far.z[0], far.z[1], far.z[2]) = (-12.0, 30.0, 1e300);
    let answer = far.answer();
    assert_eq!((&answer.p[..3], &answer.effects[..3]), ([0.0; 3].as_slice(), [-12.0, 30.0, 1e300].as_slice()));
    assert!(answer.named.starts_with(&[0, 1, 2]) && answer.matter.expect("asked for")[1].interval[0] >= 3.0);
    let all_far = drawn(30, 30, 60.0, 14).answer();
    assert_eq!((all_far.named.len(), all_far.matter.expect("asked for")[0].interval), (30, [30.0, 30.0]));
}

#[test]
fn one_sided_scores_differ_only_upwards() {
    let drawn = drawn(200, 30, 5.0, 15);
    let answer = drawn.explained(Sides::One).expect("an answer");
    assert_eq!(answer.states, 99);
    assert!(answer.named.iter().all(|&i| drawn.z[i as usize] > 0.0) && answer.named.len() >= 15);
    assert!(drawn.z.iter().zip(&answer.p).all(|(z, p)| *z > 0.0 || *p == 1.0));
    assert!(answer.sign_errors.iter().all(|error| error.is_nan()));
}

#[test]
fn two_kinds_of_scores_share_their_states() {
    let drawn = drawn(300, 60, 5.0, 16);
    // every second feature is one-sided
    let half: Vec<bool> = (0..300).map(|i| i % 2 == 1).collect();
    let answer = drawn.explained(Sides::Mixed(&half)).expect("an answer");
    assert_eq!((answer.states, answer.dispersions.len()), (198, 2));
    assert!((0..300).all(|i| answer.sign_errors[i].is_nan() == half[i]));
    assert!((0..300).filter(|&i| half[i] && drawn.z[i] <= 0.0).all(|i| answer.p[i] == 1.0));
    let right = answer.named.iter().filter(|i| **i < 60).count();
    assert!(right >= 30 && answer.named.len() - right <= right / 4, "{right} of {}", answer.named.len());
    let few: Vec<bool> = (0..300).map(|i| i >= 290).collect();
    let answer = drawn.explained(Sides::Mixed(&few)).expect("an answer");
    assert!(answer.dispersions[0].lambda < 1.0 && answer.dispersions[1].lambda == 1.0);
    let none: Vec<bool> = vec![false; 300];
    assert_eq!(drawn.explained(Sides::Mixed(&none)).expect("an answer"), drawn.answer());
}

#[test]
fn without_null_scores_features_are_independent() {
    let mut rng = random::stream(17, 0);
    let mut z: Vec<f64> = (0..1000).map(|_| random::standard_normal(&mut rng)).collect();
    let explained = |z: &[f64], seed: u64, quiet: f64| {
        let naming = Naming { fdr: 0.1, quiet };
        explain(z, Sides::Two, Noise::Independent { seed }, naming, Curves::Drawn, &mut Silent).expect("an answer")
    };
    let noise = explained(&z, 1, 0.99);
    assert!(noise.named.is_empty() && noise.dispersions.is_empty() && noise.gate.rows == 199);
    z[..50].iter_mut().for_each(|z| *z += 4.5);
    let planted = explained(&z, 1, 0.99);
    assert!(planted.gate.open && planted.named.iter().filter(|i| **i < 50).count() >= 40);
    assert_eq!((planted.states, planted.phi), (1, 1.0));
    let other_seed = explained(&z, 2, 0.99);
    assert!(farthest(&planted.p, &other_seed.p) < 0.5 && planted.matter == other_seed.matter);
    assert_eq!(explained(&z, 1, 0.999).gate.rows, 999);
}

#[test]
fn the_user_can_stop_at_every_stage() {
    /// Stops once a stage begins.
    struct StopAt(&'static str);
    impl Progress for StopAt {
        fn update(&mut self, stage: &str, _: u64, _: u64) -> bool {
            stage != self.0
        }
    }
    let drawn = drawn(100, 10, 4.0, 18);
    for stage in [
        "scoring null targets",
        "learning the states of the noise",
        "comparing null scores with the states",
        "ranking null scores",
        "fitting the states of the noise",
        "counting effects",
    ] {
        let noise = Noise::Table { nulls: &drawn.nulls, residual_dimension: 30 };
        let stopped = explain(&drawn.z, Sides::Two, noise, NAMING, Curves::Drawn, &mut StopAt(stage));
        assert!(matches!(stopped, Err(Error::Cancelled)), "{stage}");
    }
}
