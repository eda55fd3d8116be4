//! The test of the counts: a null hypothesis says how often an irrelevant feature is chosen.

use super::Npfs;
use super::chosen_by_run::SelectionRuns;
use super::count_significance::{hoeffding_half_width, mean_kuncheva};
use crate::base::{Note, Result};
use crate::selection::detail::NpfsDetail;
use serde::{Deserialize, Serialize};

/// The null hypothesis that counts are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NullModel {
    /// Bootstraps with permuted targets.
    #[default]
    Permutation,
    /// A binomial with the chance of a blind choice, as in the paper.
    Binomial,
    /// A fixed share of half-samples (Meinshausen & Bühlmann 2010).
    Stability,
}

/// The share of bootstraps above which a feature counts as chosen always.
pub(super) const STABLE: f64 = 0.9;

/// The outcome of a test: the numbers it rests on, the features that pass, and notes.
pub(super) struct TestOutcome {
    pub(super) detail: NpfsDetail,
    pub(super) selected: Vec<u32>,
    pub(super) notes: Vec<Note>,
}

impl TestOutcome {
    /// The counts of the runs, nothing decided.
    fn counting(runs: &SelectionRuns, features: usize) -> TestOutcome {
        const INTERVAL: f64 = 0.05;
        let n = runs.chosen.len();
        let counts = runs.counts(features);
        let sizes: Vec<u32> = runs.chosen.iter().map(|c| c.len() as u32).collect();
        let mean_chosen = sizes.iter().map(|s| f64::from(*s)).sum::<f64>() / n as f64;
        let among: Vec<u32> = runs.usable.iter().map(|&i| counts[i as usize]).collect();
        let detail = NpfsDetail {
            frequency: counts.iter().map(|z| f64::from(*z) / n as f64).collect(),
            half_width: hoeffding_half_width(n as u64, INTERVAL),
            p0: mean_chosen / runs.usable.len() as f64,
            mean_chosen,
            kuncheva: mean_kuncheva(&among, &sizes),
            bootstraps: n,
            counts,
            ..NpfsDetail::default()
        };
        TestOutcome { detail, selected: vec![], notes: vec![] }
    }

    /// Records the p-values of the usable features, plain and adjusted; features set aside have 1.
    pub(super) fn set_p_values(&mut self, p: &[f64], adjusted: &[f64], usable: &[u32]) {
        let features = self.detail.counts.len();
        self.detail.p_values = spread(p, usable, features, 1.0);
        self.detail.adjusted = spread(adjusted, usable, features, 1.0);
    }
}

impl Npfs {
    /// Tests the counts of the runs against the null hypothesis.
    pub(super) fn test(&self, runs: &SelectionRuns, features: usize) -> Result<TestOutcome> {
        let mut verdict = TestOutcome::counting(runs, features);
        match self.null {
            NullModel::Stability => stability(runs, &mut verdict),
            NullModel::Binomial => self.test_binomial(runs, &mut verdict)?,
            NullModel::Permutation => self.test_permutation(runs, &mut verdict),
        }
        Ok(verdict)
    }
}

/// Selects the features chosen in more than 90 % of the half-samples.
fn stability(runs: &SelectionRuns, verdict: &mut TestOutcome) {
    let bound = STABLE * runs.chosen.len() as f64;
    let counts = &verdict.detail.counts;
    verdict.selected = runs.usable.iter().copied().filter(|&i| f64::from(counts[i as usize]) > bound).collect();
    verdict.detail.critical_value = Some(bound.floor() as u64);
}

/// Values of the usable features at their places in the table, another elsewhere.
pub(super) fn spread(values: &[f64], usable: &[u32], features: usize, elsewhere: f64) -> Vec<f64> {
    let mut out = vec![elsewhere; features];
    usable.iter().zip(values).for_each(|(&i, v)| out[i as usize] = *v);
    out
}
