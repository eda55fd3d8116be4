//! Null scores of a table whose rows are at hand: its target is permuted.

use super::Snbl;
use super::table_nulls::TableNulls;
use crate::base::{Context, Result};
use crate::score::null::PermutedScores;
use crate::score::{self, Scale, Scores, Statistic, cox};
use crate::table::View;

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
        work: impl FnOnce(Option<&dyn TableNulls>, &mut Context) -> Result<T>,
    ) -> Result<T> {
        if !self.wants_nulls() {
            return work(None, context);
        }
        let count = self.means.permutations_for(data.rows().len(), data.names().len());
        let seed = context.seed;
        match cox::permutable_target(data)? {
            None => work(Some(&PermutedScores::new(data, scores, self.scale, count, seed)?), context),
            Some(residuals) => {
                let data = data.permuted(&residuals);
                let correlated = score::compute(&data, Statistic::Pearson, Scale::Z, context)?;
                let nulls = PermutedScores::new(&data, &correlated, Scale::Z, count, seed)?;
                work(Some(&nulls.with_observed(correlated.into_z())), context)
            }
        }
    }
}
