//! The base of the test: the selector that is run on every bootstrap.

use super::Npfs;
use crate::base::{Auto, Context, Error, OptionName};
use crate::filter::{FTest, Fisher, L21, TTest, TraceRatio};
use crate::information::{Criterion, Form};
use crate::machines::Ard;
use crate::score::{self, Scale, Statistic};
use crate::selection::Selector;
use crate::sparse_means::{Snbl, SparseMeans};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// The selector that is run on every bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Base {
    /// Joint mutual information, as in the paper.
    #[default]
    Jmi,
    /// Relevance less redundancy.
    Mrmr,
    /// Mutual information.
    Mim,
    /// Conditional mutual information.
    Cmim,
    /// Symmetrical relevance.
    Disr,
    /// The least joint mutual information.
    Jmim,
    /// Fisher's score.
    Fisher,
    /// The trace ratio.
    TraceRatio,
    /// L2,1 regression.
    L21,
    /// Welch's or Pearson's t.
    T,
    /// Analysis of variance.
    F,
    /// Empirical Bayes, which chooses its own number.
    Snbl,
    /// Logistic regression that prunes features and so chooses its own number.
    Ard,
    /// A selector from elsewhere, known by its matrix of runs ([`decide_matrix`](super::decide_matrix)).
    Matrix,
}

impl Base {
    /// Whether it chooses its own number of features.
    pub(super) fn chooses_number(self) -> bool {
        matches!(self, Base::Snbl | Base::Ard)
    }

    pub(super) fn criterion(self, form: Form) -> Option<Criterion> {
        Some(match self {
            Base::Jmi => Criterion::Jmi,
            Base::Mrmr => form.criterion(),
            Base::Mim => Criterion::Mim,
            Base::Cmim => Criterion::Cmim,
            Base::Disr => Criterion::Disr,
            Base::Jmim => Criterion::Jmim,
            _ => return None,
        })
    }
}

impl Npfs {
    /// The share of the target that each feature explains by itself, 0…1: of its variance, for most bases.
    pub(super) fn explained(&self, base: &(dyn Selector + Sync), data: &View) -> Vec<f64> {
        let nothing = || vec![0.0; data.names().len()];
        let context = &mut Context::default();
        let found = match self.base {
            Base::F => score::compute(data, Statistic::F, Scale::Z, context),
            Base::T => score::each_by_itself(data, context),
            Base::Snbl | Base::Ard => score::compute(data, Statistic::Auto, Scale::Z, context),
            _ => {
                let found = base.select(data, &mut Context::default());
                return found.map_or_else(|_| nothing(), |s| s.scores.iter().map(|s| s / (1.0 + s)).collect());
            }
        };
        match found {
            Ok(scores) => (0..scores.z().len()).map(|i| scores.explained(i, data.rows().len())).collect(),
            Err(_) => nothing(),
        }
    }

    /// The base as a method of its own.
    pub(super) fn base_selector(&self, k: Auto<usize>) -> Box<dyn Selector + Sync> {
        match self.base {
            Base::Fisher => Box::new(Fisher { k }),
            Base::TraceRatio => Box::new(TraceRatio { k }),
            Base::L21 => Box::new(L21 { k, ..L21::default() }),
            Base::T => Box::new(TTest { k }),
            Base::F => Box::new(FTest { k }),
            Base::Ard => Box::new(Ard::default()),
            _ => {
                // bootstraps show how features are correlated by themselves
                let means = SparseMeans { permutations: Auto::Set(0), ..SparseMeans::default() };
                Box::new(Snbl { means, ..Snbl::default() })
            }
        }
    }
}

/// An error of the base in terms of the parameter that names it.
pub(super) fn about_base(error: Error) -> Error {
    let rename = |name| if name == OptionName::Method { "base".into() } else { name };
    match error {
        Error::Method { method, problem, remedy } => {
            Error::Method { method, problem: problem.renamed(rename), remedy: remedy.renamed(rename) }
        }
        other => other,
    }
}
