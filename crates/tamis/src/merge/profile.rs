//! The profile of a table's target, from a first pass over the target alone (and weights and covariates).
//!
//! Profiles of shards merge to the same bits in any order. With the profile of the whole table each shard can draw its null
//! targets by itself.

use super::envelope::{PROFILE, envelope, not_a_state, opened};
use super::pass::{Pass, PieceHead};
use super::piece_target::PieceTarget;
use super::recognise_merged_target::RecognisedTarget;
use super::sum_pass::PassScratch;
use super::target_state::{TargetState, WeightSums};
use super::{Frame, State};
use crate::base::error::Place;
use crate::base::remedies::{GIVE_ONE, nothing_to_merge};
use crate::base::{Command, Error, Result, text};
use crate::merge::covariate_state::CovariateKind;
use crate::merge::feature::FeatureState;
use crate::score::Moments;
use crate::score::joint_moments::JointMoments;
use crate::score::null::by_row::{
    Exact, FEWEST_ROWS, MOST_COPIES, Plan, PlannedCovariate, PlannedTarget, TargetSketch, weighing,
};
use crate::sparse_means::Snbl;
use crate::table::target_rule::value_of;
use crate::table::{Column, WeightKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The profile of a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The features, in the order of the table or of the shard whose profile comes first.
    pub(crate) names: Arc<[String]>,
    /// A state without features.
    pub(crate) state: State,
    sketch: TargetSketch,
    weights: BTreeMap<String, GroupWeights>,
}

/// The weights of the rows of one label.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct GroupWeights {
    /// Σw and Σw².
    sums: [Exact; 2],
    largest: f64,
}

/// What a profile holds beside its state.
#[derive(Serialize, Deserialize)]
struct ProfileHeader {
    names: Arc<[String]>,
    sketch: TargetSketch,
    weights: BTreeMap<String, GroupWeights>,
}

impl Profile {
    /// Of no rows of a table of these features; `frame` has none.
    pub(crate) fn none(names: Arc<[String]>, frame: &Arc<Frame>) -> Profile {
        Profile { names, state: State::new(frame), sketch: TargetSketch::default(), weights: BTreeMap::new() }
    }

    /// How many rows there are, with or without a target.
    pub fn n_rows(&self) -> u64 {
        self.state.n_rows()
    }

    /// How many features there are.
    pub fn n_features(&self) -> usize {
        self.names.len()
    }

    /// The target's name.
    pub fn target(&self) -> &str {
        &self.state.frame.target
    }

    /// Adds the profile of other rows, read from `place`. On error `self` is unspecified; discard it.
    ///
    /// # Errors
    ///
    /// A profile of another table, or of other options.
    pub fn merge(&mut self, other: Profile, place: &Place) -> Result<()> {
        if self.names != other.names {
            let names = Frame { names: Arc::clone(&self.names), ..Frame::clone(&self.state.frame) };
            names.positions(&other.names, place)?;
        }
        self.state.merge(other.state, place)?;
        self.sketch.merge(&other.sketch);
        for (label, theirs) in other.weights {
            let ours = self.weights.entry(label).or_default();
            ours.sums.iter_mut().zip(&theirs.sums).for_each(|(a, b)| a.merge(b));
            ours.largest = ours.largest.max(theirs.largest);
        }
        self.settle();
        Ok(())
    }

    /// Makes what depends on the order of sums follow from what does not.
    fn settle(&mut self) {
        let weights = |group: Option<&GroupWeights>| {
            let [sum, squares] = group.copied().unwrap_or_default().sums.map(|sum| sum.value());
            WeightSums { sum, squares }
        };
        let weighted = self.state.frame.weight.is_some();
        match &mut self.state.target_state {
            TargetState::Labels(labels) if weighted => {
                labels.iter_mut().for_each(|label| label.weights = weights(self.weights.get(&label.text)));
            }
            TargetState::Labels(_) => {}
            TargetState::Number(number) => {
                let mut all = GroupWeights::default();
                for group in self.weights.values() {
                    all.sums.iter_mut().zip(&group.sums).for_each(|(a, b)| a.merge(b));
                    all.largest = all.largest.max(group.largest);
                }
                self.weights = BTreeMap::from([(String::new(), all)]);
                number.weights = if weighted { weights(Some(&all)) } else { WeightSums::default() };
                let m2 = f64::from(u8::from(self.sketch.varies()));
                number.moments = Moments { count: number.rows as f64, mean: 0.0, rest: 0.0, m2 };
            }
        }
        for group in self.state.covariates.iter_mut().flat_map(|covariates| &mut covariates.groups) {
            *group = JointMoments::none(group.width());
        }
    }

