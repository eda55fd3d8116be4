//! Counts against the reference programs, and by rules that fit on a page.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::base::NoteKind;
use crate::fixtures::fixture;
use crate::table::{Categories, Column, Covariate, Table, Target};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

/// Columns of counts with a target of two classes: the first half of the rows, and the others.
fn table(columns: Vec<Vec<f64>>) -> Table {
    let rows = columns[0].len();
    let labels: Vec<Option<&str>> = (0..rows).map(|row| Some(if 2 * row < rows { "a" } else { "b" })).collect();
    let names = (0..columns.len()).map(|i| format!("g{i}")).collect();
    Table::new(names, columns, "group", Target::classes(&labels)).unwrap()
}

fn settings(normalize: Normalize, min_count: f64) -> CountSettings {
    CountSettings { normalize, min_count }
}

/// The log counts per million of a table's own rows, every feature used.
fn normalised(table: &Table, normalize: Normalize) -> Vec<Vec<f64>> {
    let normaliser = settings(normalize, 0.0).learn(&table.view()).unwrap().unwrap();
    let applied = normaliser.apply(&table.view()).unwrap();
    applied.columns().iter().map(|column| column.numbers().unwrap().to_vec()).collect()
}

/// The TMM factors of a table's own rows.
fn factors(columns: Vec<Vec<f64>>) -> Vec<f64> {
    let table = table(columns);
    let view = table.view();
    let all: Vec<u32> = (0..view.n_features() as u32).collect();
    let counts = checked_counts::CountColumns::of(&view, &all).unwrap();
    tmm::TmmReference::learn(&counts, &counts.library_sizes().unwrap()).unwrap().1
}

fn error(columns: Vec<Vec<f64>>) -> String {
    settings(Normalize::Tmm, 10.0).learn(&table(columns).view()).unwrap_err().to_string()
}

fn assert_close(found: &[Vec<f64>], expected: &[Vec<f64>]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{found} is not {expected}");
    }
}

/// A count per feature and row that has no pattern.
fn some_counts(features: usize, rows: usize) -> Vec<Vec<f64>> {
    let count = |i: usize, row: usize| ((i * 7919 + row * 104_729 + i * row * 31) % 97 + (i % 7) * 40) as f64;
    (0..features).map(|i| (0..rows).map(|row| count(i, row)).collect()).collect()
}

#[test]
fn log_counts_per_million_are_those_of_the_reference_program() {
    let expected = fixture("oracle/designs/counts_logcpm.json");
    let columns = matrix(&expected["counts"]);
    assert_close(&[factors(columns.clone())], &[numbers(&expected["tmm"])]);
    let table = table(columns);
    assert_close(&normalised(&table, Normalize::LogCpm), &matrix(&expected["logcpm"]));
    assert_close(&normalised(&table, Normalize::Tmm), &matrix(&expected["logcpm_tmm"]));
    let expected = fixture("oracle/designs/counts_trend.json");
    let table = self::table(matrix(&expected["counts"]));
    assert_close(&normalised(&table, Normalize::Tmm), &matrix(&expected["logcpm_tmm"]));
}

#[test]
fn rows_in_another_order_have_the_same_factors() {
    let columns = some_counts(60, 7);
    let order = [3, 0, 6, 2, 5, 1, 4];
    let permuted = columns.iter().map(|column| order.iter().map(|&row| column[row]).collect()).collect();
    let (before, after) = (factors(columns), factors(permuted));
    for (at, &row) in order.iter().enumerate() {
        assert!((after[at] - before[row]).abs() < 1e-14, "{after:?} {before:?}");
    }
    let log_mean = before.iter().map(|f| f.ln()).sum::<f64>();
    assert!(log_mean.abs() < 1e-12 && before.iter().any(|f| (f - 1.0).abs() > 0.01));
}

#[test]
fn rows_that_differ_in_depth_alone_have_the_factor_one() {
    let one = some_counts(40, 1).concat();
    let columns = one.iter().map(|&count| vec![count, 2.0 * count, 5.0 * count, 3.0 * count]).collect();
    assert_eq!(factors(columns), [1.0; 4]);
}

