//! What a method learns from training rows that it holds back: rows of a group, or of a block, are never on both sides.

use proptest::prelude::*;
use rand::RngExt;
use std::collections::BTreeSet;
use tamis::catalogue::{FittedClassifier, Tune};
use tamis::compose::AucCurve;
use tamis::evaluate::cross_validate;
use tamis::model::Calibrate;
use tamis::numeric::random;
use tamis::resample::{RequestedFolds, inner};
use tamis::simulate::TwoGroups;
use tamis::table::{Categories, Target};
use tamis::{Context, Method, Pipeline, Selector, Table};

fn pipeline(selector: Option<&str>, classifier: &str) -> Pipeline {
    let method = |name: &str| Method::from_settings(name, []).unwrap();
    Pipeline::new(selector.map(method), method(classifier))
}

fn tune_k(values: &[&str]) -> Option<Tune> {
    Some(Tune { key: "k".into(), values: values.iter().map(ToString::to_string).collect() })
}

fn normal(rng: &mut impl RngExt) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// Patients with several rows each: two features tell the classes apart, each of the others is a patient's own number with
/// a little noise, by which rows of a patient are recognised.
fn patients(patients: usize, rows: usize, features: usize, seed: u64) -> (Table, Categories) {
    let mut rng = random::stream(seed, 9);
    let sick = |patient: usize| patient % 2 == 1;
    let mut columns = Vec::new();
    for feature in 0..features {
        let mut column = Vec::new();
        for patient in 0..patients {
            let own = if feature < 2 { if sick(patient) { 1.5 } else { -1.5 } } else { 3.0 * normal(&mut rng) };
            let noise = if feature < 2 { 1.0 } else { 0.1 };
            column.extend((0..rows).map(|_| own + noise * normal(&mut rng)));
        }
        columns.push(column);
    }
    let of_row = |row: usize| row / rows;
    let labels: Vec<Option<&str>> =
        (0..patients * rows).map(|row| Some(if sick(of_row(row)) { "sick" } else { "well" })).collect();
    let names = (0..features).map(|k| format!("g{k}")).collect();
    let table = Table::new(names, columns, "state", Target::classes(&labels)).unwrap();
    (table, Categories::of((0..patients * rows).map(|row| Some(format!("p{}", of_row(row))))))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn groups_are_held_out_whole(
        rows in prop::collection::vec((0_u32..3, 0_u32..12), 4..90), share in 0.05_f64..0.9, seed in 0_u64..99
    ) {
        let (mut codes, mut groups): (Vec<u32>, Vec<u32>) = rows.into_iter().unzip();
        codes.extend([0, 1, 2, 0, 1, 2]);
        groups.extend([20, 20, 20, 21, 21, 21]);
        let labels: Vec<Option<String>> = codes.iter().map(|c| Some(format!("c{c}"))).collect();
        let table = Table::new(vec!["x".into()], vec![vec![0.0; codes.len()]], "y", Target::classes(&labels)).unwrap();
        let grouped = table.with_groups("patient", Categories::of(groups.iter().map(|g| Some(g.to_string())))).unwrap();
        let split = inner::holdout(&grouped.view(), share, seed).unwrap();
        let of = |rows: &[u32]| rows.iter().map(|&r| groups[r as usize]).collect::<BTreeSet<u32>>();
        let (train, test) = (of(&split.train), of(&split.test));
        prop_assert!(!train.is_empty() && !test.is_empty() && train.is_disjoint(&test));
        prop_assert_eq!(split.train.len() + split.test.len(), codes.len());
        for fold in inner::folds(&grouped.view(), seed).unwrap().iter() {
            prop_assert!(of(&fold.train).is_disjoint(&of(&fold.test)));
        }
    }
}

