//! Files, read in pieces: memory does not grow with their rows.
//!
//! Delimited text comes in pieces of about 2 MB that are parsed in parallel while the next are read; Parquet comes in
//! row groups and Arrow in batches whose columns are taken in parallel. Pieces depend on the files only and are merged in
//! their order, so that the answer has the same bits on any number of threads.
//!
//! *Null targets take two walks*, the first over the target alone. With them the answer of `snbl` is that of the whole table;
//! without, features are taken as independent ([`Stream::select_summed`]).
//!
//! *Levels and ranks take two walks.* The first finds how to cut every column ([`Edges`], mergeable as well), the second
//! turns rows into codes of one byte ([`Codings`], [`CodedBlock`], [`CodedStream`]) for the filters that count information
//! and for `npfs`, or counts levels by class ([`Counts`]) for scores of ranks.
//!
//! | file | holds |
//! | --- | --- |
//! | `summing` | the only walk of `snbl` without null targets: moments |
//! | `row_sums` | both walks of `snbl` with null targets: over the target, and over the rows |
//! | `first_walk_state`, `edges_pass`, `summary_for_cuts`, `sketch` | the first walk: its state, the pass, one column, quantiles |
//! | `coding`, `coded_block`, `assembly`, `select_from_codes`, `coding_walk` | the second walk: codings, rows as codes, the table of them, selections from it |
//! | `binned_ranks` | the second walk for scores of ranks: counts of levels |
//! | `arrow_batches`, `row_groups` | files that come in batches or row groups |

#[cfg(feature = "parquet")]
mod arrow_batches;
mod assembly;
mod binned_ranks;
mod coded_block;
mod coding;
mod coding_walk;
mod edges_pass;
mod first_walk_state;
#[cfg(feature = "parquet")]
mod row_groups;
mod row_sums;
mod select_from_codes;
mod sketch;
mod summary_for_cuts;
mod summing;

pub use assembly::Assembly;
pub use binned_ranks::Counts;
pub use coded_block::CodedBlock;
pub use coding::Codings;
pub use first_walk_state::Edges;
pub use select_from_codes::CodedStream;

use self::summing::SumSink;
use crate::base::error::Place;
use crate::base::remedies::{no_feature, no_file};
use crate::base::{Error, Progress, Result, Voice};
use crate::merge::pass::{Pass, Sink};
use crate::merge::sum_pass::{Batch, of_batch};
use crate::merge::{Frame, State};
use crate::sparse_means::Snbl;
use crate::table::column::check_complete;
use crate::table::read::pieces;
use crate::table::read::pieces::{Layout, Pieces, in_wanted_order};
use crate::table::read::text_buffer::TextPiece;
use crate::table::{Column, Format, Input, ReadOptions, format_of};
use std::path::PathBuf;
use std::sync::Arc;

/// Options for reading files in pieces.
#[derive(Debug, Clone)]
pub struct Stream {
    /// How files are understood.
    pub options: ReadOptions,
    /// The method that the state is for.
    pub method: Snbl,
    /// The seed.
    pub seed: u64,
    /// Bytes that reading may hold, about.
    pub memory: Option<u64>,
}

/// Memory that reading takes where nobody says: pieces in flight for every thread.
const PIECES_PER_THREAD: usize = 2;
/// The peak memory of a piece of text while it is processed, in multiples of its size.
const PIECE_COST: u64 = 8;

impl Stream {
    /// The state of all rows of some files, which have the same columns in any order.
    ///
    /// Cost: one pass over the files; memory by columns and classes, and a few pieces for every thread.
    pub fn read(&self, files: &[PathBuf], progress: &mut dyn Progress) -> Result<State> {
        let mut state = None;
        self.walk(files, &mut SumSink { stream: self, state: &mut state }, progress)?;
        state.ok_or_else(no_file)
    }

    /// Adds the rows of one input to a state, or makes it.
    pub fn add(&self, state: &mut Option<State>, input: Input, progress: &mut dyn Progress) -> Result<()> {
        self.walk_one(input, &mut SumSink { stream: self, state }, progress)
    }

