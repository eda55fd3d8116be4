//! Linear models by formula: what features are regressed on, and what is tested of it.
//!
//! `~ group * time + batch` is R's notation. Every variable is a column of the study: the target or a covariate. The test
//! is a term (`group:time`, by F), a coefficient (`timelate`), or a contrast of coefficients or levels (`late - early`).
//!
//! | file | holds |
//! | --- | --- |
//! | `parse.rs` | a formula as terms, each a set of variables |
//! | `natural_spline.rs` | the columns of `ns(x, df)` |
//! | `matrix.rs` | the columns of all terms over the rows of a view |
//! | `test.rs` | what a test asks of them: a term's columns or a contrast |
//! | `coded.rs` | the study in which the test is the target and everything else is adjusted for |

mod coded;
mod matrix;
mod natural_spline;
mod parse;
mod test;

pub(crate) use coded::CodedTest;
pub use parse::Formula;

use crate::base::{Error, OptionName, Result, text};
use crate::table::{Study, Target, View};
use matrix::ModelMatrix;

/// A formula and what is tested of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The formula.
    pub formula: Formula,
    /// What is tested, as the user wrote it.
    pub test: String,
}

impl Model {
    /// A model from a formula and a test; a formula of one term needs none.
    ///
    /// ```
    /// use tamis::table::Model;
    ///
    /// let model = Model::new("~ group * time + batch", Some("group:time"))?;
    /// assert_eq!(model.formula.variables(), ["group", "time", "batch"]);
    /// assert_eq!(model.target(), "group");
    /// # Ok::<(), tamis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A formula that cannot be understood, and no test where there are several terms.
    pub fn new(formula: &str, test: Option<&str>) -> Result<Model> {
        let formula = Formula::parse(formula)?;
        let terms = formula.term_names();
        let test = match (test.map(str::trim).filter(|test| !test.is_empty()), &terms[..]) {
            (Some(test), _) => test.to_string(),
            (None, [one]) => one.clone(),
            (None, terms) => {
                let quoted: Vec<String> = terms.iter().map(|term| format!("`{term}`")).collect();
                let expected = text![
                    format!("it has {} terms: {}; name the one to test with ", terms.len(), quoted.join(", ")),
                    OptionName::Test
                ];
                return Err(Error::parameter(OptionName::Formula, formula.text(), expected));
            }
        };
        Ok(Model { formula, test })
    }

    /// The variable that stands for the target where one is needed: the first of the test.
    pub fn target(&self) -> &str {
        let variables = self.formula.variables();
        let mut begins = variables.iter().filter(|name| self.test.starts_with(**name)).collect::<Vec<_>>();
        begins.sort_by_key(|name| std::cmp::Reverse(name.len()));
        begins.first().or(variables.iter().collect::<Vec<_>>().first()).map_or("", |name| name)
    }

    /// The other variables.
    pub fn covariates(&self) -> Vec<&str> {
        let target = self.target();
        self.formula.variables().into_iter().filter(|name| *name != target).collect()
    }
}

impl Study {
    /// The study with a model; its variables are the target and the covariates.
    ///
    /// # Errors
    ///
    /// Variables that the study does not have, survival times, and a comparison of classes beside it.
    pub fn with_model(mut self, model: Model) -> Result<Study> {
        let known: Vec<&str> =
            std::iter::once(self.target_name()).chain(self.covariates().iter().map(|c| c.name.as_str())).collect();
        if let Some(name) = model.formula.variables().into_iter().find(|name| !known.contains(name)) {
            return Err(Error::Unknown {
                kind: "variable",
                name: name.into(),
                known: known.into_iter().map(Into::into).collect(),
            });
        }
        if let Target::Survival { .. } = self.target() {
            let expected = text!["survival times have no linear model; leave out ", OptionName::Event];
            return Err(Error::parameter(OptionName::Formula, model.formula.text(), expected));
        }
        if self.comparison().contrast.is_some() {
            let expected = text!["it has tests of its own; pass them with ", OptionName::Test];
            return Err(Error::parameter(OptionName::Contrast, "…", expected));
        }
        self.model = Some(model);
        Ok(self)
    }
}

impl View<'_> {
    /// The columns of the view's model over its rows, if it has one.
    pub(crate) fn model_columns(&self) -> Result<Option<Vec<Vec<f64>>>> {
        self.model().map(|model| ModelMatrix::of(model, self).map(|matrix| matrix.columns)).transpose()
    }
}

#[cfg(test)]
mod tests;
