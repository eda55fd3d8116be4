//! Covariates as columns of numbers: numbers as they are, categories as indicators of all levels but the first.

use crate::base::{Error, Place, Result};
use crate::table::{Column, Covariate, Target, View};
use serde::{Deserialize, Serialize};

/// A column of numbers over the rows of a view.
pub(super) struct CovariateColumn {
    /// The covariate that it belongs to.
    pub(super) covariate: String,
    /// One number per row of the view.
    pub(super) values: Vec<f64>,
}

/// How a covariate becomes columns of numbers, learned from some rows and applied to others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CovariateCoding {
    /// The covariate's name.
    pub(crate) name: String,
    /// The levels of a factor that the rows have, in sorted order; `None` for numbers.
    pub(crate) levels: Option<Vec<String>>,
}

impl CovariateCoding {
    /// Learns the levels that these rows of the table have.
    pub(crate) fn of(covariate: &Covariate, rows: &[u32]) -> CovariateCoding {
        let levels = match &covariate.values {
            Column::Numbers(_) => None,
            Column::Categories(categories) => {
                let mut levels: Vec<&str> = rows.iter().filter_map(|&row| categories.get(row as usize)).collect();
                levels.sort_unstable();
                levels.dedup();
                Some(levels.into_iter().map(String::from).collect())
            }
        };
        CovariateCoding { name: covariate.name.clone(), levels }
    }

    /// How many columns there are.
    pub(crate) fn width(&self) -> usize {
        self.levels.as_ref().map_or(1, |levels| levels.len().saturating_sub(1))
    }

    /// The columns of these rows: the numbers, or an indicator of every level but the first.
    ///
    /// # Errors
    ///
    /// Numbers where levels were learned, or the reverse; a level that was not learned; a row without a value.
    pub(crate) fn columns(&self, covariate: &Covariate, rows: &[u32]) -> Result<Vec<Vec<f64>>> {
        let refuse = |row: u32, problem: String, remedy: &str| {
            let place = Place::default().at_row(u64::from(row) + 1).at_column(&self.name);
            Err(Error::data(place, problem, remedy.to_string()))
        };
        let values = &covariate.values;
        if let Some(&row) = rows.iter().find(|&&row| values.is_missing(row as usize)) {
            return refuse(row, "the covariate is missing".into(), "fill it in, or leave the row out");
        }
        let Some(levels) = &self.levels else {
            let Some(numbers) = values.numbers() else {
                let problem = "the covariate is text, and was numeric where it was learned from";
                let place = Place::default().at_column(&self.name);
                return Err(Error::data(place, problem, "give numbers"));
            };
            return Ok(vec![rows.iter().map(|&row| numbers[row as usize]).collect()]);
        };
        let known = |row: u32| levels.iter().any(|level| *level == values.text(row as usize));
        if let Some(&row) = rows.iter().find(|&&row| !known(row)) {
            let problem =
                format!("the level `{}` of the covariate was not there to learn from", values.text(row as usize));
            return refuse(row, problem, "leave the row out, or learn from rows of this level too");
        }
        let is = |level: &String, row: u32| f64::from(u8::from(values.text(row as usize) == *level));
        Ok(levels.iter().skip(1).map(|level| rows.iter().map(|&row| is(level, row)).collect()).collect())
    }
}

/// The columns of all covariates of a view, whose rows all have them. Where two of several classes are compared,
/// indicators of the other classes come first, by the target's name.
pub(super) fn columns(data: &View) -> Result<Vec<CovariateColumn>> {
    let mut columns = other_classes(data);
    for covariate in data.covariates() {
        let found = CovariateCoding::of(covariate, data.rows()).columns(covariate, data.rows())?;
        columns.extend(found.into_iter().map(|values| CovariateColumn { covariate: covariate.name.clone(), values }));
    }
    Ok(columns)
}

/// Indicators of the classes beyond the two that are compared, where there are such.
fn other_classes(data: &View) -> Vec<CovariateColumn> {
    let (Target::Classes { codes, .. }, Some(compared)) = (data.target(), data.comparison().contrast) else {
        return vec![];
    };
    let mut others: Vec<u32> = data.rows().iter().map(|&row| codes[row as usize]).collect();
    others.sort_unstable();
    others.dedup();
    let indicator = |class: u32| CovariateColumn {
        covariate: data.target_name().into(),
        values: data.rows().iter().map(|&row| f64::from(u8::from(codes[row as usize] == class))).collect(),
    };
    others.into_iter().filter(|class| !compared.contains(class)).map(indicator).collect()
}
