//! Fitted classifiers of every kind.

use crate::base::Result;
use crate::classify::{
    FittedCart, FittedDlda, FittedEnsemble, FittedLda, FittedLogistic, FittedNaiveBayes, FittedSlda,
};
use crate::machines::Machines;
use crate::model::{Fitted, Majority};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// Makes [`FittedClassifier`] from rows `Variant(Type)`, or `Variant(Type, Box)` for a large type in a box.
macro_rules! fitted {
    ($( $(#[$doc:meta])* $variant:ident($type:ty $(, $pointer:ident)?), )+) => {
        /// A fitted classifier of any kind.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum FittedClassifier {
            $( $(#[$doc])* $variant(fitted!(@stored $type $(, $pointer)?)), )+
        }

        $( impl From<$type> for FittedClassifier {
            fn from(fitted: $type) -> Self {
                FittedClassifier::$variant(fitted.into())
            }
        } )+

        impl FittedClassifier {
            fn as_fitted(&self) -> &dyn Fitted {
                match self {
                    $( FittedClassifier::$variant(fitted) => {
                        let fitted: &$type = fitted; // out of its box, where it has one
                        fitted
                    } )+
                }
            }
        }
    };
    (@stored $type:ty) => { $type };
    (@stored $type:ty, $pointer:ident) => { $pointer<$type> };
}

fitted! {
    /// Vector machines.
    Machines(Machines),
    /// Diagonal discriminant.
    Dlda(FittedDlda),
    /// Linear discriminant.
    Lda(FittedLda),
    /// Linear discriminant with shrunken correlations.
    Slda(FittedSlda),
    /// Logistic regression.
    Logistic(FittedLogistic),
    /// Naive Bayes: features are independent within a class.
    NaiveBayes(FittedNaiveBayes),
    /// A tree.
    Cart(FittedCart),
    /// A sum of classifiers.
    Ensemble(FittedEnsemble, Box),
    /// The classes' shares, where no feature was selected.
    Majority(Majority),
}

impl Fitted for FittedClassifier {
    fn column_names(&self) -> Vec<&str> {
        self.as_fitted().column_names()
    }

    fn features(&self) -> Vec<&str> {
        self.as_fitted().features()
    }

    fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        self.as_fitted().probabilities(data)
    }

    fn fault(&self, classes: usize) -> Option<&'static str> {
        self.as_fitted().fault(classes)
    }
}
