//! `needed` where the truth is known: targets planted on real tables, hidden batches, noise, fine-mapping, seeds, times.
//!
//! A finding is true if it holds a causal column ("exact"). Every seed is fixed; the output is the same on any number of
//! threads, but for the times.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use cpu_time::ProcessTime;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::path::Path;
use tamis::analysis::Data;
use tamis::numeric::random;
use tamis::selection::NeededFeatures;
use tamis::table::{self, Input, ReadOptions, Target};
use tamis::{Analysis, Context, Needed, Silent, Table};

/// Tables whose columns are numbers, with their targets.
const TABLES: [(&str, &str); 6] = [
    ("colon", "label"),
    ("leukemia", "label"),
    ("prostate", "label"),
    ("breast", "label"),
    ("madelon_train", "label"),
    ("optdigits", "label"),
];
/// Columns of a table that are used at most.
const MOST_COLUMNS: usize = 2000;
const MOST_ROWS: usize = 600;

/// Numeric columns of a table.
struct Columns {
    name: String,
    values: Vec<Vec<f64>>,
}

impl Columns {
    fn read(folder: &Path, name: &str, target: &str) -> Option<Columns> {
        let path = folder.join(format!("{name}.csv.gz"));
        let options = ReadOptions::target(target);
        let table = table::read(Input::open(&path).ok()?, &options, &mut Silent).ok()?;
        let step = (table.names().len() / MOST_COLUMNS).max(1);
        let numbers = table.columns().iter().step_by(step).filter_map(|column| column.numbers());
        let varied = numbers.filter(|x| x.iter().all(|x| x.is_finite()) && x.iter().any(|v| *v != x[0]));
        let values: Vec<Vec<f64>> = varied.map(|x| x[..x.len().min(MOST_ROWS)].to_vec()).collect();
        let varied = |x: &Vec<f64>| x.iter().any(|v| *v != x[0]);
        Some(Columns { name: name.into(), values: values.into_iter().filter(varied).collect() })
    }

    fn rows(&self) -> usize {
        self.values[0].len()
    }
}

/// What a cell of the design plants.
#[derive(Clone, Copy)]
struct Cell {
    causal: usize,
    classes: bool,
    tiny: usize,
    copies: bool,
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn standardised(x: &[f64]) -> Vec<f64> {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let sd = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt().max(1e-300);
    x.iter().map(|x| (x - mean) / sd).collect()
}

fn answer(columns: Vec<Vec<f64>>, target: Target, seed: u64) -> Option<NeededFeatures> {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    let table = Table::new(names, columns, "y", target).ok()?;
    Some(Needed::default().explain(&table.view(), &mut Context::seeded(seed)).ok()?.0)
}

fn halves(y: &[f64]) -> Target {
    let mut sorted = y.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted[y.len() / 2];
    Target::classes(&y.iter().map(|y| Some(if *y > middle { "high" } else { "low" })).collect::<Vec<_>>())
}

/// Findings with their probabilities and whether they are true, and the share of causal columns found.
fn plant(table: &Columns, cell: Cell, seed: u64) -> Option<(Vec<(f64, bool)>, f64)> {
    let mut rng = random::stream(20_261, seed);
    let mut columns = table.values.clone();
    let (rows, k) = (table.rows(), columns.len());
    let mut causal: Vec<usize> = vec![];
    while causal.len() < cell.causal {
        let j = rng.random_range(0..k);
        if !causal.contains(&j) {
            causal.push(j);
        }
    }
    let mut y = vec![0.0; rows];
    let add = |j: usize, b: f64, y: &mut Vec<f64>| {
        y.iter_mut().zip(standardised(&table.values[j])).for_each(|(y, x)| *y += b * x);
    };
    for &j in &causal {
        let sign = if rng.random::<bool>() { 1.0 } else { -1.0 };
        add(j, sign, &mut y);
    }
    y = standardised(&y).iter().map(|y| y * 0.5_f64.sqrt()).collect();
    if cell.tiny > 0 {
        let mut tiny = vec![0.0; rows];
        for _ in 0..cell.tiny {
            let j = rng.random_range(0..k);
            let b = normal(&mut rng);
            add(j, b, &mut tiny);
        }
        y.iter_mut().zip(standardised(&tiny)).for_each(|(y, t)| *y += 0.5 * t);
    }
    let noise = if cell.tiny > 0 { 0.5 } else { 0.5_f64.sqrt() };
    y.iter_mut().for_each(|y| *y += noise * normal(&mut rng));
    if cell.copies {
        for &j in &causal {
            let x = standardised(&table.values[j]);
            for _ in 0..rng.random_range(3..=10) {
                columns.push(x.iter().map(|x| x + 0.2 * normal(&mut rng)).collect());
            }
        }
    }
    let target = if cell.classes { halves(&y) } else { Target::Real { values: y } };
    let found = answer(columns, target, seed)?;
    let holds = |members: &[u32]| members.iter().any(|&j| causal.contains(&(j as usize)));
    let sets = found.findings.iter().map(|f| (f.probability, holds(&f.members))).collect();
    let hit = causal.iter().filter(|&&j| found.findings.iter().any(|f| f.members.contains(&(j as u32)))).count();
    Some((sets, hit as f64 / cell.causal as f64))
}

fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "does not hold" }
}