#[test]
fn the_first_of_equally_near_rows_is_the_reference() {
    // Rows 0 and 2 are the same, and so are 1 and 3: all upper quartiles lie equally far from their mean.
    let columns: Vec<Vec<f64>> = some_counts(40, 2).into_iter().map(|c| vec![c[0], c[1], c[0], c[1]]).collect();
    let table = table(columns.clone());
    let view = table.view();
    let all: Vec<u32> = (0..40).collect();
    let counts = checked_counts::CountColumns::of(&view, &all).unwrap();
    let (reference, factors) = tmm::TmmReference::learn(&counts, &counts.library_sizes().unwrap()).unwrap();
    assert_eq!(reference.counts, counts.row(0));
    assert_ne!(reference.counts, counts.row(1));
    assert_eq!((factors[0], factors[1]), (factors[2], factors[3]));
}

#[test]
fn where_most_upper_quartiles_are_zero_the_largest_sum_of_roots_is_the_reference() {
    // Row 2 has three features of twenty, rows 0 and 1 have one, and the nearest to the mean would be row 0.
    let mut columns = vec![vec![0.0, 0.0, 0.0, 1.0]; 20];
    columns[0] = vec![50.0, 40.0, 9.0, 60.0];
    columns[1] = vec![0.0, 0.0, 400.0, 0.0];
    columns[2] = vec![0.0, 0.0, 225.0, 0.0];
    let table = table(columns);
    let view = table.view();
    let all: Vec<u32> = (0..20).collect();
    let counts = checked_counts::CountColumns::of(&view, &all).unwrap();
    let (reference, _) = tmm::TmmReference::learn(&counts, &counts.library_sizes().unwrap()).unwrap();
    assert_eq!(reference.counts, counts.row(2), "√9 + √400 + √225 = 38, and √60 + 17 = 24.7");
}

#[test]
fn new_rows_are_normalised_with_what_training_rows_taught() {
    let all = table(some_counts(50, 10));
    let view = all.view();
    let training = view.of_these_rows(&[0, 1, 2, 5, 6, 7, 9]).unwrap();
    let normaliser = settings(Normalize::Tmm, 0.0).learn(&training).unwrap().unwrap();
    let alone = normaliser.apply(&training).unwrap();
    let together = normaliser.apply(&view).unwrap();
    for (alone, together) in alone.columns().iter().zip(together.columns()) {
        let (alone, together) = (alone.numbers().unwrap(), together.numbers().unwrap());
        assert!(alone[3].is_nan() && alone[4].is_nan() && !together[3].is_nan());
        training.rows().iter().for_each(|&row| assert_eq!(alone[row as usize], together[row as usize]));
    }
    let read: CountNormaliser = serde_json::from_str(&serde_json::to_string(&normaliser).unwrap()).unwrap();
    assert_eq!(read, normaliser);
    assert_eq!((read.fault(), read.normalize()), (None, Normalize::Tmm));
    assert_eq!(normaliser.notes(&view).len(), 1);
}

#[test]
fn features_with_too_few_counts_are_dropped() {
    // Libraries of equal size, classes of three rows: a count of 10 in three rows is needed, and 15 in all.
    let mut columns = vec![
        vec![10.0, 10.0, 10.0, 0.0, 0.0, 0.0],
        vec![10.0, 10.0, 9.0, 9.0, 9.0, 9.0],
        vec![0.0, 0.0, 10.0, 0.0, 40.0, 90.0],
        vec![0.0, 0.0, 100.0, 100.0, 0.0, 0.0],
    ];
    let rest = |row: usize| 500.0 - columns.iter().map(|column| column[row]).sum::<f64>();
    columns.push((0..6).map(rest).collect());
    let table = table(columns);
    let kept = |min_count: f64| {
        let normaliser = settings(Normalize::LogCpm, min_count).learn(&table.view()).unwrap().unwrap();
        (normaliser.features().join(" "), normaliser.notes(&table.view()))
    };
    let (features, notes) = kept(10.0);
    assert_eq!(features, "g0 g2 g4");
    assert_eq!(notes[1].kind, NoteKind::TooFewCounts);
    assert_eq!(notes[1].features, ["g1", "g3"]);
    assert_eq!(kept(9.0).0, "g0 g1 g2 g4");
    assert_eq!(kept(0.0).0, "g0 g1 g2 g3 g4");
    let none = settings(Normalize::LogCpm, 1e6).learn(&table.view()).unwrap_err().to_string();
    assert!(none.contains("no feature has enough counts (1000000 in 3 rows)"), "{none}");
}

