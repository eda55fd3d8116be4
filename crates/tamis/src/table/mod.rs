//! Tables: columns of numbers with names, and a target.
//!
//! [`read()`] turns a file into a [`Table`]; a [`View`] is the rows of a table that a method may look at.

mod blocks;
pub(crate) mod caller_checks;
pub(crate) mod column;
pub(crate) mod column_source;
pub(crate) mod comparison;
pub mod counts;
mod donor_response;
mod format;
mod input_facts;
mod likely_survival;
mod likely_targets;
mod model;
mod one_hot;
pub mod read;
pub(crate) mod row_noise;
mod row_weights;
mod sample_like_columns;
mod sparse_lines;
mod sparse_table;
pub(crate) mod study;
mod survival;
pub(crate) mod tables_of_other_programs;
mod target;
pub(crate) mod target_cells;
pub(crate) mod target_rule;
mod unused_columns;
mod view;
pub mod write;

pub use blocks::{AveragedRows, BlockLayout, BlockModel, block_means, block_sums};
pub(crate) use caller_checks::first_repeated;
pub use column::{Categories, Column, MISSING};
pub use column_source::{Columns, INFINITE_VALUE, Row};
pub use comparison::{ComparedClasses, RequestedComparison};
pub use format::Format;
pub use input_facts::InputFacts;
pub use likely_survival::LikelyEvent;
pub use likely_targets::{LikelyColumns, LikelyTarget, likely_targets};
pub(crate) use model::CodedTest;
pub use model::{Formula, Model};
pub use one_hot::{MergedColumns, merge_one_hot};
pub use read::feature_groups::{FeatureGroup, FeatureGroups, read_feature_groups};
pub(crate) use read::format_of;
pub use read::open::{ExpansionLimit, Input};
pub use read::sparse::{is_sparse, read_sparse};
pub use read::{ColumnChoice, ReadOptions, SampleFile, StatisticTable, read, read_statistics, score_column};
pub(crate) use row_weights::effective;
pub use row_weights::{RowWeights, WeightKind};
pub use sample_like_columns::sample_like_columns;
pub use sparse_lines::{OwnedSparseLines, SparseLines};
pub use sparse_table::SparseTable;
pub use study::{Covariate, Study};
pub use target::Target;
pub use target_rule::Task;
pub use unused_columns::{SampleColumn, notes_on_unused};
pub use view::View;
pub use write::{Cells, write_reduced};

use crate::base::error::Place;
use crate::base::note::Note;
use crate::base::remedies::{ONE_VALUE_PER_ROW, REPLACE_OR_LEAVE, no_feature, same_name};
use crate::base::{Error, Result, counted};
use std::sync::Arc;

/// Numbers by column, with names and a target.
///
/// ```
/// use tamis::prelude::*;
///
/// let outcome = Target::classes(&[Some("ill"), Some("well"), Some("ill"), Some("well")]);
/// let table = Table::new(vec!["age".into()], vec![vec![61.0, 44.0, 58.0, f64::NAN]], "outcome", outcome)?;
/// assert_eq!((table.n_rows(), table.names().len(), table.target_name()), (4, 1, "outcome"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Table {
    names: Arc<[String]>,
    columns: Vec<Column>,
    study: Study,
    ids: Vec<IdColumn>,
    /// Notes on how the file was read.
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

impl Table {
    /// A table from columns in memory. NaN is a missing value; infinities, columns of different lengths and
    /// repeated names are refused, and so is a target that nothing can be learned from or whose codes are out of range.
    pub fn new<C: Into<Column>>(
        names: Vec<String>,
        columns: Vec<C>,
        target_name: impl Into<String>,
        target: Target,
    ) -> Result<Self> {
        let study = Study { target_name: target_name.into(), target, ..Study::default() };
        let columns = columns.into_iter().map(Into::into).collect();
        let table = Table { names: names.into(), columns, study, ids: vec![], notes: vec![] };
        let place = Place::default();
        table.target().check_codes(&place.clone().at_column(table.target_name()))?;
        table.check_shape(&place)?;
        table.check_finite(&place)?;
        table.check_target(&place)?;
        Ok(table)
    }

    /// The table with a weight per row.
    ///
    /// # Errors
    ///
    /// Another number of weights than rows, and weights that leave a class with fewer than two rows.
    pub fn with_weights(mut self, weights: RowWeights) -> Result<Self> {
        caller_checks::check_length(weights.values.len(), "weight", self.n_rows())?;
        target::check_target_weights(self.target(), &weights.rows(), &Place::default())?;
        self.study.weights = Some(("weight".into(), weights));
        Ok(self)
    }

