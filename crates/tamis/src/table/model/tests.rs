//! Formulas and their columns against R's, and what is refused.
#![allow(clippy::unwrap_used)]

use super::test::Tested;
use super::*;
use crate::fixtures::fixture;
use crate::numeric::linalg::dot;
use crate::table::{Categories, Column, Covariate, Table};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn indices(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|x| x.as_u64().unwrap() as usize).collect()
}

/// A table without features of interest, with the variables of a fixture as covariates.
fn table(variables: &Value, formula: &str, test: Option<&str>) -> Result<Table> {
    let model = Model::new(formula, test)?;
    let columns = variables.as_object().unwrap();
    let column = |name: &str| -> Column {
        let values = columns[name].as_array().unwrap();
        match values.iter().any(Value::is_string) {
            true => Categories::of(values.iter().map(Value::as_str)).into(),
            false => numbers(&columns[name]).into(),
        }
    };
    let rows = columns.values().next().unwrap().as_array().unwrap().len();
    let target = match column(model.target()) {
        Column::Numbers(values) => Target::Real { values },
        Column::Categories(c) => Target::classes(&(0..rows).map(|row| c.get(row)).collect::<Vec<_>>()),
    };
    let others = model.covariates();
    let covariates = others.iter().map(|name| Covariate { name: (*name).into(), values: column(name) }).collect();
    let values = vec![(0..rows).map(|i| (i % 3) as f64).collect::<Vec<f64>>()];
    let mut table = Table::new(vec!["g".into()], values, model.target(), target)?.with_covariates(covariates)?;
    table.study = table.study.with_model(model)?;
    Ok(table)
}

/// The part of a column that others do not span, as a share of its length.
fn outside(column: &[f64], others: &[Vec<f64>]) -> f64 {
    let mut basis: Vec<Vec<f64>> = vec![];
    for other in others.iter().map(Vec::as_slice).chain([column]) {
        let mut left = other.to_vec();
        for _ in 0..3 {
            for direction in &basis {
                let share = dot(direction, &left);
                left.iter_mut().zip(direction).for_each(|(x, d)| *x -= share * d);
            }
        }
        let (length, whole) = (dot(&left, &left).sqrt(), dot(other, other).sqrt());
        if std::ptr::eq(other.as_ptr(), column.as_ptr()) {
            return length / whole;
        }
        if length > 1e-9 * whole {
            basis.push(left.iter().map(|x| x / length).collect());
        }
    }
    0.0
}

#[test]
fn columns_are_those_of_r() {
    let file = fixture("oracle/designs2/general_coding.json");
    for wanted in file["formulas"].as_array().unwrap() {
        let formula = wanted["formula"].as_str().unwrap();
        let parsed = Formula::parse(formula).unwrap();
        let test = parsed.term_names().last().cloned();
        let table = table(&file["table"], formula, test.as_deref()).unwrap();
        let matrix = ModelMatrix::of(table.study.model().unwrap(), &table.view()).unwrap();
        assert_eq!(matrix.terms, indices(&wanted["assign"]), "{formula}");
        let columns: Vec<Vec<f64>> = wanted["columns"].as_array().unwrap().iter().map(numbers).collect();
        assert_eq!(matrix.kept().len(), wanted["kept0"].as_array().unwrap().len(), "{formula}");
        if formula.contains("ns(") {
            for last in 0..=*matrix.terms.iter().max().unwrap() {
                let own = |at: &usize| matrix.terms[*at] <= last;
                let ours: Vec<Vec<f64>> = (0..columns.len()).filter(own).map(|at| matrix.columns[at].clone()).collect();
                for theirs in (0..columns.len()).filter(own).map(|at| &columns[at]) {
                    assert!(outside(theirs, &ours) < 1e-8, "{formula}");
                }
            }
            continue;
        }
        let names: Vec<&str> = wanted["names"].as_array().unwrap().iter().map(|x| x.as_str().unwrap()).collect();
        assert_eq!(matrix.names, names, "{formula}");
        assert_eq!(matrix.kept(), indices(&wanted["kept0"]), "{formula}");
        for (found, wanted) in matrix.columns.iter().flatten().zip(columns.iter().flatten()) {
            assert!((found - wanted).abs() <= 1e-10 * wanted.abs().max(1.0), "{formula}: {found} for {wanted}");
        }
    }
}

