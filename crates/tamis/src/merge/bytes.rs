//! States as bytes, for files and for other engines.
//!
//! ```text
//! 8 bytes   mark            89 't' 'a' 'm' 'i' 's' 0d 0a
//! 4 bytes   format version
//! 8 bytes   length of the body
//! body      length of the head (8 bytes), head (JSON: frame, rows, labels, notes), target, features
//! 8 bytes   digest of the body (FNV-1a)
//! ```
//!
//! All numbers are little-endian, doubles bit by bit. A feature is its sort (1 byte), its rows (8) and its sums: per label
//! count, mean, rest and M2; or count, both means, xx, yy and xy. Where there are covariates, their joint moments stand
//! before the features, and a feature's sums with them behind its own.

use crate::base::note::Note;
use crate::base::{Command, Result, text};
use crate::merge::covariate_state::{CovariateKind, CovariateState};
use crate::merge::cross_sums::CrossSums;
use crate::merge::envelope::{MAKE_AGAIN, STATE, digest, envelope, not_a_state, opened};
use crate::merge::feature::{FeatureState, FeatureSums, MergedValues};
use crate::merge::target_state::{Label, Number, TargetState, WeightSums};
use crate::merge::{Frame, State, check_method, of_a_state};
use crate::score::Moments;
use crate::score::comoments::CoMoments;
use crate::score::joint_moments::JointMoments;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

const UNKNOWN: u8 = 0;
const NUMBERS: u8 = 1;
const CATEGORIES: u8 = 2;

/// The header: everything but the long arrays.
#[derive(Serialize, Deserialize)]
struct StateHeader {
    tamis: String,
    frame: Frame,
    rows: u64,
    used: u64,
    /// Text, rows, rows with any weight; absent for a numeric target.
    labels: Option<Vec<(String, u64, u64)>>,
    /// The sums of the weights and of their squares, label by label or of all; absent where rows have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    weights: Vec<WeightSums>,
    /// The kind of every covariate, and rows that lack one; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    covariates: Option<(Vec<CovariateKind>, u64)>,
    notes: Vec<Note>,
}

impl State {
    /// The state as bytes; [`State::from_bytes`] gives the same state back, bit by bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        envelope(&STATE, &self.body())
    }

    /// A digest of everything the state holds: equal states have equal ones.
    pub fn digest(&self) -> u64 {
        digest(&self.body())
    }

    pub(super) fn body(&self) -> Vec<u8> {
        let labels = match &self.target_state {
            TargetState::Labels(labels) => Some(labels.iter().map(|l| (l.text.clone(), l.rows, l.used)).collect()),
            TargetState::Number(_) => None,
        };
        let head = StateHeader {
            tamis: env!("CARGO_PKG_VERSION").into(),
            frame: Frame::clone(&self.frame),
            rows: self.rows,
            used: self.used,
            labels,
            weights: if self.frame.weight_kind.is_some() { self.target_state.weights() } else { vec![] },
            covariates: self.covariates.as_ref().map(|covariates| (covariates.kinds.clone(), covariates.lacking)),
            notes: self.notes.clone(),
        };
        let head = serde_json::to_vec(&head).expect("texts and finite numbers");
        let mut body = BodyWriter(vec![]);
        body.count(head.len() as u64);
        body.0.extend_from_slice(&head);
        if let TargetState::Number(Number { size, rows, moments, .. }) = &self.target_state {
            body.count(*rows);
            body.numbers(&[*size]);
            body.moments(moments);
        }
        self.covariates.iter().flat_map(|covariates| &covariates.groups).for_each(|group| body.joint(group));
        for feature in &self.features {
            body.feature(feature);
        }
        body.0
    }

    /// Reads a state back; `name` is the file's, for messages. Bytes that are cut short, damaged, of another format or of
    /// something else are refused.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<State> {
        let body = opened(&STATE, bytes, name)?;
        let state =
            decode(body, true).ok_or_else(|| not_a_state(name, text![MAKE_AGAIN, " with ", Command::Partial]))?;
        check_method(&state.frame.method)?;
        Ok(state)
    }
}

