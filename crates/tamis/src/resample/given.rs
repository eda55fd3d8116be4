//! Splits that the user gives, as JSON.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::remedies::GIVE_ONE;
use crate::base::{Error, Result, counted, plural};
use crate::resample::folds::{Fold, Plan, checked_rows};
use crate::table::View;
use serde::Deserialize;

/// The plan in a JSON text. Rows are the table's data rows, counted from `index_base`, 0 unless the file says 1.
///
/// Either of two shapes:
///
/// ```json
/// { "n": 5, "index_base": 0, "splits": [ { "train": [0, 1, 2], "test": [3, 4] }, { "train": [2, 3, 4] } ] }
/// { "n": 5, "index_base": 0, "train": [[0, 1, 2], [2, 3, 4]], "test": [[3, 4], [0, 1]] }
/// ```
///
/// `n` (the table's rows) and `index_base` may be left out, and so may `test`, which then is every row that is not in
/// `train`; other keys are ignored. A row that is outside the table, twice in a list, or in both lists of a split is
/// refused. Rows without a target are left out with a note. `file` is for messages. O(splits × rows).
pub fn given(data: &View, text: &str, file: &str) -> Result<Plan> {
    let refuse = |problem: String, remedy: &str| Error::data(Place::file(file), problem, remedy);
    let read: SplitsFile = serde_json::from_str(text)
        .map_err(|e| refuse(format!("these are not splits: {e}"), "give {\"splits\": [{\"train\": [row, …]}, …]}"))?;
    let table_rows = data.target().len();
    if let Some(n) = read.n.filter(|n| *n != table_rows as u64) {
        return Err(refuse(
            format!("the splits are for {}, the table has {table_rows}", counted(n, "row")),
            "give the table's own",
        ));
    }
    if read.index_base > 1 {
        return Err(refuse(format!("`index_base` is {}", read.index_base), "rows are counted from 0 or from 1"));
    }
    let base = u64::from(read.index_base);
    let mut usable = vec![false; table_rows];
    checked_rows(data)?.iter().for_each(|&row| usable[row as usize] = true);
    let mut left_out = 0;
    let mut folds = vec![];
    for (at, split) in read.splits(file)?.into_iter().enumerate() {
        let mut sides = SidesOfRows::new(file, at, table_rows, base);
        sides.put(&split.train, Side::Train)?;
        match &split.test {
            Some(test) => sides.put(test, Side::Test)?,
            None => sides.of.iter_mut().filter(|side| side.is_none()).for_each(|side| *side = Some(Side::Test)),
        }
        let listed = split.train.iter().chain(split.test.iter().flatten());
        left_out += listed.filter(|row| !usable[(**row - base) as usize]).count();
        let those = |side: Side| -> Vec<u32> {
            data.rows().iter().copied().filter(|&row| sides.of[row as usize] == Some(side)).collect()
        };
        let fold = Fold { train: those(Side::Train), test: those(Side::Test), repeat: 0, fold: at as u32 };
        for (rows, name) in [(&fold.train, "train"), (&fold.test, "test")] {
            if rows.is_empty() {
                let problem = format!("split {}: `{name}` has no row with a target", at + 1);
                return Err(refuse(problem, "give each split rows to train on and rows to test on"));
            }
        }
        folds.push(fold);
    }
    let notes = if left_out > 0 { vec![Note::new(NoteKind::MissingTarget, left_out_words(left_out))] } else { vec![] };
    Ok(Plan::listed(folds, notes))
}

/// Rows of splits that cannot be used.
fn left_out_words(rows: usize) -> String {
    let [have, are] = [plural(rows, "has", "have"), plural(rows, "is", "are")];
    format!("{} of the given splits {have} no target and {are} left out", counted(rows, "row"))
}

#[derive(Deserialize)]
struct SplitsFile {
    n: Option<u64>,
    #[serde(default)]
    index_base: u32,
    splits: Option<Vec<GivenSplit>>,
    train: Option<Vec<Vec<u64>>>,
    test: Option<Vec<Vec<u64>>>,
}

#[derive(Deserialize)]
struct GivenSplit {
    train: Vec<u64>,
    test: Option<Vec<u64>>,
}

impl SplitsFile {
    /// Either shape as the first.
    fn splits(self, file: &str) -> Result<Vec<GivenSplit>> {
        let refuse = |problem: String, remedy: &str| Err(Error::data(Place::file(file), problem, remedy));
        let splits: Vec<GivenSplit> = match (self.splits, self.train, self.test) {
            (Some(splits), None, None) => splits,
            (None, Some(train), Some(test)) => {
                if train.len() != test.len() {
                    let problem = format!("there are {} lists to train on and {} to test on", train.len(), test.len());
                    return refuse(problem, "give one of each per split");
                }
                train.into_iter().zip(test).map(|(train, test)| GivenSplit { train, test: Some(test) }).collect()
            }
            (None, Some(train), None) => train.into_iter().map(|train| GivenSplit { train, test: None }).collect(),
            _ => return refuse("there is no one list of splits".into(), "give either `splits`, or `train` and `test`"),
        };
        if splits.is_empty() {
            return refuse("there are no splits".into(), GIVE_ONE);
        }
        Ok(splits)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Train,
    Test,
}

/// The side of each row of the table in one split.
struct SidesOfRows<'a> {
    of: Vec<Option<Side>>,
    file: &'a str,
    at: usize,
    base: u64,
}

impl<'a> SidesOfRows<'a> {
    fn new(file: &'a str, at: usize, table_rows: usize, base: u64) -> SidesOfRows<'a> {
        SidesOfRows { of: vec![None; table_rows], file, at, base }
    }

    fn put(&mut self, rows: &[u64], side: Side) -> Result<()> {
        for &row in rows {
            let known = row.checked_sub(self.base).and_then(|row| usize::try_from(row).ok());
            let n = self.of.len() as u64;
            let problem = match known.and_then(|row| self.of.get_mut(row)) {
                Some(free @ None) => {
                    *free = Some(side);
                    continue;
                }
                None => format!("there is no row {row}; rows go from {} to {}", self.base, n + self.base - 1),
                Some(Some(taken)) if *taken == side => format!("row {row} is listed twice"),
                Some(_) => format!("row {row} is both in `train` and in `test`"),
            };
            let problem = format!("split {}: {problem}", self.at + 1);
            let remedy = format!("correct the list (rows are counted from {})", self.base);
            return Err(Error::data(Place::file(self.file), problem, remedy));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_left_out_are_told_in_the_singular_and_the_plural() {
        assert_eq!(left_out_words(1), "1 row of the given splits has no target and is left out");
        assert_eq!(left_out_words(2), "2 rows of the given splits have no target and are left out");
    }
}
