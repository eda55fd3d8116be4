//! Moments of a column by class.

use super::moments::{Moments, scale_to_one};
use super::two_class_moments::TwoClasses;
use std::ops::RangeInclusive;

/// Rows handled at a time: a block of a column and its gathered classes stay in the first-level cache.
const BLOCK: usize = 2048;

/// Sums of squares for which a column need not be rescaled.
pub(super) const SQUARES: RangeInclusive<f64> = 1e-270..=1e270;

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
    /// The rows as they lie, where there are two classes without weights.
    two: Option<TwoClasses>,
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
        let two = (weights.is_none() && classes == 2).then(|| TwoClasses::new(rows, codes));
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
        Grouped { rows: ordered, runs, in_place, classes, weights, two }
    }

    /// The rows in the order in which they are summed; `None` where they are summed as they lie.
    pub(crate) fn order(&self) -> Option<&[u32]> {
        match &self.two {
            Some(two) => two.rows(),
            None => Some(&self.rows),
        }
    }

    /// The kernel for two classes without weights.
    pub(super) fn two(&self) -> Option<&TwoClasses> {
        self.two.as_ref()
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
        if !SQUARES.contains(&m2) {
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
        if let Some(two) = self.two.as_ref().filter(|_| scale == 1.0) {
            let both = two.moments(column, values);
            if both.iter().all(|m| m.mean.is_finite()) {
                classes.copy_from_slice(&both);
                *used = two.len() as u32;
                return;
            }
        }
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
