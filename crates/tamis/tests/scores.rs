//! Scores: against scipy's values, and properties a score must have.

use crate::common::{fixture, numbers};
use proptest::prelude::*;
use tamis::score::{self, Scale, Scores, Statistic};
use tamis::table::{Categories, Target, View};
use tamis::{Context, NoteKind, Selector, Snbl, Table};

fn table(columns: Vec<Vec<f64>>, target: Target) -> Table {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    Table::new(names, columns, "y", target).unwrap()
}

fn classes(codes: &[usize]) -> Target {
    let labels: Vec<Option<String>> = codes.iter().map(|c| Some(c.to_string())).collect();
    Target::classes(&labels)
}

fn compute(table: &Table, scale: Scale) -> Scores {
    score::compute(&table.view(), Statistic::Auto, scale, &mut Context::default()).unwrap()
}

#[test]
fn every_score_is_scipys() {
    for case in fixture("scores.json").as_array().unwrap() {
        let columns: Vec<Vec<f64>> = case["x"].as_array().unwrap().iter().map(numbers).collect();
        let y = numbers(&case["y"]);
        let kind = case["kind"].as_str().unwrap();
        let real = matches!(kind, "pearson" | "spearman");
        let target =
            if real { Target::Real { values: y } } else { classes(&y.iter().map(|c| *c as usize).collect::<Vec<_>>()) };
        let (table, statistic) = if kind == "chi2" {
            let text = columns[0].iter().map(|x| Some(x.to_string()));
            let names = vec!["colour".to_string()];
            (Table::new(names, vec![Categories::of(text)], "y", target).unwrap(), Statistic::Auto)
        } else {
            (table(columns, target), serde_json::from_value(case["kind"].clone()).unwrap())
        };
        let run = |scale| score::compute(&table.view(), statistic, scale, &mut Context::default()).unwrap();
        let z = run(Scale::Z);
        let has_t = matches!(kind, "welch" | "pooled" | "pearson" | "spearman");
        let raw = has_t.then(|| run(Scale::Raw).into_z());
        for (j, want) in case["t_and_z"].as_array().unwrap().iter().enumerate() {
            let (t, want) = (want[0].as_f64().unwrap(), want[1].as_f64().unwrap());
            // the column at 1e6 has only ten digits of its own spread
            let tolerance = if j == 2 { 1e-8 } else { 1e-10 };
            let close = |a: f64, b: f64| (a - b).abs() <= tolerance * (1.0 + b.abs());
            assert!(close(z.z()[j], want), "{} column {j}: z {} for {want}", case["kind"], z.z()[j]);
            if let Some(raw) = &raw {
                assert!(close(raw[j], t), "{} column {j}: t {} for {t}", case["kind"], raw[j]);
            }
        }
    }
}

#[test]
fn features_that_cannot_be_scored_are_set_aside_and_named() {
    let nan = f64::NAN;
    let columns = vec![
        vec![1.0, 2.0, 3.0, 5.0, 4.0, 9.0],
        vec![0.1; 6],                       // constant
        vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0], // separates perfectly
        vec![1.0, nan, nan, 2.0, 3.0, 4.0], // one value in a class
        vec![nan; 6],                       // nothing at all
        vec![-2.0, -2.0, -2.0, -3.0, -3.0, -3.0],
    ];
    let scores = compute(&table(columns, classes(&[0, 0, 0, 1, 1, 1])), Scale::Z);
    assert!(scores.z()[1].is_nan() && scores.z()[3].is_nan() && scores.z()[4].is_nan());
    assert_eq!(scores.z()[2], 37.5);
    assert_eq!(scores.z()[5], -37.5);
    let about = |kind| -> Vec<String> {
        scores.notes.iter().filter(|n| n.kind == kind).flat_map(|n| n.features.clone()).collect()
    };
    assert_eq!(about(NoteKind::ConstantFeature), ["f1", "f4"]);
    assert_eq!(about(NoteKind::TooFewValues), ["f3"]);
    assert_eq!(about(NoteKind::PerfectSeparation), ["f2", "f5"]);
    assert_eq!(about(NoteKind::MissingValues), ["f3", "f4"]);
    assert_eq!(scores.rows, [6, 6, 6, 4, 0, 6]);
}