#[test]
fn of_a_large_class_seven_tenths_of_the_further_rows_need_the_count() {
    // Two classes of 20 rows: a count is needed in 10 + 0.7·10 = 17 rows.
    let with = |rows: usize| (0..40).map(|row| if row < rows { 12.0 } else { 0.0 }).collect::<Vec<f64>>();
    let rest = (0..40).map(|row| 1000.0 - 12.0 * f64::from(u8::from(row < 16) + u8::from(row < 17))).collect();
    let table = table(vec![with(16), with(17), rest]);
    let normaliser = settings(Normalize::LogCpm, 10.0).learn(&table.view()).unwrap().unwrap();
    assert_eq!(normaliser.features(), ["g1", "g2"]);
}

#[test]
fn values_that_are_no_counts_are_refused_with_their_place() {
    let with = |value: f64| {
        let mut columns = some_counts(5, 6);
        columns[3][4] = value;
        error(columns)
    };
    for value in [-1.0, -0.5] {
        let said = with(value);
        assert!(said.starts_with(&format!("row 5, column `g3`: {value} is not a count")), "{said}");
    }
    assert!(with(f64::NAN).starts_with("row 5, column `g3`: the count is missing"));
    let mut columns = some_counts(5, 6);
    columns.iter_mut().for_each(|column| column[2] = 0.0);
    assert!(error(columns).starts_with("row 3: the counts of all 5 features used are 0"));
    let category = Column::Categories(Categories::of((0..4).map(|row| Some(["f", "m"][row % 2]))));
    let columns = vec![Column::Numbers(vec![20.0; 4]), category.clone(), category];
    let target = Target::classes(&["a", "a", "b", "b"].map(Some));
    let table = Table::new(["g", "sex", "site"].map(String::from).to_vec(), columns, "y", target).unwrap();
    let said = settings(Normalize::LogCpm, 10.0).learn(&table.view()).unwrap_err().to_string();
    assert!(said.starts_with("categories are no counts: `sex`, `site`; leave them out"), "{said}");
    let said = settings(Normalize::LogCpm, f64::NAN).learn(&table.view()).unwrap_err().to_string();
    assert!(said.contains("CountSettings::min_count"), "{said}");
}

#[test]
fn a_damaged_normaliser_is_noticed() {
    let table = table(some_counts(5, 6));
    let normaliser = settings(Normalize::Tmm, 0.0).learn(&table.view()).unwrap().unwrap();
    let fault = |change: fn(&mut Value)| {
        let mut document = serde_json::to_value(&normaliser).unwrap();
        change(&mut document);
        serde_json::from_value::<CountNormaliser>(document).unwrap().fault()
    };
    assert_eq!(fault(|_| ()), None);
    assert!(fault(|d| d["features"][0] = d["features"][1].clone()).is_some());
    assert!(fault(|d| d["mean_library_size"] = 0.0.into()).is_some());
    assert!(fault(|d| d["tmm"]["counts"][0] = (-1.0).into()).is_some());
    assert!(fault(|d| drop(d["features"].as_array_mut().unwrap().pop())).is_some());
}

