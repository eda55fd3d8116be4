//! The columns of a model over the rows of a view.

use super::natural_spline::natural_spline;
use super::parse::Variable;
use super::request::Model;
use crate::base::{Error, Place, Result};
use crate::numeric::linalg::dot;
use crate::table::{Categories, Column, Target, View};

/// A column of which less than this share of its length is left, once others are taken out, depends on them.
pub(super) const DEPENDENT: f64 = 1e-7;

/// A model's columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModelMatrix {
    /// The coefficients' names.
    pub(super) names: Vec<String>,
    /// The term of each column, counted from 1; 0 for the intercept.
    pub(super) terms: Vec<usize>,
    /// One number per row of the view.
    pub(super) columns: Vec<Vec<f64>>,
    /// The levels of factors that enter by themselves: of each the variable's name, its term, and its levels with the
    /// column of each, none for the reference.
    pub(super) levels: Vec<FactorLevels>,
    /// Where the intercept is among the columns.
    pub(super) intercept: bool,
}

/// The levels of a factor and their columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FactorLevels {
    pub(super) levels: Vec<(String, Option<usize>)>,
}

/// A variable over the rows.
enum Values {
    Numbers(Vec<(String, Vec<f64>)>),
    Levels(Vec<(String, Vec<f64>)>),
}

impl ModelMatrix {
    /// Codes the variables over the view's rows, all of which have them.
    ///
    /// # Errors
    ///
    /// Splines of text, or of a variable with too few different numbers.
    pub(super) fn of(model: &Model, data: &View) -> Result<ModelMatrix> {
        let formula = &model.formula;
        let values: Vec<Values> =
            formula.variables.iter().map(|variable| values(variable, data)).collect::<Result<_>>()?;
        let n = data.rows().len();
        let mut matrix =
            ModelMatrix { names: vec![], terms: vec![], columns: vec![], levels: vec![], intercept: formula.intercept };
        if formula.intercept {
            matrix.push("(Intercept)".into(), 0, vec![1.0; n]);
        }
        let mut first_is_full = !formula.intercept;
        for (at, term) in formula.terms.iter().enumerate() {
            let mut parts: Vec<Vec<&(String, Vec<f64>)>> = vec![];
            let mut own_levels = None;
            for variable in term {
                parts.push(match &values[*variable] {
                    Values::Numbers(columns) => columns.iter().collect(),
                    Values::Levels(levels) => {
                        let others: Vec<usize> = term.iter().copied().filter(|other| other != variable).collect();
                        let is_alone = others.is_empty();
                        let mut full = !is_alone && !formula.terms.contains(&others);
                        full |= std::mem::take(&mut first_is_full);
                        own_levels = is_alone.then_some((levels, full));
                        levels.iter().skip(usize::from(!full)).collect()
                    }
                });
            }
            let start = matrix.columns.len();
            matrix.push_products(at + 1, &parts, n);
            if let Some((levels, full)) = own_levels {
                let column = |i: usize| if full { Some(start + i) } else { i.checked_sub(1).map(|i| start + i) };
                let label = |name: &str| name[formula.variables[term[0]].column.len()..].to_string();
                let levels = levels.iter().enumerate().map(|(i, (name, _))| (label(name), column(i))).collect();
                matrix.levels.push(FactorLevels { levels });
            }
        }
        Ok(matrix)
    }

    fn push(&mut self, name: String, term: usize, column: Vec<f64>) {
        self.names.push(name);
        self.terms.push(term);
        self.columns.push(column);
    }

    /// The products of one column of each part, the first part running fastest.
    fn push_products(&mut self, term: usize, parts: &[Vec<&(String, Vec<f64>)>], rows: usize) {
        let total: usize = parts.iter().map(Vec::len).product();
        for mut number in 0..total {
            let (mut name, mut column) = (vec![], vec![1.0; rows]);
            for part in parts {
                let (label, values) = part[number % part.len()];
                number /= part.len();
                name.push(label.as_str());
                column.iter_mut().zip(values).for_each(|(product, value)| *product *= value);
            }
            self.push(name.join(":"), term, column);
        }
    }

