//! Effects of five kinds planted on the noise of real tables, beside Benjamini and Hochberg's procedure.

use super::permuted_scores::{Judged, judge};
use super::{Effort, benjamini_hochberg, mean, verdict};
use rand::RngExt;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::path::Path;
use tamis::numeric::random;
use tamis::table::{self, Input, ReadOptions, Target};
use tamis::{Context, Table};

/// A real table whose class means are taken out: only its noise is left.
pub struct RealNoise {
    pub name: &'static str,
    columns: Vec<Vec<f64>>,
    target: Target,
}

/// A table, and how its values are transformed.
type NamedTable = (&'static str, fn(f64) -> f64);

/// Tables with two classes.
const TABLES: [NamedTable; 8] = [
    ("colon", f64::ln),
    ("leukemia", |x| x.clamp(100.0, 16_000.0).ln()),
    ("prostate", |x| x),
    ("madelon_valid", |x| x),
    ("sylva_valid", |x| x),
    ("ada_valid", |x| x),
    ("breast", f64::ln_1p),
    ("parkinsons", |x| x),
];
/// Effects are planted on the first of them.
const PLANTED: usize = 5;

/// A kind of effects: how many of `features` features have one, and its size in standard deviations of the score.
type Effects = (&'static str, fn(usize) -> usize, fn(&mut ChaCha8Rng) -> f64);

const EFFECTS: [Effects; 5] = [
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

/// The tables that are at hand.
pub fn tables() -> Vec<RealNoise> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let read = |(name, transform): &(&'static str, fn(f64) -> f64)| {
        let path = folder.join(format!("{name}.csv.gz"));
        let input = Input::open(&path).ok()?;
        let table = table::read(input, &ReadOptions::target("label"), &mut Context::default()).ok()?;
        Some(RealNoise::new(name, &table, *transform))
    };
    TABLES.iter().filter_map(read).collect()
}

impl RealNoise {
    fn new(name: &'static str, table: &Table, transform: fn(f64) -> f64) -> RealNoise {
        let Target::Classes { codes, labels, .. } = table.target() else { panic!("two classes") };
        let residuals = |values: &[f64]| -> Vec<f64> {
            let mut values: Vec<f64> = values.iter().map(|x| transform(*x)).collect();
            for class in 0..labels.len() as u32 {
                let rows: Vec<usize> = (0..codes.len()).filter(|&row| codes[row] == class).collect();
                let mean = rows.iter().map(|&row| values[row]).sum::<f64>() / rows.len() as f64;
                rows.iter().for_each(|&row| values[row] -= mean);
            }
            values
        };
        let numbers = table.columns().iter().filter_map(|column| column.numbers().map(residuals));
        let varies = |column: &Vec<f64>| column.iter().any(|x| x.abs() > 1e-9);
        RealNoise { name, columns: numbers.filter(varies).collect(), target: table.target().clone() }
    }

    /// The noise with shuffled labels and effects on the score of the features at which they are not 0.
    pub fn draw(&self, effects: Option<&Effects>, rng: &mut ChaCha8Rng, order: &[u32]) -> (Table, Vec<f64>) {
        let Target::Classes { codes, labels, positive, .. } = &self.target else { panic!("two classes") };
        let codes: Vec<u32> = order.iter().map(|&row| codes[row as usize]).collect();
        let (n, ones) = (codes.len() as f64, codes.iter().filter(|code| *code == positive).count() as f64);
        let root = (ones * (n - ones) / n).sqrt();
        let mut columns = self.columns.clone();
        let mut sizes = vec![0.0; columns.len()];
        if let Some((_, count, size)) = effects {
            for at in sample(rng, columns.len(), count(columns.len())) {
                sizes[at] = size(rng);
                let deviation = (columns[at].iter().map(|x| x * x).sum::<f64>() / (n - 2.0)).sqrt();
                let shift = sizes[at] * deviation / root;
                let moved = columns[at].iter_mut().zip(&codes).filter(|(_, code)| *code == positive);
                moved.for_each(|(x, _)| *x += shift);
            }
        }
        let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
        let target = Target::of_codes(labels.clone(), codes, *positive).unwrap();
        (Table::new(names, columns, "y", target).unwrap(), sizes)
    }

    /// Table number `run` of a seed, judged; with the true sizes of its effects.
    pub fn judged(&self, effects: Option<&Effects>, seed: u64, run: u64) -> (Judged, Vec<f64>) {
        let Target::Classes { codes, .. } = &self.target else { panic!("two classes") };
        let order = random::permutation(seed, run, codes.len());
        let (table, sizes) = self.draw(effects, &mut random::stream(seed, run), &order);
        (judge(&table, 1_000_000 + seed + run), sizes)
    }
}

/// What became of a table.
struct Outcome {
    right: usize,
    wrong: usize,
    by_p: (usize, usize),
    /// The lower bound does not exceed the number of effects.
    bound_holds: bool,
    /// Whether the interval holds the number of effects beyond 1, if it is shown.
    interval_holds: Option<bool>,
    /// For each tenth of the probability: features, the sum of their probabilities, true ones.
    bins: [(usize, f64, usize); 10],
}

fn outcome((judged, sizes): (Judged, Vec<f64>)) -> Outcome {
    let answer = &judged.answer;
    let is_right = |i: u32| sizes[i as usize] * judged.z[i as usize] > 0.0;
    let split = |named: &[u32]| {
        let right = named.iter().filter(|i| is_right(**i)).count();
        (right, named.len() - right)
    };
    let (right, wrong) = split(&answer.named);
    let beyond = sizes.iter().filter(|size| size.abs() > 1.0).count() as f64;
    let matter = answer.matter.unwrap()[0];
    let [low, high] = matter.interval;
    let mut bins = [(0, 0.0, 0); 10];
    for (i, p) in answer.p.iter().enumerate() {
        let bin = &mut bins[((10.0 * (1.0 - p)) as usize).min(9)];
        *bin = (bin.0 + 1, bin.1 + 1.0 - p, bin.2 + usize::from(is_right(i as u32)));
    }
    Outcome {
        right,
        wrong,
        by_p: split(&benjamini_hochberg(&judged.z, false, 0.1)),
        bound_holds: answer.at_least <= sizes.iter().filter(|size| **size != 0.0).count(),
        interval_holds: matter.unsaid.is_none().then_some(low <= beyond && beyond <= high),
        bins,
    }
}

fn false_share(right: usize, wrong: usize) -> f64 {
    wrong as f64 / (right + wrong).max(1) as f64
}

/// Prints a line per table and kind of effects, and the bars over all.
pub fn print(effort: Effort) {
    let runs = effort.runs(20);
    println!("\n### Effects planted on the noise of real tables, {runs} tables a line\n");
    println!(
        "| table | effects | true ones | Benjamini–Hochberg 10 % | ratio | false share | theirs |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    let (mut all, mut ratios, mut shares) = (vec![], vec![], vec![]);
    for (t, table) in tables().iter().take(PLANTED).enumerate() {
        for (e, effects) in EFFECTS.iter().enumerate() {
            let seed = 21_000 + 100 * (5 * t + e) as u64;
            let outcomes: Vec<Outcome> =
                (0..runs).into_par_iter().map(|run| outcome(table.judged(Some(effects), seed, run))).collect();
            let over = |of: fn(&Outcome) -> f64| mean(outcomes.iter().map(of));
            let (right, theirs) = (over(|o| o.right as f64), over(|o| o.by_p.0 as f64));
            let share = over(|o| false_share(o.right, o.wrong));
            println!(
                "| {} | {} | {right:.1} | {theirs:.1} | {:.2} | {share:.3} | {:.3} |",
                table.name,
                effects.0,
                right / theirs,
                over(|o| false_share(o.by_p.0, o.by_p.1))
            );
            ratios.push(if theirs > 0.0 { right / theirs } else { 1.0 });
            shares.push(share);
            all.extend(outcomes);
        }
    }
    if !all.is_empty() {
        print_bars(&all, &ratios, &shares);
    }
}

fn print_bars(all: &[Outcome], ratios: &[f64], shares: &[f64]) {
    let n = all.len() as f64;
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = shares.iter().copied().fold(0.0, f64::max);
    let of_all = |is: &dyn Fn(&Outcome) -> bool| all.iter().filter(|o| is(o)).count() as f64 / n;
    let above = |limit: f64| of_all(&|o| false_share(o.right, o.wrong) > limit);
    let shown: Vec<bool> = all.iter().filter_map(|o| o.interval_holds).collect();
    let held = shown.iter().filter(|held| **held).count() as f64 / shown.len().max(1) as f64;
    let (ratio, share) = (mean(ratios.iter().copied()), mean(shares.iter().copied()));
    let lines = [
        ("mean ratio of true ones, at least 1.1", ratio, ratio >= 1.1),
        ("least ratio, at least .95", least, least >= 0.95),
        ("mean false share, at most .10", share, share <= 0.1),
        ("largest mean false share, at most .15", most, most <= 0.15),
        ("tables above .2, at most .06", above(0.2), above(0.2) <= 0.06),
        ("tables above .3, at most .015", above(0.3), above(0.3) <= 0.015),
        ("\"at least\" holds, at least .95", of_all(&|o| o.bound_holds), of_all(&|o| o.bound_holds) >= 0.95),
        ("intervals shown hold, at least .93", held, held >= 0.93),
    ];
    println!();
    lines.iter().for_each(|(bar, value, met)| println!("{bar}: {value:.3}   {}", verdict(*met)));
    println!("\n| probability | features | said | true | within .12 |\n| --- | --- | --- | --- | --- |");
    for bin in 0..10 {
        let sum = all.iter().fold((0, 0.0, 0), |s, o| (s.0 + o.bins[bin].0, s.1 + o.bins[bin].1, s.2 + o.bins[bin].2));
        let count = sum.0.max(1) as f64;
        let (said, held) = (sum.1 / count, sum.2 as f64 / count);
        println!("| .{bin}– | {} | {said:.3} | {held:.3} | {} |", sum.0, verdict((said - held).abs() <= 0.12));
    }
}

/// Prints how often anything is named on the noise alone.
pub fn print_shuffled(effort: Effort) {
    let runs = effort.runs(63);
    println!(
        "\n### The same tables without effects, {runs} shuffles a line\n\n| table | anything named |\n| --- | --- |"
    );
    let (mut loud, mut all) = (0, 0);
    for (t, table) in tables().iter().enumerate() {
        let seed = 31_000 + 100 * t as u64;
        let named = |run: u64| !table.judged(None, seed, run).0.answer.named.is_empty();
        let count = (0..runs).into_par_iter().filter(|run| named(*run)).count();
        println!("| {} | {count} |", table.name);
        (loud, all) = (loud + count, all + runs as usize);
    }
    let share = loud as f64 / all.max(1) as f64;
    println!("\nover all {all}: {:.2} %   bar 1.5 %: {}", 100.0 * share, verdict(share <= 0.015));
}
