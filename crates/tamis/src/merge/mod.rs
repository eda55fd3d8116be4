//! Mergeable states: a small summary per piece of a table, which can be saved, merged, and turned into the answer for
//! the whole.
//!
//! A [`State`] holds the moments of every column by class, or jointly with a numeric target: all that `welch`,
//! `pooled`, `f`, `pearson` and the scores of categories need. It takes memory by columns and classes, not by rows.
//! Where features are adjusted for covariates it also holds their cross-products, by label: with the covariates' columns
//! (`cross_sums`), and of those columns with each other (`covariate_state`).
//!
//! ```text
//! piece ──▶ State ─┐
//! piece ──▶ State ─┼─▶ merge ──▶ State ──▶ scores ──▶ Selection
//! piece ──▶ State ─┘      ▲
//!            └▶ bytes ────┘
//! ```
//!
//! ```
//! use tamis::merge::{Batch, Frame, State};
//! use tamis::table::{Column, ReadOptions};
//! use tamis::Snbl;
//!
//! let frame = Frame::new(vec!["x".into()], &ReadOptions::target("y"), Snbl::default(), 0)?;
//! let piece = |x: Vec<f64>, y: Vec<f64>| -> tamis::Result<State> {
//!     let mut state = State::new(&frame);
//!     state.update(Batch::new(vec![Column::Numbers(x)], &Column::Numbers(y), None)?)?;
//!     Ok(state)
//! };
//! let here = piece(vec![1.0, 4.0, 1.2], vec![0.0, 1.0, 0.0])?;
//! let there = State::from_bytes(&piece(vec![3.9, 0.9], vec![1.0, 0.0])?.to_bytes(), "there.part")?;
//!
//! let whole = State::merge_all(vec![here, there])?;
//! assert!(whole.scores(&Snbl::default())?.z()[0] > 3.0);
//! # Ok::<(), tamis::Error>(())
//! ```
//!
//! *Same answer, whatever the split.* Merging adds by Chan's formula, with a second double for every mean: other splits of
//! the same rows agree to 1e-11 in their scores (1e-7 for columns that lie 10⁵ standard deviations from 0).
//! Such sums depend in their last bits on the order, so [`State::merge_all`] first sorts the states by a digest of their
//! bytes: a given set of states gives the same bits in whatever order it comes.
//!
//! *Classes are found as they come.* A class may be missing from a piece. Whether numbers are classes is decided by the
//! rule that holds for files (text, two values, or at most 20 different whole numbers), but only once all pieces are
//! there: as long as there are at most 20 different values their moments are kept apart, and joint moments follow from
//! those exactly. Beyond that it is a number; text in another piece is refused then, unless `task` says classes.

pub(crate) mod answer;
mod bytes;
mod column_shards;
pub(crate) mod covariate_state;
mod cross_sums;
pub(crate) mod effective_rows;
pub(crate) mod envelope;
pub(crate) mod feature;
mod merge_files;
pub(crate) mod pass;
mod piece_covariates;
pub(crate) mod piece_target;
pub(crate) mod profile;
pub(crate) mod recognise_merged_target;
mod row_bytes;
mod row_state;
pub(crate) mod sum_pass;
pub(crate) mod target_state;

pub use answer::Answer;
pub use envelope::FORMAT_VERSION;
pub use merge_files::{Merged, NAMED_TWICE, merge_files, merge_profile_files};
pub use profile::Profile;
pub use row_state::RowState;
pub use sum_pass::Batch;

use crate::base::remedies::{GIVE_ONE, SAME_OPTIONS, no_feature, nothing_to_merge, same_name};
use crate::base::{Auto, Describe, Error, Note, OptionName, Place, Result, text};
use crate::score::joint_moments::ColumnMove;
use crate::sparse_means::Snbl;
use crate::table::{ReadOptions, RequestedComparison, RowWeights, Task, WeightKind, effective};
use covariate_state::CovariateState;
use feature::FeatureState;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use target_state::{Change, TargetState};

