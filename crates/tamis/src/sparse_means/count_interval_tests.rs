use super::*;
use crate::fixtures::{numbers, oracle};
use crate::numeric::random;
use rand_distr::{Distribution, StandardNormal};

fn sorted(mut z: Vec<f64>) -> Vec<f64> {
    z.retain(|z| !z.is_nan());
    z.sort_by(f64::total_cmp);
    z
}

fn normal(seed: u64, n: usize, mean: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut rng = random::stream(seed, 41);
    let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
    sorted((0..n).map(|i| mean(i) + draw()).collect())
}

#[test]
fn the_curve_and_its_ends_meet_every_fixture() {
    let mut entries = 0;
    for (name, file) in oracle("honest_count") {
        let Some(expected) = file["expect"].as_array() else { continue };
        let z = sorted(numbers(&file["z"]));
        let tolerance = |key: &str| file["tolerance"][key].as_f64().expect("a tolerance");
        for want in expected {
            entries += 1;
            let number = |key: &str| want[key].as_f64().expect("a number");
            let (limit, phi) = (number("delta"), number("phi"));
            let scores = CountedScores::new(&z, want["one_sided"] == true);
            let curve = CountCurve::new(&scores, limit);
            let close = |got: f64, want: f64, within: f64, what: &str| {
                assert!((got - want).abs() <= within, "{name}, δ = {limit}, φ = {phi}, {what}: {got} for {want}");
            };
            assert_eq!(curve.scores.far as u64, want["far"].as_u64().expect("a count"), "{name}");
            close(curve.best / phi, number("best"), tolerance("best"), "best");
            close(curve.drop_without_outer() / phi, number("drop0"), tolerance("drop0"), "drop0");
            for point in want["curve"].as_array().expect("a list") {
                let [u, n, d] = numbers(point)[..] else { panic!("{name}: three numbers") };
                let got = curve.at(u);
                close(got.number, n, tolerance("curve_N"), "N(u)");
                close(got.drop / phi, d, tolerance("curve_D"), "D(u)");
            }
            let ends = curve.ends(phi);
            for (got, want) in ends.iter().zip(numbers(&want["ends"])) {
                close(*got, want, tolerance("ends"), "end");
            }
            let interval: Vec<u64> = serde_json::from_value(want["interval"].clone()).expect("two counts");
            assert_eq!(rounded(ends).to_vec(), interval, "{name}, δ = {limit}, φ = {phi}: {ends:?}");
        }
    }
    assert!(entries >= 16, "{entries}");
}

#[test]
fn the_slope_of_the_drop_is_twice_the_tilt() {
    for (z, one_sided) in [
        (normal(1, 800, |i| if i % 20 == 0 { 3.0 } else { 0.0 }), false),
        (normal(2, 300, |i| if i % 3 == 0 { 1.3 } else { 0.0 }), true),
    ] {
        for limit in [1.0, 2.0] {
            let scores = CountedScores::new(&z, one_sided);
            let curve = CountCurve::new(&scores, limit);
            for u in [-1.0, -0.3, -0.05, 0.05, 0.3, 1.0] {
                let [a, b] = [0.999, 1.001].map(|near| curve.at(near * u));
                let (rise, run) = (b.drop - a.drop, b.number - a.number);
                // a straight piece has one tilt; away from such a jump the difference quotient is the slope
                assert!(
                    (rise + 2.0 * u * run).abs() <= 0.003 * u.abs() * run.abs() + 1e-6,
                    "{limit} {u}: {rise} {run}"
                );
            }
        }
    }
}

/// N(u) and the tilted log likelihood by the EM algorithm, on the scores themselves.
fn by_em(z: &[f64], limit: f64, tilt: f64) -> (f64, f64) {
    let grid: Vec<f64> = (-20..=20).map(|i| f64::from(i) * 0.2).collect();
    let edge = if tilt < 0.0 { limit - 1e-9 } else { limit + 1e-9 };
    let outer: Vec<bool> = grid.iter().map(|m| m.abs() > edge).collect();
    let factor = |outer: bool| if outer { (-tilt.max(0.0)).exp() } else { tilt.min(0.0).exp() };
    let density = |z: f64, j: usize| factor(outer[j]) * (-0.5 * (z - grid[j]).powi(2)).exp();
    let mut weights = vec![1.0 / grid.len() as f64; grid.len()];
    let mut value = 0.0;
    for _ in 0..20_000 {
        let mut next = vec![0.0; grid.len()];
        value = 0.0;
        for &z in z {
            let terms: Vec<f64> = (0..grid.len()).map(|j| weights[j] * density(z, j)).collect();
            let f: f64 = terms.iter().sum();
            next.iter_mut().zip(&terms).for_each(|(n, t)| *n += t / f);
            value += f.ln();
        }
        let sum: f64 = next.iter().sum();
        weights = next.iter().map(|n| n / sum).collect();
    }
    (z.len() as f64 * weights.iter().zip(&outer).filter(|(_, o)| **o).map(|(w, _)| w).sum::<f64>(), value)
}

