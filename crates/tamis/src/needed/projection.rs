//! Columns and responses without what is adjusted for: the mean, covariates, crossed blocks.

use super::column_blocks::ColumnBlocks;
use super::target::WorkingTarget;
use crate::base::{Error, Note, NoteKind, Place, Result};
use crate::numeric::linalg::dot;
use crate::score::design::{Adjustment, Design, Samples};
use crate::table::{Target, View};
use rayon::prelude::*;

/// A column of which less than this share of its squared length is left depends on the covariates.
const DEPENDENT: f64 = 1e-8;
/// A column with a larger share of missing values is set aside.
const MOST_MISSING: f64 = 0.2;

/// What is left of a table and its target.
pub(super) struct Projected {
    /// Columns of length 1.
    pub(super) columns: ColumnBlocks,
    /// The feature of each.
    pub(super) features: Vec<u32>,
    /// The responses.
    pub(super) y: Vec<Vec<f64>>,
    /// Degrees of freedom left.
    pub(super) freedom: f64,
    /// Whether no linear model can explain the target wholly.
    pub(super) bounded: bool,
    pub(super) projection: Projection,
    pub(super) notes: Vec<Note>,
}

/// Takes off what is adjusted for.
pub(super) struct Projection {
    adjustment: Adjustment,
    pub(super) samples: Samples,
}

impl Projection {
    /// Values by row without the part that is adjusted for, times √w.
    pub(super) fn off(&self, values: &[f64]) -> Vec<f64> {
        self.adjustment.off_nuisance(values)
    }

    /// The same for residuals, which have been times √w.
    pub(super) fn unweighted(&self, values: &[f64]) -> Vec<f64> {
        match &self.samples.roots {
            None => values.to_vec(),
            Some(roots) => values.iter().zip(roots).map(|(x, root)| x / root).collect(),
        }
    }
}

/// A column of features, or why there is none.
enum Taken {
    Column(Vec<f64>),
    Constant,
    Missing,
    Category,
}

impl Projected {
    /// Projects the columns and the target of a view whose nested blocks have been averaged.
    ///
    /// # Errors
    ///
    /// Fewer than 10 rows, a target that what is adjusted for determines, and a table without any column left.
    pub(super) fn of(data: &View, fewest: usize) -> Result<Projected> {
        let rows = data.rows();
        if rows.len() < fewest {
            let problem = format!("{} rows are left, and at least {fewest} are needed", rows.len());
            return Err(Error::data(Place::default(), problem, "give more rows, or fill in targets and covariates"));
        }
        let target = WorkingTarget::of(data)?;
        let numbers = residuals_as_numbers(data, &target);
        let data = &numbers.as_ref().map_or_else(|| data.clone(), |numbers| data.permuted(numbers));
        let design = Design::of(data)?;
        let projection =
            Projection { adjustment: design.complete, samples: Samples { target: vec![], ..design.samples } };
        let bounded = target.bounded;
        let freedom = projection.samples.weight() - projection.adjustment.rank() as f64;
        let y = target.columns.iter().map(|column| projection.off(column)).collect();
        let taken: Vec<Taken> =
            (0..data.n_features()).into_par_iter().map(|feature| projection.column(data, feature)).collect();
        let mut notes = design.notes;
        let (mut features, mut columns) = (vec![], vec![]);
        let mut aside: [Vec<String>; 3] = Default::default();
        for (feature, taken) in (0..).zip(taken) {
            let reason = match taken {
                Taken::Column(column) => {
                    features.push(feature);
                    columns.push(column);
                    continue;
                }
                Taken::Constant => 0,
                Taken::Missing => 1,
                Taken::Category => 2,
            };
            aside[reason].push(data.names()[feature as usize].clone());
        }
        let [constant, missing, categories] = aside;
        if columns.is_empty() {
            let problem = "no column is left: all are constant, categories, missing or explained by the covariates";
            return Err(Error::data(Place::default(), problem, "give numeric features that vary"));
        }
        notes.extend(Note::counting(
            NoteKind::ConstantFeature,
            "{} set aside: constant, or explained by what is adjusted for",
            constant,
        ));
        notes.extend(Note::counting(
            NoteKind::TooFewValues,
            "{} set aside: more than 20 % of the values are missing",
            missing,
        ));
        let text = "{} of categories set aside: `needed` reads numbers; code categories as 0 and 1 to include them";
        notes.extend(Note::counting(NoteKind::CategoriesSetAside, text, categories));
        Ok(Projected {
            columns: ColumnBlocks::new(rows.len(), columns),
            features,
            y,
            freedom,
            bounded,
            projection,
            notes,
        })
    }
}

/// Survival times as their residuals, so that a design of numbers serves.
fn residuals_as_numbers(data: &View, working: &WorkingTarget) -> Option<Target> {
    let Target::Survival { times, .. } = data.target() else { return None };
    let mut values = vec![f64::NAN; times.len()];
    data.rows().iter().zip(&working.columns[0]).for_each(|(&row, x)| values[row as usize] = *x);
    Some(Target::Real { values })
}

impl Projection {
    fn column(&self, data: &View, feature: usize) -> Taken {
        let Some(numbers) = data.numbers(feature) else { return Taken::Category };
        let mut values: Vec<f64> = data.rows().iter().map(|&row| numbers[row as usize]).collect();
        let present: Vec<usize> = (0..values.len()).filter(|&at| !values[at].is_nan()).collect();
        let complete = present.len() == values.len();
        if !complete {
            if ((values.len() - present.len()) as f64) > MOST_MISSING * values.len() as f64 || present.is_empty() {
                return Taken::Missing;
            }
            let Some(filled) = self.filled(&values, &present) else { return Taken::Missing };
            values = filled;
        }
        let before = self.centred_length(&values);
        let mut column = self.off(&values);
        let left = dot(&column, &column);
        // the mean of a constant column is exact to rounding only
        let largest = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let rounding = 1e-28 * largest * largest * values.len() as f64;
        if !(left > DEPENDENT * before && left > rounding) {
            return Taken::Constant;
        }
        let length = left.sqrt();
        column.iter_mut().for_each(|x| *x /= length);
        Taken::Column(column)
    }

    /// Missing values become what the adjustment of the column's own rows expects: residuals of 0.
    fn filled(&self, values: &[f64], present: &[usize]) -> Option<Vec<f64>> {
        let own = self.samples.only(present);
        let adjustment = Adjustment::new(&own).ok()?;
        let known: Vec<f64> = present.iter().map(|&at| values[at]).collect();
        let left = adjustment.off_nuisance(&known);
        let mut filled = vec![0.0; values.len()];
        for (at, (&row, x)) in present.iter().zip(left).enumerate() {
            filled[row] = own.roots.as_ref().map_or(x, |roots| x / roots[at]);
        }
        Some(filled)
    }

    fn centred_length(&self, values: &[f64]) -> f64 {
        let mean = self.samples.weighted_mean(values);
        let root = |at: usize| self.samples.roots.as_ref().map_or(1.0, |roots| roots[at]);
        values.iter().enumerate().map(|(at, x)| (root(at) * (x - mean)).powi(2)).sum()
    }
}
