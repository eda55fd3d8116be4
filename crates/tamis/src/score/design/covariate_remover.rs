//! Features without the part that covariates explain, learned from some rows and taken from others too.

use super::covariate_columns::CovariateCoding;
use super::{Adjustment, Design, Samples};
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, Place, Result};
use crate::numeric::linalg::dot;
use crate::table::{Column, Table, View, first_repeated};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The regression of every numeric feature on covariates, beside the target and the blocks, from the rows it was learned
/// from: x − (z − z̄)·γ̂ is free of the covariates and keeps its mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CovariateRemover {
    covariates: Vec<CovariateCoding>,
    /// The mean of every column of the covariates where it was learned.
    centres: Vec<f64>,
    features: Vec<String>,
    /// For every feature the coefficient of each column; 0 for one that says nothing beyond the others.
    coefficients: Vec<Vec<f64>>,
}

impl CovariateRemover {
    /// Learns from the rows of a view; `None` where it has no covariates.
    ///
    /// Cost: rows × (covariates + target columns) flops a feature.
    ///
    /// # Errors
    ///
    /// Covariates that determine the target, too few rows for them, and a table without numbers.
    pub fn learn(data: &View) -> Result<Option<CovariateRemover>> {
        if data.covariates().is_empty() {
            return Ok(None);
        }
        let design = Design::of(data)?;
        let covariates: Vec<CovariateCoding> =
            data.covariates().iter().map(|covariate| CovariateCoding::of(covariate, data.rows())).collect();
        let all = &design.samples.covariates;
        // classes that are not compared come first among the design's columns
        let own = all.len() - covariates.iter().map(CovariateCoding::width).sum::<usize>();
        let centres = all[own..].iter().map(|column| design.samples.weighted_mean(column)).collect();
        let numeric: Vec<usize> = (0..data.n_features()).filter(|&at| data.numbers(at).is_some()).collect();
        if numeric.is_empty() {
            let problem = "every feature is a category, which cannot be adjusted for covariates";
            return Err(Error::data(Place::default(), problem, "leave the covariates out"));
        }
        let swapped = Swapped::new(&design, own);
        let coefficients = numeric.par_iter().map(|&feature| swapped.coefficients(data, feature)).collect();
        let features = numeric.iter().map(|&at| data.names()[at].clone()).collect();
        Ok(Some(CovariateRemover { covariates, centres, features, coefficients }))
    }

    /// The covariates, by name.
    pub fn covariates(&self) -> Vec<&str> {
        self.covariates.iter().map(|coding| coding.name.as_str()).collect()
    }

    /// The features that it knows, by name.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// Where [`CovariateRemover::features`] are among the features of a view; those that it has not are left out.
    pub fn positions(&self, data: &View) -> Vec<u32> {
        let places: HashMap<&str, u32> = data.names().iter().zip(0..).map(|(name, at)| (name.as_str(), at)).collect();
        self.features.iter().filter_map(|name| places.get(name.as_str()).copied()).collect()
    }

    /// A table of those of its features that the view has, without the covariates' part, at the view's rows; values of
    /// other rows are missing. Covariates and blocks are no longer part of the study.
    ///
    /// # Errors
    ///
    /// A covariate that the view has not or whose value is missing in a row; a level that was not there to learn from.
    pub fn apply(&self, data: &View) -> Result<Table> {
        let rows = data.rows();
        let mut columns: Vec<Vec<f64>> = vec![];
        for coding in &self.covariates {
            let covariate = data.covariates().iter().find(|covariate| covariate.name == coding.name);
            let covariate = covariate.ok_or_else(|| Error::Unknown {
                kind: "column",
                name: coding.name.clone(),
                known: data.names().to_vec(),
            })?;
            columns.extend(coding.columns(covariate, rows)?);
        }
        for (column, centre) in columns.iter_mut().zip(&self.centres) {
            column.iter_mut().for_each(|z| *z -= centre);
        }
        let coefficients: HashMap<&str, &Vec<f64>> =
            self.features.iter().map(String::as_str).zip(&self.coefficients).collect();
        let positions = self.positions(data);
        let adjusted = |&feature: &u32| {
            let feature = feature as usize;
            let mut values = vec![f64::NAN; data.columns().n_rows()];
            let numbers = data.numbers(feature).unwrap_or_default();
            let gamma = coefficients[data.names()[feature].as_str()];
            for (at, &row) in rows.iter().enumerate() {
                let explained: f64 = columns.iter().zip(gamma).map(|(column, gamma)| column[at] * gamma).sum();
                values[row as usize] = numbers.get(row as usize).map_or(f64::NAN, |x| x - explained);
            }
            Column::Numbers(values)
        };
        let found: Vec<Column> = positions.par_iter().map(adjusted).collect();
        let names = positions.iter().map(|&at| data.names()[at as usize].clone()).collect();
        Ok(data.with_columns(names, found).without_design())
    }

    /// Notes for the user of a result on a view it was learned from.
    pub fn notes(&self, data: &View) -> Vec<Note> {
        let known: std::collections::HashSet<&String> = self.features.iter().collect();
        let categories = data.names().iter().filter(|name| !known.contains(name)).cloned().collect();
        let text = "{} of categories left out: they cannot be adjusted for covariates";
        let quoted: Vec<String> = self.covariates().iter().map(|name| format!("`{name}`")).collect();
        let adjusted = Note::new(NoteKind::Adjusted, format!("features are adjusted for {}", quoted.join(", ")));
        let left_out = Note::counting(NoteKind::CategoriesSetAside, text, categories);
        std::iter::once(adjusted).chain(left_out).collect()
    }

