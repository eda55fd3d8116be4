//! Rows of delimited text into columns.
//!
//! Most cells of most files are plain numbers, so those are parsed where they stand ([`Decimal::leading`]) into
//! a block of rows, and a full block is turned into columns. Every other cell takes the long way.

mod problems;
mod refusals;

pub(crate) use problems::{complete_the_row, not_text, too_many_values, wrong_width};

use crate::base::error::Place;
use crate::base::remedies::REPLACE;
use crate::base::{Error, OptionName, Progress, Result, Text, text};
use crate::table::column::{Column, Dictionary, is_too_large, too_large_words};
use crate::table::read::column_roles::MOST_CATEGORIES;
use crate::table::read::number::{self, Decimal};
use crate::table::read::record::{Record, records_of};
use crate::table::read::records::Records;
use crate::table::target_cells::TargetCells;
use memchr::memchr;
use std::collections::BTreeMap;

/// How a column's cells are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// Numbers, nothing else.
    Number,
    /// Numbers, or categories if its first cell is text.
    NumberOrText,
    /// Categories: it has turned out to be text.
    Text,
    /// Text, whatever it looks like, and however many values it has.
    Words,
    /// The same, but for cells that are missing: what rows have in common.
    Levels,
    Target,
    Skip,
}

/// Cells of a column of numbers that are neither numbers nor missing.
struct BadCells {
    count: u64,
    /// The first few: row and text.
    first: Vec<(u64, String)>,
}

/// Bad cells that a message tells.
const TOLD: usize = 5;

/// A column of text.
#[derive(Default)]
struct TextColumn {
    words: Dictionary,
    /// The first cell that is a number: (row, text).
    number: Option<(u64, String)>,
}

/// Rows being read.
pub(crate) struct RowParser<'a> {
    names: &'a [String],
    kinds: Vec<CellKind>,
    /// Columns that are not read as numbers, ascending, closed by the number of columns.
    special: Vec<usize>,
    missing: &'a [String],
    decimal: Decimal,
    /// Whether a number is among the texts that mean *missing*.
    numbers_are_missing: bool,
    place: Place,
    /// Rows of numbers not yet turned into columns.
    block: Vec<f64>,
    block_rows: usize,
    rows: u64,
    /// Rows of the file before these.
    before: u64,
    columns: Vec<Vec<f64>>,
    texts: BTreeMap<usize, TextColumn>,
    labels: TargetCells,
    faults: BTreeMap<usize, BadCells>,
    /// A column has turned into text within this row.
    turned: bool,
}

