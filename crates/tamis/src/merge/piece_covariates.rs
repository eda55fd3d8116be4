//! The covariates of one piece, ready for its features to be summed against them.

use crate::base::error::Place;
use crate::base::remedies::REPLACE_OR_LEAVE;
use crate::base::{Error, Result, counted};
use crate::merge::covariate_state::{CovariateKind, CovariateState, width_of};
use crate::merge::cross_sums::{CrossSums, means};
use crate::merge::feature::{FeatureSums, check_categories};
use crate::merge::target_state::unit;
use crate::score::joint_moments::JointMoments;
use crate::score::moments::largest_size;
use crate::table::column::{is_too_large_to_square, too_large};
use crate::table::{Column, MISSING};

/// Which rows of a piece have all covariates; `names` are theirs, and `before` rows came before.
pub(crate) fn rows_that_have(
    covariates: &[Column],
    names: &[String],
    rows: usize,
    (place, before): (&Place, u64),
) -> Result<Vec<bool>> {
    if covariates.len() != names.len() || covariates.iter().any(|column| column.len() != rows) {
        let problem = format!(
            "{} for {} instead of {}",
            counted(covariates.len(), "covariate"),
            counted(rows, "row"),
            names.len()
        );
        return Err(Error::data(place.clone(), problem, "give a column with a value per row for every covariate"));
    }
    let mut has = vec![true; rows];
    for (column, name) in covariates.iter().zip(names) {
        if let Some(numbers) = column.numbers()
            && let Some(row) = numbers.iter().position(|x| is_too_large_to_square(*x))
        {
            let place = place.clone().at_column(name).at_row(before + row as u64 + 1);
            return Err(too_large("the covariate", numbers[row], place, REPLACE_OR_LEAVE));
        }
        has.iter_mut().enumerate().for_each(|(row, has)| *has &= !column.is_missing(row));
    }
    Ok(has)
}

/// The columns of covariates over the rows that count.
pub(crate) struct PieceCovariates {
    pub(crate) state: CovariateState,
    /// How many columns there are.
    width: usize,
    /// Their values, row by row.
    values: Vec<f64>,
    /// The group of every row that counts.
    group: Vec<u32>,
}

impl PieceCovariates {
    /// Of the rows `used`, in groups; `target` is that of a numeric target. `weight` is that of a row.
    pub(crate) fn new(
        covariates: &[Column],
        used: &[u32],
        (group, n_groups): (Vec<u32>, usize),
        target: Option<&[f64]>,
        weight: &dyn Fn(usize) -> f64,
        named: &dyn Fn(usize) -> Place,
    ) -> Result<PieceCovariates> {
        let kinds = covariates.iter().map(|column| kind(column, used)).collect::<Vec<CovariateKind>>();
        for (at, kind) in kinds.iter().enumerate() {
            if let CovariateKind::Levels(levels) = kind {
                check_categories(levels.len(), levels.first(), || named(at))?;
            }
        }
        let width = width_of(&kinds) + usize::from(target.is_some());
        let mut values = vec![0.0; used.len() * width];
        for (row, out) in used.iter().map(|&row| row as usize).zip(values.chunks_exact_mut(width.max(1))) {
            let mut at = 0;
            for (column, kind) in covariates.iter().zip(&kinds) {
                fill(column, kind, row, &mut out[at..at + kind.width()]);
                at += kind.width();
            }
            if let Some(target) = target {
                out[at] = target[row];
            }
        }
        let mut piece =
            PieceCovariates { state: CovariateState { kinds, lacking: 0, groups: vec![] }, width, values, group };
        piece.state.groups = piece.groups_of(used, n_groups, weight, &|_| true);
        Ok(piece)
    }

    /// The columns by group over those rows that count which have something.
    fn groups_of(
        &self,
        used: &[u32],
        n_groups: usize,
        weight: &dyn Fn(usize) -> f64,
        has: &dyn Fn(usize) -> bool,
    ) -> Vec<JointMoments> {
        let mut members: Vec<Vec<usize>> = vec![vec![]; n_groups];
        for (at, (&row, &group)) in used.iter().zip(&self.group).enumerate() {
            if has(row as usize) {
                members[group as usize].push(at);
            }
        }
        let row = |&at: &usize| (&self.values[at * self.width..(at + 1) * self.width], weight(used[at] as usize));
        members.iter().map(|members| JointMoments::of(members.iter().map(row), self.width)).collect()
    }

    /// The sums of a feature with the columns; `x` is its value in a row, `sums` its own sums.
    pub(crate) fn of_feature(
        &self,
        used: &[u32],
        weight: &dyn Fn(usize) -> f64,
        x: &dyn Fn(usize) -> f64,
        sums: &FeatureSums,
    ) -> CrossSums {
        let n_groups = self.state.groups.len();
        let complete = used.iter().all(|&row| !x(row as usize).is_nan());
        let own = (!complete).then(|| self.groups_of(used, n_groups, weight, &|row| !x(row).is_nan()));
        let groups = own.as_deref().unwrap_or(&self.state.groups);
        let means = means(sums);
        let mut cross = vec![vec![0.0; self.width]; n_groups];
        for (at, (&row, &group)) in used.iter().zip(&self.group).enumerate() {
            let (value, group) = (x(row as usize), group as usize);
            if value.is_nan() {
                continue;
            }
            let [mean, rest] = means[group].1;
            let deviation = weight(row as usize) * ((value - mean) - rest);
            let columns = self.values[at * self.width..].iter().zip(&groups[group].means);
            cross[group].iter_mut().zip(columns).for_each(|(sum, (v, mean))| *sum += deviation * (v - mean));
        }
        CrossSums { cross, own }
    }
}

/// The kind of a covariate in these rows.
fn kind(column: &Column, used: &[u32]) -> CovariateKind {
    match column {
        Column::Numbers(numbers) if used.is_empty() && numbers.iter().all(|x| x.is_nan()) => CovariateKind::Unknown,
        Column::Numbers(numbers) => CovariateKind::Numbers(largest_size(numbers)),
        Column::Categories(categories) => {
            let mut occurs = vec![false; categories.labels().len()];
            for &row in used {
                if let Some(occurs) = occurs.get_mut(categories.codes()[row as usize] as usize) {
                    *occurs = true;
                }
            }
            let levels: Vec<String> =
                categories.labels().iter().zip(occurs).filter(|(_, occurs)| *occurs).map(|(l, _)| l.clone()).collect();
            if levels.is_empty() { CovariateKind::Unknown } else { CovariateKind::Levels(levels) }
        }
    }
}

/// The columns of a covariate in a row.
fn fill(column: &Column, kind: &CovariateKind, row: usize, out: &mut [f64]) {
    match (column, kind) {
        (Column::Numbers(numbers), CovariateKind::Numbers(size)) => out[0] = numbers[row] * unit(*size),
        (Column::Categories(categories), CovariateKind::Levels(levels)) => {
            let code = categories.codes()[row];
            if code != MISSING
                && let Ok(at) = levels.binary_search(&categories.labels()[code as usize])
            {
                out[at] = 1.0;
            }
        }
        _ => {}
    }
}