    /// The frame of a table of these features, for this method.
    pub(crate) fn frame(&self, names: &[String], place: &Place, method: &Snbl) -> Result<Arc<Frame>> {
        if names.is_empty() {
            return Err(no_feature(place.clone()));
        }
        Frame::new(names.to_vec(), &self.options, method.clone(), self.seed)
    }

    /// Walks over the pieces of some files, in order.
    pub(crate) fn walk(&self, files: &[PathBuf], sink: &mut impl Sink, progress: &mut dyn Progress) -> Result<()> {
        let sizes: Vec<u64> = files.iter().map(|path| std::fs::metadata(path).map_or(0, |m| m.len())).collect();
        let total = if sizes.contains(&0) { 0 } else { sizes.iter().sum() };
        let mut before = 0;
        for (path, size) in files.iter().zip(sizes) {
            let mut progress = FileProgress { progress: &mut *progress, before, total };
            self.walk_one(Input::open(path)?, sink, &mut progress)?;
            before += size;
        }
        Ok(())
    }

    pub(crate) fn walk_one(&self, input: Input, sink: &mut impl Sink, progress: &mut dyn Progress) -> Result<()> {
        match format_of(&input, &self.options)? {
            Format::Csv | Format::Tsv => self.walk_text(input, sink, progress),
            #[cfg(feature = "parquet")]
            Format::Parquet => self.walk_parquet(input, sink, progress),
            #[cfg(feature = "parquet")]
            Format::Arrow => self.walk_arrow(input, sink, progress),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet | Format::Arrow => crate::table::read(input, &self.options, progress).map(drop),
            format => {
                let reason = format!("{format} is not read in pieces; convert it to CSV, Parquet or Arrow");
                Err(Error::read(input.name(), reason))
            }
        }
    }

    /// The bytes that a file would take in memory as a table; `None` where its size is not known.
    pub fn whole_size(&self, input: Input, progress: &mut dyn Progress) -> Result<Option<u64>> {
        let bytes = |rows: u64, columns: usize| rows.saturating_mul(columns as u64 + 1).saturating_mul(8);
        match format_of(&input, &self.options)? {
            Format::Csv | Format::Tsv => {
                let (pieces, layout) = pieces::open(input, &self.options, progress)?;
                Ok(pieces.expected_rows().map(|rows| bytes(rows, layout.features().len())))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let groups = crate::table::read::columnar::RowGroupReader::open(input, &self.options)?;
                let rows = (0..groups.count()).fold(0, |sum: u64, group| sum.saturating_add(groups.n_rows(group)));
                Ok(Some(bytes(rows, groups.names().len())))
            }
            _ => Ok(input.size()),
        }
    }

    /// Reads and understands delimited text, and does nothing with it: the least time that [`Stream::read`] could take.
    /// Returns how many rows there are.
    pub fn parse_only(&self, input: Input, progress: &mut dyn Progress) -> Result<u64> {
        let (mut pieces, layout) = pieces::open(input, &self.options, progress)?;
        let mut rows = 0;
        self.rounds(
            &mut pieces,
            progress,
            |piece, before| layout.read(piece, before).map(|read| read.rows),
            |n| {
                rows += n;
                Ok(rows)
            },
        )?;
        Ok(rows)
    }

    fn walk_text<S: Sink>(&self, input: Input, sink: &mut S, progress: &mut dyn Progress) -> Result<()> {
        let (mut pieces, mut layout) = pieces::open(input, &self.options, progress)?;
        let mut names = layout.features();
        let pass = sink.begin(&names, &layout.place, &layout.notes)?;
        if sink.only_target() {
            layout.leave_features_out();
            names.clear();
        }
        let positions = pass.frame().positions(&names, &layout.place)?;
        let before = sink.n_rows();
        let work = |piece: &TextPiece, before: u64| self.of_text(&pass, &layout, positions.as_deref(), piece, before);
        self.rounds(&mut pieces, progress, work, |part| {
            sink.take(part, &layout.place)?;
            Ok(sink.n_rows() - before)
        })
    }

