use super::draws::Draws;
use super::*;
use crate::base::Context;
use crate::numeric::random;
use crate::score::{self, Scale, Scores, Statistic, compute};
use crate::table::{Categories, Column, Covariate, RowWeights, Table, Target, View, WeightKind};
use std::sync::Arc;

const ROWS: usize = 300;

/// Columns: noise, an effect, far from 0, with missing cells, categories.
fn table(kind: &str, covariate: bool, weights: Option<WeightKind>) -> Table {
    let mut rng = random::stream(11, 0);
    let mut normal = || random::standard_normal(&mut rng);
    let y: Vec<f64> = (0..ROWS).map(|i| if kind == "real" { normal() } else { (i % 10 / 4) as f64 }).collect();
    let mut columns: Vec<Vec<f64>> = (0..4).map(|_| (0..ROWS).map(|_| normal()).collect()).collect();
    for i in 0..ROWS {
        columns[1][i] += 0.3 * y[i];
        columns[2][i] += 1e4;
        if i % 9 == 0 {
            columns[3][i] = f64::NAN;
        }
    }
    let mut all: Vec<Column> = columns.into_iter().map(Column::Numbers).collect();
    if !covariate {
        all.push(Column::Categories(Categories::of((0..ROWS).map(|i| Some(["u", "v", "w"][i * i % 7 % 3])))));
    }
    let names: Vec<String> = (0..all.len()).map(|j| format!("f{j}")).collect();
    let target = match kind {
        "two" => Target::of_codes(vec!["no".into(), "yes".into()], y.iter().map(|y| (*y > 0.0) as u32).collect(), 1),
        "three" => {
            let labels = ["a", "b", "c"].map(String::from).to_vec();
            Target::of_codes(labels, y.iter().map(|y| *y as u32).collect(), 2)
        }
        _ => Ok(Target::Real { values: y }),
    };
    let mut table = Table::new(names, all, "y", target.expect("a target")).expect("a table");
    if let Some(kind) = weights {
        let values =
            (0..ROWS).map(|i| if kind == WeightKind::Frequency { (i % 3 + 1) as f64 } else { 0.5 + (i % 5) as f64 });
        table = table.with_weights(RowWeights::new(values.collect(), kind).expect("weights")).expect("as many");
    }
    if covariate {
        let age = Covariate {
            name: "age".into(),
            values: Column::Numbers((0..ROWS).map(|i| ((i * 7) % 31) as f64).collect()),
        };
        let site = Categories::of((0..ROWS).map(|i| Some(["n", "s", "t"][i % 3])));
        let site = Covariate { name: "site".into(), values: Column::Categories(site) };
        table = table.with_covariates(vec![age, site]).expect("covariates");
    }
    table
}

fn sums(data: &View, count: usize) -> Arc<RowSums> {
    let plan = Arc::new(Plan::of_view(data, count, 5));
    Arc::new(RowSums::of_view(data, &plan, &mut Context::default()).expect("sums"))
}

fn scored(data: &View, sums: &Arc<RowSums>, statistic: Statistic) -> Scores {
    let summed = sums.summed(data.comparison());
    let scoring = score::Scoring { statistic, ..score::Scoring::default() };
    summed.scores(&scoring, statistic).expect("scores")
}

fn pooled(kind: &str) -> Statistic {
    match kind {
        "two" => Statistic::Pooled,
        "three" => Statistic::F,
        _ => Statistic::Pearson,
    }
}

#[test]
fn the_real_target_is_scored_as_in_memory() {
    for kind in ["two", "three", "real"] {
        for covariate in [false, true] {
            for weights in [None, Some(WeightKind::Importance), Some(WeightKind::Frequency)] {
                let table = table(kind, covariate, weights);
                let view = table.view().copies_as_rows().expect("rows");
                let found = scored(&view, &sums(&view, 3), pooled(kind));
                let wanted = compute(&view, pooled(kind), Scale::Z, &mut Context::default()).expect("scores");
                for (j, (z, wanted)) in found.z().iter().zip(wanted.z()).enumerate() {
                    let apart = (z - wanted).abs();
                    assert!(
                        apart < 1e-9 || (z.is_nan() && wanted.is_nan()),
                        "{kind} {covariate} {weights:?} {j}: {z} {wanted}"
                    );
                }
                assert_eq!(found.rows, wanted.rows, "{kind} {covariate} {weights:?}");
            }
        }
    }
}

