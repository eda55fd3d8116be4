//! Type-II maximum likelihood over the precisions of samples and features by Laplace approximation: PFCVM-LP
//! (Jiang, Li, de Rijke, Yao & Chen 2019) with the corrections of its errata and, with features fixed and weights of
//! either sign, the relevance vector machine (Tipping 2001).
//!
//! `solver` has an iteration, `fitted_weights` the posterior around the weights it ends with, `options` the settings.

mod fitted_weights;
mod options;
mod solver;

pub(super) use fitted_weights::FittedWeights;
pub(super) use options::{LaplaceOptions, Truncation};
pub(super) use solver::LaplaceSolver;
