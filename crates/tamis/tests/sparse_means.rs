//! The fixtures of the sparse-means step, and properties every prior must have.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod common;

use common::{largest_difference, numbers, oracle};
use proptest::prelude::*;
use tamis::Silent;
use tamis::sparse_means::{Bandwidth, Decide, Null, Posterior, Prior, SparseMeans, Update};

fn fit(means: &SparseMeans, z: &[f64]) -> Posterior {
    means.fit(z, &mut Silent).unwrap()
}

fn as_set(selected: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut set: Vec<u64> = selected.into_iter().collect();
    set.sort_unstable();
    set
}

#[test]
fn kde_meets_every_fixture() {
    for (name, file) in oracle("sparse_means") {
        let z = numbers(&file["z"]);
        let want = &file["expected"];
        let paper = file["params"]["rule"] == "paper";
        let tolerance = if paper { 1e-7 } else { 1e-8 };
        let means = SparseMeans {
            prior: Prior::Kde,
            bandwidth: if paper { Bandwidth::Paper } else { Bandwidth::Noise },
            tol: 1e-12,
            ..SparseMeans::default()
        };
        let got = fit(&means, &z);
        let h = got.detail.bandwidth.unwrap();
        assert!((h - want["h"].as_f64().unwrap()).abs() < tolerance, "{name}: h");
        assert!((got.fraction_irrelevant - want["w"].as_f64().unwrap()).abs() < tolerance, "{name}: w");
        let dp = largest_difference(&got.irrelevant, &numbers(&want["p"]));
        assert!(dp < tolerance, "{name}: p {dp}");
        let dmu = largest_difference(&got.effects, &numbers(&want["mu"]));
        assert!(dmu < 1e-7, "{name}: mu {dmu}");
        let iterations = want["iterations"].as_u64().unwrap();
        assert!(iterations.abs_diff(got.iterations as u64) <= 2, "{name}: {} iterations", got.iterations);
        assert_eq!(got.converged, want["converged"].as_bool().unwrap(), "{name}");
        let selected = as_set(got.selected.iter().map(|i| u64::from(*i)));
        let expected = as_set(want["selected"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()));
        assert_eq!(selected, expected, "{name}");
    }
}

#[test]
fn auto_meets_every_fixture() {
    for (name, file) in oracle("sparse_means_auto") {
        let z = numbers(&file["z"]);
        let want = &file["expected"];
        let tolerance = file["tolerance"].as_f64().unwrap();
        let got = fit(&SparseMeans::default(), &z);
        assert_eq!(got.n_scores as u64, want["K"].as_u64().unwrap(), "{name}");
        if let Some(gain) = want["gate"].as_f64() {
            let gate = got.detail.gate.unwrap();
            assert!((gate.gain - gain).abs() < 1e-6, "{name}: gate {} {gain}", gate.gain);
            assert!((gate.threshold - want["threshold"].as_f64().unwrap()).abs() < 1e-12, "{name}");
            assert_eq!(gate.passed, want["passed"].as_bool().unwrap(), "{name}");
            for family in &got.detail.families {
                let weight = want["family"][&family.family].as_f64().unwrap();
                assert!((family.weight - weight).abs() < tolerance, "{name}: {family:?} {weight}");
            }
        }
        let close = |a: f64, key: &str, scale: f64| {
            let b = want[key].as_f64().unwrap();
            assert!((a - b).abs() <= tolerance * scale, "{name}: {key} {a} {b}");
        };
        close(got.fraction_irrelevant, "w", 1.0);
        close(got.n_expected, "n_expected", got.n_scores.max(1) as f64);
        let dp = largest_difference(&got.irrelevant, &numbers(&want["probability_irrelevant"]));
        let de = largest_difference(&got.effects, &numbers(&want["effect"]));
        assert!(dp <= tolerance && de <= tolerance, "{name}: p {dp}, effect {de}");
        let selected = as_set(got.selected.iter().map(|i| u64::from(*i)));
        let expected = as_set(want["selected"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()));
        assert_eq!(selected, expected, "{name}");
    }
}

#[test]
fn argmax_agrees_with_em_where_neither_end_absorbs() {
    for (name, file) in oracle("sparse_means") {
        let z = numbers(&file["z"]);
        let em = SparseMeans { prior: Prior::Kde, tol: 1e-12, ..SparseMeans::default() };
        let argmax = SparseMeans { update: Update::Argmax, ..em.clone() };
        let (a, b) = (fit(&em, &z), fit(&argmax, &z));
        let inside = |w: f64| (0.02..0.98).contains(&w);
        if inside(a.fraction_irrelevant) && inside(b.fraction_irrelevant) {
            let apart = (a.fraction_irrelevant - b.fraction_irrelevant).abs();
            assert!(apart < 1e-6, "{name}: {} {}", a.fraction_irrelevant, b.fraction_irrelevant);
        }
    }
}

