//! Breiman's waveform data: three classes, each a random mixture of two of three waves, plus noise.

use super::simulated_table::{Simulated, check, rounded, table};
use crate::base::Result;
use crate::base::parameter::parameters;
use crate::numeric::random;
use crate::numeric::random::standard_normal as normal;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The features that carry a wave.
const POINTS: usize = 21;

parameters! {
    /// 21 features u·h_a + (1−u)·h_b + N(0, 1), and `noise` features N(0, 1) behind them.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Waveform {
        /// A third of them is in each class.
        rows: usize = 1000, "a whole number from 4", "how many rows";
        noise: usize = 19, "a whole number", "how many noise features";
    }
}

/// The three waves: triangles of height 6 around points 11, 15 and 7 (counted from 1).
fn wave(which: usize, point: usize) -> f64 {
    let peak = [11.0, 15.0, 7.0][which];
    (6.0 - (point as f64 + 1.0 - peak).abs()).max(0.0)
}

impl Waveform {
    /// Draws the table; the truth is the largest height of any wave at each feature (0 at both ends: there the
    /// feature is noise).
    pub fn draw(&self, seed: u64) -> Result<Simulated> {
        check(self.rows, POINTS + self.noise, 0)?;
        let mut columns = vec![Vec::with_capacity(self.rows); POINTS + self.noise];
        for r in 0..self.rows {
            let mut rng = random::stream(seed, r as u64);
            let (a, b) = [(0, 1), (0, 2), (1, 2)][r % 3];
            let u: f64 = rng.random();
            for (point, column) in columns.iter_mut().enumerate() {
                let signal = if point < POINTS { u * wave(a, point) + (1.0 - u) * wave(b, point) } else { 0.0 };
                column.push(rounded(signal + normal(&mut rng)));
            }
        }
        let labels: Vec<String> = (0..self.rows).map(|r| (r % 3).to_string()).collect();
        let height = |point: usize| (0..3).map(|w| wave(w, point)).fold(0.0, f64::max);
        let truth = (0..POINTS + self.noise).map(|p| if p < POINTS { height(p) } else { 0.0 }).collect();
        table(columns, "label", &labels, truth)
    }
}
