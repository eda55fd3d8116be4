//! Null scores by products agree with scores computed one at a time.

use super::*;
use crate::base::Context;
use crate::numeric::linalg::dot;
use crate::numeric::special::{f_to_z, t_to_z};
use crate::score::Moderation;
use crate::score::compute;
use crate::score::design::coding;
use crate::score::design::linear_fit::{FeatureFit, fit_all};
use crate::table::Covariate;
use crate::table::{Column, RowWeights, Table, WeightKind};

fn noise(row: usize, column: usize) -> f64 {
    let x = ((row * 7919 + column * 104_729 + 13) as f64 * 0.618_033_988_75).fract();
    let y = ((row * 3571 + column * 6151 + 7) as f64 * std::f64::consts::SQRT_2).fract();
    (-2.0 * (x + 1e-9).ln()).sqrt() * (std::f64::consts::TAU * y).cos() + 3.0
}

/// Columns that tell the target in part; the fourth has gaps, the sixth few values.
fn table(target: Target, text: bool) -> Table {
    let n = target.len();
    let part = |row: usize| target.code(row).map_or(row as f64 / n as f64, |code| code as f64);
    let mut columns: Vec<Column> = (0..9)
        .map(|j| Column::Numbers((0..n).map(|row| noise(row, j) + if j < 3 { part(row) } else { 0.0 }).collect()))
        .collect();
    if let Column::Numbers(values) = &mut columns[3] {
        values.iter_mut().step_by(5).for_each(|x| *x = f64::NAN);
    }
    if let Column::Numbers(values) = &mut columns[5] {
        values.iter_mut().for_each(|x| *x = x.round());
    }
    if text {
        columns[7] = Column::Categories(Categories::of((0..n).map(|row| Some(["a", "b", "c"][(row * row) % 3]))));
    }
    let names = (0..9).map(|j| format!("f{j}")).collect();
    Table::new(names, columns, "y", target).expect("a table")
}

fn classes(n: usize, k: usize) -> Target {
    let labels: Vec<Option<String>> = (0..n).map(|row| Some(format!("c{}", (row * row + row / 3) % k))).collect();
    Target::classes(&labels)
}

fn targets() -> Vec<(Target, Vec<Statistic>)> {
    let real = Target::Real { values: (0..40).map(|row| noise(row, 77)).collect() };
    let two = vec![Statistic::Welch, Statistic::Pooled, Statistic::MannWhitney];
    let several = vec![Statistic::F, Statistic::Kruskal];
    let many = (classes(72, 9), several.clone()); // by passes over the samples
    vec![(classes(40, 2), two), (classes(45, 4), several), many, (real, vec![Statistic::Pearson, Statistic::Spearman])]
}

fn scored(data: &View, statistic: Statistic) -> Scores {
    compute(data, statistic, Scale::Z, &mut Context::default()).expect("scores")
}

fn importance(values: Vec<f64>) -> RowWeights {
    RowWeights::new(values, WeightKind::Importance).expect("weights")
}

/// The rows with null target number `r`.
fn shuffled(data: &View, statistic: Statistic, r: usize, count: usize) -> Table {
    let order = SampleOrder::of(data, scored(data, statistic).z());
    let target = match (NullTargets::draw(data, &order, count, 5), data.target()) {
        (NullTargets::Classes(nulls), Target::Classes { labels, positive, .. }) => {
            Target::of_codes(labels.clone(), nulls[r].clone(), *positive).expect("classes")
        }
        (NullTargets::Numbers(nulls), _) => Target::Real { values: nulls[r].clone() },
        _ => panic!("enough arrangements"),
    };
    let rows = || data.rows().iter().map(|&row| row as usize);
    let of_rows = |at: usize| match &*data.column(at) {
        Column::Numbers(x) => Column::Numbers(rows().map(|row| x[row]).collect()),
        Column::Categories(c) => Column::Categories(Categories::of(rows().map(|row| c.get(row)))),
    };
    let columns: Vec<Column> = (0..data.n_features()).map(of_rows).collect();
    Table::new(data.names().to_vec(), columns, "y", target).expect("a table")
}

/// The effective weights of a view's rows, which a null target leaves as they are.
fn effective_weights(data: &View) -> Vec<f64> {
    let weights = data.weights_by_class();
    data.rows().iter().map(|&row| weights.as_ref().map_or(1.0, |weights| weights[row as usize])).collect()
}

