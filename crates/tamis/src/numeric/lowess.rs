//! Lowess: a smooth curve through a cloud of points by local, robust straight lines (Cleveland 1979).

use super::order_statistics::median;

/// Weights of points nearer than this share of a window's width are 1.
const NEAR: f64 = 0.001;
/// Weights of points beyond this share are 0.
const FAR: f64 = 0.999;
/// Points within this share of the range are interpolated.
const STEP: f64 = 0.01;
/// Passes with robustness weights, after a first without.
const ROBUST_PASSES: usize = 3;

/// The heights of the curve at points in ascending order of `x`, each fitted to the nearest `span` of all points.
///
/// Cost: O(n) windows of span·n points where points are far apart, 100 such windows at least, times four passes.
pub(crate) fn lowess(x: &[f64], y: &[f64], span: f64) -> Vec<f64> {
    let n = x.len();
    if n < 2 {
        return y.to_vec();
    }
    let width = ((span * n as f64 + 1e-7).floor() as usize).clamp(2, n);
    let mut robustness = vec![1.0; n];
    let mut fit = vec![0.0; n];
    for pass in 0..=ROBUST_PASSES {
        smooth(x, y, width, &robustness, &mut fit);
        if pass == ROBUST_PASSES {
            break;
        }
        let sizes: Vec<f64> = y.iter().zip(&fit).map(|(y, fit)| (y - fit).abs()).collect();
        let scale = 6.0 * median(&mut sizes.clone());
        if scale < 1e-7 * sizes.iter().sum::<f64>() / n as f64 {
            break;
        }
        for (weight, size) in robustness.iter_mut().zip(&sizes) {
            *weight = match size / scale {
                u if u <= NEAR => 1.0,
                u if u <= FAR => (1.0 - u * u).powi(2),
                _ => 0.0,
            };
        }
    }
    fit
}

/// One pass over all points.
fn smooth(x: &[f64], y: &[f64], width: usize, robustness: &[f64], fit: &mut [f64]) {
    let n = x.len();
    let range = x[n - 1] - x[0];
    let (mut left, mut right) = (0, width - 1);
    let (mut last, mut at): (Option<usize>, usize) = (None, 0);
    let mut weights = vec![0.0; n];
    loop {
        while right + 1 < n && x[at] - x[left] > x[right + 1] - x[at] {
            left += 1;
            right += 1;
        }
        fit[at] = local_line(x, y, (at, left, right), range, robustness, &mut weights);
        if let Some(last) = last.filter(|last| last + 1 < at) {
            for between in last + 1..at {
                let t = (x[between] - x[last]) / (x[at] - x[last]);
                fit[between] = t * fit[at] + (1.0 - t) * fit[last];
            }
        }
        let mut done = at;
        let limit = x[at] + STEP * range;
        let mut next = at + 1;
        while next < n && x[next] <= limit {
            if x[next] == x[done] {
                fit[next] = fit[done];
                done = next;
            }
            next += 1;
        }
        at = (done + 1).max(next - 1);
        last = Some(done);
        if done + 1 >= n {
            return;
        }
    }
}

/// The height at one point of the line through the points of its window, `left` to `right`.
fn local_line(
    x: &[f64],
    y: &[f64],
    (at, left, right): (usize, usize, usize),
    range: f64,
    robustness: &[f64],
    weights: &mut [f64],
) -> f64 {
    let h = (x[at] - x[left]).max(x[right] - x[at]);
    // ties may lie beyond the window's right end
    let mut end = left;
    let mut sum = 0.0;
    for j in left..x.len() {
        let distance = (x[j] - x[at]).abs();
        if distance > FAR * h {
            if x[j] > x[at] {
                break;
            }
            weights[j] = 0.0;
        } else {
            let near = distance <= NEAR * h;
            weights[j] = robustness[j] * if near { 1.0 } else { (1.0 - (distance / h).powi(3)).powi(3) };
        }
        sum += weights[j];
        end = j + 1;
    }
    if sum <= 0.0 {
        return y[at];
    }
    let (weights, x_of, y) = (&mut weights[left..end], &x[left..end], &y[left..end]);
    weights.iter_mut().for_each(|w| *w /= sum);
    if h > 0.0 {
        let middle: f64 = weights.iter().zip(x_of).map(|(w, x)| w * x).sum();
        let spread: f64 = weights.iter().zip(x_of).map(|(w, x)| w * (x - middle).powi(2)).sum();
        if spread.sqrt() > NEAR * range {
            let tilt = (x[at] - middle) / spread;
            weights.iter_mut().zip(x_of).for_each(|(w, x)| *w *= 1.0 + tilt * (x - middle));
        }
    }
    weights.iter().zip(y).map(|(w, y)| w * y).sum()
}

/// Points of a curve at different places, ascending, the heights of equal places averaged.
pub(crate) fn distinct_points(x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    let (mut places, mut heights): (Vec<f64>, Vec<f64>) = (vec![], vec![]);
    for run in order.chunk_by(|&a, &b| x[a] == x[b]) {
        places.push(x[run[0]]);
        heights.push(run.iter().map(|&at| y[at]).sum::<f64>() / run.len() as f64);
    }
    (places, heights)
}

/// The height of a polygon at a place; beyond its ends that of the end.
pub(crate) fn interpolated(places: &[f64], heights: &[f64], at: f64) -> f64 {
    let (Some(first), Some(last)) = (heights.first(), heights.last()) else { return f64::NAN };
    let above = places.partition_point(|place| *place < at);
    match above {
        0 => *first,
        above if above == places.len() => *last,
        above => {
            let (low, high) = (places[above - 1], places[above]);
            heights[above - 1] + (at - low) / (high - low) * (heights[above] - heights[above - 1])
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn curves_agree_with_the_reference() {
        let path = format!("{}/tests/fixtures/oracle/designs2/lowess.json", env!("CARGO_MANIFEST_DIR"));
        let file: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let numbers =
            |v: &serde_json::Value| -> Vec<f64> { v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
        for case in file["cases"].as_array().unwrap() {
            let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
            let mut order: Vec<usize> = (0..x.len()).collect();
            order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
            let sorted = |v: &[f64]| -> Vec<f64> { order.iter().map(|&i| v[i]).collect() };
            for wanted in case["fits"].as_array().unwrap() {
                let found = lowess(&sorted(&x), &sorted(&y), wanted["span"].as_f64().unwrap());
                for (found, wanted) in found.iter().zip(numbers(&wanted["fit"])) {
                    assert!((found - wanted).abs() <= 1e-10 * wanted.abs().max(1.0), "{found} for {wanted}");
                }
            }
        }
    }

    #[test]
    fn a_polygon_is_level_beyond_its_ends() {
        let (places, heights) = distinct_points(&[3.0, 1.0, 3.0], &[4.0, 2.0, 6.0]);
        assert_eq!((places.as_slice(), heights.as_slice()), ([1.0, 3.0].as_slice(), [2.0, 5.0].as_slice()));
        assert_eq!([0.0, 2.0, 9.0].map(|at| interpolated(&places, &heights, at)), [2.0, 3.5, 5.0]);
    }
}
