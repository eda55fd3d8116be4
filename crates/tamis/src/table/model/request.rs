//! A formula and what is asked of it.

use super::parse::Formula;
use crate::base::{Error, OptionName, Result, text};

/// A formula and what is tested of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The formula.
    pub formula: Formula,
    /// What is tested, as the user wrote it.
    pub test: String,
    /// Whether the target's classes are levels even where their names are numbers.
    pub(super) of_levels: bool,
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
        Ok(Model { formula, test, of_levels: false })
    }

    /// The model with a target whose classes are levels of a factor, even if they are called 1, 2 and 3.
    pub fn of_levels(self) -> Model {
        Model { of_levels: true, ..self }
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
