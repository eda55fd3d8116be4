//! A table from delimited text.
//!
//! Most cells of most files are plain numbers, so those are parsed where they stand ([`number::leading`]) into
//! a block of rows, and a full block is turned into columns. Every other cell takes the long way.

use super::records::{Record, Records};
use super::target::Labels;
use super::{IdColumn, Input, ReadOptions, ScoreColumn, Table, number};
use crate::error::Place;
use crate::note::{Note, NoteKind};
use crate::{Error, Progress, Result};
use memchr::memchr;
use std::collections::BTreeMap;

/// What a column of the file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Number,
    Target,
    /// Position among the identifying columns.
    Id(usize),
    Skip,
}

/// Cells of a column that are neither numbers nor missing.
struct Fault {
    count: u64,
    row: u64,
    text: String,
}

struct Reader<'o> {
    options: &'o ReadOptions,
    names: Vec<String>,
    roles: Vec<Role>,
    /// Columns that are not numbers, ascending, closed by the number of columns.
    special: Vec<usize>,
    place: Place,
    /// Rows of numbers not yet turned into columns.
    block: Vec<f64>,
    block_rows: usize,
    rows: u64,
    columns: Vec<Vec<f64>>,
    labels: Labels,
    ids: Vec<IdColumn>,
    faults: BTreeMap<usize, Fault>,
    notes: Vec<Note>,
}

pub(super) fn read_table(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let mut records = Records::open(input, options.expansion, options.delimiter)?;
    let mut reader = Reader::new(&mut records, options, progress)?;
    reader.assign_table()?;
    reader.read(records, progress)?;
    let Reader { names, roles, columns, labels, ids, mut notes, place, .. } = reader;
    let (mut target, rule) = labels.into_target(options.task, &place.clone().at_column(&options.target))?;
    if let Some(label) = &options.positive {
        target = target.with_positive(label)?;
    }
    let rows = target.len();
    let labelled = target.labelled_rows().len();
    notes.push(Note::new(NoteKind::TargetRule, format!("target `{}` is taken as {rule}", options.target)));
    if labelled < rows {
        let text = format!("{} of {rows} rows have no target and are set aside", rows - labelled);
        notes.push(Note::new(NoteKind::MissingTarget, text));
    }
    let kept = |role: &Role| *role == Role::Number;
    let names: Vec<String> = names.into_iter().zip(&roles).filter(|(_, r)| kept(r)).map(|(n, _)| n).collect();
    let columns: Vec<Vec<f64>> = columns.into_iter().zip(&roles).filter(|(_, r)| kept(r)).map(|(c, _)| c).collect();
    let table = Table { names: names.into(), columns, target_name: options.target.clone(), target, ids, notes };
    table.check(&place)?;
    Ok(table)
}

