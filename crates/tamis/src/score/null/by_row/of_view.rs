//! The sums of a table in memory, some rows at a time.

use super::exact::Exact;
use super::plan::{Plan, PlannedCovariate, PlannedTarget, PlannedWeights};
use super::row_key::ColumnKey;
use super::sums::{Mixed, RowSums, Rows, Values, add_feature_keys};
use super::target_sketch::TargetSketch;
use crate::base::remedies::no_scored_feature;
use crate::base::{Place, Progress, Result};
use crate::score::design::covariate_columns::CovariateCoding;
use crate::table::{Column, MISSING, Target, View, WeightKind, column_source};
use rayon::prelude::*;
use std::sync::Arc;

/// Numbers that are gathered at a time, about.
const GATHERED: usize = 1 << 21;
/// Copies that a row may have: each draws by itself.
pub(crate) const MOST_COPIES: u64 = 1000;

/// The rows of a view, each with its copies.
struct ViewRows {
    rows: Vec<u32>,
    /// Copies, or importance as it was given.
    weights: Option<(WeightKind, Vec<f64>)>,
}

impl ViewRows {
    fn of(data: &View) -> ViewRows {
        let mut rows: Vec<u32> = Vec::with_capacity(data.rows().len());
        let mut copies = vec![];
        for run in data.rows().chunk_by(|a, b| a == b) {
            rows.push(run[0]);
            copies.push(run.len() as f64);
        }
        let weights = if copies.iter().any(|copies| *copies > 1.0) {
            Some((WeightKind::Frequency, copies))
        } else {
            data.given_weights().map(|(kind, given)| (kind, rows.iter().map(|&row| given[row as usize]).collect()))
        };
        ViewRows { rows, weights }
    }
}

/// How many copies the row with the most has.
pub(crate) fn most_copies(data: &View) -> u64 {
    data.rows().chunk_by(|a, b| a == b).map(|run| run.len() as u64).max().unwrap_or(0)
}

impl Plan {
    /// The plan of a view.
    pub(crate) fn of_view(data: &View, count: usize, seed: u64) -> Plan {
        let ViewRows { rows, weights } = ViewRows::of(data);
        let weight = |at: usize| weights.as_ref().map_or(1.0, |(_, weights)| weights[at]);
        let code = |row: u32| data.target().code(row as usize).unwrap_or(0);
        let groups = data.target().n_classes().unwrap_or(1);
        let mut sums = vec![[Exact::default(); 2]; groups];
        for (at, &row) in rows.iter().enumerate() {
            let group = &mut sums[code(row)];
            group[0].add_one(weight(at));
            group[1].add_one(weight(at) * weight(at));
        }
        let kind = weights.as_ref().map(|(kind, _)| *kind);
        let largest = rows.iter().enumerate().map(|(at, _)| weight(at)).fold(0.0, f64::max);
        let (weights_plan, shares) = weighing(&sums, kind, largest);
        let target = match data.target() {
            Target::Classes { labels, positive, .. } => {
                PlannedTarget::Classes { labels: labels.clone(), positive: *positive as usize, shares }
            }
            Target::Real { values } | Target::Survival { times: values, .. } => {
                let mut sketch = TargetSketch::default();
                rows.iter().for_each(|&row| sketch.add(values[row as usize], 1));
                PlannedTarget::Numbers { values: sketch.values() }
            }
        };
        let covariate = |covariate: &crate::table::Covariate| {
            let CovariateCoding { name, levels } = CovariateCoding::of(covariate, &rows);
            PlannedCovariate { name, levels }
        };
        Plan {
            seed,
            count,
            names: Arc::clone(data.names()),
            target_name: data.target_name().into(),
            target,
            covariates: data.covariates().iter().map(covariate).collect(),
            weights: weights_plan,
            rows: rows.len() as u64,
        }
    }
}

/// What weights are multiplied by, and the shares of the groups, from the sums of weights and of their squares.
pub(crate) fn weighing(
    sums: &[[Exact; 2]],
    kind: Option<WeightKind>,
    largest: f64,
) -> (Option<PlannedWeights>, Vec<f64>) {
    let factor = |[sum, squares]: &[Exact; 2]| match kind {
        Some(WeightKind::Importance) if squares.value() > 0.0 => sum.value() / squares.value(),
        _ => 1.0,
    };
    let factors: Vec<f64> = sums.iter().map(factor).collect();
    let own: Vec<f64> = sums.iter().zip(&factors).map(|([sum, _], factor)| sum.value() * factor).collect();
    let all: f64 = own.iter().sum();
    let shares = own.iter().map(|own| own / all).collect();
    (kind.map(|kind| PlannedWeights { kind, factors, largest }), shares)
}

