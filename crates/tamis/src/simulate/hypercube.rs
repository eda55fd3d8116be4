//! Madelon's manner: clusters on the vertices of a cube, labelled at random, so that no feature matters by itself.

use super::simulated_table::{Simulated, check, relevant, rounded, table};
use crate::base::parameter::parameters;
use crate::base::{Error, Result};
use crate::numeric::random;
use crate::numeric::random::standard_normal as normal;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

parameters! {
    /// 2^`dimensions` clusters of standard deviation 0.5 at (±1, …, ±1), half of them labelled 1 and half −1; the other
    /// relevant features are random combinations of the cube's, and the rest is noise of the same size. Columns are
    /// shuffled.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Hypercube {
        rows: usize = 2000, "a whole number from 4", "how many rows";
        features: usize = 500, "a whole number from 1", "how many features";
        relevant: usize = 20, relevant!(range), relevant!(purpose);
        dimensions: usize = 5, "2…10", "dimensions of the cube; the other relevant features combine these";
    }
}

impl Hypercube {
    /// Draws the table; the truth is 2 for the cube's dimensions, 1 for combinations of them.
    pub fn draw(&self, seed: u64) -> Result<Simulated> {
        check(self.rows, self.features, self.relevant)?;
        let d = self.dimensions;
        if !(2..=10).contains(&d) || d > self.relevant {
            let expected =
                format!("it takes a whole number from 2 to 10, and no more than `relevant`, {}", self.relevant);
            return Err(Error::parameter("dimensions", d, expected));
        }
        let mut rng = random::stream(seed, u64::MAX);
        // two dimensions: the exclusive or; more: vertices labelled at random, half of each
        let mut positive: Vec<bool> = (0..1_usize << d).map(|v| (v.count_ones() % 2) == 1).collect();
        if d > 2 {
            positive.shuffle(&mut rng);
        }
        let mixes: Vec<Vec<f64>> =
            (d..self.relevant).map(|_| (0..d).map(|_| normal(&mut rng) / (d as f64).sqrt()).collect()).collect();
        let mut order: Vec<usize> = (0..self.features).collect();
        order.shuffle(&mut rng);

        let mut columns = vec![Vec::with_capacity(self.rows); self.features];
        let mut labels = Vec::with_capacity(self.rows);
        for r in 0..self.rows {
            let mut rng = random::stream(seed, r as u64);
            let vertex = rng.random_range(0..1_usize << d);
            labels.push(if positive[vertex] { "1" } else { "-1" }.to_string());
            let corner = |i: usize| if vertex >> i & 1 == 1 { 1.0 } else { -1.0 };
            let cube: Vec<f64> = (0..d).map(|i| corner(i) + 0.5 * normal(&mut rng)).collect();
            for (j, &at) in order.iter().enumerate() {
                let value = match j {
                    _ if j < d => cube[j],
                    _ if j < self.relevant => mixes[j - d].iter().zip(&cube).map(|(m, c)| m * c).sum(),
                    _ => 1.1 * normal(&mut rng),
                };
                columns[at].push(rounded(value));
            }
        }
        let mut truth = vec![0.0; self.features];
        for (j, &at) in order.iter().enumerate() {
            truth[at] = if j < d {
                2.0
            } else if j < self.relevant {
                1.0
            } else {
                0.0
            };
        }
        table(columns, "label", &labels, truth)
    }
}
