//! The roles of rows and features: target, weights, groups, covariates, blocks, features to keep.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::remedies::REPLACE_OR_LEAVE;
use crate::base::{Error, Result, Text, plural, some_of};
use crate::table::caller_checks::check_length;
use crate::table::column::{check_complete, is_too_large_to_square, missing_value, too_large};
use crate::table::row_noise::RowNoise;
use crate::table::target_rule;
use crate::table::{
    Categories, CodedTest, Column, ComparedClasses, MISSING, Model, RequestedComparison, RowWeights, Target,
};
use std::sync::Arc;

/// Everything about a study but its features: the target of each row, its weight and group, what is adjusted for, and the
/// features to keep.
///
/// ```
/// use tamis::prelude::*;
///
/// let study = Study::default().with_covariates(vec![])?;
/// assert!(study.covariates().is_empty());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Study {
    pub(super) target_name: String,
    pub(super) target: Target,
    /// What the target is treated as and why, in words, where no reader of files has said so.
    pub(super) rule: Option<Text>,
    /// The column of events that makes the target survival times.
    pub(super) event_name: Option<String>,
    /// The name of their column, and the weights.
    pub(super) weights: Option<(String, RowWeights)>,
    pub(super) groups: Option<(String, Categories)>,
    pub(super) covariates: Vec<Covariate>,
    pub(super) blocks: Option<(String, Categories)>,
    pub(super) comparison: ComparedClasses,
    pub(super) keep: Vec<u32>,
    /// Whether rows are samples by the layout of the file, which names them in its header or in a file of samples.
    pub(super) rows_are_samples: bool,
    /// The linear model whose test is wanted; its variables are the target and the covariates.
    pub(super) model: Option<Model>,
    /// Where the target is such a test.
    pub(super) coded: Option<CodedTest>,
    /// Library sizes of the rows, where values are log counts that are to have precisions of their own.
    pub(super) library_sizes: Option<Vec<f64>>,
    /// What rows are called, where the file says so.
    pub(super) row_names: Option<Arc<[String]>>,
    /// How the noise of rows differs, where that was estimated.
    pub(super) row_noise: Option<RowNoise>,
}

/// The word for a row of a table whose rows have no other.
pub(crate) const ROW: &str = "row";
/// The word for a row that is a sample by the layout of the file.
pub(crate) const SAMPLE: &str = "sample";

/// What rows lack that are set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lacks {
    /// The target.
    Target,
    /// The group that stays together in splits.
    Group,
    /// The block.
    Block,
    /// A covariate.
    Covariate,
}

impl Lacks {
    /// The note on so many of all rows, which lack one of these, if there are any; `noun` is what a row is called.
    pub(crate) fn note(these: &[Lacks], count: u64, rows: u64, noun: &str) -> Option<Note> {
        let kind = match these {
            [Lacks::Target] => NoteKind::MissingTarget,
            _ => NoteKind::MissingCovariate,
        };
        let what: Vec<&str> = these.iter().map(|lacks| lacks.words()).collect();
        let (last, before) = what.split_last().filter(|_| count > 0)?;
        let or = if before.is_empty() { "" } else { " or " };
        let some = some_of(count, rows, &format!("{noun}s"), ["has", "have"]);
        let are = plural(count, "is", "are");
        Some(Note::new(kind, format!("{some} {}{or}{last} and {are} set aside", before.join(", "))))
    }

    fn words(self) -> &'static str {
        match self {
            Lacks::Target => "no target",
            Lacks::Group => "no group",
            Lacks::Block => "no block",
            Lacks::Covariate => "no value of a covariate",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Lacks::Target => "target",
            Lacks::Group => "group",
            Lacks::Block => "block",
            Lacks::Covariate => "covariate",
        }
    }

    /// The error of a column that has no value at all.
    pub(crate) fn everywhere(self, place: Place) -> Error {
        Error::data(place, format!("the {} is missing in every row", self.noun()), "name another column")
    }
}

