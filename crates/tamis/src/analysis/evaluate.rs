//! Comparing methods on the same folds, table after table.

use super::{Analysis, Caller, Compared, Data, RequestedSplits, TableFiles};
use crate::base::{Context, Note, NoteKind, Progress, Result, Silent};
use crate::catalogue::{Method, PreparedTable};
use crate::evaluate::{FoldResult, Run, check_usable, cross_validate};
use crate::result::{Evaluation, InputFacts};
use crate::table::View;
use std::collections::{HashMap, HashSet};

/// An evaluation that takes one table after the other.
pub struct Evaluator<'a> {
    analysis: &'a Analysis,
    compared: &'a Compared,
    splits: &'a RequestedSplits,
    /// Who asked, once there is a table.
    caller: Option<Caller>,
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
        Evaluator { analysis: self, compared, splits, caller: None, inputs, runs, notes, plan: String::new() }
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
    /// Opens a table and compares the methods on it.
    ///
    /// # Errors
    ///
    /// A table that is not held in memory, those of reading, and those of [`Evaluator::add`].
    pub fn add_files(&mut self, files: &TableFiles, progress: &mut dyn Progress) -> Result<()> {
        self.caller.get_or_insert_with(|| Caller::of(progress));
        let (analysis, table) = self.analysis.open_to_compare(files, progress)?;
        self.compare(&analysis, &table.data(&files.name), progress)
    }

    /// Compares the methods on a table. Everything, the preparation too, is learned anew in every fold. Where a method is
    /// compared that names one-hot columns together, they count as one feature for every method, so that numbers of
    /// features compare.
    ///
    /// # Errors
    ///
    /// Methods and folds that cannot be used, and values that cannot be prepared, before any method fails on them.
    pub fn add(&mut self, data: &Data, progress: &mut dyn Progress) -> Result<()> {
        self.caller.get_or_insert_with(|| Caller::of(progress));
        self.compare(self.analysis, data, progress)
    }

    fn compare(&mut self, analysis: &Analysis, data: &Data, progress: &mut dyn Progress) -> Result<()> {
        let copied = data.view.as_table()?;
        let view = copied.as_ref().map_or_else(|| data.view.clone(), |table| data.view.over(table));
        let (plan, line) = self.splits.plan(&view, analysis.seed)?;
        let (pipelines, about_methods) = self.compared.pipelines(analysis, &view, plan.len())?;
        let selectors = pipelines.iter().filter_map(|pipeline| pipeline.selector.as_ref());
        let joining = selectors.clone().find(|selector: &&Method| selector.takes_designs());
        let preparation = analysis.preparation.for_selector(joining);
        let whole = PreparedTable::new(view.clone(), &preparation, joining)?;
        let mut found = cross_validate(&view, &pipelines, &plan, &mut Context::new(analysis.seed, progress))?;
        // folds choose which counts they use, each for itself: those are numbered as in the table
        let joins = !whole.members().is_empty();
        let counted = if joins { whole.view() } else { view.clone() };
        if joins {
            let columns = whole.columns_of_each();
            found.iter_mut().flatten().for_each(|folds| count_together(folds, &columns));
        }
        let at = self.inputs.len();
        for (pipeline, folds) in pipelines.iter().zip(found) {
            self.runs.push(Run::new(at, &counted, pipeline, folds));
        }
        let adjusted = about_covariates(&view);
        let about_values = about_values(analysis, &whole);
        let notes = data.all_notes().into_iter().chain(about_values).chain(adjusted).chain(about_methods);
        self.notes.push(notes.chain(plan.notes.iter().cloned()).collect());
        self.inputs.push(InputFacts::of(&data.name, view.target_name(), &counted));
        self.plan = line;
        Ok(())
    }

    /// The document, in the words of the front end that asked.
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
        let caller = self.caller.unwrap_or_else(|| Caller::of(&Silent));
        let evaluation = Evaluation::new(self.inputs, self.runs, self.plan, notes, self.analysis.seed)?;
        Ok(caller.evaluation(evaluation))
    }
}

/// Notes on counts and on features that count together.
fn about_values(analysis: &Analysis, whole: &PreparedTable) -> Vec<Note> {
    let normalize = analysis.preparation.normalize();
    if !normalize.gives_log_counts() {
        return whole.notes();
    }
    let text = format!("counts are normalised ({normalize}) inside every fold, with quantities from its training rows");
    let about_groups = analysis.preparation.feature_groups.notes.iter().cloned();
    about_groups.chain([Note::new(NoteKind::CountsNormalised, text)]).collect()
}

/// A note on covariates.
fn about_covariates(view: &View) -> Option<Note> {
    let quoted: Vec<String> = view.covariates().iter().map(|covariate| format!("`{}`", covariate.name)).collect();
    let text = format!("features are adjusted for {} inside every fold, by its training rows", quoted.join(", "));
    (!quoted.is_empty()).then(|| Note::new(NoteKind::Adjusted, text))
}

/// Numbers the selected columns of folds as the features that they are part of, each once. `columns` are those of every
/// feature, by their places in the table as it was given, as the folds number them.
fn count_together(folds: &mut [FoldResult], columns: &[Vec<u32>]) {
    let feature_of: HashMap<u32, u32> = (0..)
        .zip(columns)
        .flat_map(|(feature, columns)| columns.iter().map(move |&column| (column, feature)))
        .collect();
    for fold in folds {
        let mut seen = HashSet::new();
        let features = fold.selected.iter().filter_map(|column| feature_of.get(column).copied());
        fold.selected = features.filter(|feature| seen.insert(*feature)).collect();
        fold.n_selected = fold.selected.len();
    }
}
