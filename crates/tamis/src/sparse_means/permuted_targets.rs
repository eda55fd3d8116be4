//! Null scores of a table whose rows are at hand: its target is permuted.

use super::correlated::NullScores;
use super::{Prior, Snbl};
use crate::base::{Context, Result};
use crate::score::null::PermutedScores;
use crate::score::{self, Scale, Scores, Statistic, cox};
use crate::table::View;
use std::ops::Range;

/// Features whose null scores are computed at a time: with their sums they fit a core's cache.
const NULL_BLOCK: usize = 64;

impl Snbl {
    /// Work with null scores for these scores, where the prior makes use of them.
    ///
    /// Survival times are permuted as their martingale residuals, and the real ones are then compared with them by the
    /// same correlation.
    pub(super) fn with_nulls<T>(
        &self,
        data: &View,
        scores: &Scores,
        context: &mut Context,
        work: impl FnOnce(Option<&PermutedScores>, &mut Context) -> Result<T>,
    ) -> Result<T> {
        let count = self.means.permutations;
        if self.means.prior != Prior::Auto || count == 0 {
            return work(None, context);
        }
        let seed = context.seed;
        match cox::permutable_target(data)? {
            None => work(Some(&PermutedScores::new(data, scores, self.scale, count, seed)), context),
            Some(residuals) => {
                let data = data.permuted(&residuals);
                let correlated = score::compute(&data, Statistic::Pearson, Scale::Z, context)?;
                let nulls = PermutedScores::new(&data, &correlated, Scale::Z, count, seed);
                work(Some(&nulls.with_observed(correlated.into_z())), context)
            }
        }
    }
}

impl NullScores for PermutedScores<'_> {
    fn features(&self) -> usize {
        self.n_features()
    }

    fn calibration_rows(&self) -> usize {
        self.calibration_count()
    }

    fn gate_rows(&self) -> usize {
        self.count()
    }

    fn observed(&self) -> Option<&[f64]> {
        self.observed()
    }

    fn fill(&self, columns: Range<usize>, calibration: &mut [f64], gate: &mut [f64]) -> Result<()> {
        let width = columns.len();
        for from in columns.clone().step_by(NULL_BLOCK) {
            let some = from..(from + NULL_BLOCK).min(columns.end);
            let at = from - columns.start;
            let found = self.block(some.clone())?;
            for (matrix, out) in [(&found.calibration, &mut *calibration), (&found.gate, &mut *gate)] {
                for j in 0..some.len() {
                    matrix.column(j).iter().enumerate().for_each(|(r, z)| out[r * width + at + j] = *z);
                }
            }
        }
        Ok(())
    }
}
