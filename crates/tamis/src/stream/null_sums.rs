//! The second walk of `snbl`: null targets summed over all rows, so that correlated features are judged as in memory.
//!
//! The first walk finds classes, their shares, and the mean of every column; the second draws the null targets row by row
//! ([`DrawnTargets`](crate::score::null::DrawnTargets)) and adds products with centred columns to their sums
//! ([`SummedScores`]). Pieces are taken in order, and their null targets summed in parallel.
//!
//! Cost: another reading of the files, and 2·rows·terms·null targets·(classes − 1) flops, where `welch` has two terms per
//! column. Memory: up to 128 MB for sums, and the numbers of a piece.

use super::Stream;
use super::rows_for_null_sums::{ColumnPlan, NullPlan, TargetPlan};
use crate::base::{Note, Place, Progress, Result};
use crate::merge::pass::{Pass, PieceHead, Sink};
use crate::merge::piece_target::PieceTarget;
use crate::merge::sum_pass::PassScratch;
use crate::merge::target_state::TargetState;
use crate::merge::{Answer, Frame};
use crate::score::null::{RowBlock, SummedScores};
use crate::sparse_means::TableNulls;
use crate::stream::coding::contents_changed;
use crate::table::{Column, MISSING};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a product.
const ROWS: usize = 1024;
/// Blocks of rows whose terms are in memory at once.
const BLOCKS: usize = 8;

/// The rows of a piece that count, in order of their classes.
struct NullRows<'a> {
    piece: PieceTarget<'a>,
    /// Each row and its class; 0 where the target is numeric.
    rows: Vec<(u32, usize)>,
    /// The numeric target of each, less its mean.
    target: Vec<f64>,
}

/// A piece, its columns centred, in the order of [`NullRows`].
struct NullPiece {
    /// Rows there are, with or without a target.
    read: u64,
    rows: Vec<(u32, usize)>,
    weights: Vec<f64>,
    target: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

struct NullPass(Arc<NullPlan>);

impl NullPass {
    /// The rows that count with their classes and targets.
    fn rows<'a>(&self, piece: PieceTarget<'a>, place: &Place) -> Result<NullRows<'a>> {
        let changed = || contents_changed(place.clone().at_column(&self.0.frame.target));
        let used = || piece.used().iter().copied();
        let (rows, target) = match (&self.0.target, piece.target_state()) {
            (TargetPlan::Classes(known), TargetState::Labels(labels)) => {
                let classes: Vec<Option<usize>> = labels.iter().map(|label| known.get(&label.text).copied()).collect();
                let of_row = |row: u32| Ok((row, classes[piece.code(row as usize) as usize].ok_or_else(changed)?));
                let mut rows: Vec<(u32, usize)> = used().map(of_row).collect::<Result<_>>()?;
                rows.sort_by_key(|(_, class)| *class);
                (rows, vec![])
            }
            (TargetPlan::Classes(_), TargetState::Number(_)) => return Err(changed()),
            (TargetPlan::Number { unit, mean }, _) => {
                let target: Vec<f64> = piece.target_numbers().map(|(y, _)| y * unit - mean).collect();
                if target.iter().any(|y| y.is_nan()) {
                    return Err(changed());
                }
                (used().map(|row| (row, 0)).collect(), target)
            }
        };
        Ok(NullRows { piece, rows, target })
    }
}

impl Pass for NullPass {
    type Target<'a> = NullRows<'a>;
    type Column = Vec<f64>;
    type Part = NullPiece;

    fn frame(&self) -> &Arc<Frame> {
        &self.0.frame
    }

    fn target<'a>(&'a self, head: PieceHead<'a>) -> Result<NullRows<'a>> {
        let place = head.place;
        self.rows(PieceTarget::new(&self.0.frame, head)?, place)
    }

