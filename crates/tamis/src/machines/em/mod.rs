//! PFCVM by expectation–maximisation (Li & Chen 2014) with the corrections of its errata; PCVM (Chen, Tino & Yao
//! 2009), which is the same with the features' weights fixed; and JCFO (Krishnapuram et al. 2004), which is the same with
//! Laplace's priors and weights of either sign.
//!
//! The sign of a row is that of a latent H ~ N(f, 1). Given H̄, its mean, f is a regression with precisions that the
//! weights' own sizes give them, in turns: w with b as it was, then b, then θ. `steps` has the expectation and the
//! regressions, `solver` an iteration, `options` the settings and the parameters of the methods.

mod options;
mod solver;
mod steps;

#[cfg(test)]
mod laplace_prior_tests;

pub(super) use options::{COST, EmOptions, WeightPrior};
pub(super) use solver::EmSolver;
