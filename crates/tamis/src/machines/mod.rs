//! Vector machines: kernels with a weight per feature, and the posterior around them.
//!
//! [`one_vs_rest`](self) standardises the rows and tells every class from the others; a run per start (`solver` has its
//! loop, `laplace` and `em` the algorithms, over `active_set`, `jacobian`, `log_posterior`, `newton`) is one of many at a
//! time (`run_many`) and ends as a [`Machine`]. A method is a file of its own: `pfcvm_lp`, `pfcvm_em`, `pcvm`, `jcfo`,
//! `rvm`, and `ard`, whose kernel is the features themselves. `kernel_weights` says from
//! rows that are `held_out` how much each kernel counts, `refit` fits Gaussian processes.

mod active_set;
mod ard;
mod basis_parameters;
mod block;
mod classifier;
mod derivative;
mod em;
#[cfg(test)]
mod fixtures;
mod generalisation;
mod held_out;
mod hessian;
mod jacobian;
mod jcfo;
mod kernel;
mod kernel_weights;
mod laplace;
mod log_posterior;
mod machine;
mod newton;
mod one_vs_rest;
mod pcvm;
mod pfcvm_em;
mod pfcvm_lp;
mod pfcvm_lp_training;
mod refit;
mod rounded_block;
mod run_many;
mod rvm;
mod screen;
mod solver;
mod training_run;

pub use ard::Ard;
pub use basis_parameters::BasisParameters;
pub use classifier::Machines;
pub use jcfo::Jcfo;
pub use kernel::{Kernel, KernelShape};
pub use machine::{Link, Machine};
pub use pcvm::Pcvm;
pub use pfcvm_em::PfcvmEm;
pub use pfcvm_lp::{PfcvmLp, TruncationKind};
pub use refit::Refit;
pub use rvm::Rvm;
