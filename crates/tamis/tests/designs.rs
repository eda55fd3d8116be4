//! Covariates, blocks and moderated variances against numbers frozen from R (limma 3.54).
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use tamis::numeric::special::{f_upper, t_two_sided};
use tamis::score::{Estimate, Scale, Scores, Scoring, Statistic};
use tamis::table::{Categories, Column, Covariate, RequestedComparison, Table, Target};
use tamis::{Context, Selector, Snbl};

fn fixture(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/oracle/designs/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn texts(value: &Value) -> Vec<String> {
    let text = |x: &Value| x.as_str().map_or_else(|| x.to_string(), Into::into);
    value.as_array().unwrap().iter().map(text).collect()
}

/// The table of a fixture, with the covariates and blocks it has.
fn table(file: &Value) -> Table {
    let columns: Vec<Column> = file["x"].as_array().unwrap().iter().map(|x| numbers(x).into()).collect();
    let names = (0..columns.len()).map(|i| format!("g{i}")).collect();
    let target = if file["group"].is_array() {
        Target::classes(&texts(&file["group"]).into_iter().map(Some).collect::<Vec<_>>())
    } else {
        Target::Real { values: numbers(&file["y"]) }
    };
    let factor = |name: &str| Categories::of(texts(&file[name]).into_iter().map(Some));
    let mut covariates = vec![];
    if file["batch"].is_array() {
        covariates.push(Covariate { name: "batch".into(), values: factor("batch").into() });
    }
    if file["age"].is_array() {
        covariates.push(Covariate { name: "age".into(), values: numbers(&file["age"]).into() });
    }
    let table = Table::new(names, columns, "group", target).unwrap().with_covariates(covariates).unwrap();
    if file["block"].is_array() { table.with_blocks("block", factor("block")).unwrap() } else { table }
}

fn scores(table: &Table, statistic: Statistic) -> Scores {
    let scoring = Scoring { statistic, scale: Scale::Z, ..Scoring::default() };
    scoring.scores(&table.view(), &mut Context::default()).unwrap()
}

fn close(found: f64, wanted: f64, what: &str) {
    assert!((found - wanted).abs() <= 1e-11 * wanted.abs().max(1.0), "{what}: {found} for {wanted}");
}

fn estimates(scores: &Scores) -> Vec<Estimate> {
    scores.estimates.as_ref().unwrap().iter().map(|e| e.unwrap()).collect()
}

#[test]
fn moderated_t_agrees_with_limma() {
    for name in ["two_classes_3v3", "equal_variances", "missing_5v5", "batch_and_age", "number_batch", "paired"] {
        let file = fixture(name);
        let table = table(&file);
        let ordinary = if file["y"].is_array() { Statistic::Pearson } else { Statistic::Pooled };
        let found = scores(&table, Statistic::Moderated);
        let (d0, s0) = found.variance_priors()[0];
        match file["prior_df"].as_f64().unwrap() {
            -1.0 => assert_eq!(d0, f64::INFINITY, "{name}"),
            wanted => close(d0, wanted, name),
        }
        close(s0, file["prior_var"].as_f64().unwrap(), name);
        let column = |key: &str| numbers(&file[key]);
        let (t, df, p) = (column("moderated_t"), column("df_total"), column("p_value"));
        for (i, estimate) in estimates(&found).iter().enumerate() {
            close(estimate.statistic, t[i], &format!("{name} t of {i}"));
            close(estimate.df, df[i], &format!("{name} df of {i}"));
            close(estimate.difference, column("beta")[i], &format!("{name} difference of {i}"));
            let p_value = t_two_sided(estimate.statistic, estimate.df);
            assert!((p_value - p[i]).abs() <= 1e-10 * p[i], "{name} p of {i}: {p_value} for {}", p[i]);
        }
        if name == "missing_5v5" {
            continue; // without a design the ordinary t comes from moments
        }
        if name.starts_with("two") || name.starts_with("equal") {
            continue;
        }
        let found = scores(&table, ordinary);
        let (sigma, unscaled) = (column("sigma"), column("stdev_unscaled"));
        for (i, estimate) in estimates(&found).iter().enumerate() {
            close(estimate.statistic, column("ordinary_t")[i], &format!("{name} ordinary t of {i}"));
            close(estimate.df, column("df_residual")[i], name);
            close(estimate.standard_error, sigma[i] * unscaled[i], name);
        }
    }
}

#[test]
fn moderated_f_agrees_with_limma() {
    let file = fixture("three_classes_age");
    let found = scores(&table(&file), Statistic::Moderated);
    let (f, p) = (numbers(&file["F"]), numbers(&file["F_p_value"]));
    close(found.variance_priors()[0].0, file["prior_df"].as_f64().unwrap(), "d0");
    for (i, estimate) in estimates(&found).iter().enumerate() {
        close(estimate.statistic, f[i], "F");
        let p_value = f_upper(estimate.statistic, 2.0, estimate.df);
        assert!((p_value - p[i]).abs() <= 1e-10 * p[i], "p of {i}: {p_value} for {}", p[i]);
    }
    assert!(found.one_sided().iter().all(|one| *one));
}

#[test]
fn a_least_difference_agrees_with_treat() {
    let file = fixture("two_classes_3v3");
    let least = file["min_difference"].as_f64().unwrap();
    let scoring = Scoring { statistic: Statistic::Moderated, min_difference: least, ..Scoring::default() };
    let found = scoring.scores(&table(&file).view(), &mut Context::default()).unwrap();
    let (t, p) = (numbers(&file["treat_t"]), numbers(&file["treat_p_value"]));
    for (i, estimate) in estimates(&found).iter().enumerate() {
        close(estimate.statistic, t[i], "t");
        let p_value = tamis::numeric::special::normal_two_sided(found.z()[i]);
        assert!((p_value - p[i]).abs() <= 1e-10 * p[i], "p of {i}: {p_value} for {}", p[i]);
    }
}

#[test]
fn a_trend_of_variances_agrees_with_limma() {
    let file = fixture("counts_trend");
    let columns: Vec<Column> = file["logcpm_tmm"].as_array().unwrap().iter().map(|x| numbers(x).into()).collect();
    let names = (0..columns.len()).map(|i| format!("g{i}")).collect();
    let target = Target::classes(&texts(&file["group"]).into_iter().map(Some).collect::<Vec<_>>());
    let table = Table::new(names, columns, "group", target).unwrap();
    let scoring = Scoring { trend: true, ..Scoring::default() };
    let found = scoring.scores(&table.view(), &mut Context::default()).unwrap();
    close(found.variance_priors()[0].0, file["prior_df"].as_f64().unwrap(), "d0");
    let (t, df, p) = (numbers(&file["moderated_t"]), numbers(&file["df_total"]), numbers(&file["p_value"]));
    for (i, estimate) in found.estimates.as_ref().unwrap().iter().enumerate() {
        let Some(estimate) = estimate else { continue };
        close(estimate.statistic, t[i], &format!("t of {i}"));
        close(estimate.df, df[i], &format!("df of {i}"));
        let p_value = t_two_sided(estimate.statistic, estimate.df);
        assert!((p_value - p[i]).abs() <= 1e-10 * p[i], "p of {i}: {p_value} for {}", p[i]);
    }
}

#[test]
fn two_of_three_classes_agree_with_limma() {
    let file = fixture("three_classes_age");
    let path = format!("{}/tests/fixtures/contrast.json", env!("CARGO_MANIFEST_DIR"));
    let wanted: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let pair = texts(&wanted["contrast"]);
    let contrast = |from: &str, to: &str| RequestedComparison {
        contrast: Some([from.into(), to.into()]),
        ..RequestedComparison::default()
    };
    let table = table(&file).compared(&contrast(&pair[0], &pair[1])).unwrap();
    let found = scores(&table, Statistic::Moderated);
    close(found.variance_priors()[0].0, wanted["prior_df"].as_f64().unwrap(), "d0");
    close(found.variance_priors()[0].1, wanted["prior_var"].as_f64().unwrap(), "s0²");
    let column = |key: &str| numbers(&wanted[key]);
    for (i, estimate) in estimates(&found).iter().enumerate() {
        close(estimate.statistic, column("t")[i], "t");
        close(estimate.df, column("df")[i], "df");
        close(estimate.difference, column("difference")[i], "difference");
    }
    assert!(found.one_sided().iter().all(|one| !one));
    let turned = scores(&table.compared(&contrast(&pair[1], &pair[0])).unwrap(), Statistic::Auto);
    assert_eq!(turned.statistic, Statistic::Moderated);
    turned.z().iter().zip(found.z()).for_each(|(a, b)| close(*a, -b, "turned round"));
}

#[test]
fn of_several_classes_the_one_that_stands_out_is_told() {
    let file = fixture("three_classes_age");
    let mut x: Vec<Vec<f64>> = file["x"].as_array().unwrap().iter().map(numbers).collect();
    let groups = texts(&file["group"]);
    for (x, group) in x[0].iter_mut().zip(&groups) {
        *x += if group == "v" { 50.0 } else { 0.0 };
    }
    let target = Target::classes(&groups.iter().map(Some).collect::<Vec<_>>());
    let names = (0..x.len()).map(|i| format!("g{i}")).collect();
    let table = Table::new(names, x.clone(), "group", target).unwrap();
    let mean = |wanted: &dyn Fn(&str) -> bool| {
        let some: Vec<f64> = x[0].iter().zip(&groups).filter(|(_, g)| wanted(g)).map(|(x, _)| *x).collect();
        some.iter().sum::<f64>() / some.len() as f64
    };
    let first = |table: &Table| {
        let selection = Snbl::default().select(&table.view(), &mut Context::default()).unwrap();
        selection.summaries.unwrap().features[0].clone()
    };
    let plain = first(&table);
    assert_eq!(plain.stands_out, Some(1));
    close(plain.difference, mean(&|g| g == "v") - mean(&|g| g != "v"), "v minus others");
    let compare = RequestedComparison { reference: Some("w".into()), ..RequestedComparison::default() };
    let named = first(&table.compared(&compare).unwrap());
    assert_eq!(named.stands_out, Some(1));
    close(named.difference, mean(&|g| g == "v") - mean(&|g| g == "w"), "v minus w");
}