    /// Merges profiles to the same bits in any order.
    ///
    /// # Errors
    ///
    /// Those of [`Profile::merge`], and no profile.
    pub fn merge_all(profiles: Vec<Profile>) -> Result<Profile> {
        let mut digested: Vec<(Vec<u8>, Profile)> =
            profiles.into_iter().map(|profile| (profile.to_bytes(), profile)).collect();
        digested.sort_by(|a, b| a.0.cmp(&b.0));
        let mut profiles = digested.into_iter().map(|(_, profile)| profile);
        let mut whole = profiles.next().ok_or_else(|| nothing_to_merge(GIVE_ONE))?;
        profiles.try_for_each(|profile| whole.merge(profile, &Place::default()))?;
        Ok(whole)
    }

    /// The profile as bytes; [`Profile::from_bytes`] gives the same profile back.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (names, sketch, weights) = (Arc::clone(&self.names), self.sketch.clone(), self.weights.clone());
        let head = serde_json::to_vec(&ProfileHeader { names, sketch, weights }).unwrap_or_default();
        let mut body = (head.len() as u64).to_le_bytes().to_vec();
        body.extend_from_slice(&head);
        body.extend_from_slice(&self.state.body());
        envelope(&PROFILE, &body)
    }

    /// Whether bytes begin as those of a profile.
    pub fn is_one(bytes: &[u8]) -> bool {
        PROFILE.begins(bytes)
    }

    /// Reads a profile back; `name` is the file's, for messages.
    ///
    /// # Errors
    ///
    /// Bytes that are cut short, damaged, of another format or of something else.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Profile> {
        let body = opened(&PROFILE, bytes, name)?;
        Profile::of_body(body).ok_or_else(|| not_a_state(name, text!["make it again with ", Command::Profile]))
    }

    fn of_body(body: &[u8]) -> Option<Profile> {
        let (length, rest) = body.split_first_chunk::<8>()?;
        let (head, state) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let ProfileHeader { names, sketch, weights } = serde_json::from_slice(head).ok()?;
        Some(Profile { names, state: super::bytes::decode_without_features(state)?, sketch, weights })
    }

    /// The target of all rows.
    pub(crate) fn recognise(&self) -> Result<RecognisedTarget> {
        self.state.recognise()
    }

    /// How null targets of this table are drawn, by this method.
    ///
    /// # Errors
    ///
    /// A target that nothing can be learned from, and one that is too uneven for rows to draw it by themselves.
    pub(crate) fn plan(&self, target: &RecognisedTarget, method: &Snbl) -> Result<Plan> {
        let frame = &self.state.frame;
        if let Some(covariates) = &self.state.covariates {
            covariates.check(&frame.covariates)?;
        }
        let groups = target.n_classes().unwrap_or(1);
        let mut sums = vec![GroupWeights::default(); groups];
        let class_of = |text: &String| match (&self.state.target_state, target.n_classes()) {
            (TargetState::Labels(labels), Some(_)) => {
                labels.iter().position(|label| label.text == *text).map_or(0, |at| target.class[at])
            }
            _ => 0,
        };
        for (label, weights) in &self.weights {
            let group = &mut sums[class_of(label)];
            group.sums.iter_mut().zip(&weights.sums).for_each(|(a, b)| a.merge(b));
            group.largest = group.largest.max(weights.largest);
        }
        let kind = frame.weight.is_some().then(|| frame.weight_kind());
        let largest = sums.iter().map(|group| group.largest).fold(0.0, f64::max);
        let refuse = |problem: String, remedy: &'static str| {
            Err(Error::data(Place::default().at_column(&frame.target), problem, remedy))
        };
        if kind == Some(WeightKind::Frequency) && largest > MOST_COPIES as f64 {
            return refuse(
                format!("a row stands for {largest} copies, each of which draws null targets by itself"),
                "give at most 1,000 copies of a row, or weights of importance",
            );
        }
        if let Some(at) = (0..target.used.len()).find(|&class| target.used[class] < FEWEST_ROWS) {
            let label = &target.labels[at];
            return refuse(
                format!("the class `{label}` has {} rows: null targets could lack it", target.used[at]),
                "give at least 10 rows of each class, or no null targets",
            );
        }
        let sums: Vec<[Exact; 2]> = sums.iter().map(|group| group.sums).collect();
        let (weights, shares) = weighing(&sums, kind, largest);
        let covariate = |(name, kind): (&String, &CovariateKind)| PlannedCovariate {
            name: name.clone(),
            levels: match kind {
                CovariateKind::Levels(levels) => Some(levels.clone()),
                CovariateKind::Numbers(_) | CovariateKind::Unknown => None,
            },
        };
        let kinds = self.state.covariates.as_ref().map_or(&[][..], |covariates| &covariates.kinds);
        let rows = usize::try_from(self.state.n_samples()).unwrap_or(usize::MAX);
        Ok(Plan {
            seed: frame.seed,
            count: method.means.permutations_for(rows, self.names.len()),
            names: Arc::clone(&self.names),
            target_name: frame.target.clone(),
            target: match target.n_classes() {
                Some(_) => PlannedTarget::Classes { labels: target.labels.clone(), positive: target.positive, shares },
                None => PlannedTarget::Numbers { values: self.sketch.values() },
            },
            covariates: frame.covariates.iter().zip(kinds).map(covariate).collect(),
            weights,
            rows: self.state.used,
        })
    }
}

