//! A table of codes, put together from blocks of rows: in memory, or in a file where that is too small.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, Result};
use crate::codes::coded_table::{CodeFile, CodeStore, CodedTable, cache_failed, numbering};
use crate::codes::column_coding::MOST_LEVELS;
use crate::codes::discretise::notes;
use crate::stream::coded_block::{CodedBlock, keeps};
use crate::stream::coding::Codings;
use crate::stream::select_from_codes::CodedStream;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex};

/// Codes being put together.
pub struct Assembly {
    pub(super) codings: Arc<Codings>,
    /// Rows there will be.
    rows: usize,
    /// Rows there are.
    at: usize,
    /// Rows looked at, before any sample, with and without a target.
    seen: u64,
    pub(super) read: u64,
    share: Option<f64>,
    place: UnfinishedStore,
    occurs: Vec<[bool; MOST_LEVELS]>,
    target: Vec<u8>,
    weights: Option<Vec<f64>>,
}

enum UnfinishedStore {
    Memory(Vec<u8>),
    /// The file, and columns of rows that wait to be written.
    File(File, Vec<Vec<u8>>),
}

/// Bytes that wait before they are written to a file.
const WAITING: usize = 32 << 20;

/// A file without a name, which is gone when it is closed.
#[cfg(feature = "temporary-files")]
fn unnamed_file() -> std::io::Result<std::fs::File> {
    tempfile::tempfile()
}

/// Refuses, and says what to do.
#[cfg(not(feature = "temporary-files"))]
fn unnamed_file() -> std::io::Result<std::fs::File> {
    Err(std::io::Error::other("this build has no temporary files; build with the feature `temporary-files`"))
}

impl Assembly {
    /// Room for all rows that count, in memory or in a file without a name; or for a sample of them.
    pub fn new(codings: &Arc<Codings>, in_file: bool, share: Option<f64>) -> Result<Assembly> {
        let (all, _) = codings.size();
        let rows = match share {
            None => usize::try_from(all).unwrap_or(usize::MAX),
            Some(share) => (0..all).filter(|&row| keeps(share, codings.frame.seed, 0, row)).count(),
        };
        Assembly::of_rows(codings, rows, in_file, share)
    }

    pub(super) fn of_rows(codings: &Arc<Codings>, rows: usize, in_file: bool, share: Option<f64>) -> Result<Assembly> {
        let features = codings.columns.len();
        let place = if in_file {
            UnfinishedStore::File(unnamed_file().map_err(cache_failed)?, vec![vec![]; features])
        } else {
            UnfinishedStore::Memory(vec![0; rows.saturating_mul(features)])
        };
        Ok(Assembly {
            codings: Arc::clone(codings),
            rows,
            at: 0,
            seen: 0,
            read: 0,
            share,
            place,
            occurs: vec![[false; MOST_LEVELS]; features],
            target: Vec::with_capacity(rows),
            weights: codings.frame.weight.is_some().then(|| Vec::with_capacity(rows)),
        })
    }

    /// Adds the next rows.
    pub fn push(&mut self, block: CodedBlock) -> Result<()> {
        self.read += block.read;
        let first = self.seen;
        self.seen += block.target.len() as u64;
        let block = match self.share {
            Some(share) => block.sampled(share, self.codings.frame.seed, 0, first),
            None => block,
        };
        let n = block.target.len();
        if self.at + n > self.rows || block.weights.is_some() != self.weights.is_some() {
            return Err(changed());
        }
        for (column, occurs) in block.columns.iter().zip(&mut self.occurs) {
            column.iter().for_each(|c| occurs[usize::from(*c)] = true);
        }
        match &mut self.place {
            UnfinishedStore::Memory(codes) => {
                for (at, column) in block.columns.iter().enumerate() {
                    codes[at * self.rows + self.at..][..n].copy_from_slice(column);
                }
            }
            UnfinishedStore::File(file, waiting) => {
                waiting.iter_mut().zip(&block.columns).for_each(|(waiting, column)| waiting.extend_from_slice(column));
                let rows = waiting.first().map_or(0, Vec::len);
                if rows * waiting.len() >= WAITING {
                    write(file, waiting, self.rows, self.at + n - rows).map_err(cache_failed)?;
                }
            }
        }
        self.at += n;
        self.target.extend_from_slice(&block.target);
        if let (Some(all), Some(weights)) = (&mut self.weights, &block.weights) {
            all.extend_from_slice(weights);
        }
        Ok(())
    }

