//! `dependence` on tables with known relations: what it finds, of which kind, and what it refuses.

use crate::common::data_file;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use tamis::dependence::Dependence;
use tamis::numeric::random;
use tamis::selection::detail::{DependenceDetail, RelationKind};
use tamis::table::{self, Categories, Column, Covariate, Input, ReadOptions, RowWeights, Target, WeightKind};
use tamis::{Context, Method, NoteKind, Selection, Selector, Table};

/// Standard normal columns.
fn normal(rows: usize, columns: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = random::stream(seed, 0);
    (0..columns).map(|_| (0..rows).map(|_| StandardNormal.sample(&mut rng)).collect()).collect()
}

fn labelled<C: Into<Column>>(columns: Vec<C>, classes: &[usize]) -> Table {
    const LABELS: [&str; 4] = ["a", "b", "c", "d"];
    let labels: Vec<Option<&str>> = classes.iter().map(|class| Some(LABELS[*class])).collect();
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    Table::new(names, columns, "y", Target::classes(&labels)).unwrap()
}

fn select(table: &Table) -> (Selection, DependenceDetail) {
    let selection = Dependence::default().select(&table.view(), &mut Context::default()).unwrap();
    let detail = selection.detail.dependence.clone().unwrap();
    (selection, detail)
}

/// Column 0 is higher, column 1 wider in class 1; the exclusive or of columns 2 and 3 is the class.
fn planted(rows: usize, columns: usize, seed: u64) -> Table {
    let mut columns = normal(rows, columns, seed);
    let classes: Vec<usize> = (0..rows).map(|row| usize::from(columns[2][row] * columns[3][row] > 0.0)).collect();
    for row in 0..rows {
        columns[0][row] += classes[row] as f64;
        columns[1][row] *= 1.0 + 2.0 * classes[row] as f64;
    }
    labelled(columns, &classes)
}

#[test]
fn level_shape_and_pairs_are_told_apart() {
    let (selection, detail) = select(&planted(300, 60, 1));
    let mut found = selection.selected.clone();
    found.sort_unstable();
    assert_eq!(found[..4], [0, 1, 2, 3]);
    assert!(found.len() <= 6, "{found:?}");
    use RelationKind::{Level, Shape, Together};
    assert_eq!(detail.kinds[..4], [Level, Shape, Together, Together].map(Some));
    assert_eq!(detail.partners[..4], [None, None, Some(3), Some(2)]);
    assert!(selection.probabilities.is_none() && selection.effects.is_none());
    let q = selection.q_values.unwrap();
    assert!((0..60).all(|i| selection.selected.contains(&(i as u32)) == (q[i] <= 0.05)));
    // the default sees the level only; a tenth of what it names may be false
    let default = Method::find("snbl").unwrap().select(&planted(300, 60, 1).view(), &mut Context::default()).unwrap();
    assert!(default.selected[0] == 0 && default.selected.len() <= 3);
    assert!([1, 2, 3].iter().all(|other| !default.selected.contains(other)), "{:?}", default.selected);
}

#[test]
fn a_small_class_that_is_wider_is_found_by_the_tails() {
    let (mut found, mut false_ones) = (0, 0);
    for seed in 0..6 {
        let mut columns = normal(500, 100, 100 + seed);
        let classes: Vec<usize> = (0..500).map(|row| usize::from(row % 10 == 0)).collect();
        for column in &mut columns[..5] {
            column.iter_mut().zip(&classes).for_each(|(x, class)| *x *= 1.0 + 1.5 * *class as f64);
        }
        let (selection, _) = select(&labelled(columns, &classes));
        found += selection.selected.iter().filter(|i| **i < 5).count();
        false_ones += selection.selected.iter().filter(|i| **i >= 5).count();
    }
    assert!(found >= 29, "{found} of 30; fifths alone find about 25");
    assert!(false_ones <= 4, "{false_ones}");
}

