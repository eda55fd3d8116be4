//! The answer: how many features matter, and which.

use crate::Method;
use crate::evaluate::auc_curve::Curve;
use crate::information::PairsDetail;
use crate::note::Note;
use crate::npfs::NpfsDetail;
use crate::sparse_means::FitDetail;
use crate::table::View;
use crate::vector_machine::MachineDetail;
use crate::{Progress, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Something that chooses features.
pub trait Selector {
    /// Chooses among the features of `data`, looking at nothing else.
    fn select(&self, data: &View, progress: &mut dyn Progress) -> Result<Selection>;

    /// Only which features [`Selector::select`] would choose, best first: notes, curves and comparisons are left out
    /// where that saves time.
    fn choose(&self, data: &View, progress: &mut dyn Progress) -> Result<Vec<u32>> {
        Ok(self.select(data, progress)?.selected)
    }
}

/// What a method says of every feature, as arrays in input order.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The features' names.
    pub names: Arc<[String]>,
    /// The score of each feature; NaN where it has none.
    pub scores: Vec<f64>,
    /// The estimated effect of each feature, where the method has one.
    pub effects: Option<Vec<f64>>,
    /// The probability that each feature matters, where the method has one.
    pub probabilities: Option<Vec<f64>>,
    /// The expected share of false discoveries if this feature and all more probable ones are selected.
    pub q_values: Option<Vec<f64>>,
    /// 1 for the best feature.
    pub ranks: Vec<u32>,
    /// The selected features, best rank first.
    pub selected: Vec<u32>,
    /// How many features are expected to matter, named or not.
    pub n_expected: Option<f64>,
    /// A 95 % interval for that number.
    pub n_expected_95: Option<[u64; 2]>,
    /// The fraction of features that do not matter.
    pub fraction_irrelevant: Option<f64>,
    /// Whether the iteration reached its tolerance.
    pub converged: bool,
    /// Iterations taken; 0 where the method does not iterate.
    pub iterations: usize,
    /// The method, its parameters resolved.
    pub method: Method,
    /// The seed of everything random.
    pub seed: u64,
    /// What the user should know.
    pub notes: Vec<Note>,
    /// What plots need.
    pub detail: Detail,
}

/// What plots need beside the arrays; never what decisions need.
#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
pub struct Detail {
    /// The fitted prior.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<FitDetail>,
    /// What a test on bootstraps rests on (`npfs`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub npfs: Option<NpfsDetail>,
    /// What the permutations of `pairs` came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairsDetail>,
    /// How vector machines went, class by class (`pfcvm-lp`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineDetail>,
    /// Validation AUC as features are added (`auc-curve`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc_curve: Option<Curve>,
    /// Groups of selected features that are near-copies of each other, by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_copies: Vec<Vec<u32>>,
    /// How many rows each score rests on, where they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<u32>,
}

impl Selection {
    /// The answer in one sentence.
    pub fn sentence(&self) -> String {
        let counts = (self.selected.len(), self.names.len());
        crate::result::sentence(&self.method, &self.notes, counts, self.n_expected.zip(self.n_expected_95))
    }

    /// The selected features' names, best first.
    pub fn selected_names(&self) -> impl Iterator<Item = &str> {
        self.selected.iter().map(|&i| self.names[i as usize].as_str())
    }

    /// Selects these features too; returns the names of those the method had not selected.
    pub fn keep(&mut self, features: &[u32]) -> Vec<String> {
        let mask = self.mask();
        let forced: Vec<u32> = features.iter().copied().filter(|&i| !mask[i as usize]).collect();
        self.selected.extend(&forced);
        self.selected.sort_by_key(|&i| self.ranks[i as usize]);
        forced.iter().map(|&i| self.names[i as usize].clone()).collect()
    }

    /// Which features are selected, by index.
    pub fn mask(&self) -> Vec<bool> {
        let mut mask = vec![false; self.names.len()];
        for &i in &self.selected {
            mask[i as usize] = true;
        }
        mask
    }
}