/// The frame shared by all pieces of a table: columns, options and method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The features' names, in order.
    pub names: Arc<[String]>,
    /// The target's name.
    pub target: String,
    /// The name of the column of row weights.
    pub weight: Option<String>,
    /// What these weights mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_kind: Option<WeightKind>,
    /// The names of the covariates that features are adjusted for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covariates: Vec<String>,
    /// The task, if the user sets it.
    pub task: Option<Task>,
    /// The classes that are compared, if the user says.
    #[serde(flatten)]
    pub comparison: RequestedComparison,
    /// The method that the state is made for; every moment score can be had from it.
    pub method: Snbl,
    /// The seed.
    pub seed: u64,
}

/// The mergeable state of some rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub(crate) frame: Arc<Frame>,
    /// Rows there are, with or without a target.
    pub(crate) rows: u64,
    /// Rows with a target and any weight.
    pub(crate) used: u64,
    pub(crate) target_state: TargetState,
    /// Where features are adjusted for covariates.
    pub(crate) covariates: Option<CovariateState>,
    pub(crate) features: Vec<FeatureState>,
    /// Notes on how the pieces were read.
    notes: Vec<Note>,
}

/// The method of a state that may be older. States hold no null targets, so that their method leaves the permutations open
/// or takes none; in states of 0.2.0 it has the number that was the default.
fn of_a_state(mut method: Snbl) -> Snbl {
    if method.means.permutations != Auto::Set(0) {
        method.means.permutations = Auto::Auto;
    }
    method
}

impl Frame {
    /// The frame of features of these names, read by these options.
    pub fn new(names: Vec<String>, options: &ReadOptions, method: Snbl, seed: u64) -> Result<Arc<Frame>> {
        check_method(&method)?;
        check_comparison(&options.comparison)?;
        let mut seen = std::collections::HashSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(same_name(name, Place::default()));
        }
        if names.is_empty() {
            return Err(no_feature(Place::default()));
        }
        Ok(Arc::new(Frame {
            names: names.into(),
            target: options.target.clone(),
            weight: options.weight.clone(),
            weight_kind: options.weight.is_some().then_some(options.weight_kind),
            covariates: options.covariates.clone(),
            task: options.task,
            comparison: options.comparison.clone(),
            method,
            seed,
        }))
    }

    /// What weights mean: states made before there were kinds of them have numbers of copies.
    pub(crate) fn weight_kind(&self) -> WeightKind {
        self.weight_kind.unwrap_or(WeightKind::Frequency)
    }

    /// The weights of all rows as counting takes them: those of importance sum to their effective number.
    pub(crate) fn counted(&self, weights: Vec<f64>) -> RowWeights {
        match self.weight_kind() {
            WeightKind::Importance => RowWeights { values: effective(&weights), kind: WeightKind::Importance },
            kind => RowWeights { values: weights, kind },
        }
    }

    /// Where each of these features is among `found`; a feature too many or too few is refused.
    pub(crate) fn positions(&self, found: &[String], place: &Place) -> Result<Option<Vec<usize>>> {
        if found == &*self.names {
            return Ok(None);
        }
        let places: HashMap<&str, usize> = found.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let at = |name: &String| {
            places.get(name.as_str()).copied().ok_or_else(|| {
                let problem = format!("there is no column `{name}`, which other pieces of the table have");
                Error::data(place.clone(), problem, "give pieces of one table, with the same columns")
            })
        };
        let positions = self.names.iter().map(at).collect::<Result<Vec<usize>>>()?;
        if found.len() > positions.len() {
            let known: std::collections::HashSet<&str> = self.names.iter().map(String::as_str).collect();
            let extra = found.iter().find(|name| !known.contains(name.as_str())).map_or("", String::as_str);
            let problem = "other pieces of the table do not have this column";
            let remedy = text!["give pieces of one table, or leave it out with ", OptionName::Drop.set(extra)];
            return Err(Error::data(place.clone().at_column(extra), problem, remedy));
        }
        Ok(Some(positions))
    }

    /// Refuses to be merged with a frame of something else.
    pub(crate) fn check_same(&self, other: &Frame, place: &Place) -> Result<()> {
        let differ = |what: &str, ours: String, theirs: String| {
            let problem = format!("it has {what} {theirs} where others have {ours}");
            Err(Error::data(place.clone(), problem, SAME_OPTIONS))
        };
        let said = |text: &Option<String>| text.as_ref().map_or("none".to_string(), |text| format!("`{text}`"));
        if self.target != other.target {
            return differ("the target", format!("`{}`", self.target), format!("`{}`", other.target));
        }
        if self.weight != other.weight {
            return differ("the weight", said(&self.weight), said(&other.weight));
        }
        if self.weight_kind != other.weight_kind {
            let said = |kind: Option<WeightKind>| kind.map_or("not set".to_string(), |kind| format!("`{kind}`"));
            return differ("the kind of weights", said(self.weight_kind), said(other.weight_kind));
        }
        if self.covariates != other.covariates {
            let quoted = |names: &[String]| match names {
                [] => "none".to_string(),
                names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            };
            return differ("the covariates", quoted(&self.covariates), quoted(&other.covariates));
        }
        if self.task != other.task {
            let said = |task: Option<Task>| match task {
                None => "not set".to_string(),
                Some(Task::Classes) => "`classes`".to_string(),
                Some(Task::Real) => "`real`".to_string(),
            };
            return differ("the task", said(self.task), said(other.task));
        }
        let (ours, theirs) = (&self.comparison, &other.comparison);
        if ours.positive != theirs.positive {
            return differ("the positive class", said(&ours.positive), said(&theirs.positive));
        }
        if ours.reference != theirs.reference {
            return differ("the reference", said(&ours.reference), said(&theirs.reference));
        }
        if self.seed != other.seed {
            return differ("the seed", self.seed.to_string(), other.seed.to_string());
        }
        if self.method != other.method {
            let (ours, theirs) =
                (crate::base::parameter::fields(&self.method), crate::base::parameter::fields(&other.method));
            let key = ours.keys().find(|key| ours.get(*key) != theirs.get(*key));
            let key = key.cloned().expect("methods that differ differ in a parameter");
            let value = |fields: &serde_json::Map<String, serde_json::Value>| format!("{key}={}", fields[&key]);
            return differ("the setting", value(&ours), value(&theirs));
        }
        Ok(())
    }
}

