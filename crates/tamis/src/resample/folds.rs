//! Resampling plans: training and test rows, repeatedly.
//!
//! A plan keeps one fold number per row and repeat and writes out a [`Fold`] when asked, so that leaving out each of n
//! rows does not take n² of memory. Everything random comes from the seed, one stream per repeat.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, Result, counted};
use crate::numeric::measure_checks::refuse;
use crate::numeric::random;
use crate::resample::deal::{checked_groups, deal, shuffle};
use crate::table::{Target, View};
use serde::{Deserialize, Serialize};

/// Folds have streams beyond those of bootstraps and permutations under the same seed.
pub(crate) const STREAMS: u64 = 1 << 41;

/// Rows to train on and rows to test on, as row numbers of the table, in the order of the view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fold {
    /// Rows to learn from.
    pub train: Vec<u32>,
    /// Rows to predict; none of them is in `train`.
    pub test: Vec<u32>,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// Which fold of the repeat, from 0.
    pub fold: u32,
}

/// A sequence of folds, and what should be known of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    splits: Splits,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq)]
enum Splits {
    /// For each repeat, the fold in which each row is tested.
    Assigned {
        rows: Vec<u32>,
        tested_in: Vec<Vec<u32>>,
        folds: u32,
    },
    Listed(Vec<Fold>),
}

impl Plan {
    /// A plan from folds as they are.
    pub(crate) fn listed(folds: Vec<Fold>, notes: Vec<Note>) -> Plan {
        Plan { splits: Splits::Listed(folds), notes }
    }

