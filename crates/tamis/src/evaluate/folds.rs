//! Resampling plans: which rows train and which test, again and again.
//!
//! A plan keeps one fold number per row and repeat and writes out a [`Fold`] when asked, so that leaving out each of n
//! rows does not take n² of memory. Everything random comes from the seed, one stream per repeat.

use super::refuse;
use crate::error::Place;
use crate::note::{Note, NoteKind};
use crate::numeric::random;
use crate::table::{MISSING, Target, View};
use crate::{Error, Result};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Folds have streams beyond those of bootstraps and permutations under the same seed.
const STREAMS: u64 = 1 << 41;

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
    /// What the user should know.
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
    pub(super) fn listed(folds: Vec<Fold>, notes: Vec<Note>) -> Plan {
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
                order.sort_by_key(|&at| codes[rows[at] as usize]);
                order.iter().enumerate().for_each(|(place, &at)| tested_in[at] = (place % folds) as u32);
            }
            Target::Real { values } => {
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
/// classes of (its share of the class)²; then single groups move as long as that sum falls. For a target that is a
/// number its fifths count as classes. If there are fewer groups than folds, each group is a fold and a note says so;
/// one group alone is an error. O(repeats × groups × folds × classes of a group), a few times over.
pub fn grouped(data: &View, groups: &[u32], folds: usize, repeats: usize, seed: u64) -> Result<Plan> {
    let rows = checked_rows(data)?;
    check_counts(folds, repeats)?;
    let (group_of, n_groups) = checked_groups(rows, groups)?;
    let mut notes = vec![];
    if n_groups < folds {
        let message = format!("{n_groups} folds instead of {folds}: there are only {n_groups} groups of rows");
        notes.push(Note::new(NoteKind::SmallClass, message));
    }
    let folds = folds.min(n_groups);
    notes.extend(small_classes(data, folds));
    let groups = Groups::new(data, rows, &group_of, n_groups);
    let one_repeat = |repeat: usize| {
        let fold_of = groups.spread(folds, &mut random::stream(seed, STREAMS + repeat as u64));
        group_of.iter().map(|&group| fold_of[group]).collect()
    };
    let tested_in = (0..repeats).map(one_repeat).collect();
    Ok(Plan { splits: Splits::Assigned { rows: rows.to_vec(), tested_in, folds: folds as u32 }, notes })
}

/// Each group of rows is tested once, after learning from all others; `groups` has one code per row of the table.
pub fn leave_one_group_out(data: &View, groups: &[u32]) -> Result<Plan> {
    let rows = checked_rows(data)?;
    let (group_of, n_groups) = checked_groups(rows, groups)?;
    let tested_in = vec![group_of.iter().map(|&group| group as u32).collect()];
    let splits = Splits::Assigned { rows: rows.to_vec(), tested_in, folds: n_groups as u32 };
    Ok(Plan { splits, notes: vec![] })
}

/// What groups hold, for spreading them evenly.
struct Groups {
    sizes: Vec<f64>,
    /// The classes in each group, with their numbers of rows.
    classes: Vec<Vec<(usize, f64)>>,
    class_sizes: Vec<f64>,
    rows: f64,
}

impl Groups {
    fn new(data: &View, rows: &[u32], group_of: &[usize], n_groups: usize) -> Groups {
        let class_of = strata(data, rows);
        let mut class_sizes = vec![0.0; class_of.iter().max().map_or(0, |c| c + 1)];
        let mut sizes = vec![0.0; n_groups];
        let mut classes: Vec<Vec<(usize, f64)>> = vec![vec![]; n_groups];
        for (&group, &class) in group_of.iter().zip(&class_of) {
            sizes[group] += 1.0;
            class_sizes[class] += 1.0;
            match classes[group].iter_mut().find(|(c, _)| *c == class) {
                Some((_, count)) => *count += 1.0,
                None => classes[group].push((class, 1.0)),
            }
        }
        Groups { sizes, classes, class_sizes, rows: rows.len() as f64 }
    }

    /// A fold for each group.
    fn spread(&self, folds: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
        const ROUNDS: usize = 10;
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        shuffle(&mut order, rng);
        order.sort_by(|&a, &b| self.sizes[b].total_cmp(&self.sizes[a]));
        let mut held = Held { sizes: vec![0.0; folds], classes: vec![vec![0.0; self.class_sizes.len()]; folds] };
        let mut fold_of = vec![0; self.sizes.len()];
        for &group in &order {
            fold_of[group] = self.best_fold(&held, group, 0);
            held.add(self, group, fold_of[group], 1.0);
        }
        for _ in 0..ROUNDS {
            let mut moved = false;
            for &group in &order {
                let now = fold_of[group];
                held.add(self, group, now, -1.0);
                fold_of[group] = self.best_fold(&held, group, now);
                held.add(self, group, fold_of[group], 1.0);
                moved |= fold_of[group] != now;
            }
            if !moved {
                break;
            }
        }
        fold_of.into_iter().map(|fold| fold as u32).collect()
    }

    /// The fold to which the group adds least, `now` unless another is better by more than rounding.
    fn best_fold(&self, held: &Held, group: usize, now: usize) -> usize {
        // (x + a)² − x² = 2ax + a², and a² is the same for every fold
        let cost = |fold: usize| -> f64 {
            let classes = self.classes[group].iter().map(|(class, count)| {
                count * held.classes[fold][*class] / (self.class_sizes[*class] * self.class_sizes[*class])
            });
            classes.sum::<f64>() + self.sizes[group] * held.sizes[fold] / (self.rows * self.rows)
        };
        let mut best = (now, cost(now));
        for fold in 0..held.sizes.len() {
            let cost = cost(fold);
            if cost < best.1 - 1e-12 * best.1 {
                best = (fold, cost);
            }
        }
        best.0
    }
}

/// Rows in each fold, in all and by class.
struct Held {
    sizes: Vec<f64>,
    classes: Vec<Vec<f64>>,
}

impl Held {
    fn add(&mut self, groups: &Groups, group: usize, fold: usize, sign: f64) {
        self.sizes[fold] += sign * groups.sizes[group];
        groups.classes[group].iter().for_each(|(class, count)| self.classes[fold][*class] += sign * count);
    }
}

/// The class of each row, or the fifth of a number.
fn strata(data: &View, rows: &[u32]) -> Vec<usize> {
    match data.target() {
        Target::Classes { codes, .. } => rows.iter().map(|&row| codes[row as usize] as usize).collect(),
        Target::Real { values } => {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|&a, &b| values[rows[a] as usize].total_cmp(&values[rows[b] as usize]));
            let mut fifth = vec![0; rows.len()];
            order.iter().enumerate().for_each(|(place, &at)| fifth[at] = place * 5 / rows.len());
            fifth
        }
    }
}

