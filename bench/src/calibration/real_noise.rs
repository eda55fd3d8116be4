//! The noise of real tables, with nothing or with known effects in it.

use super::real_tables::{assembled, classes, upright};
use rand::RngExt;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use tamis::Table;
use tamis::numeric::random;
use tamis::table::{Column, Target};

/// A real table whose class means are taken out: only its noise is left.
pub struct RealNoise {
    pub name: &'static str,
    columns: Vec<Vec<f64>>,
    target: Target,
}

/// A kind of effects: how many of so many features have one, and its size in standard deviations of the score.
pub type Effects = (&'static str, fn(usize) -> usize, fn(&mut ChaCha8Rng) -> f64);

/// The kinds that are planted.
pub const EFFECTS: [Effects; 5] = [
    ("30 of ±3–6", |features| (features / 4).min(30), |rng| sign(rng) * rng.random_range(3.0..6.0)),
    ("10 % of ±3", |features| features / 10, |rng| 3.0 * sign(rng)),
    ("35 % of ±2", |features| features * 35 / 100, |rng| 2.0 * sign(rng)),
    ("20 % of 2.5, one direction", |features| features / 5, |_| 2.5),
    ("60 % of N(2, 1.5²)", |features| features * 60 / 100, |rng| 2.0 + 1.5 * normal(rng)),
];

fn sign(rng: &mut ChaCha8Rng) -> f64 {
    if rng.random::<bool>() { 1.0 } else { -1.0 }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// The noise of every table with a row per sample that is at hand.
pub fn all() -> Vec<RealNoise> {
    upright().into_iter().map(|real| RealNoise::new(real.name, &real.table)).collect()
}

impl RealNoise {
    fn new(name: &'static str, table: &Table) -> RealNoise {
        let (labels, codes, _) = classes(table.target());
        let residuals = |values: &[f64]| -> Vec<f64> {
            let mut values = values.to_vec();
            for class in 0..labels.len() as u32 {
                let rows: Vec<usize> = (0..codes.len()).filter(|&row| codes[row] == class).collect();
                let mean = rows.iter().map(|&row| values[row]).sum::<f64>() / rows.len() as f64;
                rows.iter().for_each(|&row| values[row] -= mean);
            }
            values
        };
        let numbers = table.columns().iter().filter_map(Column::numbers).map(residuals);
        let varies = |column: &Vec<f64>| column.iter().any(|x| x.abs() > 1e-9);
        RealNoise { name, columns: numbers.filter(varies).collect(), target: table.target().clone() }
    }

    /// Table number `run` of a seed: so many rows for each of two classes, drawn whatever their own class is.
    pub fn draw_few(&self, rows_of_class: usize, seed: u64, run: u64) -> Table {
        let order = random::permutation(seed, run, self.columns.first().map_or(0, Vec::len));
        let rows = &order[..2 * rows_of_class];
        let columns = self.columns.iter().map(|column| rows.iter().map(|&row| column[row as usize]).collect());
        let codes = (0..rows.len()).map(|at| u32::from(at >= rows_of_class)).collect();
        let labels = vec!["a".into(), "b".into()];
        assembled(columns.collect(), Target::of_codes(labels, codes, 1).unwrap())
    }

    /// Table number `run` of a seed: the noise with shuffled labels, and the size of every feature's effect on its score.
    pub fn draw(&self, effects: Option<&Effects>, seed: u64, run: u64) -> (Table, Vec<f64>) {
        let (labels, codes, positive) = classes(&self.target);
        let order = random::permutation(seed, run, codes.len());
        let rng = &mut random::stream(seed, run);
        let codes: Vec<u32> = order.iter().map(|&row| codes[row as usize]).collect();
        let (n, ones) = (codes.len() as f64, codes.iter().filter(|code| **code == positive).count() as f64);
        let root = (ones * (n - ones) / n).sqrt();
        let mut columns = self.columns.clone();
        let mut sizes = vec![0.0; columns.len()];
        if let Some((_, count, size)) = effects {
            for at in sample(rng, columns.len(), count(columns.len())) {
                sizes[at] = size(rng);
                let deviation = (columns[at].iter().map(|x| x * x).sum::<f64>() / (n - 2.0)).sqrt();
                let shift = sizes[at] * deviation / root;
                let moved = columns[at].iter_mut().zip(&codes).filter(|(_, code)| **code == positive);
                moved.for_each(|(x, _)| *x += shift);
            }
        }
        (assembled(columns, Target::of_codes(labels.to_vec(), codes, positive).unwrap()), sizes)
    }
}
