//! The key of a row: 64 bits of its own cells, the same wherever the row lies and whatever stands beside it.
//!
//! It is the sum over the cells of a hash of the column's name and the value, so that the order of columns does not matter.
//! Missing cells and zeros are left out: a sparse table has the keys of the same table with its zeros written out.

use crate::numeric::linalg::widely;
use crate::numeric::random::splitmix64;
use crate::table::{Categories, Column, MISSING};

/// The hash of a text.
fn of_text(start: u64, text: &str) -> u64 {
    text.bytes().fold(splitmix64(start ^ text.len() as u64), |hash, byte| splitmix64(hash ^ u64::from(byte)))
}

/// What the cells of a column are hashed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnKey(u64);

impl ColumnKey {
    pub(crate) fn of_feature(name: &str) -> ColumnKey {
        ColumnKey(of_text(1, name))
    }

    /// The target by whatever name: an array has none.
    pub(crate) fn of_target() -> ColumnKey {
        ColumnKey(of_text(2, ""))
    }

    pub(crate) fn of_covariate(name: &str) -> ColumnKey {
        ColumnKey(of_text(3, name))
    }

    pub(crate) fn of_weight() -> ColumnKey {
        ColumnKey(of_text(4, ""))
    }

    /// Adds the numbers of some rows to their keys.
    pub(crate) fn add_numbers(self, numbers: &[f64], keys: &mut [u64]) {
        let ColumnKey(column) = self;
        widely!((numbers: &'a [f64], keys: &'a mut [u64], column: u64) -> () {
            for (key, x) in keys.iter_mut().zip(numbers) {
                let hash = splitmix64(column.wrapping_add(x.to_bits()));
                let counts = (*x != 0.0) & !x.is_nan();
                *key = key.wrapping_add(if counts { hash } else { 0 });
            }
        });
    }

    /// Adds the categories of some rows to their keys.
    pub(crate) fn add_categories(self, labels: &[String], codes: &[u32], keys: &mut [u64]) {
        let hashes: Vec<u64> = labels.iter().map(|label| self.of_label(label)).collect();
        for (key, code) in keys.iter_mut().zip(codes) {
            if *code != MISSING {
                *key = key.wrapping_add(hashes[*code as usize]);
            }
        }
    }

    /// Adds the values of a column to the keys of its rows.
    pub(crate) fn add_column(self, column: &Column, keys: &mut [u64]) {
        match column {
            Column::Numbers(numbers) => self.add_numbers(numbers, keys),
            Column::Categories(categories) => {
                self.add_categories(Categories::labels(categories), categories.codes(), keys);
            }
        }
    }

    /// The hash of a category.
    pub(crate) fn of_label(self, label: &str) -> u64 {
        splitmix64(self.0.wrapping_add(of_text(5, label)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(columns: &[(&str, Vec<f64>)]) -> Vec<u64> {
        let mut keys = vec![0; columns[0].1.len()];
        columns.iter().for_each(|(name, x)| ColumnKey::of_feature(name).add_numbers(x, &mut keys));
        keys
    }

    #[test]
    fn keys_follow_from_names_and_values_alone() {
        let (a, b) = (("a", vec![1.0, 2.0, 1.0, 0.0]), ("b", vec![5.0, f64::NAN, 5.0, -0.0]));
        let found = keys(&[a.clone(), b.clone()]);
        assert_eq!(found, keys(&[b.clone(), a.clone()]), "the order of columns");
        assert_eq!(found[0], found[2], "equal rows");
        assert_eq!((found[1], found[3]), (keys(&[("a", vec![2.0])])[0], 0), "missing cells and zeros say nothing");
        assert_ne!(found[0], keys(&[("b", vec![1.0]), ("a", vec![5.0])])[0], "the names of columns count");
        let mut text = vec![0; 2];
        ColumnKey::of_target().add_categories(&["yes".into()], &[0, MISSING], &mut text);
        assert!(text[0] != 0 && text[1] == 0 && text[0] != ColumnKey::of_feature("y").of_label("yes"));
    }
}