/// The first null numbers or classes of every row.
fn drawn(data: &View, sums: &RowSums, r: usize) -> Target {
    let plan = &sums.plan;
    let draws = Draws::new(plan);
    let keys = keys(data);
    let classes: Vec<u32> =
        data.rows().iter().map(|&row| data.target().code(row as usize).unwrap_or(0) as u32).collect();
    let all = draws.of(&keys, &classes, None);
    let width = plan.width();
    let of = |row: usize, a: usize| all.column(row)[r * width + a];
    match &plan.target {
        PlannedTarget::Numbers { .. } => Target::Real { values: (0..keys.len()).map(|row| of(row, 0)).collect() },
        PlannedTarget::Classes { labels, positive, .. } => {
            let coded = plan.coded();
            let other = (0..labels.len()).find(|class| !coded.contains(class)).unwrap_or(0);
            let class = |row: usize| (0..width).find(|&a| of(row, a) > 0.0).map_or(other, |a| coded[a]) as u32;
            Target::of_codes(labels.clone(), (0..keys.len()).map(class).collect(), *positive as u32).expect("classes")
        }
    }
}

fn keys(data: &View) -> Vec<u64> {
    let mut keys = vec![0; data.rows().len()];
    for (at, name) in data.names().iter().enumerate() {
        ColumnKey::of_feature(name).add_column(&data.column(at), &mut keys);
    }
    for covariate in data.covariates() {
        ColumnKey::of_covariate(&covariate.name).add_column(&covariate.values, &mut keys);
    }
    let key = ColumnKey::of_target();
    match data.target() {
        Target::Classes { labels, codes, .. } => key.add_categories(labels, codes, &mut keys),
        Target::Real { values } | Target::Survival { times: values, .. } => key.add_numbers(values, &mut keys),
    }
    keys
}

#[test]
fn null_scores_are_those_of_each_drawn_target_by_itself() {
    for kind in ["two", "three", "real"] {
        for covariate in [false, true] {
            let table = table(kind, covariate, None);
            let view = table.view();
            let sums = sums(&view, 20);
            let nulls =
                RowScores::new(Arc::clone(&sums), &scored(&view, &sums, pooled(kind)), Scale::Z).expect("nulls");
            let found = nulls.block(0..view.n_features()).gate;
            for r in [0, 7, 19] {
                let target = drawn(&view, &sums, r);
                let alone = view.with_target(&target).expect("as many");
                let wanted = compute(&alone, pooled(kind), Scale::Z, &mut Context::default()).expect("scores");
                for (j, wanted) in wanted.z().iter().enumerate() {
                    // two digits of the values, and where cells are missing the directions of all rows
                    let within = if j == 3 { if covariate { 0.2 } else { 0.05 } } else { 2e-3 };
                    let z = found.column(j)[r];
                    assert!((z - wanted).abs() < within, "{kind} {covariate} {j} {r}: {z} {wanted}");
                }
            }
        }
    }
}

