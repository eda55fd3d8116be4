//! Mutual-information filters against the fixtures in `oracle/information`.

use crate::common::{fixture, numbers, third_party_fixture};
use rand::RngExt;
use serde_json::Value;
use tamis::codes::discretise::cuts;
use tamis::codes::{CodedTable, ColumnCoding, Discretise};
use tamis::information::{Criterion, rank, rank_auto, relevance};
use tamis::numeric::random;
use tamis::table::{Categories, Column, RowWeights, Target, WeightKind};
use tamis::{Context, Method, Selector, Table};

/// Whole numbers from a list, or from a text of digits.
fn small(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.bytes().map(|c| c - b'0').collect(),
        list => list.as_array().unwrap().iter().map(|x| x.as_u64().unwrap() as u8).collect(),
    }
}

fn codes(fixture: &Value) -> CodedTable {
    let rows: Vec<Vec<u8>> = fixture["X"].as_array().unwrap().iter().map(small).collect();
    let columns: Vec<Vec<u8>> = (0..rows[0].len()).map(|j| rows.iter().map(|r| r[j]).collect()).collect();
    CodedTable::from_columns(&columns, small(&fixture["y"]))
}

const CRITERIA: [(&str, Criterion); 7] = [
    ("mim", Criterion::Mim),
    ("jmi", Criterion::Jmi),
    ("jmim", Criterion::Jmim),
    ("mid", Criterion::MrmrDifference),
    ("miq", Criterion::MrmrQuotient),
    ("cmim", Criterion::Cmim),
    ("disr", Criterion::Disr),
];

fn check(name: &str, codes: &CodedTable, weights: Option<&[f64]>, k: usize, expected: &Value) {
    for (label, criterion) in CRITERIA {
        let got = rank(codes, weights, criterion, k, &[], &mut Context::default()).unwrap();
        let order: Vec<usize> = small(&expected[label]["order"]).iter().map(|i| usize::from(*i)).collect();
        assert_eq!(got.order, order, "{name}, {label}");
        for (a, b) in got.scores.iter().zip(numbers(&expected[label]["scores"])) {
            assert!((a - b).abs() < 1e-10, "{name}, {label}: {a} {b}");
        }
    }
}

fn check_unweighted(name: &str, fixture: &Value) {
    check(name, &codes(fixture), None, fixture["k"].as_u64().unwrap() as usize, &fixture["rank"]);
}

#[test]
fn rankings_and_their_scores() {
    for name in ["02_uniform25.json", "11_ties_degenerate.json"] {
        check_unweighted(name, &fixture(&format!("oracle/information/{name}")));
    }
}

#[test]
#[ignore = "needs the tables of others in ../shared/oracle"]
fn rankings_and_their_scores_on_breast_wine_and_digits() {
    for name in
        ["04_breast_width10.json", "05_wine_freq5.json", "06_digits300.json", "13_breast_width5_feast_readme.json"]
    {
        check_unweighted(name, &third_party_fixture(&format!("information/{name}")));
    }
}

#[test]
fn weighted_rankings_whole_or_not() {
    let plain = fixture("oracle/information/02_uniform25.json");
    let weighted = fixture("oracle/information/03_uniform25_weighted.json");
    let weights = numbers(&weighted["w"]);
    check("whole", &codes(&plain), Some(&weights), 12, &weighted["rank"]);
    // only shares matter: the same through the path for weights that are not whole
    let thirds: Vec<f64> = weights.iter().map(|w| w / 3.0).collect();
    check("thirds", &codes(&plain), Some(&thirds), 12, &weighted["rank"]);
}

#[test]
fn a_constant_target_leaves_the_order_of_the_columns() {
    let fixture = fixture("oracle/information/11_ties_degenerate.json");
    let with_target = codes(&fixture);
    let columns: Vec<Vec<u8>> = (0..with_target.len()).map(|j| with_target.column(j).to_vec()).collect();
    let constant = CodedTable::from_columns(&columns, vec![0; with_target.n_rows()]);
    for (label, criterion) in CRITERIA {
        if let Some(order) = fixture["constant_y"].get(label) {
            let got = rank(&constant, None, criterion, 7, &[], &mut Context::default()).unwrap();
            let order: Vec<usize> = small(order).iter().map(|i| usize::from(*i)).collect();
            assert_eq!(got.order, order, "{label}");
        }
    }
}

