//! Resampling plans: every row tested once a repeat, classes spread evenly, groups whole.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tamis::Table;
use tamis::resample::folds::{Plan, grouped, leave_one_group_out, leave_one_out, stratified};
use tamis::resample::given;
use tamis::table::{Target, View};

/// A table with these classes; 9 is a missing target.
fn of_classes(codes: &[u32]) -> Table {
    let labels: Vec<Option<String>> = codes.iter().map(|c| (*c != 9).then(|| format!("c{c}"))).collect();
    of_target(Target::classes(&labels))
}

fn of_target(target: Target) -> Table {
    let n = target.len();
    Table::new(vec!["x".to_string()], vec![vec![0.0; n]], "y", target).unwrap()
}

/// How many test rows of each class each fold has: spread[class][fold of the repeat].
fn spread(plan: &Plan, data: &View, repeat: u32) -> BTreeMap<u32, Vec<usize>> {
    let Target::Classes { codes, .. } = data.target() else { panic!("classes") };
    let folds: Vec<_> = plan.iter().filter(|f| f.repeat == repeat).collect();
    let classes: BTreeSet<u32> = data.rows().iter().map(|&r| codes[r as usize]).collect();
    let count = |class: u32| folds.iter().map(move |f| f.test.iter().filter(|&&r| codes[r as usize] == class).count());
    classes.into_iter().map(|class| (class, count(class).collect())).collect()
}

/// Every fold splits the rows in two, and every repeat tests each row once.
fn partitions(plan: &Plan, data: &View) {
    let all: BTreeSet<u32> = data.rows().iter().copied().collect();
    let mut tested: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for fold in plan.iter() {
        assert!(!fold.train.is_empty() && !fold.test.is_empty(), "{fold:?}");
        let both: BTreeSet<u32> = fold.train.iter().chain(&fold.test).copied().collect();
        assert_eq!((both.len(), &both), (fold.train.len() + fold.test.len(), &all));
        tested.entry(fold.repeat).or_default().extend(&fold.test);
    }
    for rows in tested.values_mut() {
        rows.sort_unstable();
        assert_eq!(rows, &all.iter().copied().collect::<Vec<_>>());
    }
}

fn within_one(counts: &[usize]) -> bool {
    counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1
}

