//! Covariates as columns of numbers: numbers as they are, categories as indicators of all levels but the first.

use crate::table::{Column, MISSING, View};

/// A column of numbers over the rows of a view.
pub(super) struct CovariateColumn {
    /// The covariate that it belongs to.
    pub(super) covariate: String,
    /// One number per row of the view.
    pub(super) values: Vec<f64>,
}

/// The columns of all covariates of a view. Levels that no row has get none.
pub(super) fn columns(data: &View) -> Vec<CovariateColumn> {
    let rows = data.rows();
    let mut columns = vec![];
    for covariate in data.covariates() {
        let mut add = |values: Vec<f64>| columns.push(CovariateColumn { covariate: covariate.name.clone(), values });
        match &covariate.values {
            Column::Numbers(numbers) => add(rows.iter().map(|&row| numbers[row as usize]).collect()),
            Column::Categories(categories) => {
                let codes: Vec<u32> = rows.iter().map(|&row| categories.codes()[row as usize]).collect();
                let mut levels: Vec<u32> = codes.iter().copied().filter(|code| *code != MISSING).collect();
                levels.sort_unstable();
                levels.dedup();
                for level in levels.into_iter().skip(1) {
                    add(codes.iter().map(|code| f64::from(u8::from(*code == level))).collect());
                }
            }
        }
    }
    columns
}
