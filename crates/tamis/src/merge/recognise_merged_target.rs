//! The target once all rows are there: classes or numeric, by the rule for files.

use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::merge::State;
use crate::merge::target_state::{Label, TargetState};
use crate::table::Task;
use crate::table::target_rule::{TargetFacts, TargetValues, check_used, classes_of, value_of};

/// The target of all rows.
pub(crate) struct RecognisedTarget {
    /// The rule that was applied, in words.
    pub(crate) rule: &'static str,
    /// The classes' names; none for a numeric target.
    pub(crate) labels: Vec<String>,
    /// The class that counts as positive.
    pub(crate) positive: usize,
    /// How many rows of each class have any weight.
    pub(crate) used: Vec<u64>,
    /// The class of every text that was read.
    pub(crate) class: Vec<usize>,
    /// The number of every text that was read, where the target is numeric.
    pub(crate) values: Vec<f64>,
}

impl RecognisedTarget {
    /// How many classes there are; `None` for a numeric target.
    pub(crate) fn n_classes(&self) -> Option<usize> {
        (!self.labels.is_empty()).then_some(self.labels.len())
    }

    /// How many rows of each class have any weight; empty for a numeric target.
    pub(crate) fn class_counts(&self) -> Vec<(&str, u64)> {
        self.labels.iter().map(String::as_str).zip(self.used.iter().copied()).collect()
    }

    /// A target of these numbers.
    fn numeric(rule: &'static str, values: Vec<f64>) -> RecognisedTarget {
        RecognisedTarget { rule, labels: vec![], positive: 0, used: vec![], class: vec![], values }
    }
}

impl State {
    /// Recognises the target by the rule for files, and refuses one that nothing can be learned from.
    pub(crate) fn recognise(&self) -> Result<RecognisedTarget> {
        let place = Place::default().at_column(&self.frame.target);
        let target = match &self.target_state {
            TargetState::Labels(labels) => self.of_labels(labels, &place)?,
            TargetState::Number(number) => {
                // as many different numbers as no classes are, unless the task says so
                let facts = TargetFacts { text: None, classes: None, whole: false, each_twice: false };
                let (_, rule) = facts.recognise(self.frame.task, &place)?;
                TargetValues::Numbers { vary: number.moments.m2 > 0.0 }.check(self.rows, number.rows, &place)?;
                RecognisedTarget::numeric(rule, vec![])
            }
        };
        if let Some(name) = &self.frame.weight {
            let place = Place::default().at_column(name);
            if self.used == 0 {
                let remedy = "give some rows a positive weight";
                return Err(Error::data(place, "the weights sum to zero", remedy));
            }
            check_used(&target.labels, &target.used, &place)?;
        }
        self.with_positive(target)
    }

    /// The target that texts are; some of them may be numbers.
    fn of_labels(&self, labels: &[Label], place: &Place) -> Result<RecognisedTarget> {
        let texts: Vec<String> = labels.iter().map(|label| label.text.clone()).collect();
        let values: Vec<Option<f64>> = texts.iter().map(|text| value_of(text)).collect();
        let text = values.iter().position(Option::is_none).map(|at| (None, texts[at].as_str()));
        let (classes, class_of) = classes_of(&texts, text.is_none());
        let (mut rows, mut used) = (vec![0_u64; classes.len()], vec![0_u64; classes.len()]);
        for (label, &class) in labels.iter().zip(&class_of) {
            rows[class as usize] = rows[class as usize].saturating_add(label.rows);
            used[class as usize] = used[class as usize].saturating_add(label.used);
        }
        let twice: Vec<bool> = rows.iter().map(|rows| *rows >= 2).collect();
        let facts = TargetFacts {
            text,
            classes: Some(classes.len()),
            whole: values.iter().flatten().all(|x| x.fract() == 0.0),
            each_twice: twice.iter().all(|twice| *twice),
        };
        let (task, rule) = facts.recognise(self.frame.task, place)?;
        let labelled = rows.iter().fold(0, |sum: u64, rows| sum.saturating_add(*rows));
        match task {
            Task::Classes => {
                TargetValues::Classes { labels: &classes, twice: &twice }.check(self.rows, labelled, place)?;
                let class = class_of.into_iter().map(|class| class as usize).collect();
                Ok(RecognisedTarget { rule, positive: 0, labels: classes, used, class, values: vec![] })
            }
            Task::Real => {
                TargetValues::Numbers { vary: classes.len() > 1 }.check(self.rows, labelled, place)?;
                Ok(RecognisedTarget::numeric(rule, TargetState::as_number(labels, place)?.1))
            }
        }
    }

    /// The target with the positive class that the user asked for.
    fn with_positive(&self, mut target: RecognisedTarget) -> Result<RecognisedTarget> {
        let classes = target.n_classes().map(|_| target.labels.as_slice());
        target.positive = self.frame.comparison.resolve(classes)?.0;
        Ok(target)
    }
}