    /// Applies a pass to a piece of text.
    fn of_text<P: Pass>(
        &self,
        pass: &P,
        layout: &Layout,
        positions: Option<&[usize]>,
        piece: &TextPiece,
        before: u64,
    ) -> Result<P::Part> {
        let read = layout.read(piece, before)?;
        let columns = in_order(read.columns, positions);
        let covariates = in_wanted_order(read.covariates, &self.options.covariates);
        let (labels, weights, place) = (read.labels, read.weights, layout.place.clone());
        let batch = Batch { columns, labels, weights, covariates, place, before };
        self.of_batch(pass, batch, false)
    }

    /// Applies a pass to rows in memory, their columns in parallel or one after the other.
    pub(crate) fn of_batch<P: Pass>(&self, pass: &P, batch: Batch, parallel: bool) -> Result<P::Part> {
        if self.options.refuse_missing {
            let all = batch.columns.iter().zip(pass.frame().names.iter());
            let covariates = batch.covariates.iter().zip(&self.options.covariates);
            let check = |(column, name): (&Column, &String)| check_complete(column, name, &batch.place, batch.before);
            all.chain(covariates).try_for_each(check)?;
        }
        of_batch(pass, batch, parallel)
    }

    /// Works on the pieces of a text in parallel while the next ones are read, and takes what comes of them in order.
    /// `take` says how many rows there are so far; a piece that fails is worked on once more with that, so that the
    /// error can tell the row.
    fn rounds<T: Send>(
        &self,
        pieces: &mut Pieces,
        progress: &mut dyn Progress,
        work: impl Fn(&TextPiece, u64) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<u64>,
    ) -> Result<()> {
        let threads = rayon::current_num_threads();
        let most = self.memory.map_or(usize::MAX, |bytes| (bytes / (pieces.size as u64 * PIECE_COST)) as usize);
        let at_once = (threads * PIECES_PER_THREAD).min(most).max(1);
        let mut rooms: Vec<Vec<u8>> = vec![];
        let mut read = |rooms: &mut Vec<Vec<u8>>, progress: &mut dyn Progress| -> Result<Vec<TextPiece>> {
            let mut some = vec![];
            while some.len() < at_once {
                match pieces.next(rooms.pop().unwrap_or_default(), progress)? {
                    Some(piece) => some.push(piece),
                    None => break,
                }
            }
            Ok(some)
        };
        let mut rows = 0;
        let mut current = read(&mut rooms, progress)?;
        while !current.is_empty() {
            let mut done: Vec<Option<Result<T>>> = current.iter().map(|_| None).collect();
            let next = rayon::in_place_scope(|scope| {
                for (piece, slot) in current.iter().zip(&mut done) {
                    let work = &work;
                    scope.spawn(move |_| *slot = Some(work(piece, 0)));
                }
                read(&mut rooms, progress)
            });
            for (piece, done) in current.iter().zip(done) {
                let done = match done {
                    Some(Ok(done)) => done,
                    _ => work(piece, rows)?,
                };
                rows = take(done)?;
            }
            rooms.extend(current.into_iter().map(TextPiece::into_room));
            current = next?;
        }
        Ok(())
    }
}

/// Columns in the order of the frame.
pub(crate) fn in_order(columns: Vec<Column>, positions: Option<&[usize]>) -> Vec<Column> {
    match positions {
        None => columns,
        Some(positions) => {
            let mut found: Vec<Option<Column>> = columns.into_iter().map(Some).collect();
            positions.iter().filter_map(|&at| found[at].take()).collect()
        }
    }
}

/// Progress in one of several files.
struct FileProgress<'a> {
    progress: &'a mut dyn Progress,
    before: u64,
    total: u64,
}

impl Progress for FileProgress<'_> {
    fn update(&mut self, stage: &str, done: u64, _: u64) -> bool {
        self.progress.update(stage, self.before + done, self.total)
    }

    fn voice(&self) -> &'static dyn Voice {
        self.progress.voice()
    }
}
