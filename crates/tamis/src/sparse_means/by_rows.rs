//! Null targets that each row draws by itself: which tables have them, and the answer from their sums.

use super::design_and_own_units::{moderation_facts, shrunken_differences};
use super::table_nulls::TableNulls;
use super::{NullTargets, Snbl, snbl_notes};
use crate::base::{Context, Error, Note, NoteKind, Result, some_of};
use crate::score::choice::{self, TableShape};
use crate::score::design::constant_target;
use crate::score::null::by_row::{FEWEST_ROWS, FeatureSums, MOST_COPIES, Plan, RowScores, RowSums, most_copies};
use crate::score::{FeatureSummaries, Scores};
use crate::selection::{DesignFacts, Selection};
use crate::table::{ComparedClasses, Target, View};
use std::sync::Arc;

/// Beyond so many rows null targets are drawn by rows.
const MANY_ROWS: usize = 2000;
/// Bytes that sums of null targets may take.
const MOST_BYTES: u64 = 4 << 30;

impl Snbl {
    /// The sums of a view whose null targets are drawn by rows; `None` where they are not.
    ///
    /// # Errors
    ///
    /// `null_targets=rows` where they cannot be drawn.
    pub(super) fn row_sums(&self, data: &View, context: &mut Context) -> Result<Option<Arc<RowSums>>> {
        let many = data.rows().len() > MANY_ROWS;
        if !self.wants_nulls()
            || !(self.null_targets == NullTargets::Rows || self.null_targets == NullTargets::Auto && many)
        {
            return Ok(None);
        }
        let count = self.means.permutations_for(data.rows().len(), data.names().len());
        let refused = self.not_by_rows(data).or_else(|| {
            let classes = data.target().n_classes().map_or(1, |n| n.max(2) - 1);
            let bytes = (data.n_features() as u64).saturating_mul((count * classes) as u64).saturating_mul(16);
            (bytes > MOST_BYTES).then_some("their sums would take more than 4 GB")
        });
        match (refused, self.null_targets) {
            (None, _) => {
                let plan = Arc::new(Plan::of_view(data, count, context.seed));
                Ok(Some(Arc::new(RowSums::of_view(data, &plan, context)?)))
            }
            (Some(_), NullTargets::Auto) => Ok(None),
            (Some(reason), _) => {
                let expected = format!("{reason}; pass `auto` or `permuted`");
                Err(Error::parameter("null_targets", self.null_targets, expected))
            }
        }
    }

    /// Why null targets of a view are not drawn by rows.
    fn not_by_rows(&self, data: &View) -> Option<&'static str> {
        match () {
            () if matches!(data.target(), Target::Survival { .. }) => Some("survival times are permuted"),
            () if data.coded_test().is_some() || data.model().is_some() => Some("the test of a model is permuted"),
            () if data.row_noise().is_some() => Some("precisions and correlations of samples are permuted with them"),
            () if data.blocks().is_some() => Some("targets are permuted within blocks"),
            () if data.comparison().contrast.is_some() => Some("two of several classes are compared by permutations"),
            () if data.class_counts().iter().any(|rows| (1..FEWEST_ROWS).contains(rows)) => {
                Some("null targets could lack a class of fewer than 10 rows")
            }
            () if most_copies(data) > MOST_COPIES => Some("rows stand for more than 1,000 copies each"),
            () => self.scores_not_by_rows(),
        }
    }

    /// Why null targets of any table are not drawn by rows.
    pub(crate) fn scores_not_by_rows(&self) -> Option<&'static str> {
        match () {
            () if !self.score.by_moments() => Some("scores of ranks take permutations"),
            () if self.min_difference > 0.0 => Some("a least difference takes permutations"),
            () => None,
        }
    }

    /// Scores and summaries from sums over the rows, and the scores of null targets.
    pub(super) fn of_row_sums(
        &self,
        sums: &Arc<RowSums>,
        comparison: ComparedClasses,
    ) -> Result<(Scores, FeatureSummaries, RowScores)> {
        let summed = sums.summed(comparison);
        let shape = TableShape {
            n_features: sums.plan.names.len(),
            n_classes: sums.plan.n_classes(),
            adjusted: !sums.plan.covariates.is_empty(),
        };
        let scoring = self.scoring();
        let scores = summed.scores(&scoring, choice::for_shape(&scoring, &shape)?)?;
        let summaries = summed.summaries(&scores, &scoring);
        let nulls = RowScores::new(Arc::clone(sums), &scores, self.scale)
            .ok_or_else(|| constant_target(&sums.plan.target_name))?;
        Ok((scores, summaries, nulls))
    }

    /// From sums over the rows to the answer, but for what needs the rows again.
    pub(crate) fn select_row_sums(
        &self,
        sums: &Arc<RowSums>,
        comparison: ComparedClasses,
        classes: &[(&str, u64)],
        context: &mut Context,
    ) -> Result<Selection> {
        let (scores, summaries, nulls) = self.of_row_sums(sums, comparison)?;
        let rows = usize::try_from(sums.n_samples()).unwrap_or(usize::MAX);
        let mut design = moderation_facts(&scores, rows);
        if !sums.plan.covariates.is_empty() {
            let design = design.get_or_insert_with(DesignFacts::default);
            design.covariates = sums.plan.covariates.iter().map(|covariate| covariate.name.clone()).collect();
            design.rows_used = rows;
        }
        let nulls: Option<&dyn TableNulls> = if self.wants_nulls() { Some(&nulls) } else { None };
        let resolved = Snbl { null_targets: NullTargets::Rows, ..self.clone() };
        let mut selection = resolved.select_without_rows(scores, &sums.plan.names, classes, nulls, context)?;
        selection.design = design;
        selection.shrunken_differences = shrunken_differences(&selection, &summaries, self.min_difference > 0.0);
        selection.summaries = Some(summaries);
        selection.notes.extend(snbl_notes::repeated_rows(sums.repeated.share()));
        selection.notes.extend(incomplete(sums));
        Ok(selection)
    }
}

/// A note on features of which many values are missing, where features are adjusted.
fn incomplete(sums: &RowSums) -> Option<Note> {
    const MANY: f64 = 0.05;
    if sums.plan.covariates.is_empty() {
        return None;
    }
    let rows = sums.n_rows() as f64;
    let lacks = |feature: &FeatureSums| matches!(feature, FeatureSums::Numbers(sums) if (sums.known as f64) < (1.0 - MANY) * rows && sums.known > 0);
    let many = sums.features.iter().filter(|feature| lacks(feature)).count();
    let text = format!(
        "{} more than 5 % of their values; their null targets are adjusted for covariates by all rows",
        some_of(many, sums.features.len(), "features", ["lacks", "lack"])
    );
    (many > 0).then(|| Note::new(NoteKind::NullTargets, text))
}
