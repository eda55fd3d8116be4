//! The real tables of two classes that lie beside the project, as they are analysed.

use std::path::{Path, PathBuf};
use tamis::table::{self, Column, Input, ReadOptions, SampleFile, Target};
use tamis::{Context, Table};

/// A table and its name.
pub struct RealTable {
    pub name: &'static str,
    pub table: Table,
}

/// How the values of a table are transformed.
type Transform = fn(f64) -> f64;

/// Expression measured by one kind of chip, logged within the range in which it measures anything.
const CHIP: Transform = |x| x.clamp(100.0, 16_000.0).ln();

const AS_IT_IS: Transform = |x| x;

/// Tables with a row per sample and the target in the column `label`.
const UPRIGHT: [(&str, Transform); 8] = [
    ("colon", f64::ln),
    ("leukemia", CHIP),
    ("prostate", AS_IT_IS),
    ("madelon_valid", AS_IT_IS),
    ("sylva_valid", AS_IT_IS),
    ("ada_valid", AS_IT_IS),
    ("breast", f64::ln_1p),
    ("parkinsons", AS_IT_IS),
];

/// Where the data lie.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data")
}

/// The tables with a row per sample that are at hand.
pub fn upright() -> Vec<RealTable> {
    let read = |(name, transform): &(&'static str, Transform)| {
        let path = folder().join(format!("{name}.csv.gz"));
        let table =
            table::read(Input::open(&path).ok()?, &ReadOptions::target("label"), &mut Context::default()).ok()?;
        Some(RealTable { name, table: transformed(&table, *transform) })
    };
    UPRIGHT.iter().filter_map(read).collect()
}

/// One of the tables with a row per sample.
pub fn named(name: &str) -> Option<Table> {
    upright().into_iter().find(|real| real.name == name).map(|real| real.table)
}

/// The two studies of the same leukemias, the first of which was published to learn from and the second to confirm it.
pub fn golub() -> Option<[RealTable; 2]> {
    let folder = folder().join("known/golub");
    let read = |name, part: &str| {
        let samples = SampleFile { path: folder.join(format!("{part}_samples.csv.gz")), id: None };
        let options = ReadOptions { transpose: true, samples: Some(samples), ..ReadOptions::target("ALL.AML") };
        let input = Input::open(&folder.join(format!("{part}.csv.gz"))).ok()?;
        let table = table::read(input, &options, &mut Context::default()).ok()?;
        Some(RealTable { name, table: transformed(&table, CHIP) })
    };
    Some([read("golub, 38 samples", "train")?, read("golub, the other 34", "test")?])
}

/// Acute lymphoblastic leukemias of B and of T cells, where `bench/run` has written them from R.
pub fn acute_leukemias() -> Option<Table> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/ALL.csv");
    table::read(Input::open(&path).ok()?, &ReadOptions::target("label"), &mut Context::default()).ok()
}

/// All of them but those that R has.
pub fn all() -> Vec<RealTable> {
    upright().into_iter().chain(golub().into_iter().flatten()).collect()
}

fn transformed(table: &Table, transform: Transform) -> Table {
    let numbers = table.columns().iter().filter_map(Column::numbers);
    let columns: Vec<Vec<f64>> = numbers.map(|values| values.iter().map(|x| transform(*x)).collect()).collect();
    assembled(columns, table.target().clone())
}

/// A table of these columns, which are named by their numbers.
pub fn assembled(columns: Vec<Vec<f64>>, target: Target) -> Table {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    Table::new(names, columns, "y", target).unwrap()
}

/// The labels, the class of every row, and which class is positive.
pub fn classes(target: &Target) -> (&[String], &[u32], u32) {
    let Target::Classes { codes, labels, positive, .. } = target else { panic!("classes") };
    (labels, codes, *positive)
}
