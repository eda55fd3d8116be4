//! Count, mean and sum of squared deviations: mergeable, and exact to the last digits.

use crate::numeric::linalg::vectorised;
use serde::{Deserialize, Serialize};

/// Sums kept side by side, whatever the width of the machine's vectors, so that the bits do not depend on it.
const LANES: usize = 16;

/// The count, mean and M2 = Σ(x − mean)² of some numbers, or of numbers that each stand for several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// How many numbers; with weights, their sum.
    pub count: f64,
    /// Their mean; 0 for none.
    pub mean: f64,
    /// The rounding error of the mean: `mean + rest` is exact to twice the digits, so that merging many small
    /// states of numbers far from zero loses nothing.
    pub rest: f64,
    /// Σ(x − mean)².
    pub m2: f64,
}

impl Moments {
    /// The moments of finite numbers, in two passes relative to the first of them, so that equal numbers
    /// give M2 = 0 exactly and a large common offset costs no digits.
    pub fn of(values: &[f64]) -> Moments {
        vectorised(|| Moments::of_finite(values))
    }

    #[inline(always)]
    fn of_finite(values: &[f64]) -> Moments {
        let Some(&pivot) = values.first() else { return Moments::default() };
        let n = values.len() as f64;
        let mean = pivot + sum(values, |x| x - pivot) / n;
        let (squares, drift) = sum_two(values, |x| x - mean);
        // drift is 0 but for rounding in the mean
        Moments { count: n, mean, rest: drift / n, m2: less_shift(squares, drift * drift / n) }
    }

    /// The moments of finite numbers, each counted as often as its weight says.
    pub fn weighted(values: &[f64], weights: &[f64]) -> Moments {
        let n: f64 = weights.iter().sum();
        let (Some(&pivot), true) = (values.first(), n > 0.0) else { return Moments::default() };
        let pairs = || values.iter().zip(weights);
        let mean = pivot + pairs().map(|(x, w)| w * (x - pivot)).sum::<f64>() / n;
        let drift: f64 = pairs().map(|(x, w)| w * (x - mean)).sum();
        let squares: f64 = pairs().map(|(x, w)| w * (x - mean) * (x - mean)).sum();
        Moments { count: n, mean, rest: drift / n, m2: less_shift(squares, drift * drift / n) }
    }

    /// The moments of both sets together (Chan, Golub & LeVeque 1979).
    pub fn merge(self, other: Moments) -> Moments {
        if self.count == 0.0 {
            return other;
        }
        if other.count == 0.0 {
            return self;
        }
        let (a, b) = (self.count, other.count);
        let n = a + b;
        let delta = self.difference(&other);
        let (mean, rest) = two_sum(self.mean, self.rest + delta * (b / n));
        Moments { count: n, mean, rest, m2: self.m2 + other.m2 + delta * delta * (a * b / n) }
    }

    /// Merges states from left to right.
    pub fn merge_in_order(states: &[Moments]) -> Moments {
        states.iter().fold(Moments::default(), |sum, m| sum.merge(*m))
    }

    /// Merges a set of states to the same bits whatever order they come in: they are sorted first.
    pub fn merge_all(mut states: Vec<Moments>) -> Moments {
        states.sort_by(|a, b| {
            let parts = |m: &Moments| [m.count, m.mean, m.rest, m.m2];
            let mut pairs = parts(a).into_iter().zip(parts(b));
            pairs.find_map(|(a, b)| Some(a.total_cmp(&b)).filter(|o| o.is_ne())).unwrap_or(std::cmp::Ordering::Equal)
        });
        Self::merge_in_order(&states)
    }

    /// The other's mean minus this one's.
    pub fn difference(&self, other: &Moments) -> f64 {
        (other.mean - self.mean) + (other.rest - self.rest)
    }

    /// The mean of the squares.
    pub(crate) fn mean_square(&self) -> f64 {
        self.mean * self.mean + self.m2 / self.count
    }

    /// The unbiased variance M2/(count − 1).
    pub fn variance(&self) -> f64 {
        self.m2 / (self.count - 1.0)
    }
}

/// a + b and what rounding took from it (Knuth).
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Σ(x − mean)² from the squares about another centre and the part of them that is due to its distance from the mean:
/// never negative, and infinite where the squares leave the range of f64.
#[inline(always)]
pub(super) fn less_shift(squares: f64, shift: f64) -> f64 {
    let m2 = squares - shift;
    if m2 >= 0.0 {
        m2
    } else if squares < f64::INFINITY {
        0.0
    } else {
        f64::INFINITY // also ∞ − ∞, which a maximum with 0 would hide
    }
}

/// Σ f(x) in sixteen interleaved sums: a fixed order of additions that vectorises.
#[inline(always)]
fn sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f64 = chunks.remainder().iter().map(|x| f(*x)).sum();
    for chunk in chunks {
        for i in 0..LANES {
            lanes[i] += f(chunk[i]);
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// (Σ f(x)², Σ f(x)) in one pass.
#[inline(always)]
fn sum_two(values: &[f64], f: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut squares, mut plain) = ([0.0; LANES], [0.0; LANES]);
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder().iter().fold((0.0, 0.0), |(s, p), x| (s + f(*x) * f(*x), p + f(*x)));
    for chunk in chunks {
        for i in 0..LANES {
            let d = f(chunk[i]);
            squares[i] += d * d;
            plain[i] += d;
        }
    }
    (squares.iter().sum::<f64>() + rest.0, plain.iter().sum::<f64>() + rest.1)
}

/// The largest size among numbers, missing ones left out; 0 for none.
pub(crate) fn largest_size(x: &[f64]) -> f64 {
    let larger = |most: f64, x: f64| if x.abs() > most { x.abs() } else { most };
    vectorised(|| {
        let mut lanes = [0.0; 8];
        let (blocks, rest) = x.as_chunks::<8>();
        for x in blocks {
            for k in 0..8 {
                lanes[k] = larger(lanes[k], x[k]);
            }
        }
        lanes.iter().chain(rest).fold(0.0, |most, x| larger(most, *x))
    })
}

/// A power of two that brings `size` near one (1 for 0).
pub(crate) fn scale_to_one(size: f64) -> f64 {
    if size == 0.0 {
        return 1.0;
    }
    2f64.powi(-(size.log2() as i32).clamp(-1020, 1020))
}