#[test]
fn columns_and_rows_may_come_in_any_order_and_on_any_number_of_threads() {
    let table = planted(150, 140, 2); // more than a tile of pairs
    let (here, detail) = select(&table);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (alone, same) = one.install(|| select(&table));
    assert_eq!((&here.scores, &detail), (&alone.scores, &same));
    let reversed: Vec<u32> = (0..140).rev().collect();
    let turned = table.view().narrowed(&reversed);
    let (turned, other) = select(&turned);
    for i in 0..140 {
        assert!((here.scores[i] - turned.scores[139 - i]).abs() < 1e-9, "{i}");
        assert_eq!(detail.kinds[i], other.kinds[139 - i]);
        let partner = other.partners[139 - i].map(|p| 139 - p);
        assert_eq!(detail.partners[i], partner);
    }
}

#[test]
fn monotone_functions_of_a_column_change_nothing() {
    let table = planted(120, 30, 3);
    let columns: Vec<Vec<f64>> =
        table.columns().iter().map(|c| c.numbers().unwrap().iter().map(|x| (2.0 * x).exp() - 5.0).collect()).collect();
    let classes: Vec<usize> = (0..120)
        .map(|row| {
            let x = |j: usize| table.columns()[j].numbers().unwrap()[row];
            usize::from(x(2) * x(3) > 0.0)
        })
        .collect();
    assert_eq!(select(&table).0.scores, select(&labelled(columns, &classes)).0.scores);
}

#[test]
fn noise_is_seldom_taken_for_anything() {
    let mut named = 0;
    for seed in 0..30 {
        let classes: Vec<usize> = (0..80).map(|row| row % 2).collect();
        named += usize::from(!select(&labelled(normal(80, 30, 100 + seed), &classes)).0.selected.is_empty());
    }
    assert!(named <= 5, "{named} of 30"); // one in 20 is expected; six or more happen once in 300
}

#[test]
fn several_classes_numeric_targets_and_categories() {
    let classes: Vec<usize> = (0..240).map(|row| row * 7 % 4).collect();
    let mut columns = normal(240, 20, 4);
    (0..240).for_each(|row| columns[5][row] += 1.5 * f64::from(u8::from(classes[row] == 2)));
    let mut rng = random::stream(9, 0);
    let city =
        |class: usize, u: f64| ["rome", "oslo", "bonn"][if u < 0.6 { class % 3 } else { (u * 10.0) as usize % 3 }];
    let cities = Categories::of(classes.iter().map(|class| Some(city(*class, rng.random()))).collect::<Vec<_>>());
    let mut all: Vec<Column> = columns.iter().cloned().map(Column::from).collect();
    all.push(cities.into());
    let (selection, detail) = select(&labelled(all, &classes));
    assert!(selection.selected.contains(&5) && selection.selected.contains(&20), "{:?}", selection.selected);
    assert_eq!((detail.kinds[5], detail.kinds[20]), (Some(RelationKind::Level), Some(RelationKind::Shape)));

    let names = (0..20).map(|j| format!("f{j}")).collect();
    let values = columns[7].iter().zip(&columns[8]).map(|(x, e)| x * x + 0.3 * e).collect();
    let (selection, detail) = select(&Table::new(names, columns, "y", Target::Real { values }).unwrap());
    assert_eq!(selection.selected[0], 7);
    assert_eq!(detail.kinds[7], Some(RelationKind::Shape)); // a parabola has no trend
}

