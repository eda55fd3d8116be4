//! The target as classes, and permutations of it, as sets of rows.

use super::levels::{QUINTILES, rank_codes};
use super::packed_rows::{insert, words};
use crate::base::remedies::another_column;
use crate::base::{Error, OptionName, Place, Result};
use crate::table::target_rule::ONE_TARGET;
use crate::table::{Target, View};

/// The class of every row; each class occurs.
pub(super) struct Classes {
    pub(super) codes: Vec<u32>,
    pub(super) sizes: Vec<f64>,
}

impl Classes {
    /// The classes of a view's rows; numbers are cut into fifths of their ranks.
    pub(super) fn of(data: &View) -> Result<Classes> {
        data.target().refuse_survival("dependence")?;
        let codes: Vec<u32> = match data.target() {
            Target::Classes { codes, .. } => data.rows().iter().map(|&row| codes[row as usize]).collect(),
            Target::Real { values } | Target::Survival { times: values, .. } => {
                let values: Vec<f64> = data.rows().iter().map(|&row| values[row as usize]).collect();
                rank_codes(&values, QUINTILES).into_iter().map(|code| code.map_or(0, u32::from)).collect()
            }
        };
        let classes = Classes::new(&codes);
        if classes.sizes.len() < 2 {
            let place = Place::default().at_column(data.target_name());
            return Err(Error::data(place, ONE_TARGET, another_column(OptionName::Target)));
        }
        Ok(classes)
    }

    /// Classes without gaps in their numbers.
    pub(super) fn new(codes: &[u32]) -> Classes {
        let mut counts = vec![0_u32; codes.iter().max().map_or(0, |&most| most as usize + 1)];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let mut number = vec![0; counts.len()];
        let mut sizes = vec![];
        for (code, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            number[code] = sizes.len() as u32;
            sizes.push(f64::from(count));
        }
        Classes { codes: codes.iter().map(|&code| number[code as usize]).collect(), sizes }
    }
}

/// The rows of every class but the first, which has the others: in the data, then in each permutation.
pub(super) struct Targets {
    /// Rows of each class, alike in all targets.
    pub(super) sizes: Vec<f64>,
    /// Number of rows.
    pub(super) rows: usize,
    words: usize,
    sets: Vec<u64>,
}

impl Targets {
    /// The data and these orders of it: in each, row i has the class of row `order[i]`.
    pub(super) fn new(classes: &Classes, orders: &[Vec<u32>]) -> Targets {
        let (rows, words) = (classes.codes.len(), words(classes.codes.len()));
        let per_target = words * (classes.sizes.len() - 1);
        let mut sets = vec![0; per_target * (orders.len() + 1)];
        for (target, sets) in sets.chunks_exact_mut(per_target.max(1)).enumerate() {
            for row in 0..rows {
                let from = if target == 0 { row } else { orders[target - 1][row] as usize };
                let class = classes.codes[from] as usize;
                if class > 0 {
                    insert(&mut sets[(class - 1) * words..][..words], row);
                }
            }
        }
        Targets { sizes: classes.sizes.clone(), rows, words, sets }
    }

    /// How many there are, with the data.
    pub(super) fn len(&self) -> usize {
        self.sets.len() / (self.words * self.n_sets()).max(1)
    }

    /// Classes that have a set: all but the first.
    pub(super) fn n_sets(&self) -> usize {
        self.sizes.len() - 1
    }

    /// The rows of class `set` + 1 in a target.
    pub(super) fn set(&self, target: usize, set: usize) -> &[u64] {
        &self.sets[(target * self.n_sets() + set) * self.words..][..self.words]
    }
}
