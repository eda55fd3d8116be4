//! A table as codes, one byte a cell: in memory, or in a file where that is too small.

use crate::base::note::Note;
use crate::base::remedies::{no_usable_feature, too_many_copies};
use crate::base::{Error, OptionName, Result, text};
use crate::codes::column_coding::{ColumnCoding, MOST_LEVELS};
use crate::table::{RowWeights, WeightKind};
use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Mutex;

/// Numbers of copies are written out up to so many rows.
const MOST_COPIES: f64 = 4e6;

/// Renumbers codes without gaps and counts those that occur, so that tables need no room for the others.
pub(crate) fn without_gaps(mut codes: Vec<u8>) -> (Vec<u8>, usize) {
    let mut occurs = [false; MOST_LEVELS];
    codes.iter().for_each(|c| occurs[usize::from(*c)] = true);
    let (number, count) = numbering(&occurs);
    codes.iter_mut().for_each(|c| *c = number[usize::from(*c)]);
    (codes, count)
}

/// The number of every code that occurs, and how many do.
pub(crate) fn numbering(occurs: &[bool; MOST_LEVELS]) -> ([u8; MOST_LEVELS], usize) {
    let mut number = [0; MOST_LEVELS];
    let mut next = 0_usize;
    for (number, _) in number.iter_mut().zip(occurs).filter(|(_, occurs)| **occurs) {
        *number = next as u8;
        next += 1;
    }
    (number, next)
}

/// Where codes are: of every row, column after column; codes that do not occur are skipped in the numbering.
#[derive(Debug)]
pub(crate) enum CodeStore {
    Memory(Vec<u8>),
    File(CodeFile),
}

/// Codes in a file without a name, as they were written.
#[derive(Debug)]
pub(crate) struct CodeFile {
    pub(crate) file: Mutex<File>,
    /// Where each column begins.
    pub(crate) starts: Vec<u64>,
    /// The number of every code of each column.
    pub(crate) numbers: Vec<[u8; MOST_LEVELS]>,
}

impl CodeFile {
    fn column(&self, at: usize, rows: usize) -> Result<Vec<u8>> {
        let mut codes = vec![0; rows];
        let mut read = || {
            let mut file = self.file.lock().map_err(|_| std::io::Error::other("another thread failed"))?;
            file.seek(SeekFrom::Start(self.starts[at]))?;
            file.read_exact(&mut codes)
        };
        read().map_err(cache_failed)?;
        let number = &self.numbers[at];
        codes.iter_mut().for_each(|c| *c = number[usize::from(*c)]);
        Ok(codes)
    }
}

/// The disk would not keep the codes.
pub(crate) fn cache_failed(error: std::io::Error) -> Error {
    let rest = format!(" cannot be kept there ({error}); raise it, or free space");
    let reason = text!["the codes that do not fit ", OptionName::Memory, rest];
    Error::Read { file: std::env::temp_dir().display().to_string(), reason, source: Some(error) }
}

/// A feature whose rarest levels were merged into one, the last.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JoinedLevels {
    /// Its position in the table.
    pub(crate) feature: u32,
    /// The codes that its other levels had before, in their order now.
    pub(crate) kept: Vec<u8>,
}

/// A table as codes: the features that vary, and the target.
#[derive(Debug)]
pub struct CodedTable {
    pub(crate) store: CodeStore,
    pub(crate) rows: usize,
    /// The features' positions in the table.
    pub features: Vec<u32>,
    /// How each was coded.
    pub codings: Vec<ColumnCoding>,
    /// One more than the largest code of any column.
    pub levels: usize,
    /// The class of every row.
    pub target: Vec<u8>,
    /// How many classes there are.
    pub classes: usize,
    /// How much each row counts; `None`: once. Importance weights sum to their effective number.
    pub weights: Option<RowWeights>,
    /// Notes on features set aside and on the coding.
    pub notes: Vec<Note>,
}

impl CodedTable {
    /// Codes that exist already, as tests and other programs have them: rows of codes.
    pub fn from_columns(columns: &[Vec<u8>], target: Vec<u8>) -> CodedTable {
        let rows = target.len();
        let levels = columns.iter().flatten().map(|c| usize::from(*c) + 1).max().unwrap_or(1);
        CodedTable {
            store: CodeStore::Memory(columns.concat()),
            rows,
            features: (0..columns.len() as u32).collect(),
            codings: vec![],
            levels,
            classes: target.iter().map(|c| usize::from(*c) + 1).max().unwrap_or(1),
            target,
            weights: None,
            notes: vec![],
        }
    }