/// A category whose levels are equally common in both classes says nothing, though its one-sided score is −37.5.
#[test]
fn a_score_that_speaks_for_nothing_ranks_last_where_nothing_is_selected() {
    let target = Target::classes(&(0..40).map(|i| Some(if i < 20 { "a" } else { "b" })).collect::<Vec<_>>());
    let even = Categories::of((0..40).map(|i| Some(if i % 2 == 0 { "x" } else { "y" })));
    let noise = |by: usize| (0..40).map(|i| ((i * by) % 41) as f64).collect::<Vec<f64>>();
    let columns: Vec<tamis::table::Column> = vec![even.into(), noise(7).into(), noise(11).into()];
    let table = Table::new(["even", "n1", "n2"].map(String::from).to_vec(), columns, "y", target).unwrap();
    let found = Snbl::default().select(&table.view(), &mut Context::default()).unwrap();
    assert!(found.selected.is_empty() && found.scores[0] == -37.5, "{:?}", found.scores);
    assert_eq!(found.ranks[0], 3, "{:?}", found.ranks);
}

#[test]
fn all_constant_features_are_an_error() {
    let table = table(vec![vec![1.0; 6], vec![2.0; 6]], classes(&[0, 0, 0, 1, 1, 1]));
    let error = Snbl::default().select(&table.view(), &mut Context::default()).unwrap_err();
    assert!(error.to_string().contains("constant"), "{error}");
}

#[test]
fn a_statistic_that_does_not_fit_the_target_is_refused() {
    let table = table(vec![vec![1.0, 2.0, 3.0, 5.0]], Target::Real { values: vec![1.0, 2.0, 3.0, 4.5] });
    for statistic in [Statistic::Welch, Statistic::F] {
        assert!(score::compute(&table.view(), statistic, Scale::Z, &mut Context::default()).is_err());
    }
}

#[test]
fn columns_of_any_size_keep_their_score() {
    let base: Vec<f64> = (0..40).map(|i| f64::from((i * 17) % 23) - 11.0 + f64::from(i % 2)).collect();
    let codes: Vec<usize> = (0..40).map(|i| i % 2).collect();
    let scaled = |s: f64| base.iter().map(|x| x * s).collect::<Vec<_>>();
    let sizes = [1.0, 1e-12, 1e12, 2f64.powi(-600), 2f64.powi(600), 2f64.powi(980)];
    let columns: Vec<Vec<f64>> = sizes.iter().map(|s| scaled(*s)).collect();
    for target in [classes(&codes), Target::Real { values: (0..40).map(|i| f64::from(i).sqrt() * 1e200).collect() }] {
        let z = compute(&table(columns.clone(), target), Scale::Z).into_z();
        assert!(z.iter().all(|v| (v - z[0]).abs() < 1e-9), "{z:?}");
    }
}

/// Random tables: some rows, some columns, holes, ties, and a target of each kind.
fn any_table() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<usize>)> {
    (6_usize..40, 1_usize..8).prop_flat_map(|(rows, columns)| {
        let cell = prop_oneof![6 => -5.0..5.0_f64, 2 => (0_i32..3).prop_map(f64::from), 1 => Just(f64::NAN)];
        let table = prop::collection::vec(prop::collection::vec(cell, rows), columns);
        let codes = prop::collection::vec(0_usize..3, rows).prop_map(|mut codes| {
            for c in 0..3 {
                codes[2 * c] = c;
                codes[2 * c + 1] = c;
            }
            codes
        });
        (table, codes)
    })
}

/// Three kinds of target from the same codes.
fn targets(codes: &[usize]) -> Vec<Target> {
    let two: Vec<usize> = codes.iter().map(|c| usize::from(*c > 0)).collect();
    let real = codes.iter().enumerate().map(|(i, c)| *c as f64 + 0.1 * i as f64).collect();
    vec![classes(&two), classes(codes), Target::Real { values: real }]
}