#[test]
fn gate_scores_are_those_of_each_null_target_by_itself() {
    for (target, statistics) in targets() {
        let table = table(target, true);
        let weights: Vec<f64> = (0..table.n_rows()).map(|row| f64::from(1 + (row % 3) as u32)).collect();
        let weighted = table.clone().with_weights(importance(weights)).expect("weights");
        for table in [&table, &weighted] {
            let data = table.view();
            let weights = effective_weights(&data);
            for &statistic in &statistics {
                let found = PermutedScores::new(&data, &scored(&data, statistic), Scale::Z, 30, 5)
                    .expect("nulls")
                    .block(0..9)
                    .expect("null scores");
                for r in [0, 7, 29] {
                    let shuffled = shuffled(&data, statistic, r, 30);
                    let (plain, weighted) = (shuffled.view(), data.weights().is_some());
                    let null = if weighted { plain.bootstrapped(&weights) } else { plain };
                    let wanted = compute(&null, statistic, Scale::Z, &mut Context::default());
                    for (j, wanted) in wanted.expect("scores").z().iter().enumerate() {
                        // ranks of a target among the rows of a feature with gaps are not those among all rows
                        if statistic == Statistic::Spearman && j == 3 {
                            continue;
                        }
                        let z = found.gate.column(j)[r];
                        assert!((z - wanted).abs() < 1e-7, "{statistic:?} {j} {r}: {z} {wanted}");
                    }
                }
            }
        }
    }
}

#[test]
fn neither_the_order_of_rows_nor_copies_for_weights_change_null_scores() {
    for (target, statistics) in targets() {
        let plain = table(target, false);
        let weights: Vec<f64> = (0..plain.n_rows()).map(|row| f64::from((row % 4) as u32)).collect();
        let order: Vec<usize> = (0..plain.n_rows()).rev().flat_map(|row| vec![row; weights[row] as usize]).collect();
        let pick = |x: &[f64]| order.iter().map(|&row| x[row]).collect::<Vec<f64>>();
        let columns: Vec<Column> =
            plain.columns().iter().map(|c| Column::Numbers(pick(c.numbers().expect("numbers")))).collect();
        let target = plain.target().of_rows(&order.iter().map(|&row| row as u32).collect::<Vec<u32>>());
        let repeated = Table::new(plain.names().to_vec(), columns, "y", target).expect("a table");
        let weights = RowWeights::new(weights, WeightKind::Frequency).expect("weights");
        let weighted = plain.with_weights(weights).expect("weights");
        let (one, two) = (weighted.view().copies_as_rows().expect("few rows"), repeated.view());
        for statistic in statistics {
            let one = PermutedScores::new(&one, &scored(&one, statistic), Scale::Z, 20, 1)
                .expect("nulls")
                .block(0..9)
                .expect("null scores");
            let two = PermutedScores::new(&two, &scored(&two, statistic), Scale::Z, 20, 1)
                .expect("nulls")
                .block(0..9)
                .expect("null scores");
            for j in 0..9 {
                for (a, b) in [(&one.gate, &two.gate), (&one.states, &two.states)] {
                    let close = a.column(j).iter().zip(b.column(j)).all(|(a, b)| (a - b).abs() < 1e-9);
                    assert!(close, "{statistic:?} {j}");
                }
            }
        }
    }
}

/// Vectors made orthonormal, and orthogonal to `others`, which are.
fn orthonormal(vectors: &[Vec<f64>], others: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = vec![];
    for vector in vectors {
        let mut left = vector.clone();
        for other in others.iter().chain(&basis).chain(others).chain(&basis) {
            let share = dot(&left, other);
            left.iter_mut().zip(other).for_each(|(l, o)| *l -= share * o);
        }
        let length = dot(&left, &left).sqrt();
        basis.push(left.iter().map(|l| l / length).collect());
    }
    basis
}