#[test]
fn without_mixing_everything_is_relevant_and_shrunk() {
    let z: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.1 - 2.0).collect();
    let got = fit(&SparseMeans { prior: Prior::Kde, mixing: false, ..SparseMeans::default() }, &z);
    assert_eq!(got.fraction_irrelevant, 0.0);
    assert_eq!(got.selected.len(), 50);
    assert!(got.effects[0] > z[0] && got.effects[49] < z[49], "the ends move inwards");
}

#[test]
fn infinite_scores_are_refused_with_their_row() {
    let error = SparseMeans::default().fit(&[0.0, f64::NAN, f64::NEG_INFINITY], &mut Silent).unwrap_err();
    assert!(error.to_string().contains("row 3"), "{error}");
}

#[test]
fn an_iteration_cut_short_says_so() {
    let z: Vec<f64> = (0..100).map(|i| f64::from(i % 13) - 4.0).collect();
    let got = fit(&SparseMeans { prior: Prior::Kde, max_iter: 3, ..SparseMeans::default() }, &z);
    assert!(!got.converged);
    assert_eq!(got.iterations, 3);
}

fn any_means() -> impl Strategy<Value = SparseMeans> {
    let prior = prop_oneof![Just(Prior::Auto), Just(Prior::Kde)];
    let decide = prop_oneof![
        Just(Decide::Auto),
        Just(Decide::Count),
        Just(Decide::Probability(0.8)),
        Just(Decide::FalseDiscoveryRate(0.1))
    ];
    let null = prop_oneof![Just(Null::Theoretical), Just(Null::Empirical)];
    (prior, decide, null).prop_map(|(prior, decide, null)| SparseMeans {
        prior,
        decide,
        null,
        ..SparseMeans::default()
    })
}

fn any_scores() -> impl Strategy<Value = Vec<f64>> {
    let score = prop_oneof![8 => -3.0..3.0, 2 => 3.0..9.0, 1 => Just(f64::NAN), 1 => 15.0..60.0];
    prop::collection::vec(score, 3..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_scores_changes_nothing(means in any_means(), z in any_scores(), seed in any::<u64>()) {
        let mut order: Vec<usize> = (0..z.len()).collect();
        order.sort_by_key(|i| (*i as u64).wrapping_mul(seed | 1).rotate_left(17));
        let shuffled: Vec<f64> = order.iter().map(|i| z[*i]).collect();
        match (means.fit(&z, &mut Silent), means.fit(&shuffled, &mut Silent)) {
            (Ok(a), Ok(b)) => {
                for (j, &i) in order.iter().enumerate() {
                    prop_assert_eq!(a.irrelevant[i].to_bits(), b.irrelevant[j].to_bits());
                    prop_assert_eq!(a.effects[i].to_bits(), b.effects[j].to_bits());
                    prop_assert_eq!(a.q_values[i].to_bits(), b.q_values[j].to_bits());
                }
                prop_assert_eq!(a.selected.len(), b.selected.len());
                prop_assert_eq!(a.n_expected.to_bits(), b.n_expected.to_bits());
            }
            (a, b) => prop_assert_eq!(a.is_err(), b.is_err()),
        }
    }

    #[test]
    fn flipping_every_sign_flips_every_effect(means in any_means(), z in any_scores()) {
        let flipped: Vec<f64> = z.iter().map(|z| -z).collect();
        if let (Ok(a), Ok(b)) = (means.fit(&z, &mut Silent), means.fit(&flipped, &mut Silent)) {
            for i in 0..z.len() {
                prop_assert!((a.irrelevant[i] - b.irrelevant[i]).abs() < 1e-6);
                prop_assert!((a.effects[i] + b.effects[i]).abs() < 1e-5 * (1.0 + a.effects[i].abs()));
            }
        }
    }

    #[test]
    fn probabilities_are_probabilities_and_ranks_a_permutation(means in any_means(), z in any_scores()) {
        if let Ok(got) = means.fit(&z, &mut Silent) {
            prop_assert!(got.irrelevant.iter().all(|p| (0.0..=1.0).contains(p)));
            prop_assert!(got.effects.iter().all(|e| e.is_finite()));
            let mut ranks = got.ranks.clone();
            ranks.sort_unstable();
            prop_assert_eq!(ranks, (1..=z.len() as u32).collect::<Vec<_>>());
            prop_assert!(got.selected.iter().all(|i| !z[*i as usize].is_nan()));
            prop_assert!(got.n_expected_95[0] as f64 <= got.n_expected + 1.0);
            prop_assert!(got.n_expected_95[1] as f64 >= got.n_expected - 1.0);
        }
    }
}
