//! `needed`: invariances, and what it refuses.

use rand_distr::{Distribution, StandardNormal};
use tamis::numeric::random;
use tamis::selection::NeededFeatures;
use tamis::table::{Categories, RowWeights, Target, WeightKind};
use tamis::{Context, Needed, Selection, Selector, Table};

fn normal(rows: usize, stream: u64) -> Vec<f64> {
    let mut rng = random::stream(41, stream);
    (0..rows).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// 100 rows of 60 columns: the target needs the first (which the third copies) and the second.
fn columns(rows: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut columns: Vec<Vec<f64>> = (0..60).map(|j| normal(rows, j)).collect();
    columns[2] = columns[0].iter().zip(normal(rows, 100)).map(|(x, e)| x + 0.2 * e).collect();
    let noise = normal(rows, 101);
    let y = (0..rows).map(|i| columns[0][i] - columns[1][i] + 0.7 * noise[i]).collect();
    (columns, y)
}

fn table(columns: Vec<Vec<f64>>, target: Target) -> Table {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    Table::new(names, columns, "y", target).expect("a table")
}

fn numbers() -> Table {
    let (columns, y) = columns(100);
    table(columns, Target::Real { values: y })
}

fn halves(y: &[f64], high: &str, low: &str) -> Target {
    Target::classes(&y.iter().map(|y| Some(if *y > 0.0 { high } else { low })).collect::<Vec<_>>())
}

fn select(table: &Table) -> Selection {
    Needed::default().select(&table.view(), &mut Context::seeded(5)).expect("a selection")
}

fn needed(table: &Table) -> NeededFeatures {
    select(table).needed.expect("an answer")
}

/// The names of the leads, sorted, with their probabilities.
fn leads(table: &Table) -> Vec<(String, f64)> {
    let found = needed(table);
    let name = |feature: u32| table.names()[feature as usize].clone();
    let mut leads: Vec<(String, f64)> = found.findings.iter().map(|f| (name(f.lead()), f.probability)).collect();
    leads.sort_by(|a, b| a.0.cmp(&b.0));
    leads
}

fn close(a: &[(String, f64)], b: &[(String, f64)]) {
    let names = |all: &[(String, f64)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b));
    a.iter().zip(b).for_each(|(a, b)| assert!((a.1 - b.1).abs() < 0.05, "{a:?} {b:?}"));
}

#[test]
fn causes_are_found_and_copies_stand_in_their_sets() {
    let selection = select(&numbers());
    let found = selection.needed.as_ref().expect("an answer");
    assert_eq!(found.findings.len(), 2, "{found:?}");
    assert!(found.gate.open && found.gate.p_value <= 0.05);
    assert!(found.findings.iter().any(|finding| finding.members == [1]));
    assert!(found.findings.iter().any(|finding| finding.members.contains(&0)));
    assert_eq!(selection.selected, found.leads());
    assert!(found.working_set.len() >= 2 && found.working_set.contains(&1));
}

#[test]
fn rows_and_columns_in_another_order_give_the_same_findings() {
    let (columns, y) = columns(100);
    let plain = leads(&table(columns.clone(), Target::Real { values: y.clone() }));
    let order: Vec<usize> = (0..100).map(|i| (i * 37 + 11) % 100).collect();
    let moved = |x: &Vec<f64>| order.iter().map(|&i| x[i]).collect::<Vec<f64>>();
    close(&plain, &leads(&table(columns.iter().map(moved).collect(), Target::Real { values: moved(&y) })));
    let names: Vec<String> = (0..60).rev().map(|j| format!("f{j}")).collect();
    let backwards = columns.into_iter().rev().collect();
    close(&plain, &leads(&Table::new(names, backwards, "y", Target::Real { values: y }).expect("a table")));
}

#[test]
fn the_scale_of_a_column_makes_no_difference() {
    let (mut columns, y) = columns(100);
    let plain = needed(&table(columns.clone(), Target::Real { values: y.clone() }));
    columns.iter_mut().enumerate().for_each(|(j, column)| column.iter_mut().for_each(|x| *x *= [4.0, 0.125][j % 2]));
    assert_eq!(plain, needed(&table(columns, Target::Real { values: y.clone() })));
}

