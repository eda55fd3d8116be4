//! Vector machines: kernels with a weight per feature, and the posterior around them.

pub mod kernel;
pub mod machine;
pub mod pfcvm_lp;
pub mod standardise;

pub(crate) mod curvature;
mod laplace;
pub(crate) mod point;

pub use kernel::{Kernel, Shape};
pub use machine::Machine;
pub use pfcvm_lp::{MachineDetail, PfcvmLp};
pub use standardise::Standardise;