    /// The table, once all rows are there. Columns of one value are set aside.
    pub fn finish(self) -> Result<CodedStream> {
        let Assembly { codings, rows, at, mut place, occurs, target, weights, share, .. } = self;
        if at != rows {
            return Err(changed());
        }
        if let UnfinishedStore::File(file, waiting) = &mut place {
            let waits = waiting.first().map_or(0, Vec::len);
            write(file, waiting, rows, at - waits).map_err(cache_failed)?;
        }
        let names = &codings.frame.names;
        let (mut constant, mut missing) = (vec![], vec![]);
        let (mut fewest, mut most, mut levels) = (usize::MAX, 0, 1);
        let mut features: Vec<u32> = vec![];
        let mut numbers = vec![];
        for (at, occurs) in occurs.iter().enumerate() {
            let (number, count) = numbering(occurs);
            if count < 2 {
                constant.push(names[at].clone());
                continue;
            }
            if codings.missing[at] {
                missing.push(names[at].clone());
            }
            (fewest, most, levels) = (fewest.min(count), most.max(count), levels.max(count));
            features.push(at as u32);
            numbers.push(number);
        }
        let store = match place {
            UnfinishedStore::Memory(mut codes) => {
                for (new, (&old, number)) in features.iter().zip(&numbers).enumerate() {
                    let old = old as usize;
                    codes.copy_within(old * rows..(old + 1) * rows, new * rows);
                    codes[new * rows..(new + 1) * rows].iter_mut().for_each(|c| *c = number[usize::from(*c)]);
                }
                codes.truncate(features.len() * rows);
                CodeStore::Memory(codes)
            }
            UnfinishedStore::File(file, _) => {
                let starts = features.iter().map(|&at| u64::from(at) * rows as u64).collect();
                CodeStore::File(CodeFile { file: Mutex::new(file), starts, numbers })
            }
        };
        let mut said = notes(constant, missing, (fewest, most), codings.discretise);
        if share.is_some() {
            said.push(sampled(rows as u64, codings.rows));
        }
        let codes = CodedTable {
            store,
            rows,
            codings: features.iter().map(|&at| codings.columns[at as usize].clone()).collect(),
            features,
            levels,
            target,
            classes: codings.classes,
            weights: weights.map(|weights| codings.frame.counted(weights)),
            notes: said,
        };
        codes.check_any()?;
        Ok(CodedStream { codings, codes })
    }
}

/// A note that not all rows are used.
pub(super) fn sampled(rows: u64, of: u64) -> Note {
    let text = format!("a sample of {rows} of the {of} rows is used, because the codes of all rows exceed the memory");
    Note::new(NoteKind::RowSample, text)
}

/// The rows are not those of the first walk.
pub(super) fn changed() -> Error {
    let problem = "the table has changed since it was first read, or some of its rows are duplicated or missing";
    Error::data(Place::default(), problem, "do not change it while it is read, and give every row once")
}

/// Writes the columns that wait behind each other, from a row on.
fn write(file: &mut File, waiting: &mut [Vec<u8>], rows: usize, from: usize) -> std::io::Result<()> {
    for (at, column) in waiting.iter_mut().enumerate() {
        file.seek(SeekFrom::Start((at * rows + from) as u64))?;
        file.write_all(column)?;
        column.clear();
    }
    Ok(())
}
