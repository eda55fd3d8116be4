//! The arithmetic every method stands on: special functions, small dense linear algebra,
//! reproducible random numbers.

pub mod linalg;
pub mod random;
pub mod special;