    /// The reason why it cannot be used, if its parts do not fit together.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let width: usize = self.covariates.iter().map(CovariateCoding::width).sum();
        let finite = |numbers: &Vec<f64>| numbers.iter().all(|x| x.is_finite());
        let fits = self.centres.len() == width
            && finite(&self.centres)
            && self.coefficients.len() == self.features.len()
            && self.coefficients.iter().all(|own| own.len() == width && finite(own))
            && first_repeated(&self.features).is_none();
        (!fits).then_some("its covariates do not match")
    }
}

/// A design in which covariates and target have changed places: coefficients are those of the covariates.
struct Swapped<'a> {
    samples: &'a Samples,
    /// Columns before those of covariates.
    own: usize,
    /// For features without missing values.
    complete: Fit,
}

/// The columns that are told apart, and the projection on them.
type Fit = Option<(Vec<usize>, Adjustment)>;

impl<'a> Swapped<'a> {
    fn new(design: &'a Design, own: usize) -> Self {
        let all = 0..design.samples.covariates.len();
        let used = all.skip(own).filter(|at| !design.complete.dependent.contains(at)).collect();
        Swapped { samples: &design.samples, own, complete: fit(&design.samples, own, used) }
    }

    /// The coefficients of a numeric feature on its own rows; 0 for columns that these do not tell apart.
    fn coefficients(&self, data: &View, feature: usize) -> Vec<f64> {
        let mut found = vec![0.0; self.samples.covariates.len() - self.own];
        let (Some(numbers), Some((used, _))) = (data.numbers(feature), &self.complete) else { return found };
        let mut values: Vec<f64> = data.rows().iter().map(|&row| numbers[row as usize]).collect();
        let present: Vec<usize> = (0..values.len()).filter(|&at| !values[at].is_nan()).collect();
        let mut of_own_rows = None;
        if present.len() < values.len() {
            values = present.iter().map(|&at| values[at]).collect();
            of_own_rows = Some(fit(&self.samples.only(&present), self.own, used.clone()));
        }
        let Some((used, adjustment)) = of_own_rows.as_ref().unwrap_or(&self.complete) else { return found };
        adjustment.centre(&mut values);
        let shares: Vec<f64> = adjustment.target_directions().map(|direction| dot(direction, &values)).collect();
        for (at, coefficient) in used.iter().zip(adjustment.coefficients(&shares)) {
            found[at - self.own] = coefficient;
        }
        found
    }
}

/// The projection on these columns of covariates, off everything else; columns that cannot be told apart are dropped from
/// the end.
fn fit(samples: &Samples, own: usize, mut used: Vec<usize>) -> Fit {
    while !used.is_empty() {
        let covariates = samples.target.iter().chain(&samples.covariates[..own]).cloned().collect();
        let target = used.iter().map(|&at| samples.covariates[at].clone()).collect();
        if let Ok(adjustment) = Adjustment::new(&Samples { covariates, target, ..samples.clone() }) {
            return Some((used, adjustment));
        }
        used.pop();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Categories, Covariate, Target};

    /// Two features that depend on a number and on a factor: x = 2·age + 3·(site b) + class.
    fn table() -> Table {
        let ages = [1.0, 4.0, 2.0, 7.0, 5.0, 3.0, 6.0, 2.0];
        let sites = ["a", "b", "a", "b", "b", "a", "a", "b"];
        let classes = ["u", "v", "u", "v", "u", "v", "u", "v"];
        let exact = |row: usize| {
            let site = f64::from(u8::from(sites[row] == "b"));
            2.0 * ages[row] + 3.0 * site + f64::from(u8::from(classes[row] == "v"))
        };
        let first: Vec<f64> = (0..8).map(exact).collect();
        let mut second = first.clone();
        second[3] = f64::NAN;
        let target = Target::classes(&classes.map(Some));
        let covariates = vec![
            Covariate { name: "age".into(), values: Column::Numbers(ages.to_vec()) },
            Covariate { name: "site".into(), values: Column::Categories(Categories::of(sites.map(Some))) },
        ];
        let table = Table::new(vec!["x".into(), "gap".into()], vec![first, second], "y", target).expect("a table");
        table.with_covariates(covariates).expect("covariates")
    }

    #[test]
    fn an_exact_dependence_is_taken_away_and_the_classes_stay() {
        let table = table();
        let remover = CovariateRemover::learn(&table.view()).expect("learned").expect("covariates");
        let adjusted = remover.apply(&table.view()).expect("applied");
        assert!(adjusted.view().covariates().is_empty());
        for column in adjusted.columns() {
            let x = column.numbers().expect("numbers");
            for row in [0, 2, 4, 6] {
                assert!((x[row] - x[0]).abs() < 1e-12, "{x:?}");
            }
            assert!((x[1] - x[0] - 1.0).abs() < 1e-12 && (x[7] - x[1]).abs() < 1e-12, "{x:?}");
        }
        assert!(adjusted.columns()[1].is_missing(3));
    }

    #[test]
    fn a_level_that_was_not_learned_is_refused_with_its_row() {
        let table = table();
        let some = View::of_rows(&table, &[0, 2, 5, 6]).expect("rows of site a");
        let error = CovariateRemover::learn(&some).expect("learned").expect("covariates").apply(&table.view());
        let error = error.expect_err("site b is new").to_string();
        assert!(error.contains("row 2") && error.contains("`b`"), "{error}");
    }
}