/// A section of the output: its name, how many runs it has in full, and what prints it.
type Section = (&'static str, usize, fn(&Path, u64));

const SECTIONS: [Section; 6] = [
    ("times", 1, times),
    ("noise", 300, noise),
    ("planted", 20, planted),
    ("hidden", 100, hidden),
    ("fine-mapping", 1, fine_mapping),
    ("seeds", 5, seeds),
];

/// Prints every section, or those that are named, with one of `one_of` runs.
pub fn run(one_of: usize, only: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if let Some(unknown) = only.iter().find(|name| SECTIONS.iter().all(|(section, ..)| section != *name)) {
        let known: Vec<&str> = SECTIONS.iter().map(|(name, ..)| *name).collect();
        eprintln!("there is no section {unknown}; there are {}", known.join(", "));
        std::process::exit(2);
    }
    if one_of > 1 {
        println!("one of {one_of} runs: too few to judge by");
    }
    for (_, full, print) in SECTIONS.iter().filter(|(name, ..)| only.is_empty() || only.contains(name)) {
        print(&folder, (full / one_of.max(1)).max(1) as u64);
    }
}

fn tables(folder: &Path) -> Vec<Columns> {
    TABLES.iter().filter_map(|(name, target)| Columns::read(folder, name, target)).collect()
}

fn planted(folder: &Path, runs: u64) {
    println!("planted: exact false share and power at fdr .1, {runs} tables a cell");
    let tables = tables(folder);
    let (mut all, mut worst) = (vec![], 0.0_f64);
    for table in &tables {
        for (causal, classes, tiny, copies) in [
            (1, false, 0, false),
            (3, false, 0, false),
            (5, false, 0, false),
            (10, false, 0, false),
            (3, true, 0, false),
            (5, true, 0, false),
            (5, false, 200, false),
            (5, false, 0, true),
        ] {
            let cell = Cell { causal, classes, tiny, copies };
            let results: Vec<_> = (0..runs).filter_map(|seed| plant(table, cell, seed)).collect();
            let sets: Vec<(f64, bool)> = results.iter().flat_map(|(sets, _)| sets.clone()).collect();
            let share = false_share(&sets);
            let power = results.iter().map(|(_, power)| power).sum::<f64>() / results.len().max(1) as f64;
            let kind = if classes { "classes" } else { "numbers" };
            let more = if tiny > 0 {
                " + 200 tiny"
            } else if copies {
                " with copies"
            } else {
                ""
            };
            let (rows, columns) = (table.rows(), table.values.len());
            println!(
                "  {} {rows} x {columns}, {causal} causal, {kind}{more}: {} sets, false {share:.2}, power {power:.2}",
                table.name,
                sets.len()
            );
            worst = worst.max(share);
            all.extend(sets);
        }
    }
    let pooled = false_share(&all);
    println!("  pooled false share {pooled:.3} of {} sets (bar .12): {}", all.len(), verdict(pooled <= 0.12));
    println!("  worst cell {worst:.2} (bar .2): {}", verdict(worst <= 0.2));
    for (low, high) in [(0.5, 0.7), (0.7, 0.9), (0.9, 0.97), (0.97, 1.01)] {
        let bin: Vec<&(f64, bool)> = all.iter().filter(|(p, _)| *p >= low && *p < high).collect();
        if bin.is_empty() {
            continue;
        }
        let n = bin.len() as f64;
        let (claimed, true_share) =
            (bin.iter().map(|(p, _)| p).sum::<f64>() / n, bin.iter().filter(|(_, holds)| *holds).count() as f64 / n);
        println!(
            "  P {low:.2} to {high:.2}: {n:.0} sets, claimed {claimed:.2}, true {true_share:.2} (bar .12): {}",
            verdict((claimed - true_share).abs() <= 0.12)
        );
    }
}

fn false_share(sets: &[(f64, bool)]) -> f64 {
    sets.iter().filter(|(_, holds)| !holds).count() as f64 / sets.len().max(1) as f64
}

/// Targets that no column is related to.
fn noise(folder: &Path, runs: u64) {
    let (mut named, mut count) = (0, 0);
    let tables = tables(folder);
    for seed in 0..runs {
        let Some(table) = tables.get(seed as usize % tables.len().max(1)) else { continue };
        let mut rng = random::stream(77, seed);
        let y = (0..table.rows()).map(|_| normal(&mut rng)).collect();
        let found = answer(table.values.clone(), Target::Real { values: y }, seed);
        count += 1;
        named += usize::from(found.is_some_and(|found| !found.findings.is_empty()));
    }
    println!("noise: {named} of {count} tables named (bar 1 %): {}", verdict(named * 100 <= count));
}

/// A hidden batch moves half of the columns of a real table, and the target follows it: no column is needed.
fn hidden(folder: &Path, runs: u64) {
    let (mut named, mut count) = (0, 0);
    for seed in 0..runs {
        let tables = ["colon", "prostate", "leukemia"];
        let name = tables[seed as usize % tables.len()];
        let Some(table) = Columns::read(folder, name, "label") else { continue };
        let mut rng = random::stream(78, seed);
        let rows = table.rows();
        let batch: Vec<f64> = (0..rows).map(|_| f64::from(u8::from(rng.random::<bool>()))).collect();
        let mut columns: Vec<Vec<f64>> = table.values.iter().map(|x| standardised(x)).collect();
        for column in columns.iter_mut().step_by(2) {
            let b = normal(&mut rng);
            column.iter_mut().zip(&batch).for_each(|(x, batch)| *x += b * batch);
        }
        let y = batch.iter().map(|batch| batch + 0.4 * normal(&mut rng)).collect();
        count += 1;
        named += usize::from(
            answer(columns, Target::Real { values: y }, seed).is_some_and(|found| !found.findings.is_empty()),
        );
    }
    println!(
        "hidden batch on half of the columns: named in {named} of {count} (bar 5 %): {}",
        verdict(named * 20 <= count)
    );
}

/// Real genotypes with three causal variants a trait.
fn fine_mapping(folder: &Path, _: u64) {
    for (trait_name, other) in [("trait1", "trait2"), ("trait2", "trait1")] {
        let path = folder.join("known/finemapping/N3/table.csv.gz");
        let Ok(input) = Input::open(&path) else { return println!("fine-mapping: no table") };
        let options = ReadOptions { drop: vec![other.into()], ..ReadOptions::target(trait_name) };
        let Ok(table) = table::read(input, &options, &mut Silent) else { return println!("fine-mapping: not read") };
        let causal: &[&str] = match trait_name {
            "trait1" => &["snp403", "snp653", "snp773"],
            _ => &["snp474", "snp614", "snp795"],
        };
        let Ok((found, _)) = Needed::default().explain(&table.view(), &mut Context::default()) else { return };
        let holds = |members: &[u32]| members.iter().any(|&j| causal.contains(&table.names()[j as usize].as_str()));
        for finding in &found.findings {
            let lead = &table.names()[finding.lead() as usize];
            let (size, p) = (finding.members.len(), finding.probability);
            println!("  {trait_name}: {lead}, {size} members, P {p:.2}, causal: {}", holds(&finding.members));
        }
        let all = found.findings.iter().all(|finding| holds(&finding.members));
        println!(
            "fine-mapping {trait_name}: {} sets, every one holds a causal column: {}",
            found.findings.len(),
            verdict(all)
        );
    }
}

/// Whether other seeds name the same leads.
fn seeds(folder: &Path, runs: u64) {
    let (mut same, mut count) = (0, 0);
    for name in
        ["colon", "leukemia", "prostate", "breast", "sylva_valid", "wine", "parkinsons", "heart", "spect", "lungcancer"]
    {
        let path = folder.join(format!("{name}.csv.gz"));
        let Ok(input) = Input::open(&path) else { continue };
        let Ok(table) = table::read(input, &ReadOptions::target("label"), &mut Silent) else { continue };
        let leads = |seed| {
            let found = Needed::default().explain(&table.view(), &mut Context::seeded(seed));
            found.map(|(found, _)| found.leads()).unwrap_or_default()
        };
        let first: Vec<u32> = leads(0);
        for seed in 1..runs.max(2) {
            let other = leads(seed);
            count += first.len().max(other.len());
            same += first.iter().filter(|lead| other.contains(lead)).count();
        }
    }
    println!("seeds: {same} of {count} leads equal (bar 95 %): {}", verdict(same * 20 >= count * 19));
}

/// CPU seconds on one thread, and those of the answer of `snbl` with its second look, beside which the question is asked.
fn times(_: &Path, _: u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let normals = |rows: usize, columns: usize| -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut rng = random::stream(5, 0);
        let x: Vec<Vec<f64>> = (0..columns).map(|_| (0..rows).map(|_| normal(&mut rng)).collect()).collect();
        let y = (0..rows).map(|i| x[0][i] + x[1][i] - x[2][i] + 1.7 * normal(&mut rng)).collect();
        (x, y)
    };
    for (rows, columns) in [(62, 2000), (172, 2000), (400, 50), (1000, 300), (102, 12_600), (20_000, 100)] {
        let (x, y) = normals(rows, columns);
        let names = (0..columns).map(|j| format!("f{j}")).collect();
        let table = Table::new(names, x, "y", halves(&y)).unwrap();
        let seconds = |work: &mut (dyn FnMut() + Send)| {
            let start = ProcessTime::now();
            pool.install(work);
            start.elapsed().as_secs_f64()
        };
        let asked = |second_look: bool| Analysis {
            second_look: (!second_look).then_some(false),
            needed: Some(false),
            ..Analysis::default()
        };
        let [answer, alone] = [true, false].map(|second_look| {
            let analysis = asked(second_look);
            seconds(&mut || drop(analysis.select(&Data::of_table("drawn", &table), &mut Silent).unwrap()))
        });
        let needed = seconds(&mut || drop(Needed::default().explain(&table.view(), &mut Context::default()).unwrap()));
        println!(
            "beside an answer, {rows} x {columns}: {needed:.3} s; the answer {answer:.3} s, without a second look {alone:.3} s"
        );
    }
    for (rows, columns, bar) in [(172, 2000, 0.3), (100_000, 200, 0.6), (500, 20_000, 4.0)] {
        let (x, y) = normals(rows, columns);
        let start = ProcessTime::now();
        let found = pool.install(|| answer(x, Target::Real { values: y }, 0));
        let seconds = start.elapsed().as_secs_f64();
        let sets = found.map_or(0, |found| found.findings.len());
        println!(
            "time {rows} x {columns}: {seconds:.2} s CPU on one thread, {sets} sets (bar {bar} s): {}",
            verdict(seconds <= bar)
        );
    }
}
