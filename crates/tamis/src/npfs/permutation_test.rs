//! The null hypothesis by permutation: the bootstraps are run again with the target permuted.

use super::Npfs;
use super::chosen_by_run::SelectionRuns;
use super::count_significance::{Adjust, adjusted, pooled_p_values};
use super::null_model::{STABLE, TestOutcome, spread};
use crate::base::{Note, NoteKind, OptionName, counted, text};

impl Npfs {
    /// Selects features whose [`statistic`] is too large for those of all features under all permutations.
    pub(super) fn test_permutation(&self, runs: &SelectionRuns, verdict: &mut TestOutcome) {
        let (usable, n, alpha) = (&runs.usable, runs.chosen.len(), self.alpha());
        let null: Vec<f64> = (0..runs.null.len()).flat_map(|r| null_statistics(runs, r)).collect();
        let p = pooled_p_values(&statistics(runs, &verdict.detail.counts, 0), &null);
        let q = adjusted(&p, self.adjust());
        verdict.selected = (0..usable.len()).filter(|&at| q[at] <= alpha).map(|at| usable[at]).collect();
        let explained: Vec<f64> = usable.iter().map(|&i| runs.alone[0][i as usize]).collect();
        verdict.detail.explained = spread(&explained, usable, verdict.detail.counts.len(), 0.0);
        let mut null_counts = vec![0; n + 1];
        for counts in &runs.null {
            usable.iter().for_each(|&i| null_counts[counts[i as usize] as usize] += 1);
        }
        verdict.notes.extend(self.too_few_permutations(runs));
        verdict.notes.extend(self.settled_early(runs));
        verdict.notes.extend(saturated(&null_counts, n, null.len(), alpha));
        verdict.detail.null_counts = null_counts;
        verdict.set_p_values(&p, &q, usable);
    }

    /// Says so where not even the largest statistic could pass.
    fn too_few_permutations(&self, runs: &SelectionRuns) -> Option<Note> {
        let smallest = adjusted_best(self.permutations() * runs.usable.len(), runs.usable.len(), self.adjust());
        let text = text![
            format!(
                "the test can never reject: with {} of {} the p-value of a single feature is at least {smallest:.2}; raise ",
                counted(self.permutations(), "permutation"),
                counted(runs.usable.len(), "feature")
            ),
            OptionName::from("permutations")
        ];
        (smallest > self.alpha()).then(|| Note::new(NoteKind::CannotReject, text))
    }

    /// Says so where not all permutations were needed.
    fn settled_early(&self, runs: &SelectionRuns) -> Option<Note> {
        let text = format!(
            "stopped after {} of {} permutations, when no feature could be selected any more; p-values rest on these",
            runs.null.len(),
            self.permutations()
        );
        (runs.null.len() < self.permutations()).then(|| Note::new(NoteKind::EarlyStop, text))
    }

    /// Whether no feature can be selected any more after the first `done` permutations, even if no null statistic of
    /// the others is as large as any of the data's.
    pub(super) fn settled(&self, runs: &SelectionRuns, done: usize) -> bool {
        let null: Vec<f64> = (0..done).flat_map(|r| null_statistics(runs, r)).collect();
        let found = statistics(runs, &runs.counts(runs.alone[0].len()), 0);
        let (some, all) = (1.0 + null.len() as f64, 1.0 + (runs.usable.len() * self.permutations()) as f64);
        let least: Vec<f64> = pooled_p_values(&found, &null).iter().map(|p| (p * some).round() / all).collect();
        !adjusted(&least, self.adjust()).iter().any(|q| *q <= self.alpha())
    }

    /// Drops the permutations behind the one that settled every feature, so that the answer does not depend on how many
    /// were run at once.
    pub(super) fn drop_settled(&self, runs: &mut SelectionRuns) {
        // more permutations never open again what fewer have settled
        let (mut open, mut settled) = (0, runs.null.len());
        if settled == 0 || !self.settled(runs, settled) {
            return;
        }
        while settled - open > 1 {
            let middle = (open + settled) / 2;
            if self.settled(runs, middle) {
                settled = middle;
            } else {
                open = middle;
            }
        }
        runs.null.truncate(settled);
    }
}

/// The [`statistic`] of every usable feature under a permutation.
fn null_statistics(runs: &SelectionRuns, r: usize) -> Vec<f64> {
    statistics(runs, &runs.null[r], r + 1)
}

/// The [`statistic`] of every usable feature with these counts and what it explains of a target.
fn statistics(runs: &SelectionRuns, counts: &[u32], target: usize) -> Vec<f64> {
    let (alone, n) = (&runs.alone[target], runs.chosen.len());
    runs.usable.iter().map(|&i| statistic(counts[i as usize], n, alone[i as usize])).collect()
}

/// Says so where irrelevant features, too, are chosen nearly always. `null_counts[z]` of `null` counts are z.
fn saturated(null_counts: &[u64], n: usize, null: usize, alpha: f64) -> Option<Note> {
    let often = (STABLE * n as f64).floor() as usize + 1;
    let always: u64 = null_counts.iter().skip(often).sum();
    let share = always as f64 / null as f64;
    let text = text![
        format!(
            "even with permuted targets {:.1} % of the features are chosen in more than 90 % of the bootstraps, so a \
             high count is weak evidence; lower ",
            100.0 * share
        ),
        OptionName::from("k"),
        ", or use another method such as snbl"
    ];
    (share > alpha / 5.0).then(|| Note::new(NoteKind::SaturatedNull, text))
}

/// How often a feature was chosen, times one plus the share of the target it explains by itself. Chance winners are
/// often chosen every time, and a count cannot exceed that; but they explain nothing.
pub(super) fn statistic(count: u32, n: usize, explained: f64) -> f64 {
    f64::from(count) / n as f64 * (1.0 + explained)
}

/// The least adjusted p-value that one feature alone can reach against `null` pooled counts.
fn adjusted_best(null: usize, features: usize, adjust: Adjust) -> f64 {
    let p = 1.0 / (1 + null) as f64;
    if adjust == Adjust::None { p } else { p * features as f64 }
}
