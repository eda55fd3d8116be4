//! Methods made of other methods.

mod auc_curve;
mod peel;

pub use auc_curve::{AucCurve, auc_curve};
pub use peel::{Peel, PeelBase};
