//! How a table is understood, before anything is computed: its features, target, covariates and blocks.

use crate::base::{Note, Result, Voice, note};
use crate::score::Scoring;
use crate::table::counts::looks_like_counts;
use crate::table::{BlockLayout, BlockModel, Column, InputFacts, Table, Target, WeightKind, block_means};
use serde::Serialize;
use std::io::{self, Write};

/// A table as `select` would use it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TableDescription {
    /// The input: file, rows, features, target, classes.
    pub input: InputFacts,
    /// Rows of the file; those without a target, covariate or block are not used.
    pub rows_read: usize,
    /// The class that others are compared with, where there are two.
    pub reference: Option<String>,
    /// The range of a numeric target or of survival times.
    pub target_range: Option<[f64; 2]>,
    /// Numeric features.
    pub numeric: usize,
    /// Features that are categories, by name.
    pub categories: Vec<String>,
    /// Features with one value only, which are set aside, by name.
    pub constant: Vec<String>,
    /// Features with missing values, with how many.
    pub missing: Vec<(String, usize)>,
    /// Columns that name rows.
    pub ids: Vec<String>,
    /// Whether rows are weighted.
    pub weighted: bool,
    /// What the weights mean, where there are some.
    pub weight_kind: Option<WeightKind>,
    /// Variables that features are adjusted for.
    pub covariates: Vec<CovariateDescription>,
    /// Blocks of rows.
    pub blocks: Option<BlockDescription>,
    /// The score that `auto` stands for; null where there is no target.
    pub score: Option<&'static str>,
    /// Whether the features look like counts.
    pub counts: bool,
    /// Notes on how the file was read.
    pub notes: Vec<Note>,
}

/// A covariate as it is understood.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CovariateDescription {
    /// Its name.
    pub name: String,
    /// The levels of a factor in sorted order, of which the first is the reference; null for numbers.
    pub levels: Option<Vec<String>>,
    /// The range of numbers.
    pub range: Option<[f64; 2]>,
}

/// Blocks as they are understood.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BlockDescription {
    /// The column.
    pub name: String,
    /// How many there are among the rows used.
    pub count: usize,
    /// `crossed`, `nested` or `mixed`.
    pub layout: &'static str,
}

impl TableDescription {
    /// Describes a table that was read from `file`.
    ///
    /// # Errors
    ///
    /// A design that `select` would refuse too.
    pub fn of(file: &str, table: &Table) -> Result<TableDescription> {
        let data = table.view();
        let has_target = !table.target_name().is_empty();
        let all: Vec<u32> = (0..table.n_rows() as u32).collect();
        let rows = if has_target { data.rows() } else { &all };
        let mut described = TableDescription {
            input: InputFacts::of(file, table.target_name(), &data),
            rows_read: table.n_rows(),
            reference: None,
            target_range: None,
            numeric: table.columns().iter().filter(|column| column.numbers().is_some()).count(),
            categories: vec![],
            constant: vec![],
            missing: vec![],
            ids: table.ids().iter().map(|id| id.name.clone()).collect(),
            weighted: table.weights().is_some(),
            weight_kind: table.weights().map(|weights| weights.kind()),
            covariates: data.covariates().iter().map(|c| CovariateDescription::of(&c.name, &c.values, rows)).collect(),
            blocks: None,
            score: None,
            counts: looks_like_counts(&data).is_some(),
            notes: table.notes().to_vec(),
        };
        described.input.rows = rows.len();
        for (name, column) in table.names().iter().zip(table.columns()) {
            described.add(name, column, rows);
        }
        if has_target {
            described.add_target(table)?;
        }
        Ok(described)
    }

    /// Adds a feature.
    fn add(&mut self, name: &str, column: &Column, rows: &[u32]) {
        if column.numbers().is_none() {
            self.categories.push(name.into());
        }
        let known = || rows.iter().map(|&row| row as usize).filter(|&row| !column.is_missing(row));
        let missing = rows.len() - known().count();
        if missing > 0 {
            self.missing.push((name.into(), missing));
        }
        let first = known().next();
        let same = |row: usize| match (column, first) {
            (Column::Numbers(x), Some(first)) => x[row] == x[first],
            (Column::Categories(c), Some(first)) => c.codes()[row] == c.codes()[first],
            (_, None) => true,
        };
        if known().all(same) {
            self.constant.push(name.into());
        }
    }

    /// Adds the target, the blocks and the score that is made of them.
    fn add_target(&mut self, table: &Table) -> Result<()> {
        let data = table.view();
        match data.target() {
            Target::Classes { labels, positive, .. } if labels.len() == 2 => {
                self.reference = Some(labels[1 - *positive as usize].clone());
            }
            Target::Classes { labels, .. } => {
                self.reference = data.comparison().reference.map(|class| labels[class as usize].clone());
            }
            Target::Real { values } | Target::Survival { times: values, .. } => {
                self.target_range = range(data.rows().iter().map(|&row| values[row as usize]));
            }
        }
        let mut averaged = None;
        if let Some((name, blocks)) = data.blocks() {
            let mut codes: Vec<u32> = data.rows().iter().map(|&row| blocks.codes()[row as usize]).collect();
            codes.sort_unstable();
            codes.dedup();
            let layout = match BlockLayout::of(&data) {
                BlockLayout::Crossed => "crossed",
                BlockLayout::Nested => "nested",
                BlockLayout::Mixed { .. } => "mixed",
            };
            self.blocks = Some(BlockDescription { name: name.into(), count: codes.len(), layout });
            averaged = block_means(&data, BlockModel::Auto)?;
        }
        let view = averaged.as_ref().map_or(data, Table::view);
        self.score = Some(Scoring::default().resolved(&view)?.name());
        Ok(())
    }

    /// The description in the words of a front end.
    pub fn said(mut self, voice: &dyn Voice) -> TableDescription {
        self.notes = note::said(self.notes, voice);
        self
    }

    /// Writes it as JSON.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}

impl CovariateDescription {
    fn of(name: &str, values: &Column, rows: &[u32]) -> CovariateDescription {
        let (levels, range) = match values {
            Column::Numbers(x) => (None, range(rows.iter().map(|&row| x[row as usize]))),
            Column::Categories(c) => {
                let mut levels: Vec<String> =
                    rows.iter().filter_map(|&row| c.get(row as usize)).map(String::from).collect();
                levels.sort_unstable();
                levels.dedup();
                (Some(levels), None)
            }
        };
        CovariateDescription { name: name.into(), levels, range }
    }
}

/// The least and the largest number, where there are any.
fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let known = values.filter(|x| !x.is_nan());
    known.fold(None, |range, x| Some(range.map_or([x, x], |[low, high]: [f64; 2]| [low.min(x), high.max(x)])))
}