/// Up to four classes of at least two rows each, in any order, some rows without a target.
fn classes() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(prop_oneof![8 => 0_u32..4, 1 => Just(9_u32)], 4..80).prop_map(|mut codes| {
        codes.extend([0, 0, 1, 1, 2, 2, 3, 3]);
        codes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn stratified_folds_spread_every_class(codes in classes(), folds in 2_usize..9, repeats in 1_usize..4, seed in 0_u64..99) {
        let table = of_classes(&codes);
        let plan = stratified(&table.view(), folds, repeats, seed).unwrap();
        prop_assert_eq!(plan.len(), folds * repeats);
        partitions(&plan, &table.view());
        for repeat in 0..repeats as u32 {
            for counts in spread(&plan, &table.view(), repeat).values() {
                prop_assert!(within_one(counts), "{:?}", counts);
            }
        }
        let sizes: Vec<usize> = plan.iter().map(|f| f.test.len()).collect();
        prop_assert!(within_one(&sizes), "{:?}", sizes);
        prop_assert_eq!(&plan, &stratified(&table.view(), folds, repeats, seed).unwrap());
    }

    #[test]
    fn groups_stay_whole(
        rows in prop::collection::vec((0_u32..3, 0_u32..12), 8..90), folds in 2_usize..7, seed in 0_u64..99
    ) {
        let (mut codes, mut groups): (Vec<u32>, Vec<u32>) = rows.into_iter().unzip();
        codes.extend([0, 0, 1, 1, 2, 2]);
        groups.extend([20, 21, 20, 21, 20, 21]);
        let table = of_classes(&codes);
        let plan = grouped(&table.view(), &groups, folds, 2, seed).unwrap();
        partitions(&plan, &table.view());
        let n_groups = groups.iter().collect::<BTreeSet<_>>().len();
        prop_assert_eq!(plan.len(), 2 * folds.min(n_groups));
        let group_set = |rows: &[u32]| rows.iter().map(|&r| groups[r as usize]).collect::<BTreeSet<u32>>();
        for fold in plan.iter() {
            prop_assert!(group_set(&fold.train).is_disjoint(&group_set(&fold.test)));
        }
        prop_assert_eq!(&plan, &grouped(&table.view(), &groups, folds, 2, seed).unwrap());
        prop_assert_eq!(leave_one_group_out(&table.view(), &groups).unwrap().len(), n_groups);
    }
}

#[test]
fn groups_of_one_row_each_are_spread_like_rows() {
    let codes: Vec<u32> = (0..60).map(|i| u32::from(i % 3 == 0)).collect();
    let table = of_classes(&codes);
    let alone: Vec<u32> = (0..60).collect();
    let plan = grouped(&table.view(), &alone, 5, 1, 3).unwrap();
    assert!(spread(&plan, &table.view(), 0).values().all(|counts| within_one(counts)), "{plan:?}");
}

#[test]
fn pure_groups_are_dealt_so_that_every_fold_has_both_classes() {
    // ten patients of each class, three to seven rows each
    let (mut codes, mut groups) = (vec![], vec![]);
    for patient in 0..20_u32 {
        for _ in 0..3 + patient % 5 {
            codes.push(patient % 2);
            groups.push(patient);
        }
    }
    let table = of_classes(&codes);
    let plan = grouped(&table.view(), &groups, 5, 4, 0).unwrap();
    for repeat in 0..4 {
        for (class, counts) in spread(&plan, &table.view(), repeat) {
            assert!(counts.iter().all(|c| (8..=12).contains(c)), "class {class}: {counts:?}");
        }
    }
}

#[test]
fn seeds_and_repeats_give_different_folds() {
    let table = of_classes(&(0..50).map(|i| i % 2).collect::<Vec<_>>());
    let plan = stratified(&table.view(), 5, 2, 1).unwrap();
    assert_ne!(plan.fold(0).unwrap().test, plan.fold(5).unwrap().test);
    assert_ne!(plan.fold(0), stratified(&table.view(), 5, 2, 2).unwrap().fold(0));
    assert_eq!(plan.fold(0), stratified(&table.view(), 5, 1, 1).unwrap().fold(0), "more repeats keep the first");
    assert_eq!(plan.fold(10), None);
}

#[test]
fn numbers_are_spread_over_folds_by_their_order() {
    let values: Vec<f64> = (0..40).map(|i| f64::from((i * 17) % 40)).collect();
    let table = of_target(Target::Real { values: values.clone() });
    let plan = stratified(&table.view(), 4, 1, 0).unwrap();
    partitions(&plan, &table.view());
    for fold in plan.iter() {
        let mut blocks: Vec<u32> = fold.test.iter().map(|&r| values[r as usize] as u32 / 4).collect();
        blocks.sort_unstable();
        assert_eq!(blocks, (0..10).collect::<Vec<_>>(), "one of every four neighbours");
    }
}

#[test]
fn leaving_one_out_tests_every_row_with_a_target() {
    let table = of_classes(&[0, 9, 1, 0, 1]);
    let plan = leave_one_out(&table.view()).unwrap();
    partitions(&plan, &table.view());
    assert_eq!(plan.iter().map(|f| f.test).collect::<Vec<_>>(), [[0], [2], [3], [4]]);
}

#[test]
fn a_class_smaller_than_the_folds_gets_a_note() {
    let table = of_classes(&[0, 0, 0, 0, 0, 0, 1, 1]);
    let plan = stratified(&table.view(), 5, 1, 0).unwrap();
    assert!(plan.notes[0].to_string().contains("class `c1` has 2 rows for 5 folds"), "{:?}", plan.notes);
    assert!(stratified(&table.view(), 2, 1, 0).unwrap().notes.is_empty());
    let few = grouped(&table.view(), &[0, 0, 1, 1, 2, 2, 0, 1], 5, 1, 0).unwrap();
    assert_eq!(few.len(), 3);
    assert!(few.notes[0].to_string().contains("3 folds instead of 5"), "{:?}", few.notes);
}

#[test]
fn impossible_plans_say_why() {
    let table = of_classes(&[0, 0, 1, 1]);
    let said = |plan: tamis::Result<Plan>| plan.unwrap_err().to_string();
    assert!(said(stratified(&table.view(), 5, 1, 0)).contains("there are 4 rows"));
    assert!(said(stratified(&table.view(), 1, 1, 0)).contains("2 or more"));
    assert!(said(stratified(&table.view(), 2, 0, 0)).contains("1 or more"));
    assert!(said(grouped(&table.view(), &[7; 4], 2, 1, 0)).contains("all rows are in one group"));
    assert!(said(grouped(&table.view(), &[0, 1, u32::MAX, 1], 2, 1, 0)).contains("row 3: the row is in no group"));
    assert!(said(leave_one_out(&View::of_rows(&table, &[1]).unwrap())).contains("1 row"));
    assert!(
        said(stratified(&View::of_rows(&table, &[1, 2, 1]).unwrap(), 2, 1, 0))
            .contains("row 2: the row is there twice")
    );
}

#[test]
fn both_shapes_of_given_splits_are_read() {
    let table = of_classes(&[0, 1, 0, 1, 9]);
    let view = table.view();
    let first =
        given(&view, r#"{"splits": [{"train": [0, 1], "test": [2, 3]}, {"train": [2, 3]}]}"#, "s.json").unwrap();
    let second = given(&view, r#"{"n": 5, "train": [[0, 1], [2, 3]], "test": [[3, 2], [0, 1]]}"#, "s.json").unwrap();
    assert_eq!(first, second);
    let third = given(&view, r#"{"index_base": 1, "note": "…", "train": [[1, 2], [3, 4]]}"#, "s.json").unwrap();
    assert_eq!(first, third);
    let fold = first.fold(1).unwrap();
    assert_eq!((fold.train, fold.test, fold.repeat, fold.fold), (vec![2, 3], vec![0, 1], 0, 1));
    let part = given(&view, r#"{"splits": [{"train": [0, 4], "test": [3]}]}"#, "s.json").unwrap();
    assert_eq!(part.fold(0).unwrap().train, [0]);
    assert!(part.notes[0].to_string().contains("1 row of the given splits has no target and is left out"));
}

#[test]
fn wrong_splits_say_where_and_what() {
    let table = of_classes(&[0, 1, 0, 1, 9]);
    let said = |text: &str| given(&table.view(), text, "s.json").unwrap_err().to_string();
    let overlap = said(r#"{"splits": [{"train": [0]}, {"train": [0, 1], "test": [2, 1]}]}"#);
    assert!(overlap.contains("`s.json`: split 2: row 1 is both in `train` and in `test`"), "{overlap}");
    assert!(said(r#"{"train": [[0, 5]]}"#).contains("split 1: there is no row 5; rows go from 0 to 4"));
    assert!(said(r#"{"train": [[0, 5]], "index_base": 1}"#).contains("there is no row 0; rows go from 1 to 5"));
    assert!(said(r#"{"train": [[0, 0]]}"#).contains("row 0 is listed twice"));
    assert!(said(r#"{"train": [[0]], "test": []}"#).contains("1 lists to train on and 0 to test on"));
    assert!(said(r#"{"train": [[0]], "test": [[4]]}"#).contains("`test` has no row with a target"));
    assert!(said(r#"{"train": [[]]}"#).contains("`train` has no row"));
    assert!(said(r#"{"n": 7, "train": [[0]]}"#).contains("for 7 rows, the table has 5"));
    assert!(said(r#"{"n": 5}"#).contains("either `splits`, or `train` and `test`"));
    assert!(said(r#"{"splits": []}"#).contains("there are no splits"));
    assert!(said(r#"{"train": [[-1]]}"#).contains("line 1 column"));
    assert!(said(r#"{"train": [[0]], "index_base": 2}"#).contains("`index_base` is 2"));
    assert!(said("nonsense").contains("these are not splits"));
}

#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn the_benchmark_files_are_read() {
    for (name, rows, splits, train) in
        [("raetsch_splice", 3175, 1, 1000), ("raetsch_titanic", 2201, 10, 150), ("raetsch_waveform", 5000, 10, 400)]
    {
        let file = std::fs::File::open(crate::common::data_file(&format!("{name}_splits.json.gz"))).unwrap();
        let text = std::io::read_to_string(flate2::read::GzDecoder::new(file)).unwrap();
        let table = of_classes(&(0..rows).map(|i| i % 2).collect::<Vec<_>>());
        let plan = given(&table.view(), &text, name).unwrap();
        assert_eq!(plan.len(), splits);
        for fold in plan.iter() {
            assert_eq!((fold.train.len(), fold.test.len()), (train, rows as usize - train));
        }
    }
}
