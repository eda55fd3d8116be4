//! A table of codes from blocks of rows, and selections from it.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Context, Error, Progress, Result};
use crate::catalogue::Method;
use crate::codes::coded_table::{Cached, Codes, MOST_LEVELS, Store, cache_failed, numbering};
use crate::codes::discretise::notes;
use crate::merge::Frame;
use crate::merge::answer::{Answer, positions};
use crate::merge::bytes::{CODES, envelope, opened};
use crate::merge::pass::Sink;
use crate::npfs::Npfs;
use crate::npfs::SomeRuns;
use crate::stream::Stream;
use crate::stream::coding::{Block, Codings, Encode, keeps};
use crate::stream::edges::Looking;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A table of codes, and how they came about.
#[derive(Debug)]
pub struct Coded {
    codings: Arc<Codings>,
    codes: Codes,
}

/// Codes being put together.
pub struct Assembly {
    codings: Arc<Codings>,
    /// Rows there will be.
    rows: usize,
    /// Rows there are.
    at: usize,
    /// Rows looked at, before any sample, with and without a target.
    seen: u64,
    read: u64,
    share: Option<f64>,
    place: Placed,
    occurs: Vec<[bool; MOST_LEVELS]>,
    target: Vec<u8>,
    weights: Option<Vec<f64>>,
}

enum Placed {
    Memory(Vec<u8>),
    /// The file, and columns of rows that wait to be written.
    File(File, Vec<Vec<u8>>),
}

