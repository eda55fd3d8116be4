//! The roles of rows and features: target, weights, groups, covariates, blocks, features to keep.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, Result};
use crate::table::caller_checks::{check_length, check_weights};
use crate::table::{Categories, Column, Comparison, MISSING, RequestedComparison, Target};

/// Everything about a study but its features: the target of each row, its weight and group, what is adjusted for, and the
/// features to keep.
#[derive(Debug, Clone, Default)]
pub struct Study {
    pub(super) target_name: String,
    pub(super) target: Target,
    /// The column of events that makes the target survival times.
    pub(super) event_name: Option<String>,
    pub(super) weights: Option<(String, Vec<f64>)>,
    pub(super) groups: Option<(String, Categories)>,
    pub(super) covariates: Vec<Covariate>,
    pub(super) blocks: Option<(String, Categories)>,
    pub(super) comparison: Comparison,
    pub(super) keep: Vec<u32>,
}

/// A variable that features are adjusted for: numbers, or categories as a factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariate {
    /// Its name.
    pub name: String,
    /// One value per row.
    pub values: Column,
}

impl Study {
    /// A target and, where rows are weighted, a weight per row: a row of weight 3 counts as three rows.
    ///
    /// # Errors
    ///
    /// A target that nothing can be learned from or whose codes are out of range; another number of weights than rows;
    /// a weight that is negative, missing or infinite.
    pub fn new(target_name: impl Into<String>, target: Target, weights: Option<Vec<f64>>) -> Result<Study> {
        let weights = weights.map(|w| ("weight".into(), w));
        let study = Study { target_name: target_name.into(), target, weights, ..Study::default() };
        let place = Place::default();
        study.target.check_codes(&place.clone().at_column(&study.target_name))?;
        if let Some(weights) = study.weights() {
            check_length(weights.len(), "weight", study.target.len())?;
            check_weights(weights, &place)?;
        }
        study.target.check_weighted(study.weights(), &place.at_column(&study.target_name))?;
        Ok(study)
    }

    /// Rows without a target: nothing can be learned from them, only predicted.
    pub(super) fn without_target(rows: usize) -> Study {
        Study { target: Target::Real { values: vec![f64::NAN; rows] }, ..Study::default() }
    }

    /// The study with variables that features are adjusted for; rows in which one is missing are left out.
    ///
    /// # Errors
    ///
    /// Another number of values than rows, an infinite value, and a variable without any value.
    pub fn with_covariates(mut self, covariates: Vec<Covariate>) -> Result<Study> {
        self.covariates = covariates;
        self.check_design(&Place::default())?;
        Ok(self)
    }

    /// The study with blocks: rows of a block (a patient, a donor, a litter) are alike. Rows without one are left out.
    ///
    /// # Errors
    ///
    /// Another number of values than rows.
    pub fn with_blocks(mut self, name: impl Into<String>, blocks: Categories) -> Result<Study> {
        self.blocks = Some((name.into(), blocks));
        self.check_design(&Place::default())?;
        Ok(self)
    }

    /// The study with classes compared as wanted.
    ///
    /// # Errors
    ///
    /// A name that is no class, one class in two roles, and a role that the target's number of classes does not have.
    pub fn with_comparison(mut self, wanted: &RequestedComparison) -> Result<Study> {
        self.comparison = self.target.compare(wanted)?;
        Ok(self)
    }

    /// Covariates and blocks that can be used.
    pub(super) fn check_design(&self, place: &Place) -> Result<()> {
        for Covariate { name, values } in &self.covariates {
            check_length(values.len(), "value of a covariate", self.target.len())?;
            let infinite = values.numbers().and_then(|x| x.iter().position(|x| x.is_infinite()));
            if let Some(row) = infinite {
                let place = place.clone().at_row(row as u64 + 1).at_column(name);
                return Err(Error::data(
                    place,
                    "the covariate is infinite",
                    "replace it by a number, or leave it missing",
                ));
            }
            if (0..values.len()).all(|row| values.is_missing(row)) {
                let place = place.clone().at_column(name);
                return Err(Error::data(place, "the covariate is missing in every row", "name another column"));
            }
        }
        match &self.blocks {
            None => Ok(()),
            Some((_, blocks)) => check_length(blocks.codes().len(), "block", self.target.len()),
        }
    }

    /// Whether every covariate and the block of a row are known.
    pub(super) fn has_design(&self, row: usize) -> bool {
        let in_block = self.blocks.as_ref().is_none_or(|(_, blocks)| blocks.codes()[row] != MISSING);
        in_block && self.covariates.iter().all(|covariate| !covariate.values.is_missing(row))
    }

    /// Notes on rows that are not used: those without a target, and those without a block or a covariate.
    pub fn notes_on_rows(&self) -> Vec<Note> {
        let rows = self.target.len();
        let with_target = self.target.labelled_rows();
        let without_design = with_target.iter().filter(|row| !self.has_design(**row as usize)).count();
        let note = |count: usize, kind, lack: &str| {
            (count > 0).then(|| Note::new(kind, format!("{count} of {rows} rows {lack} and are set aside")))
        };
        let no_target = note(rows - with_target.len(), NoteKind::MissingTarget, "have no target");
        let no_design = note(without_design, NoteKind::MissingCovariate, "have no block or lack a covariate");
        no_target.into_iter().chain(no_design).collect()
    }

    /// The target's name.
    pub fn target_name(&self) -> &str {
        &self.target_name
    }

    /// The name of the column of events, where the target is survival times from a file.
    pub fn event_name(&self) -> Option<&str> {
        self.event_name.as_deref()
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// A weight per row, if rows are weighted.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|(_, weights)| weights.as_slice())
    }

    /// A group per row, if rows belong together.
    pub fn groups(&self) -> Option<&Categories> {
        self.groups.as_ref().map(|(_, groups)| groups)
    }

    /// Variables that features are adjusted for.
    pub fn covariates(&self) -> &[Covariate] {
        &self.covariates
    }

    /// The name of the blocks and the block of every row, if there are any.
    pub fn blocks(&self) -> Option<(&str, &Categories)> {
        self.blocks.as_ref().map(|(name, blocks)| (name.as_str(), blocks))
    }

    /// Which of several classes are compared.
    pub fn comparison(&self) -> Comparison {
        self.comparison
    }

    /// Features that are selected whatever the method says.
    pub fn keep(&self) -> &[u32] {
        &self.keep
    }
}
