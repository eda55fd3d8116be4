//! A second look after `snbl` tells of other relations, and not of differences of means again.

use rand::RngExt;
use tamis::dependence::Dependence;
use tamis::numeric::random;
use tamis::selection::detail::RelationKind;
use tamis::table::Target;
use tamis::{Context, Selector, Snbl, Table};

const ROWS: usize = 150;
const FEATURES: usize = 100;
const STRONG: usize = 20;

/// A table of normal features with a fifth of the rows in one class, where 20 features differ by 3 standard deviations and
/// 30 by a little.
fn differences_only(seed: u64) -> Table {
    let mut rng = random::stream(seed, 0);
    let one = |row: usize| row.is_multiple_of(5);
    let shift = |column: usize| match column {
        0..STRONG => 3.0,
        STRONG..50 => 0.3,
        _ => 0.0,
    };
    let mut value = |row: usize, column: usize| {
        let normal: f64 = rng.sample(rand_distr::StandardNormal);
        normal + if one(row) { shift(column) } else { 0.0 }
    };
    let columns: Vec<Vec<f64>> =
        (0..FEATURES).map(|column| (0..ROWS).map(|row| value(row, column)).collect()).collect();
    let labels: Vec<Option<&str>> = (0..ROWS).map(|row| Some(if one(row) { "a" } else { "b" })).collect();
    Table::new((0..FEATURES).map(|j| format!("f{j}")).collect(), columns, "y", Target::classes(&labels)).unwrap()
}

#[test]
fn differences_of_means_hardly_ever_pass_for_other_relations() {
    let (mut told, mut found) = (0, 0);
    for seed in 0..40 {
        let table = differences_only(seed);
        let mut selection = Snbl::default().select(&table.view(), &mut Context::default()).unwrap();
        assert!((0..STRONG as u32).all(|j| selection.selected.contains(&j)), "{:?}", selection.selected);
        selection.look_again(&table.view(), &mut Context::default()).unwrap();
        told += usize::from(!selection.second_look.as_ref().unwrap().is_empty());
        // the method itself must find such features: its false share counts the differences of means
        let method = Dependence::default().select(&table.view(), &mut Context::default()).unwrap();
        let kinds = method.detail.dependence.unwrap().kinds;
        let beside = |at: usize| {
            kinds[at].is_some_and(|kind| kind != RelationKind::Level) && !selection.selected.contains(&(at as u32))
        };
        found += usize::from((0..FEATURES).any(beside));
    }
    assert!(told <= 4, "{told} of 40 tables");
    assert!(found > told, "{found} of 40 tables, {told} told");
}
