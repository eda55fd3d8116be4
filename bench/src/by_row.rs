//! Null targets that rows draw by themselves: memory and time in memory, states and their merging, and noise in shards.

use crate::peak;
use cpu_time::ProcessTime;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde_json::json;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tamis::base::Auto;
use tamis::base::error::Place;
use tamis::merge::RowState;
use tamis::numeric::random;
use tamis::sparse_means::NullTargets;
use tamis::stream::Stream;
use tamis::table::{self, Columns, Input, ReadOptions, Study, Target, View};
use tamis::{Context, Selector, Snbl, Table};

/// A matrix in single precision, row by row, as numpy holds it.
struct Singles {
    names: Arc<[String]>,
    rows: usize,
    values: Vec<f32>,
}

impl Columns for Singles {
    fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    fn n_rows(&self) -> usize {
        self.rows
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        let width = self.names.len();
        let height = rows.map_or(self.rows, <[u32]>::len);
        for at in 0..height {
            let row = rows.map_or(at, |rows| rows[at] as usize);
            let values = &self.values[row * width..(row + 1) * width];
            columns.clone().enumerate().for_each(|(j, column)| out[j * height + at] = f64::from(values[column]));
        }
    }
}

/// The default answer for two classes of noise in memory: seconds, and bytes beyond the matrix.
pub fn memory(rows: usize, columns: usize) {
    let names: Vec<String> = (0..columns).map(|j| format!("f{j}")).collect();
    let mut rng = random::stream(1, 0);
    let values = (0..rows * columns).map(|_| StandardNormal.sample(&mut rng)).collect();
    let matrix = Singles { names: names.into(), rows, values };
    let codes = (0..rows).map(|row| u32::from(row * 7 % 5 < 2)).collect();
    let target = Target::of_codes(vec!["a".into(), "b".into()], codes, 1).unwrap();
    let study = Study::new("y", target, None).unwrap();
    let before = peak();
    let (start, method) = (ProcessTime::now(), Snbl::default());
    let selection = method.select(&View::new(&matrix, &study).unwrap(), &mut Context::default()).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{}",
        json!({ "seconds": seconds, "selected": selection.selected.len(), "matrix_bytes": 4 * rows * columns,
                "beyond": peak().saturating_sub(before), "peak_bytes": peak() })
    );
}

fn stream(null_targets: NullTargets, permutations: Option<usize>) -> Stream {
    let mut method = Snbl { null_targets, ..Snbl::default() };
    method.means.permutations = permutations.map_or(Auto::Auto, Auto::Set);
    Stream { options: ReadOptions::target("label"), method, seed: 0, memory: None }
}

/// The default answer for a file in pieces, with null targets or without.
pub fn pieces(file: &Path, permutations: Option<usize>) {
    let start = ProcessTime::now();
    let stream = stream(NullTargets::Auto, permutations);
    let answer = stream.select_summed(&[file.to_path_buf()], &[], &mut Context::default()).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    println!("{}", json!({ "seconds": seconds, "selected": answer.selection.selected.len(), "peak_bytes": peak() }));
}