/// Refuses to compare two of several classes, which needs all rows.
fn check_comparison(wanted: &RequestedComparison) -> Result<()> {
    match &wanted.contrast {
        None => Ok(()),
        Some(pair) => {
            let expected = "two of several classes are compared only where all rows are at hand";
            Err(Error::parameter(OptionName::Contrast, pair.join(","), expected))
        }
    }
}

/// Refuses a number of permutations that was asked for, where null targets are not summed.
pub(crate) fn check_permutations(method: &Snbl) -> Result<()> {
    let permutations = match method.means.permutations {
        Auto::Auto | Auto::Set(0) => return Ok(()),
        Auto::Set(permutations) => permutations,
    };
    let expected = text![
        "a table read in pieces without null targets has its features taken as independent; pass ",
        OptionName::from("permutations").set("0"),
        " or read the table whole"
    ];
    Err(Error::parameter("permutations", permutations, expected))
}

/// Refuses a score that needs all values of a column at once, and permutations.
pub fn check_method(method: &Snbl) -> Result<()> {
    method.means.validate()?;
    check_permutations(method)?;
    if method.score.by_moments() {
        return Ok(());
    }
    let expected = text![
        "it ranks all values of a column and cannot be used on a table in pieces; pass ",
        OptionName::from("score").set("auto"),
        ", `welch`, `pooled`, `f` or `pearson`, or read the table whole"
    ];
    Err(Error::parameter("score", method.score.name(), expected))
}

impl State {
    /// The state of no rows.
    pub fn new(frame: &Arc<Frame>) -> State {
        let target_state = TargetState::none(frame.task);
        let n_covariates = frame.covariates.len();
        State {
            frame: Arc::clone(frame),
            rows: 0,
            used: 0,
            covariates: (n_covariates > 0).then(|| CovariateState::none(n_covariates, &target_state)),
            target_state,
            features: vec![FeatureState::default(); frame.names.len()],
            notes: vec![],
        }
    }

    /// The frame shared by all pieces.
    pub fn frame(&self) -> &Arc<Frame> {
        &self.frame
    }

    /// Rows so far, with or without a target.
    pub fn n_rows(&self) -> u64 {
        self.rows
    }