/// Entropies and informations one by one: with k = 2 and one feature kept first, a score is a pair's term.
#[test]
fn the_terms_of_every_pair() {
    let fixture = fixture("oracle/information/01_mi_tables.json");
    let codes = codes(&fixture);
    let weights = numbers(&fixture["w"]);
    for (ending, weights) in [("", None), ("_w", Some(weights.as_slice()))] {
        let table = |name: &str| -> Vec<Vec<f64>> {
            fixture[format!("{name}{ending}")].as_array().unwrap().iter().map(numbers).collect()
        };
        let mi = numbers(&fixture[format!("MI_xy{ending}")]);
        let (joint, among) = (table("JMI"), table("MI_xx"));
        let conditional = table("CMI_xi_y_given_xj");
        let entropies = numbers(&fixture[format!("H{ending}")]);
        let (_, of_target) = relevance(&codes, &codes.target, weights).unwrap();
        assert!((of_target - fixture[format!("Hy{ending}")].as_f64().unwrap()).abs() < 1e-12);
        for (a, entropy) in entropies.iter().enumerate() {
            let columns: Vec<Vec<u8>> = (0..codes.len()).map(|j| codes.column(j).to_vec()).collect();
            let mut as_target = CodedTable::from_columns(&columns, codes.target.clone());
            as_target.classes = codes.levels;
            let (with, own) = relevance(&as_target, codes.column(a), weights).unwrap();
            assert!((own - entropy).abs() < 1e-12);
            with.iter().zip(&among[a]).for_each(|(got, wanted)| assert!((got - wanted).abs() < 1e-12));
        }
        for a in 0..codes.len() {
            for b in (0..codes.len()).filter(|b| *b != a) {
                let term = |criterion| {
                    rank(&codes, weights, criterion, 2, &[a, b], &mut Context::default()).unwrap().scores[1]
                };
                assert!((term(Criterion::Mim) - mi[b]).abs() < 1e-12);
                assert!((term(Criterion::Jmi) - joint[a][b]).abs() < 1e-12);
                assert!((term(Criterion::Cmim) - mi[b].min(conditional[b][a])).abs() < 1e-12);
                assert!((term(Criterion::MrmrDifference) - (mi[b] - among[a][b])).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn cuts_and_codes() {
    let fixture = fixture("oracle/information/07_discretise.json");
    let y = small(&fixture["y"]);
    let labels: Vec<String> = y.iter().map(u8::to_string).collect();
    let labels: Vec<Option<&str>> = labels.iter().map(|l| Some(l.as_str())).collect();
    for (name, column) in fixture["cols"].as_object().unwrap() {
        let x: Vec<f64> = column["x"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect();
        // a second column keeps a table with a constant one usable
        let other: Vec<f64> = (0..x.len()).map(|i| i as f64).collect();
        let columns = vec![x.clone(), other];
        let rows: Vec<u32> = (0..x.len() as u32).collect();
        let table = Table::new(vec!["x".into(), "other".into()], columns, "y", Target::classes(&labels)).unwrap();
        for (how, expected) in column.as_object().unwrap().iter().filter(|(how, _)| *how != "x") {
            let (discretise, bins) = match how.as_str() {
                "mdl" => (Discretise::Mdl, 10),
                other => match other.strip_prefix("width") {
                    Some(bins) => (Discretise::Width, bins.parse().unwrap()),
                    None => (Discretise::Frequency, other.strip_prefix("freq").unwrap().parse().unwrap()),
                },
            };
            let edges = numbers(&expected["edges"]);
            assert_eq!(cuts(&x, &y, 2, discretise, bins), edges, "{name} {how}");
            let coded = ColumnCoding::Cuts(edges.clone()).encode(&table.columns()[0], &rows).unwrap();
            assert_eq!(coded, small(&expected["codes"]), "{name} {how}");
            // a whole table: the same partition of the rows, in the same order, unless that would be all rows in one
            let Ok(learned) = CodedTable::learn(&table.view(), discretise, bins, &mut Context::default()) else {
                assert_eq!(discretise, Discretise::Mdl, "only that can find no column worth a cut");
                continue;
            };
            if learned.features[0] == 0 && !edges.is_empty() {
                for a in 0..x.len() {
                    for b in 0..x.len() {
                        assert_eq!(coded[a].cmp(&coded[b]), learned.column(0)[a].cmp(&learned.column(0)[b]));
                    }
                }
            }
            let varies = x.iter().any(|v| *v != x[0]);
            assert_eq!(
                learned.features[0] == 0,
                varies && (discretise != Discretise::Mdl || !edges.is_empty()),
                "{name} {how}"
            );
        }
    }
}

/// Two features that tell of the target only together, among noise: seen by pairs, not one by one.
#[test]
fn an_exclusive_or_is_found_by_pairs_only() {
    let mut rng = random::stream(2, 0);
    let rows = 400;
    let columns: Vec<Vec<f64>> = (0..40).map(|_| (0..rows).map(|_| rng.random::<f64>()).collect()).collect();
    let label = |r: usize| if (columns[3][r] > 0.5) == (columns[17][r] > 0.5) { "same" } else { "other" };
    let labels: Vec<Option<&str>> = (0..rows).map(|r| Some(label(r))).collect();
    let names = (0..40).map(|j| format!("f{j}")).collect();
    let table = Table::new(names, columns, "y", Target::classes(&labels)).unwrap();
    let select =
        |name: &str| Method::from_settings(name, []).unwrap().select(&table.view(), &mut Context::default()).unwrap();
    let pairs = select("pairs");
    let mut found = pairs.selected.clone();
    found.sort_unstable();
    assert_eq!(found, [3, 17]);
    assert_eq!(pairs.detail.pairs.unwrap().partners[3], Some(17));
    assert!(select("snbl").selected.is_empty());
}

/// Rare ones, whose cuts of equal frequency all fall on the zeros, and a category with many values beside them.
#[test]
fn rare_values_and_many_categories_leave_pairs_their_sight() {
    let mut rng = random::stream(6, 0);
    let rows = 400;
    let mut rare = || -> Vec<f64> { (0..rows).map(|_| f64::from(u8::from(rng.random::<f64>() < 0.25))).collect() };
    let (a, b) = (rare(), rare());
    let labels: Vec<Option<&str>> = (0..rows).map(|r| Some(if a[r] != b[r] { "u" } else { "v" })).collect();
    let many = Categories::of((0..rows).map(|_| Some(format!("c{}", rng.random_range(0..60)))));
    let mut columns: Vec<Column> = vec![a.into(), b.into(), many.into()];
    columns.extend((0..8).map(|_| Column::from((0..rows).map(|_| rng.random::<f64>()).collect::<Vec<f64>>())));
    let names = (0..11).map(|j| format!("f{j}")).collect();
    let table = Table::new(names, columns, "y", Target::classes(&labels)).unwrap();
    let got = Method::from_settings("pairs", []).unwrap().select(&table.view(), &mut Context::default()).unwrap();
    let mut found = got.selected.clone();
    found.sort_unstable();
    assert_eq!(found, [0, 1], "{:?}", got.notes);
}

/// Orders, numbers and p-values of `oracle/dependence/k_auto.json`.
#[test]
fn features_are_added_until_a_permutation_does_as_well() {
    let fixture = fixture("oracle/dependence/k_auto.json");
    let columns: Vec<Vec<u8>> = fixture["codes"].as_array().unwrap().iter().map(small).collect();
    let codes = CodedTable::from_columns(&columns, small(&fixture["y"]));
    let order = |list: &Value| list.as_array().unwrap().iter().map(|i| i.as_u64().unwrap() as u32).collect();
    let orders: Vec<Vec<u32>> = fixture["permutations"].as_array().unwrap().iter().map(order).collect();
    for (name, criterion) in [("jmi", Criterion::Jmi), ("cmim", Criterion::Cmim)] {
        let expected = &fixture["results"][name];
        let got = rank_auto(&codes, criterion, &orders, &[], &mut Context::default()).unwrap();
        let wanted: Vec<usize> = numbers(&expected["order"]).iter().map(|i| *i as usize).collect();
        assert_eq!(got.ranking.order, wanted, "{name}");
        assert_eq!(got.ranking.order.len() as u64, expected["k"].as_u64().unwrap());
        for (p, wanted) in got.p_values.iter().zip(numbers(&expected["p"])) {
            assert!((p - wanted).abs() < 1e-12, "{name}: {p} {wanted}");
        }
        assert_eq!(got.p_values.len(), wanted.len() + 1);
    }
}

/// On noise, something is selected in one of twenty tables; strong features are all found.
#[test]
fn the_number_of_features_follows_from_the_data() {
    let select = |relevant: usize, seed: u64, method: &str| {
        let drawn = tamis::simulate::TwoGroups { rows: 120, features: 30, relevant, effect: (1.8, 1.8) }.draw(seed);
        let drawn = drawn.unwrap();
        let method =
            Method::from_settings(method, [("k", "auto"), ("discretise", "frequency"), ("bins", "4")]).unwrap();
        let got = method.select(&drawn.table.view(), &mut Context::seeded(seed)).unwrap();
        let true_ones = got.selected.iter().filter(|&&i| drawn.truth[i as usize] != 0.0).count();
        (got, true_ones)
    };
    for method in ["jmi", "cmim"] {
        let any = (0..60).filter(|&seed| !select(0, seed, method).0.selected.is_empty()).count();
        assert!(any <= 9, "{method}: something in {any} of 60 tables of noise");
    }
    let (mut found, mut wrong) = (0, 0);
    for seed in 0..10 {
        let (got, true_ones) = select(4, seed, "jmi");
        found += true_ones;
        wrong += got.selected.len() - true_ones;
        let steps = got.detail.steps.unwrap();
        assert_eq!(steps.features.len(), got.selected.len() + 1, "the last step was refused");
        assert!(steps.p_values[..got.selected.len()].iter().all(|p| *p == Some(0.05)));
        assert!(steps.p_values[got.selected.len()] > Some(0.05));
    }
    assert!(found >= 36 && wrong <= 5, "{found} of 40, {wrong} false");
}

#[test]
fn copies_are_rows_where_the_number_is_chosen_and_only_ratios_of_importance_matter() {
    let drawn = tamis::simulate::TwoGroups { rows: 60, features: 12, relevant: 2, effect: (2.0, 2.0) }.draw(4).unwrap();
    let method = Method::from_settings("jmi", [("k", "auto")]).unwrap();
    let (names, columns, target) = (drawn.table.names(), drawn.table.columns(), drawn.table.target());
    let weigh = |weights: Vec<f64>, kind: WeightKind| {
        let columns = columns.iter().map(|c| c.numbers().unwrap().to_vec()).collect();
        let table = Table::new(names.to_vec(), columns, "group", target.clone()).unwrap();
        let table = table.with_weights(RowWeights::new(weights, kind).unwrap()).unwrap();
        method.select(&table.view(), &mut Context::default()).unwrap().selected
    };
    let plain = method.select(&drawn.table.view(), &mut Context::default()).unwrap();
    assert_eq!(weigh(vec![1.0; 60], WeightKind::Frequency), plain.selected);
    assert!(!weigh(vec![2.0; 60], WeightKind::Frequency).is_empty());
    assert_eq!(weigh(vec![0.5; 60], WeightKind::Importance), plain.selected);
    let uneven: Vec<f64> = (0..60).map(|i| 0.3 + f64::from(i % 5)).collect();
    let found = weigh(uneven.clone(), WeightKind::Importance);
    assert!(!found.is_empty());
    assert_eq!(weigh(uneven.iter().map(|w| 8.0 * w).collect(), WeightKind::Importance), found);
}
