//! The null hypothesis of the paper: every choice of a feature is a coin of probability k/K + β.

use super::chosen_by_run::SelectionRuns;
use super::count_significance::{Adjust, adjusted, binomial_tail, critical_value, settled_after};
use super::null_model::TestOutcome;
use super::{Base, Npfs, NullModel};
use crate::base::{Error, Note, NoteKind, OptionName, Result, text};

impl Npfs {
    /// k/K + β.
    fn chance(&self, chosen: f64, features: usize) -> Result<f64> {
        let p0 = chosen / features as f64 + self.beta;
        if p0 > 1.0 {
            let expected = format!("{chosen:.1} of {features} features plus it must not exceed 1; lower it");
            return Err(Error::parameter("beta", self.beta, expected));
        }
        Ok(p0)
    }

    /// The count that settles a feature, if bootstraps may stop early.
    pub(super) fn stop_value(&self, k: Option<usize>, features: usize) -> Result<Option<u64>> {
        let Some(k) = k else { return Ok(None) };
        if !self.early_stop || self.null != NullModel::Binomial || self.adjust() != Adjust::None {
            return Ok(None);
        }
        let p0 = self.chance(k as f64, features)?;
        Ok(Some(critical_value(self.bootstraps as u64, p0, self.alpha())))
    }

    /// Drops the bootstraps behind the one that settled every feature; tells whether there is one.
    pub(super) fn stop(&self, runs: &mut SelectionRuns, features: usize, critical: Option<u64>) -> bool {
        let Some(critical) = critical else { return false };
        match settled_after(&runs.chosen, features, critical, self.bootstraps as u64) {
            Some(n) => {
                runs.chosen.truncate(n);
                true
            }
            None => false,
        }
    }

    /// Selects features chosen more often than ζ times (NPFS eq. 3), or by their adjusted p-values.
    pub(super) fn test_binomial(&self, runs: &SelectionRuns, verdict: &mut TestOutcome) -> Result<()> {
        let (usable, total, alpha) = (&runs.usable, self.bootstraps as u64, self.alpha());
        let p0 = self.chance(verdict.detail.mean_chosen, usable.len())?;
        let critical = critical_value(total, p0, alpha);
        verdict.notes.extend(self.binomial_notes(p0, critical, runs.chosen.len()));
        let counts: Vec<u64> = usable.iter().map(|&i| u64::from(verdict.detail.counts[i as usize])).collect();
        let p: Vec<f64> = counts.iter().map(|&z| binomial_tail(total, p0, z)).collect();
        let q = adjusted(&p, self.adjust());
        let passes = |at: usize| match self.adjust() {
            Adjust::None => counts[at] > critical,
            _ => q[at] <= alpha,
        };
        verdict.selected = (0..usable.len()).filter(|&at| passes(at)).map(|at| usable[at]).collect();
        (verdict.detail.p0, verdict.detail.critical_value) = (p0, Some(critical));
        verdict.set_p_values(&p, &q, usable);
        Ok(())
    }

    /// The limits of this test, in words.
    fn binomial_notes(&self, p0: f64, critical: u64, n: usize) -> Vec<Note> {
        let null = || OptionName::from("null");
        let text = text![
            null().set("binomial"),
            " does not hold its nominal level, because all bootstraps share one sample: some of these features may have \
             won by chance (",
            null().set("permutation"),
            " accounts for that)"
        ];
        let mut notes = vec![Note::new(NoteKind::BinomialNull, text)];
        let total = self.bootstraps;
        if critical == total as u64 {
            let remedy = match self.base {
                Base::Matrix => "choose fewer features in a run, or make more runs".into(),
                _ => text!["lower ", OptionName::from("k"), " or raise ", OptionName::from("bootstraps")],
            };
            let problem = format!(
                "the test can never reject: if a bootstrap chooses each feature with probability {p0:.2}, being chosen \
                 in all {total} is not unusual; "
            );
            let text = text![problem, remedy];
            notes.push(Note::new(NoteKind::CannotReject, text));
        }
        if n < total {
            let text = format!(
                "stopped after {n} of {total} bootstraps, when every decision was final; counts, frequencies and \
                 p-values are partial"
            );
            notes.push(Note::new(NoteKind::EarlyStop, text));
        }
        notes
    }
}