    /// How much each row counts, unless all count once.
    pub(crate) fn row_weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|weights| weights.values.as_slice())
    }

    /// The table with a row for every copy, where weights are numbers of copies: rows that change places must do so by
    /// themselves.
    pub(crate) fn copies_as_rows(&self) -> Result<Option<CodedTable>> {
        let Some(weights) = self.weights.as_ref().filter(|weights| weights.kind == WeightKind::Frequency) else {
            return Ok(None);
        };
        let all: f64 = weights.values.iter().sum();
        if all > MOST_COPIES {
            return Err(too_many_copies(all));
        }
        let mut rows = self.repeated(&weights.values.iter().map(|w| *w as u32).collect::<Vec<u32>>())?;
        (rows.codings, rows.notes) = (self.codings.clone(), self.notes.clone());
        Ok(Some(rows))
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.rows
    }

    /// How many features there are.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether no feature varies.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The codes of the feature at this position; empty if the codes are in a file.
    pub fn column(&self, at: usize) -> &[u8] {
        match &self.store {
            CodeStore::Memory(codes) => &codes[at * self.rows..(at + 1) * self.rows],
            CodeStore::File(_) => &[],
        }
    }

    /// One more than the largest code of the feature at this position; 1 if the codes are in a file.
    pub(crate) fn levels_of(&self, at: usize) -> usize {
        self.column(at).iter().copied().max().map_or(1, |c| usize::from(c) + 1)
    }

    /// The codes of a feature, from memory or from the file.
    pub(crate) fn load(&self, at: usize) -> Result<Cow<'_, [u8]>> {
        match &self.store {
            CodeStore::Memory(_) => Ok(Cow::Borrowed(self.column(at))),
            CodeStore::File(cached) => cached.column(at, self.rows).map(Cow::Owned),
        }
    }

    /// Whether the codes are in a file, so that a column is read each time it is looked at.
    pub(crate) fn in_file(&self) -> bool {
        matches!(self.store, CodeStore::File(_))
    }

    /// The table with row i as often as `times[i]` says, in memory.
    pub(crate) fn repeated(&self, times: &[u32]) -> Result<CodedTable> {
        let rows: Vec<usize> =
            times.iter().enumerate().flat_map(|(row, n)| std::iter::repeat_n(row, *n as usize)).collect();
        let mut all = Vec::with_capacity(rows.len() * self.len());
        for at in 0..self.len() {
            let column = self.load(at)?;
            all.extend(rows.iter().map(|&row| column[row]));
        }
        Ok(CodedTable {
            store: CodeStore::Memory(all),
            rows: rows.len(),
            features: self.features.clone(),
            codings: vec![],
            levels: self.levels,
            target: rows.iter().map(|&row| self.target[row]).collect(),
            classes: self.classes,
            weights: None,
            notes: vec![],
        })
    }

    /// A copy in memory.
    pub(crate) fn in_memory(&self) -> Result<CodedTable> {
        let mut copy = self.repeated(&vec![1; self.rows])?;
        (copy.codings, copy.weights, copy.notes) = (self.codings.clone(), self.weights.clone(), self.notes.clone());
        Ok(copy)
    }

    /// Refuses a table of which nothing varies.
    pub(crate) fn check_any(&self) -> Result<()> {
        if !self.is_empty() {
            return Ok(());
        }
        Err(no_usable_feature("no feature can be scored: every one has a single value"))
    }

    /// Joins the rarest levels of every column that has more than `most`, so that it has as many; returns which.
    pub(crate) fn join_rare(&mut self, most: usize) -> Vec<JoinedLevels> {
        let mut joined = Vec::new();
        let CodeStore::Memory(codes) = &mut self.store else { return joined };
        for (at, column) in codes.chunks_exact_mut(self.rows).enumerate() {
            let mut counts = [(0_usize, 0_u8); MOST_LEVELS];
            (0..=255).for_each(|code: u8| counts[usize::from(code)].1 = code);
            column.iter().for_each(|c| counts[usize::from(*c)].0 += 1);
            counts.sort_by_key(|&(count, code)| (std::cmp::Reverse(count), code));
            if counts[most].0 == 0 {
                continue;
            }
            let mut number = [most as u8 - 1; MOST_LEVELS];
            (0..most - 1).for_each(|n| number[usize::from(counts[n].1)] = n as u8);
            column.iter_mut().for_each(|c| *c = number[usize::from(*c)]);
            let kept = counts[..most - 1].iter().map(|(_, code)| *code).collect();
            joined.push(JoinedLevels { feature: self.features[at], kept });
        }
        if !joined.is_empty() {
            self.levels = codes.iter().copied().max().map_or(1, |c| usize::from(c) + 1);
        }
        joined
    }
}
