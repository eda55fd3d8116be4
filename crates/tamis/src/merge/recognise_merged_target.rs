//! The target once all rows are there: classes or numeric, by the rule for files.

use crate::base::error::Place;
use crate::base::{Result, Text};
use crate::merge::State;
use crate::merge::effective_rows::Factors;
use crate::merge::target_state::{Label, TargetState, WeightSums};
use crate::table::caller_checks::no_weight;
use crate::table::target_rule::{TargetFacts, TargetValues, check_used, classes_of, value_of};
use crate::table::{Task, WeightKind};

/// The target of all rows.
pub(crate) struct RecognisedTarget {
    /// The rule that was applied, in words.
    pub(crate) rule: Text,
    /// The classes' names; none for a numeric target.
    pub(crate) labels: Vec<String>,
    /// The class that counts as positive.
    pub(crate) positive: usize,
    /// How many rows of each class have any weight, copies counted.
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

    /// How many rows of each class have any weight, copies counted; empty for a numeric target.
    pub(crate) fn class_counts(&self) -> Vec<(&str, u64)> {
        self.labels.iter().map(String::as_str).zip(self.used.iter().copied()).collect()
    }

    /// A target of these numbers.
    fn numeric(rule: Text, values: Vec<f64>) -> RecognisedTarget {
        RecognisedTarget { rule, labels: vec![], positive: 0, used: vec![], class: vec![], values }
    }
}

impl State {
    /// By what sums against a target are multiplied.
    pub(crate) fn factors(&self, target: &RecognisedTarget) -> Factors {
        if self.frame.weight_kind() == WeightKind::Frequency {
            return Factors::NONE;
        }
        let Some(n_classes) = target.n_classes() else { return Factors::new(&[self.target_state.all_weights()]) };
        let mut classes = vec![WeightSums::default(); n_classes];
        for (&class, sums) in target.class.iter().zip(self.target_state.weights()) {
            classes[class] = classes[class].merge(sums);
        }
        Factors::new(&classes)
    }

    /// By what the weights of all rows are multiplied where classes are not compared.
    pub(crate) fn factor(&self) -> f64 {
        match self.frame.weight_kind() {
            WeightKind::Importance => self.target_state.all_weights().factor(),
            WeightKind::Frequency => 1.0,
        }
    }

    /// How many rows count, copies counted.
    pub(crate) fn n_samples(&self) -> u64 {
        match self.frame.weight_kind {
            Some(WeightKind::Frequency) => self.target_state.all_weights().sum as u64,
            _ => self.used,
        }
    }

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
                return Err(no_weight(place));
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
            let copies = match self.frame.weight_kind {
                Some(WeightKind::Frequency) => label.weights.sum as u64,
                _ => label.used,
            };
            used[class as usize] = used[class as usize].saturating_add(copies);
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