/// A variable that features are adjusted for: numbers, or categories as a factor.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { rows: 20, features: 30, relevant: 3, ..TwoGroups::default() }.draw(1)?.table;
/// let age = Covariate { name: "age".into(), values: (0..20).map(|row| f64::from(row % 7)).collect::<Vec<_>>().into() };
/// let adjusted = Snbl::default().select(&table.with_covariates(vec![age])?.view(), &mut Context::default())?;
/// assert_eq!(adjusted.design.unwrap().covariates, ["age"]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Covariate {
    /// Its name.
    pub name: String,
    /// One value per row.
    pub values: Column,
}

impl Study {
    /// A target and, where rows are weighted, a weight per row.
    ///
    /// # Errors
    ///
    /// A target that nothing can be learned from or whose codes are out of range; another number of weights than rows.
    pub fn new(target_name: impl Into<String>, target: Target, weights: Option<RowWeights>) -> Result<Study> {
        let weights = weights.map(|w| ("weight".into(), w));
        let study = Study { target_name: target_name.into(), target, weights, ..Study::default() };
        let place = Place::default();
        study.target.check_codes(&place.clone().at_column(&study.target_name))?;
        if let Some(weights) = study.weights() {
            check_length(weights.values.len(), "weight", study.target.len())?;
        }
        study.target.check_weighted(study.weights(), &place.at_column(&study.target_name))?;
        Ok(study)
    }

    /// Rows without a target: nothing can be learned from them, only predicted.
    pub(super) fn without_target(rows: usize) -> Study {
        Study { target: Target::Real { values: vec![f64::NAN; rows] }, ..Study::default() }
    }

