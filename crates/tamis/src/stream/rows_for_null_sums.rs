//! What the first walk tells the second, which sums null targets: classes, centres of columns, categories.

use crate::base::{Place, Result};
use crate::merge::effective_rows::Factors;
use crate::merge::feature::{FeatureState, FeatureSums, MergedValues};
use crate::merge::recognise_merged_target::RecognisedTarget;
use crate::merge::sum_pass::PieceFacts;
use crate::merge::target_state::TargetState;
use crate::merge::target_state::unit;
use crate::merge::{Frame, State};
use crate::score::null::{DrawnTargets, SummedColumn, SummedScores, SummedTable};
use crate::score::{Moments, Scores};
use crate::sparse_means::Snbl;
use crate::table::WeightKind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Up to so many columns null targets are summed.
pub(super) const MOST_COLUMNS: usize = 2000;
/// Up to so many sums are kept: 128 MB.
const MOST_SUMS: usize = 1 << 24;
/// Up to so many copies of rows get null targets, each by itself.
const MOST_COPIES: u64 = 1_000_000;
/// A class of fewer rows could be missing from a null target.
const FEWEST_ROWS: u64 = 10;
/// Bytes that the numbers of a piece may take where nobody says, and those that pieces of text take in any case.
const PIECE_BYTES: u64 = 1 << 30;
const TEXT_BYTES: u64 = 1 << 26;

/// How the second walk understands rows.
pub(super) struct NullPlan {
    pub(super) frame: Arc<Frame>,
    pub(super) target: TargetPlan,
    pub(super) columns: Vec<ColumnPlan>,
    /// By what the weights of each class are multiplied.
    pub(super) factors: Factors,
}

/// How the target of a row is found.
pub(super) enum TargetPlan {
    /// The class of every label.
    Classes(BTreeMap<String, usize>),
    /// A number, times `unit`, less `mean`.
    Number { unit: f64, mean: f64 },
}

/// How the values of a column are found.
pub(super) enum ColumnPlan {
    /// A number, times `unit`, less its mean; `rest` is the rounding error of that.
    Numbers { unit: f64, mean: f64, rest: f64 },
    /// A category, by its place among these.
    Categories(Vec<String>),
    /// All values are missing.
    Nothing,
}

impl NullPlan {
    /// The plan and the sums of no rows yet; `None` where null targets are not summed: there are too many columns or
    /// classes, too few rows in a class, or pieces too large for `memory`.
    pub(super) fn new(
        state: &State,
        target: &RecognisedTarget,
        method: &Snbl,
        (facts, memory): (PieceFacts, Option<u64>),
    ) -> Result<Option<(NullPlan, SummedScores)>> {
        let n_columns = state.features.len();
        let held = facts.largest_piece.saturating_mul(n_columns as u64 + 1).saturating_mul(8);
        let fewest = target.used.iter().copied().min().unwrap_or(state.used);
        if state.covariates.is_some() {
            return Ok(None); // null targets would have to be adjusted too
        }
        if n_columns > MOST_COLUMNS || fewest < FEWEST_ROWS || held > memory.unwrap_or(PIECE_BYTES).max(TEXT_BYTES) {
            return Ok(None);
        }
        if method.min_difference > 0.0 {
            return Ok(None); // scores against the least difference are not summed
        }
        let Scores { statistic, moderation, .. } = state.scores_against(method, target)?;
        let target_plan = TargetPlan::new(state, target)?;
        let target_mean = match target_plan {
            TargetPlan::Classes(_) => 0.0,
            TargetPlan::Number { mean, .. } => mean,
        };
        let copies = state.frame.weight.is_some() && state.frame.weight_kind() == WeightKind::Frequency;
        let rows = state.n_samples();
        if copies && rows > MOST_COPIES {
            return Ok(None); // each copy is drawn by itself
        }
        let factors = state.factors(target);
        let (columns, plans) = state.features.iter().map(|feature| column(feature, rows, target, &factors)).unzip();
        let table = SummedTable {
            columns,
            n_classes: target.n_classes(),
            statistic,
            scale: method.scale,
            moderation,
            weighted: state.frame.weight.is_some(),
            weight: weight_of(state, target, &factors),
            target_mean,
            residual_dimension: usize::try_from(rows)
                .unwrap_or(usize::MAX)
                .saturating_sub(target.n_classes().unwrap_or(2)),
        };
        let wanted = method.means.permutations_for(usize::try_from(rows).unwrap_or(usize::MAX), table.columns.len());
        let fewest = method.means.permutations_for(usize::MAX, table.columns.len());
        let fits = |count: &usize| SummedScores::size(&table, *count) <= MOST_SUMS;
        let Some(count) = [wanted, wanted.min(fewest)].into_iter().find(fits) else { return Ok(None) };
        let seed = state.frame.seed;
        let draws = match target.n_classes() {
            Some(_) => {
                let all = target.used.iter().sum::<u64>() as f64;
                let shares: Vec<f64> = target.used.iter().map(|used| *used as f64 / all).collect();
                DrawnTargets::classes(&shares, target.positive, seed, copies)
            }
            None => DrawnTargets::numbers(seed, copies),
        };
        let plan = NullPlan { frame: Arc::clone(&state.frame), target: target_plan, columns: plans, factors };
        Ok(Some((plan, SummedScores::new(table, draws, count))))
    }
}

