//! NPFS's synthetic data: uniform features, and a threshold on the sum of the first few.

use super::simulated_table::{Simulated, check, relevant, rounded, table};
use crate::base::Result;
use crate::base::parameter::parameters;
use crate::numeric::random;
use rand::RngExt;
use serde::{Deserialize, Serialize};

parameters! {
    /// Features uniform on [0, 10]; the label is 1 where the first `relevant` sum to at most 5 each on average.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct UniformSum {
        rows: usize = 1000, "a whole number from 4", "how many rows";
        features: usize = 25, "a whole number from 1", "how many features";
        relevant: usize = 5, relevant!(range), relevant!(purpose);
    }
}

impl UniformSum {
    /// Draws the table; the truth is 1 for the features in the sum.
    pub fn draw(&self, seed: u64) -> Result<Simulated> {
        check(self.rows, self.features, self.relevant)?;
        let column = |j: usize| -> Vec<f64> {
            let mut rng = random::stream(seed, j as u64);
            (0..self.rows).map(|_| rounded(10.0 * rng.random::<f64>())).collect()
        };
        let columns: Vec<Vec<f64>> = (0..self.features).map(column).collect();
        let label = |r: usize| {
            let sum: f64 = columns[..self.relevant].iter().map(|c| c[r]).sum();
            if sum <= 5.0 * self.relevant as f64 { "1" } else { "0" }
        };
        let labels: Vec<String> = (0..self.rows).map(|r| label(r).to_string()).collect();
        let truth = (0..self.features).map(|j| f64::from(u8::from(j < self.relevant))).collect();
        table(columns, "label", &labels, truth)
    }
}
