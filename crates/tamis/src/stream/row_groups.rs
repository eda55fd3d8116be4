//! Parquet, row group by row group: a column is decoded, summed and forgotten, several at a time.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::merge::pass::{Pass, PieceHead, Sink};
use crate::merge::sum_pass::PassScratch;
use crate::stream::Stream;
use crate::table::column::check_complete;
use crate::table::read::columnar::RowGroupReader;
use crate::table::{Column, Input};
use rayon::prelude::*;

impl Stream {
    pub(crate) fn walk_parquet<S: Sink>(&self, input: Input, sink: &mut S, progress: &mut dyn Progress) -> Result<()> {
        let groups = RowGroupReader::open(input, &self.options)?;
        let mut names = groups.names();
        let pass = sink.begin(&names, &groups.place, &groups.notes)?;
        if sink.only_target() {
            names.clear();
        }
        let frame = pass.frame();
        let positions = frame.positions(&names, &groups.place)?;
        let total = (0..groups.count()).fold(0, |sum: u64, group| sum.saturating_add(groups.bytes(group)));
        let (mut before, mut done) = (0, 0_u64);
        for group in 0..groups.count() {
            progress.step("reading", done, total)?;
            let at_once = self.columns_at_once(groups.n_rows(group), &groups.place)?;
            let labels = groups.target(group, before)?;
            let weights = groups.weights(group)?;
            let covariates = groups.covariates(group)?;
            if self.options.refuse_missing {
                let check = |(column, name): (&Column, &String)| check_complete(column, name, &groups.place, before);
                covariates.iter().zip(&self.options.covariates).try_for_each(check)?;
            }
            let (weights, place) = (weights.as_deref(), &groups.place);
            let head = PieceHead { labels, weights, covariates: &covariates, place, before };
            let rows = pass.target(head)?;
            let of_column = |room: &mut PassScratch, at: usize| {
                let column = groups.feature(group, positions.as_ref().map_or(at, |positions| positions[at]))?;
                if self.options.refuse_missing {
                    check_complete(&column, &frame.names[at], &groups.place, before)?;
                }
                pass.column(&rows, at, &column, room)
            };
            let mut columns = Vec::with_capacity(frame.names.len());
            let all: Vec<usize> = (0..frame.names.len()).collect();
            for some in all.chunks(at_once) {
                let found: Vec<Result<_>> =
                    some.par_iter().map_init(PassScratch::default, |room, &at| of_column(room, at)).collect();
                for column in found {
                    columns.push(column?);
                }
                let share = groups.bytes(group) as f64 * columns.len() as f64 / frame.names.len() as f64;
                progress.step("reading", done.saturating_add(share as u64), total)?;
            }
            let part = pass.part(rows, columns);
            before += groups.n_rows(group);
            done = done.saturating_add(groups.bytes(group));
            sink.take(part, &groups.place)?;
        }
        progress.step("reading", total, total)
    }

    /// Columns of a row group that are in memory at once.
    fn columns_at_once(&self, rows: u64, place: &Place) -> Result<usize> {
        const BYTES_PER_ROW: u64 = 24; // the target, its codes and their order; then for every column
        let many = 16 * rayon::current_num_threads();
        let Some(memory) = self.memory else { return Ok(many) };
        let column = rows.saturating_mul(BYTES_PER_ROW).max(1);
        match memory / column {
            0 | 1 => {
                let problem =
                    text![format!("a row group of {rows} rows takes more than "), OptionName::Memory, " allows"];
                Err(Error::data(place.clone(), problem, "raise it, or write the file with smaller row groups"))
            }
            n => Ok(many.min(n as usize - 1)),
        }
    }
}
