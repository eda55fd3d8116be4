//! The features that a base chose, bootstrap by bootstrap.

use crate::base::Note;

/// The features chosen in every bootstrap, of the data and under every permutation, by position in the table.
pub(super) struct SelectionRuns {
    /// The features chosen in each bootstrap of the data, in the order in which they were chosen.
    pub(super) chosen: Vec<Vec<u32>>,
    /// How often each feature was chosen under each permutation.
    pub(super) null: Vec<Vec<u32>>,
    /// The share of the target that each feature explains by itself, for the data and under each permutation.
    pub(super) alone: Vec<Vec<f64>>,
    /// Features that can be chosen.
    pub(super) usable: Vec<u32>,
    pub(super) notes: Vec<Note>,
    /// How many features a run chooses, where that number is fixed.
    pub(super) k: Option<usize>,
}

impl SelectionRuns {
    /// Adds a run: of the data where `target` is 0, else under that permutation, counted from 1.
    pub(super) fn add(&mut self, target: usize, features: Vec<u32>) {
        match target {
            0 => self.chosen.push(features),
            r => features.iter().for_each(|&i| self.null[r - 1][i as usize] += 1),
        }
    }

    /// How often each of `features` features was chosen over the bootstraps of the data.
    pub(super) fn counts(&self, features: usize) -> Vec<u32> {
        let mut counts = vec![0; features];
        self.chosen.iter().flatten().for_each(|&i| counts[i as usize] += 1);
        counts
    }
}
