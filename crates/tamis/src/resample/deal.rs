//! Rows dealt into parts: every class is spread evenly, and rows of a group stay in one part.

use crate::base::error::Place;
use crate::base::remedies::another_column;
use crate::base::{Error, OptionName, Result, text};
use crate::numeric::measure_checks::refuse;
use crate::table::{MISSING, Target, View};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// The part of each row, out of `parts`. Rows are dealt in the order in which they are given here, class by class. With
/// `groups`, a code per row, groups are dealt instead, in the order of their first rows, and rows count by their weights.
pub(crate) fn deal(classes: &[usize], groups: Option<&[u32]>, weights: Option<&[f64]>, parts: usize) -> Vec<usize> {
    let Some(groups) = groups else {
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by_key(|&at| classes[at]);
        let mut part_of = vec![0; classes.len()];
        order.iter().enumerate().for_each(|(place, &at)| part_of[at] = place % parts);
        return part_of;
    };
    let members = Groups::new(groups, classes, weights);
    members.parts_of_rows(&members.spread((0..members.len()).collect(), &vec![1.0; parts]))
}

/// The groups of a view's rows, of which there must be at least two.
pub(crate) fn checked_groups(data: &View, rows: &[u32], groups: &[u32]) -> Result<Groups> {
    let mut group_of = Vec::with_capacity(rows.len());
    for &row in rows {
        let Some(&group) = groups.get(row as usize).filter(|group| **group != MISSING) else {
            let place = Place::default().at_row(u64::from(row) + 1);
            return Err(Error::data(place, "the row is in no group", "give every row a group, or drop the row"));
        };
        group_of.push(group);
    }
    let weights: Option<Vec<f64>> = data.weights().map(|w| rows.iter().map(|&row| w[row as usize]).collect());
    let groups = Groups::new(&group_of, &strata(data, rows), weights.as_deref());
    if groups.len() < 2 {
        return refuse(
            "all rows are in one group",
            text![another_column(OptionName::Group), ": folds need at least 2 groups"],
        );
    }
    Ok(groups)
}

/// Groups of rows, with their sizes and classes. Rows count by their weights.
pub(crate) struct Groups {
    /// The group of each row; groups are numbered as they come.
    pub(crate) of_rows: Vec<usize>,
    sizes: Vec<f64>,
    /// The classes in each group, with their sizes.
    classes: Vec<Vec<(usize, f64)>>,
    class_sizes: Vec<f64>,
    rows: f64,
}

impl Groups {
    fn new(groups: &[u32], class_of: &[usize], weights: Option<&[f64]>) -> Groups {
        let mut numbers = HashMap::new();
        let mut found = Groups {
            of_rows: Vec::with_capacity(groups.len()),
            sizes: vec![],
            classes: vec![],
            class_sizes: vec![0.0; class_of.iter().max().map_or(0, |c| c + 1)],
            rows: 0.0,
        };
        for (at, (group, &class)) in groups.iter().zip(class_of).enumerate() {
            let next = numbers.len();
            let group = *numbers.entry(group).or_insert(next);
            if group == next {
                found.sizes.push(0.0);
                found.classes.push(vec![]);
            }
            let size = weights.map_or(1.0, |w| w[at]);
            found.of_rows.push(group);
            found.sizes[group] += size;
            found.class_sizes[class] += size;
            found.rows += size;
            match found.classes[group].iter_mut().find(|(c, _)| *c == class) {
                Some((_, held)) => *held += size,
                None => found.classes[group].push((class, size)),
            }
        }
        found
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The part of each row, by the part of each group.
    pub(crate) fn parts_of_rows(&self, part_of: &[usize]) -> Vec<usize> {
        self.of_rows.iter().map(|&group| part_of[group]).collect()
    }

    /// The groups, shuffled.
    pub(crate) fn in_random_order(&self, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        shuffle(&mut order, rng);
        order
    }

    /// The group with the fewest rows.
    pub(crate) fn smallest(&self) -> usize {
        (0..self.len()).min_by(|&a, &b| self.sizes[a].total_cmp(&self.sizes[b])).unwrap_or(0)
    }

    /// A part for each group, in sizes that are in proportion to `shares`.
    ///
    /// Groups go, largest first, where they least increase the sum, over parts and divided by the part's share, of (its
    /// share of all rows)² + Σ over classes of (its share of the class)²; then single groups move as long as that sum
    /// falls. Groups of one size go in the order given.
    pub(crate) fn spread(&self, mut order: Vec<usize>, shares: &[f64]) -> Vec<usize> {
        const ROUNDS: usize = 10;
        order.sort_by(|&a, &b| self.sizes[b].total_cmp(&self.sizes[a]));
        let empty = vec![0.0; self.class_sizes.len()];
        let mut parts: Vec<Part> =
            shares.iter().map(|&share| Part { share, size: 0.0, classes: empty.clone() }).collect();
        let mut part_of = vec![0; self.len()];
        for &group in &order {
            part_of[group] = self.best_part(&parts, group, 0);
            self.put(group, &mut parts[part_of[group]], 1.0);
        }
        for _ in 0..ROUNDS {
            let mut moved = false;
            for &group in &order {
                let now = part_of[group];
                self.put(group, &mut parts[now], -1.0);
                part_of[group] = self.best_part(&parts, group, now);
                self.put(group, &mut parts[part_of[group]], 1.0);
                moved |= part_of[group] != now;
            }
            if !moved {
                break;
            }
        }
        part_of
    }

    /// Puts a group into a part, or takes it out if `sign` is −1.
    fn put(&self, group: usize, part: &mut Part, sign: f64) {
        part.size += sign * self.sizes[group];
        self.classes[group].iter().for_each(|(class, size)| part.classes[*class] += sign * size);
    }

    /// The part to which the group adds least, `now` unless another is better by more than rounding.
    fn best_part(&self, parts: &[Part], group: usize, now: usize) -> usize {
        // half of (x + a)² − x²
        let added = |held: f64, size: f64, all: f64| size * (held + 0.5 * size) / (all * all);
        let cost = |part: &Part| -> f64 {
            let classes = self.classes[group].iter();
            let classes = classes.map(|(c, size)| added(part.classes[*c], *size, self.class_sizes[*c]));
            (classes.sum::<f64>() + added(part.size, self.sizes[group], self.rows)) / part.share
        };
        let mut best = (now, cost(&parts[now]));
        for (at, part) in parts.iter().enumerate() {
            let cost = cost(part);
            if cost < best.1 - 1e-12 * best.1 {
                best = (at, cost);
            }
        }
        best.0
    }
}

/// What a part holds, in all and by class, and how much of all it should.
struct Part {
    share: f64,
    size: f64,
    classes: Vec<f64>,
}

/// The class of each row, or the fifth of a target that is a number.
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

pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    for at in (1..items.len()).rev() {
        items.swap(at, rng.random_range(0..=at));
    }
}
