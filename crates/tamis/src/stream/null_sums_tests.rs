//! Null scores from sums over pieces are those of each drawn target by itself.

use super::*;
use crate::base::Context;
use crate::numeric::random;
use crate::score::null::{DrawnRows, DrawnTargets};
use crate::score::{Scale, Statistic, compute};
use crate::sparse_means::Snbl;
use crate::table::{self, Categories, Input, ReadOptions, Table, Target, WeightKind};

/// How rows are weighted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Weights {
    None,
    Whole,
    Fractions,
}

const TARGETS: [&str; 3] = ["two", "three", "real"];
const NULLS: usize = 30;
const ROWS: usize = 120;

/// Numbers of very different sizes, gaps, categories with gaps, and three targets, one of them with a gap too.
fn text() -> Vec<String> {
    let mut rng = random::stream(5, 0);
    let mut normal = || random::standard_normal(&mut rng);
    let mut lines = vec!["plain,shifted,tiny,gaps,word,two,three,real,whole,part".to_string()];
    for row in 0..ROWS {
        let gap = |every: usize, cell: String| if row % every == 0 { String::new() } else { cell };
        let y = (row % 2) as f64;
        let cells = [
            (normal() + y).to_string(),
            (1e6 + normal()).to_string(),
            (1e-170 * (normal() + y)).to_string(),
            gap(5, normal().to_string()),
            gap(7, ["red", "green", "blue"][(row * row + row / 5) % 3].to_string()),
            gap(11, ["no", "yes"][row % 2].to_string()),
            ["a", "b", "c"][(row * row + row / 4) % 3].to_string(),
            (y + normal()).to_string(),
            (1 + row % 4).to_string(),
            (0.5 + (row % 3) as f64 * 0.7).to_string(),
        ];
        lines.push(cells.join(","));
    }
    lines
}

/// A table in files of these rows, and how it is read.
struct Case {
    _folder: tempfile::TempDir,
    whole: PathBuf,
    parts: Vec<PathBuf>,
    stream: Stream,
}

fn case(target: &str, statistic: Statistic, weights: Weights) -> Case {
    let lines = text();
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, rows: &[String]| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("{}\n{}\n", lines[0], rows.join("\n"))).expect("written");
        path
    };
    let whole = write("whole.csv", &lines[1..]);
    let parts = vec![write("1.csv", &lines[1..8]), write("2.csv", &lines[8..9]), write("3.csv", &lines[9..])];
    let mut options = ReadOptions::target(target);
    let others = TARGETS.iter().filter(|name| **name != target).map(|name| (*name).to_string());
    options.drop = others.chain(["whole".to_string(), "part".to_string()]).collect();
    let weight = match weights {
        Weights::None => None,
        Weights::Whole => Some("whole".to_string()),
        Weights::Fractions => Some("part".to_string()),
    };
    options.drop.retain(|name| Some(name) != weight.as_ref());
    options.weight = weight;
    options.weight_kind = if weights == Weights::Whole { WeightKind::Frequency } else { WeightKind::Importance };
    let mut method = Snbl { score: statistic, ..Snbl::default() };
    method.means.permutations = crate::base::Auto::Set(NULLS);
    let stream = Stream { options, method, seed: 9, memory: None };
    Case { _folder: folder, whole, parts, stream }
}

fn summed(stream: &Stream, files: &[PathBuf]) -> SummedScores {
    let mut context = Context::default();
    let (state, facts) = stream.sum(files, true, &mut context).expect("a state");
    let target = state.recognise().expect("a target");
    let planned = NullPlan::new(&state, &target, &stream.method, (facts, None)).expect("a plan");
    let (plan, scores) = planned.expect("few columns, and rows enough");
    let mut sink = NullSink { plan: Arc::new(plan), scores, read: 0 };
    stream.walk(files, &mut sink, &mut context).expect("sums");
    sink.scores
}

/// The table with null target `r` drawn for each row, or for each copy of a row of whole weight.
fn with_null(table: &Table, draws: &DrawnTargets, r: usize, copies: bool) -> (Table, Vec<f64>) {
    let data = table.view();
    let weights = data.weights_by_class();
    let weight = |row: u32| weights.as_ref().map_or(1.0, |w| w[row as usize]);
    let mut rows = vec![];
    let mut drawn: Vec<f64> = vec![];
    for &row in data.rows() {
        let count = if copies { weight(row) as usize } else { 1 };
        rows.extend(std::iter::repeat_n(row, count));
        // the first copies of a row are those of a smaller weight
        let of = |weight: f64| {
            let one = DrawnRows { numbers: &[u64::from(row)], weights: &[weight] };
            let coded = draws.weighted(r..r + 1, one);
            (0..coded.n_columns()).map(|j| coded.column(j)[0] * (j + 1) as f64).sum::<f64>()
        };
        drawn.extend((0..count).map(|copy| of(copy as f64 + 1.0) - if copy > 0 { of(copy as f64) } else { 0.0 }));
    }
    let target = match data.target() {
        Target::Classes { labels, positive, .. } => {
            let last = labels.len() as u32 - 1;
            let code = |x: &f64| match labels.len() {
                2 if *x > 0.0 => *positive,
                2 => 1 - *positive,
                _ if *x > 0.0 => x.round() as u32 - 1,
                _ => last,
            };
            Target::of_codes(labels.clone(), drawn.iter().map(code).collect(), *positive).expect("classes")
        }
        Target::Real { .. } | Target::Survival { .. } => Target::Real { values: drawn },
    };
    let repeated = |at: usize| match &*data.column(at) {
        Column::Numbers(x) => Column::Numbers(rows.iter().map(|&row| x[row as usize]).collect()),
        Column::Categories(c) => Column::Categories(Categories::of(rows.iter().map(|&row| c.get(row as usize)))),
    };
    let columns = (0..data.n_features()).map(repeated).collect();
    let made = Table::new(data.names().to_vec(), columns, "y", target).expect("a table");
    // the weights of the rows are those that the real target gives them
    (made, rows.iter().map(|&row| if copies { 1.0 } else { weight(row) }).collect())
}

