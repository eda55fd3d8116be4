//! Classifiers: what is left after selection is put to use, and judged by it.
//!
//! | name | model | numbers | categories | weights | cost of training |
//! | --- | --- | --- | --- | --- | --- |
//! | [`dlda`] | independent normals of common variance, centroids shrunk by a prior | yes | no | yes | rows × features |
//! | [`lda`] | normals of common covariance | yes | no | no | rows × features × the smaller of both |
//! | [`slda`] | the same, with shrunken correlations | yes | no | no | the same |
//! | [`logistic`] | logistic regression, its ridge chosen by evidence | yes | no | no | the same, some ten times |
//! | [`naive_bayes`] | independent normals and categories | yes | yes | yes | rows × features |
//! | [`cart`] | a tree, pruned by cross-validation | yes | yes | yes | rows × features × depth, eleven times |
//! | [`ensemble`] | the sum of dlda, slda and logistic | yes | no | no | their sum |
//!
//! All of them learn from the rows of a [`View`] only, find their columns by name in the table they are applied to, and
//! give every row a probability for each class. A class without rows in training has probability 0; a table in which
//! nothing varies gives each class its share of the training rows.

pub mod cart;
pub mod dlda;
pub mod ensemble;
pub mod lda;
pub mod linear;
pub mod logistic;
pub mod naive_bayes;
pub mod slda;

mod design;
mod grow;
mod prune;
mod rows;

pub use cart::{Cart, FittedCart};
pub use dlda::{Dlda, FittedDlda};
pub use ensemble::{Ensemble, FittedEnsemble};
pub use lda::{FittedLda, Lda};
pub use linear::Linear;
pub use logistic::{FittedLogistic, Logistic};
pub use naive_bayes::{FittedNaiveBayes, NaiveBayes};
pub use slda::{FittedSlda, Slda, cat_scores};

use crate::Result;
use crate::table::View;
use serde::{Deserialize, Serialize};

/// A trained classifier of any kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Fitted {
    /// Diagonal discriminant.
    Dlda(FittedDlda),
    /// Linear discriminant.
    Lda(FittedLda),
    /// Linear discriminant with shrunken correlations.
    Slda(FittedSlda),
    /// Logistic regression.
    Logistic(FittedLogistic),
    /// Naive Bayes.
    NaiveBayes(FittedNaiveBayes),
    /// A tree.
    Cart(FittedCart),
    /// A sum of classifiers.
    Ensemble(Box<FittedEnsemble>),
}

/// Calls a method of whichever it is.
macro_rules! each {
    ($fitted:expr, $it:ident => $call:expr) => {
        match $fitted {
            Fitted::Dlda($it) => $call,
            Fitted::Lda($it) => $call,
            Fitted::Slda($it) => $call,
            Fitted::Logistic($it) => $call,
            Fitted::NaiveBayes($it) => $call,
            Fitted::Cart($it) => $call,
            Fitted::Ensemble($it) => $call,
        }
    };
}

impl Fitted {
    /// The columns a table must have.
    pub fn columns(&self) -> Vec<&str> {
        each!(self, it => it.columns())
    }

    /// For each class the probability of every row of `data`, in its order; they sum to 1 for a row.
    pub fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        each!(self, it => it.probabilities(data))
    }

    /// What is wrong with it, if it cannot be used for a target of this many classes.
    pub fn fault(&self, classes: usize) -> Option<&'static str> {
        each!(self, it => it.fault(classes))
    }
}
