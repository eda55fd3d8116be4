//! Answers of a reference program.

use super::{Naming, Noise, NoiseStates, explain};
use crate::base::Silent;
use crate::fixtures::{largest_difference, numbers};
use crate::sparse_means::Curves;
use crate::sparse_means::Sides;
use crate::sparse_means::null_scores::HeldNullScores;
use flate2::read::GzDecoder;
use serde_json::Value;

const NAMES: [&str; 5] = ["correlated_dense", "independent", "noise", "one_sided", "sparse"];

fn open_file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/noise_states/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).expect("a committed fixture")
}

fn fixture(name: &str) -> Value {
    serde_json::from_reader(GzDecoder::new(open_file(&format!("{name}.json.gz")).as_slice())).expect("JSON")
}

/// Scores are kept as whole numbers.
fn scores(value: &Value, file: &Value) -> Vec<f64> {
    let divisor = file["divide_by"].as_f64().expect("a number");
    numbers(value).into_iter().map(|z| z / divisor).collect()
}

fn answer(file: &Value) -> NoiseStates {
    let rows = |key: &str| file[key].as_array().expect("rows").iter().map(|row| scores(row, file)).collect();
    let nulls = HeldNullScores { states: rows("Z"), gate: rows("Zg") };
    let sides = if file["one_sided"] == true { Sides::One } else { Sides::Two };
    let noise = Noise::Table { nulls: &nulls, residual_dimension: file["dims"].as_u64().expect("a number") as usize };
    let naming = ["fdr", "quiet"].map(|key| file[key].as_f64().expect("a number"));
    let naming = Naming { fdr: naming[0], quiet: naming[1] };
    explain(&scores(&file["z"], file), sides, noise, naming, Curves::Drawn, &mut Silent).expect("an answer")
}

#[test]
fn every_fixture_is_met() {
    for name in NAMES {
        let file = fixture(name);
        let want = &file["expected"];
        let got = answer(&file);
        let number = |value: &Value| value.as_f64().expect("a number");
        let whole = |key: &str| want[key].as_u64().expect("a whole number") as usize;
        // the reference's fits end at a gap of 1e-7: see the next test
        assert!(largest_difference(&got.p, &numbers(&want["p"])) < 5e-6, "{name}");
        assert_eq!(got.named.iter().map(|i| f64::from(*i)).collect::<Vec<_>>(), numbers(&want["named"]), "{name}");
        assert_eq!((got.gate.above, got.gate.open), (whole("above"), want["open"] == true), "{name}");
        assert_eq!((got.at_least, got.at_least_named), (whole("least"), whole("least_named")), "{name}");
        assert!((got.phi / number(&want["phi"]) - 1.0).abs() < 1e-6, "{name}: φ {}", got.phi);
        assert!((got.dispersions[0].lambda - number(&want["lambda"][0])).abs() < 1e-6, "{name}: λ");
        assert!((got.dispersions[0].dispersion - number(&want["Q"][0])).abs() < 1e-5, "{name}: Q");
        for (at, how_many) in got.matter.iter().flatten().enumerate() {
            let close = |got: f64, want: f64| (got - want).abs() <= 1e-3 * want.max(1e-3);
            for (end, want) in how_many.interval.iter().zip(numbers(&want["matter"][at])) {
                assert!(close(*end, want), "{name}: interval {end} {want}");
            }
            assert!(close(how_many.expected, number(&want["expected"][at])), "{name}: {how_many:?}");
        }
    }
}

#[test]
fn probabilities_effects_and_sign_errors_are_those_of_the_optimum() {
    let all: Value = serde_json::from_slice(&open_file("at_optimum.json")).expect("JSON");
    for name in NAMES {
        let (got, want) = (answer(&fixture(name)), &all[name]);
        let p = numbers(&want["p"]);
        assert!(largest_difference(&got.p, &p) < 1e-6, "{name}: p");
        assert!(largest_difference(&got.effects, &numbers(&want["effect"])) < 1e-5, "{name}: effects");
        if want["sign_error"].is_null() {
            assert!(got.sign_errors.iter().all(|error| error.is_nan()), "{name}");
        } else {
            let bounded: Vec<f64> = numbers(&want["sign_error"]).iter().zip(&p).map(|(s, p)| s.min(*p)).collect();
            assert!(largest_difference(&got.sign_errors, &bounded) < 1e-6, "{name}: sign errors");
        }
    }
}