#[test]
fn missing_values_can_be_the_relation() {
    let classes: Vec<usize> = (0..100).map(|row| row % 2).collect();
    let mut columns = normal(100, 12, 5);
    (0..100).filter(|row| row % 2 == 1 && row % 3 > 0).for_each(|row| columns[4][row] = f64::NAN);
    columns[7] = vec![3.0; 100];
    columns[8] = (0..100).map(|row| if row % 4 == 1 { f64::NAN } else { 1.0 }).collect(); // one value, but it varies
    let (selection, detail) = select(&labelled(columns, &classes));
    let mut found = selection.selected.clone();
    found.sort_unstable();
    assert_eq!(found, [4, 8]);
    assert_eq!(detail.kinds[8], Some(RelationKind::Shape));
    assert!(selection.scores[7].is_nan() && selection.ranks[7] == 12);
    let kinds: Vec<NoteKind> = selection.notes.iter().map(|note| note.kind).collect();
    assert!(kinds.contains(&NoteKind::ConstantFeature) && kinds.contains(&NoteKind::MissingValues), "{kinds:?}");
}

#[test]
fn finds_by_shape_alone_raise_suspicion() {
    let classes: Vec<usize> = (0..100).map(|row| row % 2).collect();
    let mut columns = normal(100, 30, 6);
    for column in &mut columns[..20] {
        (0..100).filter(|row| row % 2 == 1).for_each(|row| column[row] *= 4.0); // a batch on another scale
    }
    let (selection, _) = select(&labelled(columns, &classes));
    assert!(selection.notes.iter().any(|note| note.kind == NoteKind::ShapesDominate), "{:?}", selection.notes);
    let (plain, _) = select(&planted(300, 60, 1));
    assert!(plain.notes.iter().all(|note| note.kind != NoteKind::ShapesDominate));
}

#[test]
fn what_cannot_be_judged_is_refused_with_the_remedy() {
    let table = planted(60, 8, 7);
    let refused = |table: &Table| {
        let method = Method::find("dependence").unwrap();
        method.select(&table.view(), &mut Context::default()).unwrap_err().to_string()
    };
    let weights = (0..60).map(|row| 1.0 + f64::from(row / 2 % 2)).collect();
    let weights = RowWeights::new(weights, WeightKind::Importance).unwrap();
    let weighted = table.clone().with_weights(weights).unwrap();
    assert_eq!(refused(&weighted), "`dependence` takes no weights; remove `ReadOptions::weight`");
    let age = Covariate { name: "age".into(), values: Column::Numbers((0..60).map(f64::from).collect()) };
    let adjusted = table.clone().with_covariates(vec![age]).unwrap();
    assert!(refused(&adjusted).contains("does not adjust for other columns"), "{}", refused(&adjusted));
    let blocks = Categories::of((0..60).map(|row| Some(format!("p{}", row / 2))));
    assert!(refused(&table.clone().with_blocks("patient", blocks).unwrap()).contains("does not adjust"));
    let constant = labelled(vec![vec![1.0; 20]], &(0..20).map(|row| row % 2).collect::<Vec<_>>());
    assert!(refused(&constant).contains("single value"), "{}", refused(&constant));
    for (key, value) in [("permutations", "19"), ("fdr", "0"), ("fdr", "1")] {
        let error = Method::from_settings("dependence", [(key, value)]).unwrap_err().to_string();
        assert!(error.contains(&format!("`{key}` cannot be {value}")), "{error}");
    }
    // a single feature has no partner, and is tested alone
    let single = table.view().narrowed(&[0]);
    assert_eq!(select(&single).0.selected, [0]);
}

#[test]
#[ignore = "needs ../shared/data"]
fn madelons_features_are_found_and_no_probe() {
    const RELEVANT: [u32; 20] =
        [29, 49, 65, 106, 129, 154, 242, 282, 319, 337, 339, 379, 434, 443, 452, 454, 456, 473, 476, 494];
    let file = data_file("madelon_train.csv.gz");
    let options = ReadOptions::target("label");
    let table = table::read(Input::open(&file).unwrap(), &options, &mut Context::default()).unwrap();
    let (selection, _) = select(&table);
    let found = selection.selected.iter().filter(|i| RELEVANT.contains(&(*i + 1))).count();
    assert!(found >= 19 && selection.selected.len() == found, "{found} of {}", selection.selected.len());
}
