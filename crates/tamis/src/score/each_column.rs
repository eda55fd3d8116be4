//! A pass over all columns, wherever they lie, each scored while it is in cache.

use super::score_from_moments::Outcome;
use super::scorer::{Samples, Scorer, Scratch};
use super::two_class_moments::TwoClasses;
use super::two_class_nonzeros::NonzeroSums;
use super::two_class_rows::{Tile, TwoClassRows};
use super::{Moments, Scale, Statistic};
use crate::base::{Progress, Result};
use crate::table::{Columns, Row, View, column_source};
use rayon::prelude::*;
use std::ops::Range;

/// Columns between two progress reports.
const BATCH: usize = 4096;

/// The most columns of a matrix stored by rows that are summed side by side: their sums fit into the second-level cache.
const WIDEST: usize = 2048;

/// A sparse column of which more than one value in so many is stored is filled in, which is then faster.
const DENSE: usize = 4;

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
    let two = stored.two_classes();
    let by_row = two.filter(|_| is_by_rows(data.columns())).map(TwoClassRows::new);
    let sparse_rows = data.columns().sparse_rows().filter(|_| order.is_none());
    let sparse = two.zip(sparse_rows).map(|(two, rows)| two.sums_of_rows(rows, data.n_features()));
    let pass = Pass { data, stored: &stored, moved: moved.as_ref().unwrap_or(&stored), order, two, by_row, sparse };
    let (total, size) = (data.n_features(), pass.width());
    let starts: Vec<usize> = (0..total).step_by(size).collect();
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(total);
    for batch in starts.chunks((BATCH / size).max(rayon::current_num_threads())) {
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
    /// The classes, where the score is made of sums over two.
    two: Option<&'a TwoClasses>,
    /// The same for a matrix that is stored by rows.
    by_row: Option<TwoClassRows<'a>>,
    /// The sums of every column of a sparse matrix that is stored by rows.
    sparse: Option<Vec<[NonzeroSums; 2]>>,
}

/// Memory a thread keeps from block to block.
#[derive(Default)]
struct Memory {
    scratch: Scratch,
    room: Vec<f64>,
    tile: Tile,
}

impl Pass<'_> {
    /// Rows of a column that is moved.
    fn height(&self) -> usize {
        self.order.map_or(self.data.columns().n_rows(), <[u32]>::len)
    }

    /// How many columns a thread takes at a time.
    fn width(&self) -> usize {
        if self.by_row.is_none() {
            return column_source::block(self.height());
        }
        let share = self.data.n_features() / (4 * rayon::current_num_threads());
        share.next_multiple_of(64).clamp(64, WIDEST)
    }

    /// The scores of neighbouring columns.
    fn block(&self, range: Range<usize>, memory: &mut Memory) -> Result<Vec<Outcome>> {
        let columns = self.data.columns();
        let summed = self.of_sums(range.clone(), memory);
        let Memory { scratch, room, .. } = memory;
        let mut outcomes = Vec::with_capacity(range.len());
        let mut at = range.start;
        while at < range.end {
            if let Some(outcome) = summed[at - range.start] {
                outcomes.push(outcome);
                at += 1;
            } else if let Some(categories) = columns.categories(at) {
                outcomes.push(self.stored.categories(categories));
                at += 1;
            } else if let Some(values) = columns.slice(at) {
                outcomes.push(self.checked(at, values, None, self.stored.numbers(values, scratch))?);
                at += 1;
            } else {
                let is_elsewhere = |at: usize| columns.slice(at).is_none() && columns.categories(at).is_none();
                let is_moved = |&at: &usize| summed[at - range.start].is_none() && is_elsewhere(at);
                let limit = range.end.min(at + column_source::block(self.height()));
                let run = at..at + (at..limit).take_while(is_moved).count();
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

    /// The scores of those columns that can be summed over two classes where they lie: rows of a matrix, columns in single
    /// precision, and sparse columns.
    fn of_sums(&self, range: Range<usize>, memory: &mut Memory) -> Vec<Option<Outcome>> {
        let Some(two) = self.two else { return vec![None; range.len()] };
        let columns = self.data.columns();
        if let Some(by_row) = &self.by_row {
            let moments = moments_by_row(by_row, columns, range, &mut memory.tile);
            return moments.iter().map(|moments| self.stored.of_two_classes(moments)).collect();
        }
        let outcome = |at: usize| {
            if let Some(values) = columns.singles(at) {
                return self.stored.of_two_classes(&two.moments(values, &mut memory.room));
            }
            self.of_entries(two, at)
        };
        range.map(outcome).collect()
    }

    /// The score of a column of a sparse matrix whose rows are all samples, unless most of its values are not 0.
    fn of_entries(&self, two: &TwoClasses, at: usize) -> Option<Outcome> {
        let stored = match self.data.columns().sparse_columns().filter(|_| self.order.is_none()) {
            Some(lines) => Some(lines.line(at)).filter(|(rows, _)| rows.len() <= two.len() / DENSE),
            None => None,
        };
        let sums = match (stored, &self.sparse) {
            (Some((rows, values)), _) => two.sums_of_column(rows, values),
            (None, Some(sums)) => sums[at],
            (None, None) => return None,
        };
        if sums.iter().all(|class| class.count == 0.0) {
            return Some(Outcome::Constant { rows: two.len() as u32 });
        }
        let moments = two.of_sums(&sums).or_else(|| stored.map(|(rows, values)| two.of_nonzeros(rows, values)));
        moments.and_then(|moments| self.stored.of_two_classes(&moments))
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

/// Whether rows, but not columns, are contiguous.
fn is_by_rows(columns: &dyn Columns) -> bool {
    let is_empty = columns.n_rows() == 0 || columns.names().is_empty();
    !is_empty && columns.slice(0).is_none() && columns.singles(0).is_none() && columns.row(0).is_some()
}

/// The moments of neighbouring columns of a matrix that is stored by rows, in either precision.
fn moments_by_row(
    by_row: &TwoClassRows,
    columns: &dyn Columns,
    range: Range<usize>,
    tile: &mut Tile,
) -> Vec<[Moments; 2]> {
    let part = |row: usize| columns.row(row);
    match part(0) {
        Some(Row::Singles(_)) => {
            let row = |row: usize| &part(row).and_then(Row::singles).unwrap_or_default()[range.clone()];
            by_row.moments(range.len(), row, tile)
        }
        _ => {
            let row = |row: usize| &part(row).and_then(Row::doubles).unwrap_or_default()[range.clone()];
            by_row.moments(range.len(), row, tile)
        }
    }
}