#[test]
fn state_scores_are_those_of_a_regression_on_both_targets() {
    // the t or F of the null target in a least-squares fit with the real target beside it
    for (target, statistics) in targets() {
        let table = table(target, false);
        let data = table.view();
        let statistic = if statistics.contains(&Statistic::Pooled) { Statistic::Pooled } else { statistics[0] };
        let found = PermutedScores::new(&data, &scored(&data, statistic), Scale::Z, 30, 5)
            .expect("nulls")
            .block(0..9)
            .expect("null scores");
        for r in [0, 11] {
            let shuffled = shuffled(&data, statistic, r, 30);
            let real = data.target().of_rows(data.rows());
            for j in 0..9 {
                let x = shuffled.columns()[j].numbers().expect("numbers");
                let rows: Vec<u32> = (0..x.len() as u32).filter(|&row| !x[row as usize].is_nan()).collect();
                let n = rows.len() as f64;
                let mean = vec![vec![1.0 / n.sqrt(); rows.len()]];
                let real = orthonormal(&coding(&real, &rows, None), &mean);
                let others: Vec<Vec<f64>> = mean.into_iter().chain(real).collect();
                let null = orthonormal(&coding(shuffled.target(), &rows, None), &others);
                let mut left: Vec<f64> = rows.iter().map(|&row| x[row as usize]).collect();
                for other in &others {
                    let share = dot(&left, other);
                    left.iter_mut().zip(other).for_each(|(l, o)| *l -= share * o);
                }
                let squares = dot(&left, &left);
                let parts: Vec<f64> = null.iter().map(|e| dot(e, &left)).collect();
                let between: f64 = parts.iter().map(|p| p * p).sum();
                let df = n - 1.0 - 2.0 * parts.len() as f64;
                let f = between / parts.len() as f64 / ((squares - between) / df);
                let wanted = match parts.as_slice() {
                    [_] => crate::numeric::special::t_to_z(f.sqrt(), df),
                    _ => crate::numeric::special::f_to_z(f, parts.len() as f64, df),
                };
                let z = found.states.column(j)[r];
                let z = if parts.len() == 1 { z.abs() } else { z };
                assert!((z - wanted).abs() < 1e-7, "{statistic:?} {j} {r}: {z} {wanted}");
            }
        }
    }
}

#[test]
fn few_samples_are_scored_in_random_directions() {
    let labels: Vec<Option<&str>> = (0..10).map(|row| Some(if row % 2 == 0 { "a" } else { "b" })).collect();
    let table = table(Target::classes(&labels), true);
    let data = table.view();
    let nulls = PermutedScores::new(&data, &scored(&data, Statistic::Welch), Scale::Z, 199, 5).expect("nulls");
    assert!(nulls.rotated());
    let found = nulls.block(0..9).expect("null scores");
    for j in [0, 3, 6] {
        let z = found.gate.column(j);
        let squares: f64 = z.iter().map(|z| z * z).sum::<f64>() / 199.0;
        assert!((0.6..1.6).contains(&squares), "{j}: {squares}");
    }
}

#[test]
fn blocks_of_any_width_give_one_answer() {
    for (target, statistics) in targets() {
        let table = table(target, true);
        let data = table.view();
        for &statistic in &statistics {
            let nulls = PermutedScores::new(&data, &scored(&data, statistic), Scale::Z, 20, 1).expect("nulls");
            let whole = nulls.block(0..9).expect("null scores");
            for (from, to) in [(0, 4), (4, 9)] {
                let part = nulls.block(from..to).expect("null scores");
                for j in from..to {
                    assert_eq!(whole.gate.column(j), part.gate.column(j - from), "{statistic:?} {j}");
                    assert_eq!(whole.states.column(j), part.states.column(j - from), "{statistic:?} {j}");
                }
            }
        }
    }
}