fn same(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

fn permuted(target: &Target, order: &[usize]) -> Target {
    match target {
        Target::Real { values } => Target::Real { values: order.iter().map(|&i| values[i]).collect() },
        Target::Classes { labels, codes, positive, .. } => {
            Target::of_codes(labels.clone(), order.iter().map(|&i| codes[i]).collect(), *positive).unwrap()
        }
        Target::Survival { .. } => unreachable!("survival.rs tests these"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_rows_changes_nothing((columns, codes) in any_table(), turn in 1_usize..6) {
        let n = codes.len();
        let order: Vec<usize> = (0..n).map(|i| (i + turn) % n).rev().collect();
        let turned: Vec<Vec<f64>> = columns.iter().map(|c| order.iter().map(|&i| c[i]).collect()).collect();
        for target in targets(&codes) {
            let a = compute(&table(columns.clone(), target.clone()), Scale::Z).into_z();
            let b = compute(&table(turned.clone(), permuted(&target, &order)), Scale::Z).into_z();
            for (a, b) in a.iter().zip(&b) {
                prop_assert!(same(*a, *b), "{} {}", a, b);
            }
        }
    }

    #[test]
    fn rescaling_and_shifting_a_column_changes_nothing((columns, codes) in any_table(), scale in 0.01..100.0, shift in -10.0..10.0) {
        let moved: Vec<Vec<f64>> = columns.iter().map(|c| c.iter().map(|x| x * scale + shift).collect()).collect();
        for target in targets(&codes) {
            let a = compute(&table(columns.clone(), target.clone()), Scale::Z);
            let b = compute(&table(moved.clone(), target), Scale::Z);
            for (a, b) in a.z().iter().zip(b.z()) {
                // rounding may give a perfect separation a trace of variance
                prop_assert!(same(*a, *b) || (a.abs() > 6.0 && b.abs() > 6.0), "{} {}", a, b);
            }
        }
    }

    #[test]
    fn flipping_the_labels_changes_only_signs((columns, codes) in any_table()) {
        let two: Vec<usize> = codes.iter().map(|c| usize::from(*c > 0)).collect();
        let a = table(columns.clone(), classes(&two));
        let b = table(columns, classes(&two).with_positive("0").unwrap());
        for (a, b) in compute(&a, Scale::Z).z().iter().zip(compute(&b, Scale::Z).z()) {
            prop_assert!(a.to_bits() == (-b).to_bits() || (a.is_nan() && b.is_nan()) || (*a == 0.0 && *b == 0.0));
        }
    }

    #[test]
    fn leaving_rows_out_is_reading_a_table_without_them((columns, codes) in any_table(), step in 2_u32..4) {
        let n = codes.len();
        let kept: Vec<u32> = (0..n as u32).filter(|i| *i < 6 || !i.is_multiple_of(step)).collect();
        let fewer: Vec<Vec<f64>> = columns.iter().map(|c| kept.iter().map(|&i| c[i as usize]).collect()).collect();
        for target in targets(&codes) {
            let order: Vec<usize> = kept.iter().map(|&i| i as usize).collect();
            let whole = table(columns.clone(), target.clone());
            let part = View::of_rows(&whole, &kept).unwrap();
            let a = score::compute(&part, Statistic::Auto, Scale::Z, &mut Context::default()).unwrap().into_z();
            let b = compute(&table(fewer.clone(), permuted(&target, &order)), Scale::Z).into_z();
            for (a, b) in a.iter().zip(&b) {
                prop_assert!(a.to_bits() == b.to_bits(), "{} {}", a, b);
            }
        }
    }
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let drawn =
        tamis::simulate::TwoGroups { rows: 60, features: 5000, relevant: 100, effect: (1.0, 2.0) }.draw(5).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        ["auto", "kde"].map(|prior| {
            let method = tamis::Method::from_settings("snbl", [("prior", prior)]).unwrap();
            let s = pool.install(|| method.select(&drawn.table.view(), &mut Context::default())).unwrap();
            let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            (bits(&s.scores), bits(&s.effects.unwrap()), bits(&s.probabilities.unwrap()), s.ranks, s.selected)
        })
    };
    assert!(run(1) == run(2));
}

/// One value whose square leaves the range of f64 among ordinary ones is an outlier, not a perfect separation.
#[test]
fn an_outlier_beyond_the_squares_of_numbers_scores_as_any_outlier() {
    let codes: Vec<usize> = (0..24).map(|row| row % 2).collect();
    let score = |outlier: f64| {
        let mut column: Vec<f64> = (0..24).map(|row| f64::from(row * 7 % 11)).collect();
        column[3] = outlier;
        compute(&table(vec![column], classes(&codes)), Scale::Z).into_z()[0]
    };
    let wanted = score(1e12);
    for outlier in [1e100, 1e154, 1e160, 1e200, 1e299] {
        assert!((score(outlier) - wanted).abs() < 1e-9, "{outlier}: {} {wanted}", score(outlier));
    }
}