    /// The columns that do not depend on earlier ones.
    pub(super) fn kept(&self) -> Vec<usize> {
        independent(&self.columns)
    }
}

/// The positions of columns that do not depend on earlier ones.
pub(super) fn independent(columns: &[Vec<f64>]) -> Vec<usize> {
    let mut basis: Vec<Vec<f64>> = vec![];
    let mut kept = vec![];
    for (at, column) in columns.iter().enumerate() {
        let left = remainder(column, &basis);
        let (length, whole) = (dot(&left, &left).sqrt(), dot(column, column).sqrt());
        if whole > 0.0 && length >= DEPENDENT * whole && basis.len() < column.len() {
            basis.push(left.iter().map(|x| x / length).collect());
            kept.push(at);
        }
    }
    kept
}

/// What orthonormal directions leave of a column.
fn remainder(column: &[f64], basis: &[Vec<f64>]) -> Vec<f64> {
    let mut left = column.to_vec();
    // twice is enough (Kahan)
    for _ in 0..2 {
        for direction in basis {
            let share = dot(direction, &left);
            left.iter_mut().zip(direction).for_each(|(x, d)| *x -= share * d);
        }
    }
    left
}

/// A variable as columns: the number, its splines, or an indicator of every level.
fn values(variable: &Variable, data: &View) -> Result<Values> {
    let (name, rows) = (&variable.column, data.rows());
    let place = || Place::default().at_column(name);
    let (numbers, labels) = variable_of(name, data);
    let Some(numbers) = numbers else {
        if variable.spline.is_some() {
            return Err(Error::data(place(), "splines need numbers, and the column is text", "leave `ns` out"));
        }
        let mut levels: Vec<&str> = labels.iter().map(String::as_str).collect();
        levels.sort_unstable();
        levels.dedup();
        let is = |level: &str| labels.iter().map(|label| f64::from(u8::from(label == level))).collect();
        return Ok(Values::Levels(levels.into_iter().map(|level| (format!("{name}{level}"), is(level))).collect()));
    };
    let numbers: Vec<f64> = rows.iter().map(|&row| numbers[row as usize]).collect();
    let Some(df) = variable.spline else { return Ok(Values::Numbers(vec![(name.clone(), numbers)])) };
    let columns = natural_spline(&numbers, df).ok_or_else(|| {
        let constant = numbers.iter().all(|x| *x == numbers[0]);
        let what = if constant { "is constant" } else { "has too few different values" };
        let problem = format!("the column {what} for splines with {df} degrees of freedom");
        Error::data(place(), problem, "pass fewer degrees of freedom, or leave the term out of the formula")
    })?;
    let label = variable.label();
    Ok(Values::Numbers((1..).map(|i| format!("{label}{i}")).zip(columns).collect()))
}

/// A variable of the study: numbers over all rows of the table, or the label of every row of the view.
fn variable_of(name: &str, data: &View) -> (Option<Vec<f64>>, Vec<String>) {
    let of_categories = |categories: &Categories| {
        (None, data.rows().iter().map(|&row| categories.get(row as usize).unwrap_or_default().to_string()).collect())
    };
    if name != data.target_name() {
        let covariate = data.covariates().iter().find(|covariate| covariate.name == name);
        return match covariate.map(|covariate| &covariate.values) {
            Some(Column::Numbers(numbers)) => (Some(numbers.clone()), vec![]),
            Some(Column::Categories(categories)) => of_categories(categories),
            None => (Some(vec![]), vec![]),
        };
    }
    match data.target() {
        Target::Real { values } | Target::Survival { times: values, .. } => (Some(values.clone()), vec![]),
        Target::Classes { codes, labels, .. } => {
            // numbers that were read as classes, because there are few of them, are numbers here
            let of_levels = data.model().is_some_and(|model| model.of_levels);
            match labels.iter().map(|label| label.parse::<f64>().ok()).collect::<Option<Vec<f64>>>() {
                Some(numbers) if !of_levels => (
                    Some(codes.iter().map(|&code| numbers.get(code as usize).copied().unwrap_or(f64::NAN)).collect()),
                    vec![],
                ),
                _ => (None, data.rows().iter().map(|&row| labels[codes[row as usize] as usize].clone()).collect()),
            }
        }
    }
}
