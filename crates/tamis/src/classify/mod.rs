//! Classifiers trained on selected features.
//!
//! | name | model | numbers | categories | weights | cost of training |
//! | --- | --- | --- | --- | --- | --- |
//! | [`Dlda`] | independent normals of common variance, centroids shrunk by a prior | yes | no | yes | rows × features |
//! | [`Lda`] | normals of common covariance | yes | no | no | rows × features × the smaller of both |
//! | [`Slda`] | normals of common covariance with shrunken correlations | yes | no | no | rows × features × the smaller of both |
//! | [`Logistic`] | logistic regression, its ridge chosen by evidence | yes | no | no | the same, some ten times |
//! | [`NaiveBayes`] | independent normals and categories | yes | yes | yes | rows × features |
//! | [`Cart`] | a tree, pruned by cross-validation | yes | yes | yes | rows × features × depth, eleven times |
//! | [`Ensemble`] | the sum of dlda, slda and logistic | yes | no | no | their sum |
//!
//! All of them learn from the rows of a [`View`](crate::table::View) only, find their columns by name in the table they are applied to, and
//! give every row a probability for each class. A class without rows in training has probability 0; a table in which
//! nothing varies gives each class its share of the training rows.

/// [`Fitted`](crate::model::Fitted) for a classifier whose field `linear` predicts.
macro_rules! predicts_by_linear {
    ($fitted:ty) => {
        impl $crate::model::Fitted for $fitted {
            fn column_names(&self) -> Vec<&str> {
                self.linear.column_names()
            }

            fn probabilities(&self, data: &$crate::table::View) -> $crate::base::Result<Vec<Vec<f64>>> {
                self.linear.probabilities(data)
            }

            fn fault(&self, classes: usize) -> Option<&'static str> {
                self.linear.fault(classes)
            }
        }
    };
}
use predicts_by_linear;

/// [`Classifier`](crate::model::Classifier) for a method whose `train` returns its fitted form and has nothing more to say.
macro_rules! classifier {
    ($method:ty, $fitted:ty) => {
        impl $crate::model::Classifier for $method {
            type Fitted = $fitted;

            fn fit(
                &self,
                data: &$crate::table::View,
                context: &mut $crate::base::Context,
            ) -> $crate::base::Result<$crate::model::Training<$fitted>> {
                Ok(self.train(data, context)?.into())
            }
        }
    };
}

mod best_split;
mod cart;
mod dlda;
mod lda;
mod linear_ensemble;
mod logistic;
mod naive_bayes;
mod slda;
mod sorted_columns;

mod grow;
mod prune;

pub use cart::{Cart, FittedCart, Prune, Rule};
pub use dlda::{Dlda, FittedDlda, Shrinkage};
pub use lda::{FittedLda, Lda};
pub use linear_ensemble::{Ensemble, FittedEnsemble};
pub use logistic::{FittedLogistic, Logistic};
pub use naive_bayes::{FittedNaiveBayes, NaiveBayes};
pub use slda::{FittedSlda, Slda};
