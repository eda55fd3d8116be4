//! Survival targets: scores and log hazard ratios against R, against the definition, and their invariances.

use crate::common::{fixture, numbers};
use rand::RngExt;
use tamis::numeric::random::stream;
use tamis::score::cox::{self, CoxEstimate};
use tamis::score::{self, Scale, Statistic};
use tamis::table::{Categories, Column, Covariate, RowWeights, Target, WeightKind};
use tamis::{Context, Error, Method, NoteKind, Selection, Selector, Snbl, Table};

fn survival(times: &[f64], events: &[bool]) -> Target {
    Target::survival(times.to_vec(), events.iter().map(|event| Some(*event)).collect()).unwrap()
}

fn table(columns: Vec<Vec<f64>>, target: Target) -> Table {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    Table::new(names, columns, "time", target).unwrap()
}

fn scores(table: &Table) -> Vec<f64> {
    score::compute(&table.view(), Statistic::Auto, Scale::Z, &mut Context::default()).unwrap().into_z()
}

fn estimates(table: &Table) -> Vec<CoxEstimate> {
    cox::log_hazard_ratios(&table.view(), &scores(table), &mut Context::default()).unwrap()
}

/// A standard normal number by Box and Muller.
fn normal(rng: &mut impl RngExt) -> f64 {
    let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

fn exponential(rng: &mut impl RngExt, rate: f64) -> f64 {
    -(1.0 - rng.random::<f64>()).ln() / rate
}

/// `features` of noise and survival times, half of them censored, whose log hazard rises by `effect` with each unit of
/// the first `relevant`.
fn drawn(rows: usize, features: usize, relevant: usize, effect: f64, seed: u64) -> Table {
    let mut rng = stream(seed, 7);
    let columns: Vec<Vec<f64>> = (0..features).map(|_| (0..rows).map(|_| normal(&mut rng)).collect()).collect();
    let (mut times, mut events) = (vec![], vec![]);
    for row in 0..rows {
        let hazard = (0..relevant).map(|j| effect * columns[j][row]).sum::<f64>().exp();
        let (event, last_seen) = (exponential(&mut rng, hazard), exponential(&mut rng, 1.0));
        times.push(event.min(last_seen).max(1e-9));
        events.push(event <= last_seen);
    }
    table(columns, survival(&times, &events))
}

fn select(table: &Table) -> Selection {
    Snbl::default().select(&table.view(), &mut Context::default()).unwrap()
}

/// The logarithm of Efron's partial likelihood, from its definition.
fn log_likelihood(times: &[f64], events: &[bool], strata: &[u32], log_risks: &[f64]) -> f64 {
    let mut sum = 0.0;
    let alike = |a: usize, b: usize| times[a] == times[b] && strata[a] == strata[b];
    for i in 0..times.len() {
        let first = !(0..i).any(|j| events[j] && alike(i, j));
        if !events[i] || !first {
            continue;
        }
        let at_risk: f64 = (0..times.len())
            .filter(|&j| times[j] >= times[i] && strata[j] == strata[i])
            .map(|j| log_risks[j].exp())
            .sum();
        let tied: Vec<usize> = (0..times.len()).filter(|&j| events[j] && alike(i, j)).collect();
        let of_tied: f64 = tied.iter().map(|&j| log_risks[j].exp()).sum();
        for (l, &j) in tied.iter().enumerate() {
            sum += log_risks[j] - (at_risk - l as f64 / tied.len() as f64 * of_tied).ln();
        }
    }
    sum
}

struct TiedExample {
    times: Vec<f64>,
    events: Vec<bool>,
    strata: Vec<u32>,
    x: Vec<f64>,
}

/// Forty rows with many ties, in two strata.
fn tied_example() -> TiedExample {
    let mut rng = stream(3, 0);
    TiedExample {
        times: (0..40).map(|_| f64::from(rng.random_range(1..8_u8))).collect(),
        events: (0..40).map(|_| rng.random::<f64>() < 0.6).collect(),
        strata: (0..40).map(|row| row % 2).collect(),
        x: (0..40).map(|_| normal(&mut rng)).collect(),
    }
}

fn in_strata(table: Table, strata: &[u32]) -> Table {
    table.with_blocks("centre", Categories::of(strata.iter().map(|s| Some(s.to_string())))).unwrap()
}

#[test]
fn scores_and_log_hazard_ratios_are_those_of_r() {
    let file = fixture("oracle/designs/survival.json");
    let columns: Vec<Vec<f64>> = file["x"].as_array().unwrap().iter().map(numbers).collect();
    let events: Vec<bool> = numbers(&file["event"]).into_iter().map(|event| event == 1.0).collect();
    let plain = table(columns, survival(&numbers(&file["time"]), &events));
    let age = Covariate { name: "age".into(), values: Column::Numbers(numbers(&file["age"])) };
    let adjusted = plain.clone().with_covariates(vec![age]).unwrap();
    for (table, block) in [(plain, "efron"), (adjusted, "age_efron")] {
        let found = estimates(&table);
        let of = |name: &str| numbers(&file[block][name]);
        let (chi2, ratios, wald) = (of("score_chi2"), of("log_hazard_ratio"), of("wald_z"));
        for (j, z) in scores(&table).into_iter().enumerate() {
            assert!((z * z - chi2[j]).abs() <= 1e-11 * chi2[j].max(1.0), "{block} {j}: {} {}", z * z, chi2[j]);
            assert_eq!(z > 0.0, ratios[j] > 0.0, "{block} {j}");
            let CoxEstimate { log_hazard_ratio, standard_error, low, high } = found[j];
            assert!((log_hazard_ratio - ratios[j]).abs() < 1e-6, "{block} {j}: {log_hazard_ratio} {}", ratios[j]);
            assert!((log_hazard_ratio / standard_error - wald[j]).abs() < 1e-6, "{block} {j}");
            let half = 1.959963984540054 * standard_error;
            assert!((low - log_hazard_ratio + half).abs() < 1e-9 && (high - log_hazard_ratio - half).abs() < 1e-9);
        }
    }
}

#[test]
fn a_score_is_the_derivative_of_the_partial_likelihood_by_its_curvature() {
    let TiedExample { times, events, strata, x } = tied_example();
    for strata in [vec![0; times.len()], strata] {
        let whole = in_strata(table(vec![x.clone()], survival(&times, &events)), &strata);
        let at = |b: f64| log_likelihood(&times, &events, &strata, &x.iter().map(|x| b * x).collect::<Vec<f64>>());
        let step = 1e-4;
        let derivative = (at(step) - at(-step)) / (2.0 * step);
        let curvature = -(at(step) - 2.0 * at(0.0) + at(-step)) / (step * step);
        let z = scores(&whole)[0];
        assert!((z - derivative / curvature.sqrt()).abs() < 1e-5, "{z} {}", derivative / curvature.sqrt());
        let residuals = cox::martingale_residuals(&whole.view()).unwrap();
        let product: f64 = x.iter().zip(&residuals).map(|(x, m)| x * m).sum();
        assert!((product - derivative).abs() < 1e-6, "{product} {derivative}");
        assert!(residuals.iter().sum::<f64>().abs() < 1e-10);

        let found = estimates(&whole)[0];
        let best = found.log_hazard_ratio;
        assert!((at(best + step) - at(best - step)).abs() / (2.0 * step) < 1e-6, "not at the maximum");
        let curvature = -(at(best + step) - 2.0 * at(best) + at(best - step)) / (step * step);
        assert!((found.standard_error - 1.0 / curvature.sqrt()).abs() < 1e-5);
    }
}

#[test]
fn a_factor_is_adjusted_for_as_its_indicators_are() {
    let TiedExample { times, events, x, .. } = tied_example();
    let plain = table(vec![x], survival(&times, &events));
    let levels = ["b", "a", "c"];
    let site: Vec<&str> = (0..40).map(|row| levels[row % 3]).collect();
    let factor = vec![Covariate { name: "site".into(), values: Categories::of(site.iter().map(Some)).into() }];
    let indicator = |level: &str| {
        let values: Vec<f64> = site.iter().map(|s| f64::from(u8::from(*s == level))).collect();
        Covariate { name: level.into(), values: values.into() }
    };
    let as_factor = scores(&plain.clone().with_covariates(factor).unwrap())[0];
    let two = scores(&plain.clone().with_covariates(vec![indicator("b"), indicator("c")]).unwrap())[0];
    // the third indicator depends on the others, a constant explains nothing
    let one = Covariate { name: "one".into(), values: vec![1.0; 40].into() };
    let all = vec![indicator("b"), indicator("c"), indicator("a"), one];
    let dependent = scores(&plain.clone().with_covariates(all).unwrap())[0];
    assert!((as_factor - two).abs() < 1e-9 && (as_factor - dependent).abs() < 1e-9, "{as_factor} {two} {dependent}");
    assert!((as_factor - scores(&plain)[0]).abs() > 1e-3);
}

#[test]
fn rows_in_another_order_and_columns_in_other_units_keep_their_scores() {
    let TiedExample { times, events, strata, x } = tied_example();
    let order: Vec<usize> = (0..40).map(|row| (row * 7 + 3) % 40).collect();
    let reordered = |x: &[f64]| -> Vec<f64> { order.iter().map(|&row| x[row]).collect() };
    let other_times: Vec<f64> = reordered(&times).iter().map(|time| time * 365.25).collect();
    let other_events: Vec<bool> = order.iter().map(|&row| events[row]).collect();
    let other_strata: Vec<u32> = order.iter().map(|&row| strata[row]).collect();
    let other_x: Vec<f64> = reordered(&x).iter().map(|x| 1e5 - 250.0 * x).collect();
    let one = in_strata(table(vec![x], survival(&times, &events)), &strata);
    let two = in_strata(table(vec![other_x], survival(&other_times, &other_events)), &other_strata);
    assert!((scores(&one)[0] + scores(&two)[0]).abs() < 1e-9);
    let (one, two) = (estimates(&one)[0], estimates(&two)[0]);
    assert!((one.log_hazard_ratio + 250.0 * two.log_hazard_ratio).abs() < 1e-8);
    assert!((one.low + 250.0 * two.high).abs() < 1e-8);
}

#[test]
fn a_feature_with_missing_values_is_scored_on_its_own_rows() {
    let TiedExample { times, events, strata, x } = tied_example();
    let age: Vec<f64> = (0..40).map(|row| f64::from(row % 11)).collect();
    let kept: Vec<usize> = (0..40).filter(|row| row % 5 != 1).collect();
    let some = |x: &[f64]| -> Vec<f64> { kept.iter().map(|&row| x[row]).collect() };
    let gaps: Vec<f64> = (0..40).map(|row| if row % 5 == 1 { f64::NAN } else { x[row] }).collect();
    let covariate = |age: Vec<f64>| vec![Covariate { name: "age".into(), values: age.into() }];
    let whole = in_strata(table(vec![gaps, x.clone()], survival(&times, &events)), &strata);
    let whole = whole.with_covariates(covariate(age.clone())).unwrap();
    let own_events: Vec<bool> = kept.iter().map(|&row| events[row]).collect();
    let own_strata: Vec<u32> = kept.iter().map(|&row| strata[row]).collect();
    let own = in_strata(table(vec![some(&x)], survival(&some(&times), &own_events)), &own_strata);
    let own = own.with_covariates(covariate(some(&age))).unwrap();
    assert!((scores(&whole)[0] - scores(&own)[0]).abs() < 1e-10);
    assert!((estimates(&whole)[0].log_hazard_ratio - estimates(&own)[0].log_hazard_ratio).abs() < 1e-9);
    let found = score::compute(&whole.view(), Statistic::Cox, Scale::Z, &mut Context::default()).unwrap();
    assert_eq!(found.rows, [32, 40]);
    assert!(found.notes.iter().any(|note| note.kind == NoteKind::MissingValues));
}

#[test]
fn two_categories_have_the_chi_square_of_their_indicator() {
    let TiedExample { times, events, .. } = tied_example();
    let sex: Vec<f64> = (0..40).map(|row| f64::from(u8::from(row % 3 == 0))).collect();
    let text = Categories::of(sex.iter().map(|s| Some(if *s == 1.0 { "m" } else { "f" })));
    let columns: Vec<Column> = vec![sex.into(), text.into()];
    let names = vec!["number".to_string(), "text".to_string()];
    let table = Table::new(names, columns, "time", survival(&times, &events)).unwrap();
    let z = scores(&table);
    // the same p-value, two-sided and one-sided
    let p_number = 2.0 * tamis::numeric::special::ndtr(-z[0].abs());
    let p_text = tamis::numeric::special::ndtr(-z[1]);
    assert!((p_number - p_text).abs() < 1e-12, "{p_number} {p_text}");
}

#[test]
fn a_likelihood_without_a_maximum_has_no_interval() {
    // every event before every censored time, and the feature tells the two apart
    let times: Vec<f64> = (1..=20).map(f64::from).collect();
    let events: Vec<bool> = (0..20).map(|row| row < 10).collect();
    let x: Vec<f64> = (0..20).map(|row| f64::from(u8::from(row < 10))).collect();
    let table = table(vec![x, vec![1.0; 20]], survival(&times, &events));
    let z = scores(&table);
    assert!(z[0].is_finite() && z[0] > 3.0 && z[1].is_nan(), "{z:?}");
    let found = estimates(&table);
    assert!(found[0].log_hazard_ratio > 5.0 && found[0].standard_error.is_nan() && found[0].high.is_nan());
    assert!(found[1].log_hazard_ratio.is_nan());
}

#[test]
fn a_feature_that_varies_only_before_the_first_event_is_set_aside() {
    let times = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0];
    let events = [false, false, true, true, false, true];
    let table =
        table(vec![vec![5.0, 7.0, 1.0, 1.0, 1.0, 1.0], vec![1.0, 2.0, 3.0, 1.0, 2.0, 5.0]], survival(&times, &events));
    let found = score::compute(&table.view(), Statistic::Auto, Scale::Z, &mut Context::default()).unwrap();
    assert!(found.z()[0].is_nan() && found.z()[1].is_finite());
    assert!(found.notes.iter().any(|note| note.kind == NoteKind::TooFewValues && note.features == ["f0"]));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let table = drawn(200, 300, 2, 1.0, 5);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| select(&table))
    };
    let (one, three) = (on(1), on(3));
    assert_eq!(one.scores, three.scores);
    assert_eq!(one.probabilities, three.probabilities);
    assert!(!one.selected.is_empty());
}

