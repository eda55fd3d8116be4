//! Studies of other designs: few samples, several classes, numbers, survival times, covariates, pairs, counts.

use super::real_tables::assembled;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, Exp1, Gamma, Normal, Poisson, StandardNormal};
use tamis::Table;
use tamis::numeric::random;
use tamis::table::counts::Normalize;
use tamis::table::{Categories, Column, Covariate, Target};

/// A kind of study.
pub struct Study {
    pub name: &'static str,
    draw: fn(bool, &mut ChaCha8Rng) -> Drawn,
    /// How its values are normalised.
    pub normalize: Normalize,
}

/// A study's table and the size of every feature's effect, in any unit: 0 where it has none.
pub struct Drawn {
    pub table: Table,
    pub sizes: Vec<f64>,
}

/// Studies of two classes with so many samples each: 5,000 features of which a tenth differ.
pub const FEW_SAMPLES: [Study; 5] = [
    plain("3 + 3", |effects, rng| few(3, effects, rng)),
    plain("4 + 4", |effects, rng| few(4, effects, rng)),
    plain("5 + 5", |effects, rng| few(5, effects, rng)),
    plain("8 + 8", |effects, rng| few(8, effects, rng)),
    plain("20 + 20", |effects, rng| few(20, effects, rng)),
];

/// Studies of donors whose counts of cells are summed, of 2,000 genes of which 30 differ tenfold: variances are all alike.
pub const FEW_DONORS: [Study; 3] = [
    counted("3 + 3 donors, Poisson counts", |effects, rng| donors(3, effects, rng)),
    counted("4 + 4 donors, Poisson counts", |effects, rng| donors(4, effects, rng)),
    counted("5 + 5 donors, Poisson counts", |effects, rng| donors(5, effects, rng)),
];

/// Studies that are not of two classes alone.
pub const DESIGNS: [Study; 7] = [
    plain("three classes of 20", three_classes),
    plain("numbers, 60 samples", numbers),
    plain("survival, 400 samples", survival),
    plain("two batches, partly confounded, 20 + 20", batch),
    plain("age, partly confounded, 20 + 20", age),
    plain("12 pairs", pairs),
    counted("counts, 8 + 8", counts),
];

const fn plain(name: &'static str, draw: fn(bool, &mut ChaCha8Rng) -> Drawn) -> Study {
    Study { name, draw, normalize: Normalize::None }
}

const fn counted(name: &'static str, draw: fn(bool, &mut ChaCha8Rng) -> Drawn) -> Study {
    Study { name, draw, normalize: Normalize::Tmm }
}

impl Study {
    /// Table number `run` of a seed, with or without effects.
    pub fn draw(&self, effects: bool, seed: u64, run: u64) -> Drawn {
        (self.draw)(effects, &mut random::stream(seed, run))
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn normals(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..n).map(|_| normal(rng)).collect()
}

/// Effects N(0, 1) on so many features, before the others.
fn effects_on(count: usize, features: usize, effects: bool, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..features).map(|j| if effects && j < count { normal(rng) } else { 0.0 }).collect()
}

/// The class of every row: so many of the first, as many of the second, which is positive.
fn halves(n: usize) -> Vec<u32> {
    (0..2 * n).map(|row| u32::from(row >= n)).collect()
}

fn two_classes(codes: Vec<u32>) -> Target {
    Target::of_codes(vec!["a".into(), "b".into()], codes, 1).unwrap()
}

fn few(n: usize, effects: bool, rng: &mut ChaCha8Rng) -> Drawn {
    let sizes = effects_on(500, 5000, effects, rng);
    let codes = halves(n);
    let scatter = ChiSquared::new(4.0).unwrap();
    let column = |size: &f64| -> Vec<f64> {
        let variance: f64 = 0.16 * 4.0 / scatter.sample(rng);
        let deviation = variance.sqrt();
        codes.iter().map(|code| deviation * normal(rng) + size * f64::from(*code)).collect()
    };
    let columns = sizes.iter().map(column).collect();
    Drawn { table: assembled(columns, two_classes(codes)), sizes }
}

fn donors(n: usize, effects: bool, rng: &mut ChaCha8Rng) -> Drawn {
    let codes = halves(n);
    let levels = Normal::new(4.0, 1.0).unwrap();
    let sizes: Vec<f64> = (0..2000).map(|j| if effects && j < 30 { [10_f64, 0.1][j % 2].ln() } else { 0.0 }).collect();
    let column = |size: &f64| -> Vec<f64> {
        let level: f64 = 4.0 + levels.sample(rng);
        let value = |code: &u32| poisson((level + size * f64::from(*code)).exp(), rng);
        codes.iter().map(value).collect()
    };
    let columns = sizes.iter().map(column).collect();
    Drawn { table: assembled(columns, two_classes(codes)), sizes }
}

fn poisson(expected: f64, rng: &mut ChaCha8Rng) -> f64 {
    Poisson::new(expected.max(1e-12)).map_or(0.0, |poisson| poisson.sample(rng))
}

/// Noise in blocks of 20 features with correlation ½.
fn blocks_of_noise(rows: usize, features: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut shared = vec![];
    let mut column = |j: usize| -> Vec<f64> {
        if j.is_multiple_of(20) {
            shared = normals(rows, rng);
        }
        shared.iter().map(|common| (common + normal(rng)) / 2_f64.sqrt()).collect()
    };
    (0..features).map(&mut column).collect()
}