pub(super) fn read_scores(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<ScoreColumn> {
    let mut records = Records::open(input, options.expansion, options.delimiter)?;
    let mut reader = Reader::new(&mut records, options, progress)?;
    reader.assign_scores()?;
    reader.read(records, progress)?;
    let Reader { columns, roles, mut ids, notes, rows, .. } = reader;
    let names = match ids.pop() {
        Some(id) => id.values,
        None => (1..=rows).map(|r| r.to_string()).collect(),
    };
    let scores = columns.into_iter().zip(roles).find(|(_, role)| *role == Role::Number);
    Ok(ScoreColumn { scores: scores.map(|(column, _)| column).unwrap_or_default(), names, notes })
}

impl<'o> Reader<'o> {
    /// Reads the header, and looks at the first row to see whether row names stand before the columns.
    fn new(records: &mut Records, options: &'o ReadOptions, progress: &mut dyn Progress) -> Result<Self> {
        let place = Place::file(records.name());
        let empty =
            || Error::data(place.clone(), "the file is empty", "it needs a line of column names and rows below");
        let mut names = Vec::new();
        {
            let header = loop {
                let record = records.next(progress)?.ok_or_else(empty)?;
                if !record.bytes.trim_ascii().is_empty() {
                    break record;
                }
            };
            for (i, field) in header.fields().enumerate() {
                let name = String::from_utf8(field.into_owned()).map_err(|_| {
                    let problem = format!("the name of column {} is not UTF-8 text", i + 1);
                    Error::data(place.clone(), problem, "save the file as UTF-8")
                })?;
                names.push(name);
            }
        }
        let numbers: Vec<f64> = names.iter().filter_map(|n| number::whole(n.as_bytes())).collect();
        if numbers.len() == names.len() && numbers.iter().any(|x| x.is_nan() || x.fract() != 0.0) {
            return Err(Error::data(
                place,
                "the first line holds numbers, not column names",
                "add a line with the columns' names at the top",
            ));
        }
        Ok(Reader {
            options,
            names,
            roles: vec![],
            special: vec![],
            place,
            block: vec![],
            block_rows: 0,
            rows: 0,
            columns: vec![],
            labels: Labels::default(),
            ids: vec![],
            faults: BTreeMap::new(),
            notes: vec![],
        })
    }

    fn position(&self, name: &str) -> Result<usize> {
        self.names.iter().position(|n| n == name).ok_or_else(|| Error::Unknown {
            kind: "column",
            name: name.into(),
            known: self.names.clone(),
        })
    }

    fn assign_table(&mut self) -> Result<()> {
        if let Some(name) = super::first_repeated(&self.names) {
            let remedy = "rename one of them, so that a result can say which is meant";
            return Err(Error::data(self.place.clone(), format!("two columns are called `{name}`"), remedy));
        }
        self.roles = vec![Role::Number; self.names.len()];
        for name in &self.options.drop {
            let at = self.position(name)?;
            self.roles[at] = Role::Skip;
        }
        for name in &self.options.ids {
            let at = self.position(name)?;
            self.add_id(at);
        }
        let target = self.position(&self.options.target)?;
        if self.roles[target] != Role::Number {
            let expected = "it is dropped or identifies rows as well; name it once";
            return Err(Error::parameter("--target", &self.options.target, expected));
        }
        self.roles[target] = Role::Target;
        if self.names[0].is_empty() && self.roles[0] == Role::Number {
            self.add_id(0);
            self.notes.push(Note::new(NoteKind::RowNames, "the first column has no name and is taken as row names"));
        }
        Ok(())
    }

    fn assign_scores(&mut self) -> Result<()> {
        self.roles = vec![Role::Skip; self.names.len()];
        let column = if self.options.target.is_empty() && self.names.len() == 1 {
            0
        } else if self.options.target.is_empty() {
            let few: Vec<String> = self.names.iter().take(12).map(|n| format!("`{n}`")).collect();
            let more = if self.names.len() > few.len() { ", …" } else { "" };
            let (count, few) = (self.names.len(), few.join(", "));
            let expected = format!("the file has {count} columns ({few}{more}); say which holds the scores");
            return Err(Error::parameter("--column", "left out", expected));
        } else {
            self.position(&self.options.target)?
        };
        self.roles[column] = Role::Number;
        if let Some(name) = self.options.ids.first() {
            let at = self.position(name)?;
            if at == column {
                return Err(Error::parameter("--id", name, "it is the column of scores"));
            }
            self.add_id(at);
        } else if column > 0 && self.names[0].is_empty() {
            self.add_id(0);
            self.notes.push(Note::new(NoteKind::RowNames, "the first column has no name and is taken as the names"));
        }
        Ok(())
    }

    fn add_id(&mut self, at: usize) {
        self.roles[at] = Role::Id(self.ids.len());
        self.ids.push(IdColumn { name: self.names[at].clone(), values: vec![] });
    }

    /// A column of row names that the header does not count, as R writes them.
    fn prepend_row_names(&mut self) {
        self.names.insert(0, String::new());
        self.roles.insert(0, Role::Skip);
        if self.ids.is_empty() {
            self.add_id(0);
        }
        let text = "every row has one field more than the header: the first is taken as row names";
        self.notes.push(Note::new(NoteKind::RowNames, text));
    }

    fn read(&mut self, mut records: Records, progress: &mut dyn Progress) -> Result<()> {
        let delimiter = records.delimiter;
        let mut reserved = false;
        let mut width = 0;
        while let Some(record) = records.next(progress)? {
            if record.bytes.is_empty() && self.names.len() > 1 {
                continue;
            }
            if width == 0 {
                if record.fields().count() == self.names.len() + 1 {
                    self.prepend_row_names();
                }
                width = self.names.len();
                self.special = (0..width).filter(|&c| self.roles[c] != Role::Number).chain([width]).collect();
                self.columns = vec![vec![]; width];
                self.block_rows = (65_536 / width).clamp(16, 4096);
                self.block = Vec::with_capacity(self.block_rows * width);
            }
            self.rows += 1;
            let found = if record.quoted { self.quoted_row(record)? } else { self.plain_row(record.bytes, delimiter)? };
            if found != width {
                return Err(self.ragged(found, width));
            }
            if self.block.len() == self.block_rows * width {
                self.flush();
                if !reserved {
                    reserved = true;
                    if let Some(rows) = records.expected(self.rows as usize, width) {
                        self.reserve(rows);
                    }
                }
            }
        }
        if self.rows == 0 {
            let problem = "there is a line of column names but no row below it";
            return Err(Error::data(self.place.clone(), problem, "add data"));
        }
        self.flush();
        self.check_faults()
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
            } else if let Some((value, taken)) = number::leading(rest, delimiter) {
                self.block.push(value);
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

    /// The same for a record with quotes in it.
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
        let missing = matches!(trimmed, b"" | b"NA" | b"NaN" | b"?")
            || self.options.missing.iter().any(|m| m.as_bytes() == trimmed);
        match self.roles[column] {
            Role::Skip => self.block.push(f64::NAN),
            Role::Target => {
                self.block.push(f64::NAN);
                let text = if missing { None } else { Some(self.text(column, cell)?) };
                self.labels.push(text);
            }
            Role::Id(i) => {
                self.block.push(f64::NAN);
                let text = self.text(column, cell)?.to_owned();
                self.ids[i].values.push(text);
            }
            Role::Number if missing => self.block.push(f64::NAN),
            Role::Number => match number::whole(trimmed) {
                Some(x) if x.is_infinite() => {
                    let place = self.place.clone().at_row(self.rows).at_column(&self.names[column]);
                    let text = String::from_utf8_lossy(trimmed);
                    let remedy = format!("replace it by a number, or pass `--missing {text}` to take it as missing");
                    return Err(Error::data(place, format!("`{text}` is infinite"), remedy));
                }
                Some(x) => self.block.push(x),
                None => {
                    self.block.push(f64::NAN);
                    let text = self.text(column, cell)?.trim().to_owned();
                    let fault = self.faults.entry(column).or_insert(Fault { count: 0, row: self.rows, text });
                    fault.count += 1;
                }
            },
        }
        Ok(())
    }

    fn text<'c>(&self, column: usize, cell: &'c [u8]) -> Result<&'c str> {
        std::str::from_utf8(cell).map_err(|_| {
            let place = self.place.clone().at_row(self.rows).at_column(&self.names[column]);
            Error::data(place, "the cell is not UTF-8 text", "save the file as UTF-8")
        })
    }

    /// Turns the block's rows into columns, a few columns at a time so that each row's cache lines are used whole.
    fn flush(&mut self) {
        let width = self.names.len();
        for from in (0..width).step_by(8) {
            let to = (from + 8).min(width);
            for column in from..to {
                if self.roles[column] == Role::Number {
                    self.columns[column].extend(self.block[column..].iter().step_by(width));
                }
            }
        }
        self.block.clear();
    }

    fn reserve(&mut self, rows: usize) {
        for (column, role) in self.columns.iter_mut().zip(&self.roles) {
            if *role == Role::Number {
                column.reserve_exact(rows.saturating_sub(column.len()));
            }
        }
    }

    fn ragged(&self, found: usize, width: usize) -> Error {
        let problem = format!("the row has {found} fields, the header {width}");
        let remedy = if found < width {
            "complete the row, or check the delimiter (`--delimiter`)"
        } else {
            "quote fields that contain the delimiter, or check it (`--delimiter`)"
        };
        Error::data(self.place.clone().at_row(self.rows), problem, remedy)
    }

    /// Refuses columns with text in them: all text, or text among numbers.
    fn check_faults(&self) -> Result<()> {
        let Some((&column, fault)) = self.faults.iter().next() else { return Ok(()) };
        let (name, text, row, count) = (&self.names[column], &fault.text, fault.row, fault.count);
        let numbers = self.columns[column].iter().any(|x| !x.is_nan());
        let problem = match (numbers, count) {
            (false, _) => format!("it holds text, not numbers (first: row {row}, `{text}`)"),
            (true, 1) => format!("1 value is not a number: `{text}` in row {row}"),
            (true, _) => format!("{count} values are not numbers (first: `{text}` in row {row})"),
        };
        let decimal_comma = text.contains(',') && number::whole(text.replacen(',', ".", 1).as_bytes()).is_some();
        let mut remedy = if decimal_comma {
            "write numbers with a decimal point".to_string()
        } else if numbers {
            format!("pass `--missing {}` if it means missing, or `--drop {}`", shell(text), shell(name))
        } else {
            format!("pass `--drop {0}` to leave it out, or `--id {0}` if it names the rows", shell(name))
        };
        let others: Vec<String> = self.faults.keys().skip(1).take(4).map(|c| format!("`{}`", self.names[*c])).collect();
        if !others.is_empty() {
            let more = if self.faults.len() > 5 { ", …" } else { "" };
            remedy.push_str(&format!(" ({} more such columns: {}{more})", self.faults.len() - 1, others.join(", ")));
        }
        Err(Error::data(self.place.clone().at_column(name), problem, remedy))
    }
}

/// The text as it must be typed in a shell.
fn shell(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.into() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
