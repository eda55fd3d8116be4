//! A pass over all columns, wherever they lie, each scored while it is in cache.

use super::score_outcome::Outcome;
use super::scorer::{Samples, Scorer, Scratch};
use super::{Scale, Statistic};
use crate::base::{Progress, Result};
use crate::table::{View, column_source};
use rayon::prelude::*;
use std::ops::Range;

/// Columns between two progress reports.
const BATCH: usize = 4096;

/// The score of every column, in order.
pub(super) fn outcomes(
    data: &View,
    statistic: Statistic,
    scale: Scale,
    progress: &mut dyn Progress,
) -> Result<Vec<Outcome>> {
    let samples = Samples::of(data);
    let stored = Scorer::new(&samples, statistic, scale);
    // numbers that must be moved anyway are put in the order in which they are summed
    let order = stored.summing_order();
    let reordered = order.map(|order| samples.in_order(order));
    let moved = reordered.as_ref().map(|samples| Scorer::new(samples, statistic, scale));
    let pass = Pass { data, stored: &stored, moved: moved.as_ref().unwrap_or(&stored), order };
    let (total, size) = (data.n_features(), column_source::block(pass.height()));
    let starts: Vec<usize> = (0..total).step_by(size).collect();
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(total);
    for batch in starts.chunks(BATCH / size) {
        progress.step("scoring", outcomes.len() as u64, total as u64)?;
        let block = |memory: &mut _, &from: &usize| pass.block(from..(from + size).min(total), memory);
        let found: Vec<Result<Vec<Outcome>>> = batch.par_iter().map_init(Default::default, block).collect();
        for some in found {
            outcomes.extend(some?);
        }
    }
    progress.step("scoring", total as u64, total as u64)?;
    Ok(outcomes)
}

/// The scores of the columns of categories, by position.
pub(super) fn categories(data: &View, statistic: Statistic, scale: Scale) -> Vec<(usize, Outcome)> {
    let samples = Samples::of(data);
    let scorer = Scorer::new(&samples, statistic, scale);
    let one = |at: usize| data.columns().categories(at).map(|categories| (at, scorer.categories(categories)));
    (0..data.n_features()).filter_map(one).collect()
}

struct Pass<'a> {
    data: &'a View<'a>,
    /// For columns that are scored where they lie.
    stored: &'a Scorer<'a>,
    /// For numbers that are moved first.
    moved: &'a Scorer<'a>,
    /// The rows that are moved, in their order; `None` for all.
    order: Option<&'a [u32]>,
}

impl Pass<'_> {
    /// Rows of a column that is moved.
    fn height(&self) -> usize {
        self.order.map_or(self.data.columns().n_rows(), <[u32]>::len)
    }

    /// The scores of neighbouring columns.
    fn block(&self, range: Range<usize>, (scratch, room): &mut (Scratch, Vec<f64>)) -> Result<Vec<Outcome>> {
        let columns = self.data.columns();
        let mut outcomes = Vec::with_capacity(range.len());
        let mut at = range.start;
        while at < range.end {
            if let Some(categories) = columns.categories(at) {
                outcomes.push(self.stored.categories(categories));
                at += 1;
            } else if let Some(values) = columns.slice(at) {
                outcomes.push(self.checked(at, values, None, self.stored.numbers(values, scratch))?);
                at += 1;
            } else {
                let is_moved = |&at: &usize| columns.slice(at).is_none() && columns.categories(at).is_none();
                let run = at..at + (at..range.end).take_while(is_moved).count();
                room.resize(self.height() * run.len(), 0.0);
                columns.fill(run.clone(), self.order, room);
                for (at, values) in run.clone().zip(room.chunks_exact(self.height())) {
                    outcomes.push(self.checked(at, values, self.order, self.moved.numbers(values, scratch))?);
                }
                at = run.end;
            }
        }
        Ok(outcomes)
    }

    /// The outcome of a column whose values are all finite.
    fn checked(&self, at: usize, values: &[f64], order: Option<&[u32]>, outcome: Outcome) -> Result<Outcome> {
        // where an infinite value leaves no finite score, only columns without one need to be looked through
        if !(self.stored.infinity_shows() && outcome.finite().is_some_and(f64::is_finite)) {
            column_source::check_finite(values, order, &self.data.names()[at])?;
        }
        Ok(outcome)
    }
}
