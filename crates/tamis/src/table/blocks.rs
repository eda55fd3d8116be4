//! Blocks of rows that are alike: how they lie to the target, and their means.

use crate::base::error::Place;
use crate::base::{Error, Note, NoteKind, Result};
use crate::table::donor_response::DonorResponse;
use crate::table::{Categories, Column, Covariate, MISSING, Study, Table, Target, View};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What is done about rows of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BlockModel {
    /// Averaged where the target is constant inside blocks, where classes have five rows or more in a block, and where
    /// blocks respond differently to the classes; else adjusted for.
    #[default]
    Auto,
    /// Rows of a block share one correlation, which all features have in common (limma's `duplicateCorrelation`).
    Correlated,
    /// Blocks are adjusted for.
    Fixed,
    /// Rows of a block, or of a block and class, are averaged.
    Mean,
}

impl fmt::Display for BlockModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BlockModel::Auto => "auto",
            BlockModel::Correlated => "correlated",
            BlockModel::Fixed => "fixed",
            BlockModel::Mean => "mean",
        })
    }
}

/// How blocks lie to the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockLayout {
    /// The target varies inside every block: pairs, litters with several treatments.
    Crossed,
    /// The target is constant inside every block: cells of a donor, visits of a patient. Rows of a block are averaged.
    Nested,
    /// The target varies inside some blocks only.
    Mixed {
        /// Rows of blocks in which it does not.
        constant: usize,
    },
}

impl BlockLayout {
    /// The layout of a view's rows; [`BlockLayout::Crossed`] where there are no blocks.
    pub fn of(data: &View) -> BlockLayout {
        let Some((_, blocks)) = data.blocks() else { return BlockLayout::Crossed };
        let members = Members::of(data, blocks, None);
        let constant = members.rows.iter().filter(|rows| rows.iter().all(|&row| same(data.target(), row, rows[0])));
        match constant.map(Vec::len).sum() {
            0 => BlockLayout::Crossed,
            all if all == data.rows().len() => BlockLayout::Nested,
            constant => BlockLayout::Mixed { constant },
        }
    }
}

/// Rows of a block and class, on average, from which on they are repeated measurements: pairs and litters have fewer.
const ROWS_OF_REPEATS: usize = 5;

/// The rows that are averaged to one: those of a block where the target is constant inside every block, and those of a
/// block and class where there are many of each, such as cells of donors under two conditions: to adjust for donors does
/// not make their cells independent. None where every row is a sample of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AveragedRows {
    /// Of a block.
    OfBlocks,
    /// Of a block and class; blocks stay.
    OfBlocksAndClasses,
}

/// The rows of a view that are averaged, and why where the values say so.
#[derive(Debug, Clone, Copy)]
struct Averaging {
    rows: AveragedRows,
    /// How differently blocks respond to the classes, relative to what rows within a block explain.
    response: Option<f64>,
}

/// From this ratio on blocks respond differently.
const DIFFERENT: f64 = 1.15;

impl Averaging {
    /// What is averaged; `counted` tells that values are counts.
    fn of(data: &View, model: BlockModel, counted: bool) -> Option<Averaging> {
        data.blocks()?;
        let by_layout = |rows| Some(Averaging { rows, response: None });
        if matches!(model, BlockModel::Correlated | BlockModel::Fixed) {
            return None;
        }
        if BlockLayout::of(data) == BlockLayout::Nested {
            return by_layout(AveragedRows::OfBlocks);
        }
        if data.model().is_some() {
            return None;
        }
        let Target::Classes { .. } = data.target() else { return None };
        let both = AveragedRows::OfBlocksAndClasses;
        let samples = Members::of(data, data.blocks()?.1, Some(both)).rows.len();
        match (model, data.rows().len()) {
            (_, rows) if rows == samples => None,
            (BlockModel::Mean, _) => by_layout(both),
            (_, rows) if rows >= ROWS_OF_REPEATS * samples => by_layout(both),
            _ if data.n_compared() != Some(2) || varies_in_samples(data) => None,
            _ => match DonorResponse::of(data, counted) {
                DonorResponse::Unknown => by_layout(both),
                DonorResponse::Ratio(ratio) => {
                    (ratio > DIFFERENT).then_some(Averaging { rows: both, response: Some(ratio) })
                }
            },
        }
    }
}

