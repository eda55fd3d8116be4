//! Small studies drawn from large ones, and judged by the rest.

use super::judged::{Judged, judge};
use super::real_tables::{acute_leukemias, assembled, classes, golub, named};
use super::{Effort, mean, verdict};
use rayon::prelude::*;
use tamis::numeric::random;
use tamis::numeric::special::normal_two_sided;
use tamis::score::{Scoring, Statistic};
use tamis::table::Target;
use tamis::{Context, Table};

/// How often a study is split.
const SPLITS: usize = 20;

/// What a procedure named in a small study, as the rest of the large one judges it.
#[derive(Clone, Copy)]
struct Verdict {
    named: usize,
    /// Significant at 5 % in the rest, in the same direction.
    confirmed: usize,
    /// In the other direction, significant or not.
    discordant: usize,
}

/// The procedures that are compared.
const PROCEDURES: [&str; 3] = ["tamis", "moderated t, Benjamini–Hochberg 10 %", "moderated t, Storey's q 10 %"];

fn judged_by(small: &Judged, rest: &[f64]) -> [Verdict; 3] {
    let of = |named: &[u32]| {
        let agrees = |i: u32| small.z()[i as usize] * rest[i as usize] > 0.0;
        let confirmed = named.iter().filter(|&&i| agrees(i) && normal_two_sided(rest[i as usize]) < 0.05).count();
        let discordant = named.iter().filter(|&&i| small.z()[i as usize] * rest[i as usize] < 0.0).count();
        Verdict { named: named.len(), confirmed, discordant }
    };
    [of(small.named()), of(&small.by_p(0.1)), of(&small.by_q(0.1))]
}

/// The moderated score of every feature.
fn scores(table: &Table) -> Vec<f64> {
    let scoring = Scoring { statistic: Statistic::Moderated, ..Scoring::default() };
    scoring.scores(&table.view(), &mut Context::default()).unwrap().into_z()
}

/// The rows of a table as another.
fn rows_of(table: &Table, rows: &[usize]) -> Table {
    let (labels, codes, positive) = classes(table.target());
    let columns = table.columns().iter().map(|column| {
        let values = column.numbers().unwrap();
        rows.iter().map(|&row| values[row]).collect()
    });
    let codes = rows.iter().map(|&row| codes[row]).collect();
    assembled(columns.collect(), Target::of_codes(labels.to_vec(), codes, positive).unwrap())
}

/// The rows of a small study, with so many of each class, and the rest.
fn split(table: &Table, sizes: [usize; 2], run: u64) -> [Vec<usize>; 2] {
    let (_, codes, _) = classes(table.target());
    let (mut left, mut parts) = (sizes, [vec![], vec![]]);
    for row in random::permutation(61_000, run, codes.len()) {
        let left = &mut left[codes[row as usize] as usize];
        let part = usize::from(*left == 0);
        *left = left.saturating_sub(1);
        parts[part].push(row as usize);
    }
    parts
}

/// Prints a line per study and procedure.
pub fn print(effort: Effort) {
    println!("\n### Small studies drawn from large ones, judged by the rest\n");
    println!(
        "| study | splits | procedure | named | confirmed | 2 × discordant / named | bar: as many confirmed as Benjamini–Hochberg, 2 × discordant ≤ .12 |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    let runs = effort.runs(SPLITS);
    for (name, table, sizes) in [
        ("leukemia, 12 + 12 of 47 + 25", "leukemia", [12, 12]),
        ("prostate, 20 + 20 of 52 + 50", "prostate", [20, 20]),
        ("colon, half: 11 + 20 of 22 + 40", "colon", [11, 20]),
    ] {
        if let Some(table) = named(table) {
            of_splits(name, &table, sizes, runs);
        }
    }
    match acute_leukemias() {
        Some(table) => of_splits("ALL, 15 + 15 of 95 + 33", &table, [15, 15], runs),
        None => eprintln!("skipped: bench/run writes Bioconductor's ALL to bench/data where R has it"),
    }
    if let Some([train, test]) = golub() {
        let rest = scores(&test.table);
        lines("golub: 38 samples, the other 34", &[judged_by(&judge(&train.table, 0), &rest)]);
    }
    println!(
        "\n*Confirmed*: significant at 5 % by the moderated t-test in the rest, in the same direction. A feature without any \
         effect takes the other direction there half the time, so that twice the discordant ones estimate the false ones; \
         colon's halves have no bar: its rest is as small as the study."
    );
}

fn of_splits(name: &str, table: &Table, sizes: [usize; 2], runs: u64) {
    let one = |run: u64| {
        let [small, rest] = split(table, sizes, run).map(|rows| rows_of(table, &rows));
        judged_by(&judge(&small, run), &scores(&rest))
    };
    lines(name, &(0..runs).into_par_iter().map(one).collect::<Vec<_>>());
}

fn lines(name: &str, verdicts: &[[Verdict; 3]]) {
    let over = |who: usize, of: fn(&Verdict) -> usize| mean(verdicts.iter().map(|verdict| of(&verdict[who]) as f64));
    for (who, procedure) in PROCEDURES.iter().enumerate() {
        let [all, confirmed, discordant] =
            [over(who, |v| v.named), over(who, |v| v.confirmed), over(who, |v| v.discordant)];
        let share = 2.0 * discordant / all.max(1.0);
        let met = match who {
            0 if !name.starts_with("colon") => verdict(confirmed >= over(1, |v| v.confirmed) && share <= 0.12),
            _ => "",
        };
        let splits = verdicts.len();
        println!("| {name} | {splits} | {procedure} | {all:.0} | {confirmed:.0} | {share:.3} | {met} |");
    }
}