fn three_classes(effects: bool, rng: &mut ChaCha8Rng) -> Drawn {
    let codes: Vec<u32> = (0..60).map(|row| row % 3).collect();
    let mut columns = blocks_of_noise(60, 2000, rng);
    let sizes: Vec<f64> = (0..2000).map(|j| f64::from(u8::from(effects && j % 10 == 0))).collect();
    for (column, _) in columns.iter_mut().zip(&sizes).filter(|(_, size)| **size > 0.0) {
        let shifts = [0.0, 0.8 * normal(rng), 0.8 * normal(rng)];
        column.iter_mut().zip(&codes).for_each(|(x, code)| *x += shifts[*code as usize]);
    }
    let labels = ["a", "b", "c"].map(String::from).to_vec();
    Drawn { table: assembled(columns, Target::of_codes(labels, codes, 1).unwrap()), sizes }
}

fn numbers(effects: bool, rng: &mut ChaCha8Rng) -> Drawn {
    let values = normals(60, rng);
    let mut columns = blocks_of_noise(60, 2000, rng);
    let sizes: Vec<f64> =
        (0..2000).map(|j| if effects && j % 10 == 0 { [0.4, -0.4][j / 10 % 2] } else { 0.0 }).collect();
    for (column, size) in columns.iter_mut().zip(&sizes) {
        column.iter_mut().zip(&values).for_each(|(x, value)| *x += size * value);
    }
    Drawn { table: assembled(columns, Target::Real { values }), sizes }
}

fn survival(effects: bool, rng: &mut ChaCha8Rng) -> Drawn {
    let columns: Vec<Vec<f64>> = (0..1000).map(|_| normals(400, rng)).collect();
    let sizes: Vec<f64> = (0..1000).map(|j| if effects && j < 10 { 0.3 } else { 0.0 }).collect();
    let (mut times, mut events) = (vec![], vec![]);
    for row in 0..400 {
        let hazard = columns.iter().zip(&sizes).map(|(column, size)| size * column[row]).sum::<f64>().exp();
        let (time, censored): (f64, f64) = (Exp1.sample(rng), Exp1.sample(rng));
        times.push((time / hazard).min(censored));
        events.push(Some(time / hazard <= censored));
    }
    Drawn { table: assembled(columns, Target::survival(times, events).unwrap()), sizes }
}

/// Twice 20 rows of 2,000 features that follow a number of every row, by slopes N(0, 1).
fn confounded(followed: &[f64], effects: bool, rng: &mut ChaCha8Rng) -> (Vec<Vec<f64>>, Target, Vec<f64>) {
    let codes = halves(20);
    let sizes = effects_on(100, 2000, effects, rng);
    let column = |size: &f64| -> Vec<f64> {
        let slope = normal(rng);
        let value = |(code, followed): (&u32, &f64)| normal(rng) + size * f64::from(*code) + slope * followed;
        codes.iter().zip(followed).map(value).collect()
    };
    let columns = sizes.iter().map(column).collect();
    (columns, two_classes(codes), sizes)
}

fn batch(effects: bool, rng: &mut ChaCha8Rng) -> Drawn {
    let second = |row: usize| (15..20).contains(&row) || row >= 25;
    let followed: Vec<f64> = (0..40).map(|row| f64::from(u8::from(second(row)))).collect();
    let (columns, target, sizes) = confounded(&followed, effects, rng);
    let values = Column::Categories(Categories::of((0..40).map(|row| Some(if second(row) { "q" } else { "p" }))));
    let table = assembled(columns, target).with_covariates(vec![Covariate { name: "batch".into(), values }]).unwrap();
    Drawn { table, sizes }
}

fn age(effects: bool, rng: &mut ChaCha8Rng) -> Drawn {
    let ages: Vec<f64> = (0..40).map(|row| if row < 20 { -0.6 } else { 0.6 } + 0.8 * normal(rng)).collect();
    let (columns, target, sizes) = confounded(&ages, effects, rng);
    let covariate = Covariate { name: "age".into(), values: Column::Numbers(ages) };
    Drawn { table: assembled(columns, target).with_covariates(vec![covariate]).unwrap(), sizes }
}

fn pairs(effects: bool, rng: &mut ChaCha8Rng) -> Drawn {
    let codes: Vec<u32> = (0..24).map(|row| row % 2).collect();
    let sizes = effects_on(150, 2000, effects, rng);
    let column = |size: &f64| -> Vec<f64> {
        let patients = normals(12, rng);
        let value = |(row, code): (usize, &u32)| 2.0 * patients[row / 2] + normal(rng) + size * f64::from(*code);
        codes.iter().enumerate().map(value).collect()
    };
    let columns = sizes.iter().map(column).collect();
    let blocks = Categories::of((0..24).map(|row| Some(format!("p{}", row / 2))));
    Drawn { table: assembled(columns, two_classes(codes)).with_blocks("patient", blocks).unwrap(), sizes }
}

fn counts(effects: bool, rng: &mut ChaCha8Rng) -> Drawn {
    let codes = halves(8);
    let (levels, scatter) = (Normal::new(4.0, 1.5).unwrap(), Gamma::new(4.0, 0.25).unwrap());
    let sizes: Vec<f64> = (0..6000)
        .map(|j| if effects && j < 300 { [2_f64, 0.5][usize::from(rng.random::<bool>())].ln() } else { 0.0 })
        .collect();
    let column = |size: &f64| -> Vec<f64> {
        let level: f64 = levels.sample(rng);
        let value = |code: &u32| {
            let depth = if *code == 1 { 1.7 } else { 1.0 };
            poisson(depth * (level + size * f64::from(*code)).exp() * scatter.sample(rng), rng)
        };
        codes.iter().map(value).collect()
    };
    let columns = sizes.iter().map(column).collect();
    Drawn { table: assembled(columns, two_classes(codes)), sizes }
}
