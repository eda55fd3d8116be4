//! Constructors refuse data that do not fit together; none of them panics.

use tamis::table::{Categories, MISSING, RowWeights, Study, Table, Target, View, WeightKind};
use tamis::{Error, Result};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn two_classes() -> Target {
    Target::of_codes(names(&["no", "yes"]), vec![0, 1, 0, 1], 1).unwrap()
}

fn table() -> Table {
    Table::new(names(&["x"]), vec![vec![0.5, 1.5, 2.5, 3.5]], "y", two_classes()).unwrap()
}

fn refused<T>(result: Result<T>, parts: &[&str]) {
    let error = result.err().expect("refused").to_string();
    parts.iter().for_each(|part| assert!(error.contains(part), "`{part}` is not in: {error}"));
}

#[test]
fn a_target_refuses_codes_without_a_name() {
    refused(Target::of_codes(names(&["no", "yes"]), vec![0, 1, 2, 1], 1), &["row 3", "code 2", "2 names"]);
    refused(Target::of_codes(vec![], vec![0, MISSING], 0), &["row 1", "code 0"]);
    assert!(Target::of_codes(names(&["no", "yes"]), vec![0, MISSING], 1).is_ok());
}

#[test]
fn a_target_refuses_a_positive_class_that_is_none() {
    let error = Target::of_codes(names(&["no", "yes"]), vec![0, 1], 2).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. }), "{error}");
}

#[test]
fn a_target_refuses_two_classes_of_one_name() {
    refused(Target::of_codes(names(&["yes", "yes"]), vec![0, 1], 1), &["`yes`", "more than one class"]);
}

#[test]
fn a_target_of_numbers_refuses_weights_of_another_length() {
    refused(Target::of_numbers(&[0.0, 1.0, 0.0], Some(&importance(&[1.0, 1.0])), None), &["2 weights for 3 rows"]);
}

#[test]
fn a_table_refuses_a_target_whose_codes_were_changed_to_none() {
    let mut target = two_classes();
    if let Target::Classes { codes, .. } = &mut target {
        codes[1] = 7;
    }
    let columns = vec![vec![0.5, 1.5, 2.5, 3.5]];
    refused(Table::new(names(&["x"]), columns, "y", target.clone()), &["row 2", "column `y`", "code 7"]);
    refused(table().view().with_target(&target), &["row 2", "code 7"]);
}

fn importance(weights: &[f64]) -> RowWeights {
    RowWeights::new(weights.to_vec(), WeightKind::Importance).unwrap()
}

#[test]
fn a_table_refuses_weights_of_another_length() {
    refused(table().with_weights(importance(&[1.0; 3])), &["3 weights for 4 rows"]);
    refused(RowWeights::new(vec![1.0, 1.0, -1.0, 1.0], WeightKind::Importance), &["row 3", "the weight is -1"]);
    refused(RowWeights::new(vec![1.0, 1.5], WeightKind::Frequency), &["row 2", "1.5", "importance"]);
}

#[test]
fn columns_of_another_length_are_refused() {
    let one = Table::new(names(&["x"]), vec![vec![1.0, 2.0]], "y", Target::Real { values: vec![1.0, 2.0] }).unwrap();
    refused(Table::to_predict(&one, &[0], names(&["x", "z"])), &["2 names for 1 column"]);
    let three = Study::new("y", Target::Real { values: vec![1.0, 2.0, 3.0] }, None).unwrap();
    refused(View::new(&one, &three), &["2 values", "3 rows"]);
    refused(Table::of(&one, three), &["column `x`", "2 values"]);
}

#[test]
fn categories_refuse_codes_without_a_name() {
    refused(Categories::new(names(&["a", "b"]), vec![0, 2]), &["row 2", "code 2"]);
    refused(Categories::new(names(&["a", "a"]), vec![0, 1]), &["`a`", "more than one category"]);
}

#[test]
fn categories_sort_their_names_and_keep_every_row() {
    let categories = Categories::new(names(&["b", "a"]), vec![0, 1, MISSING, 0]).unwrap();
    assert_eq!(categories, Categories::of([Some("b"), Some("a"), None, Some("b")]));
    assert_eq!((categories.labels(), categories.codes()), (&names(&["a", "b"])[..], &[1, 0, MISSING, 1][..]));
}

#[test]
fn a_view_refuses_rows_that_the_table_does_not_have() {
    let table = table();
    refused(View::of_rows(&table, &[0, 4]), &["no row number 4", "4 rows"]);
    refused(table.view().of_these_rows(&[9]), &["no row number 9"]);
    assert_eq!(View::of_rows(&table, &[3, 0]).unwrap().rows(), [3, 0]);
}

#[test]
fn a_view_refuses_weights_that_are_none() {
    let table = table();
    let view = table.view();
    refused(view.with_weights(&importance(&[1.0; 5])), &["5 weights for 4 rows"]);
    refused(RowWeights::new(vec![1.0, f64::NAN], WeightKind::Importance), &["row 2", "the weight is missing"]);
    assert_eq!(view.with_weights(&importance(&[0.0, 1.0, 0.0, 2.0])).unwrap().rows(), [1, 3]);
}

#[test]
fn a_view_refuses_a_target_of_another_length_and_leaves_out_rows_without_one() {
    let table = table();
    refused(table.view().with_target(&Target::Real { values: vec![1.0; 3] }), &["3 target values for 4 rows"]);
    let partly = Target::of_codes(names(&["no", "yes"]), vec![0, MISSING, 1, 1], 1).unwrap();
    assert_eq!(table.view().with_target(&partly).unwrap().rows(), [0, 2, 3]);
}