#[test]
fn designs_are_scored_as_each_null_target_by_itself() {
    // the same vector as a numeric target beside the covariates gives the same score
    let n = 24;
    let wave = |k: usize| (0..n).map(|i| ((i * k + 3) as f64 * 0.7).sin()).collect::<Vec<f64>>();
    let labels: Vec<Option<&str>> = (0..n).map(|row| Some(if row % 3 == 0 { "a" } else { "b" })).collect();
    let columns: Vec<Column> = (1..30).map(|k| Column::Numbers(wave(k))).collect();
    let names: Vec<String> = (1..30).map(|k| k.to_string()).collect();
    let covariate = || Covariate { name: "c".into(), values: Column::Numbers(wave(31)) };
    let pairs = Categories::of((0..n).map(|row| Some((row / 6).to_string())));
    let plain = Table::new(names.clone(), columns.clone(), "y", Target::classes(&labels)).expect("a table");
    let with_covariate = plain.with_covariates(vec![covariate()]).expect("covariates");
    let with_blocks = with_covariate.clone().with_blocks("pair", pairs.clone()).expect("blocks");
    for (table, blocks) in [(with_covariate.clone(), false), (with_blocks, true)] {
        let data = table.view();
        let scores = scored(&data, Statistic::Moderated);
        let nulls = PermutedScores::new(&data, &scores, Scale::Z, 20, 1).expect("nulls");
        assert!(!nulls.rotated());
        let found = nulls.block(0..29).expect("null scores");
        let NullScorer::Direction(scorer) = &nulls.scorer else { panic!("directions") };
        for r in [0, 13] {
            let target = Target::Real { values: scorer.vector(r) };
            let alone = Table::new(names.clone(), columns.clone(), "y", target).expect("a table");
            let mut alone = alone.with_covariates(vec![covariate()]).expect("covariates");
            if blocks {
                alone = alone.with_blocks("pair", pairs.clone()).expect("blocks");
            }
            let design = Design::of(&alone.view()).expect("a design");
            let fits =
                fit_all(&alone.view(), &design.samples, &design.complete, &mut Context::default()).expect("fits");
            let Some(Moderation::Pooled(prior)) = &scores.moderation else { panic!("pooled") };
            for (j, fit) in fits.iter().enumerate() {
                let FeatureFit::Fitted(fit) = fit else { panic!("a fit") };
                let (variance, df) = prior.squeeze(fit.residual / fit.df, fit.df, j);
                let wanted = t_to_z(fit.coefficients[0] / fit.unscaled[0] / variance.sqrt(), df);
                let z = found.gate.column(j)[r];
                assert!((z - wanted).abs() < 1e-6, "{blocks} {j} {r}: {z} {wanted}");
            }
        }
    }
}

#[test]
fn moderated_scores_of_null_targets_are_those_of_each_by_itself() {
    let weights: Vec<f64> = (0..80).map(|row| f64::from((row % 3) as u32)).collect();
    for (target, _) in targets() {
        // the last feature is the target itself, which leaves it no variance
        let copy: Vec<f64> = (0..target.len())
            .map(|row| match &target {
                Target::Classes { codes, .. } => f64::from(codes[row]),
                Target::Real { values } | Target::Survival { times: values, .. } => values[row],
            })
            .collect();
        let plain = table(target, false);
        let columns = plain.columns()[..8].iter().cloned().chain([Column::Numbers(copy)]).collect();
        let plain = Table::new(plain.names().to_vec(), columns, "y", plain.target().clone()).expect("a table");
        let own = importance(weights[..plain.n_rows()].to_vec());
        let weighted = plain.clone().with_weights(own).expect("weights");
        for table in [plain, weighted] {
            let data = table.view();
            let weights = effective_weights(&data);
            let scores = scored(&data, Statistic::Moderated);
            assert!(scores.z()[8].is_finite() && scores.estimates.as_ref().is_some_and(|all| all[8].is_some()));
            let Some(Moderation::Pooled(prior)) = &scores.moderation else { continue };
            let nulls = PermutedScores::new(&data, &scores, Scale::Z, 30, 5).expect("nulls");
            let found = nulls.block(0..9).expect("null scores");
            // of several classes F is 0, whose one-sided score is far below 0
            assert!(found.states.column(8).iter().all(|z| *z < 1e-6));
            for r in [0, 17] {
                let shuffled = shuffled(&data, Statistic::Moderated, r, 30);
                let (whole, weighted) = (shuffled.view(), data.weights().is_some());
                let null = if weighted { whole.bootstrapped(&weights) } else { whole };
                let design = Design::of(&null).expect("a design");
                let fits = fit_all(&null, &design.samples, &design.complete, &mut Context::default());
                for (j, fit) in fits.expect("fits").iter().enumerate() {
                    let FeatureFit::Fitted(fit) = fit else { continue };
                    let (variance, df) = prior.squeeze(fit.residual / fit.df, fit.df, j);
                    let width = fit.coefficients.len() as f64;
                    let wanted = match data.target().n_classes() {
                        Some(n) if n > 2 => f_to_z(fit.explained / width / variance, width, df),
                        _ => t_to_z(fit.coefficients[0] / fit.unscaled[0] / variance.sqrt(), df),
                    };
                    let z = found.gate.column(j)[r];
                    assert!((z - wanted).abs() < 1e-6, "{j} {r}: {z} {wanted}");
                }
            }
        }
    }
}
