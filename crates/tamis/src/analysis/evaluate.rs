//! Comparing methods on the same folds, table after table.

use super::{Analysis, Compared, Data, RequestedSplits};
use crate::base::{Context, Note, NoteKind, Progress, Result};
use crate::catalogue::PreparedTable;
use crate::evaluate::{FoldResult, Run, check_usable, cross_validate};
use crate::result::{Evaluation, InputFacts};
use crate::sparse_means::Snbl;
use crate::table::View;
use std::collections::{HashMap, HashSet};

/// An evaluation that takes one table after the other.
pub struct Evaluator<'a> {
    analysis: &'a Analysis,
    compared: &'a Compared,
    splits: &'a RequestedSplits,
    inputs: Vec<InputFacts>,
    runs: Vec<Run>,
    /// Notes on each table.
    notes: Vec<Vec<Note>>,
    plan: String,
}

impl Analysis {
    /// An evaluation of no table yet. Preparation, calibration and seed are those of the analysis.
    pub fn evaluator<'a>(&'a self, compared: &'a Compared, splits: &'a RequestedSplits) -> Evaluator<'a> {
        let (inputs, runs, notes) = (vec![], vec![], vec![]);
        Evaluator { analysis: self, compared, splits, inputs, runs, notes, plan: String::new() }
    }

    /// The evaluation of one table.
    ///
    /// # Errors
    ///
    /// Those of [`Evaluator::add`] and [`Evaluator::finish`].
    pub fn evaluate(
        &self,
        compared: &Compared,
        splits: &RequestedSplits,
        data: &Data,
        progress: &mut dyn Progress,
    ) -> Result<Evaluation> {
        let mut evaluator = self.evaluator(compared, splits);
        evaluator.add(data, progress)?;
        evaluator.finish()
    }
}

impl Evaluator<'_> {
    /// Compares the methods on a table. Everything, the preparation too, is learned anew in every fold. One-hot columns count
    /// as one feature, as in a selection.
    ///
    /// # Errors
    ///
    /// Methods and folds that cannot be used, and values that cannot be prepared, before any method fails on them.
    pub fn add(&mut self, data: &Data, progress: &mut dyn Progress) -> Result<()> {
        let copied = data.view.as_table()?;
        let view = copied.as_ref().map_or_else(|| data.view.clone(), |table| data.view.over(table));
        let (plan, line) = self.splits.plan(&view, self.analysis.seed)?;
        let (pipelines, about_methods) = self.compared.pipelines(self.analysis, &view, plan.len())?;
        let selection = Snbl::default().into();
        let whole = PreparedTable::new(view.clone(), &self.analysis.preparation, Some(&selection))?;
        let mut found = cross_validate(&view, &pipelines, &plan, &mut Context::new(self.analysis.seed, progress))?;
        // folds choose which counts they use, each for itself: those are numbered as in the table
        let counted = if whole.members().is_empty() { view.clone() } else { whole.view() };
        found.iter_mut().flatten().for_each(|folds| count_together(folds, whole.members()));
        let at = self.inputs.len();
        for (pipeline, folds) in pipelines.iter().zip(found) {
            self.runs.push(Run::new(at, &counted, pipeline, folds));
        }
        let adjusted = about_covariates(&view);
        let about_values = self.about_values(&whole);
        let notes = data.all_notes().into_iter().chain(about_values).chain(adjusted).chain(about_methods);
        self.notes.push(notes.chain(plan.notes.iter().cloned()).collect());
        self.inputs.push(InputFacts::of(&data.name, view.target_name(), &counted));
        self.plan = line;
        Ok(())
    }

    /// Notes on counts and on features that count together.
    fn about_values(&self, whole: &PreparedTable) -> Vec<Note> {
        let normalize = self.analysis.preparation.normalize();
        if !normalize.gives_log_counts() {
            return whole.notes();
        }
        let text =
            format!("counts are normalised ({normalize}) inside every fold, with quantities from its training rows");
        vec![Note::new(NoteKind::CountsNormalised, text)]
    }

    /// The document. The front end fills in the seconds.
    ///
    /// # Errors
    ///
    /// No table, and no method that can be used.
    pub fn finish(self) -> Result<Evaluation> {
        check_usable(&self.runs)?;
        let several = self.inputs.len() > 1;
        let named = |(input, notes): (&InputFacts, Vec<Note>)| -> Vec<Note> {
            let in_file = |note: Note| match several {
                true => note.preceded_by(format!("{}: ", input.file)),
                false => note,
            };
            notes.into_iter().map(in_file).collect()
        };
        let notes = self.inputs.iter().zip(self.notes).flat_map(named).collect();
        Evaluation::new(self.inputs, self.runs, self.plan, notes, self.analysis.seed)
    }
}

/// A note on covariates.
fn about_covariates(view: &View) -> Option<Note> {
    let quoted: Vec<String> = view.covariates().iter().map(|covariate| format!("`{}`", covariate.name)).collect();
    let text = format!("features are adjusted for {} inside every fold, by its training rows", quoted.join(", "));
    (!quoted.is_empty()).then(|| Note::new(NoteKind::Adjusted, text))
}

/// Numbers the selected columns of folds as the features that they are part of, each once.
fn count_together(folds: &mut [FoldResult], members: &[Vec<u32>]) {
    if members.is_empty() {
        return;
    }
    let feature_of: HashMap<u32, u32> = (0..)
        .zip(members)
        .flat_map(|(feature, columns)| columns.iter().map(move |&column| (column, feature)))
        .collect();
    for fold in folds {
        let mut seen = HashSet::new();
        let features = fold.selected.iter().filter_map(|column| feature_of.get(column).copied());
        fold.selected = features.filter(|feature| seen.insert(*feature)).collect();
        fold.n_selected = fold.selected.len();
    }
}
