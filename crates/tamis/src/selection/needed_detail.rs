//! What plots of `needed` show beside its findings; no decision depends on it.

use serde::{Deserialize, Serialize};

/// Chains, correlations and components behind an answer of `needed`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NeededDetail {
    /// The features that some chain gives a probability of at least 0.01, by position.
    #[serde(default)]
    pub features: Vec<u32>,
    /// Chain by chain, the probability that each of them is needed.
    #[serde(default)]
    pub chains: Vec<Vec<f64>>,
    /// Finding by finding, the correlation of each member with the lead.
    #[serde(default)]
    pub with_lead: Vec<Vec<f64>>,
    /// Correlated pairs among the members of findings and the working set.
    #[serde(default)]
    pub neighbours: Vec<Neighbours>,
    /// What gives every sample its score on the most probable components.
    #[serde(skip)]
    pub loadings: Vec<ComponentLoadings>,
}

/// Two features that are correlated, without the part of covariates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Neighbours {
    /// Their positions.
    pub features: [u32; 2],
    /// Their correlation.
    pub correlation: f64,
}

impl Neighbours {
    pub(crate) fn new(features: [u32; 2], correlation: f64) -> Neighbours {
        Neighbours { features, correlation }
    }
}

/// A principal component as weights of features.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ComponentLoadings {
    /// Its number, from 1.
    pub component: usize,
    /// The weight of every feature of the table; 0 for those set aside.
    pub weights: Vec<f64>,
}

impl ComponentLoadings {
    pub(crate) fn new(component: usize, weights: Vec<f64>) -> ComponentLoadings {
        ComponentLoadings { component, weights }
    }
}

impl NeededDetail {
    /// The detail without what only samples need.
    pub(crate) fn as_saved(&self) -> NeededDetail {
        let NeededDetail { features, chains, with_lead, neighbours, .. } = self.clone();
        NeededDetail { features, chains, with_lead, neighbours, loadings: vec![] }
    }

    /// Whether its parts fit together, for a table of so many features.
    pub(crate) fn fits(&self, features: usize) -> bool {
        let pairs = self.neighbours.iter().flat_map(|pair| pair.features);
        self.features.iter().copied().chain(pairs).all(|i| (i as usize) < features)
            && self.chains.iter().all(|chain| chain.len() == self.features.len())
    }
}
