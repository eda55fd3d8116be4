//! The null hypothesis by permutation: the bootstraps are run again with the target permuted.

use super::Npfs;
use super::chosen_by_run::SelectionRuns;
use super::count_significance::{Adjust, adjusted, pooled_p_values};
use super::null_model::{STABLE, TestOutcome, spread};
use crate::base::{Note, NoteKind};

impl Npfs {
    /// Selects features whose [`statistic`] is too large for those of all features under all permutations.
    pub(super) fn test_permutation(&self, runs: &SelectionRuns, verdict: &mut TestOutcome) {
        let (usable, n, alpha) = (&runs.usable, runs.chosen.len(), self.alpha());
        let values = |counts: &[u32], alone: &[f64]| -> Vec<f64> {
            usable.iter().map(|&i| statistic(counts[i as usize], n, alone[i as usize])).collect()
        };
        let null: Vec<f64> = runs.null.iter().zip(&runs.alone[1..]).flat_map(|(c, a)| values(c, a)).collect();
        let p = pooled_p_values(&values(&verdict.detail.counts, &runs.alone[0]), &null);
        let q = adjusted(&p, self.adjust());
        verdict.selected = (0..usable.len()).filter(|&at| q[at] <= alpha).map(|at| usable[at]).collect();
        let explained: Vec<f64> = usable.iter().map(|&i| runs.alone[0][i as usize]).collect();
        verdict.detail.explained = spread(&explained, usable, verdict.detail.counts.len(), 0.0);
        let mut null_counts = vec![0; n + 1];
        for counts in &runs.null {
            usable.iter().for_each(|&i| null_counts[counts[i as usize] as usize] += 1);
        }
        verdict.notes.extend(self.too_few_permutations(runs, null.len()));
        verdict.notes.extend(saturated(&null_counts, n, null.len(), alpha));
        verdict.detail.null_counts = null_counts;
        verdict.set_p_values(&p, &q, usable);
    }

    /// Says so where not even the largest statistic could pass.
    fn too_few_permutations(&self, runs: &SelectionRuns, null: usize) -> Option<Note> {
        let smallest = adjusted_best(null, runs.usable.len(), self.adjust());
        let text = format!(
            "the test can never reject: with {} permutations of {} features a single feature's p-value is at least \
             {smallest:.2}; raise `permutations`",
            runs.null.len(),
            runs.usable.len()
        );
        (smallest > self.alpha()).then(|| Note::new(NoteKind::CannotReject, text))
    }
}

/// Says so where irrelevant features, too, are chosen nearly always. `null_counts[z]` of `null` counts are z.
fn saturated(null_counts: &[u64], n: usize, null: usize, alpha: f64) -> Option<Note> {
    let often = (STABLE * n as f64).floor() as usize + 1;
    let always: u64 = null_counts.iter().skip(often).sum();
    let share = always as f64 / null as f64;
    let text = format!(
        "even with permuted targets {:.1} % of the features are chosen in more than 90 % of the bootstraps, so a high \
         count is weak evidence; lower `k`, or use another method such as snbl",
        100.0 * share
    );
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
