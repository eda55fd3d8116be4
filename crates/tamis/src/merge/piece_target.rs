//! The target, weights and covariates of a piece, and the sums of its columns against them.

use crate::base::Result;
use crate::base::error::Place;
use crate::base::remedies::{REPLACE, REPLACE_OR_LEAVE};
use crate::merge::feature::{FeatureState, FeatureSums, MergedValues, check_categories};
use crate::merge::pass::PieceHead;
use crate::merge::piece_covariates::{PieceCovariates, rows_that_have};
use crate::merge::sum_pass::PassScratch;
use crate::merge::target_state;
use crate::merge::target_state::unit;
use crate::merge::target_state::{Label, Number, TargetState, WeightSums};
use crate::merge::{Frame, State};
use crate::score::class_moments::Grouped;
use crate::score::comoments::CoMoments;
use crate::score::moments::{Moments, largest_size};
use crate::table::caller_checks;
use crate::table::column::{Dictionary, is_too_large, too_large};
use crate::table::target_cells::TargetCells;
use crate::table::target_rule::not_a_number;
use crate::table::{Categories, Column, MISSING, Task, WeightKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The target and weights of some rows, ready for columns to be summed against them.
pub(crate) struct PieceTarget<'a> {
    frame: &'a Arc<Frame>,
    place: &'a Place,
    before: u64,
    rows: u64,
    /// The rows with a target and any weight.
    used: Vec<u32>,
    weights: Option<&'a [f64]>,
    /// The label of every row.
    codes: Vec<u32>,
    /// The number of every row, times the target's [`unit`].
    numbers: Vec<f64>,
    target_state: TargetState,
    grouped: Option<Grouped<'a>>,
    /// Which rows have all covariates; `None` where there are no covariates.
    has_covariates: Option<Vec<bool>>,
    covariates: Option<PieceCovariates>,
}

