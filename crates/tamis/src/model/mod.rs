//! Fitted classifiers: the traits they share, and the parts they are made of.

mod calibrator;
pub(crate) mod faults;
pub(crate) mod training_classes;

pub(crate) mod linear;
pub(crate) mod majority;
pub(crate) mod model_columns;
pub(crate) mod standardise;
pub(crate) mod standardised_matrix;

pub use calibrator::{Calibrate, Calibrator, ProbabilityMap};
pub use linear::Linear;
pub use majority::Majority;
pub use standardise::Standardise;

use crate::base::{Context, Note, Result};
use crate::selection::Selection;
use crate::table::View;

/// A method that classifies.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 5, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let trained = Classifier::fit(&Lda::default(), &table.view(), &mut Context::default())?;
/// assert!(trained.notes.is_empty());
/// # Ok::<(), Error>(())
/// ```
pub trait Classifier {
    /// Its fitted form.
    type Fitted: Fitted;

    /// Trains on the rows of a view, and on nothing else.
    fn fit(&self, data: &View, context: &mut Context) -> Result<Training<Self::Fitted>>;

    /// Trains and, if the classifier selects features as it learns, returns its selection too, from the same training.
    fn fit_selecting(&self, data: &View, context: &mut Context) -> Result<(Training<Self::Fitted>, Option<Selection>)> {
        Ok((self.fit(data, context)?, None))
    }
}

/// A fitted classifier, with notes on its training.
#[derive(Debug, Clone)]
pub struct Training<F> {
    /// The classifier.
    pub fitted: F,
    /// Notes on the training.
    pub notes: Vec<Note>,
}

/// A classifier that is ready to predict.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 3, relevant: 1, ..TwoGroups::default() }.draw(1)?.table;
/// let fitted = Lda::default().fit(&table.view(), &mut Context::default())?.fitted;
/// let probabilities = fitted.probabilities(&table.view())?;
/// assert!((probabilities[0][7] + probabilities[1][7] - 1.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
pub trait Fitted {
    /// The columns a table must have.
    fn column_names(&self) -> Vec<&str>;

    /// The features that predictions rest on, by name.
    fn features(&self) -> Vec<&str> {
        self.column_names()
    }

    /// For each class the probability of every row of `data`, in its order; they sum to 1 for a row.
    fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>>;

    /// The reason why it cannot be used for a target of this many classes, if there is one.
    fn fault(&self, classes: usize) -> Option<&'static str>;
}

impl<F> From<F> for Training<F> {
    fn from(fitted: F) -> Self {
        Training { fitted, notes: vec![] }
    }
}