    /// How many folds there are over all repeats.
    pub fn len(&self) -> usize {
        match &self.splits {
            Splits::Assigned { tested_in, folds, .. } => tested_in.len() * *folds as usize,
            Splits::Listed(folds) => folds.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fold number `at`, repeat by repeat. O(rows).
    pub fn fold(&self, at: usize) -> Option<Fold> {
        match &self.splits {
            Splits::Listed(folds) => folds.get(at).cloned(),
            Splits::Assigned { rows, tested_in, folds } => {
                let (repeat, fold) = (at / *folds as usize, (at % *folds as usize) as u32);
                let in_fold = tested_in.get(repeat)?;
                let those = |test: bool| {
                    rows.iter().zip(in_fold).filter(|(_, f)| (**f == fold) == test).map(|(row, _)| *row).collect()
                };
                Some(Fold { train: those(false), test: those(true), repeat: repeat as u32, fold })
            }
        }
    }

    /// Every fold in turn.
    pub fn iter(&self) -> impl Iterator<Item = Fold> + '_ {
        (0..self.len()).filter_map(|at| self.fold(at))
    }
}

/// k folds, `repeats` times over: [`grouped`] where rows of the view belong together, else [`stratified`].
///
/// # Errors
///
/// All rows in one group; more folds than rows.
pub fn drawn(data: &View, folds: usize, repeats: usize, seed: u64) -> Result<Plan> {
    match data.groups() {
        Some(groups) => grouped(data, groups.codes(), folds, repeats, seed),
        None => stratified(data, folds, repeats, seed),
    }
}

/// k folds, `repeats` times over, every class spread over the folds to within one row, and the folds' sizes too.
///
/// For a target that is a number, every k neighbours in its order go to k different folds. A class with fewer rows
/// than folds is missing from some test parts, which a note says. O(repeats × n log n).
pub fn stratified(data: &View, folds: usize, repeats: usize, seed: u64) -> Result<Plan> {
    let rows = checked_rows(data)?;
    check_counts(folds, repeats)?;
    if folds > rows.len() {
        return Err(Error::parameter(
            "folds",
            folds,
            format!("there are {} rows; each fold needs one of its own (`loo` leaves out one at a time)", rows.len()),
        ));
    }
    let one_repeat = |repeat: usize| {
        let mut rng = random::stream(seed, STREAMS + repeat as u64);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        shuffle(&mut order, &mut rng);
        let mut tested_in = vec![0; rows.len()];
        match data.target() {
            Target::Classes { codes, .. } => {
                let classes: Vec<usize> = order.iter().map(|&at| codes[rows[at] as usize] as usize).collect();
                let dealt = deal(&classes, None, None, folds);
                order.iter().zip(dealt).for_each(|(&at, fold)| tested_in[at] = fold as u32);
            }
            Target::Real { values } | Target::Survival { times: values, .. } => {
                order.sort_by(|&a, &b| values[rows[a] as usize].total_cmp(&values[rows[b] as usize]));
                let mut deal: Vec<u32> = (0..folds as u32).collect();
                for neighbours in order.chunks(folds) {
                    shuffle(&mut deal, &mut rng);
                    neighbours.iter().zip(&deal).for_each(|(&at, &fold)| tested_in[at] = fold);
                }
            }
        }
        tested_in
    };
    let tested_in = (0..repeats).map(one_repeat).collect();
    let notes = small_classes(data, folds);
    Ok(Plan { splits: Splits::Assigned { rows: rows.to_vec(), tested_in, folds: folds as u32 }, notes })
}

/// Each row is tested once, after learning from all others.
pub fn leave_one_out(data: &View) -> Result<Plan> {
    let rows = checked_rows(data)?;
    let folds = rows.len() as u32;
    let splits = Splits::Assigned { rows: rows.to_vec(), tested_in: vec![(0..folds).collect()], folds };
    Ok(Plan { splits, notes: vec![] })
}

/// k folds, `repeats` times over, of which no group of rows straddles two; `groups` has one code per row of the table.
///
/// Groups go, largest first, where they least increase Σ over folds of (the fold's share of all rows)² + Σ over
/// classes of (its share of the class)², rows by their weights; then single groups move as long as that sum falls. For a
/// target that is a number its fifths count as classes. If there are fewer groups than folds, each group is a fold and a
/// note says so; one group alone is an error. O(repeats × groups × folds × classes of a group), a few times over.
pub fn grouped(data: &View, groups: &[u32], folds: usize, repeats: usize, seed: u64) -> Result<Plan> {
    let rows = checked_rows(data)?;
    check_counts(folds, repeats)?;
    let groups = checked_groups(data, rows, groups)?;
    let mut notes = vec![];
    if groups.len() < folds {
        let message = format!("{} folds instead of {folds}: there are only {0} groups of rows", groups.len());
        notes.push(Note::new(NoteKind::SmallClass, message));
    }
    let folds = folds.min(groups.len());
    notes.extend(small_classes(data, folds));
    let one_repeat = |repeat: usize| {
        let fold_of = groups
            .spread(groups.in_random_order(&mut random::stream(seed, STREAMS + repeat as u64)), &vec![1.0; folds]);
        groups.parts_of_rows(&fold_of).into_iter().map(|fold| fold as u32).collect()
    };
    let tested_in = (0..repeats).map(one_repeat).collect();
    Ok(Plan { splits: Splits::Assigned { rows: rows.to_vec(), tested_in, folds: folds as u32 }, notes })
}

/// Each group of rows is tested once, after learning from all others; `groups` has one code per row of the table.
pub fn leave_one_group_out(data: &View, groups: &[u32]) -> Result<Plan> {
    let rows = checked_rows(data)?;
    let groups = checked_groups(data, rows, groups)?;
    let tested_in = vec![groups.of_rows.iter().map(|&group| group as u32).collect()];
    let splits = Splits::Assigned { rows: rows.to_vec(), tested_in, folds: groups.len() as u32 };
    Ok(Plan { splits, notes: vec![] })
}

/// The view's rows: at least two, and none of them twice, which would put a row on both sides.
pub(crate) fn checked_rows<'a>(data: &'a View) -> Result<&'a [u32]> {
    data.target().refuse_survival("resampling")?;
    let rows = data.rows();
    if rows.len() < 2 {
        return refuse(format!("{} with a target", counted(rows.len(), "row")), "resampling needs at least 2");
    }
    let mut seen = vec![false; data.target().len()];
    for &row in rows {
        if std::mem::replace(&mut seen[row as usize], true) {
            let place = Place::default().at_row(u64::from(row) + 1);
            return Err(Error::data(place, "the row is there twice", "resample the rows before repeating any"));
        }
    }
    Ok(rows)
}

fn check_counts(folds: usize, repeats: usize) -> Result<()> {
    if folds < 2 {
        return Err(Error::parameter("folds", folds, "it takes 2 or more"));
    }
    if repeats < 1 {
        return Err(Error::parameter("repeats", repeats, "it takes 1 or more"));
    }
    Ok(())
}

/// Notes on classes that cannot be in every fold.
fn small_classes(data: &View, folds: usize) -> Vec<Note> {
    let Target::Classes { labels, .. } = data.target() else { return vec![] };
    let small = data.class_counts().into_iter().zip(labels).filter(|(count, _)| (1..folds as u64).contains(count));
    small
        .map(|(count, label)| {
            let rows = counted(count, "row");
            let message = format!("class `{label}` has {rows} for {folds} folds: some test folds have no row of it");
            Note::new(NoteKind::SmallClass, message)
        })
        .collect()
}
