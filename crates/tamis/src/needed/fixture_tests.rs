//! Answers of a reference program.

use super::eigenbasis::Eigenbasis;
use super::evidence::Evidence;
use super::flips::State;
use super::method::Needed;
use super::model::{Model, SHARES};
use super::projection::Projected;
use super::sampler;
use crate::base::{Context, Silent};
use crate::fixtures::{fixture, largest_difference, numbers};
use crate::selection::NeededFeatures;
use crate::table::{Column, Covariate, Table, Target};
use flate2::read::GzDecoder;
use serde_json::Value;

/// What the enumerated fixtures are compared with.
const EXACT: f64 = 1e-8;
const SAMPLED: f64 = 0.02;
/// What the others are.
const PROBABILITY: f64 = 0.05;

fn table(file: &Value) -> Table {
    let columns: Vec<Vec<f64>> = file["X"].as_array().expect("columns").iter().map(numbers).collect();
    let y = numbers(&file["y"]);
    let target = match file["kind"].as_str() {
        Some("survival") => {
            let events = numbers(&file["event"]).iter().map(|event| Some(*event == 1.0)).collect();
            Target::survival(y, events).expect("times")
        }
        Some(_) => classes(&y),
        None => Target::Real { values: y },
    };
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    let table = Table::new(names, columns, "y", target).expect("a table");
    let Some(covariates) = file["covariates"].as_array() else { return table };
    let rows: Vec<Vec<f64>> = covariates.iter().map(numbers).collect();
    let covariate = |at: usize| Covariate {
        name: format!("c{at}"),
        values: Column::Numbers(rows.iter().map(|row| row[at]).collect()),
    };
    table.with_covariates((0..rows[0].len()).map(covariate).collect()).expect("covariates")
}

fn classes(y: &[f64]) -> Target {
    let labels: Vec<String> = y.iter().map(|y| y.to_string()).collect();
    Target::classes(&labels.iter().map(|label| Some(label.as_str())).collect::<Vec<_>>())
}

fn zipped(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/oracle/needed/{name}.json.gz", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).expect("a committed fixture");
    serde_json::from_reader(GzDecoder::new(bytes.as_slice())).expect("JSON")
}

/// The model of an enumerated fixture.
fn enumerated(name: &str, factors: usize) -> (Value, Model) {
    let mut file = fixture(&format!("oracle/needed/{name}.json"));
    if factors > 0 {
        file["kind"] = "classes".into();
    }
    let projected = Projected::of(&table(&file).view(), 10).expect("columns");
    if let Some(wanted) = file["working_target"].as_array() {
        let wanted: Vec<f64> = wanted.iter().filter_map(Value::as_f64).collect();
        assert!(largest_difference(&projected.y[0], &wanted) < 1e-8, "{name}");
    }
    if let Some(rows) = file["working_target_gram"].as_array() {
        for (i, row) in rows.iter().enumerate() {
            let got: Vec<f64> =
                (0..projected.y[0].len()).map(|k| projected.y.iter().map(|y| y[i] * y[k]).sum()).collect();
            assert!(largest_difference(&got, &numbers(row)) < 1e-8, "{name}");
        }
    }
    assert_eq!(projected.freedom, file["m"].as_f64().expect("m"));
    let basis = Eigenbasis::of(projected).expect("finite");
    (file, Model::new(basis, factors > 0, Some(factors), 1 << 20))
}

fn members(value: &Value) -> Vec<u32> {
    numbers(value).into_iter().map(|j| j as u32).collect()
}

fn index_of(values: &[f64], wanted: f64) -> usize {
    values.iter().position(|value| (value - wanted).abs() < 1e-6 * wanted.max(1.0)).expect("on the grid")
}