    /// The study with a note on what its target is treated as, such as "classes, since it is text".
    pub fn with_rule(mut self, rule: impl Into<Text>) -> Study {
        self.rule = Some(rule.into());
        self
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
    /// Another number of values than rows, and rows none of which is in a block.
    pub fn with_blocks(mut self, name: impl Into<String>, blocks: Categories) -> Result<Study> {
        self.blocks = Some((name.into(), blocks));
        self.check_design(&Place::default())?;
        Ok(self)
    }

    /// The study with groups of rows that stay together in every split, such as those of a patient. Rows without one are
    /// left out.
    ///
    /// # Errors
    ///
    /// Another number of values than rows, and rows none of which is in a group.
    pub fn with_groups(mut self, name: impl Into<String>, groups: Categories) -> Result<Study> {
        self.groups = Some((name.into(), groups));
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

    /// Covariates, blocks and groups that can be used.
    pub(super) fn check_design(&self, place: &Place) -> Result<()> {
        for Covariate { name, values } in &self.covariates {
            check_length(values.len(), "value of a covariate", self.target.len())?;
            let mut numbered = values.numbers().unwrap_or_default().iter().zip(1..);
            if let Some((&value, row)) = numbered.find(|(x, _)| is_too_large_to_square(**x)) {
                let place = place.clone().at_row(row).at_column(name);
                return Err(too_large("the covariate", value, place, REPLACE_OR_LEAVE));
            }
            if (0..values.len()).all(|row| values.is_missing(row)) {
                let place = place.clone().at_column(name);
                return Err(Lacks::Covariate.everywhere(place));
            }
        }
        for (lacks, name, levels) in self.levels() {
            check_length(levels.codes().len(), lacks.noun(), self.target.len())?;
            if levels.codes().iter().all(|code| *code == MISSING) {
                return Err(lacks.everywhere(place.clone().at_column(name)));
            }
        }
        Ok(())
    }

    /// Whether the group, the block and every covariate of a row are known.
    pub(super) fn has_design(&self, row: usize) -> bool {
        self.levels().all(|(_, _, levels)| levels.codes()[row] != MISSING)
            && self.covariates.iter().all(|covariate| !covariate.values.is_missing(row))
    }

    /// Groups and blocks, by their names.
    fn levels(&self) -> impl Iterator<Item = (Lacks, &String, &Categories)> {
        let both = [(Lacks::Group, &self.groups), (Lacks::Block, &self.blocks)];
        both.into_iter().filter_map(|(lacks, part)| part.as_ref().map(|(name, levels)| (lacks, name, levels)))
    }

    /// No group, block or covariate is missing.
    pub(super) fn check_complete(&self, place: &Place) -> Result<()> {
        for (_, name, levels) in self.levels() {
            if let Some(row) = levels.codes().iter().position(|code| *code == MISSING) {
                return Err(missing_value(name, place, row as u64 + 1));
            }
        }
        self.covariates.iter().try_for_each(|covariate| check_complete(&covariate.values, &covariate.name, place, 0))
    }

    /// Notes on what the target is treated as, and on rows that are not used: those without a target, and those without a
    /// group, a block or a covariate.
    pub fn notes(&self) -> Vec<Note> {
        let rows = self.target.len() as u64;
        let with_target = self.target.labelled_rows();
        let without_design = with_target.iter().filter(|row| !self.has_design(**row as usize)).count();
        let covariate = (!self.covariates.is_empty()).then_some(Lacks::Covariate);
        let design: Vec<Lacks> = self.levels().map(|(lacks, ..)| lacks).chain(covariate).collect();
        let note = |count: usize, lacks: &[Lacks]| Lacks::note(lacks, count as u64, rows, self.row_noun());
        let rule = self.rule.iter().map(|rule| target_rule::note(&self.target_name, rule.clone()));
        let notes = [note(rows as usize - with_target.len(), &[Lacks::Target]), note(without_design, &design)];
        rule.chain(notes.into_iter().flatten()).collect()
    }

    /// What a row is called.
    pub(super) fn row_noun(&self) -> &'static str {
        if self.rows_are_samples { SAMPLE } else { ROW }
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

    /// A weight per row, as it was given, if rows are weighted.
    pub fn weights(&self) -> Option<&RowWeights> {
        self.weights.as_ref().map(|(_, weights)| weights)
    }

    /// A group per row, if rows belong together: rows of a group, or else of a block, stay together in every split.
    pub fn groups(&self) -> Option<&Categories> {
        self.groups.as_ref().or(self.blocks.as_ref()).map(|(_, groups)| groups)
    }

    /// Variables that features are adjusted for.
    pub fn covariates(&self) -> &[Covariate] {
        &self.covariates
    }

    /// The name of the blocks and the block of every row, if there are any.
    pub fn blocks(&self) -> Option<(&str, &Categories)> {
        self.blocks.as_ref().map(|(name, blocks)| (name.as_str(), blocks))
    }

    /// The linear model that features are regressed on, if there is one.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Which of several classes are compared.
    pub fn comparison(&self) -> ComparedClasses {
        self.comparison
    }

    /// Features that are selected whatever the method says.
    pub fn keep(&self) -> &[u32] {
        &self.keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_set_aside_are_told_in_the_singular_and_the_plural() {
        let said = |lacks: &[Lacks], count| Lacks::note(lacks, count, 79, ROW).map(|note| note.to_string());
        assert_eq!(said(&[Lacks::Target], 0), None);
        let all = [Lacks::Group, Lacks::Block, Lacks::Covariate];
        let table: [(&[Lacks], u64, &str); 6] = [
            (&[Lacks::Target], 1, "1 of 79 rows has no target and is set aside"),
            (&[Lacks::Target], 2, "2 of 79 rows have no target and are set aside"),
            (&[Lacks::Covariate], 1, "1 of 79 rows has no value of a covariate and is set aside"),
            (&[Lacks::Block], 2, "2 of 79 rows have no block and are set aside"),
            (&all[1..], 2, "2 of 79 rows have no block or no value of a covariate and are set aside"),
            (&all, 2, "2 of 79 rows have no group, no block or no value of a covariate and are set aside"),
        ];
        for (lacks, count, wanted) in table {
            assert_eq!(said(lacks, count).as_deref(), Some(wanted));
        }
        let samples = Lacks::note(&[Lacks::Target], 1, 12, SAMPLE).map(|note| note.to_string());
        assert_eq!(samples.as_deref(), Some("1 of 12 samples has no target and is set aside"));
    }
}
