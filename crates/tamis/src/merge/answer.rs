//! From the state of all rows to the answer.

use crate::base::note::{Note, NoteKind};
use crate::base::{Context, Place, Progress, Result};
use crate::merge::covariate_state::{CovariateKind, CovariateState, changed};
use crate::merge::cross_sums::groups_by_class;
use crate::merge::feature::FeatureState;
use crate::merge::recognise_merged_target::RecognisedTarget;
use crate::merge::target_state::unit;
use crate::merge::target_state::{Change, TargetState};
use crate::merge::{State, check_method};
use crate::score::choice::{self, TableShape};
use crate::score::design::summed_design::{SummedCoding, SummedDesign};
use crate::score::from_sums::SummedFeatures;
use crate::score::{Scores, Statistic};
use crate::selection::{DesignFacts, Selection};
use crate::sparse_means::{Snbl, TableNulls};
use crate::table::InputFacts;
use crate::table::read::column_roles;
use crate::table::study::{Lacks, ROW};
use crate::table::target_rule;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What needs the values of a table beside each other.
const NOT_SOUGHT: &str = "a table read in pieces is not searched for near-copies and clusters of selected features, one-hot \
                          columns, counts, or relations of other kinds (a second look)";

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
        notes.push(Note::new(NoteKind::NotCompared, NOT_SOUGHT));
        (selection.notes, selection.seed) = (notes, seed);
        Answer { selection, facts }
    }
}

impl Answer {
    /// Selects these features too.
    pub(crate) fn keep(&mut self, keep: &[String]) -> Result<()> {
        let keep = positions(&self.selection.names, keep)?;
        self.selection.keep(&keep);
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
        let summed = self.summed(target)?;
        let scores = summed.scores(&method.scoring(), self.statistic(method, target)?)?;
        let summaries = summed.summaries(&scores, &method.scoring());
        let mut context = Context::new(self.frame.seed, progress);
        let classes = target.class_counts();
        let rows = usize::try_from(self.n_samples()).unwrap_or(usize::MAX);
        let mut selection =
            method.select_summed((scores, summaries, rows), &self.frame.names, &classes, nulls, &mut context)?;
        if !self.frame.covariates.is_empty() {
            let design = selection.design.get_or_insert_with(DesignFacts::default);
            (design.covariates, design.rows_used) = (self.frame.covariates.clone(), rows);
        }
        let mut answer = self.about(target).answer(selection);
        answer.keep(keep)?;
        Ok(answer)
    }

    /// Facts and notes about all rows, independent of the method.
    pub(crate) fn about(&self, target: &RecognisedTarget) -> TableFacts {
        let mut notes = self.notes.clone();
        notes.push(target_rule::note(&self.frame.target, target.rule.clone()));
        let missing = self.rows - self.labelled().min(self.rows);
        let lacking = self.covariates.as_ref().map_or(0, |covariates| covariates.lacking);
        notes.extend(Lacks::note(&[Lacks::Target], missing, self.rows, ROW));
        notes.extend(Lacks::note(&[Lacks::Covariate], lacking, self.rows, ROW));
        let positive = (target.n_classes() == Some(2)).then(|| target.labels[target.positive].clone());
        let counts = || target.class_counts().into_iter().map(|(label, n)| (label.to_string(), n)).collect();
        let facts = InputFacts {
            file: String::new(),
            rows: usize::try_from(self.n_samples()).unwrap_or(usize::MAX),
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

    /// The scores against a recognised target.
    pub(crate) fn scores_against(&self, method: &Snbl, target: &RecognisedTarget) -> Result<Scores> {
        let summed = self.summed(target)?;
        summed.scores(&method.scoring(), self.statistic(method, target)?)
    }

    fn statistic(&self, method: &Snbl, target: &RecognisedTarget) -> Result<Statistic> {
        let shape = TableShape {
            n_features: self.features.len(),
            n_classes: target.n_classes(),
            adjusted: self.covariates.is_some(),
        };
        choice::for_shape(&method.scoring(), &shape)
    }

    /// Every feature as its sums against the target.
    fn summed<'a>(&'a self, target: &'a RecognisedTarget) -> Result<SummedFeatures<'a>> {
        let covariates = self.covariates.as_ref();
        let groups = covariates.map_or(&[][..], |covariates| &covariates.groups);
        let factors = self.factors(target);
        let features = match target.n_classes() {
            Some(n) => {
                let of_feature = |f: &FeatureState| f.against_classes(&target.class, n, (groups, &factors));
                self.features.par_iter().map(of_feature).collect()
            }
            None => {
                let unit = self.target_unit()?;
                let of_feature = |f: &FeatureState| f.against_number(&target.values, unit, (covariates, &factors));
                self.features.par_iter().map(of_feature).collect()
            }
        };
        let classes = target.n_classes().map(|_| target.labels.as_slice());
        let (_, comparison) = self.frame.comparison.resolve(classes)?;
        Ok(SummedFeatures {
            names: &self.frame.names,
            features,
            classes: &target.labels,
            positive: target.positive,
            comparison,
            target: &self.frame.target,
            design: covariates.map(|covariates| self.design(covariates, target)).transpose()?,
            rows: self.n_samples(),
        })
    }

    /// What features are adjusted for: all columns of covariates but the first level of each factor.
    fn design(&self, covariates: &CovariateState, target: &RecognisedTarget) -> Result<SummedDesign> {
        covariates.check(&self.frame.covariates)?;
        let (mut names, mut columns, mut at) = (vec![], vec![], 0);
        for (name, kind) in self.frame.covariates.iter().zip(&covariates.kinds) {
            let first = usize::from(matches!(kind, CovariateKind::Levels(_)));
            columns.extend(at + first..at + kind.width());
            at += kind.width();
            names.resize(columns.len(), name.clone());
        }
        let (mut groups, coding) = match target.n_classes() {
            Some(n) => (groups_by_class(&covariates.groups, &target.class, n), class_coding(target, n)),
            None => {
                let groups = match &self.target_state {
                    TargetState::Number(_) => covariates.groups.clone(),
                    TargetState::Labels(_) => changed(&covariates.groups, &Change::ToNumber(target.values.clone()), at),
                };
                (groups, SummedCoding::Number(self.target_unit()?))
            }
        };
        self.factors(target).joint(&mut groups);
        let positive = (target.n_classes() == Some(2)).then_some(target.positive);
        Ok(SummedDesign { covariates: names, columns, coding, groups: groups.into(), positive })
    }

    /// By what the numbers of a numeric target were multiplied.
    fn target_unit(&self) -> Result<f64> {
        Ok(match &self.target_state {
            TargetState::Labels(labels) => {
                let place = Place::default().at_column(&self.frame.target);
                unit(TargetState::as_number(labels, &place)?.0.size)
            }
            TargetState::Number(number) => unit(number.size),
        })
    }
}

/// The target's columns in every class: whether it is the positive one of two, or an indicator for every class with rows but
/// the first.
fn class_coding(target: &RecognisedTarget, n_classes: usize) -> SummedCoding {
    let is = |class: usize, other: usize| f64::from(u8::from(class == other));
    let columns: Vec<usize> = match n_classes {
        2 => vec![target.positive],
        n => (0..n).filter(|&class| target.used[class] > 0).skip(1).collect(),
    };
    SummedCoding::Classes((0..n_classes).map(|class| columns.iter().map(|&of| is(class, of)).collect()).collect())
}
