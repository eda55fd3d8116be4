//! Tables: columns of numbers with names, and a target.
//!
//! [`read`] turns a file into a [`Table`]; a [`View`] is the rows of a table that a method may look at.

mod arff;
mod column;
#[cfg(feature = "parquet")]
pub(crate) mod columnar;
#[cfg(not(feature = "parquet"))]
#[path = "columnar/absent.rs"]
mod columnar;
mod csv;
mod format;
mod libsvm;
mod lines;
mod npy;
mod npz;
mod number;
mod open;
pub(crate) mod parts;
pub(crate) mod pieces;
pub(crate) mod records;
pub(crate) mod rows;
pub mod source;
pub(crate) mod target;
mod view;
mod write;
mod zip;

pub use column::{Categories, Column};
pub use format::Format;
pub use open::{ExpansionLimit, Input};
pub use source::Source;
pub use target::{MISSING, Target, Task};
pub use view::View;
pub use write::{Cells, write_reduced};

use crate::error::Place;
use crate::note::Note;
use crate::{Error, Progress, Result};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// Numbers by column, with names and a target.
#[derive(Debug, Clone)]
pub struct Table {
    names: Arc<[String]>,
    columns: Vec<Column>,
    target_name: String,
    target: Target,
    ids: Vec<IdColumn>,
    weights: Option<(String, Vec<f64>)>,
    groups: Option<(String, Categories)>,
    keep: Vec<u32>,
    /// What reading the file had to decide.
    notes: Vec<Note>,
}

/// A column that identifies rows; it is carried along, never looked at.
#[derive(Debug, Clone)]
pub struct IdColumn {
    /// The column's name; empty for row names without a header.
    pub name: String,
    /// One text per row.
    pub values: Vec<String>,
}

/// What to read from a file, and how to understand it.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The column to explain; may be empty where the format has one of its own (libsvm, npy, npz).
    pub target: String,
    /// Columns that identify rows.
    pub ids: Vec<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Columns that are selected whatever the method says.
    pub keep: Vec<String>,
    /// Read these features and no others; the target may then be absent, for rows whose target is not known.
    pub only: Option<Vec<String>>,
    /// Every column is a feature and none the target.
    pub no_target: bool,
    /// The column of row weights: a row of weight 3 counts as three rows.
    pub weight: Option<String>,
    /// The column of groups: rows of a group belong together.
    pub group: Option<String>,
    /// Further texts that mean *missing*, beside an empty cell, `NA`, `NaN` and `?`.
    pub missing: Vec<String>,
    /// Refuse a file in which any feature has a missing value.
    pub refuse_missing: bool,
    /// The format; by the file's ending if `None`.
    pub format: Option<Format>,
    /// The field separator; guessed if `None`.
    pub delimiter: Option<u8>,
    /// Classes or a number; decided from the data if `None`.
    pub task: Option<Task>,
    /// The class that counts as positive; the last in sorted order if `None`.
    pub positive: Option<String>,
    /// How far a compressed file may expand.
    pub expansion: ExpansionLimit,
}

impl ReadOptions {
    /// The defaults, for this target.
    pub fn target(name: impl Into<String>) -> Self {
        ReadOptions {
            target: name.into(),
            ids: vec![],
            drop: vec![],
            keep: vec![],
            only: None,
            no_target: false,
            weight: None,
            group: None,
            missing: vec![],
            refuse_missing: false,
            format: None,
            delimiter: None,
            task: None,
            positive: None,
            expansion: ExpansionLimit::default(),
        }
    }
}

/// Reads a table from a file (plain, gzip or zstd) or from standard input.
///
/// Cost: one pass over the file; memory is that of the numbers.
pub fn read(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let place = Place::file(input.name());
    let table = match format_of(&input, options)? {
        Format::Csv | Format::Tsv => csv::read_table(input, options, progress),
        Format::Libsvm => libsvm::read_table(input, options, progress),
        Format::Arff => arff::read_table(input, options, progress),
        Format::Npy => npy::read_table(input, options, progress),
        Format::Npz => npz::read_table(input, options, progress),
        format @ (Format::Parquet | Format::Arrow) => columnar::read_table(input, format, options, progress),
    }?;
    if options.refuse_missing {
        table.check_complete(&place)?;
    }
    Ok(table)
}

/// A column of scores read from a file, with what identifies its rows.
#[derive(Debug, Clone)]
pub struct ScoreColumn {
    /// One score per row; NaN where missing.
    pub scores: Vec<f64>,
    /// A name per row: the `id` column's, or the row names', or the row numbers.
    pub names: Vec<String>,
    /// What reading the file had to decide.
    pub notes: Vec<Note>,
}