#[test]
fn labels_may_change_places() {
    let (columns, y) = columns(150);
    let plain = leads(&table(columns.clone(), halves(&y, "a", "b")));
    assert!(!plain.is_empty());
    close(&plain, &leads(&table(columns, halves(&y, "b", "a"))));
}

#[test]
fn threads_make_no_difference() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| needed(&numbers()))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn more_rows_than_columns_give_the_same_findings_by_the_other_products() {
    let (columns, y) = columns(100);
    let few = |rows: usize| {
        let columns = columns.iter().map(|x| x[..rows].to_vec()).collect();
        leads(&table(columns, Target::Real { values: y[..rows].to_vec() }))
    };
    // 60 columns: 61 rows have more rows than columns, 60 rows have not
    let names = |all: Vec<(String, f64)>| all.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(few(61)), names(few(60)));
}

#[test]
fn covariates_and_blocks_are_taken_out() {
    let (mut columns, y) = columns(120);
    let batch: Vec<String> = (0..120).map(|i| format!("b{}", i % 4)).collect();
    let shifted: Vec<f64> = y.iter().enumerate().map(|(i, y)| y + 6.0 * (i % 4) as f64).collect();
    columns[7].iter_mut().enumerate().for_each(|(i, x)| *x += 6.0 * (i % 4) as f64);
    let named = |table: &Table| needed(table).findings.iter().any(|finding| finding.members.contains(&7));
    let plain = table(columns, Target::Real { values: shifted });
    assert!(named(&plain));
    let blocks = Categories::of(batch.iter().map(|b| Some(b.as_str())));
    let blocked = plain.clone().with_blocks("batch", blocks).expect("blocks");
    assert!(!named(&blocked));
    assert_eq!(needed(&blocked).findings.len(), 2);
}

#[test]
fn copies_of_rows_count_as_rows() {
    let (columns, y) = columns(80);
    let twice = |x: &Vec<f64>| x.iter().chain(x).copied().collect::<Vec<f64>>();
    let doubled = table(columns.iter().map(twice).collect(), Target::Real { values: twice(&y) });
    let weights = RowWeights::new(vec![2.0; 80], WeightKind::Frequency).expect("weights");
    let weighted = table(columns, Target::Real { values: y }).with_weights(weights).expect("weights");
    close(&leads(&doubled), &leads(&weighted));
}

#[test]
fn noise_names_nothing() {
    let (columns, _) = columns(60);
    let selection = select(&table(columns, Target::Real { values: normal(60, 200) }));
    assert!(selection.selected.is_empty());
    assert_eq!(selection.no_evidence, !selection.needed.expect("an answer").gate.open);
}

#[test]
fn missing_values_are_filled_in_and_columns_of_too_many_set_aside() {
    let (mut columns, y) = columns(100);
    (0..10).for_each(|i| columns[1][i * 7] = f64::NAN);
    (0..30).for_each(|i| columns[0][i] = f64::NAN);
    let selection = select(&table(columns, Target::Real { values: y }));
    let found = selection.needed.expect("an answer");
    assert!(found.inclusion_probabilities[0].is_nan());
    assert!(found.findings.iter().any(|finding| finding.members.contains(&1)));
    assert!(selection.notes.iter().any(|note| note.features == ["f0"]));
}

#[test]
fn what_cannot_be_used_is_refused() {
    let refused = |method: &Needed, table: &Table| {
        method.select(&table.view(), &mut Context::default()).expect_err("refused").to_string()
    };
    let table_of = |rows: usize| {
        let (columns, y) = columns(rows);
        table(columns, Target::Real { values: y })
    };
    let plain = Needed::default();
    assert!(refused(&plain, &table_of(9)).contains("9 rows"));
    for fdr in [0.0, 1.0, f64::NAN, -1.0] {
        assert!(refused(&Needed { fdr, ..plain.clone() }, &table_of(20)).contains("fdr"));
    }
    assert!(refused(&Needed { draws: 5, ..plain.clone() }, &table_of(20)).contains("draws"));
    assert!(refused(&Needed { permutations: 1, ..plain.clone() }, &table_of(20)).contains("permutations"));
    let flat = table(vec![vec![1.0; 20]; 3], Target::Real { values: (0..20).map(f64::from).collect() });
    assert!(refused(&plain, &flat).contains("no column is left"));
}
