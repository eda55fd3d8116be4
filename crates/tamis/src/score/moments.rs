//! Count, mean and sum of squared deviations: mergeable, and exact to the last digits.

use serde::{Deserialize, Serialize};

/// Rows handled at a time: a block of a column and its gathered classes stay in the first-level cache.
const BLOCK: usize = 2048;

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
        let Some(&pivot) = values.first() else { return Moments::default() };
        let n = values.len() as f64;
        let mean = pivot + sum(values, |x| x - pivot) / n;
        let (squares, drift) = sum_two(values, |x| x - mean);
        // drift is 0 but for rounding in the mean
        Moments { count: n, mean, rest: drift / n, m2: (squares - drift * drift / n).max(0.0) }
    }

    /// The moments of finite numbers, each counted as often as its weight says.
    pub fn weighted(values: &[f64], weights: &[f64]) -> Moments {
        let n: f64 = weights.iter().sum();
        let (Some(&pivot), true) = (values.first(), n > 0.0) else { return Moments::default() };
        let pairs = || values.iter().zip(weights);
        let mean = pivot + pairs().map(|(x, w)| w * (x - pivot)).sum::<f64>() / n;
        let drift: f64 = pairs().map(|(x, w)| w * (x - mean)).sum();
        let squares: f64 = pairs().map(|(x, w)| w * (x - mean) * (x - mean)).sum();
        Moments { count: n, mean, rest: drift / n, m2: (squares - drift * drift / n).max(0.0) }
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

    /// The unbiased variance M2/(count − 1).
    pub fn variance(&self) -> f64 {
        self.m2 / (self.count - 1.0)
    }
}

/// a + b and what rounding took from it (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Σ f(x) in eight interleaved sums: a fixed order of additions that vectorises.
fn sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let chunks = values.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().map(|x| f(*x)).sum();
    for chunk in chunks {
        for i in 0..8 {
            lanes[i] += f(chunk[i]);
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// (Σ f(x)², Σ f(x)) in one pass.
fn sum_two(values: &[f64], f: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut squares, mut plain) = ([0.0; 8], [0.0; 8]);
    let chunks = values.chunks_exact(8);
    let rest = chunks.remainder().iter().fold((0.0, 0.0), |(s, p), x| (s + f(*x) * f(*x), p + f(*x)));
    for chunk in chunks {
        for i in 0..8 {
            let d = f(chunk[i]);
            squares[i] += d * d;
            plain[i] += d;
        }
    }
    (squares.iter().sum::<f64>() + rest.0, plain.iter().sum::<f64>() + rest.1)
}

/// The rows of a view, cut into blocks and ordered by class within each, so that one class of one block is
/// gathered and summed at a time.
#[derive(Debug)]
pub(crate) struct Grouped<'a> {
    rows: Vec<u32>,
    /// (class, end in `rows`) of each run.
    runs: Vec<(u32, usize)>,
    /// Whether a run's rows follow each other, so that nothing needs to be gathered.
    in_place: Vec<bool>,
    classes: usize,
    weights: Option<&'a [f64]>,
}

/// Memory a thread keeps from column to column.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    values: Vec<f64>,
    weights: Vec<f64>,
    classes: Vec<Moments>,
    used: u32,
}

impl<'a> Grouped<'a> {
    /// `codes` and `weights` cover all rows of the table.
    pub(crate) fn new(rows: &[u32], codes: &[u32], classes: usize, weights: Option<&'a [f64]>) -> Grouped<'a> {
        let (mut ordered, mut runs, mut in_place) = (Vec::with_capacity(rows.len()), Vec::new(), Vec::new());
        for block in rows.chunks(BLOCK) {
            let mut block = block.to_vec();
            block.sort_by_key(|&r| codes[r as usize]);
            for run in block.chunk_by(|&a, &b| codes[a as usize] == codes[b as usize]) {
                ordered.extend_from_slice(run);
                runs.push((codes[run[0] as usize], ordered.len()));
                in_place.push(weights.is_none() && run.windows(2).all(|w| w[1] == w[0] + 1));
            }
        }
        Grouped { rows: ordered, runs, in_place, classes, weights }
    }

    /// The rows in the order in which they are summed.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The moments of a column's non-missing values by class, and how many rows they rest on. A column whose squares
    /// leave the range of f64 is rescaled first: no score depends on a column's scale.
    pub(crate) fn moments<'s>(&self, column: &[f64], scratch: &'s mut Scratch) -> (&'s [Moments], u32) {
        let (classes, rows, _) = self.scaled_moments(column, scratch);
        (classes, rows)
    }

    /// Moments by class, the number of rows, and the factor by which the column was rescaled.
    pub(crate) fn scaled_moments<'s>(&self, column: &[f64], scratch: &'s mut Scratch) -> (&'s [Moments], u32, f64) {
        self.pass(column, 1.0, scratch);
        let mut scale = 1.0;
        let m2: f64 = scratch.classes.iter().map(|c| c.m2).sum();
        if !(1e-270..=1e270).contains(&m2) {
            let size = self.rows.iter().map(|&r| column[r as usize].abs()).filter(|x| !x.is_nan()).fold(0.0, f64::max);
            if size > 0.0 && !(1e-100..=1e100).contains(&size) {
                scale = scale_to_one(size);
                self.pass(column, scale, scratch);
            }
        }
        (&scratch.classes, scratch.used, scale)
    }

    /// The moments of a column times `scale`, by class, and how many rows they rest on.
    pub(crate) fn moments_at<'s>(&self, column: &[f64], scale: f64, scratch: &'s mut Scratch) -> (&'s [Moments], u32) {
        self.pass(column, scale, scratch);
        (&scratch.classes, scratch.used)
    }

    fn pass(&self, column: &[f64], scale: f64, scratch: &mut Scratch) {
        let Scratch { values, weights, classes, used } = scratch;
        classes.clear();
        classes.resize(self.classes, Moments::default());
        *used = 0;
        let mut from = 0;
        for (&(class, to), &in_place) in self.runs.iter().zip(&self.in_place) {
            let rows = &self.rows[from..to];
            if in_place && scale == 1.0 {
                let moments = Moments::of(&column[rows[0] as usize..][..rows.len()]);
                if !moments.mean.is_nan() {
                    *used += rows.len() as u32;
                    classes[class as usize] = classes[class as usize].merge(moments);
                    from = to;
                    continue;
                }
            }
            values.clear();
            values.extend(rows.iter().map(|&r| column[r as usize]));
            if scale != 1.0 {
                values.iter_mut().for_each(|x| *x *= scale);
            }
            let moments = match self.weights {
                None => {
                    let mut m = Moments::of(values);
                    if m.mean.is_nan() {
                        values.retain(|x| !x.is_nan());
                        m = Moments::of(values);
                    }
                    m
                }
                Some(all) => {
                    weights.clear();
                    weights
                        .extend(rows.iter().zip(&*values).filter(|(_, x)| !x.is_nan()).map(|(&r, _)| all[r as usize]));
                    values.retain(|x| !x.is_nan());
                    Moments::weighted(values, weights)
                }
            };
            *used += values.len() as u32;
            classes[class as usize] = classes[class as usize].merge(moments);
            from = to;
        }
    }
}

/// A power of two that brings `size` near one (1 for 0).
pub(crate) fn scale_to_one(size: f64) -> f64 {
    if size == 0.0 {
        return 1.0;
    }
    2f64.powi(-(size.log2() as i32).clamp(-1020, 1020))
}