#[test]
fn states_do_not_see_what_the_target_tells_of_a_column() {
    for kind in ["two", "three", "real"] {
        let plain = table(kind, false, None);
        let (view, mut columns) = (plain.view(), plain.columns().to_vec());
        let add: Vec<f64> = match plain.target() {
            Target::Classes { codes, .. } => codes.iter().map(|code| 3.0 * f64::from(*code)).collect(),
            Target::Real { values } | Target::Survival { times: values, .. } => values.clone(),
        };
        if let Column::Numbers(x) = &mut columns[0] {
            x.iter_mut().zip(&add).for_each(|(x, add)| *x += add);
        }
        let changed = Table::new(plain.names().to_vec(), columns, "y", plain.target().clone()).expect("a table");
        // the same draws: keys are those of the plain table
        let plan = Arc::new(Plan::of_view(&view, 30, 5));
        let of = |table: &Table| {
            let view = table.view();
            let mut sums = RowSums::new(&plan);
            let context: Vec<Vec<f64>> = match table.target() {
                Target::Real { values } => vec![values.clone()],
                _ => vec![],
            };
            let classes: Vec<u32> = (0..ROWS).map(|row| table.target().code(row).unwrap_or(0) as u32).collect();
            let features: Vec<Values> = table
                .columns()
                .iter()
                .map(|column| match column {
                    Column::Numbers(x) => Values::Numbers(x),
                    Column::Categories(c) => Values::Categories { labels: c.labels(), codes: c.codes() },
                })
                .collect();
            let keys = keys(&plain.view());
            let rows = Rows { classes: &classes, weights: None, context: &context, keys: &keys, features: &features };
            assert!(sums.add(&rows).is_ok());
            let sums = Arc::new(sums);
            RowScores::new(Arc::clone(&sums), &scored(&view, &sums, pooled(kind)), Scale::Z).expect("nulls").block(0..1)
        };
        let (one, two) = (of(&plain), of(&changed));
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart(one.states.column(0), two.states.column(0)) < 5e-3, "{kind}");
        assert!(apart(one.gate.column(0), two.gate.column(0)) > 0.1, "{kind}");
    }
}

#[test]
fn classes_are_drawn_by_their_shares_and_copies_one_by_one() {
    let table = table("three", false, None);
    let view = table.view();
    let sums = sums(&view, 400);
    let total = |class: usize| sums.nulls.iter().map(|n| (0..400).map(|r| n[2 * r + class]).sum::<i64>()).sum::<i64>();
    for (class, share) in [(0, 0.4), (1, 0.2)] {
        let found = total(class) as f64 / 400.0 / ROWS as f64;
        assert!((found - share).abs() < 0.01, "{class}: {found}");
    }
    let copies = |n: f64| {
        let one = Table::new(vec!["x".into()], vec![Column::Numbers(vec![1.0; ROWS])], "y", table.target().clone());
        let weights = RowWeights::new(vec![n; ROWS], WeightKind::Frequency).expect("weights");
        let one = one.expect("a table").with_weights(weights).expect("as many");
        let view = one.view().copies_as_rows().expect("rows");
        let plan = Arc::new(Plan::of_view(&view, 2000, 1));
        let draws = Draws::new(&plan);
        let drawn = draws.of(&[77], &[0], Some(&[n]));
        let values: Vec<f64> = (0..2000).map(|r| drawn.column(0)[2 * r]).collect();
        let mean = values.iter().sum::<f64>() / 2000.0;
        values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2000.0
    };
    assert!((copies(9.0) - 9.0 * 0.24).abs() < 0.3, "each copy draws by itself: {}", copies(9.0));
}

#[test]
fn the_order_of_rows_and_columns_changes_no_sum() {
    let table = table("two", true, Some(WeightKind::Importance));
    let backwards: Vec<u32> = (0..ROWS as u32).rev().collect();
    let pick = |column: &Column| match column {
        Column::Numbers(x) => Column::Numbers(backwards.iter().map(|&row| x[row as usize]).collect()),
        Column::Categories(c) => Column::Categories(Categories::of(backwards.iter().map(|&row| c.get(row as usize)))),
    };
    let names: Vec<String> = table.names().iter().rev().cloned().collect();
    let columns: Vec<Column> = table.columns().iter().rev().map(pick).collect();
    let weights = table.weights().expect("weights").values();
    let weights = backwards.iter().map(|&row| weights[row as usize]).collect();
    let covariates = table.covariates().iter().map(|c| Covariate { name: c.name.clone(), values: pick(&c.values) });
    let other = Table::new(names, columns, "y", table.target().of_rows(&backwards))
        .and_then(|table| table.with_weights(RowWeights::new(weights, WeightKind::Importance)?))
        .and_then(|table| table.with_covariates(covariates.collect()))
        .expect("a table");
    let (a, b) = (sums(&table.view(), 50), sums(&other.view(), 50));
    assert!(a.groups == b.groups && a.nulls == b.nulls && a.context == b.context && a.repeated == b.repeated);
    assert!(a.features.iter().eq(b.features.iter().rev()));
}
