//! The scores of samples on the components that compete with features: is one of them a batch?

use super::method::FEWEST_ROWS;
use super::projection::Projected;
use crate::base::Result;
use crate::selection::NeededFeatures;
use crate::table::{BlockModel, Target, View, block_means};
use serde::{Deserialize, Serialize};

/// A component of many features, and the score of every sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComponentScores {
    /// The number of the component, from 1.
    pub component: usize,
    /// The probability that the target follows it.
    pub probability: f64,
    /// One score per sample, of length 1 over all samples.
    pub scores: Vec<f64>,
}

impl ComponentScores {
    /// The scores of a component.
    pub fn new(component: usize, probability: f64, scores: Vec<f64>) -> ComponentScores {
        ComponentScores { component, probability, scores }
    }
}

impl NeededFeatures {
    /// The scores of the samples on the most probable components, and the target of each: samples are the rows of the view, or
    /// the means of blocks within which the target is the same. Empty where no component competes, or the gate is closed.
    ///
    /// Cost: one pass over the table, and a copy of it.
    ///
    /// # Errors
    ///
    /// A view that `needed` refuses.
    pub fn component_scores(&self, data: &View) -> Result<(Target, Vec<ComponentScores>)> {
        let data = &data.copies_as_rows()?;
        let averaged = block_means(data, BlockModel::Auto)?;
        let data = &averaged.as_ref().map_or_else(|| data.clone(), |table| table.view());
        let target = data.target().of_rows(data.rows());
        if self.detail.loadings.is_empty() {
            return Ok((target, vec![]));
        }
        let projected = Projected::of(data, FEWEST_ROWS)?;
        let scores = self.detail.loadings.iter().map(|loadings| {
            let mut scores = vec![0.0; projected.columns.n_rows()];
            for (j, &feature) in projected.features.iter().enumerate() {
                let weight = loadings.weights.get(feature as usize).copied().unwrap_or(0.0);
                scores.iter_mut().zip(projected.columns.column(j)).for_each(|(sum, x)| *sum += weight * x);
            }
            let own = self.factors.iter().find(|factor| factor.component == loadings.component);
            let probability = own.map_or(0.0, |factor| factor.probability);
            ComponentScores::new(loadings.component, probability, projected.projection.unweighted(&scores))
        });
        let scores = scores.collect();
        Ok((target, scores))
    }
}