impl<'a> RowParser<'a> {
    pub(crate) fn new(
        names: &'a [String],
        kinds: Vec<CellKind>,
        (missing, decimal): (&'a [String], Decimal),
        place: Place,
    ) -> Self {
        let block_rows = (65_536 / names.len().max(1)).clamp(16, 4096);
        let mut rows = RowParser {
            names,
            kinds,
            special: vec![],
            missing,
            decimal,
            numbers_are_missing: missing.iter().any(|text| decimal.whole(text.as_bytes()).is_some()),
            place,
            block: Vec::with_capacity(block_rows * names.len()),
            block_rows,
            rows: 0,
            before: 0,
            columns: vec![vec![]; names.len()],
            texts: BTreeMap::new(),
            labels: TargetCells::default(),
            faults: BTreeMap::new(),
            turned: true,
        };
        for (c, kind) in rows.kinds.iter().enumerate() {
            if matches!(kind, CellKind::Words | CellKind::Levels) {
                rows.texts.insert(c, TextColumn::default());
            }
        }
        rows.find_special();
        rows
    }

    fn find_special(&mut self) {
        let number = |c: &usize| matches!(self.kinds[*c], CellKind::Number | CellKind::NumberOrText);
        self.special = (0..self.names.len()).filter(|c| !number(c)).chain([self.names.len()]).collect();
        self.turned = false;
    }

    /// Reads all records.
    pub(crate) fn read(&mut self, mut records: Records, progress: &mut dyn Progress) -> Result<()> {
        let delimiter = records.delimiter;
        let width = self.names.len();
        let mut reserved = false;
        while let Some(record) = records.next(progress)? {
            if self.record(record, delimiter)? && !reserved {
                reserved = true;
                if let Some(rows) = records.expected(self.rows as usize, width) {
                    self.reserve(rows);
                }
            }
        }
        if self.rows == 0 {
            let problem = "there is a line of column names but no row below it";
            return Err(Error::data(self.place.clone(), problem, "add data"));
        }
        self.flush();
        Ok(())
    }

    /// Reads a piece of a file: whole records, behind so many rows. There may be none.
    pub(crate) fn read_piece(&mut self, text: &[u8], delimiter: u8, before: u64) -> Result<u64> {
        (self.before, self.rows) = (before, before);
        for record in records_of(text, delimiter) {
            self.record(record, delimiter)?;
        }
        self.flush();
        Ok(self.rows - before)
    }

    /// Reads one record; whether a block was full and became columns.
    fn record(&mut self, record: Record<'_>, delimiter: u8) -> Result<bool> {
        let width = self.names.len();
        if record.is_blank() && width > 1 {
            return Ok(false);
        }
        self.rows += 1;
        let found = if record.quoted { self.quoted_row(record)? } else { self.plain_row(record.bytes, delimiter)? };
        if found != width {
            return Err(self.ragged(found, width));
        }
        if self.turned {
            self.find_special();
        }
        let full = self.block.len() == self.block_rows * width;
        if full {
            self.flush();
        }
        Ok(full)
    }

    /// Every column, and the target's cells; columns that mix numbers and text are refused.
    pub(crate) fn finish(mut self) -> Result<(Vec<Column>, TargetCells)> {
        self.check()?;
        let columns = (0..self.names.len())
            .map(|c| match self.texts.remove(&c) {
                Some(text) => text.words.into_categories().into(),
                None => std::mem::take(&mut self.columns[c]).into(),
            })
            .collect();
        Ok((columns, self.labels))
    }

    /// Reads a record without quotes; returns how many fields it has.
    fn plain_row(&mut self, bytes: &[u8], delimiter: u8) -> Result<usize> {
        let (mut column, mut at) = (0, 0);
        let mut special = 0;
        let width = self.names.len();
        loop {
            let rest = &bytes[at..];
            let taken = if column == self.special[special] {
                special += 1;
                let taken = memchr(delimiter, rest).unwrap_or(rest.len());
                self.cell(column, &rest[..taken])?;
                taken
            } else if let Some((value, taken)) = self.decimal.leading(rest, delimiter) {
                let missing = self.numbers_are_missing && number::is_missing(&rest[..taken], self.missing);
                self.block.push(if missing { f64::NAN } else { value });
                taken
            } else {
                let taken = memchr(delimiter, rest).unwrap_or(rest.len());
                self.cell(column, &rest[..taken])?;
                taken
            };
            column += 1;
            at += taken;
            if at >= bytes.len() {
                return Ok(column);
            }
            at += 1;
            if column == width {
                return Ok(width + 1 + bytes[at..].iter().filter(|c| **c == delimiter).count());
            }
        }
    }

    /// Adds a record that contains quotes.
    fn quoted_row(&mut self, record: Record<'_>) -> Result<usize> {
        let mut found = 0;
        for field in record.fields() {
            if found < self.names.len() {
                self.cell(found, &field)?;
            }
            found += 1;
        }
        Ok(found)
    }

    /// A cell that is not a plain number, or not of a column of numbers.
    fn cell(&mut self, column: usize, cell: &[u8]) -> Result<()> {
        let trimmed = cell.trim_ascii();
        let missing = number::is_missing(trimmed, self.missing);
        match self.kinds[column] {
            CellKind::Skip => {}
            CellKind::Target => {
                let text = if missing { None } else { Some(self.text(column, cell)?) };
                match text.and_then(|text| self.decimal.number_with_comma(text)) {
                    Some(number) => self.labels.push(Some(&number)),
                    None => self.labels.push(text),
                }
            }
            kind @ (CellKind::Words | CellKind::Levels) => {
                let text = self.text(column, cell)?;
                let is_level = kind == CellKind::Words || !missing;
                self.texts.entry(column).or_default().words.push(is_level.then_some(text));
            }
            CellKind::Text => {
                let text = if missing { None } else { Some(self.text(column, trimmed)?) };
                self.category(column, text);
            }
            CellKind::Number | CellKind::NumberOrText => return self.number(column, trimmed, missing),
        }
        self.block.push(f64::NAN);
        Ok(())
    }

    /// A cell of a column that has only had numbers and missing values so far.
    fn number(&mut self, column: usize, trimmed: &[u8], missing: bool) -> Result<()> {
        let value = if missing { Some(f64::NAN) } else { self.decimal.whole(trimmed) };
        if let Some(x) = value {
            if is_too_large(x) {
                let place = self.place.clone().at_row(self.rows).at_column(&self.names[column]);
                let text = String::from_utf8_lossy(trimmed);
                let problem = format!("`{text}` {}", too_large_words(x));
                return Err(Error::data(place, problem, replace_or_missing(&text)));
            }
            self.block.push(x);
            return Ok(());
        }
        let text = self.text(column, trimmed)?;
        if self.kinds[column] == CellKind::NumberOrText
            && !self.faults.contains_key(&column)
            && !self.has_numbers(column)
        {
            self.kinds[column] = CellKind::Text;
            self.turned = true;
            for _ in self.before + 1..self.rows {
                self.category(column, None);
            }
            self.category(column, Some(text));
        } else {
            let fault = self.faults.entry(column).or_insert(BadCells { count: 0, first: vec![] });
            fault.count += 1;
            if fault.first.len() < TOLD {
                fault.first.push((self.rows, text.into()));
            }
        }
        self.block.push(f64::NAN);
        Ok(())
    }

    fn category(&mut self, column: usize, text: Option<&str>) {
        let column = self.texts.entry(column).or_default();
        // beyond the limit the column is refused anyway: stop remembering
        let known = text.is_none_or(|t| column.words.labels.len() <= MOST_CATEGORIES || column.words.find(t).is_some());
        column.words.push(text.filter(|_| known));
        if let (Some(text), None) = (text, &column.number)
            && self.decimal.whole(text.as_bytes()).is_some()
        {
            column.number = Some((self.rows, text.into()));
        }
    }

    /// Whether a number has been read in this column, in the block or before.
    fn has_numbers(&self, column: usize) -> bool {
        let recent = self.block[column.min(self.block.len())..].iter().step_by(self.names.len());
        self.columns[column].iter().chain(recent).any(|x| !x.is_nan())
    }

    fn text<'c>(&self, column: usize, cell: &'c [u8]) -> Result<&'c str> {
        std::str::from_utf8(cell).map_err(|_| {
            let place = self.place.clone().at_row(self.rows).at_column(&self.names[column]);
            not_text(place)
        })
    }

    /// Turns the block's rows into columns, a few columns at a time so that each row's cache lines are used whole.
    fn flush(&mut self) {
        let width = self.names.len();
        for from in (0..width).step_by(8) {
            for column in from..(from + 8).min(width) {
                if matches!(self.kinds[column], CellKind::Number | CellKind::NumberOrText) {
                    self.columns[column].extend(self.block[column.min(self.block.len())..].iter().step_by(width));
                }
            }
        }
        self.block.clear();
    }

    fn reserve(&mut self, rows: usize) {
        for (column, kind) in self.columns.iter_mut().zip(&self.kinds) {
            if matches!(kind, CellKind::Number | CellKind::NumberOrText) {
                column.reserve_exact(rows.saturating_sub(column.len()));
            }
        }
    }
}

/// The remedy for a value that is no usable number.
pub(crate) fn replace_or_missing(text: &str) -> Text {
    text![REPLACE, ", or pass ", OptionName::Missing.set(text), " to take it as missing"]
}