/// The order of rows by class.
fn by_class(data: &View, rows: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    if let Target::Classes { codes, .. } = data.target() {
        order.sort_by_key(|&at| codes[rows[at as usize] as usize]);
    }
    order
}

impl RowSums {
    /// The sums of all rows of a view.
    ///
    /// # Errors
    ///
    /// An infinite value.
    pub(crate) fn of_view(data: &View, plan: &Arc<Plan>, progress: &mut dyn Progress) -> Result<RowSums> {
        let all = ViewRows::of(data);
        let order = by_class(data, &all.rows);
        let columns = data.columns();
        let n_features = data.n_features();
        // columns of a sparse matrix are searched for every gathering
        let gathered = if data.is_sparse() { 16 * GATHERED } else { GATHERED };
        let step = (gathered / n_features.max(1)).clamp(64, 8192);
        let mut sums = RowSums::new(plan);
        let target = ColumnKey::of_target();
        for (done, some) in order.chunks(step).enumerate() {
            progress.step("summing null targets", (done * step) as u64, order.len() as u64)?;
            let rows: Vec<u32> = some.iter().map(|&at| all.rows[at as usize]).collect();
            let mut flat = vec![0.0; n_features * rows.len()];
            let width = column_source::block(rows.len());
            flat.par_chunks_mut(width * rows.len()).enumerate().for_each(|(block, out)| {
                let from = block * width;
                columns.fill(from..(from + width).min(n_features), Some(&rows), out);
            });
            let codes = |at: usize| {
                let categories = columns.categories(at)?;
                Some((categories, rows.iter().map(|&row| categories.codes()[row as usize]).collect::<Vec<u32>>()))
            };
            let categories: Vec<_> = (0..n_features).map(codes).collect();
            let mut features = Vec::with_capacity(n_features);
            for (at, x) in flat.chunks_exact(rows.len()).enumerate() {
                match &categories[at] {
                    Some((categories, codes)) => {
                        features.push(Values::Categories { labels: categories.labels(), codes });
                    }
                    None => {
                        column_source::check_finite(x, Some(&rows), &data.names()[at])?;
                        features.push(Values::Numbers(x));
                    }
                }
            }
            let mut keys = vec![0; rows.len()];
            let mut context: Vec<Vec<f64>> = vec![];
            for (covariate, planned) in data.covariates().iter().zip(&plan.covariates) {
                let values = rows_of(&covariate.values, &rows);
                ColumnKey::of_covariate(&covariate.name).add_column(&values, &mut keys);
                context.extend(planned.columns(&values, &Place::default())?);
            }
            let classes: Vec<u32> =
                rows.iter().map(|&row| data.target().code(row as usize).unwrap_or(0) as u32).collect();
            match data.target() {
                Target::Classes { labels, .. } => target.add_categories(labels, &classes, &mut keys),
                Target::Real { values } | Target::Survival { times: values, .. } => {
                    let y: Vec<f64> = rows.iter().map(|&row| values[row as usize]).collect();
                    target.add_numbers(&y, &mut keys);
                    context.push(y);
                }
            }
            let weights: Option<Vec<f64>> =
                all.weights.as_ref().map(|(_, weights)| some.iter().map(|&at| weights[at as usize]).collect());
            if let (Some((WeightKind::Importance, _)), Some(weights)) = (&all.weights, &weights) {
                ColumnKey::of_weight().add_numbers(weights, &mut keys);
            }
            add_feature_keys(data.names(), &features, &mut keys);
            let classes = if data.target().n_classes().is_some() { classes } else { vec![0; rows.len()] };
            let rows = Rows {
                classes: &classes,
                weights: weights.as_deref(),
                context: &context,
                keys: &keys,
                features: &features,
            };
            sums.add(&rows).map_err(|Mixed { .. }| no_scored_feature())?; // a table's columns are of one sort
        }
        progress.step("summing null targets", order.len() as u64, order.len() as u64)?;
        Ok(sums)
    }
}

/// Some rows of a column.
fn rows_of(column: &Column, rows: &[u32]) -> Column {
    match column {
        Column::Numbers(x) => Column::Numbers(rows.iter().map(|&row| x[row as usize]).collect()),
        Column::Categories(c) => {
            let codes: Vec<u32> = rows.iter().map(|&row| c.codes()[row as usize]).collect();
            let text = |code: &u32| (*code != MISSING).then(|| c.labels()[*code as usize].as_str());
            Column::Categories(crate::table::Categories::of(codes.iter().map(text)))
        }
    }
}
