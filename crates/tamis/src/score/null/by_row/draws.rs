//! Null targets that each row draws by itself: from the seed, the null target's number and the row's [key](super::row_key).
//!
//! Null targets are whole numbers of at most 17 bits, so that their sums with [digits](super::digits) are exact.

use super::digits::nearest;
use super::plan::{Plan, PlannedTarget, PlannedWeights};
use crate::numeric::linalg::{Matrix, widely};
use crate::numeric::random::splitmix64;
use crate::table::WeightKind;

/// Largest size of a null target.
const LARGEST: f64 = 65_536.0;
/// The step between the draws of copies of a row.
const COPY: u64 = 0x9e37_79b9_7f4a_7c15;

/// The null targets of a plan, ready to be drawn.
pub(super) struct Draws {
    /// The stream of every null target.
    streams: Vec<u64>,
    kind: Kind,
    weights: DrawnWeights,
    /// What a whole number stands for.
    pub(super) unit: f64,
    /// What a whole number of [`Draws::squares`] stands for.
    pub(super) unit_of_squares: f64,
}

enum Kind {
    /// The span of 53 bits that stands for each coded class.
    Classes(Vec<(u64, u64)>),
    /// Equally likely numbers.
    Numbers(Vec<f64>),
}

enum DrawnWeights {
    None,
    /// Each copy of a row draws by itself.
    Copies,
    /// A weight times this, by class.
    Shares(Vec<f64>),
}

impl Draws {
    pub(super) fn new(plan: &Plan) -> Draws {
        let streams = (0..plan.count as u64).map(|r| splitmix64(plan.seed ^ splitmix64(r ^ 0x726f_7773))).collect();
        let (weights, mut unit) = match &plan.weights {
            None => (DrawnWeights::None, 1.0),
            Some(PlannedWeights { kind: WeightKind::Frequency, .. }) => (DrawnWeights::Copies, 1.0),
            Some(PlannedWeights { factors, largest, .. }) => {
                let largest = largest * factors.iter().fold(0.0, |a: f64, b| a.max(*b));
                let share = |factor: &f64| factor / largest * LARGEST;
                (DrawnWeights::Shares(factors.iter().map(share).collect()), largest / LARGEST)
            }
        };
        let mut unit_of_squares = unit;
        let kind = match &plan.target {
            PlannedTarget::Classes { shares, .. } => {
                let mut sum = 0.0;
                let mut place = |share: &f64| {
                    let from = (sum * (1_u64 << 53) as f64) as u64;
                    sum += share;
                    (from, (sum.min(1.0) * (1_u64 << 53) as f64) as u64)
                };
                let mut spans: Vec<(u64, u64)> = shares.iter().map(&mut place).collect();
                if let Some(last) = shares.iter().rposition(|share| *share > 0.0) {
                    spans[last].1 = 1 << 53;
                }
                Kind::Classes(plan.coded().iter().map(|&class| spans[class]).collect())
            }
            PlannedTarget::Numbers { values } => {
                let middle = values.iter().sum::<f64>() / values.len().max(1) as f64;
                let size = values.iter().fold(0.0, |size: f64, x| size.max((x - middle).abs()));
                let size = if size > 0.0 { size } else { 1.0 };
                if matches!(weights, DrawnWeights::Shares(_)) {
                    unit *= LARGEST;
                }
                unit_of_squares = unit * (size / LARGEST) * (size / LARGEST) * LARGEST;
                unit *= size / LARGEST;
                Kind::Numbers(values.iter().map(|x| nearest((x - middle) / size * LARGEST)).collect())
            }
        };
        Draws { streams, kind, weights, unit, unit_of_squares }
    }

    /// Whether null targets are only 0 and 1.
    pub(super) fn bits(&self) -> bool {
        matches!((&self.kind, &self.weights), (Kind::Classes(_), DrawnWeights::None))
    }

    /// Numbers that a row has: coded classes of all null targets, or the null numbers.
    pub(super) fn len(&self) -> usize {
        match &self.kind {
            Kind::Classes(spans) => spans.len() * self.streams.len(),
            Kind::Numbers(_) => self.streams.len(),
        }
    }

    /// Weight times null target of rows, a column per row: for each null target its coded classes.
    pub(super) fn of(&self, keys: &[u64], classes: &[u32], weights: Option<&[f64]>) -> Matrix {
        Matrix::from_columns(self.len(), keys.len(), |row, out| {
            let weight = weights.map_or(1.0, |weights| weights[row]);
            match &self.weights {
                DrawnWeights::None => self.draw(keys[row], 1.0, out),
                DrawnWeights::Shares(shares) => {
                    let full = if matches!(self.kind, Kind::Numbers(_)) { LARGEST } else { 1.0 };
                    self.draw(keys[row], weight * shares[classes[row] as usize] / full, out);
                }
                DrawnWeights::Copies => {
                    let mut one = vec![0.0; out.len()];
                    out.fill(0.0);
                    for copy in 0..weight as u64 {
                        self.draw(keys[row].wrapping_add(copy.wrapping_mul(COPY)), 1.0, &mut one);
                        out.iter_mut().zip(&one).for_each(|(sum, x)| *sum += x);
                    }
                }
            }
        })
    }

    /// Weight times squared null number of rows, in [units](Draws::unit_of_squares): a column per row.
    pub(super) fn squares(&self, keys: &[u64], classes: &[u32], weights: Option<&[f64]>) -> Matrix {
        let mut one = vec![0.0; self.len()];
        Matrix::from_columns(self.len(), keys.len(), |row, out| {
            let weight = weights.map_or(1.0, |weights| weights[row]);
            let (copies, share) = match &self.weights {
                DrawnWeights::None => (1, 1.0),
                DrawnWeights::Copies => (weight as u64, 1.0),
                DrawnWeights::Shares(shares) => (1, weight * shares[classes[row] as usize] / LARGEST),
            };
            out.fill(0.0);
            for copy in 0..copies {
                self.draw(keys[row].wrapping_add(copy.wrapping_mul(COPY)), 1.0, &mut one);
                out.iter_mut().zip(&one).for_each(|(sum, x)| *sum += nearest(x * x * share / LARGEST));
            }
        })
    }

    /// One row's draws times its weight, rounded.
    fn draw(&self, key: u64, weight: f64, out: &mut [f64]) {
        let streams = &self.streams[..];
        match &self.kind {
            Kind::Classes(spans) if spans.len() == 1 => {
                let (from, to) = spans[0];
                let weight = nearest(weight);
                widely!((out: &'a mut [f64], streams: &'a [u64], key: u64, from: u64, to: u64, weight: f64) -> () {
                    for (out, stream) in out.iter_mut().zip(streams) {
                        let place = splitmix64(stream.wrapping_add(key)) >> 11;
                        *out = if (from <= place) & (place < to) { weight } else { 0.0 };
                    }
                });
            }
            Kind::Classes(spans) => {
                let weight = nearest(weight);
                for (out, stream) in out.chunks_exact_mut(spans.len()).zip(streams) {
                    let place = splitmix64(stream.wrapping_add(key)) >> 11;
                    for (out, (from, to)) in out.iter_mut().zip(spans) {
                        *out = if (*from <= place) & (place < *to) { weight } else { 0.0 };
                    }
                }
            }
            Kind::Numbers(values) => {
                for (out, stream) in out.iter_mut().zip(streams) {
                    let hash = splitmix64(stream.wrapping_add(key));
                    let at = ((u128::from(hash) * values.len() as u128) >> 64) as usize;
                    *out = nearest(values[at] * weight);
                }
            }
        }
    }
}