/// A body being written.
struct BodyWriter(Vec<u8>);

impl BodyWriter {
    fn count(&mut self, n: u64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.0.extend_from_slice(&x.to_bits().to_le_bytes()));
    }

    fn moments(&mut self, m: &Moments) {
        self.numbers(&[m.count, m.mean, m.rest, m.m2]);
    }

    fn joint(&mut self, m: &JointMoments) {
        self.numbers(&[m.count]);
        self.numbers(&m.means);
        self.numbers(&m.products);
    }

    fn cross(&mut self, CrossSums { cross, own }: &CrossSums) {
        cross.iter().for_each(|cross| self.numbers(cross));
        self.0.push(u8::from(own.is_some()));
        own.iter().flatten().for_each(|group| self.joint(group));
    }

    fn sums(&mut self, sums: &FeatureSums) {
        match sums {
            FeatureSums::Labels(all) => all.iter().for_each(|m| self.moments(m)),
            FeatureSums::Number(m) => self.numbers(&[m.count, m.mean_x, m.mean_y, m.xx, m.yy, m.xy]),
        }
    }

    fn feature(&mut self, feature: &FeatureState) {
        let sort = match feature.values {
            MergedValues::Unknown => UNKNOWN,
            MergedValues::Numbers { .. } => NUMBERS,
            MergedValues::Categories(_) => CATEGORIES,
        };
        self.0.push(sort);
        self.count(feature.rows);
        match &feature.values {
            MergedValues::Unknown => {}
            MergedValues::Numbers { size, sums, cross } => {
                self.numbers(&[*size]);
                self.sums(sums);
                cross.iter().for_each(|cross| self.cross(cross));
            }
            MergedValues::Categories(all) => {
                self.count(all.len() as u64);
                for (text, sums) in all {
                    self.count(text.len() as u64);
                    self.0.extend_from_slice(text.as_bytes());
                    self.sums(sums);
                }
            }
        }
    }
}

/// The state without features that a body holds; `None` if it does not.
pub(super) fn decode_without_features(body: &[u8]) -> Option<State> {
    decode(body, false)
}

/// The state that a body holds, with or without features; `None` if it does not.
fn decode(body: &[u8], features: bool) -> Option<State> {
    let mut rest = BodyReader(body);
    let length = rest.count()?;
    let head: StateHeader = serde_json::from_slice(rest.take(length)?).ok()?;
    let names = &head.frame.names;
    if names.is_empty() == features || names.iter().collect::<HashSet<_>>().len() < names.len() {
        return None;
    }
    let target_state = match head.labels {
        Some(labels) => {
            let sorted = labels.windows(2).all(|pair| pair[0].0 < pair[1].0);
            let weights = known_weights(head.weights, &head.frame, labels.len())?;
            let labels = labels.into_iter().zip(weights);
            let labels = labels.map(|((text, rows, used), weights)| Label { text, rows, used, weights });
            sorted.then(|| TargetState::Labels(labels.collect()))?
        }
        None => {
            let rows = rest.count()?;
            let weights = known_weights(head.weights, &head.frame, 1)?[0];
            TargetState::Number(Number { rows, size: rest.number()?, moments: rest.moments()?, weights })
        }
    };
    let covariates = match head.covariates {
        None => None,
        Some((kinds, lacking)) => Some(rest.covariates(kinds, lacking, &head.frame, &target_state)?),
    };
    if covariates.is_none() != head.frame.covariates.is_empty() {
        return None;
    }
    let shape = covariates.as_ref().map(|covariates| (covariates.groups.len(), covariates.width(&target_state)));
    let features = names.iter().map(|_| rest.feature(&target_state, shape)).collect::<Option<Vec<FeatureState>>>()?;
    let complete = rest.0.is_empty() && features.iter().all(|feature| feature.fits(&target_state));
    let StateHeader { frame, rows, used, notes, .. } = head;
    let frame = Frame { method: of_a_state(frame.method), ..frame };
    complete.then(|| State { frame: Arc::new(frame), rows, used, target_state, covariates, features, notes })
}