/// The view's rows: at least two, and none of them twice, which would put a row on both sides.
pub(super) fn checked_rows<'a>(data: &'a View) -> Result<&'a [u32]> {
    let rows = data.rows();
    if rows.len() < 2 {
        return refuse(format!("there are {} rows with a target", rows.len()), "resampling needs at least 2");
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
        return Err(Error::parameter("folds", folds, "it is at least 2"));
    }
    if repeats < 1 {
        return Err(Error::parameter("repeats", repeats, "it is at least 1"));
    }
    Ok(())
}

/// The group of each of the rows, numbered as they come, and how many groups there are.
fn checked_groups(rows: &[u32], groups: &[u32]) -> Result<(Vec<usize>, usize)> {
    let mut numbers = HashMap::new();
    let mut group_of = Vec::with_capacity(rows.len());
    for &row in rows {
        let Some(&group) = groups.get(row as usize).filter(|group| **group != MISSING) else {
            let place = Place::default().at_row(u64::from(row) + 1);
            return Err(Error::data(place, "the row is in no group", "give every row a group, or drop the row"));
        };
        let next = numbers.len();
        group_of.push(*numbers.entry(group).or_insert(next));
    }
    if numbers.len() < 2 {
        return refuse("all rows are in one group", "name another column with `--group`: folds need at least 2 groups");
    }
    Ok((group_of, numbers.len()))
}

/// Notes on classes that cannot be in every fold.
fn small_classes(data: &View, folds: usize) -> Vec<Note> {
    let Target::Classes { labels, .. } = data.target() else { return vec![] };
    let small = data.class_counts().into_iter().zip(labels).filter(|(count, _)| (1..folds as u64).contains(count));
    small
        .map(|(count, label)| {
            let rows = if count == 1 { "row" } else { "rows" };
            let message =
                format!("class `{label}` has {count} {rows} for {folds} folds: some test parts have none of it");
            Note::new(NoteKind::SmallClass, message)
        })
        .collect()
}

fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    for at in (1..items.len()).rev() {
        items.swap(at, rng.random_range(0..=at));
    }
}
