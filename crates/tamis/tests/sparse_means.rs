//! The fixtures of the sparse-means step, and properties every prior must have.

use crate::common::{largest_difference, numbers, oracle};
use proptest::prelude::*;
use tamis::sparse_means::{Bandwidth, Curves, Decide, Estimate, Null, Posterior, Prior, Sides, SparseMeans, Update};
use tamis::table::Target;
use tamis::{Context, Selector, Snbl, Table};

fn fit(means: &SparseMeans, z: &[f64]) -> Posterior {
    means.fit(z, &mut Context::default()).unwrap()
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
fn ranks_follow_probabilities_and_named_features_come_first() {
    for (_, file) in oracle("sparse_means") {
        let got = fit(&SparseMeans::default(), &numbers(&file["z"]));
        let mut by_rank: Vec<usize> = (0..got.ranks.len()).collect();
        by_rank.sort_by_key(|&i| got.ranks[i]);
        // values that are shown as 0.000 count as equal
        let p = |i: usize| if got.irrelevant[i] < 5e-4 { 0.0 } else { got.irrelevant[i] };
        assert!(by_rank.windows(2).all(|pair| p(pair[0]) <= p(pair[1])));
        assert!(by_rank.iter().zip(&got.selected).all(|(a, b)| *a == *b as usize));
        let at_tenth = got.detail.named_at.iter().find(|at| at.fdr == 0.1).unwrap().named;
        assert_eq!(at_tenth, got.selected.len());
        assert!(got.detail.named_at.windows(2).all(|pair| pair[0].named <= pair[1].named));
    }
}

#[test]
fn normal_and_laplace_meet_every_fixture() {
    let mut met = 0;
    for (name, file) in oracle("sparse_means") {
        let Some(parametric) = file.get("parametric") else { continue };
        met += 1;
        let z = numbers(&file["z"]);
        for (prior, want, key) in
            [(Prior::Normal, &parametric["normal"], "a"), (Prior::Laplace, &parametric["laplace"], "a_rate")]
        {
            let got = fit(&SparseMeans { prior, ..SparseMeans::default() }, &z);
            let w = want["w"].as_f64().unwrap();
            assert!((got.fraction_irrelevant - w).abs() < 1e-5, "{name} {prior:?}: w {}", got.fraction_irrelevant);
            match (got.detail.parameter, want[key].as_f64()) {
                (Some(a), Some(b)) => assert!((a - b).abs() < 1e-5 * b.max(1.0), "{name} {prior:?}: a {a} for {b}"),
                (a, b) => assert_eq!(a, b, "{name} {prior:?}"),
            }
        }
    }
    assert!(met > 20, "{met} fixtures have both priors");
}

#[test]
fn many_scores_are_binned_to_the_same_answer() {
    let z: Vec<f64> =
        (0..1900).map(|i| f64::from((i * 7919) % 2003) / 500.0 - 2.0 + if i % 9 == 0 { 5.0 } else { 0.0 }).collect();
    let twice: Vec<f64> = z.iter().chain(&z).copied().collect(); // above the limit of exact sums
    for prior in [Prior::Normal, Prior::Laplace] {
        let means = SparseMeans { prior, ..SparseMeans::default() };
        let (a, b) = (fit(&means, &z), fit(&means, &twice));
        let (wa, wb) = (a.fraction_irrelevant, b.fraction_irrelevant);
        assert!((wa - wb).abs() < 1e-5, "{prior:?}: {wa} {wb}");
        let apart = largest_difference(&a.effects, &b.effects[..z.len()]);
        assert!(apart < 1e-4, "{prior:?}: {apart}");
    }
}

#[test]
fn the_median_thresholds_where_the_mean_only_shrinks() {
    let z: Vec<f64> = (0..200).map(|i| f64::from(i % 41) / 10.0 - 2.0 + if i % 20 == 0 { 6.0 } else { 0.0 }).collect();
    for prior in [Prior::Normal, Prior::Laplace] {
        let mean = fit(&SparseMeans { prior, ..SparseMeans::default() }, &z);
        let median = fit(&SparseMeans { prior, estimate: Estimate::Median, ..SparseMeans::default() }, &z);
        assert_eq!(mean.irrelevant, median.irrelevant);
        for (i, (a, b)) in mean.effects.iter().zip(&median.effects).enumerate() {
            assert!(b.abs() <= z[i].abs() + 1e-12 && (*b == 0.0 || b.signum() == z[i].signum()), "{prior:?}: {a} {b}");
        }
        assert!(median.effects.iter().filter(|e| **e == 0.0).count() > 100, "{prior:?}");
        assert!(median.effects.iter().any(|e| *e > 3.0), "{prior:?}");
    }
    let refused = SparseMeans { estimate: Estimate::Median, ..SparseMeans::default() };
    assert!(refused.fit(&z, &mut Context::default()).is_err());
}

/// Mean ŵ over 10 draws of 500 scores, half of them at 6: METHODS' figures for adaptive sparsity's Fig. 3.
#[test]
fn the_fraction_is_what_the_simulations_say() {
    use rand_distr::{Distribution, StandardNormal};
    let mean_w = |prior: Prior| {
        let w = |seed: u64| {
            let mut rng = tamis::numeric::random::stream(seed, 9);
            let draw = |i: i32| -> f64 {
                let noise: f64 = StandardNormal.sample(&mut rng);
                noise + if i % 2 == 0 { 6.0 } else { 0.0 }
            };
            let z: Vec<f64> = (0..500).map(draw).collect();
            let w = fit(&SparseMeans { prior, ..SparseMeans::default() }, &z).fraction_irrelevant;
            // npmle's own weight at zero counts its penalty as ten more scores there
            if prior == Prior::Npmle { (500.0 * w + 10.0) / 510.0 } else { w }
        };
        (0..10).map(w).sum::<f64>() / 10.0
    };
    for (prior, want) in [(Prior::Kde, 0.476), (Prior::Normal, 0.274), (Prior::Laplace, 0.196), (Prior::Npmle, 0.503)] {
        let got = mean_w(prior);
        assert!((got - want).abs() < 0.015, "{prior:?}: {got} for {want}");
    }
}

#[test]
fn argmax_agrees_with_em_where_neither_end_absorbs() {
    let mut met = 0;
    for (name, file) in oracle("sparse_means") {
        let z = numbers(&file["z"]);
        let em = SparseMeans { prior: Prior::Kde, tol: 1e-12, ..SparseMeans::default() };
        let argmax = SparseMeans { update: Update::Argmax, ..em.clone() };
        let (a, b) = (fit(&em, &z), fit(&argmax, &z));
        let inside = |w: f64| (0.02..0.98).contains(&w);
        if inside(a.fraction_irrelevant) && inside(b.fraction_irrelevant) {
            met += 1;
            let apart = (a.fraction_irrelevant - b.fraction_irrelevant).abs();
            assert!(apart < 1e-6, "{name}: {} {}", a.fraction_irrelevant, b.fraction_irrelevant);
        }
    }
    assert!(met > 5, "neither end absorbs in {met} fixtures");
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
    let error = SparseMeans::default().fit(&[0.0, f64::NAN, f64::NEG_INFINITY], &mut Context::default()).unwrap_err();
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
    let prior =
        prop_oneof![Just(Prior::Auto), Just(Prior::Kde), Just(Prior::Normal), Just(Prior::Laplace), Just(Prior::Npmle)];
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

#[test]
fn every_bandwidth_in_range_works_on_scores_on_a_lattice() {
    let z: Vec<f64> = (0..4000).map(|i| f64::from(i % 61 - 30) / 10.0).collect();
    for h in [0.01, 0.05, 0.1, 0.3, 1.0, 5.0, 1000.0] {
        let means =
            SparseMeans { prior: Prior::Kde, bandwidth: Bandwidth::Fixed(h), max_iter: 20, ..SparseMeans::default() };
        assert!(fit(&means, &z).effects.iter().all(|e| e.is_finite()), "{h}");
    }
}

#[test]
fn where_only_positive_scores_count_negative_ones_never_do() {
    let z: Vec<f64> = (0..300).map(|i| -f64::from(i % 40) / 4.0 + if i % 50 == 0 { 6.0 } else { 0.0 }).collect();
    for prior in [Prior::Auto, Prior::Kde, Prior::Normal, Prior::Laplace, Prior::Npmle] {
        let got = SparseMeans { prior, ..SparseMeans::default() }
            .fit_sides(&z, Sides::One, Curves::Drawn, &mut Context::default())
            .unwrap();
        for i in 0..z.len() {
            assert!(z[i] >= 0.0 || (got.irrelevant[i] == 1.0 && got.effects[i] == 0.0), "{prior:?} {}", z[i]);
        }
    }
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
        match (means.fit(&z, &mut Context::default()), means.fit(&shuffled, &mut Context::default())) {
            (Ok(a), Ok(b)) => {
                prop_assert!(a.irrelevant.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", a.irrelevant);
                for (j, &i) in order.iter().enumerate() {
                    prop_assert_eq!(a.irrelevant[i].to_bits(), b.irrelevant[j].to_bits());
                    prop_assert_eq!(a.effects[i].to_bits(), b.effects[j].to_bits());
                    prop_assert_eq!(a.q_values[i].to_bits(), b.q_values[j].to_bits());
                }
                prop_assert_eq!(a.selected.len(), b.selected.len());
                prop_assert_eq!(a.differ, b.differ);
            }
            (a, b) => prop_assert_eq!(a.is_err(), b.is_err()),
        }
    }

    #[test]
    fn flipping_every_sign_flips_every_effect(means in any_means(), z in any_scores()) {
        let flipped: Vec<f64> = z.iter().map(|z| -z).collect();
        if let (Ok(a), Ok(b)) = (means.fit(&z, &mut Context::default()), means.fit(&flipped, &mut Context::default())) {
            // a fit that says it has not converged promises nothing
            prop_assume!(a.converged && b.converged);
            // a score of 0 shows no direction
            let no_direction = |i: usize| a.rescaled.as_ref().map_or(z[i], |rescaled| rescaled[i]) == 0.0;
            for i in (0..z.len()).filter(|&i| !(means.prior == Prior::Auto && no_direction(i))) {
                let (p, e) = match means.prior {
                    // few scores do not tie down where npmle puts its mass between them
                    Prior::Npmle => (1e-3, 0.05),
                    // where a likelihood is largest its last bits do not tell: √ε over its curvature
                    Prior::Normal | Prior::Laplace => (1e-5, 1e-4),
                    _ => (1e-6, 1e-5),
                };
                prop_assert!((a.irrelevant[i] - b.irrelevant[i]).abs() < p);
                prop_assert!((a.effects[i] + b.effects[i]).abs() < e * (1.0 + a.effects[i].abs()));
            }
        }
    }

    #[test]
    fn probabilities_are_probabilities_and_ranks_a_permutation(means in any_means(), z in any_scores()) {
        if let Ok(got) = means.fit(&z, &mut Context::default()) {
            prop_assert!(got.irrelevant.iter().all(|p| (0.0..=1.0).contains(p)));
            prop_assert!(got.effects.iter().all(|e| e.is_finite()));
            let mut ranks = got.ranks.clone();
            ranks.sort_unstable();
            prop_assert_eq!(ranks, (1..=z.len() as u32).collect::<Vec<_>>());
            prop_assert!(got.selected.iter().all(|i| !z[*i as usize].is_nan()));
            let differ = got.differ;
            prop_assert!(means.prior == Prior::Auto || differ.interval.is_some());
            prop_assert!(differ.interval.is_some() || differ.why.is_some());
            for [low, high] in differ.interval.into_iter().chain(differ.strong_interval) {
                prop_assert!(low <= high && high as usize <= got.n_scores);
            }
            if means.prior != Prior::Auto {
                let ([low, high], expected) = (differ.interval.unwrap(), differ.expected.unwrap());
                prop_assert!(low as f64 <= expected + 1.0 && high as f64 >= expected - 1.0);
            }
            prop_assert!(differ.at_least_named <= differ.at_least);
            prop_assert!(differ.at_least_named.unwrap_or(0) as usize <= got.selected.len());
        }
    }
}

/// Every null target scores copies alike, and leaves nothing of what it determines.
#[test]
fn tables_of_copies_of_one_feature_or_of_the_target_are_answered() {
    let class = |row: usize| (row % 2) as f64;
    let noise = |row: usize| ((row * 7919) % 61) as f64 / 10.0;
    let (plain, shifted) = (&|row| noise(row), &|row| noise(row) + 9.0 * class(row));
    let columns: [&dyn Fn(usize) -> f64; 3] = [plain, shifted, &class];
    for (of, found) in columns.into_iter().zip([0, 1, 1]) {
        for copies in [1, 2, 24, 60] {
            let column = |k: usize| (0..20).map(|row| of(row) * (k + 1) as f64).collect::<Vec<f64>>();
            let labels: Vec<Option<&str>> = (0..20).map(|row| Some(["a", "b"][row % 2])).collect();
            let names = (0..copies).map(|k| format!("x{k}")).collect();
            let table = Table::new(names, (0..copies).map(column).collect(), "y", Target::classes(&labels)).unwrap();
            let selection = Snbl::default().select(&table.view(), &mut Context::default()).unwrap();
            assert_eq!(selection.selected.len(), found * copies, "{copies} copies");
        }
    }
}
