//! Columns that may be the target, for users who have not named one.

use super::likely_survival::{LikelyEvent, has_word, may_be_event, may_be_time};
use super::read::{ReadOptions, read};
use super::{Column, Table};
use crate::base::{Error, Progress, Result};
use crate::table::read::open::Input;
use std::path::Path;

/// Candidates that are offered.
const MOST_OFFERED: usize = 5;
/// A column with more classes than this is no candidate.
const MOST_CLASSES: usize = 10;
/// Columns of text that may turn out to name the rows.
const MOST_ROW_NAMES: usize = 5;

/// Words by which targets are often called.
const USUAL_NAMES: [&str; 23] = [
    "class",
    "condition",
    "diagnosis",
    "disease",
    "event",
    "genotype",
    "group",
    "label",
    "labels",
    "outcome",
    "phenotype",
    "response",
    "responder",
    "stage",
    "status",
    "subtype",
    "survival",
    "target",
    "time",
    "tissue",
    "treatment",
    "type",
    "y",
];

/// A column that may be the target.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LikelyTarget {
    /// The column's name.
    pub name: String,
    /// Its classes with their numbers of rows; empty for a numeric column.
    pub classes: Vec<(String, u64)>,
    /// The range of a numeric column.
    pub range: Option<[f64; 2]>,
    /// The event until which the column seems to be the time.
    pub event: Option<LikelyEvent>,
}

/// What the columns of a file may be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LikelyColumns {
    /// Those that may be the target, the likeliest first.
    pub targets: Vec<LikelyTarget>,
    /// Those that seem to name the rows: texts that differ in every row, or too many of them for categories.
    pub row_names: Vec<String>,
}

/// The columns of a file that may be the target, the likeliest first: times until an event that another column holds, columns with a usual name (`label`, `group`,
/// `outcome`, …), with two values, with a few texts, and the first or last column where no other stands out. Where the
/// samples have a file of their own, its columns are looked at. The target in `options` is ignored.
///
/// # Errors
///
/// The file cannot be read, even with columns of many texts taken as row names.
pub fn likely_targets(file: &Path, options: &ReadOptions, progress: &mut dyn Progress) -> Result<LikelyColumns> {
    let mut options = ReadOptions { no_target: true, only: None, event: None, ..options.clone() };
    let mut file = file;
    let samples = options.samples.take();
    if let Some(samples) = &samples {
        file = &samples.path;
        options.ids = samples.id.iter().cloned().collect();
        options.drop.clear();
        (options.transpose, options.format, options.sheet) = (false, None, None);
        (options.weight, options.group, options.block) = (None, None, None);
        options.covariates.clear();
    }
    let (given, mut attempts) = (options.ids.len(), 0);
    let table = loop {
        match read(Input::open(file)?, &options, progress) {
            Ok(table) => break table,
            Err(Error::Data { place: crate::base::error::Place { column: Some(column), .. }, .. })
                if attempts < MOST_ROW_NAMES && !options.ids.contains(&column) =>
            {
                attempts += 1;
                options.ids.push(column);
            }
            Err(error) => return Err(error),
        }
    };
    let mut row_names = options.ids.split_off(given);
    row_names
        .extend(table.names().iter().zip(table.columns()).filter(|(_, c)| names_rows(c)).map(|(name, _)| name.clone()));
    let targets = candidates(&table);
    row_names.retain(|name| targets.iter().all(|target| target.name != *name));
    Ok(LikelyColumns { targets, row_names })
}

/// Whether a column of text has another in every row.
fn names_rows(column: &Column) -> bool {
    let Column::Categories(texts) = column else { return false };
    let mut codes = texts.codes().to_vec();
    codes.sort_unstable();
    codes.dedup();
    codes.len() == column.len() && codes.len() > MOST_CLASSES
}

/// The candidates of a table without a target.
fn candidates(table: &Table) -> Vec<LikelyTarget> {
    let last = table.names().len().saturating_sub(1);
    let mut found: Vec<(u32, LikelyTarget)> = vec![];
    for (at, (name, column)) in table.names().iter().zip(table.columns()).enumerate() {
        let candidate =
            LikelyTarget { name: name.clone(), classes: classes(column), range: range(column), event: None };
        let varies = candidate.classes.len() > 1 || candidate.range.is_some_and(|[low, high]| low < high);
        if !varies || (candidate.classes.is_empty() && candidate.range.is_none()) {
            continue;
        }
        let by_name = if has_word(name, &USUAL_NAMES) { 4 } else { 0 };
        let by_values = match (candidate.classes.len(), column) {
            (2, Column::Categories(_)) => 3,
            (2, Column::Numbers(_)) | (3.., Column::Categories(_)) => 2,
            _ => 0,
        };
        let by_place = u32::from(at == 0 || at == last);
        found.push((by_name + by_values + by_place, candidate));
    }
    if let Some(survival) = survival_time(table, &found) {
        found.retain(|(_, candidate)| candidate.name != survival.name);
        found.push((u32::MAX, survival));
    }
    let threshold = if found.iter().any(|(weight, _)| *weight > 1) { 2 } else { 1 };
    found.retain(|(weight, _)| *weight >= threshold);
    found.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    found.into_iter().take(MOST_OFFERED).map(|(_, candidate)| candidate).collect()
}