/// The null targets of a case, as its plan draws them.
fn draws(table: &Table, copies: bool) -> DrawnTargets {
    match table.target() {
        Target::Classes { positive, .. } => {
            let counts = table.view().class_counts();
            let all = counts.iter().sum::<u64>() as f64;
            let shares: Vec<f64> = counts.iter().map(|count| *count as f64 / all).collect();
            DrawnTargets::classes(&shares, *positive as usize, 9, copies)
        }
        Target::Real { .. } | Target::Survival { .. } => DrawnTargets::numbers(9, copies),
    }
}

fn cases() -> Vec<(&'static str, Statistic, Weights)> {
    let scores =
        [("two", Statistic::Welch), ("two", Statistic::Pooled), ("three", Statistic::F), ("real", Statistic::Pearson)];
    let weights = [Weights::None, Weights::Whole, Weights::Fractions];
    scores.into_iter().flat_map(|(target, score)| weights.map(|weights| (target, score, weights))).collect()
}

#[test]
fn gate_scores_are_those_of_each_drawn_target_by_itself() {
    for (target, statistic, weights) in cases() {
        let case = case(target, statistic, weights);
        let found = summed(&case.stream, &case.parts).block(0..5).gate;
        let input = Input::open(&case.whole).expect("a file");
        let table = table::read(input, &case.stream.options, &mut Context::default()).expect("a table");
        let copies = weights == Weights::Whole;
        let draws = draws(&table, copies);
        for r in [0, 13, 29] {
            let (alone, weights) = with_null(&table, &draws, r, copies);
            let wanted = compute(&alone.view().bootstrapped(&weights), statistic, Scale::Z, &mut Context::default())
                .expect("scores");
            for (j, wanted) in wanted.z().iter().enumerate() {
                let z = found.column(j)[r];
                // 1e6 from 0 a table in memory has fewer digits than sums about the mean
                assert!((z - wanted).abs() < 1e-7, "{target} {statistic:?} {weights:?} {j} {r}: {z} {wanted}");
            }
        }
    }
}

#[test]
fn other_cuts_change_null_scores_in_their_last_digits_only() {
    for (target, statistic, weights) in cases() {
        let case = case(target, statistic, weights);
        let one = summed(&case.stream, std::slice::from_ref(&case.whole)).block(0..5);
        let three = summed(&case.stream, &case.parts).block(0..5);
        for (a, b) in [(&one.gate, &three.gate), (&one.states, &three.states)] {
            for j in 0..5 {
                // 1e6 standard deviations from 0 the mean itself has only ten digits
                let within = if j == 1 { 1e-8 } else { 1e-11 };
                let apart = a.column(j).iter().zip(b.column(j)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < within, "{target} {statistic:?} {weights:?} {j}: {apart}");
            }
        }
    }
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    for (target, statistic, weights) in cases() {
        let case = case(target, statistic, weights);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| summed(&case.stream, &case.parts).block(0..5))
        };
        let (one, two) = (with(1), with(2));
        for j in 0..5 {
            assert_eq!(one.gate.column(j), two.gate.column(j), "{target} {statistic:?} {weights:?}");
            assert_eq!(one.states.column(j), two.states.column(j), "{target} {statistic:?} {weights:?}");
        }
    }
}

#[test]
fn calibration_does_not_see_what_the_target_tells_of_a_column() {
    // in the second table the class or number itself is added to the first column
    for target in ["two", "three", "real"] {
        let case = case(target, Statistic::Auto, Weights::Fractions);
        let plain = summed(&case.stream, &case.parts);
        let lines = text();
        let place = lines[0].split(',').position(|name| name == target).expect("a column");
        let mut changed = vec![lines[0].clone()];
        for line in &lines[1..] {
            let mut cells: Vec<String> = line.split(',').map(str::to_string).collect();
            let part = match cells[place].as_str() {
                "yes" | "a" => 5.0,
                "b" => -3.0,
                other => other.parse::<f64>().unwrap_or(0.0),
            };
            cells[0] = (cells[0].parse::<f64>().expect("a number") + part).to_string();
            changed.push(cells.join(","));
        }
        let path = case.whole.with_file_name("changed.csv");
        std::fs::write(&path, changed.join("\n") + "\n").expect("written");
        let (one, two) = (plain.block(0..1), summed(&case.stream, &[path]).block(0..1));
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart(one.states.column(0), two.states.column(0)) < 1e-9, "{target}");
        assert!(apart(one.gate.column(0), two.gate.column(0)) > 0.1, "{target}");
    }
}
