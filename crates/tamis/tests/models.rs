//! Linear models by formula: against numbers frozen from R (limma 3.54), and by what must not change them.

use serde_json::Value;
use tamis::base::{Auto, NoteKind};
use tamis::numeric::special::{f_upper, t_two_sided};
use tamis::selection::Selection;
use tamis::table::{Categories, Column, Covariate, Model, Study, Table, Target, View};
use tamis::{Context, Selector, Snbl};

fn fixture(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/oracle/designs2/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn column(values: &Value) -> Column {
    let values = values.as_array().unwrap();
    match values.iter().any(Value::is_string) {
        true => Categories::of(values.iter().map(Value::as_str)).into(),
        false => numbers(&Value::Array(values.clone())).into(),
    }
}

/// The study of a model over variables by name.
fn study(variables: &Value, formula: &str, test: &str) -> Study {
    let model = Model::new(formula, Some(test)).unwrap();
    let target = match column(&variables[model.target()]) {
        Column::Numbers(values) => Target::Real { values },
        Column::Categories(c) => Target::classes(&(0..c.codes().len()).map(|row| c.get(row)).collect::<Vec<_>>()),
    };
    let others = model.covariates();
    let covariates = others.iter().map(|name| Covariate { name: (*name).into(), values: column(&variables[name]) });
    let study = Study::new(model.target(), target, None).unwrap().with_covariates(covariates.collect()).unwrap();
    study.with_model(model).unwrap()
}

/// Features without a target of their own.
fn features(file: &Value) -> Table {
    let columns: Vec<Vec<f64>> = file["x"].as_array().unwrap().iter().map(numbers).collect();
    let names = (0..columns.len()).map(|i| format!("g{i}")).collect();
    let rows = columns[0].len();
    Table::new(names, columns, "y", Target::Real { values: (0..rows).map(|i| i as f64).collect() }).unwrap()
}

fn selected(table: &Table, study: &Study, snbl: Snbl) -> Selection {
    snbl.select(&View::new(table, study).unwrap(), &mut Context::default()).unwrap()
}

/// As limma does it unless it is told otherwise.
fn plain() -> Snbl {
    Snbl { trend: Auto::Set(false), robust: false, ..Snbl::default() }
}

fn close(found: f64, wanted: f64, what: &str) {
    if found.is_nan() && wanted.is_nan() {
        return;
    }
    assert!((found - wanted).abs() <= 1e-10 * wanted.abs().max(1.0), "{what}: {found} for {wanted}");
}

fn p_close(found: f64, wanted: f64, what: &str) {
    if found.is_nan() && wanted.is_nan() {
        return;
    }
    assert!((found - wanted).abs() <= 1e-9 * wanted, "{what}: p {found} for {wanted}");
}

#[test]
fn tests_of_a_model_agree_with_limma() {
    let tests = [
        ("general_interaction", "coefficient", "atrt"),
        ("general_interaction", "contrast", "atrt + atrt:br"),
        ("general_interaction", "average", "atrt + .333333333333333 atrt:bq + .333333333333333 atrt:br"),
        ("general_interaction", "number", "x"),
        ("general_interaction", "term", "a:b"),
        ("general_spline", "g:ns(t, df = 3)", "g:ns(t, df = 3)"),
        ("general_spline", "batch", "batch"),
        ("general_spline", "g and g:ns", "g, g:ns(t, 3)"),
    ];
    for (name, key, test) in tests {
        let file = fixture(name);
        let wanted = &file["tests"][key];
        let found =
            selected(&features(&file), &study(&file["table"], file["formula"].as_str().unwrap(), test), plain());
        let design = found.design.as_ref().unwrap();
        close(design.prior_df.unwrap(), file["prior_df"].as_f64().unwrap(), "prior df");
        close(design.prior_var.unwrap(), file["prior_var"].as_f64().unwrap(), "prior variance");
        let summaries = &found.summaries.as_ref().unwrap().features;
        if wanted["beta"].is_array() {
            let (beta, t, p) = (numbers(&wanted["beta"]), numbers(&wanted["moderated_t"]), numbers(&wanted["p_value"]));
            for (i, summary) in summaries.iter().enumerate() {
                let what = format!("{name}, {test}, feature {i}");
                close(summary.difference, beta[i], &what);
                close(summary.statistic, t[i], &what);
                p_close(t_two_sided(summary.statistic, summary.df), p[i], &what);
            }
            continue;
        }
        let df1 = wanted["df1"].as_f64().unwrap();
        assert_eq!(design.test_df as f64, df1, "{test}");
        let (f, p) = (numbers(&wanted["F"]), numbers(&wanted["F_p_value"]));
        for (i, summary) in summaries.iter().enumerate() {
            let what = format!("{name}, {test}, feature {i}");
            let found = if df1 == 1.0 { summary.statistic.powi(2) } else { summary.statistic };
            close(found, f[i], &what);
            p_close(f_upper(found, df1, summary.df), p[i], &what);
        }
    }
}

/// 60 features over a 2 × 2 design of six rows a cell, the first four of which respond to both together.
fn two_by_two() -> (Table, Value) {
    let rows = 24;
    let (group, time): (Vec<&str>, Vec<&str>) =
        (0..rows).map(|i| (["a", "b"][i % 2], ["early", "late"][i / 2 % 2])).unzip();
    let noise = |i: usize, j: usize| {
        let mut x = (i as u64 * 1_000_003 + j as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
        for _ in 0..3 {
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x ^= x >> 27;
        }
        (x >> 11) as f64 / (1_u64 << 53) as f64
    };
    let column = |j: usize| -> Vec<f64> {
        (0..rows).map(|i| noise(i, j) + f64::from(u8::from(j < 4 && i % 2 == 1 && i / 2 % 2 == 1)) * 3.0).collect()
    };
    let file = serde_json::json!({ "x": (0..60).map(column).collect::<Vec<_>>() });
    (features(&file), serde_json::json!({ "group": group, "time": time }))
}

#[test]
fn an_interaction_is_found_and_explained() {
    let (table, variables) = two_by_two();
    let found = selected(&table, &study(&variables, "~ group * time", "group:time"), Snbl::default());
    let mut named = found.selected.clone();
    named.sort_unstable();
    assert_eq!(named, [0, 1, 2, 3]);
    assert!((found.summaries.as_ref().unwrap().features[0].difference - 3.0).abs() < 1.0);
    let design = found.design.as_ref().unwrap();
    assert_eq!((design.formula.as_deref(), design.test_df), (Some("~ group * time"), 1));
    let main = selected(&table, &study(&variables, "~ group * time", "group"), Snbl::default());
    let note = main.notes.iter().find(|note| note.kind == NoteKind::Interactions).unwrap().to_string();
    assert!(note.contains("`time` is at its reference") && note.contains("group, group:time"), "{note}");
}

#[test]
fn a_formula_of_sums_is_a_target_with_covariates() {
    let (table, variables) = two_by_two();
    let by_formula = selected(&table, &study(&variables, "~ group + time", "group"), Snbl::default());
    let labels = |name: &str| -> Vec<Option<String>> {
        variables[name].as_array().unwrap().iter().map(|x| x.as_str().map(String::from)).collect()
    };
    let time = Covariate { name: "time".into(), values: Categories::of(labels("time")).into() };
    let by_target =
        Study::new("group", Target::classes(&labels("group")), None).unwrap().with_covariates(vec![time]).unwrap();
    let by_target = selected(&table, &by_target, Snbl::default());
    for (formula, target) in by_formula.scores.iter().zip(&by_target.scores) {
        close(*formula, *target, "z");
    }
    let level = selected(&table, &study(&variables, "~ 0 + group + time", "b - a"), Snbl::default());
    for (level, target) in level.scores.iter().zip(&by_target.scores) {
        close(*level, *target, "z of levels");
    }
}

#[test]
fn null_targets_of_an_interaction_are_calibrated() {
    // no feature responds: nothing may be named, whatever the seed
    let (table, variables) = two_by_two();
    let noise: Vec<u32> = (4..60).collect();
    let table = table.view().narrowed(&noise);
    let named = (0..20)
        .filter(|seed| {
            let study = study(&variables, "~ group * time", "group:time");
            let mut silent = tamis::base::Silent;
            let found =
                Snbl::default().select(&View::new(&table, &study).unwrap(), &mut Context::new(*seed, &mut silent));
            !found.unwrap().selected.is_empty()
        })
        .count();
    assert!(named <= 1, "{named} of 20 seeds name noise");
}
