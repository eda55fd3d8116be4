//! Groups of rows that stay together, spread over folds as evenly as they can be.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, text};
use crate::numeric::measure_checks::refuse;
use crate::resample::folds::shuffle;
use crate::table::{MISSING, Target, View};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// The group of each of the rows, numbered as they come, and how many groups there are.
pub(crate) fn checked_groups(rows: &[u32], groups: &[u32]) -> Result<(Vec<usize>, usize)> {
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
        return refuse(
            "all rows are in one group",
            text!["name another column with ", OptionName::Group, ": folds need at least 2 groups"],
        );
    }
    Ok((group_of, numbers.len()))
}

/// Sizes and classes of groups, for spreading them evenly over folds.
pub(crate) struct Groups {
    sizes: Vec<f64>,
    /// The classes in each group, with their numbers of rows.
    classes: Vec<Vec<(usize, f64)>>,
    class_sizes: Vec<f64>,
    rows: f64,
}

impl Groups {
    pub(crate) fn new(data: &View, rows: &[u32], group_of: &[usize], n_groups: usize) -> Groups {
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
    pub(crate) fn spread(&self, folds: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
        const ROUNDS: usize = 10;
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        shuffle(&mut order, rng);
        order.sort_by(|&a, &b| self.sizes[b].total_cmp(&self.sizes[a]));
        let mut held = FoldCounts { sizes: vec![0.0; folds], classes: vec![vec![0.0; self.class_sizes.len()]; folds] };
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
    fn best_fold(&self, held: &FoldCounts, group: usize, now: usize) -> usize {
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
struct FoldCounts {
    sizes: Vec<f64>,
    classes: Vec<Vec<f64>>,
}

impl FoldCounts {
    fn add(&mut self, groups: &Groups, group: usize, fold: usize, sign: f64) {
        self.sizes[fold] += sign * groups.sizes[group];
        groups.classes[group].iter().for_each(|(class, count)| self.classes[fold][*class] += sign * count);
    }
}

/// The class of each row, or the quintile of a numeric target.
fn strata(data: &View, rows: &[u32]) -> Vec<usize> {
    match data.target() {
        Target::Classes { codes, .. } => rows.iter().map(|&row| codes[row as usize] as usize).collect(),
        Target::Real { values } | Target::Survival { times: values, .. } => {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|&a, &b| values[rows[a] as usize].total_cmp(&values[rows[b] as usize]));
            let mut fifth = vec![0; rows.len()];
            order.iter().enumerate().for_each(|(place, &at)| fifth[at] = place * 5 / rows.len());
            fifth
        }
    }
}
