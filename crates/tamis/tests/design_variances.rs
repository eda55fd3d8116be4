//! The robust prior of variances against numbers frozen from R (limma 3.54, its root finder at full precision).

use serde_json::Value;
use tamis::base::Auto;
use tamis::numeric::special::t_two_sided;
use tamis::score::{Scores, Scoring, Statistic};
use tamis::table::{Table, Target};
use tamis::{Context, Selector, Snbl};

fn fixture(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/oracle/designs2/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn table(file: &Value) -> Table {
    let columns: Vec<Vec<f64>> = file["x"].as_array().unwrap().iter().map(numbers).collect();
    let names = (0..columns.len()).map(|i| format!("g{i}")).collect();
    let labels: Vec<String> = numbers(&file["group"]).iter().map(|g| g.to_string()).collect();
    let target = Target::classes(&labels.iter().map(Some).collect::<Vec<_>>());
    Table::new(names, columns, "group", target).unwrap()
}

fn scores(table: &Table, trend: bool, robust: bool) -> Scores {
    let trend = Auto::Set(trend);
    let scoring = Scoring { statistic: Statistic::Moderated, trend, robust, ..Scoring::default() };
    scoring.scores(&table.view(), &mut Context::default()).unwrap()
}

fn close(found: f64, wanted: f64, what: &str) {
    assert!((found - wanted).abs() <= 1e-10 * wanted.abs().max(1.0), "{what}: {found} for {wanted}");
}

#[test]
fn the_robust_prior_agrees_with_limma() {
    for name in ["robust", "robust_trend", "robust_equal"] {
        let file = fixture(name);
        let found = scores(&table(&file), name == "robust_trend", true);
        let (d0, s0) = found.variance_priors()[0];
        match file["prior_df_common"].as_f64().unwrap() {
            -1.0 => assert_eq!(d0, f64::INFINITY, "{name}"),
            wanted => close(d0, wanted, name),
        }
        if file["prior_var"].is_number() {
            close(s0, file["prior_var"].as_f64().unwrap(), name);
        }
        let column = |key: &str| numbers(&file[key]);
        let (t, df, p) = (column("moderated_t"), column("df_total"), column("p_value"));
        for (i, estimate) in found.estimates.as_ref().unwrap().iter().enumerate() {
            let estimate = estimate.unwrap();
            close(estimate.statistic, t[i], &format!("{name} t of {i}"));
            close(estimate.df, df[i], &format!("{name} df of {i}"));
            let p_value = t_two_sided(estimate.statistic, estimate.df);
            assert!((p_value - p[i]).abs() <= 1e-9 * p[i], "{name} p of {i}: {p_value} for {}", p[i]);
        }
    }
}

/// 200 features of noise and one in another unit, which differs as noise does.
fn with_another_unit() -> Table {
    let mut state = 7_u64;
    let mut normal = || {
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (-2.0 * (1.0 - uniform()).ln()).sqrt() * (2.0 * std::f64::consts::PI * uniform()).cos()
    };
    let mut columns: Vec<Vec<f64>> = (0..200).map(|_| (0..12).map(|_| normal()).collect()).collect();
    columns.push((0..12).map(|i| 24.0 * (normal() + if i < 6 { 1.0 } else { 0.0 })).collect());
    let names = (0..201).map(|i| format!("g{i}")).collect();
    let labels: Vec<&str> = (0..12).map(|i| if i < 6 { "b" } else { "a" }).collect();
    Table::new(names, columns, "y", Target::classes(&labels.iter().map(Some).collect::<Vec<_>>())).unwrap()
}

#[test]
fn a_column_in_another_unit_is_not_pulled_towards_the_others() {
    let table = with_another_unit();
    let (plain, robust) = (scores(&table, false, false), scores(&table, false, true));
    let last = |scores: &Scores| scores.estimates.as_ref().unwrap()[200].unwrap();
    assert!(last(&robust).standard_error > 1.1 * last(&plain).standard_error);
    assert!(last(&robust).df < 12.0 && last(&plain).df > 15.0, "{:?} {:?}", last(&plain), last(&robust));
    assert!(robust.variance_priors()[0].0 > plain.variance_priors()[0].0);
}

#[test]
fn a_selection_says_whether_variances_follow_their_means() {
    let file = fixture("robust_trend");
    let selection = Snbl::default().select(&table(&file).view(), &mut Context::default()).unwrap();
    let design = selection.design.as_ref().unwrap();
    assert_eq!(design.trend, Some(true));
    assert!(design.trend_share.unwrap() > 0.2);
    assert_eq!(selection.method.parameters["trend"], true);
    let without = Snbl { trend: Auto::Set(false), ..Snbl::default() };
    let selection = without.select(&table(&file).view(), &mut Context::default()).unwrap();
    assert_eq!(selection.design.as_ref().unwrap().trend, Some(false));
    assert_eq!(selection.design.unwrap().trend_share, None);
}