/// The first pass, over the target, the weights and the covariates.
pub(crate) struct ProfilePass {
    /// Without features.
    pub(crate) frame: Arc<Frame>,
    pub(crate) names: Arc<[String]>,
}

impl Pass for ProfilePass {
    type Target<'a> = PieceTarget<'a>;
    type Column = FeatureState;
    type Part = Profile;

    fn frame(&self) -> &Arc<Frame> {
        &self.frame
    }

    fn target<'a>(&'a self, head: PieceHead<'a>) -> Result<PieceTarget<'a>> {
        PieceTarget::new(&self.frame, head)
    }

    fn column(&self, _: &PieceTarget<'_>, _: usize, _: &Column, _: &mut PassScratch) -> Result<FeatureState> {
        Ok(FeatureState::default())
    }

    fn part(&self, rows: PieceTarget<'_>, _: Vec<FeatureState>) -> Profile {
        let mut sketch = TargetSketch::default();
        let mut weights: BTreeMap<String, GroupWeights> = BTreeMap::new();
        let mut add = |label: &str, row: u32| {
            let weight = rows.weight(row as usize);
            if !weights.contains_key(label) {
                weights.insert(label.to_string(), GroupWeights::default());
            }
            if let Some(group) = weights.get_mut(label) {
                group.sums[0].add_one(weight);
                group.sums[1].add_one(weight * weight);
                group.largest = group.largest.max(weight);
            }
        };
        match rows.target_state() {
            TargetState::Labels(labels) => {
                rows.used().iter().for_each(|&row| add(&labels[rows.code(row as usize) as usize].text, row));
                for label in labels.iter().filter(|label| label.used > 0) {
                    if let Some(value) = value_of(&label.text) {
                        sketch.add(value, label.used);
                    }
                }
            }
            TargetState::Number(_) => {
                rows.used().iter().for_each(|&row| add("", row));
                rows.target_numbers().filter(|(y, _)| !y.is_nan()).for_each(|(y, _)| sketch.add(y, 1));
            }
        }
        let mut profile = Profile { names: Arc::clone(&self.names), state: rows.state(vec![]), sketch, weights };
        profile.settle();
        profile
    }
}