#[test]
fn only_tables_of_whole_numbers_with_a_wide_range_look_like_counts() {
    let looks = |columns: Vec<Vec<f64>>| looks_like_counts(&table(columns).view());
    let mut counts = some_counts(20, 6);
    counts[0] = vec![1.0, 0.0, 2.0, 0.0, 1.0, 0.0];
    let note = looks(counts.clone()).unwrap();
    assert_eq!(note.kind, NoteKind::LooksLikeCounts);
    assert!(note.to_string().contains("`CountSettings::normalize = tmm`"), "{note:?}");
    assert_eq!(looks(counts[..19].to_vec()), None, "too few features");
    let changed = |change: &dyn Fn(f64) -> f64| {
        counts.iter().map(|column| column.iter().map(|&x| change(x)).collect()).collect::<Vec<Vec<f64>>>()
    };
    assert_eq!(looks(changed(&|x| x / 2.0)), None, "not whole");
    assert_eq!(looks(changed(&|x| -x)), None, "negative");
    assert_eq!(looks(changed(&|x| x.min(1.0))), None, "0 and 1");
    assert_eq!(looks(changed(&|x| x % 30.0)), None, "codes of categories");
    assert_eq!(looks(changed(&|x| x + 1000.0)), None, "one scale for all");
    assert_eq!(looks(changed(&|x| if x == 1.0 { f64::NAN } else { x })), None, "missing");
}

#[test]
fn names_of_normalisations_are_read_back() {
    for (name, way) in Normalize::ALL {
        assert_eq!((name.parse::<Normalize>().unwrap(), way.to_string().as_str()), (way, name));
        assert_eq!(serde_json::to_value(way).unwrap(), name);
    }
    assert!("TMM".parse::<Normalize>().is_err());
    assert!(Normalize::Tmm.gives_log_counts() && !Normalize::None.gives_log_counts());
    assert_eq!(CountSettings::default().learn(&table(vec![vec![-0.5; 4]]).view()).unwrap(), None);
}

/// The counts of a fixture, features × samples.
fn counted(file: &Value) -> Vec<Vec<f64>> {
    matrix(&file["counts"])
}

/// The features of a table that have enough counts.
fn kept(table: &Table) -> Vec<bool> {
    let view = table.view();
    let normaliser = settings(Normalize::LogCpm, 10.0).learn(&view).unwrap().unwrap();
    view.names().iter().map(|name| normaliser.features().contains(name)).collect()
}

fn wanted(file: &Value, key: &str) -> Vec<bool> {
    file[key].as_array().unwrap().iter().map(|x| x.as_bool().or(x.as_f64().map(|x| x != 0.0)).unwrap()).collect()
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("g{i}")).collect()
}

#[test]
fn the_filter_of_a_numeric_design_is_that_of_edger() {
    let file = fixture("oracle/designs2/filter_numeric.json");
    let columns = counted(&file);
    let target = Target::Real { values: numbers(&file["y"]) };
    let table = Table::new(names(columns.len()), columns, "y", target).unwrap();
    assert_eq!(kept(&table), wanted(&file, "keep_y"));
    let labels: Vec<Option<&str>> = file["batch"].as_array().unwrap().iter().map(Value::as_str).collect();
    let batch = Covariate { name: "batch".into(), values: Categories::of(labels).into() };
    let adjusted = table.with_covariates(vec![batch]).unwrap();
    assert_eq!(kept(&adjusted), wanted(&file, "keep_y_batch"));
    assert_ne!(wanted(&file, "keep_y"), wanted(&file, "keep_y_batch"));
}

#[test]
fn counts_need_not_be_whole() {
    let file = fixture("oracle/designs2/filter_fractional.json");
    let columns = counted(&file);
    assert!(columns.iter().flatten().any(|count| count.fract() != 0.0));
    let labels: Vec<Option<&str>> = file["group"].as_array().unwrap().iter().map(Value::as_str).collect();
    let table = Table::new(names(columns.len()), columns.clone(), "group", Target::classes(&labels)).unwrap();
    assert_eq!(kept(&table), wanted(&file, "keep_group"));
    assert_close(&[factors(columns)], &[numbers(&file["tmm"])]);
    assert_close(&normalised(&table, Normalize::Tmm)[..40], &matrix(&file["logcpm_tmm_first"]));
}

#[test]
fn a_feature_without_any_count_is_constant() {
    let mut columns = some_counts(30, 8);
    columns.push(vec![0.0; 8]);
    let last = &normalised(&table(columns), Normalize::Tmm)[30];
    assert!(last.iter().all(|x| (x - last[0]).abs() < 1e-12), "{last:?}");
}
