//! From the state of all rows to the answer.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Context, Error, Progress, Result};
use crate::merge::target_state::Against;
use crate::merge::{State, check_method};
use crate::score;
use crate::score::Scores;
use crate::score::outcome::Outcome;
use crate::selection::Selection;
use crate::sparse_means::Snbl;
use crate::table::check;
use crate::table::read::parts;
use crate::table::target::Labels;
use crate::table::{InputFacts, Target};
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

/// The target once all rows are there.
pub(crate) struct Settled {
    /// Stands for all rows: every class with as many rows as the checks look at.
    pub(crate) target: Target,
    rule: String,
    /// The class of every label.
    pub(crate) class: Vec<usize>,
    /// The number of every label.
    values: Vec<f64>,
}

/// Facts and notes about all rows, independent of the method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) facts: InputFacts,
    pub(crate) notes: Vec<Note>,
    pub(crate) seed: u64,
}

impl About {
    /// The answer that a selection gives.
    pub(crate) fn answer(self, mut selection: Selection) -> Answer {
        let About { facts, mut notes, seed } = self;
        notes.append(&mut selection.notes);
        if selection.selected.len() > 1 {
            let text = "near-copies among the selected features are not searched for in a table read in pieces";
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
    wanted.iter().map(|name| parts::position(names, name).map(|at| at as u32)).collect()
}

impl State {
    /// The scores of all features, by this method.
    pub fn scores(&self, method: &Snbl) -> Result<Scores> {
        self.scores_against(method, &self.settle()?)
    }

    /// Which features matter, and how many, by this method; features called as in `keep` are selected in any case. The
    /// answer is that of the whole table, but that features are not compared with each other for near-copies.
    pub fn answer(&self, method: &Snbl, keep: &[String], progress: &mut dyn Progress) -> Result<Answer> {
        let settled = self.settle()?;
        let scores = self.scores_against(method, &settled)?;
        let counts = self.class_counts(&settled);
        let selection =
            method.select_scores(scores, &self.frame.names, &counts, &mut Context::new(self.frame.seed, progress))?;
        let mut answer = self.about(&settled).answer(selection);
        answer.keep(keep)?;
        Ok(answer)
    }

    /// Facts and notes about all rows, independent of the method.
    pub(crate) fn about(&self, settled: &Settled) -> About {
        let mut notes = self.notes.clone();
        notes.push(Note::new(
            NoteKind::TargetRule,
            format!("target `{}` is treated as {}", self.frame.target, settled.rule),
        ));
        let missing = self.rows - self.labelled().min(self.rows);
        if missing > 0 {
            let text = format!("{missing} of {} rows have no target and are set aside", self.rows);
            notes.push(Note::new(NoteKind::MissingTarget, text));
        }
        let positive = match &settled.target {
            Target::Classes { labels, positive, .. } if labels.len() == 2 => Some(labels[*positive as usize].clone()),
            _ => None,
        };
        let counts = || self.class_counts(settled).into_iter().map(|(label, n)| (label.to_string(), n)).collect();
        let facts = InputFacts {
            file: String::new(),
            rows: usize::try_from(self.used).unwrap_or(usize::MAX),
            features: self.frame.names.len(),
            target: self.frame.target.clone(),
            classes: settled.target.n_classes().map(|_| counts()),
            positive,
        };
        About { facts, notes, seed: self.frame.seed }
    }

    /// Rows that have a target.
    fn labelled(&self) -> u64 {
        match &self.against {
            Against::Labels(labels) => labels.iter().fold(0, |sum, label| sum.saturating_add(label.rows)),
            Against::Number(number) => number.rows,
        }
    }

    /// How many rows each class has.
    pub(crate) fn class_counts<'a>(&self, settled: &'a Settled) -> Vec<(&'a str, u64)> {
        let (Target::Classes { labels: names, .. }, Against::Labels(labels)) = (&settled.target, &self.against) else {
            return vec![];
        };
        let mut counts: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 0)).collect();
        for (label, &class) in labels.iter().zip(&settled.class) {
            counts[class].1 += label.used;
        }
        counts
    }

    fn scores_against(&self, method: &Snbl, settled: &Settled) -> Result<Scores> {
        check_method(method)?;
        let target = &settled.target;
        let statistic = method.score.resolve_scaled(method.scale, target)?;
        let outcomes: Vec<Outcome> = match target.n_classes() {
            Some(n) => {
                let classes = (n, target.positive());
                let how = (statistic, method.scale);
                self.features.par_iter().map(|f| f.against_classes(&settled.class, classes, how)).collect()
            }
            None => self.features.par_iter().map(|f| f.against_number(&settled.values, method.scale)).collect(),
        };
        let one_sided = self.features.iter().map(|f| f.is_category() || statistic.one_sided()).collect();
        Ok(score::collect(outcomes, statistic, one_sided, &self.frame.names, self.used))
    }

    /// Understands the target by the rule for files, and refuses one that nothing can be learned from.
    ///
    /// The rule and the checks only ask which values there are and whether there are two rows of each: a few rows that
    /// stand for all are put before them.
    pub(crate) fn settle(&self) -> Result<Settled> {
        let frame = &self.frame;
        let place = Place::default().at_column(&frame.target);
        let mut stand_in = Labels::default();
        let mut weights: Vec<f64> = vec![];
        let mut first = vec![];
        let mut push = |label: &str, rows: u64, used: u64| {
            first.push(weights.len());
            for copy in 0..rows.min(2) {
                stand_in.push(Some(label));
                weights.push(if copy < used { 1.0 } else { 0.0 });
            }
        };
        match &self.against {
            Against::Labels(labels) => labels.iter().for_each(|label| push(&label.text, label.rows, label.used)),
            // one value, or more than numbers that are classes have
            Against::Number(number) => match number.moments {
                m if m.count < 1.0 => {}
                m if m.m2 == 0.0 => push(&m.mean.to_string(), number.rows, number.rows),
                _ => (0..=crate::table::target::MOST_INTEGER_CLASSES)
                    .for_each(|i| push(&format!("{i}.5"), number.rows.min(1), number.rows.min(1))),
            },
        }
        let missing = self.rows.saturating_sub(self.labelled()).min(2) as usize;
        (0..missing).for_each(|_| stand_in.push(None));
        weights.extend(std::iter::repeat_n(1.0, missing));
        let (mut target, rule) = stand_in.into_target(frame.task, &place)?;
        if let Some(label) = &frame.positive {
            target = target.with_positive(label)?;
        }
        target.check(&place)?;
        if let Some(name) = &frame.weight {
            let place = Place::default().at_column(name);
            if self.used == 0 {
                let remedy = "give some rows a positive weight";
                return Err(Error::data(place, "the weights sum to zero", remedy));
            }
            check::check_class_weights(&target, &weights, &place)?;
        }
        let class = first.iter().map(|&row| target.code(row).unwrap_or(0)).collect();
        let values = match (&self.against, &target) {
            (Against::Labels(labels), Target::Real { .. }) => Against::as_number(labels, &place)?.1,
            _ => vec![],
        };
        Ok(Settled { target, rule, class, values })
    }
}
