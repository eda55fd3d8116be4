//! Tables whose features are correlated in known ways, with none or some that matter.

use rand::RngExt;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StudentT};
use std::path::Path;
use tamis::numeric::random;
use tamis::table::{self, Input, ReadOptions, Target};
use tamis::{Context, Table};

/// How the noise of a table is drawn; every feature has its own variance.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    Independent,
    /// Neighbouring features share a factor.
    Blocks {
        size: usize,
        correlation: f64,
    },
    /// All features load on three factors, by N(0, .5²).
    ThreeFactors,
    /// All features have one positive correlation.
    OneFactor(f64),
    /// Student's t on three degrees of freedom.
    HeavyTails,
    /// One cell in a hundred is ten times as large.
    Outliers,
}

/// The target of a simulated table.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// So many classes of equal size.
    Classes(usize),
    /// Standard normal numbers.
    Numeric,
}

/// A way to draw tables.
pub struct Design {
    pub name: String,
    source: Source,
}

enum Source {
    Simulated { rows: usize, features: usize, noise: Noise, kind: Kind },
    Shuffled(Box<Table>),
}

/// A table, and which of its features matter.
pub struct Drawn {
    pub table: Table,
    pub matters: Vec<bool>,
}

/// Every design: the simulated ones, then the gene tables that are at hand.
pub fn all() -> Vec<Design> {
    let simulated = |name: &str, rows: usize, features: usize, noise: Noise, kind: Kind| Design {
        name: name.into(),
        source: Source::Simulated { rows, features, noise, kind },
    };
    let plain = |name: &str, noise: Noise| simulated(name, 100, 2000, noise, Kind::Classes(2));
    let mut all = vec![plain("independent", Noise::Independent)];
    for size in [10, 100] {
        for correlation in [0.3, 0.7, 0.9] {
            let name = format!("blocks of {size}, ρ = {correlation}");
            all.push(plain(&name, Noise::Blocks { size, correlation }));
        }
    }
    all.push(plain("three factors", Noise::ThreeFactors));
    all.push(plain("one positive factor, ρ = .5", Noise::OneFactor(0.5)));
    all.push(simulated("10 + 10 rows", 20, 2000, Noise::Independent, Kind::Classes(2)));
    all.push(simulated("K = 50", 100, 50, Noise::Independent, Kind::Classes(2)));
    all.push(plain("t₃ noise", Noise::HeavyTails));
    all.push(plain("1 % outliers of 10 sd", Noise::Outliers));
    all.push(simulated("three classes", 100, 2000, Noise::Independent, Kind::Classes(3)));
    let blocks = Noise::Blocks { size: 100, correlation: 0.7 };
    all.push(simulated("three classes, blocks of 100, ρ = .7", 100, 2000, blocks, Kind::Classes(3)));
    all.push(simulated("numeric target", 100, 2000, Noise::Independent, Kind::Numeric));
    all.push(simulated("numeric target, blocks of 100, ρ = .7", 100, 2000, blocks, Kind::Numeric));
    all.extend(["colon", "leukemia", "prostate"].into_iter().filter_map(shuffled));
    all
}

/// A gene table whose labels are shuffled, where it is at hand.
fn shuffled(name: &str) -> Option<Design> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let path = folder.join(format!("{name}.csv.gz"));
    if !path.exists() {
        println!("skipped: {name} is not beside the project");
        return None;
    }
    let read = table::read(Input::open(&path).unwrap(), &ReadOptions::target("label"), &mut Context::default());
    Some(Design { name: format!("{name}, labels shuffled"), source: Source::Shuffled(Box::new(read.unwrap())) })
}

impl Design {
    /// Whether features are independent and nothing else is unusual.
    pub fn is_plain(&self) -> bool {
        self.name == "independent"
    }

    /// Table number `run`, in which `effects` features matter. Their scores are expected at 3 to 6 (simulated tables), or
    /// they differ by 1 to 2 standard deviations (shuffled labels).
    pub fn draw(&self, effects: usize, seed: u64, run: u64) -> Drawn {
        let mut rng = random::stream(seed, run);
        match &self.source {
            Source::Simulated { rows, features, noise, kind } => {
                let mut columns = noise.draw(*rows, *features, &mut rng);
                let target = kind.draw(*rows, &mut rng);
                let matters = plant(&mut columns, &target, effects, (3.0, 6.0), Some(noise.deviation()), &mut rng);
                Drawn { table: assemble(columns, target), matters }
            }
            Source::Shuffled(table) => {
                let mut columns: Vec<Vec<f64>> =
                    table.columns().iter().map(|column| column.numbers().unwrap().to_vec()).collect();
                let Target::Classes { codes, labels, positive, .. } = table.target() else { panic!("classes") };
                let order = random::permutation(seed, run, codes.len());
                let codes = order.iter().map(|&row| codes[row as usize]).collect();
                let target = Target::of_codes(labels.clone(), codes, *positive).unwrap();
                let unit = signal_unit(&target);
                let matters = plant(&mut columns, &target, effects, (unit, 2.0 * unit), None, &mut rng);
                Drawn { table: assemble(columns, target), matters }
            }
        }
    }
}

