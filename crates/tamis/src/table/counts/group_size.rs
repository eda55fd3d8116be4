//! How many rows the least group of a design has, in the sense of the filter for counts.

use crate::base::Result;
use crate::numeric::linalg::dot;
use crate::table::{Column, MISSING, Target, View};

/// A column of which less than this share is left, once others are taken out, depends on them.
const DEPENDENT: f64 = 1e-7;

/// The size of the smallest class; with covariates, blocks or a numeric target one over the largest leverage of a row, which
/// is the same where the design is groups alone. All rows where there is no design.
///
/// Cost: rows × columns of the design, squared.
pub(super) fn least_group(data: &View) -> Result<f64> {
    let rows = data.rows();
    let is_plain = data.covariates().is_empty() && data.blocks().is_none();
    if let Some(mut columns) = data.model_columns()? {
        columns.extend(data.blocks().into_iter().flat_map(|(_, blocks)| indicators(rows, blocks.codes())));
        return Ok(1.0 / largest_leverage(&columns, rows.len()));
    }
    Ok(match data.target() {
        Target::Classes { .. } if is_plain => {
            let smallest = data.class_counts().into_iter().filter(|&n| n > 0).min();
            smallest.map_or(rows.len() as f64, |n| n as f64)
        }
        Target::Survival { .. } if is_plain => rows.len() as f64,
        _ => 1.0 / largest_leverage(&columns(data), rows.len()),
    })
}

/// Columns that span the design of a view: the intercept, the target, the covariates and the blocks.
fn columns(data: &View) -> Vec<Vec<f64>> {
    let rows = data.rows();
    let numbers = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&row| values[row as usize]).collect() };
    let mut columns = vec![vec![1.0; rows.len()]];
    match data.target() {
        Target::Classes { codes, .. } => columns.extend(indicators(rows, codes)),
        Target::Real { values } => columns.push(numbers(values)),
        Target::Survival { .. } => {}
    }
    for covariate in data.covariates() {
        match &covariate.values {
            Column::Numbers(values) => columns.push(numbers(values)),
            Column::Categories(categories) => columns.extend(indicators(rows, categories.codes())),
        }
    }
    columns.extend(data.blocks().into_iter().flat_map(|(_, blocks)| indicators(rows, blocks.codes())));
    columns
}

/// A column for every level that the rows have.
fn indicators(rows: &[u32], codes: &[u32]) -> Vec<Vec<f64>> {
    let mut levels: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
    levels.sort_unstable();
    levels.dedup();
    let is = |level: u32| rows.iter().map(|&row| f64::from(u8::from(codes[row as usize] == level))).collect();
    levels.into_iter().filter(|level| *level != MISSING).map(is).collect()
}

/// The largest diagonal entry of the projection on columns, those left out that depend on earlier ones.
fn largest_leverage(columns: &[Vec<f64>], rows: usize) -> f64 {
    let mut basis: Vec<Vec<f64>> = vec![];
    for column in columns {
        let mut left = column.clone();
        // twice is enough (Kahan)
        for _ in 0..2 {
            for direction in &basis {
                let share = dot(direction, &left);
                left.iter_mut().zip(direction).for_each(|(x, d)| *x -= share * d);
            }
        }
        let (length, whole) = (dot(&left, &left).sqrt(), dot(column, column).sqrt());
        if length > DEPENDENT * whole && length > 0.0 {
            left.iter_mut().for_each(|x| *x /= length);
            basis.push(left);
        }
    }
    let leverage = |row: usize| basis.iter().map(|direction| direction[row] * direction[row]).sum::<f64>();
    (0..rows).map(leverage).fold(0.0, f64::max)
}
