//! Covariates, blocks and moderated variances against numbers frozen from R (limma 3.54).

use serde_json::Value;
use tamis::base::{Auto, NoteKind};
use tamis::numeric::special::{f_upper, t_two_sided};
use tamis::score::{EffectEstimate, Scale, Scores, Scoring, Statistic};
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

/// Without a trend and not robust, as limma does it unless it is told otherwise.
fn plain() -> Scoring {
    Scoring { trend: Auto::Set(false), robust: false, ..Scoring::default() }
}

fn scores(table: &Table, statistic: Statistic) -> Scores {
    let scoring = Scoring { statistic, scale: Scale::Z, ..plain() };
    scoring.scores(&table.view(), &mut Context::default()).unwrap()
}

fn close(found: f64, wanted: f64, what: &str) {
    assert!((found - wanted).abs() <= 1e-11 * wanted.abs().max(1.0), "{what}: {found} for {wanted}");
}

fn estimates(scores: &Scores) -> Vec<EffectEstimate> {
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
    let scoring = Scoring { statistic: Statistic::Moderated, min_difference: least, ..plain() };
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
    let scoring = Scoring { trend: Auto::Set(true), ..plain() };
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

/// A table of `zero_variance.json`, with its covariate if it has one.
fn table_without_variance(case: &Value) -> Table {
    let rows: Vec<Vec<f64>> = case["x"].as_array().unwrap().iter().map(numbers).collect();
    let names = (0..rows.len()).map(|i| format!("g{i}")).collect();
    let target = Target::classes(&texts(&case["group"]).into_iter().map(Some).collect::<Vec<_>>());
    let age = case["age"].is_array().then(|| Covariate { name: "age".into(), values: numbers(&case["age"]).into() });
    Table::new(names, rows, "group", target).unwrap().with_covariates(age.into_iter().collect()).unwrap()
}

fn cases_without_variance() -> Value {
    let path = format!("{}/tests/fixtures/zero_variance.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn features_without_variance_inside_the_classes_agree_with_limma() {
    for (name, case) in cases_without_variance().as_object().unwrap() {
        let trend = Auto::Set(case["trend"] == true);
        let scoring = Scoring { statistic: Statistic::Moderated, trend, ..plain() };
        let found = scoring.scores(&table_without_variance(case).view(), &mut Context::default()).unwrap();
        assert!(found.notes.iter().all(|note| note.kind != NoteKind::PerfectSeparation), "{name}: {:?}", found.notes);
        let near = |found: f64, wanted: f64, what: &str| {
            assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{name} {what}: {found} for {wanted}");
        };
        near(found.variance_priors()[0].0, case["prior_df"].as_f64().unwrap(), "d0");
        if case["prior_var"].is_number() {
            near(found.variance_priors()[0].1, case["prior_var"].as_f64().unwrap(), "s0²");
        }
        let several = case["F"].is_array();
        let (statistic, df) = (numbers(&case[if several { "F" } else { "t" }]), numbers(&case["df"]));
        for (i, estimate) in estimates(&found).iter().enumerate() {
            near(estimate.statistic, statistic[i], &format!("statistic of {i}"));
            near(estimate.df, df[i], &format!("df of {i}"));
            if !several {
                near(estimate.difference, numbers(&case["difference"])[i], &format!("difference of {i}"));
            }
        }
    }
}

#[test]
fn constant_features_and_sums_of_covariates_have_no_part_in_the_prior() {
    let cases = cases_without_variance();
    let case = &cases["adjusted"];
    let with = |further: &[Vec<f64>]| {
        let mut case = case.clone();
        further.iter().for_each(|row| case["x"].as_array_mut().unwrap().push(serde_json::json!(row)));
        scores(&table_without_variance(&case), Statistic::Moderated)
    };
    let age = numbers(&case["age"]);
    let mean = age.iter().sum::<f64>() / age.len() as f64;
    let nothing = [
        vec![0.0; 8],
        vec![1e9; 8],
        // the same number but for its last digits
        (0..8).map(|i| 1e9 + f64::from(i % 3) * 1e-7).collect(),
        age.iter().map(|a| a - mean).collect(),
        age.iter().map(|a| 7.0 - 0.1 * a).collect(),
    ];
    let (alone, beside) = (with(&[]), with(&nothing));
    let k = alone.z().len();
    assert!(beside.z()[k..].iter().all(|z| z.is_nan()), "{:?}", &beside.z()[k..]);
    let ((d0, s0), (d0_beside, s0_beside)) = (alone.variance_priors()[0], beside.variance_priors()[0]);
    close(d0_beside, d0, "d0");
    close(s0_beside, s0, "s0²");
    alone.z().iter().zip(beside.z()).for_each(|(alone, beside)| close(*beside, *alone, "z"));
}

#[test]
fn where_no_feature_varies_inside_the_classes_the_target_determines_all() {
    let target = Target::classes(&[Some("a"), Some("a"), Some("a"), Some("b"), Some("b"), Some("b")]);
    let column = |low: f64, high: f64| vec![low, low, low, high, high, high];
    let columns: Vec<Vec<f64>> = (0..25).map(|j| column(0.1, 0.3 + f64::from(j))).collect();
    let names = (0..25).map(|j| format!("f{j}")).collect();
    let table = Table::new(names, columns, "y", target).unwrap();
    let found = scores(&table, Statistic::Moderated);
    assert!(found.notes.iter().any(|note| note.kind == NoteKind::PerfectSeparation));
    assert!(found.z().iter().all(|z| *z == 37.5), "{:?}", found.z());
    let estimate = found.estimates.as_ref().unwrap()[3].unwrap();
    assert!((estimate.difference - 3.2).abs() < 1e-12 && estimate.standard_error.is_nan());
}

#[test]
fn a_copy_of_the_target_has_a_difference_with_an_interval_beside_moderated_variances() {
    let cases = cases_without_variance();
    let table = table_without_variance(&cases["plain"]);
    let trend = Auto::Set(false);
    let plain = Snbl { score: Statistic::Moderated, robust: false, trend, ..Snbl::default() };
    let selection = plain.select(&table.view(), &mut Context::default()).unwrap();
    let copy = &selection.summaries.as_ref().unwrap().features[30];
    assert!((copy.difference - 1.0).abs() < 1e-12 && copy.low > 0.8 && copy.high < 1.2, "{copy:?}");
    assert!(selection.scores[30] > 3.0 && selection.scores[30] < 6.0, "{}", selection.scores[30]);
    assert!(selection.notes.iter().all(|note| note.kind != NoteKind::PerfectSeparation));
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