#[test]
fn evidence_and_odds_are_those_of_the_reference() {
    for (name, factors) in [("enumerated_number", 0), ("enumerated_classes", 2)] {
        let (file, mut model) = enumerated(name, factors);
        for case in file["evidence"].as_array().expect("cases") {
            let mut evidence = Evidence::new(&model);
            let set = members(&case["S"]);
            // columns that come and go leave nothing behind
            [1, 4, 6].iter().chain(&set).chain(&[1, 4, 6]).for_each(|&j| evidence.flip(&model, j));
            evidence.evaluate(&model);
            let wanted: Vec<f64> = case["value"].as_array().expect("shares").iter().flat_map(numbers).collect();
            assert!(largest_difference(&evidence.logs, &wanted) < EXACT, "{name} {set:?}");
        }
        for case in file["odds"].as_array().expect("cases") {
            let set = members(&case["S"]);
            let share = index_of(&SHARES, case["share"].as_f64().expect("a share"));
            model.variances[0] = case["t"].as_f64().expect("t"); // not always one of the grid
            let mut state = State::new(&model, share, 0);
            let others = || (0..model.features as u32).filter(|j| !set.contains(j));
            others().for_each(|j| state.flip(&model, j));
            set.iter().for_each(|&j| state.flip(&model, j));
            others().for_each(|j| state.flip(&model, j));
            let logs: Vec<f64> = state.odds.iter().map(|odds| odds.ln()).collect();
            let difference = largest_difference(&logs, &numbers(&case["value"]));
            assert!(difference < EXACT, "{name} {set:?}: {difference}");
        }
    }
}

#[test]
fn sampled_inclusion_is_that_of_all_sets() {
    for (name, factors) in [("enumerated_number", 0), ("enumerated_classes", 2)] {
        let (file, model) = enumerated(name, factors);
        let visits = sampler::run(&model, 4, [1000, 5000], 3, &mut Silent).expect("visits");
        let inclusion: Vec<f64> =
            (0..model.len()).map(|j| visits.iter().map(|visits| visits.inclusion[j]).sum::<f64>() / 4.0).collect();
        let difference = largest_difference(&inclusion, &numbers(&file["inclusion"]));
        assert!(difference < SAMPLED, "{name}: {difference}");
        let size: f64 = visits
            .iter()
            .map(|visits| visits.sets().zip(&visits.weights).map(|(set, w)| set.len() as f64 * w).sum::<f64>() / 4.0)
            .sum();
        assert!((size - file["effects"].as_f64().expect("effects")).abs() < 0.1, "{name}: {size}");
    }
}

fn explain(file: &Value, seed: u64) -> NeededFeatures {
    Needed::default().explain(&table(file).view(), &mut Context::seeded(seed)).expect("an answer").0
}

#[test]
fn findings_are_those_of_the_reference() {
    for name in ["copies", "noise", "factor", "classes", "survival"] {
        let file = zipped(name);
        let found = explain(&file, 1);
        let seeds = file["findings_by_seed"].as_array().expect("seeds");
        let wanted = |seed: &Value| -> Vec<(u32, f64)> {
            let mut all: Vec<(u32, f64)> = seed
                .as_array()
                .expect("findings")
                .iter()
                .map(|f| (f["lead"].as_u64().expect("a lead") as u32, f["probability"].as_f64().expect("P")))
                .collect();
            all.sort_by_key(|(lead, _)| *lead);
            all
        };
        let mut got: Vec<(u32, f64)> = found.findings.iter().map(|f| (f.lead(), f.probability)).collect();
        got.sort_by_key(|(lead, _)| *lead);
        let wanted = wanted(&seeds[0]);
        let leads = |all: &[(u32, f64)]| all.iter().map(|(lead, _)| *lead).collect::<Vec<_>>();
        assert_eq!(leads(&got), leads(&wanted), "{name}: {got:?} {wanted:?}");
        for (got, wanted) in got.iter().zip(&wanted) {
            assert!((got.1 - wanted.1).abs() < PROBABILITY, "{name}: {got:?} {wanted:?}");
        }
        let p = file["p_at_most"].as_f64().expect("p");
        assert!(found.gate.p_value <= p + 0.1 && (found.gate.p_value <= 0.05) == (p <= 0.05), "{name}");
        let difference = largest_difference(&found.inclusion_probabilities, &numbers(&file["inclusion_mean"]));
        assert!(difference < PROBABILITY, "{name}: {difference}");
    }
}
