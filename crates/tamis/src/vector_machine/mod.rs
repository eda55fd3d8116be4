//! Vector machines: kernels with a weight per feature, and the posterior around them.
//!
//! `standardise` → `several` (every class against the others) → a run per start (`laplace` or `em`, over `left`,
//! `effect`, `curvature`, `point`, `newton`), many at a time (`slate`) → `machine` → `machines`. A method is a file of its own:
//! `pfcvm_lp`, `pfcvm_em` (with `pcvm`), `jcfo`, `rvm`.

pub mod jcfo;
pub mod kernel;
pub mod machine;
pub mod machines;
pub mod peel;
pub mod pfcvm_em;
pub mod pfcvm_lp;
pub mod rvm;
pub mod standardise;

pub(crate) mod curvature;
mod effect;
mod em;
#[cfg(test)]
mod fixtures;
mod generalisation;
mod laplace;
mod left;
mod newton;
pub(crate) mod point;
mod several;
mod slate;

pub use generalisation::Generalisation;
pub use jcfo::Jcfo;
pub use kernel::{Kernel, Shape};
pub use machine::{Link, Machine};
pub use machines::Machines;
pub use pfcvm_em::{Pcvm, PfcvmEm};
pub use pfcvm_lp::PfcvmLp;
pub use rvm::Rvm;
pub use several::{ClassPredictions, MachineDetail};
pub use standardise::Standardise;

pub(crate) use several::{Learner, both};
