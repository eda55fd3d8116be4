//! From the state of all rows to the answer.

use crate::base::note::{Note, NoteKind};
use crate::base::{Context, Progress, Result};
use crate::merge::recognised_target::RecognisedTarget;
use crate::merge::target_state::TargetState;
use crate::merge::{State, check_method};
use crate::score;
use crate::score::Scores;
use crate::score::score_outcome::Outcome;
use crate::selection::Selection;
use crate::sparse_means::{Snbl, TableNulls};
use crate::table::InputFacts;
use crate::table::read::column_roles;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The answer from all rows.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Which features matter, and how many.
    pub selection: Selection,
    /// Facts about the input; the caller fills in the file name.
    pub facts: InputFacts,
}

/// Facts and notes about all rows, independent of the method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TableFacts {
    pub(crate) facts: InputFacts,
    pub(crate) notes: Vec<Note>,
    pub(crate) seed: u64,
}

impl TableFacts {
    /// The answer that a selection gives.
    pub(crate) fn answer(self, mut selection: Selection) -> Answer {
        let TableFacts { facts, mut notes, seed } = self;
        notes.append(&mut selection.notes);
        if selection.selected.len() > 1 {
            let text = "near-copies and clusters among the selected features are not sought in a table read in pieces";
            notes.push(Note::new(NoteKind::NotCompared, text));
        }
        (selection.notes, selection.seed) = (notes, seed);
        Answer { selection, facts }
    }
}

impl Answer {
    /// Selects these features too.
    pub(crate) fn keep(&mut self, keep: &[String]) -> Result<()> {
        let keep = positions(&self.selection.names, keep)?;
        let forced = self.selection.keep(&keep);
        if !forced.is_empty() {
            let text = format!("{} selected only on request", forced.len());
            self.selection.notes.push(Note::about(NoteKind::Kept, text, forced));
        }
        Ok(())
    }
}

/// Where features of these names are.
pub(crate) fn positions(names: &[String], wanted: &[String]) -> Result<Vec<u32>> {
    wanted.iter().map(|name| column_roles::position(names, name).map(|at| at as u32)).collect()
}

impl State {
    /// The scores of all features, by this method.
    pub fn scores(&self, method: &Snbl) -> Result<Scores> {
        check_method(method)?;
        self.scores_against(method, &self.recognise()?)
    }

    /// Which features matter, and how many, by this method; features called as in `keep` are selected in any case. The
    /// answer is that of the whole table with features taken as independent, but that features are not compared with
    /// each other for near-copies.
    pub fn answer(&self, method: &Snbl, keep: &[String], progress: &mut dyn Progress) -> Result<Answer> {
        check_method(method)?;
        self.answer_against(&self.recognise()?, method, keep, None, progress)
    }

    /// Like [`State::answer`], against a target that is recognised, and with null scores where there are any.
    pub(crate) fn answer_against(
        &self,
        target: &RecognisedTarget,
        method: &Snbl,
        keep: &[String],
        nulls: Option<&dyn TableNulls>,
        progress: &mut dyn Progress,
    ) -> Result<Answer> {
        let scores = self.scores_against(method, target)?;
        let mut context = Context::new(self.frame.seed, progress);
        let selection = method.select_scores(scores, &self.frame.names, &target.class_counts(), nulls, &mut context)?;
        let mut answer = self.about(target).answer(selection);
        answer.keep(keep)?;
        Ok(answer)
    }

    /// Facts and notes about all rows, independent of the method.
    pub(crate) fn about(&self, target: &RecognisedTarget) -> TableFacts {
        let mut notes = self.notes.clone();
        notes.push(Note::new(
            NoteKind::TargetRule,
            format!("target `{}` is treated as {}", self.frame.target, target.rule),
        ));
        let missing = self.rows - self.labelled().min(self.rows);
        if missing > 0 {
            let text = format!("{missing} of {} rows have no target and are set aside", self.rows);
            notes.push(Note::new(NoteKind::MissingTarget, text));
        }
        let positive = (target.n_classes() == Some(2)).then(|| target.labels[target.positive].clone());
        let counts = || target.class_counts().into_iter().map(|(label, n)| (label.to_string(), n)).collect();
        let facts = InputFacts {
            file: String::new(),
            rows: usize::try_from(self.used).unwrap_or(usize::MAX),
            features: self.frame.names.len(),
            target: self.frame.target.clone(),
            classes: target.n_classes().map(|_| counts()),
            positive,
            ..InputFacts::default()
        };
        TableFacts { facts, notes, seed: self.frame.seed }
    }

    /// Rows that have a target.
    fn labelled(&self) -> u64 {
        match &self.target_state {
            TargetState::Labels(labels) => labels.iter().fold(0, |sum, label| sum.saturating_add(label.rows)),
            TargetState::Number(number) => number.rows,
        }
    }

    fn scores_against(&self, method: &Snbl, target: &RecognisedTarget) -> Result<Scores> {
        let statistic = method.score.resolve_scaled(method.scale, target.n_classes())?;
        let outcomes: Vec<Outcome> = match target.n_classes() {
            Some(n) => {
                let classes = (n, target.positive);
                let how = (statistic, method.scale);
                self.features.par_iter().map(|f| f.against_classes(&target.class, classes, how)).collect()
            }
            None => self.features.par_iter().map(|f| f.against_number(&target.values, method.scale)).collect(),
        };
        let one_sided =
            self.features.iter().map(|f| f.is_category() || statistic.one_sided(target.n_classes())).collect();
        Ok(score::collect(outcomes, statistic, one_sided, &self.frame.names, self.used))
    }
}
