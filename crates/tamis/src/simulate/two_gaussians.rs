//! PFCVM-EM's synthetic data: two Gaussians in the plane, and noise in every other dimension.

use super::simulated_table::{Simulated, check, rounded, table};
use crate::base::Result;
use crate::base::parameter::parameters;
use crate::numeric::random;
use crate::numeric::random::standard_normal as normal;
use rand::RngExt;
use serde::{Deserialize, Serialize};

parameters! {
    /// Two classes with unit variance and means ±(1/√2, 1/√2) in the first two features; the others are uniform on
    /// [−1, 1]. The Bayes error is 0.1587.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct TwoGaussians {
        /// Half of them are in each class.
        rows: usize = 400, "a whole number from 4", "how many rows";
        /// Two of them matter.
        features: usize = 50, "a whole number from 1", "how many features";
    }
}

impl TwoGaussians {
    /// Draws the table; the truth is the distance of the classes in each feature.
    pub fn draw(&self, seed: u64) -> Result<Simulated> {
        check(self.rows, self.features, 2.min(self.features))?;
        let side = |r: usize| if r.is_multiple_of(2) { 1.0 } else { -1.0 };
        let column = |j: usize| -> Vec<f64> {
            let mut rng = random::stream(seed, j as u64);
            let mut draw = |r: usize| match j {
                0 | 1 => side(r) * std::f64::consts::FRAC_1_SQRT_2 + normal(&mut rng),
                _ => 2.0 * rng.random::<f64>() - 1.0,
            };
            (0..self.rows).map(|r| rounded(draw(r))).collect()
        };
        let labels: Vec<String> = (0..self.rows).map(|r| side(r).to_string()).collect();
        let truth = (0..self.features).map(|j| if j < 2 { std::f64::consts::SQRT_2 } else { 0.0 }).collect();
        table((0..self.features).map(column).collect(), "label", &labels, truth)
    }
}