/// The first column of times, where another column looks like its event.
fn survival_time(table: &Table, found: &[(u32, LikelyTarget)]) -> Option<LikelyTarget> {
    let event = found.iter().find_map(|(_, one)| may_be_event(&one.name, &one.classes))?;
    let is_time =
        |(name, column): &(&String, &Column)| **name != event.column && may_be_time(name, column, MOST_CLASSES);
    let (name, column) = table.names().iter().zip(table.columns()).find(is_time)?;
    Some(LikelyTarget { name: name.clone(), classes: vec![], range: range(column), event: Some(event) })
}

/// The values of a column as classes, where they may be: a few texts, or a few whole numbers, in two rows each on average.
fn classes(column: &Column) -> Vec<(String, u64)> {
    let mut counted: Vec<(String, u64)> = vec![];
    let mut rows = 0;
    for row in (0..column.len()).filter(|&row| !column.is_missing(row)) {
        if column.numbers().is_some_and(|x| x[row].fract() != 0.0) {
            return vec![];
        }
        rows += 1;
        let text = column.text(row);
        match counted.iter().position(|(label, _)| *label == text) {
            Some(at) => counted[at].1 += 1,
            None if counted.len() == MOST_CLASSES => return vec![],
            None => counted.push((text, 1)),
        }
    }
    if counted.len() * 2 > rows {
        return vec![];
    }
    counted.sort();
    counted
}

/// The range of the numbers of a column that is not classes.
fn range(column: &Column) -> Option<[f64; 2]> {
    let known = column.numbers()?.iter().copied().filter(|x| !x.is_nan());
    known.fold(None, |range, x| Some(range.map_or([x, x], |[low, high]: [f64; 2]| [low.min(x), high.max(x)])))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::Silent;
    use std::fmt::Write as _;

    fn of_text(head: &str, row: impl Fn(usize) -> String) -> Vec<LikelyTarget> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.csv");
        let mut text = format!("{head}\n");
        (0..90).for_each(|i| writeln!(text, "{}", row(i)).unwrap());
        std::fs::write(&path, text).unwrap();
        let found = likely_targets(&path, &ReadOptions::target(""), &mut Silent).unwrap();
        let named: &[&str] = if head.starts_with("sample") { &["sample"] } else { &[] };
        assert_eq!(found.row_names, named);
        found.targets
    }

    fn offered(head: &str, row: impl Fn(usize) -> String) -> Vec<String> {
        of_text(head, row).into_iter().map(|candidate| candidate.name).collect()
    }

    #[test]
    fn names_and_few_values_are_offered_and_measurements_and_row_names_are_not() {
        let row = |i: usize| format!("s{i},{},{},{},{}", i as f64 * 0.31, i % 2, ["a", "b", "c"][i % 3], i / 45);
        assert_eq!(offered("sample,g1,sex,site,status", row), ["status", "sex", "site"]);
    }

    #[test]
    fn a_time_is_offered_with_the_event_that_ends_it() {
        let row = |i: usize| format!("s{i},{},{},{}", 1.0 + i as f64 * 0.31, ["no", "yes"][i % 2], i as f64 * 0.7);
        let found = of_text("sample,months,died,g1", row);
        assert_eq!(found[0].name, "months");
        let event = found[0].event.as_ref().unwrap();
        assert_eq!((event.column.as_str(), event.label.as_deref(), event.rows), ("died", Some("yes"), 45));
        assert_eq!((found[1].name.as_str(), &found[1].event), ("died", &None));
        let row = |i: usize| format!("s{i},{},{},{}", 1.0 + i as f64 * 0.31, i % 2, i as f64 * 0.7);
        assert_eq!(of_text("sample,OS.time,OS,g1", row)[0].event.as_ref().unwrap().label, None);
        let row = |i: usize| format!("s{i},{},{},{}", 1.0 + i as f64 * 0.31, ["Alive", "Dead"][i % 2], i as f64 * 0.7);
        let found = of_text("sample,months,outcome,g1", row);
        assert_eq!(found[0].event.as_ref().unwrap().label.as_deref(), Some("Dead"), "whatever the column is called");
        let row = |i: usize| format!("s{i},{},{},{}", 1.0 + i as f64 * 0.31, i % 2, i as f64 * 0.7);
        // no times, and no labels that are known to mean an event
        assert_eq!(of_text("sample,weight,died,g1", row)[0].event, None);
        assert_eq!(of_text("sample,months,sex,g1", row)[0].event, None);
        let row = |i: usize| format!("s{i},{},{},{}", i as f64 * 0.31, i % 2, i as f64 * 0.7);
        assert_eq!(of_text("sample,months,died,g1", row)[0].event, None, "a time of 0");
    }

    #[test]
    fn few_rows_with_a_text_each_are_names_too() {
        let text: String = (0..30).map(|i| format!("m{i},{},{}\n", ["a", "b"][i % 2], i as f64 * 0.3)).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.csv");
        std::fs::write(&path, format!("mouse,diet,g1\n{text}")).unwrap();
        assert_eq!(likely_targets(&path, &ReadOptions::target(""), &mut Silent).unwrap().row_names, ["mouse"]);
    }

    #[test]
    fn the_last_column_is_offered_where_none_stands_out() {
        let row = |i: usize| format!("{},{},{}", i as f64 * 0.3, i as f64 * 0.7, (i * i) as f64 * 0.1);
        assert_eq!(offered("g1,g2,g3", row), ["g1", "g3"]);
    }
}