/// The state of a shard of so many rows and features, and the merging of so many such states.
pub fn states(rows: usize, features: usize, states: usize) {
    let folder = std::env::temp_dir().join(format!("tamis-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("shard.csv");
    crate::scale::write(rows as u64, features, &file);
    let stream = stream(NullTargets::Rows, Some(199));
    let files = [file];
    let start = ProcessTime::now();
    let profile = Arc::new(stream.profile(&files, &mut Context::default()).unwrap());
    let profiling = start.elapsed().as_secs_f64();
    let start = ProcessTime::now();
    let state = stream.read_rows(&files, &profile, &mut Context::default()).unwrap();
    let summing = start.elapsed().as_secs_f64();
    std::fs::remove_dir_all(&folder).unwrap();
    let bytes = state.to_bytes();
    let mut whole = state;
    let start = ProcessTime::now();
    for _ in 1..states {
        let other = RowState::from_bytes(&bytes, "state").unwrap();
        whole.merge(&other, &Place::default()).unwrap();
    }
    let merging = start.elapsed().as_secs_f64();
    println!(
        "{}",
        json!({ "profiling": profiling, "seconds": summing, "bytes": bytes.len(), "merging": merging, "states": states,
                "peak_bytes": peak() })
    );
}

/// The share of tables without any effect of which something is named, with null targets by rows: two shuffled tables of genes,
/// and blocks of 100 features of correlation .9. Every thirtieth is also answered in 5 and 40 shards.
pub fn quiet(runs: u64) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let mut found = vec![];
    for name in ["colon", "leukemia", "blocks"] {
        let real = (name != "blocks").then(|| read(&data.join(format!("{name}.csv.gz"))));
        let each: Vec<(usize, bool)> = (0..runs)
            .into_par_iter()
            .map(|run| {
                let table = match &real {
                    Some(table) => shuffled(table, run),
                    None => blocks(run),
                };
                let own = stream(NullTargets::Rows, Some(199));
                let own = Stream { seed: run, ..own };
                let selected = own.method.select(&table.view(), &mut Context::seeded(run)).unwrap().selected;
                let same = run % 30 > 0 || [5, 40].iter().all(|shards| in_shards(&own, &table, *shards) == selected);
                (selected.len(), same)
            })
            .collect();
        let named = each.iter().filter(|(named, _)| *named > 0).count();
        let most = each.iter().map(|(named, _)| *named).max();
        found.push(json!({ "table": name, "runs": runs, "named": named, "most": most,
                           "same_in_shards": each.iter().all(|(_, same)| *same) }));
    }
    println!("{}", json!({ "seconds": 0, "peak_bytes": peak(), "found": found }));
}

fn read(path: &Path) -> Table {
    table::read(Input::open(path).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap()
}

fn shuffled(table: &Table, run: u64) -> Table {
    let order = random::permutation(run, 77, table.n_rows());
    let Target::Classes { codes, labels, positive, .. } = table.target() else { panic!("classes") };
    let codes = order.iter().map(|&row| codes[row as usize]).collect();
    let target = Target::of_codes(labels.clone(), codes, *positive).unwrap();
    let logged = |column: &tamis::table::Column| -> Vec<f64> {
        column.numbers().unwrap().iter().map(|x| x.max(1.0).ln()).collect()
    };
    let columns: Vec<Vec<f64>> = table.columns().iter().map(logged).collect();
    Table::new(table.names().to_vec(), columns, "label", target).unwrap()
}

fn blocks(run: u64) -> Table {
    let mut rng = random::stream(run, 78);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut columns = vec![];
    for _ in 0..20 {
        let common: Vec<f64> = (0..100).map(|_| normal()).collect();
        for _ in 0..100 {
            let column: Vec<f64> = common.iter().map(|c| 0.9_f64.sqrt() * c + 0.1_f64.sqrt() * normal()).collect();
            columns.push(column);
        }
    }
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    let target = Target::of_codes(vec!["a".into(), "b".into()], (0..100).map(|i| i % 2).collect(), 1).unwrap();
    Table::new(names, columns, "label", target).unwrap()
}

/// What is named where the rows lie in so many shards.
fn in_shards(stream: &Stream, table: &Table, shards: usize) -> Vec<u32> {
    let folder = std::env::temp_dir().join(format!("tamis-bench-{}-{}-{shards}", std::process::id(), stream.seed));
    std::fs::create_dir_all(&folder).unwrap();
    let rows: Vec<usize> = (0..table.n_rows()).collect();
    let write = |(at, some): (usize, &[usize])| -> PathBuf {
        let mut text = format!("{},label\n", table.names().join(","));
        for &row in some {
            table.columns().iter().for_each(|column| write!(text, "{},", column.numbers().unwrap()[row]).unwrap());
            writeln!(text, "{}", table.target().text(row)).unwrap();
        }
        let path = folder.join(format!("{at}.csv"));
        std::fs::write(&path, text).unwrap();
        path
    };
    let files: Vec<PathBuf> = rows.chunks(rows.len().div_ceil(shards)).enumerate().map(write).collect();
    let profile = Arc::new(stream.profile(&files, &mut Context::default()).unwrap());
    let state =
        |file: &PathBuf| stream.read_rows(std::slice::from_ref(file), &profile, &mut Context::default()).unwrap();
    let whole = RowState::merge_all(files.iter().map(state).collect()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    whole.answer(&stream.method, &[], &mut Context::default()).unwrap().selection.selected
}
