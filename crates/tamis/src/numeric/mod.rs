//! The arithmetic every method stands on: special functions, small dense linear algebra,
//! reproducible random numbers.

pub mod random;
pub mod special;

pub use tamis_linalg as linalg;

pub(crate) mod pool;
