//! Two groups of rows; a few features differ between them, the rest are noise.

use crate::numeric::random;
use crate::table::{Table, Target};
use crate::{Error, Result};
use rand::seq::index::sample;
use rand_distr::{Distribution, StandardNormal, Uniform};

/// Two groups of equal size; `relevant` features have means that differ by a number of standard deviations drawn
/// uniformly from `effect`, with a random sign. All values are rounded to four decimals.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoGroups {
    /// Rows, half of them in each group.
    pub rows: usize,
    /// Features.
    pub features: usize,
    /// Features that differ.
    pub relevant: usize,
    /// The smallest and largest difference.
    pub effect: (f64, f64),
}

impl Default for TwoGroups {
    fn default() -> Self {
        TwoGroups { rows: 200, features: 2000, relevant: 40, effect: (0.6, 1.2) }
    }
}

/// A table and the truth behind it.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// The table.
    pub table: Table,
    /// The true difference of every feature, in standard deviations; 0 for noise.
    pub truth: Vec<f64>,
}

impl TwoGroups {
    /// Draws the table; the same seed gives the same bits. Feature j has its own stream of random numbers.
    pub fn draw(&self, seed: u64) -> Result<Simulated> {
        if self.relevant > self.features {
            let expected = format!("there are {} features", self.features);
            return Err(Error::parameter("relevant", self.relevant, expected));
        }
        let size = Uniform::new_inclusive(self.effect.0, self.effect.1)
            .map_err(|e| Error::parameter("effect", format!("{:?}", self.effect), e.to_string()))?;
        let mut rng = random::stream(seed, u64::MAX);
        let mut truth = vec![0.0; self.features];
        for at in sample(&mut rng, self.features, self.relevant) {
            let sign = if rand::RngExt::random::<bool>(&mut rng) { 1.0 } else { -1.0 };
            truth[at] = sign * size.sample(&mut rng);
        }
        let labels: Vec<Option<&str>> =
            (0..self.rows).map(|r| Some(if r % 2 == 0 { "treated" } else { "control" })).collect();
        let columns = (0..self.features)
            .map(|j| {
                let mut rng = random::stream(seed, j as u64);
                (0..self.rows)
                    .map(|r| {
                        let noise: f64 = StandardNormal.sample(&mut rng);
                        let shift = if r % 2 == 0 { 0.5 } else { -0.5 };
                        ((noise + shift * truth[j]) * 1e4).round() / 1e4
                    })
                    .collect::<Vec<f64>>()
            })
            .collect();
        let width = self.features.to_string().len();
        let names = (1..=self.features).map(|j| format!("f{j:0width$}")).collect();
        Ok(Simulated { table: Table::new(names, columns, "group", Target::classes(&labels))?, truth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_bits_and_the_truth_is_planted() {
        let setup = TwoGroups { rows: 40, features: 30, relevant: 5, effect: (1.0, 2.0) };
        let (a, b, c) = (setup.draw(3).expect("drawn"), setup.draw(3).expect("drawn"), setup.draw(4).expect("drawn"));
        assert_eq!(a.table.columns(), b.table.columns());
        assert_ne!(a.table.columns(), c.table.columns());
        assert_eq!(a.truth.iter().filter(|t| **t != 0.0).count(), 5);
        assert!(a.truth.iter().all(|t| *t == 0.0 || (1.0..=2.0).contains(&t.abs())));
    }
}