/// Bytes that wait before they are written to a file.
const WAITING: usize = 32 << 20;

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

    fn of_rows(codings: &Arc<Codings>, rows: usize, in_file: bool, share: Option<f64>) -> Result<Assembly> {
        let features = codings.columns.len();
        let place = if in_file {
            Placed::File(tempfile::tempfile().map_err(cache_failed)?, vec![vec![]; features])
        } else {
            Placed::Memory(vec![0; rows.saturating_mul(features)])
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
    pub fn push(&mut self, block: Block) -> Result<()> {
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
            Placed::Memory(codes) => {
                for (at, column) in block.columns.iter().enumerate() {
                    codes[at * self.rows + self.at..][..n].copy_from_slice(column);
                }
            }
            Placed::File(file, waiting) => {
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
    pub fn finish(self) -> Result<Coded> {
        let Assembly { codings, rows, at, mut place, occurs, target, weights, share, .. } = self;
        if at != rows {
            return Err(changed());
        }
        if let Placed::File(file, waiting) = &mut place {
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
            Placed::Memory(mut codes) => {
                for (new, (&old, number)) in features.iter().zip(&numbers).enumerate() {
                    let old = old as usize;
                    codes.copy_within(old * rows..(old + 1) * rows, new * rows);
                    codes[new * rows..(new + 1) * rows].iter_mut().for_each(|c| *c = number[usize::from(*c)]);
                }
                codes.truncate(features.len() * rows);
                Store::Memory(codes)
            }
            Placed::File(file, _) => {
                let starts = features.iter().map(|&at| u64::from(at) * rows as u64).collect();
                Store::File(Cached { file: Mutex::new(file), starts, numbers })
            }
        };
        let mut said = notes(constant, missing, (fewest, most), codings.discretise);
        if share.is_some() {
            said.push(sampled(rows as u64, codings.rows));
        }
        let codes = Codes {
            store,
            rows,
            codings: features.iter().map(|&at| codings.columns[at as usize].clone()).collect(),
            features,
            levels,
            target,
            classes: codings.classes,
            weights,
            notes: said,
        };
        codes.check_any()?;
        Ok(Coded { codings, codes })
    }
}

fn sampled(rows: u64, of: u64) -> Note {
    let text = format!("a sample of {rows} of the {of} rows is used, because the codes of all rows exceed the memory");
    Note::new(NoteKind::RowSample, text)
}

fn changed() -> Error {
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

impl Coded {
    /// The table of blocks that come in the order of the rows. If they take more than so many bytes, a sample of the
    /// rows is kept.
    pub fn join(codings: &Arc<Codings>, blocks: Vec<Block>, most: u64) -> Result<Coded> {
        let rows: u64 = blocks.iter().map(|block| block.target.len() as u64).sum();
        let size = rows.saturating_mul(codings.columns.len() as u64);
        let sampled_before = rows < codings.rows;
        let mut assembly = if size > most && !sampled_before {
            Assembly::new(codings, false, Some(most as f64 / size as f64))?
        } else {
            Assembly::of_rows(codings, usize::try_from(rows).unwrap_or(usize::MAX), false, None)?
        };
        blocks.into_iter().try_for_each(|block| assembly.push(block))?;
        if assembly.read != codings.read {
            return Err(changed());
        }
        let mut coded = assembly.finish()?;
        if sampled_before {
            coded.codes.notes.push(sampled(rows, codings.rows));
        }
        Ok(coded)
    }

    /// The frame shared by all pieces.
    pub fn frame(&self) -> &Arc<Frame> {
        &self.codings.frame
    }

    /// Selects by a method that needs nothing but codes.
    pub fn select(&self, method: &Method, keep: &[String], progress: &mut dyn Progress) -> Result<Answer> {
        let names = &self.codings.frame.names;
        let kept = positions(names, keep)?;
        let selection =
            method.select_codes(&self.codes, names, &kept, &mut Context::new(self.codings.seed(), progress))?;
        self.answer(selection, keep)
    }

    /// Only some of the bootstraps of `npfs`.
    pub fn run_some(
        &self,
        npfs: &Npfs,
        bootstraps: std::ops::Range<usize>,
        progress: &mut dyn Progress,
    ) -> Result<SomeRuns> {
        let context = &mut Context::new(self.codings.seed(), progress);
        npfs.run_some(&self.codes, self.codings.frame.names.len(), bootstraps, context)
    }

    /// The answer of `npfs` from bootstraps that were run in parts.
    pub fn join_runs(&self, npfs: &Npfs, parts: Vec<SomeRuns>, keep: &[String]) -> Result<Answer> {
        let selection = npfs.join_runs(&self.codes, &self.codings.frame.names, parts, self.codings.seed())?;
        self.answer(selection, keep)
    }

    fn answer(&self, selection: crate::selection::Selection, keep: &[String]) -> Result<Answer> {
        let mut answer = self.codings.about.clone().answer(selection);
        answer.keep(keep)?;
        Ok(answer)
    }

    /// The coded table as bytes; it must be in memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        let codings = self.codings.to_bytes();
        let notes = serde_json::to_vec(&self.codes.notes).unwrap_or_default(); // text: it cannot fail
        let kept = self.codes.features.len();
        let columns = (0..kept).map(|at| self.codes.column(at).to_vec()).collect();
        let block = Block { read: 0, target: self.codes.target.clone(), weights: self.codes.weights.clone(), columns };
        let features: Vec<u8> = self.codes.features.iter().flat_map(|at| at.to_le_bytes()).collect();
        let mut body = vec![];
        for part in [&codings, &notes, &features, &block.to_bytes()] {
            body.extend_from_slice(&(part.len() as u64).to_le_bytes());
            body.extend_from_slice(part);
        }
        envelope(&CODES, &body)
    }

    /// Reads it back; `name` is for messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Coded> {
        let wrong = || Error::data(Place::file(name), "it is not a table of codes", "make it again");
        let mut rest = opened(&CODES, bytes, name)?;
        let mut next = || {
            let (length, behind) = rest.split_first_chunk()?;
            let (part, behind) = behind.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            rest = behind;
            Some(part)
        };
        let (codings, notes) = (next().ok_or_else(wrong)?, next().ok_or_else(wrong)?);
        let (features, block) = (next().ok_or_else(wrong)?, next().ok_or_else(wrong)?);
        let codings = Arc::new(Codings::from_bytes(codings, name)?);
        let features: Vec<u32> =
            features.chunks_exact(4).filter_map(|c| c.first_chunk()).map(|c| u32::from_le_bytes(*c)).collect();
        if features.iter().any(|&at| at as usize >= codings.columns.len()) {
            return Err(wrong());
        }
        let block = Block::from_bytes(block, features.len(), name)?;
        let levels = block.columns.iter().flatten().copied().max().map_or(1, |c| usize::from(c) + 1);
        let codes = Codes {
            store: Store::Memory(block.columns.concat()),
            rows: block.target.len(),
            codings: features.iter().map(|&at| codings.columns[at as usize].clone()).collect(),
            features,
            levels,
            target: block.target,
            classes: codings.classes,
            weights: block.weights,
            notes: serde_json::from_slice(notes).map_err(|_| wrong())?,
        };
        Ok(Coded { codings, codes })
    }
}

/// Files being coded.
struct Coder<'a>(&'a mut Assembly);

impl Sink for Coder<'_> {
    type Pass = Encode;

    fn begin(&mut self, _: &[String], _: &Place, _: &[Note]) -> Result<Encode> {
        Ok(Encode(Arc::clone(&self.0.codings)))
    }

    fn take(&mut self, part: Block, _: &Place) -> Result<()> {
        self.0.push(part)
    }

    fn rows(&self) -> u64 {
        self.0.read
    }
}