/// The sums of weights of so many groups of rows, as the head has them; `None` if it should have others.
fn known_weights(found: Vec<WeightSums>, frame: &Frame, groups: usize) -> Option<Vec<WeightSums>> {
    match frame.weight_kind {
        Some(_) => (found.len() == groups).then_some(found),
        None => found.is_empty().then(|| vec![WeightSums::default(); groups]),
    }
}

/// The unread rest of a body.
struct BodyReader<'a>(&'a [u8]);

impl<'a> BodyReader<'a> {
    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<u64> {
        let (taken, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*taken))
    }

    fn number(&mut self) -> Option<f64> {
        self.count().map(f64::from_bits)
    }

    fn moments(&mut self) -> Option<Moments> {
        Some(Moments { count: self.number()?, mean: self.number()?, rest: self.number()?, m2: self.number()? })
    }

    fn sums(&mut self, target_state: &TargetState) -> Option<FeatureSums> {
        Some(match target_state {
            TargetState::Labels(labels) => {
                FeatureSums::Labels(labels.iter().map(|_| self.moments()).collect::<Option<_>>()?)
            }
            TargetState::Number(_) => FeatureSums::Number(CoMoments {
                count: self.number()?,
                mean_x: self.number()?,
                mean_y: self.number()?,
                xx: self.number()?,
                yy: self.number()?,
                xy: self.number()?,
            }),
        })
    }

    fn some_numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        (0..count).map(|_| self.number()).collect()
    }

    fn joint(&mut self, width: usize) -> Option<JointMoments> {
        let count = self.number()?;
        let means = self.some_numbers(width)?;
        Some(JointMoments { count, means, products: self.some_numbers(JointMoments::triangle(width))? })
    }

    /// The covariates of a frame; their levels must be sorted.
    fn covariates(
        &mut self,
        kinds: Vec<CovariateKind>,
        lacking: u64,
        frame: &Frame,
        target_state: &TargetState,
    ) -> Option<CovariateState> {
        let sorted = |kind: &CovariateKind| match kind {
            CovariateKind::Levels(levels) => levels.windows(2).all(|pair| pair[0] < pair[1]),
            _ => true,
        };
        if kinds.len() != frame.covariates.len() || !kinds.iter().all(sorted) {
            return None;
        }
        let mut covariates = CovariateState { kinds, lacking, groups: vec![] };
        let width = covariates.width(target_state);
        let n_groups = if let TargetState::Labels(labels) = target_state { labels.len() } else { 1 };
        covariates.groups = (0..n_groups).map(|_| self.joint(width)).collect::<Option<_>>()?;
        Some(covariates)
    }

    /// The sums of a feature with so many columns, in so many groups.
    fn cross(&mut self, (n_groups, width): (usize, usize)) -> Option<CrossSums> {
        let cross = (0..n_groups).map(|_| self.some_numbers(width)).collect::<Option<_>>()?;
        let own = match self.take(1)?[0] {
            0 => None,
            1 => Some((0..n_groups).map(|_| self.joint(width)).collect::<Option<_>>()?),
            _ => return None,
        };
        Some(CrossSums { cross, own })
    }

    fn feature(&mut self, target_state: &TargetState, shape: Option<(usize, usize)>) -> Option<FeatureState> {
        let sort = self.take(1)?[0];
        let rows = self.count()?;
        let values = match sort {
            UNKNOWN => MergedValues::Unknown,
            NUMBERS => {
                let (size, sums) = (self.number()?, self.sums(target_state)?);
                let cross = match shape {
                    None => None,
                    Some(shape) => Some(self.cross(shape)?),
                };
                MergedValues::Numbers { size, sums, cross }
            }
            CATEGORIES => {
                let mut all = BTreeMap::new();
                for _ in 0..self.count()? {
                    let length = self.count()?;
                    let text = String::from_utf8(self.take(length)?.to_vec()).ok()?;
                    all.insert(text, self.sums(target_state)?);
                }
                MergedValues::Categories(all)
            }
            _ => return None,
        };
        Some(FeatureState { rows, values })
    }
}
