//! Scores of the sparse-means papers: zeros, and effects of a given shape, plus N(0, 1) noise.

use super::simulated_table::check;
use crate::base::parameter::parameters;
use crate::base::{Error, Result};
use crate::numeric::random;
use crate::numeric::random::standard_normal as normal;
use rand::RngExt;
use rand::seq::index::sample;
use serde::{Deserialize, Serialize};

parameters! {
    /// `features` scores, a fraction `zeros` of them with mean 0 and the rest with effects of this shape and strength.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct SparseScores {
        features: usize = 500, "a whole number from 1", "how many features";
        zeros: f64 = 0.9, "0…1", "the fraction of zeros";
        strength: f64 = 6.0, "a number", "the size V of the effects";
        shape: Shape = Shape::Constant,
            "constant, gaussian, uniform, laplace, bimodal-constant, bimodal-gaussian, bimodal-uniform",
            "the distribution of the effects";
    }
}

/// The distribution of non-zero means with strength V.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shape {
    /// V.
    Constant,
    /// N(V, 1).
    Gaussian,
    /// Uniform on [0, 2V].
    Uniform,
    /// Laplace with mean 0 and scale V/√2, so that its standard deviation is V.
    Laplace,
    /// V or −V.
    BimodalConstant,
    /// N(V, 1) or N(−V, 1).
    BimodalGaussian,
    /// Uniform on [0, 2V] or on [−2V, 0].
    BimodalUniform,
}

impl SparseScores {
    /// Draws (scores, true means).
    pub fn draw(&self, seed: u64) -> Result<(Vec<f64>, Vec<f64>)> {
        check(4, self.features, 0)?;
        if !(0.0..=1.0).contains(&self.zeros) {
            return Err(Error::parameter("zeros", self.zeros, "it takes a number from 0 to 1"));
        }
        if !self.strength.is_finite() {
            return Err(Error::parameter("strength", self.strength, "it takes a finite number"));
        }
        let mut rng = random::stream(seed, 0);
        let count = ((1.0 - self.zeros) * self.features as f64).round() as usize;
        let mut truth = vec![0.0; self.features];
        for at in sample(&mut rng, self.features, count) {
            let v = self.strength;
            let sign = if rng.random::<bool>() { 1.0 } else { -1.0 };
            truth[at] = match self.shape {
                Shape::Constant => v,
                Shape::Gaussian => v + normal(&mut rng),
                Shape::Uniform => 2.0 * v * rng.random::<f64>(),
                Shape::Laplace => -sign * v / std::f64::consts::SQRT_2 * (1.0 - rng.random::<f64>()).ln(),
                Shape::BimodalConstant => sign * v,
                Shape::BimodalGaussian => sign * v + normal(&mut rng),
                Shape::BimodalUniform => sign * 2.0 * v * rng.random::<f64>(),
            };
        }
        let scores = truth.iter().map(|mu| mu + normal(&mut rng)).collect();
        Ok((scores, truth))
    }
}
