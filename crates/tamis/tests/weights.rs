//! Weights of rows: only the ratios of importance matter, and a copy is a row everywhere.

use rand_distr::{Distribution, Exp1, StandardNormal};
use tamis::evaluate::cross_validate;
use tamis::numeric::random;
use tamis::resample::folds;
use tamis::score::{Scoring, Statistic};
use tamis::table::{Categories, Column, Covariate, RowWeights, Target, WeightKind};
use tamis::{Context, Method, Pipeline, Selection, Selector, Snbl, Table, View};

/// What a table is of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Two,
    Three,
    Number,
    Survival,
}

fn normal(rows: usize, stream: u64) -> Vec<f64> {
    let mut rng = random::stream(77, stream);
    (0..rows).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// Features of noise, of which the first three follow the target and one has gaps; with two covariates and pairs of rows.
fn table(kind: Kind, rows: usize, features: usize) -> Table {
    let y = normal(rows, 1000);
    let part = |row: usize| match kind {
        Kind::Two => (row % 2) as f64,
        Kind::Three => (row % 3) as f64,
        Kind::Number | Kind::Survival => y[row],
    };
    let target = match kind {
        Kind::Number => Target::Real { values: y.clone() },
        Kind::Survival => {
            let times = y.iter().map(|y| (-y).exp()).collect();
            Target::survival(times, (0..rows).map(|row| Some(row % 4 > 0)).collect()).unwrap()
        }
        _ => Target::classes(&(0..rows).map(|row| Some(["a", "b", "c"][part(row) as usize])).collect::<Vec<_>>()),
    };
    let column = |j: usize| {
        let mut x = normal(rows, j as u64);
        x.iter_mut().enumerate().for_each(|(row, x)| *x += if j < 3 { 1.5 * part(row) } else { 0.0 });
        if j == 4 {
            x.iter_mut().step_by(7).for_each(|x| *x = f64::NAN);
        }
        x
    };
    let names = (0..features).map(|j| format!("f{j}")).collect();
    Table::new(names, (0..features).map(column).collect(), "y", target).unwrap()
}

fn with_covariates(table: Table) -> Table {
    let rows = table.n_rows();
    let site = (0..rows).map(|row| Some(["north", "south", "west"][row / 2 % 3]));
    table
        .with_covariates(vec![
            Covariate { name: "age".into(), values: normal(rows, 2000).into() },
            Covariate { name: "site".into(), values: Categories::of(site).into() },
        ])
        .unwrap()
}

fn with_pairs(table: Table) -> Table {
    let pairs = Categories::of((0..table.n_rows()).map(|row| Some((row / 2).to_string())));
    table.with_blocks("pair", pairs).unwrap()
}

/// Every row as often as its weight says.
fn repeated(table: &Table, copies: &[f64]) -> Table {
    let rows: Vec<usize> = copies.iter().enumerate().flat_map(|(row, copies)| vec![row; *copies as usize]).collect();
    let numbers = |x: &[f64]| rows.iter().map(|&row| x[row]).collect::<Vec<f64>>();
    let again = |column: &Column| match column {
        Column::Numbers(x) => Column::Numbers(numbers(x)),
        Column::Categories(c) => Column::Categories(Categories::of(rows.iter().map(|&row| c.get(row)))),
    };
    let target = match table.target() {
        Target::Real { values } => Target::Real { values: numbers(values) },
        Target::Survival { times, events, .. } => {
            Target::survival(numbers(times), rows.iter().map(|&row| Some(events[row])).collect()).unwrap()
        }
        classes => Target::classes(&rows.iter().map(|&row| Some(classes.text(row))).collect::<Vec<_>>()),
    };
    let columns = table.columns().iter().map(again).collect();
    let mut made = Table::new(table.names().to_vec(), columns, "y", target).unwrap();
    let covariates = table.covariates().iter();
    made = made
        .with_covariates(covariates.map(|c| Covariate { name: c.name.clone(), values: again(&c.values) }).collect())
        .unwrap();
    match table.view().blocks() {
        Some((name, blocks)) => {
            made.with_blocks(name, Categories::of(rows.iter().map(|&row| blocks.get(row)))).unwrap()
        }
        None => made,
    }
}

fn weighted(table: &Table, weights: &[f64], kind: WeightKind) -> Table {
    table.clone().with_weights(RowWeights::new(weights.to_vec(), kind).unwrap()).unwrap()
}

fn select(method: &Method, table: &Table) -> Selection {
    method.select(&table.view(), &mut Context::seeded(3)).unwrap()
}

fn method(name: &str, settings: &[(&str, &str)]) -> Method {
    Method::from_settings(name, settings.iter().copied()).unwrap()
}

fn snbl() -> Method {
    method("snbl", &[("permutations", "199")])
}

/// Tables of every kind of target and design.
fn designs() -> Vec<(String, Table)> {
    let mut all = vec![];
    for kind in [Kind::Two, Kind::Three, Kind::Number, Kind::Survival] {
        let plain = table(kind, 48, 30);
        all.push((format!("{kind:?}"), plain.clone()));
        all.push((format!("{kind:?} with covariates"), with_covariates(plain.clone())));
        if kind == Kind::Two {
            all.push(("pairs".into(), with_pairs(plain)));
            all.push(("many rows".into(), table(kind, 160, 12)));
        }
    }
    all
}

fn uneven(rows: usize) -> Vec<f64> {
    let mut rng = random::stream(78, 0);
    (0..rows)
        .map(|_| {
            let drawn: f64 = Exp1.sample(&mut rng);
            0.5 + drawn
        })
        .collect()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn only_the_ratios_of_importance_matter() {
    let others = ["jmi", "fisher", "t"].map(|name| method(name, &[]));
    for (what, table) in designs().into_iter().filter(|(what, _)| !what.starts_with("Survival")) {
        let plainly = what == "Two";
        for method in std::iter::once(snbl()).chain(others.iter().filter(|_| plainly).cloned()) {
            let what = format!("{what}, {}", method.name());
            let weights = uneven(table.n_rows());
            let times = |by: f64| {
                let weights: Vec<f64> = weights.iter().map(|w| w * by).collect();
                select(&method, &weighted(&table, &weights, WeightKind::Importance))
            };
            let (one, eight) = (times(1.0), times(8.0));
            assert_eq!(bits(&one.scores), bits(&eight.scores), "{what}");
            assert_eq!(one.selected, eight.selected, "{what}");
            let plain = select(&method, &table);
            let ten = select(&method, &weighted(&table, &vec![10.0; table.n_rows()], WeightKind::Importance));
            assert_eq!(bits(&ten.scores), bits(&plain.scores), "{what}");
            assert_eq!((ten.selected, ten.notes), (plain.selected, plain.notes), "{what}");
            assert_ne!(bits(&one.scores), bits(&plain.scores), "{what}");
        }
    }
}

#[test]
fn a_copy_is_a_row_whatever_the_design() {
    for (what, table) in designs() {
        let copies: Vec<f64> = (0..table.n_rows()).map(|row| [2.0, 1.0, 3.0, 0.0, 1.0][row * 7 % 5]).collect();
        let (by_weight, by_rows) = (weighted(&table, &copies, WeightKind::Frequency), repeated(&table, &copies));
        let of_bootstraps = method("npfs", &[("base", "f"), ("bootstraps", "10"), ("permutations", "5"), ("k", "3")]);
        let classes = ["Two", "Three"].contains(&what.as_str());
        for method in std::iter::once(snbl()).chain(classes.then_some(of_bootstraps)) {
            let what = format!("{what}, {}", method.name());
            let (one, two) = (select(&method, &by_weight), select(&method, &by_rows));
            let near = |a: f64, b: f64| (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * b.abs().max(1.0);
            assert!(one.scores.iter().zip(&two.scores).all(|(a, b)| near(*a, *b)), "{what}");
            assert_eq!(one.selected, two.selected, "{what}");
            let kinds = |selection: &Selection| selection.notes.iter().map(|note| note.kind).collect::<Vec<_>>();
            assert_eq!(kinds(&one), kinds(&two), "{what}");
            for (a, b) in one.probabilities.iter().flatten().zip(two.probabilities.iter().flatten()) {
                assert!(near(*a, *b), "{what}: {a} {b}");
            }
            let summaries = one.summaries.iter().flat_map(|all| &all.features);
            for (a, b) in summaries.zip(two.summaries.iter().flat_map(|all| &all.features)) {
                assert!(
                    a.rows == b.rows && near(a.difference, b.difference) && near(a.df, b.df),
                    "{what}: {a:?} {b:?}"
                );
            }
        }
        assert_eq!(by_weight.view().class_counts(), by_rows.view().class_counts(), "{what}");
    }
}

#[test]
fn noise_is_not_named_whatever_the_weights_of_importance() {
    // taken as copies, all weights 10 name noise in every table
    let mut named = 0;
    for run in 0..6 {
        let target: Vec<Option<&str>> = (0..200).map(|row| Some(["a", "b"][row % 2])).collect();
        let columns = (0..300).map(|j| normal(200, 10_000 * (run + 1) + j)).collect();
        let names = (0..300).map(|j| format!("f{j}")).collect();
        let noise = Table::new(names, columns, "y", Target::classes(&target)).unwrap();
        let few: Vec<f64> = (0..200).map(|row| f64::from(1 + row * 7919 % 3)).collect();
        let by_class: Vec<f64> = (0..200).map(|row| if row % 2 == 0 { 20.0 } else { 1.0 }).collect();
        for weights in [vec![10.0; 200], few, uneven(200), by_class] {
            let table = weighted(&noise, &weights, WeightKind::Importance);
            named += usize::from(!select(&method("snbl", &[]), &table).selected.is_empty());
        }
    }
    assert!(named <= 1, "in {named} of 24 tables");
}

#[test]
fn degrees_of_freedom_are_those_of_the_effective_number_of_rows() {
    // both classes have the same weights
    let table = table(Kind::Two, 40, 30);
    let weights: Vec<f64> = (0..40).map(|row| 0.3 + f64::from(row / 2)).collect();
    let sums = |power: i32| weights.iter().map(|w| w.powi(power)).sum::<f64>();
    let effective = sums(1) * sums(1) / sums(2);
    let view = weighted(&table, &weights, WeightKind::Importance);
    let scoring = Scoring { statistic: Statistic::Moderated, ..Scoring::default() };
    let found = scoring.scores(&view.view(), &mut Context::default()).unwrap();
    let (d0, _) = found.variance_priors()[0];
    let df = found.estimates.as_ref().unwrap()[0].unwrap().df;
    assert!((df - (effective - 2.0 + d0)).abs() < 1e-9 * df || d0.is_infinite(), "{df} {effective} {d0}");
    let plain = snbl().select(&view.view(), &mut Context::default()).unwrap();
    let welch = Scoring { statistic: Statistic::Welch, ..Scoring::default() };
    assert!(welch.scores(&view.view(), &mut Context::default()).is_ok() && !plain.scores[0].is_nan());
}

#[test]
fn what_the_rows_of_a_class_share_makes_no_difference_to_a_comparison_of_classes() {
    for table in [table(Kind::Two, 48, 30), table(Kind::Three, 48, 30), table(Kind::Two, 160, 12)] {
        let codes: Vec<usize> = (0..table.n_rows()).map(|row| table.target().code(row).unwrap()).collect();
        let weights: Vec<f64> = codes.iter().map(|code| [1.0, 9.0, 4.5][*code]).collect();
        let one = select(&snbl(), &weighted(&table, &weights, WeightKind::Importance));
        assert_eq!(bits(&one.scores), bits(&select(&snbl(), &table).scores));
    }
}

#[test]
fn a_class_needs_two_rows_or_one_with_two_copies() {
    let labels = [Some("a"), Some("b"), Some("b"), Some("b")];
    let table = || Table::new(vec!["x".into()], vec![vec![1.0, 2.0, 4.0, 3.0]], "y", Target::classes(&labels));
    assert!(table().is_err());
    let study = |kind| {
        let weights = RowWeights::new(vec![2.0, 1.0, 1.0, 1.0], kind).unwrap();
        tamis::table::Study::new("y", Target::classes(&labels), Some(weights))
    };
    assert!(study(WeightKind::Importance).is_err());
    assert!(study(WeightKind::Frequency).is_ok());
}

#[test]
fn folds_keep_the_copies_of_a_row_together_and_count_them() {
    let table = table(Kind::Two, 40, 6);
    let copies: Vec<f64> = (0..40).map(|row| f64::from(1 + row % 3)).collect();
    let weighted = weighted(&table, &copies, WeightKind::Frequency);
    let data: View = weighted.view();
    let plan = folds::stratified(&data, 5, 1, 0).unwrap();
    let classifier = method("dlda", &[]);
    let pipelines = [Pipeline::new(None, classifier)];
    let found = cross_validate(&data, &pipelines, &plan, &mut Context::default()).unwrap();
    let folds = found.into_iter().next().unwrap().unwrap();
    let all = copies.iter().sum::<f64>() as usize;
    assert!(folds.iter().all(|fold| fold.n_train + fold.n_test == all));
    let mut tested = vec![0.0; 40];
    for fold in &folds {
        let before = tested.clone();
        fold.rows.rows.iter().for_each(|&row| tested[row as usize] += 1.0);
        assert!((0..40).all(|row| before[row] == 0.0 || tested[row] == before[row]));
    }
    assert_eq!(tested, copies);
}

#[test]
fn numbers_of_copies_that_are_not_whole_are_refused() {
    let error = RowWeights::new(vec![1.0, 2.5], WeightKind::Frequency).unwrap_err().to_string();
    assert!(error.contains("2.5") && error.contains("weight_kind = importance"), "{error}");
}

#[test]
fn few_samples_with_weights_keep_their_intervals() {
    // the interval of a difference holds 0 in 95 % of features of noise, although weights differ
    let mut holds = 0;
    for run in 0..20 {
        let target: Vec<Option<&str>> = (0..40).map(|row| Some(["a", "b"][row % 2])).collect();
        let columns = (0..100).map(|j| normal(40, 50_000 + 1000 * run + j)).collect();
        let names = (0..100).map(|j| format!("f{j}")).collect();
        let noise = Table::new(names, columns, "y", Target::classes(&target)).unwrap();
        let table = weighted(&noise, &uneven(40), WeightKind::Importance);
        let found = Snbl::default().select(&table.view(), &mut Context::default()).unwrap();
        holds += found.summaries.unwrap().features.iter().filter(|f| f.low <= 0.0 && f.high >= 0.0).count();
    }
    assert!((1840..=1960).contains(&holds), "{holds} of 2000");
}
