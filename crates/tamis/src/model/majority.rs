//! The fallback classifier when no feature is selected: it predicts the shares of the classes.

use super::Fitted;
use crate::base::Result;
use crate::table::{Target, View};
use serde::{Deserialize, Serialize};

/// Gives every row the classes' shares of the training rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Majority {
    /// The share of each class.
    pub shares: Vec<f64>,
}

impl Majority {
    /// The shares of the rows of a view, by weight if they have any.
    pub(crate) fn of(data: &View) -> Majority {
        let Target::Classes { codes, labels, .. } = data.target() else { return Majority { shares: vec![] } };
        let mut shares = vec![0.0; labels.len()];
        for &row in data.rows() {
            shares[codes[row as usize] as usize] += data.weights().map_or(1.0, |w| w[row as usize]);
        }
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|s| *s /= total);
        Majority { shares }
    }
}

impl Fitted for Majority {
    fn column_names(&self) -> Vec<&str> {
        vec![]
    }

    fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        Ok(self.shares.iter().map(|s| vec![*s; data.rows().len()]).collect())
    }

    fn fault(&self, classes: usize) -> Option<&'static str> {
        let sum: f64 = self.shares.iter().sum();
        let shares = self.shares.iter().all(|s| (0.0..=1.0).contains(s)) && (sum - 1.0).abs() < 1e-9;
        (self.shares.len() != classes || !shares).then_some("its shares are not those of its classes")
    }
}