#[test]
fn em_finds_the_points_of_the_curve() {
    // multiples of the grid's spacing, so that binning changes nothing
    let z = sorted([-1.2, -0.4, 0.05, 0.3, 0.8, 1.1, 1.9, 2.6, 3.4, 3.8].to_vec());
    let scores = CountedScores::new(&z, false);
    let curve = CountCurve::new(&scores, 1.0);
    for tilt in [-0.8, -0.2, 0.2, 1.5] {
        let (number, value) = by_em(&z, 1.0, tilt);
        let got = curve.at(tilt);
        let (maximum, _) = curve.maximum(tilt, |_| true);
        assert!((got.number - number).abs() < 0.01, "{tilt}: {} {number}", got.number);
        assert!((maximum - value).abs() < 1e-4 && maximum > value - 1e-9, "{tilt}: {maximum} {value}");
    }
}

#[test]
fn a_scan_of_tilts_finds_the_ends() {
    for (z, limit, one_sided, phi) in [
        (normal(3, 60, |i| if i % 12 == 0 { 4.0 } else { 0.0 }), 1.0, false, 1.0),
        (normal(4, 200, |i| if i % 4 == 0 { -1.5 } else { 0.0 }), 1.0, false, 3.0),
        (normal(5, 150, |i| if i % 5 == 0 { 3.0 } else { 0.0 }), 2.0, true, 1.0),
    ] {
        let scores = CountedScores::new(&z, one_sided);
        let curve = CountCurve::new(&scores, limit);
        let most = phi * curve.threshold;
        let scan = |sign: f64| {
            let points: Vec<CurvePoint> = (0..200).map(|i| curve.at(sign * 1.04_f64.powi(i - 100))).collect();
            let after = points.iter().position(|point| point.drop >= most);
            after.map_or(points[points.len() - 1].number, |i| chord(&points[i - 1], &points[i], most))
        };
        let ends = curve.ends(phi);
        let low = if curve.drop_without_outer() <= most { 0.0 } else { scan(1.0) };
        let far = curve.scores.far as f64;
        assert!((ends[0] - far - low).abs() < 0.05, "{ends:?}: {low}");
        assert!((ends[1] - far - scan(-1.0)).abs() < 0.05, "{ends:?}");
    }
}

#[test]
fn nothing_to_fit_leaves_those_that_are_certain() {
    assert_eq!(CountCurve::new(&CountedScores::new(&[], false), 1.0).ends(1.0), [0.0, 0.0]);
    assert_eq!(CountCurve::new(&CountedScores::new(&[-9.0, 8.5], false), 2.0).ends(1.0), [2.0, 2.0]);
    // far below zero says nothing where only positive scores count
    let scores = CountedScores::new(&[-30.0, -9.0, 8.5], true);
    let one_sided = CountCurve::new(&scores, 1.0);
    assert_eq!(one_sided.scores.far, 1);
    assert!(one_sided.ends(1.0)[0] == 1.0);
}

#[test]
fn dense_atoms_serve_many_scores() {
    let few = atoms(&CountedScores::new(&[-3.3, 7.9], false), 1.0);
    assert_eq!(few.len(), 17 + 1 + 40);
    let z: Vec<f64> = (0..60_000).map(|i| f64::from(i) / 60_000.0 * 11.0 - 3.3).collect();
    let many = atoms(&CountedScores::new(&z, false), 1.0);
    assert_eq!(many.len(), 33 + 1 + 40 + 19);
    assert!(few.windows(2).chain(many.windows(2)).all(|pair| pair[0].value < pair[1].value));
    for atoms in [few, many] {
        assert_eq!(atoms.iter().filter(|atom| atom.place == Place::Edge).count(), 2);
    }
}
