//! Joint moments of a column and a real target, for correlations.

use super::moments::scale_to_one;
use crate::numeric::linalg::dot;

const BLOCK: usize = 2048;

/// Count, means and sums of squared and crossed deviations of pairs (x, y).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CoMoments {
    /// How many pairs.
    pub count: u64,
    /// The mean of x.
    pub mean_x: f64,
    /// The mean of y.
    pub mean_y: f64,
    /// Σ(x − mean)².
    pub xx: f64,
    /// Σ(y − mean)².
    pub yy: f64,
    /// Σ(x − mean)(y − mean).
    pub xy: f64,
}

/// Memory a thread keeps from column to column.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl CoMoments {
    /// The joint moments of finite pairs; `x` and `y` are overwritten by their deviations.
    fn of(x: &mut [f64], y: &mut [f64]) -> CoMoments {
        let mean_x = centre(x);
        let mean_y = centre(y);
        CoMoments { count: x.len() as u64, mean_x, mean_y, xx: dot(x, x), yy: dot(y, y), xy: dot(x, y) }
    }

    /// Both sets together.
    pub fn merge(self, other: CoMoments) -> CoMoments {
        if self.count == 0 {
            return other;
        }
        if other.count == 0 {
            return self;
        }
        let (a, b) = (self.count as f64, other.count as f64);
        let n = a + b;
        let (dx, dy) = (other.mean_x - self.mean_x, other.mean_y - self.mean_y);
        let share = a * b / n;
        CoMoments {
            count: self.count + other.count,
            mean_x: self.mean_x + dx * (b / n),
            mean_y: self.mean_y + dy * (b / n),
            xx: self.xx + other.xx + dx * dx * share,
            yy: self.yy + other.yy + dy * dy * share,
            xy: self.xy + other.xy + dx * dy * share,
        }
    }

    /// The joint moments of a column's non-missing rows with `y`, which has one entry per row of `rows`.
    pub(crate) fn of_column(column: &[f64], rows: &[u32], y: &[f64], scratch: &mut Scratch) -> CoMoments {
        let plain = Self::pass(column, rows, y, 1.0, scratch);
        if !(1e-270..=1e270).contains(&plain.xx) {
            let size = rows.iter().map(|&r| column[r as usize].abs()).filter(|x| !x.is_nan()).fold(0.0, f64::max);
            if size > 0.0 && !(1e-100..=1e100).contains(&size) {
                return Self::pass(column, rows, y, scale_to_one(size), scratch);
            }
        }
        plain
    }

    fn pass(column: &[f64], rows: &[u32], y: &[f64], scale: f64, scratch: &mut Scratch) -> CoMoments {
        let mut all = CoMoments::default();
        for (rows, y) in rows.chunks(BLOCK).zip(y.chunks(BLOCK)) {
            scratch.x.clear();
            scratch.y.clear();
            for (&r, &y) in rows.iter().zip(y) {
                let x = column[r as usize];
                if !x.is_nan() {
                    scratch.x.push(x * scale);
                    scratch.y.push(y);
                }
            }
            all = all.merge(CoMoments::of(&mut scratch.x, &mut scratch.y));
        }
        all
    }
}

/// Subtracts the mean, relative to the first value so that equal values become exact zeros; returns it.
fn centre(values: &mut [f64]) -> f64 {
    let Some(&pivot) = values.first() else { return 0.0 };
    let shift = values.iter().map(|x| x - pivot).sum::<f64>() / values.len() as f64;
    let mean = pivot + shift;
    values.iter_mut().for_each(|x| *x -= mean);
    mean
}
