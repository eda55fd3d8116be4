//! Linear models by formula: what features are regressed on, and what is tested of it.
//!
//! `~ group * time + batch` is R's notation. Every variable is a column of the study: the target or a covariate. The test
//! is a term (`group:time`, by F), a coefficient (`timelate`), or a contrast of coefficients or levels (`late - early`).
//!
//! | file | holds |
//! | --- | --- |
//! | `parse.rs` | a formula as terms, each a set of variables |
//! | `request.rs` | a formula with its test |
//! | `natural_spline.rs` | the columns of `ns(x, df)` |
//! | `matrix.rs` | the columns of all terms over the rows of a view |
//! | `test.rs` | what a test asks of them: a term's columns or a contrast |
//! | `coded.rs` | the study in which the test is the target and everything else is adjusted for |

mod coded;
mod coded_test;
mod matrix;
mod natural_spline;
mod parse;
mod request;
mod test;

pub(crate) use coded_test::CodedTest;
pub use parse::Formula;
pub use request::Model;

use crate::base::{Error, OptionName, Result, text};
use crate::table::{Study, Target, View};
use matrix::ModelMatrix;

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
