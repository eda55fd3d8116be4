//! Effects in their own unit from statistics that others computed: as large as the truth, whatever the degrees of freedom.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use tamis::numeric::random;
use tamis::score::given::{DegreesOfFreedom, GivenScores};
use tamis::{Context, SparseMeans, sparse_means};

const DIFFERENCE: f64 = 1.5;
const FEATURES: usize = 1000;
const RELEVANT: usize = 100;
/// The typical standard deviation of a feature, and the degrees of freedom that variances scatter about it with.
const DEVIATION: f64 = 0.3;
const PRIOR_DF: f64 = 4.0;

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

fn sign(feature: usize) -> f64 {
    if feature.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// Differences between two classes of so many rows and their standard errors, moderated as limma does; the first features
/// differ by ±1.5.
fn estimates(rows: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = random::stream(seed, rows as u64);
    let df = 2.0 * rows as f64 - 2.0;
    let feature = |feature: usize| {
        let chi_square: f64 = (0..PRIOR_DF as usize).map(|_| normal(&mut rng).powi(2)).sum();
        let deviation = DEVIATION * (PRIOR_DF / chi_square).sqrt();
        let truth = if feature < RELEVANT { sign(feature) * DIFFERENCE } else { 0.0 };
        let mut class = |mean: f64| {
            let values: Vec<f64> = (0..rows).map(|_| mean + deviation * normal(&mut rng)).collect();
            let mean = values.iter().sum::<f64>() / rows as f64;
            (mean, values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>())
        };
        let (negative, positive) = (class(0.0), class(truth));
        let variance = (PRIOR_DF * DEVIATION * DEVIATION + negative.1 + positive.1) / (PRIOR_DF + df);
        (positive.0 - negative.0, (2.0 * variance / rows as f64).sqrt())
    };
    (0..FEATURES).map(feature).unzip()
}

/// The mean of the shrunken differences of what differs, in the direction of the truth, and how often the interval holds it.
fn told(rows: usize, seed: u64) -> (f64, f64) {
    let (beta, se) = estimates(rows, seed);
    let df = DegreesOfFreedom::Same(2.0 * rows as f64 - 2.0 + PRIOR_DF);
    let given = GivenScores::of_estimates(&beta, &se, Some(&df)).unwrap();
    let names: Vec<String> = (0..FEATURES).map(|feature| format!("f{feature}")).collect();
    let selection =
        sparse_means::shrink_given(&SparseMeans::default(), names.into(), &given, &mut Context::default()).unwrap();
    let (shrunken, [low, high]) = (selection.shrunken_differences.unwrap(), selection.shrunken_differences_95.unwrap());
    let mean = (0..RELEVANT).map(|i| sign(i) * shrunken[i]).sum::<f64>() / RELEVANT as f64;
    let truth = |i: usize| sign(i) * DIFFERENCE;
    let held = (0..RELEVANT).filter(|&i| low[i] <= truth(i) && truth(i) <= high[i]).count();
    (mean, held as f64 / RELEVANT as f64)
}

/// Multiplied by the standard error instead of by estimate over score, they come out as .73, .83, .88 and .92, and the
/// intervals hold the truth in 7 to 10 %.
#[test]
fn shrunken_differences_are_as_large_as_the_truth_whatever_the_degrees_of_freedom() {
    for (rows, least) in [(3, 1.1), (5, 1.3), (10, 1.4), (30, 1.4)] {
        let runs: Vec<(f64, f64)> = (0..3).map(|seed| told(rows, seed)).collect();
        let mean = runs.iter().map(|run| run.0).sum::<f64>() / 3.0;
        let held = runs.iter().map(|run| run.1).sum::<f64>() / 3.0;
        assert!((least..1.6).contains(&mean), "{rows}: {mean}");
        assert!(held > 0.9, "{rows}: {held}");
    }
}