impl<'a> PieceTarget<'a> {
    pub(crate) fn new(frame: &'a Arc<Frame>, head: PieceHead<'a>) -> Result<PieceTarget<'a>> {
        let PieceHead { labels, weights, covariates, place, before } = head;
        let TargetCells { dictionary: Dictionary { labels, codes, .. }, numbers, text, too_many, .. } = labels;
        let target = place.clone().at_column(&frame.target);
        if let Some(weights) = weights
            && let Some(row) = weights.iter().position(|w| !caller_checks::is_weight(*w))
        {
            let name = frame.weight.as_deref().unwrap_or("weight");
            let place = place.clone().at_column(name).at_row(before + row as u64 + 1);
            return Err(caller_checks::wrong_weight(weights[row], place));
        }
        if let Some(weights) = weights {
            let name = frame.weight.as_deref().unwrap_or("weight");
            frame.weight_kind().check(weights, &place.clone().at_column(name), before)?;
        }
        if let (Some(Task::Real), Some((row, text))) = (frame.task, &text) {
            return Err(not_a_number(text, target.at_row(before + row)));
        }
        let must_be_classes = frame.task == Some(Task::Classes) || text.is_some();
        let is_number = !must_be_classes
            && (too_many || target_state::must_be_number(labels.iter().map(String::as_str), frame.task));
        let rows = codes.len() as u64;
        let none = TargetState::none(frame.task);
        let has_covariates = if frame.covariates.is_empty() {
            None
        } else {
            Some(rows_that_have(covariates, &frame.covariates, codes.len(), (place, before))?)
        };
        let mut piece = PieceTarget {
            frame,
            place,
            before,
            rows,
            used: vec![],
            weights,
            codes,
            numbers: vec![],
            target_state: none,
            grouped: None,
            has_covariates,
            covariates: None,
        };
        if is_number {
            piece.set_numbers(numbers, &target)?;
        } else {
            target_state::check_count(if too_many { usize::MAX } else { labels.len() }, &target)?;
            piece.set_labels(&labels);
        }
        piece.set_covariates(covariates)?;
        Ok(piece)
    }

    /// Takes the target as these numbers.
    fn set_numbers(&mut self, mut numbers: Vec<f64>, target: &Place) -> Result<()> {
        if let Some(row) = numbers.iter().position(|x| is_too_large(*x)) {
            let place = target.clone().at_row(self.before + row as u64 + 1);
            return Err(too_large("the target", numbers[row], place, REPLACE));
        }
        let size = largest_size(&numbers);
        numbers.iter_mut().for_each(|x| *x *= unit(size));
        let known: Vec<f64> = numbers.iter().copied().filter(|x| !x.is_nan()).collect();
        self.used = (0..numbers.len()).filter(|&r| !numbers[r].is_nan() && self.counts(r)).map(|r| r as u32).collect();
        let weights = WeightSums::of(self.weights.iter().flat_map(|w| self.used.iter().map(|&row| w[row as usize])));
        let number = Number { size, rows: known.len() as u64, moments: Moments::of(&known), weights };
        self.numbers = numbers;
        self.target_state = TargetState::Number(number);
        Ok(())
    }

    /// Takes the target as these labels, which are sorted, and its codes with them.
    fn set_labels(&mut self, labels: &[String]) {
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by(|&a, &b| labels[a].cmp(&labels[b]));
        let weights = WeightSums::default();
        let mut sorted: Vec<Label> =
            order.iter().map(|&at| Label { text: labels[at].clone(), rows: 0, used: 0, weights }).collect();
        let mut place_of = vec![0; labels.len()];
        order.iter().enumerate().for_each(|(new, &old)| place_of[old] = new as u32);
        self.codes.iter_mut().filter(|code| **code != MISSING).for_each(|code| *code = place_of[*code as usize]);
        let mut used = Vec::with_capacity(self.codes.len());
        for (row, &code) in self.codes.iter().enumerate() {
            if let Some(label) = sorted.get_mut(code as usize) {
                label.rows += 1;
                if self.counts(row) {
                    label.used += 1;
                    label.weights = label.weights.merge(WeightSums::of(self.weights.iter().map(|w| w[row])));
                    used.push(row as u32);
                }
            }
        }
        self.grouped = Some(Grouped::new(&used, &self.codes, sorted.len(), self.weights));
        self.used = used;
        self.target_state = TargetState::Labels(sorted);
    }

    /// Takes the covariates of the rows that count.
    fn set_covariates(&mut self, covariates: &[Column]) -> Result<()> {
        let Some(has) = &self.has_covariates else { return Ok(()) };
        let has_target = |row: usize| match &self.target_state {
            TargetState::Labels(_) => self.codes[row] != MISSING,
            TargetState::Number(_) => !self.numbers[row].is_nan(),
        };
        let lacking = has.iter().enumerate().filter(|(row, has)| !**has && has_target(*row)).count() as u64;
        let (groups, target) = match &self.target_state {
            TargetState::Labels(labels) => {
                let group = self.used.iter().map(|&row| self.codes[row as usize]).collect();
                ((group, labels.len()), None)
            }
            TargetState::Number(_) => ((vec![0; self.used.len()], 1), Some(self.numbers.as_slice())),
        };
        let named = |at: usize| self.place.clone().at_column(&self.frame.covariates[at]);
        let mut found = PieceCovariates::new(covariates, &self.used, groups, target, &|row| self.weight(row), &named)?;
        found.state.lacking = lacking;
        self.covariates = Some(found);
        Ok(())
    }

    /// Whether a row has any weight, and all covariates.
    fn counts(&self, row: usize) -> bool {
        self.weights.is_none_or(|w| w[row] > 0.0) && self.has_covariates.as_ref().is_none_or(|has| has[row])
    }

    /// The state of these rows, its columns' sums given.
    pub(crate) fn state(self, features: Vec<FeatureState>) -> State {
        State {
            frame: Arc::clone(self.frame),
            rows: self.rows,
            used: self.used.len() as u64,
            target_state: self.target_state,
            covariates: self.covariates.map(|covariates| covariates.state),
            features,
            notes: vec![],
        }
    }

    /// The sums of a column.
    pub(crate) fn feature(&self, at: usize, column: &Column, room: &mut PassScratch) -> Result<FeatureState> {
        match column {
            Column::Numbers(values) => self.numbers(at, values, room),
            Column::Categories(c) => self.categories(at, c, room),
        }
    }

    /// How many rows there are.
    pub(crate) fn n_rows(&self) -> u64 {
        self.rows
    }

    /// The rows with a target and any weight.
    pub(crate) fn used(&self) -> &[u32] {
        &self.used
    }

    /// How much a row counts.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[row])
    }

    /// How many rows a row is.
    pub(crate) fn copies(&self, row: usize) -> u64 {
        match self.frame.weight_kind() {
            WeightKind::Frequency => self.weight(row) as u64,
            WeightKind::Importance => 1,
        }
    }

    /// How many rows those that have something are.
    fn count(&self, has: impl Fn(usize) -> bool) -> u64 {
        self.used.iter().map(|&row| row as usize).filter(|&row| has(row)).map(|row| self.copies(row)).sum()
    }

    pub(crate) fn weighted(&self) -> bool {
        self.weights.is_some()
    }

    pub(crate) fn target_state(&self) -> &TargetState {
        &self.target_state
    }

    /// The label of a row, where the target has labels.
    pub(crate) fn code(&self, row: usize) -> u32 {
        self.codes[row]
    }

    /// The number of a row times the target's [`unit`], where it is one.
    pub(crate) fn number(&self, row: usize) -> f64 {
        self.numbers[row]
    }

    pub(crate) fn at(&self, column: usize) -> Place {
        self.place.clone().at_column(&self.frame.names[column])
    }

    /// The largest size among a column's numbers; an infinite one is refused.
    pub(crate) fn check_finite(&self, at: usize, values: &[f64]) -> Result<f64> {
        let size = largest_size(values);
        if is_too_large(size) {
            let row = values.iter().position(|x| is_too_large(*x)).unwrap_or(0) as u64;
            let place = self.at(at).at_row(self.before + row + 1);
            return Err(too_large("the value", size, place, REPLACE_OR_LEAVE));
        }
        Ok(size)
    }

    fn numbers(&self, at: usize, values: &[f64], room: &mut PassScratch) -> Result<FeatureState> {
        let size = self.check_finite(at, values)?;
        let scale = unit(size);
        let (known, sums) = match &self.grouped {
            Some(grouped) => {
                let (moments, rows) = grouped.moments_at(values, scale, &mut room.moments);
                (u64::from(rows), FeatureSums::Labels(moments.to_vec()))
            }
            None => {
                let pairs = &mut room.pairs;
                pairs.clear();
                let all = self.used.iter().map(|&row| row as usize);
                let all = all.map(|row| (values[row] * scale, self.numbers[row], self.weight(row)));
                pairs.extend(all.filter(|(x, ..)| !x.is_nan()));
                (pairs.len() as u64, FeatureSums::Number(CoMoments::in_blocks(pairs)))
            }
        };
        if known == 0 && values.iter().all(|x| x.is_nan()) {
            return Ok(FeatureState::default());
        }
        let rows = if self.weighted() { self.count(|row| !values[row].is_nan()) } else { known };
        let cross = self.covariates.as_ref().map(|covariates| {
            let x = |row: usize| values[row] * scale;
            covariates.of_feature(&self.used, &|row| self.weight(row), &x, &sums)
        });
        Ok(FeatureState { rows, values: MergedValues::Numbers { size, sums, cross } })
    }

    fn categories(&self, at: usize, column: &Categories, room: &mut PassScratch) -> Result<FeatureState> {
        check_categories(column.labels().len(), column.labels().first(), || self.at(at))?;
        if column.labels().is_empty() {
            return Ok(FeatureState::default());
        }
        let known = || self.used.iter().map(|&row| row as usize).filter(|&row| column.codes()[row] != MISSING);
        let rows = self.count(|row| column.codes()[row] != MISSING);
        let all: Vec<FeatureSums> = if self.grouped.is_some() {
            let none = FeatureSums::Labels(vec![Moments::default(); self.target_state.labels()]);
            let mut all = vec![none; column.labels().len()];
            for row in known() {
                if let FeatureSums::Labels(counts) = &mut all[column.codes()[row] as usize] {
                    counts[self.codes[row] as usize].count += self.weight(row);
                }
            }
            all
        } else {
            let of_category = |code: u32| {
                room.pairs.clear();
                let rows = known().filter(|&row| column.codes()[row] == code);
                room.pairs.extend(rows.map(|row| (0.0, self.numbers[row], self.weight(row))));
                FeatureSums::Number(CoMoments::in_blocks(&room.pairs))
            };
            (0..column.labels().len() as u32).map(of_category).collect()
        };
        let all: BTreeMap<String, FeatureSums> = column.labels().iter().cloned().zip(all).collect();
        Ok(FeatureState { rows, values: MergedValues::Categories(all) })
    }
}