impl Noise {
    /// Columns of noise.
    fn draw(self, rows: usize, features: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let vector = |rng: &mut ChaCha8Rng| -> Vec<f64> { (0..rows).map(|_| StandardNormal.sample(rng)).collect() };
        let factors: Vec<Vec<f64>> = match self {
            Noise::Blocks { size, .. } => (0..features.div_ceil(size)).map(|_| vector(rng)).collect(),
            Noise::ThreeFactors => (0..3).map(|_| vector(rng)).collect(),
            Noise::OneFactor(_) => vec![vector(rng)],
            Noise::Independent | Noise::HeavyTails | Noise::Outliers => vec![],
        };
        let share = |factor: &[f64], own: Vec<f64>, correlation: f64| -> Vec<f64> {
            let (common, alone) = (correlation.sqrt(), (1.0 - correlation).sqrt());
            factor.iter().zip(own).map(|(f, x)| common * f + alone * x).collect()
        };
        let column = |j: usize| match self {
            Noise::Independent => vector(rng),
            Noise::Blocks { size, correlation } => share(&factors[j / size], vector(rng), correlation),
            Noise::OneFactor(correlation) => share(&factors[0], vector(rng), correlation),
            Noise::ThreeFactors => loaded(&factors, vector(rng), rng),
            Noise::HeavyTails => {
                let heavy = StudentT::new(3.0).unwrap();
                (0..rows).map(|_| heavy.sample(rng)).collect()
            }
            Noise::Outliers => {
                vector(rng).into_iter().map(|x| if rng.random::<f64>() < 0.01 { 10.0 * x } else { x }).collect()
            }
        };
        (0..features).map(column).collect()
    }

    /// The standard deviation of a feature.
    fn deviation(self) -> f64 {
        match self {
            Noise::HeavyTails => 3_f64.sqrt(),
            Noise::Outliers => (0.99 + 0.01 * 100.0_f64).sqrt(),
            // loaded() scales its columns
            _ => 1.0,
        }
    }
}

/// A column that loads on factors, scaled to variance 1.
fn loaded(factors: &[Vec<f64>], own: Vec<f64>, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let loadings: Vec<f64> = factors.iter().map(|_| 0.5 * normal(rng)).collect();
    let deviation = (1.0 + loadings.iter().map(|l| l * l).sum::<f64>()).sqrt();
    let at = |(r, x): (usize, f64)| x + loadings.iter().zip(factors).map(|(l, factor)| l * factor[r]).sum::<f64>();
    own.into_iter().enumerate().map(|cell| at(cell) / deviation).collect()
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

impl Kind {
    fn draw(self, rows: usize, rng: &mut ChaCha8Rng) -> Target {
        match self {
            Kind::Classes(n) => {
                let labels = (0..n).map(|class| format!("c{class}")).collect();
                Target::of_codes(labels, (0..rows).map(|row| (row % n) as u32).collect(), 1).unwrap()
            }
            Kind::Numeric => Target::Real { values: (0..rows).map(|_| normal(rng)).collect() },
        }
    }
}

/// Where the target pulls each row, and Σ(pull − mean)².
fn pull(target: &Target) -> (Vec<f64>, f64) {
    let pull: Vec<f64> = match target {
        Target::Classes { codes, positive, .. } => codes.iter().map(|c| f64::from(u8::from(c == positive))).collect(),
        Target::Real { values } | Target::Survival { times: values, .. } => values.clone(),
    };
    let mean = pull.iter().sum::<f64>() / pull.len() as f64;
    let squares = pull.iter().map(|p| (p - mean) * (p - mean)).sum();
    (pull, squares)
}

/// The expected score of a feature whose positive class differs by one standard deviation.
fn signal_unit(target: &Target) -> f64 {
    pull(target).1.sqrt()
}

/// Makes `effects` features follow the target, each with a score whose size is expected uniformly within `sizes` and of
/// random sign. `deviation` is that of the noise; without one each column's own counts.
fn plant(
    columns: &mut [Vec<f64>],
    target: &Target,
    effects: usize,
    sizes: (f64, f64),
    deviation: Option<f64>,
    rng: &mut ChaCha8Rng,
) -> Vec<bool> {
    let (pull, squares) = pull(target);
    let mut matters = vec![false; columns.len()];
    for at in sample(rng, columns.len(), effects) {
        let sign = if rng.random::<bool>() { 1.0 } else { -1.0 };
        let unit = deviation.unwrap_or_else(|| deviation_of(&columns[at]));
        let slope = sign * rng.random_range(sizes.0..sizes.1) * unit / squares.sqrt();
        columns[at].iter_mut().zip(&pull).for_each(|(x, pull)| *x += slope * pull);
        matters[at] = true;
    }
    matters
}

fn deviation_of(column: &[f64]) -> f64 {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    (column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0)).sqrt()
}

fn assemble(columns: Vec<Vec<f64>>, target: Target) -> Table {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    Table::new(names, columns, "y", target).unwrap()
}