    fn column(&self, rows: &NullRows<'_>, at: usize, column: &Column, _: &mut PassScratch) -> Result<Vec<f64>> {
        let each = || rows.rows.iter().map(|(row, _)| *row as usize);
        match (&self.0.columns[at], column) {
            (ColumnPlan::Numbers { unit, mean, rest }, Column::Numbers(values)) => {
                Ok(each().map(|row| (values[row] * unit - mean) - rest).collect())
            }
            (ColumnPlan::Categories(known), Column::Categories(c)) => {
                let level: Vec<Option<usize>> =
                    c.labels().iter().map(|label| known.binary_search(label).ok()).collect();
                let of_row = |row: usize| match c.codes()[row] {
                    MISSING => Ok(f64::NAN),
                    code => level[code as usize].map(|at| at as f64).ok_or_else(|| contents_changed(rows.piece.at(at))),
                };
                each().map(of_row).collect()
            }
            // it may look like another sort of column
            _ if (0..column.len()).all(|row| column.is_missing(row)) => Ok(vec![f64::NAN; rows.rows.len()]),
            _ => Err(contents_changed(rows.piece.at(at))),
        }
    }

    fn part(&self, rows: NullRows<'_>, columns: Vec<Vec<f64>>) -> NullPiece {
        let NullRows { piece, rows, target } = rows;
        let weight = |&(row, class): &(u32, usize)| piece.weight(row as usize) * self.0.factors.of(class);
        let weights = rows.iter().map(weight).collect();
        NullPiece { read: piece.n_rows(), rows, weights, target, columns }
    }
}

/// Null targets being summed.
struct NullSink {
    plan: Arc<NullPlan>,
    scores: SummedScores,
    /// Rows so far, with or without a target.
    read: u64,
}

impl NullSink {
    /// Rows `from..to` of a piece, which have one class.
    fn block(&self, piece: &NullPiece, (from, to): (usize, usize)) -> RowBlock {
        let values: Vec<&[f64]> = piece.columns.iter().map(|column| &column[from..to]).collect();
        let target = piece.target.get(from..to).unwrap_or_default();
        RowBlock {
            class: piece.rows[from].1,
            numbers: piece.rows[from..to].iter().map(|(row, _)| self.read + u64::from(*row)).collect(),
            weights: piece.weights[from..to].to_vec(),
            terms: self.scores.terms().of(&self.scores.table().columns, &values, target, to - from),
        }
    }
}

impl Sink for NullSink {
    type Pass = NullPass;

    fn begin(&mut self, _: &[String], _: &Place, _: &[Note]) -> Result<NullPass> {
        Ok(NullPass(Arc::clone(&self.plan)))
    }

    fn take(&mut self, piece: NullPiece, _: &Place) -> Result<()> {
        let mut spans = vec![];
        let mut start = 0;
        for run in piece.rows.chunk_by(|a, b| a.1 == b.1) {
            for some in run.chunks(ROWS) {
                spans.push((start, start + some.len()));
                start += some.len();
            }
        }
        for some in spans.chunks(BLOCKS) {
            let blocks: Vec<RowBlock> = some.par_iter().map(|span| self.block(&piece, *span)).collect();
            self.scores.add(&blocks);
        }
        self.read += piece.read;
        Ok(())
    }

    fn n_rows(&self) -> u64 {
        self.read
    }
}

impl Stream {
    /// Selects by [`Stream::method`] with a score from moments.
    ///
    /// Null targets are summed in a second walk over the files, so that the answer is like that of the whole table. Where
    /// they are not, one walk is enough, features are taken as independent, and a note says so: with `permutations=0`,
    /// for more than 2,000 columns, a class of fewer than ten rows, more classes than 128 MB of sums hold, or standard
    /// input, which is read only once.
    pub fn select_summed(&self, files: &[PathBuf], keep: &[String], progress: &mut dyn Progress) -> Result<Answer> {
        let method = &self.method;
        let twice = files.iter().all(|path| path != Path::new("-"));
        let wanted = twice && method.wants_nulls() && method.score.by_moments();
        let (state, facts) = self.sum(files, wanted, progress)?;
        let target = state.recognise()?;
        let planned = match wanted {
            true => NullPlan::new(&state, &target, method, (facts, self.memory))?,
            false => None,
        };
        let Some((plan, scores)) = planned else {
            return state.answer(method, keep, progress);
        };
        let mut sink = NullSink { plan: Arc::new(plan), scores, read: 0 };
        self.walk(files, &mut sink, progress)?;
        let nulls: &dyn TableNulls = &sink.scores;
        state.answer_against(&target, method, keep, Some(nulls), progress)
    }
}

#[cfg(test)]
#[path = "null_sums_tests.rs"]
mod tests;