    /// The table with variables that features are adjusted for; rows in which one is missing are left out.
    ///
    /// # Errors
    ///
    /// Another number of values than rows, an infinite value, and a variable without any value.
    pub fn with_covariates(mut self, covariates: Vec<Covariate>) -> Result<Self> {
        self.study = self.study.with_covariates(covariates)?;
        Ok(self)
    }

    /// The table with blocks: rows of a block (a patient, a donor, a litter) are alike. Rows without one are left out.
    ///
    /// # Errors
    ///
    /// Another number of values than rows, and rows none of which is in a block.
    pub fn with_blocks(mut self, name: impl Into<String>, blocks: Categories) -> Result<Self> {
        self.study = self.study.with_blocks(name, blocks)?;
        Ok(self)
    }

    /// The table with groups of rows that stay together in every split, such as those of a patient.
    ///
    /// # Errors
    ///
    /// Another number of values than rows, and rows none of which is in a group.
    pub fn with_groups(mut self, name: impl Into<String>, groups: Categories) -> Result<Self> {
        self.study = self.study.with_groups(name, groups)?;
        Ok(self)
    }

    /// The table with classes compared as wanted.
    ///
    /// # Errors
    ///
    /// A name that is no class, one class in two roles, and a role that the target's number of classes does not have.
    pub fn compared(&self, wanted: &RequestedComparison) -> Result<Self> {
        let mut table = self.clone();
        table.study = table.study.with_comparison(wanted)?;
        Ok(table)
    }

    /// The table without covariates and blocks.
    pub(crate) fn without_design(mut self) -> Self {
        self.study.covariates.clear();
        self.study.blocks = None;
        self
    }

    /// Columns of one length under names of their own.
    fn check_shape(&self, place: &Place) -> Result<()> {
        if self.names.len() != self.columns.len() {
            let problem =
                format!("{} for {}", counted(self.names.len(), "name"), counted(self.columns.len(), "column"));
            return Err(Error::data(place.clone(), problem, "give one name per column"));
        }
        if let Some(name) = first_repeated(&self.names) {
            return Err(same_name(name, place.clone()));
        }
        if self.columns.is_empty() {
            return Err(no_feature(place.clone()));
        }
        for (name, column) in self.names.iter().zip(&self.columns) {
            if column.len() != self.target().len() {
                let problem = format!("{}, but the target has {}", counted(column.len(), "value"), self.target().len());
                return Err(Error::data(place.clone().at_column(name), problem, ONE_VALUE_PER_ROW));
            }
        }
        Ok(())
    }

    /// No number is infinite.
    fn check_finite(&self, place: &Place) -> Result<()> {
        for (name, column) in self.names.iter().zip(&self.columns) {
            let Some(numbers) = column.numbers() else { continue };
            if let Some(row) = numbers.iter().position(|x| column::is_too_large(*x)) {
                let place = place.clone().at_row(row as u64 + 1).at_column(name);
                return Err(column::too_large("the value", numbers[row], place, REPLACE_OR_LEAVE));
            }
        }
        Ok(())
    }

    /// No value of a feature is missing, nor a group, a block or a covariate.
    fn check_complete(&self, place: &Place) -> Result<()> {
        let mut columns = self.names.iter().zip(&self.columns);
        columns.try_for_each(|(name, column)| column::check_complete(column, name, place, 0))?;
        self.study.check_complete(place)
    }

    /// Something can be learned from the target.
    fn check_target(&self, place: &Place) -> Result<()> {
        self.target().check(&place.clone().at_column(self.target_name()))
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
        self.study.target_name()
    }

    /// The target.
    pub fn target(&self) -> &Target {
        self.study.target()
    }

    /// How many rows there are, with or without a target.
    pub fn n_rows(&self) -> usize {
        self.target().len()
    }

    /// Columns that identify rows.
    pub fn ids(&self) -> &[IdColumn] {
        &self.ids
    }

    /// A weight per row, as it was given, if rows are weighted.
    pub fn weights(&self) -> Option<&RowWeights> {
        self.study.weights()
    }

    /// A group per row, if rows belong together.
    pub fn groups(&self) -> Option<&Categories> {
        self.study.groups()
    }

    /// Variables that features are adjusted for.
    pub fn covariates(&self) -> &[Covariate] {
        self.study.covariates()
    }

    /// Features that are selected whatever the method says.
    pub fn keep(&self) -> &[u32] {
        self.study.keep()
    }

    /// Notes on how the file was read.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}
