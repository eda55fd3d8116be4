//! The values of the selected features as the script draws them: boxes, points, or curves of survival.

use crate::escape::{rounded, short};
use crate::relations::{self, RelationPart};
use serde::Serialize;
use tamis::result::SelectionResult;
use tamis::result::samples::{BoxPlot, FeatureValues, MedianHalves, RegressionLine, SampleValues, SurvivalCurve};
use tamis::table::Target;

/// Digits of a value.
const DIGITS: usize = 5;
/// Digits of a share.
const SHARE_DIGITS: usize = 4;
/// Tables with more rows show outliers only beside the boxes.
const POINTS_SHOWN: usize = 200;
/// About as many intervals lie between the times at which rows at risk are counted.
const RISK_INTERVALS: f64 = 4.4;

/// The figure of every feature that has one, by rank.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum ValuesPart {
    /// A box per class.
    Classes {
        labels: Vec<String>,
        /// Whether the points are all values, or only the outliers.
        all: bool,
        features: Vec<Drawn<Vec<Option<ClassBox>>>>,
    },
    /// A point per row, against the target.
    Numbers { target: Vec<f64>, features: Vec<Drawn<Points>> },
    /// A curve per half of the rows.
    Survival {
        /// Every time that occurs, ascending; curves refer to them by position.
        times: Vec<f64>,
        risk_times: Vec<f64>,
        features: Vec<Drawn<Halves>>,
    },
}

/// A feature and its figure.
#[derive(Serialize)]
pub(crate) struct Drawn<T> {
    index: usize,
    /// The 95 % interval of the difference, slope or log hazard ratio.
    interval: Option<[f64; 2]>,
    figure: T,
    /// What the figure does not show of a relation to classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<RelationPart>,
}

#[derive(Serialize)]
pub(crate) struct ClassBox {
    rows: usize,
    /// Lower whisker, lower quartile, median, upper quartile, upper whisker.
    marks: [f64; 5],
    points: Vec<f64>,
}

#[derive(Serialize)]
pub(crate) struct Points {
    /// One per row; NaN becomes null.
    values: Vec<f64>,
    /// The feature at the least and at the largest target, by the regression line.
    line: Option<[f64; 2]>,
}

#[derive(Serialize)]
pub(crate) struct Halves {
    median: f64,
    curves: Vec<Curve>,
}

#[derive(Serialize)]
pub(crate) struct Curve {
    rows: usize,
    events: usize,
    /// The position of the last time.
    last: usize,
    /// Positions of the times of events, and the share that survives each.
    steps: (Vec<usize>, Vec<f64>),
    /// Positions of the times at which rows are censored.
    censored: Vec<usize>,
    at_risk: Vec<usize>,
}

/// The figures of the values; `None` if they belong to another result.
pub(crate) fn part(saved: &SelectionResult, values: &SampleValues) -> Option<ValuesPart> {
    if values.features.iter().any(|feature| feature.index >= saved.features.len()) {
        return None;
    }
    Some(match &values.target {
        Target::Classes { labels, codes, .. } => {
            let all = codes.len() <= POINTS_SHOWN;
            let boxes = |feature: &FeatureValues| Some(class_boxes(&feature.values, codes, labels.len(), all));
            let mut features = drawn(saved, values, boxes);
            for (drawn, feature) in features.iter_mut().zip(&values.features) {
                drawn.relation = relations::part(saved, values, feature, codes, labels.len());
            }
            ValuesPart::Classes { labels: labels.clone(), all, features }
        }
        Target::Real { values: target } => {
            let points = |feature: &FeatureValues| Some(points(&feature.values, target));
            let features = drawn(saved, values, points);
            ValuesPart::Numbers { target: target.iter().map(|x| short(*x)).collect(), features }
        }
        Target::Survival { times, events, .. } => {
            let mut all = times.clone();
            all.sort_by(f64::total_cmp);
            all.dedup();
            let risk_times = risk_times(all.last().copied().unwrap_or(0.0));
            let halves = |feature: &FeatureValues| {
                let found = MedianHalves::of(&feature.values, times, events)?;
                Some(halves(&found, &all, &risk_times))
            };
            let features = drawn(saved, values, halves);
            ValuesPart::Survival { times: all.iter().map(|x| short(*x)).collect(), risk_times, features }
        }
    })
}

/// The figures of all features that have one.
fn drawn<T>(
    saved: &SelectionResult,
    values: &SampleValues,
    figure: impl Fn(&FeatureValues) -> Option<T>,
) -> Vec<Drawn<T>> {
    let end = |name: &str, index: usize| saved.features.number(name, index).map(|end| rounded(end, DIGITS));
    let one = |feature: &FeatureValues| {
        let figure = figure(feature)?;
        let interval =
            end("difference_low", feature.index).zip(end("difference_high", feature.index)).map(<[f64; 2]>::from);
        Some(Drawn { index: feature.index, interval, figure, relation: None })
    };
    values.features.iter().filter_map(one).collect()
}

