//! Two groups of rows; a few features differ between them, the rest are noise.

use super::simulated_table::{Simulated, check, relevant, rounded, table};
use crate::base::parameter::parameters;
use crate::base::{Error, Result};
use crate::numeric::random;
use crate::numeric::random::standard_normal as normal;
use rand::RngExt;
use rand::seq::index::sample;
use rand_distr::{Distribution, Uniform};
use serde::{Deserialize, Serialize};

parameters! {
    /// Two groups of equal size; `relevant` features have means that differ by a number of standard deviations drawn
    /// uniformly from `effect`, with a random sign.
    ///
    /// ```
    /// use tamis::prelude::*;
    ///
    /// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
    /// assert_eq!(drawn.truth.iter().filter(|effect| **effect != 0.0).count(), 5);
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct TwoGroups {
        /// Half of them are in each group.
        rows: usize = 200, "a whole number from 4", "how many rows";
        features: usize = 2000, "a whole number from 1", "how many features";
        relevant: usize = 40, relevant!(range), relevant!(purpose);
        effect: (f64, f64) = (0.6, 1.2), "two numbers, [0.6,1.2]",
            "the least and largest difference, in standard deviations";
    }
}

impl TwoGroups {
    /// Draws the table; the truth is the difference of each feature. Feature j has its own stream of random numbers.
    pub fn draw(&self, seed: u64) -> Result<Simulated> {
        check(self.rows, self.features, self.relevant)?;
        let size = Uniform::new_inclusive(self.effect.0, self.effect.1)
            .map_err(|e| Error::parameter("effect", format!("{:?}", self.effect), e.to_string()))?;
        let mut rng = random::stream(seed, u64::MAX);
        let mut truth = vec![0.0; self.features];
        for at in sample(&mut rng, self.features, self.relevant) {
            let sign = if rng.random::<bool>() { 1.0 } else { -1.0 };
            truth[at] = sign * size.sample(&mut rng);
        }
        let group = |r: usize| if r.is_multiple_of(2) { "treated" } else { "control" };
        let labels: Vec<String> = (0..self.rows).map(|r| group(r).to_string()).collect();
        let column = |j: usize| {
            let mut rng = random::stream(seed, j as u64);
            let shift = |r: usize| if r.is_multiple_of(2) { 0.5 } else { -0.5 };
            (0..self.rows).map(|r| rounded(normal(&mut rng) + shift(r) * truth[j])).collect()
        };
        table((0..self.features).map(column).collect(), "group", &labels, truth.clone())
    }
}
