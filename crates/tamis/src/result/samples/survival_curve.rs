//! Kaplan–Meier curves of the rows below and above a feature's median.

use crate::numeric::order_statistics::median;

/// The product-limit estimate of survival (Kaplan & Meier 1958): S(t) = Π (1 − dᵢ/nᵢ) over the times of events tᵢ ≤ t,
/// with dᵢ events among nᵢ rows at risk. Rows censored at the time of an event are at risk then.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SurvivalCurve {
    /// The times of all rows, ascending.
    pub times: Vec<f64>,
    /// In how many of them the event happened.
    pub events: usize,
    /// Each time with an event, and the share that survives it.
    pub steps: Vec<(f64, f64)>,
    /// Each time at which rows are censored, and the share that survives it.
    pub censored: Vec<(f64, f64)>,
}

impl SurvivalCurve {
    /// The curve of rows with a time each, and whether the event happened then.
    pub fn of(mut rows: Vec<(f64, bool)>) -> SurvivalCurve {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut curve = SurvivalCurve { times: rows.iter().map(|row| row.0).collect(), ..SurvivalCurve::default() };
        let (mut at_risk, mut share) = (rows.len(), 1.0);
        for tied in rows.chunk_by(|a, b| a.0 == b.0) {
            let events = tied.iter().filter(|row| row.1).count();
            if events > 0 {
                share *= (at_risk - events) as f64 / at_risk as f64;
                curve.steps.push((tied[0].0, share));
            }
            if events < tied.len() {
                curve.censored.push((tied[0].0, share));
            }
            curve.events += events;
            at_risk -= tied.len();
        }
        curve
    }

    /// How many rows have neither had the event nor been censored before a time.
    pub fn at_risk(&self, time: f64) -> usize {
        self.times.len() - self.times.partition_point(|t| *t < time)
    }
}

/// The rows split at the median of a feature.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MedianHalves {
    /// The median.
    pub median: f64,
    /// Rows with a value at or below the median.
    pub low: SurvivalCurve,
    /// Rows above it; none where half of the rows or more have the largest value.
    pub high: SurvivalCurve,
}

impl MedianHalves {
    /// The halves of the rows that have the feature; `None` if no row has it.
    pub fn of(values: &[f64], times: &[f64], events: &[bool]) -> Option<MedianHalves> {
        let mut known: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
        if known.is_empty() {
            return None;
        }
        let median = median(&mut known);
        let half = |above: bool| {
            let rows = values.iter().zip(times.iter().copied().zip(events.iter().copied()));
            let inside = rows.filter(|(x, _)| !x.is_nan() && (**x > median) == above);
            SurvivalCurve::of(inside.map(|(_, row)| row).collect())
        };
        Some(MedianHalves { median, low: half(false), high: half(true) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_a_product_over_the_times_of_events() {
        // 5 rows: events at 1 and 3 (tied with a censored row), censored at 2, event at 4
        let curve = SurvivalCurve::of(vec![(3.0, false), (1.0, true), (2.0, false), (4.0, true), (3.0, true)]);
        assert_eq!(curve.steps.iter().map(|step| step.0).collect::<Vec<_>>(), [1.0, 3.0, 4.0]);
        let by_hand = [4.0 / 5.0, 4.0 / 5.0 * 2.0 / 3.0, 0.0];
        for (step, share) in curve.steps.iter().zip(by_hand) {
            assert!((step.1 - share).abs() < 1e-15, "{step:?} {share}");
        }
        assert_eq!(curve.censored, [(2.0, 0.8), (3.0, curve.steps[1].1)]);
        assert_eq!(curve.events, 3);
        assert_eq!([0.0, 1.0, 1.5, 3.0, 4.0, 5.0].map(|t| curve.at_risk(t)), [5, 5, 4, 3, 1, 0]);
    }

    #[test]
    fn the_textbook_arm_of_gehan_is_reproduced() {
        // 6-mercaptopurine, 21 patients (Freireich 1963): S(6) = 18/21, S(7) = 0.807, S(10) = 0.753, S(13) = 0.690,
        // S(16) = 0.627, S(22) = 0.538, S(23) = 0.448
        let events = [6.0, 6.0, 6.0, 7.0, 10.0, 13.0, 16.0, 22.0, 23.0];
        let censored = [6.0, 9.0, 10.0, 11.0, 17.0, 19.0, 20.0, 25.0, 32.0, 32.0, 34.0, 35.0];
        let rows = events.iter().map(|t| (*t, true)).chain(censored.iter().map(|t| (*t, false)));
        let curve = SurvivalCurve::of(rows.collect());
        let shares: Vec<String> = curve.steps.iter().map(|step| format!("{:.3}", step.1)).collect();
        assert_eq!(shares, ["0.857", "0.807", "0.753", "0.690", "0.627", "0.538", "0.448"]);
    }

    #[test]
    fn halves_are_split_at_the_median_and_missing_values_left_out() {
        let values = [3.0, f64::NAN, 1.0, 2.0, 4.0];
        let halves = MedianHalves::of(&values, &[1.0, 2.0, 3.0, 4.0, 5.0], &[true; 5]).expect("halves");
        assert_eq!(halves.median, 2.5);
        assert_eq!((halves.low.times, halves.high.times), (vec![3.0, 4.0], vec![1.0, 5.0]));
        let constant = MedianHalves::of(&[1.0; 3], &[1.0, 2.0, 3.0], &[true; 3]).expect("one half");
        assert_eq!((constant.low.times.len(), constant.high.times.len()), (3, 0));
        assert_eq!(MedianHalves::of(&[f64::NAN], &[1.0], &[true]), None);
    }
}