    /// Adds rows. Columns are scored in parallel.
    ///
    /// Cost: two passes over each column while it is in cache.
    pub fn update(&mut self, batch: Batch) -> Result<()> {
        let place = batch.place.clone();
        let state = sum_pass::of_batch(&sum_pass::SumPass(Arc::clone(&self.frame)), batch, true)?;
        self.merge(state, &place)
    }

    /// Something that reading had to decide; the same is said once.
    pub fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
            self.notes.sort_by_cached_key(Note::to_string);
        }
    }

    /// Adds the rows of another state, read from `place`. The last bits depend on the order: see [`State::merge_all`].
    /// On error `self` is unspecified; discard it.
    ///
    /// Cost: columns × classes, whatever the rows.
    pub fn merge(&mut self, mut other: State, place: &Place) -> Result<()> {
        if !Arc::ptr_eq(&self.frame, &other.frame) {
            self.frame.check_same(&other.frame, place)?;
            if let Some(positions) = self.frame.positions(&other.frame.names, place)? {
                let mut theirs: Vec<Option<FeatureState>> = other.features.into_iter().map(Some).collect();
                other.features =
                    positions.into_iter().map(|at| theirs[at].take().expect("every position once")).collect();
            }
        }
        let target = place.clone().at_column(&self.frame.target);
        let (target_state, [ours, theirs]) =
            target_state::union(&self.target_state, &other.target_state, self.frame.task, &target)?;
        self.target_state = target_state;
        let arranged = self.arrange_covariates(&other, [&ours, &theirs], place)?;
        let pair = arranged.as_ref().map(|(after, _)| [&after[0], &after[1]]);
        let merge = |(at, (feature, mut their_feature)): (usize, (&mut FeatureState, FeatureState))| {
            let place = || place.clone().at_column(&self.frame.names[at]);
            feature.change(&ours, self.covariates.as_ref());
            their_feature.change(&theirs, other.covariates.as_ref());
            if let Some((_, moves)) = &arranged {
                feature.rearrange(&moves[0]);
                their_feature.rearrange(&moves[1]);
            }
            feature.merge(their_feature, pair, place)
        };
        const FEW: usize = 512; // so few are merged faster by one thread
        let n = self.features.len();
        let pairs = self.features.par_iter_mut().zip(other.features).enumerate();
        pairs.with_min_len(FEW.min(n)).map(merge).collect::<Result<()>>()?;
        if let Some(([mut all, others], _)) = arranged {
            all.merge(&others);
            self.covariates = Some(all);
        }
        self.rows = self.rows.saturating_add(other.rows);
        self.used = self.used.saturating_add(other.used);
        other.notes.into_iter().for_each(|note| self.note(note));
        Ok(())
    }

    /// The covariates of both states, recast for the target of both and arranged alike, and where columns went.
    fn arrange_covariates(
        &self,
        other: &State,
        changes: [&Change; 2],
        place: &Place,
    ) -> Result<Option<([CovariateState; 2], [ColumnMove; 2])>> {
        let (Some(ours), Some(theirs)) = (&self.covariates, &other.covariates) else { return Ok(None) };
        let mut both = [ours.clone(), theirs.clone()];
        both.iter_mut().zip(changes).for_each(|(covariates, change)| covariates.change(change));
        let with_target = matches!(self.target_state, TargetState::Number(_));
        let (kinds, moves) = both[0].union(&both[1], &self.frame.covariates, with_target, place)?;
        both.iter_mut().zip(&moves).for_each(|(covariates, change)| covariates.rearrange(kinds.clone(), change));
        Ok(Some((both, moves)))
    }

    /// Merges a set of states to the same bits whatever order they come in: in order of the digests of their bytes. The
    /// features have the order of the first of those.
    pub fn merge_all(states: Vec<State>) -> Result<State> {
        let mut digested: Vec<(u64, State)> = states.into_iter().map(|state| (state.digest(), state)).collect();
        digested.sort_by_key(|(digest, _)| *digest);
        let mut states = digested.into_iter().map(|(_, state)| state);
        let mut whole = states.next().ok_or_else(|| nothing_to_merge(GIVE_ONE))?;
        states.try_for_each(|state| whole.merge(state, &Place::default()))?;
        Ok(whole)
    }
}