/// Keeps the blocks of one input.
struct Blocks(Arc<Codings>, Vec<Block>);

impl Sink for Blocks {
    type Pass = Encode;

    fn begin(&mut self, _: &[String], _: &Place, _: &[Note]) -> Result<Encode> {
        Ok(Encode(Arc::clone(&self.0)))
    }

    fn take(&mut self, part: Block, _: &Place) -> Result<()> {
        self.1.push(part);
        Ok(())
    }

    fn rows(&self) -> u64 {
        self.1.iter().map(|block| block.read).sum()
    }
}

impl Stream {
    /// The rows of one input as a block of codes.
    pub fn encode(
        &self,
        codings: &Arc<Codings>,
        input: crate::table::Input,
        progress: &mut dyn Progress,
    ) -> Result<Block> {
        let mut sink = Blocks(Arc::clone(codings), vec![]);
        self.walk_one(input, &mut sink, progress)?;
        let columns = vec![vec![]; codings.columns.len()];
        let weights = codings.frame.weight.is_some().then(Vec::new);
        let mut whole = Block { read: 0, target: vec![], weights, columns };
        for block in sink.1 {
            whole.read += block.read;
            whole.target.extend(block.target);
            whole.columns.iter_mut().zip(block.columns).for_each(|(all, some)| all.extend(some));
            if let (Some(all), Some(some)) = (&mut whole.weights, block.weights) {
                all.extend(some);
            }
        }
        Ok(whole)
    }

    /// Selects by a method that counts information, in two walks over the files: one to see how to cut every column,
    /// one to turn rows into codes, a byte a cell. Codes that do not fit the memory are kept in a file, which a filter
    /// reads once for every feature it chooses; `npfs`, which would read it thousands of times, takes a sample of the
    /// rows that fits.
    pub fn select_coded(
        &self,
        files: &[PathBuf],
        method: &Method,
        keep: &[String],
        progress: &mut dyn Progress,
    ) -> Result<Answer> {
        let Some((discretise, bins)) = method.coding() else {
            let problem = "needs the values themselves and cannot read a table in pieces";
            return Err(Error::method(method.name(), problem, "read the table whole"));
        };
        if files.iter().any(|path| path == Path::new("-")) {
            let expected = format!("`{}` reads a table twice; write it to a file first", method.name());
            return Err(Error::parameter("FILE", "-", expected));
        }
        let mut edges = None;
        self.walk(files, &mut Looking { stream: self, discretise, edges: &mut edges }, progress)?;
        let nothing = || Error::data(Place::default(), "there is no file to read", "name at least one");
        let codings = Arc::new(edges.ok_or_else(nothing)?.codings(bins)?);
        let (rows, features) = codings.size();
        let size = rows.saturating_mul(features as u64);
        let fits = self.memory.is_none_or(|memory| size <= memory);
        let sample = matches!(method, Method::Npfs(_));
        let share = self.memory.filter(|_| !fits && sample).map(|memory| memory as f64 / size as f64);
        let mut assembly = Assembly::new(&codings, !fits && !sample, share)?;
        self.walk(files, &mut Coder(&mut assembly), progress)?;
        assembly.finish()?.select(method, keep, progress)
    }
}
