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
//! All of them learn from the rows of a [`View`](crate::View) only, find their columns by name in the table they are applied to, and
//! give every row a probability for each class. A class without rows in training has probability 0; a table in which
//! nothing varies gives each class its share of the training rows.

pub mod cart;
pub mod dlda;
pub mod ensemble;
pub mod lda;
pub mod linear;
pub mod logistic;
pub mod majority;
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
pub use majority::Majority;
pub use naive_bayes::{FittedNaiveBayes, NaiveBayes};
pub use slda::{FittedSlda, Slda, cat_scores};

use crate::Method;
use crate::method::Entry;
use crate::settings::Parameter;

/// These classifiers for the catalogue.
pub fn entries() -> Vec<Entry> {
    let entry = |name, summary, cost, reference, parameters: &[Parameter], default| Entry {
        name,
        summary,
        number_by: "",
        cost,
        reference,
        parameters: parameters.to_vec(),
        default,
    };
    const SMALLER: &str = "rows × features × the smaller of both flops";
    vec![
        entry(
            "dlda",
            "a classifier: diagonal discriminant, its class means shrunk by a prior",
            "one pass over the table",
            "Raykar & Zhao, Nonparametric prior for adaptive sparsity, AISTATS 2010, §6",
            &dlda::PARAMETERS,
            Method::Dlda(Dlda::default()),
        ),
        entry(
            "lda",
            "a classifier: linear discriminant, its covariance shrunk where it is singular",
            SMALLER,
            "Fisher 1936; Ledoit & Wolf, A well-conditioned estimator for large-dimensional covariance matrices, 2004",
            &lda::PARAMETERS,
            Method::Lda(Lda::default()),
        ),
        entry(
            "slda",
            "a classifier: linear discriminant with shrunken correlations",
            SMALLER,
            "Ahdesmäki & Strimmer, Feature selection in omics prediction problems using cat scores, AOAS 2010",
            &slda::PARAMETERS,
            Method::Slda(Slda::default()),
        ),
        entry(
            "logistic",
            "a classifier: logistic regression, its ridge chosen by the evidence",
            "some ten times rows × features × the smaller of both flops",
            "MacKay, The evidence framework applied to classification networks, 1992",
            &logistic::PARAMETERS,
            Method::Logistic(Logistic::default()),
        ),
        entry(
            "naive-bayes",
            "a classifier: independent normals and categories",
            "one pass over the table",
            "",
            &naive_bayes::PARAMETERS,
            Method::NaiveBayes(NaiveBayes::default()),
        ),
        entry(
            "cart",
            "a classifier: a tree, cut back by cross-validation",
            "rows × features × depth, once for the tree and once a fold",
            "Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984",
            &cart::PARAMETERS,
            Method::Cart(Cart::default()),
        ),
        entry(
            "ensemble",
            "a classifier: the sum of dlda, slda and logistic",
            "their sum",
            "",
            &ensemble::PARAMETERS,
            Method::Ensemble(Ensemble::default()),
        ),
    ]
}
