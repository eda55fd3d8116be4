//! The arithmetic every method stands on: special functions, small dense linear algebra,
//! reproducible random numbers.

pub(crate) mod factored_hessian;
pub(crate) mod logistic;
pub(crate) mod logistic_line;
pub(crate) mod lowess;
pub(crate) mod measure_checks;
pub(crate) mod multiple_testing;
pub(crate) mod order_statistics;
pub mod random;
pub(crate) mod roc;
pub(crate) mod scratch_pool;
pub mod special;
pub(crate) mod ties;

pub(crate) use tamis_linalg as linalg;