fn two_by_two() -> Value {
    let label = |i: usize, names: [&str; 2]| names[i % 2].to_string();
    let (group, time): (Vec<String>, Vec<String>) =
        (0..12).map(|i| (label(i, ["a", "b"]), label(i / 2, ["early", "late"]))).unzip();
    let dose: Vec<f64> = (0..12).map(|i| f64::from(i * i % 7)).collect();
    let copy: Vec<String> = group.iter().map(|group| format!("{group}{group}")).collect();
    serde_json::json!({ "group": group, "time": time, "dose": dose, "same": vec![1.0; 12], "copy": copy })
}

fn tested(formula: &str, test: &str) -> Result<Tested> {
    let table = table(&two_by_two(), formula, Some(test))?;
    let matrix = ModelMatrix::of(table.study.model().unwrap(), &table.view())?;
    Tested::of(table.study.model().unwrap(), &matrix)
}

#[test]
fn tests_are_terms_coefficients_or_sums() {
    // (Intercept), groupb, timelate, groupb:timelate
    let model = "~ group * time";
    let is = |weights: [f64; 4]| Tested::Contrast(weights.to_vec());
    assert_eq!(tested(model, "group:time").unwrap(), is([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(tested(model, "time : group").unwrap(), is([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(tested(model, "groupb").unwrap(), is([0.0, 1.0, 0.0, 0.0]));
    assert_eq!(tested(model, "b - a").unwrap(), is([0.0, 1.0, 0.0, 0.0]));
    assert_eq!(tested(model, "early - late").unwrap(), is([0.0, 0.0, -1.0, 0.0]));
    assert_eq!(tested(model, "groupb + .5 groupb:timelate").unwrap(), is([0.0, 1.0, 0.0, 0.5]));
    assert_eq!(tested(model, "2*timelate-groupb").unwrap(), is([0.0, -1.0, 2.0, 0.0]));
    assert_eq!(tested(model, "group, group:time").unwrap(), Tested::Columns(vec![1, 3]));
    assert_eq!(tested("~ 0 + group", "b - a").unwrap(), Tested::Contrast(vec![-1.0, 1.0]));
    assert_eq!(tested("~ ns(dose, 3) + group", "ns(dose,3)").unwrap(), Tested::Columns(vec![1, 2, 3]));
}

#[test]
fn what_cannot_be_tested_is_refused_with_what_can() {
    let refused = |formula: &str, test: &str, words: &[&str]| {
        let error = tested(formula, test).unwrap_err().to_string();
        words.iter().for_each(|word| assert!(error.contains(word), "`{word}` is not in: {error}"));
    };
    refused("~ group * time", "grop", &["grop", "group:time", "timelate"]);
    refused("~ group + dose + copy", "copy", &["do not determine", "`dose`"]);
    refused("~ ns(same, 2) + group", "group", &["same", "constant"]);
    refused("~ ns(group, 2) + dose", "dose", &["group", "text"]);
    refused("~ group + dose", "", &["2 terms", "`group`", "`dose`"]);
    for (formula, word) in [
        ("~ log(dose) + group", "log("),
        ("dose ~ group", "before `~`"),
        ("~ group +", "at its end"),
        ("~ (group", "bracket"),
        ("~ group $ time", "`$`"),
        ("~ ns(dose) + group", "ns(dose)"),
        ("~ 1", "no term"),
    ] {
        let error = Model::new(formula, Some("group")).unwrap_err().to_string();
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
    let missing = table(&two_by_two(), "~ group", None).unwrap().study;
    let error = missing.with_model(Model::new("~ group + sex", Some("sex")).unwrap()).unwrap_err().to_string();
    assert!(error.contains("sex"), "{error}");
}

#[test]
fn an_empty_cell_is_named() {
    let mut variables = two_by_two();
    // no row of group b is late
    for (group, time) in (0..12).map(|i| (i % 2, i / 2 % 2)).enumerate().map(|(i, (g, _))| (g, i)).collect::<Vec<_>>() {
        if group == 1 {
            variables["time"][time] = "early".into();
        }
    }
    let table = table(&variables, "~ group * time", Some("group:time")).unwrap();
    let matrix = ModelMatrix::of(table.study.model().unwrap(), &table.view()).unwrap();
    let error = Tested::of(table.study.model().unwrap(), &matrix).unwrap_err().to_string();
    assert!(error.contains("no row belongs to `groupb:timelate`") && error.contains("`timelate`"), "{error}");
}