/// Reads one column of scores; `options.target` names it, and the first of `options.ids` names the rows.
pub fn read_scores(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<ScoreColumn> {
    match format_of(&input, options)? {
        Format::Csv | Format::Tsv => csv::read_scores(input, options, progress),
        format @ (Format::Parquet | Format::Arrow) => columnar::read_scores(input, format, options, progress),
        format @ (Format::Libsvm | Format::Arff | Format::Npy | Format::Npz) => {
            let reason = format!("scores are not read from {format}; give a CSV, TSV, Parquet or Arrow file");
            Err(Error::Read { file: input.name().into(), reason })
        }
    }
}

/// The format of an input: as asked for, or by its ending. A delimiter for a format without one is refused.
pub(crate) fn format_of(input: &Input, options: &ReadOptions) -> Result<Format> {
    let format = options.format.unwrap_or_else(|| Format::of_path(Path::new(input.name())));
    match options.delimiter {
        Some(c) if !matches!(format, Format::Csv | Format::Tsv) => {
            let expected = format!("a file in the format {format} has no delimiter; leave it out");
            Err(Error::parameter("--delimiter", char::from(c), expected))
        }
        _ => Ok(format),
    }
}

impl Table {
    /// A table from columns in memory. NaN is a missing value; infinities, columns of different lengths and
    /// repeated names are refused, and so is a target that nothing can be learned from.
    pub fn new<C: Into<Column>>(
        names: Vec<String>,
        columns: Vec<C>,
        target_name: impl Into<String>,
        target: Target,
    ) -> Result<Self> {
        let table = Table {
            names: names.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            target_name: target_name.into(),
            target,
            ids: vec![],
            weights: None,
            groups: None,
            keep: vec![],
            notes: vec![],
        };
        let place = Place::default();
        table.check_shape(&place)?;
        table.check_finite(&place)?;
        table.check_target(&place)?;
        Ok(table)
    }

    /// The same table with a weight per row: a row of weight 3 counts as three rows.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.n_rows() {
            let problem = format!("{} weights for {} rows", weights.len(), self.n_rows());
            return Err(Error::data(Place::default(), problem, "give one weight per row"));
        }
        parts::check_weights(&weights, &Place::default())?;
        parts::check_class_weights(&self.target, &weights, &Place::default())?;
        self.weights = Some(("weight".into(), weights));
        Ok(self)
    }

    /// Columns of one length under names of their own.
    fn check_shape(&self, place: &Place) -> Result<()> {
        if self.names.len() != self.columns.len() {
            let problem = format!("{} names for {} columns", self.names.len(), self.columns.len());
            return Err(Error::data(place.clone(), problem, "give one name per column"));
        }
        if let Some(name) = first_repeated(&self.names) {
            return Err(Error::data(place.clone(), format!("two columns are called `{name}`"), "rename one of them"));
        }
        if self.columns.is_empty() {
            return Err(Error::data(place.clone(), "there is no feature beside the target", "add columns"));
        }
        for (name, column) in self.names.iter().zip(&self.columns) {
            if column.len() != self.target.len() {
                let problem = format!("{} values, but the target has {}", column.len(), self.target.len());
                return Err(Error::data(place.clone().at_column(name), problem, "give one value per row"));
            }
        }
        Ok(())
    }

    /// No number is infinite.
    fn check_finite(&self, place: &Place) -> Result<()> {
        for (name, column) in self.names.iter().zip(&self.columns) {
            if let Some(row) = column.numbers().and_then(|x| x.iter().position(|x| x.is_infinite())) {
                let place = place.clone().at_row(row as u64 + 1).at_column(name);
                return Err(Error::data(place, "the value is infinite", "replace it by a number, or leave it missing"));
            }
        }
        Ok(())
    }

    /// No value of a feature is missing.
    fn check_complete(&self, place: &Place) -> Result<()> {
        for (name, column) in self.names.iter().zip(&self.columns) {
            pieces::check_complete(column, name, place, 0)?;
        }
        Ok(())
    }

    /// Something can be learned from the target.
    fn check_target(&self, place: &Place) -> Result<()> {
        self.target.check(&place.clone().at_column(&self.target_name))
    }

    /// All rows that have a target.
    pub fn view(&self) -> View<'_> {
        View::new(self)
    }

    /// The features' names.
    pub fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    /// The features.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The feature of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.names.iter().position(|n| n == name).map(|at| &self.columns[at])
    }

    /// The target's name.
    pub fn target_name(&self) -> &str {
        &self.target_name
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// How many rows there are, with or without a target.
    pub fn n_rows(&self) -> usize {
        self.target.len()
    }

    /// Columns that identify rows.
    pub fn ids(&self) -> &[IdColumn] {
        &self.ids
    }

    /// A weight per row, if rows are weighted.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|(_, weights)| weights.as_slice())
    }

    /// A group per row, if rows belong together.
    pub fn groups(&self) -> Option<&Categories> {
        self.groups.as_ref().map(|(_, groups)| groups)
    }

    /// Features that are selected whatever the method says.
    pub fn keep(&self) -> &[u32] {
        &self.keep
    }

    /// What reading the file had to decide.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

fn first_repeated(names: &[String]) -> Option<&String> {
    let mut seen = HashSet::with_capacity(names.len());
    names.iter().find(|name| !seen.insert(name.as_str()))
}
