//! Whole tables against the fixtures in `oracle/dependence`, with given permutations.

use super::alone::AloneScores;
use super::levels::Levels;
use super::null_targets::{Classes, Targets};
use super::relations::{Relations, Tested};
use super::significance::{PairNull, SortedNull};
use super::together::TogetherScores;
use crate::base::Silent;
use crate::fixtures::{fixture, numbers};
use crate::numeric::special::surprise_chi2;
use crate::selection::detail::RelationKind;
use crate::table::{Categories, Column};
use serde_json::Value;

fn whole(value: &Value) -> Vec<u32> {
    value.as_array().expect("a list").iter().map(|x| x.as_u64().expect("a number") as u32).collect()
}

/// Scores of pairs, null being −∞, each less `shift`. Where p is below the smallest double, at −ln p = 744.4, the fixtures
/// have H/2 for it: −ln p of that H takes its place.
fn pair_scores(value: &Value, shift: f64, df: f64) -> Vec<f64> {
    const SMALLEST: f64 = 744.4;
    let score = |x: f64| match x + shift {
        half if half > SMALLEST => surprise_chi2(2.0 * half, df) - shift,
        half if half.is_nan() => f64::NEG_INFINITY,
        _ => x,
    };
    numbers(value).into_iter().map(score).collect()
}

struct Case {
    fixture: Value,
    relations: Relations,
    /// T1 of every feature in the data and under permutations.
    alone: Vec<Vec<f64>>,
    pairs: TogetherScores,
}

fn run(name: &str) -> Case {
    let fixture = fixture(&format!("oracle/dependence/{name}.json"));
    let categories = whole(&fixture["categories"]);
    let orders: Vec<Vec<u32>> = fixture["permutations"].as_array().expect("orders").iter().map(whole).collect();
    let classes = Classes::new(&whole(&fixture["y"]));
    let targets = Targets::new(&classes, &orders);
    let for_pairs = fixture["R_pairs"].as_u64().expect("a number") as usize;
    let rows: Vec<u32> = (0..targets.rows as u32).collect();
    let mut columns = vec![];
    for (at, x) in (0..).zip(fixture["X"].as_array().expect("columns")) {
        let x = numbers(x);
        let column = match categories.contains(&at) {
            true => Column::Categories(Categories::of(x.iter().map(|x| Some(x.to_string())))),
            false => Column::Numbers(x),
        };
        columns.push((at, Levels::of(&column, &rows, "x").expect("few levels")));
    }
    let mut tested = Tested::default();
    tested.add(columns, &targets);
    let few = Targets::new(&classes, &orders[..for_pairs]);
    let all = |scores: &AloneScores| [vec![scores.larger()], scores.null.clone()].concat();
    let alone = tested.alone().iter().map(all).collect();
    let pairs = tested.pairs(&few, &mut Silent).expect("scores");
    let relations = tested.relate(&few, 0.05, &mut Silent).expect("relations");
    Case { fixture, relations, alone, pairs }
}

fn close(got: f64, wanted: f64, tolerance: f64, what: &str) {
    let near = got == wanted || (got - wanted).abs() <= tolerance * wanted.abs().max(1.0);
    assert!(near, "{what}: {got}, not {wanted}");
}

#[test]
fn scores_in_the_data_and_under_permutations() {
    for name in ["two_classes", "three_classes", "uneven"] {
        let Case { fixture, relations, alone, pairs } = run(name);
        let (less, df) =
            ((relations.features.len() as f64 - 1.0).ln(), if name == "three_classes" { 2.0 } else { 1.0 });
        assert_eq!(relations.features, whole(&fixture["kept"]), "{name}");
        for at in 0..relations.features.len() {
            let wanted = (numbers(&fixture["alone"][at]), pair_scores(&fixture["together"][at], less, df));
            for target in 0..4 {
                let what = format!("{name}, column {}, target {target}", relations.features[at]);
                let together = if target == 0 { pairs.scores[at] } else { pairs.null[target - 1][at] };
                close(alone[at][target], wanted.0[target], 1e-10, &what);
                close(together, wanted.1[target], 1e-9, &what);
            }
        }
    }
}

#[test]
fn decisions_kinds_partners_and_ranks() {
    for name in ["two_classes", "three_classes", "uneven"] {
        let Case { fixture, relations, pairs, .. } = run(name);
        let of_kept = |key: &str| -> Vec<f64> {
            let all = numbers(&fixture[key]);
            relations.features.iter().map(|&i| all[i as usize]).collect()
        };
        assert_eq!(relations.p_alone(), of_kept("p_alone"), "{name}");
        let found = relations.found(&vec![true; relations.features.len()], 0.05);
        for (key, got) in [("p_together", &relations.p_together), ("p", &relations.p), ("q", &found.q)] {
            let pairs = got.iter().zip(of_kept(key));
            pairs.for_each(|(got, wanted)| close(*got, wanted, 1e-9, &format!("{name}, {key}")));
        }
        let (less, df) =
            ((relations.features.len() as f64 - 1.0).ln(), if name == "three_classes" { 2.0 } else { 1.0 });
        let wanted = pair_scores(&fixture["score"], less - 0.25_f64.ln(), df);
        for (got, wanted) in relations.scores.iter().zip(wanted) {
            close(*got, wanted, 1e-9, &format!("{name}, score"));
        }
        let selected: Vec<u32> =
            (0..found.q.len()).filter(|&at| found.q[at] <= 0.05).map(|at| relations.features[at]).collect();
        assert_eq!(selected, whole(&fixture["selected"]), "{name}");
        let kind = |kind: &RelationKind| serde_json::to_value(kind).expect("a word");
        assert_eq!(found.kinds.iter().map(kind).collect::<Vec<_>>(), fixture["kind"].as_array().expect("kinds")[..]);
        let mut ranks = vec![0; relations.p.len()];
        (1..).zip(relations.order()).for_each(|(rank, at)| ranks[at] = rank);
        assert_eq!(ranks, whole(&fixture["rank"]), "{name}");
        for (at, partner) in whole(&fixture["partner"]).into_iter().enumerate() {
            let got = relations.partners[at].map(|partner| relations.features[partner as usize]);
            assert!(got == Some(partner) || pairs.scores[at] == f64::NEG_INFINITY, "{name}, {at}: {got:?}");
        }
    }
}

/// Shuffled targets leave nothing to find, and p-values are spread as they should be.
#[test]
fn p_values_of_scores_among_their_own_null_are_uniform() {
    let Case { alone, pairs, .. } = run("three_classes");
    let alone: Vec<f64> = alone.iter().flat_map(|scores| scores[1..].to_vec()).collect();
    let null = SortedNull::of(alone.clone());
    let p: Vec<f64> = alone.iter().map(|score| null.p_value(*score)).collect();
    let null = PairNull::of(&pairs.null);
    let q: Vec<f64> = pairs.null.concat().iter().map(|score| null.p_value(*score)).collect();
    for (p, level) in [(&p, 0.5), (&p, 0.1), (&q, 0.5), (&q, 0.25)] {
        let share = p.iter().filter(|p| **p <= level).count() as f64 / p.len() as f64;
        assert!((share - level).abs() < 0.08, "{share} at {level}");
    }
}