/// Whether a covariate of text varies inside a block and class, so that its rows cannot be averaged.
fn varies_in_samples(data: &View) -> bool {
    let Some((_, blocks)) = data.blocks() else { return false };
    let members = Members::of(data, blocks, Some(AveragedRows::OfBlocksAndClasses));
    data.covariates().iter().any(|covariate| match &covariate.values {
        Column::Numbers(_) => false,
        Column::Categories(c) => members
            .rows
            .iter()
            .any(|rows| rows.iter().any(|&row| c.codes()[row as usize] != c.codes()[rows[0] as usize])),
    })
}

impl AveragedRows {
    /// What is averaged in a view.
    pub fn of(data: &View, model: BlockModel) -> Option<AveragedRows> {
        Averaging::of(data, model, false).map(|averaging| averaging.rows)
    }

    /// What stands in a note for the rows of these samples.
    fn words(self, data: &View, samples: usize) -> String {
        let name = data.blocks().map_or("", |(name, _)| name);
        match self {
            AveragedRows::OfBlocks => format!("{samples} blocks (`{name}`)"),
            AveragedRows::OfBlocksAndClasses => {
                format!("{samples} combinations of `{name}` and `{}`", data.target_name())
            }
        }
    }
}

/// Whether two rows have the same target.
fn same(target: &Target, a: u32, b: u32) -> bool {
    let (a, b) = (a as usize, b as usize);
    match target {
        Target::Classes { codes, .. } => codes[a] == codes[b],
        Target::Real { values } => values[a] == values[b],
        Target::Survival { times, events } => times[a] == times[b] && events[a] == events[b],
    }
}

/// The rows of every block that has any, or of every block and class.
struct Members {
    /// The block of each.
    codes: Vec<u32>,
    rows: Vec<Vec<u32>>,
}

impl Members {
    fn of(data: &View, blocks: &Categories, averaged: Option<AveragedRows>) -> Members {
        let class = |row: u32| match (averaged, data.target()) {
            (Some(AveragedRows::OfBlocksAndClasses), Target::Classes { codes, .. }) => codes[row as usize],
            _ => 0,
        };
        let mut rows: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for &row in data.rows() {
            rows.entry((blocks.codes()[row as usize], class(row))).or_default().push(row);
        }
        let (codes, rows) = rows.into_iter().map(|((code, _), rows)| (code, rows)).unzip();
        Members { codes, rows }
    }
}

/// A table with a row per block, or per block and class: features and numeric covariates are averaged over the rows that
/// have them, categories stand by their most frequent level. Weights count as so many rows. None where no rows are averaged.
///
/// # Errors
///
/// A covariate of text that varies inside a block.
pub fn block_means(data: &View, model: BlockModel) -> Result<Option<Table>> {
    Averaging::of(data, model, false).map(|averaging| blocks_as_rows(data, averaging, false)).transpose()
}

/// Like [`block_means`] with features summed, as counts of a donor's cells are. Values that are missing count as 0.
///
/// # Errors
///
/// As [`block_means`].
pub fn block_sums(data: &View, model: BlockModel) -> Result<Option<Table>> {
    Averaging::of(data, model, true).map(|averaging| blocks_as_rows(data, averaging, true)).transpose()
}

/// What is done to the rows, and how to have it otherwise.
fn note(data: &View, averaging: Averaging, samples: usize, summed: bool) -> Note {
    let (what, done) = if summed { ("counts of ", "summed") } else { ("", "averaged") };
    let (rows, words) = (data.rows().len(), averaging.rows.words(data, samples));
    let name = data.blocks().map_or("", |(name, _)| name);
    let mut text = match averaging.response {
        None => String::new(),
        Some(ratio) => format!(
            "blocks (`{name}`) respond differently to `{}`: {ratio:.1} times what rows within them explain; ",
            data.target_name()
        ),
    };
    text += &format!("{what}{rows} rows of {words} are {done} and used as {samples} samples");
    if averaging.rows == AveragedRows::OfBlocksAndClasses {
        text += &format!("; if each row is a sample of its own, give `{name}` as a covariate instead");
    }
    Note::new(NoteKind::Blocks, text)
}

