//! Fisher's score and the trace ratio: variance between the classes over variance within them.

use crate::score::moments::{Grouped, Moments, Scratch, scale_to_one};
use rayon::prelude::*;

/// The scatter of a feature: Σ n_c (m_c − m)² between the classes, Σ (x − m_c)² within them. NaN where the feature has
/// one value only, or is of categories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scatter {
    /// Between the classes.
    pub between: f64,
    /// Within the classes.
    pub within: f64,
}

impl Scatter {
    fn of(classes: &[Moments]) -> Scatter {
        let occurring: Vec<Moments> = classes.iter().copied().filter(|c| c.count > 0.0).collect();
        let total = Moments::merge_in_order(&occurring);
        let between = occurring.iter().map(|c| c.count * total.difference(c).powi(2)).sum();
        let within = occurring.iter().map(|c| c.m2).sum();
        Scatter { between, within }
    }
}

/// The scatter of every column.
pub(super) fn scatter(
    columns: &[&[f64]],
    rows: &[u32],
    codes: &[u32],
    classes: usize,
    weights: Option<&[f64]>,
) -> Vec<Scatter> {
    let groups = Grouped::new(rows, codes, classes, weights);
    let one = |scratch: &mut Scratch, column: &[f64]| Scatter::of(groups.moments(column, scratch).0);
    // squares must not leave the range of f64, and all columns must be scaled alike: sums of theirs are compared
    let size = |column: &&[f64]| rows.iter().map(|&r| column[r as usize].abs()).fold(0.0, f64::max);
    let largest = columns.iter().map(size).fold(0.0, f64::max);
    if largest == 0.0 || (1e-100..=1e100).contains(&largest) {
        return columns.par_iter().map_init(Scratch::default, |scratch, column| one(scratch, column)).collect();
    }
    let unit = scale_to_one(largest);
    let scaled =
        |scratch: &mut Scratch, column: &&[f64]| one(scratch, &column.iter().map(|x| x * unit).collect::<Vec<f64>>());
    columns.par_iter().map_init(Scratch::default, scaled).collect()
}

/// Fisher's score, between/within: infinite where a feature has no variance once the class is known, NaN where it has
/// none at all.
pub fn fisher(scatter: &[Scatter]) -> Vec<f64> {
    scatter.iter().map(|s| s.between / s.within).collect()
}

/// The `k` features whose scatter between the classes, summed, is largest against that within (Nie et al. 2008), best
/// first, and the ratio λ: with it, features rank by between − λ·within.
///
/// Cost: a handful of sorts. The ratio rises at every step, so the iteration ends at the optimum.
pub fn trace_ratio(scatter: &[Scatter], k: usize) -> (Vec<usize>, f64) {
    let usable: Vec<usize> = (0..scatter.len()).filter(|&i| scatter[i].between + scatter[i].within > 0.0).collect();
    let mut ratio = 0.0;
    loop {
        let gain = |i: usize| scatter[i].between - ratio * scatter[i].within;
        let mut order = usable.clone();
        order.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
        order.truncate(k);
        let sums = order.iter().fold((0.0, 0.0), |(a, b), &i| (a + scatter[i].between, b + scatter[i].within));
        let next = sums.0 / sums.1;
        let rises = next > ratio * (1.0 + 1e-14);
        if !rises || next.is_infinite() {
            return (order, if next.is_infinite() { next } else { ratio.max(next) });
        }
        ratio = next;
    }
}
