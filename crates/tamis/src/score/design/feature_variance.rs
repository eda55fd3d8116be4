//! The variance of a feature, as priors are fitted to many.

/// A feature's own variance, its degrees of freedom, and its mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Variance {
    pub(crate) variance: f64,
    pub(crate) df: f64,
    pub(crate) mean: f64,
}