fn class_boxes(values: &[f64], codes: &[u32], classes: usize, all: bool) -> Vec<Option<ClassBox>> {
    let of_class = |class: usize| {
        let members = values.iter().zip(codes).filter(move |(_, code)| **code as usize == class);
        members.map(|(value, _)| *value).filter(|value| !value.is_nan())
    };
    let class_box = |class: usize| {
        let BoxPlot { rows, low, lower_quartile, median, upper_quartile, high, outliers, .. } =
            BoxPlot::of(of_class(class))?;
        let points = if all { of_class(class).collect() } else { outliers };
        Some(ClassBox {
            rows,
            marks: [low, lower_quartile, median, upper_quartile, high].map(|x| rounded(x, DIGITS)),
            points: points.into_iter().map(|x| rounded(x, DIGITS)).collect(),
        })
    };
    (0..classes).map(class_box).collect()
}

fn points(values: &[f64], target: &[f64]) -> Points {
    let least = target.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = target.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let line = RegressionLine::of(target, values)
        .map(|line| [least, largest].map(|x| rounded(line.intercept + line.slope * x, DIGITS)));
    Points { values: values.iter().map(|x| rounded(*x, DIGITS)).collect(), line }
}

fn halves(found: &MedianHalves, times: &[f64], risk_times: &[f64]) -> Halves {
    let position = |time: f64| times.partition_point(|t| *t < time);
    let curve = |curve: &SurvivalCurve| Curve {
        rows: curve.times.len(),
        events: curve.events,
        last: curve.times.last().map_or(0, |time| position(*time)),
        steps: curve.steps.iter().map(|(time, share)| (position(*time), rounded(*share, SHARE_DIGITS))).unzip(),
        censored: curve.censored.iter().map(|(time, _)| position(*time)).collect(),
        at_risk: risk_times.iter().map(|time| curve.at_risk(*time)).collect(),
    };
    let curves = [&found.low, &found.high].into_iter().filter(|half| !half.times.is_empty()).map(curve).collect();
    Halves { median: rounded(found.median, DIGITS), curves }
}

/// About five round times from 0 up to the last one.
fn risk_times(last: f64) -> Vec<f64> {
    let unit = 10_f64.powf(last.log10().floor() - 1.0);
    let intervals = |step: f64| (last / step * (1.0 + 1e-9)).floor();
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 25.0, 50.0].map(|times| times * unit);
    let distance = |step: f64| (intervals(step) - RISK_INTERVALS).abs();
    let best = steps.into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    let Some(step) = best.filter(|step| step.is_finite() && *step > 0.0) else { return vec![0.0] };
    (0..=intervals(step) as usize).map(|k| rounded(k as f64 * step, DIGITS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_risk_are_counted_at_round_times() {
        assert_eq!(risk_times(35.0), [0.0, 10.0, 20.0, 30.0]);
        assert_eq!(risk_times(100.0), [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(risk_times(145.0), [0.0, 25.0, 50.0, 75.0, 100.0, 125.0]);
        assert_eq!(risk_times(0.11), [0.0, 0.025, 0.05, 0.075, 0.1]);
        assert_eq!(risk_times(9.7e-8), [0.0, 2e-8, 4e-8, 6e-8, 8e-8]);
        assert_eq!(risk_times(0.0), [0.0]);
    }

    #[test]
    fn points_are_all_values_of_a_class_or_its_outliers() {
        let values = [1.0, 2.0, 3.0, 4.0, 50.0, f64::NAN, 7.0];
        let codes = [0, 0, 0, 0, 0, 1, 2];
        let boxes = class_boxes(&values, &codes, 3, false);
        let first = boxes[0].as_ref().expect("a box");
        assert_eq!((first.rows, first.marks, &first.points), (5, [1.0, 2.0, 3.0, 4.0, 4.0], &vec![50.0]));
        assert!(boxes[1].is_none());
        assert_eq!(boxes[2].as_ref().expect("one row").marks, [7.0; 5]);
        let all = class_boxes(&values, &codes, 3, true);
        assert_eq!(all[0].as_ref().expect("a box").points, values[..5]);
    }

    #[test]
    fn curves_refer_to_times_by_position() {
        let (times, events) = ([2.0, 1.0, 3.0, 3.0], [true, true, false, true]);
        let found = MedianHalves::of(&[1.0, 2.0, 3.0, 4.0], &times, &events).expect("halves");
        let Halves { median, curves } = halves(&found, &[1.0, 2.0, 3.0], &[0.0, 2.0]);
        assert_eq!(median, 2.5);
        assert_eq!((&curves[0].steps, curves[0].last), (&(vec![0, 1], vec![0.5, 0.0]), 1));
        assert_eq!((&curves[1].steps, &curves[1].censored), (&(vec![2], vec![0.5]), &vec![2]));
        assert_eq!((&curves[0].at_risk, &curves[1].at_risk), (&vec![2, 1], &vec![2, 2]));
    }

    #[test]
    fn the_line_ends_at_the_least_and_largest_target() {
        assert_eq!(points(&[1.0, f64::NAN, 5.0], &[0.0, 1.0, 2.0]).line, Some([1.0, 5.0]));
    }
}