#[test]
fn nothing_is_named_in_tables_of_noise() {
    let named = (0..20).filter(|&seed| !select(&drawn(100, 300, 0, 0.0, seed)).selected.is_empty()).count();
    assert_eq!(named, 0);
}

#[test]
fn most_planted_features_are_found() {
    let table = drawn(400, 1000, 10, 0.3, 11);
    let found = select(&table);
    let right = found.selected.iter().filter(|&&j| j < 10).count();
    assert!(right >= 6 && found.selected.len() - right <= 2, "{:?}", found.selected);
    assert_eq!(found.method.parameters["score"], "cox");
}

#[test]
fn other_methods_statistics_and_weights_are_refused() {
    let table = drawn(60, 20, 0, 0.0, 1);
    let view = table.view();
    let context = &mut Context::default();
    for info in Method::catalogue() {
        let method = Method::find(info.name).unwrap();
        if method.selects() && !["snbl", "needed"].contains(&info.name) {
            let error = method.select(&view, context).unwrap_err();
            assert!(matches!(error, Error::Method { .. }), "{}: {error}", info.name);
            assert!(error.to_string().contains("survival") && error.to_string().contains("snbl"), "{error}");
        }
        if method.classifies() {
            assert!(method.fit(&view, context).unwrap_err().to_string().contains("survival"), "{}", info.name);
        }
    }
    assert!(tamis::resample::folds::stratified(&view, 5, 1, 0).unwrap_err().to_string().contains("survival"));
    for statistic in [Statistic::Welch, Statistic::F, Statistic::Pearson, Statistic::Spearman] {
        assert!(score::compute(&view, statistic, Scale::Z, context).is_err());
    }
    assert!(score::compute(&view, Statistic::Cox, Scale::Raw, context).is_err());
    let classes = drawn(60, 3, 0, 0.0, 2);
    let numeric = Target::Real { values: (0..60).map(f64::from).collect() };
    assert!(score::compute(&classes.view().with_target(&numeric).unwrap(), Statistic::Cox, Scale::Z, context).is_err());
    let uneven = RowWeights::new((1..61).map(f64::from).collect(), WeightKind::Importance).unwrap();
    let weighted = table.clone().with_weights(uneven).unwrap();
    let error = Snbl::default().select(&weighted.view(), context).unwrap_err().to_string();
    assert!(error.contains("weight"), "{error}");
}