#[test]
fn about_the_share_is_held_out_whether_rows_are_grouped_or_not() {
    let (table, groups) = patients(60, 5, 2, 1);
    let grouped = table.clone().with_groups("patient", groups).unwrap();
    for share in [0.1, 0.3, 0.6, 0.9] {
        for table in [&table, &grouped] {
            let split = inner::holdout(&table.view(), share, 4).unwrap();
            let got = split.test.len() as f64 / 300.0;
            assert!((got - share).abs() < 0.04, "{got} for {share}");
            let sick = split.test.iter().filter(|&&r| table.target().code(r as usize) == Some(0)).count();
            assert!((2.0 * sick as f64 / split.test.len() as f64 - 1.0).abs() < 0.12, "{sick} of {}", split.test.len());
        }
    }
}

/// Judged by rows of the same patients, eighty features are best, for they name the patient.
#[test]
fn tuning_is_judged_by_patients_that_the_candidates_have_not_seen() {
    let (table, patients) = patients(40, 6, 100, 3);
    let chosen = |table: &Table| {
        let tuned = Pipeline { tune: tune_k(&["2", "20", "80"]), ..pipeline(Some("f"), "logistic") };
        let fixed = Pipeline { tune: tune_k(&["2"]), ..tuned.clone() };
        let folds = RequestedFolds::Count { folds: 5, repeats: 1 };
        let (plan, _) = folds.plan(&table.view(), 0).unwrap();
        let found = cross_validate(&table.view(), &[tuned, fixed], &plan, &mut Context::default()).unwrap();
        let [tuned, fixed] = <[_; 2]>::try_from(found).unwrap().map(Result::unwrap);
        let error = |folds: &[tamis::evaluate::FoldResult]| folds.iter().map(|fold| fold.error).sum::<f64>() / 5.0;
        let values: Vec<String> = tuned.iter().filter_map(|fold| fold.tuned.clone()).collect();
        (values, error(&tuned), error(&fixed))
    };
    let by_group = chosen(&table.clone().with_groups("patient", patients.clone()).unwrap());
    assert_eq!(by_group.0, ["2"; 5]);
    assert!(by_group.1 == by_group.2 && by_group.2 < 0.1, "{by_group:?}");
    assert_eq!(chosen(&table.with_blocks("patient", patients).unwrap()), by_group);
}

/// The rows of one group cannot be split: whoever splits them notices.
#[test]
fn groups_reach_everything_that_holds_rows_back() {
    let setup = TwoGroups { rows: 60, features: 30, relevant: 4, effect: (1.5, 2.5) };
    let table = setup.draw(3).unwrap().table;
    let one = Categories::of((0..60).map(|_| Some("same")));
    let grouped = table.clone().with_groups("patient", one).unwrap();
    let fit = |pipeline: &Pipeline, table: &Table| pipeline.fit(&table.view(), &mut Context::default());
    let split = [
        Pipeline { tune: tune_k(&["1", "2"]), ..pipeline(Some("f"), "logistic") },
        Pipeline { calibrate: Some(Calibrate::Platt), ..pipeline(Some("f"), "logistic") },
    ];
    for pipeline in split {
        assert!(fit(&pipeline, &table).is_ok());
        let refused = fit(&pipeline, &grouped).unwrap_err().to_string();
        assert!(refused.contains("all rows are in one group"), "{refused}");
    }
    assert!(AucCurve::default().select(&table.view(), &mut Context::default()).is_ok());
    let refused = AucCurve::default().select(&grouped.view(), &mut Context::default()).unwrap_err().to_string();
    assert!(refused.contains("all rows are in one group"), "{refused}");
    // what learns without such rows where it must: kernels count alike, and a tree is not pruned
    let classifier = Method::from_settings("pfcvm-lp", [("kernel", "auto"), ("starts", "1")]).unwrap();
    let of_kernels = Pipeline { classifier, ..pipeline(None, "cart") };
    let machine = |table: &Table| fit(&of_kernels, table).unwrap().model.classifier;
    assert_ne!(machine(&grouped), machine(&table));
    for selector in [None, Some("f"), Some("snbl")] {
        let strength = |table: &Table| match fit(&pipeline(selector, "cart"), table).unwrap().model.classifier {
            FittedClassifier::Cart(tree) => tree.strength,
            _ => None,
        };
        assert_eq!(strength(&grouped), Some(0.0), "{selector:?}");
        assert!(strength(&table).is_some_and(|strength| strength > 0.0), "{selector:?}");
    }
}
