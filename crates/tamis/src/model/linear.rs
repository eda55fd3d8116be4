//! A linear score for each class: the fitted form of discriminants and logistic regression.

use crate::base::Result;
use crate::model::Standardise;
use crate::model::faults::{NOT_FINITE, SIZES_DIFFER};
use crate::model::model_columns::{columns, numbers};
use crate::model::standardise::MOST;
use crate::model::training_classes::{bad_shares, normalise};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// Scores b_c + Σ_k w_ck (x_k − m_k)/s_k, one per class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// The features with their centres and units; a missing value is taken as the centre.
    pub standardise: Standardise,
    /// Each class's share of the training rows; a class without rows has probability 0.
    pub shares: Vec<f64>,
    /// A constant per class.
    pub offsets: Vec<f64>,
    /// For each class a weight per feature.
    pub weights: Vec<Vec<f64>>,
}

impl Linear {
    /// No feature at all: every row has the classes' shares as probabilities.
    pub(crate) fn majority(shares: &[f64]) -> Linear {
        let standardise = Standardise { names: vec![], means: vec![], spreads: vec![], samplewise: false };
        Linear {
            standardise,
            shares: shares.to_vec(),
            offsets: shares_as_scores(shares),
            weights: vec![vec![]; shares.len()],
        }
    }

    /// The columns it needs.
    pub(crate) fn column_names(&self) -> Vec<&str> {
        self.standardise.names.iter().map(String::as_str).collect()
    }

    /// The classes that had rows in training.
    pub(crate) fn occurring(&self) -> Vec<usize> {
        (0..self.shares.len()).filter(|&c| self.shares[c] > 0.0).collect()
    }

    /// The score of each class for every row of a view.
    ///
    /// Cost: rows × features × classes.
    pub(crate) fn scores(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        let Standardise { names, means, spreads, .. } = &self.standardise;
        let mut scores: Vec<Vec<f64>> = self.offsets.iter().map(|b| vec![*b; data.rows().len()]).collect();
        let occurring = self.occurring();
        let mut z = vec![0.0; data.rows().len()];
        for (k, column) in columns(data, names)?.into_iter().enumerate() {
            let values = numbers(&column, &names[k])?;
            for (z, &row) in z.iter_mut().zip(data.rows()) {
                let x = values[row as usize];
                // far outside of everything seen in training the side is all that counts, and sums stay finite
                *z = if x.is_nan() { 0.0 } else { ((x - means[k]) / spreads[k]).clamp(-MOST, MOST) };
            }
            for &c in &occurring {
                let w = self.weights[c][k];
                scores[c].iter_mut().zip(&z).for_each(|(s, z)| *s += w * z);
            }
        }
        Ok(scores)
    }

    /// Probabilities in proportion to the exponentials of the scores.
    pub(crate) fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        Ok(normalise(self.scores(data)?, &self.occurring()))
    }

    /// The reason why the classifier cannot be used for this many classes, if there is one.
    pub(crate) fn fault(&self, classes: usize) -> Option<&'static str> {
        let Standardise { names, means, spreads, .. } = &self.standardise;
        let k = names.len();
        let sizes = means.len() == k
            && spreads.len() == k
            && self.offsets.len() == classes
            && self.weights.len() == classes
            && self.weights.iter().all(|w| w.len() == k);
        let mut all = means.iter().chain(&self.offsets).chain(self.weights.iter().flatten());
        if let Some(fault) = bad_shares(&self.shares, classes) {
            Some(fault)
        } else if !sizes {
            Some(SIZES_DIFFER)
        } else if all.any(|x| !x.is_finite()) || !spreads.iter().all(|s| *s > 0.0 && s.is_finite()) {
            Some(NOT_FINITE)
        } else {
            None
        }
    }
}

/// A class's share as a score: its logarithm, and 0 for a class that is left out anyway.
pub(crate) fn shares_as_scores(shares: &[f64]) -> Vec<f64> {
    shares.iter().map(|s| if *s > 0.0 { s.ln() } else { 0.0 }).collect()
}