impl TargetPlan {
    fn new(state: &State, target: &RecognisedTarget) -> Result<TargetPlan> {
        Ok(match (&state.target_state, target.n_classes()) {
            (TargetState::Labels(labels), Some(_)) => {
                let class = labels.iter().zip(&target.class).map(|(label, class)| (label.text.clone(), *class));
                TargetPlan::Classes(class.collect())
            }
            (TargetState::Labels(labels), None) => {
                let (number, _) = TargetState::as_number(labels, &Place::default().at_column(&state.frame.target))?;
                TargetPlan::Number { unit: unit(number.size), mean: number.moments.mean }
            }
            (TargetState::Number(number), _) => {
                TargetPlan::Number { unit: unit(number.size), mean: number.moments.mean }
            }
        })
    }
}

/// The weight of all rows, once weights are multiplied.
fn weight_of(state: &State, target: &RecognisedTarget, factors: &Factors) -> f64 {
    if state.frame.weight.is_none() {
        return state.used as f64;
    }
    let class = |label: usize| target.class.get(label).copied().unwrap_or(0);
    let weights = state.target_state.weights().into_iter().enumerate();
    weights.map(|(label, sums)| sums.sum * factors.of(class(label))).sum()
}

/// What is known of a column, and how its values are found, where `used` rows count.
fn column(
    feature: &FeatureState,
    used: u64,
    target: &RecognisedTarget,
    factors: &Factors,
) -> (SummedColumn, ColumnPlan) {
    let missing = feature.rows < used;
    let of_class = |sums: &FeatureSums, n: usize| {
        let mut classes = sums.by_class(&target.class, n);
        factors.moments(&mut classes);
        classes
    };
    let of_number = |sums: &FeatureSums| factors.comoments(sums.by_number(&target.values));
    match (&feature.values, target.n_classes()) {
        (MergedValues::Unknown, _) => (SummedColumn::Nothing, ColumnPlan::Nothing),
        (MergedValues::Numbers { size, sums, .. }, Some(n)) => {
            let classes = of_class(sums, n);
            let all = Moments::merge_in_order(&classes);
            let plan = ColumnPlan::Numbers { unit: unit(*size), mean: all.mean, rest: all.rest };
            (SummedColumn::ByClass { classes, missing }, plan)
        }
        (MergedValues::Numbers { size, sums, .. }, None) => {
            let joint = of_number(sums);
            let plan = ColumnPlan::Numbers { unit: unit(*size), mean: joint.mean_x, rest: 0.0 };
            (SummedColumn::ByNumber { joint, missing }, plan)
        }
        (MergedValues::Categories(all), n_classes) => {
            let weight = |sums: &FeatureSums| match n_classes {
                Some(n) => of_class(sums, n).iter().map(|m| m.count).sum(),
                None => of_number(sums).count,
            };
            let rows = u32::try_from(feature.rows).unwrap_or(u32::MAX);
            let weights = all.values().map(weight).collect();
            (SummedColumn::Categories { weights, rows }, ColumnPlan::Categories(all.keys().cloned().collect()))
        }
    }
}