fn blocks_as_rows(data: &View, averaging: Averaging, summed: bool) -> Result<Table> {
    let Some((block_name, blocks)) = data.blocks() else {
        return Err(Error::data(Place::default(), "there are no blocks", "name the column of blocks"));
    };
    let members = Members::of(data, blocks, Some(averaging.rows));
    let weight = |row: u32| data.weights().map_or(1.0, |w| w[row as usize]);
    let sum = |x: &[f64], rows: &[u32]| -> f64 {
        rows.iter().filter(|&&row| !x[row as usize].is_nan()).map(|&row| weight(row) * x[row as usize]).sum()
    };
    let feature = |column: &Column, averaged: &dyn Fn(&Column) -> Column| match column {
        Column::Numbers(x) if summed => Column::Numbers(members.rows.iter().map(|rows| sum(x, rows)).collect()),
        other => averaged(other),
    };
    let averaged = |column: &Column| match column {
        Column::Numbers(x) => Column::Numbers(members.rows.iter().map(|rows| mean(x, rows, &weight)).collect()),
        Column::Categories(c) => {
            let codes = members.rows.iter().map(|rows| most_frequent(c, rows, &weight)).collect();
            Column::Categories(c.recoded(codes))
        }
    };
    let label = |at: usize| blocks.labels()[members.codes[at] as usize].as_str();
    for Covariate { name, values } in data.covariates() {
        let Column::Categories(c) = values else { continue };
        let varies = |rows: &Vec<u32>| rows.iter().any(|&row| c.codes()[row as usize] != c.codes()[rows[0] as usize]);
        if let Some(at) = members.rows.iter().position(varies) {
            let problem = format!("the covariate has several values in the block `{}` of `{block_name}`", label(at));
            let remedy = "a block whose rows are averaged needs one value: leave the covariate or the blocks out";
            return Err(Error::data(Place::default().at_column(name), problem, remedy));
        }
    }
    let firsts: Vec<u32> = members.rows.iter().map(|rows| rows[0]).collect();
    let covariates =
        data.covariates().iter().map(|c| Covariate { name: c.name.clone(), values: averaged(&c.values) }).collect();
    let study = Study {
        target_name: data.target_name().into(),
        target: data.target().of_rows(&firsts),
        covariates,
        blocks: (averaging.rows == AveragedRows::OfBlocksAndClasses)
            .then(|| (block_name.to_string(), blocks.recoded(members.codes.clone()))),
        comparison: data.comparison(),
        keep: data.keep().to_vec(),
        model: data.model().cloned(),
        rows_are_samples: true,
        row_names: (averaging.rows == AveragedRows::OfBlocks)
            .then(|| (0..members.rows.len()).map(|at| label(at).to_string()).collect()),
        ..Study::default()
    };
    let columns = (0..data.n_features()).map(|at| feature(&data.column(at), &averaged)).collect();
    let mut table = Table { names: data.names().clone(), columns, study, ids: vec![], notes: vec![] };
    table.notes.push(note(data, averaging, members.rows.len(), summed));
    table.check_target(&Place::default())?;
    Ok(table)
}

/// The mean of the values that are not missing.
fn mean(values: &[f64], rows: &[u32], weight: &dyn Fn(u32) -> f64) -> f64 {
    let known = rows.iter().filter(|&&row| !values[row as usize].is_nan());
    let (mut sum, mut total, mut first) = (0.0, 0.0, None);
    for &row in known {
        let first = *first.get_or_insert(values[row as usize]);
        sum += weight(row) * (values[row as usize] - first);
        total += weight(row);
    }
    first.map_or(f64::NAN, |first| first + sum / total)
}

/// The most frequent level, of equal ones the first.
fn most_frequent(column: &Categories, rows: &[u32], weight: &dyn Fn(u32) -> f64) -> u32 {
    let mut counts = vec![0.0; column.labels().len()];
    for &row in rows {
        let code = column.codes()[row as usize];
        if code != MISSING {
            counts[code as usize] += weight(row);
        }
    }
    let mut best = (0.0, MISSING);
    for (code, count) in (0..).zip(counts) {
        if count > best.0 {
            best = (count, code);
        }
    }
    best.1
}
