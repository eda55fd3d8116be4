//! Every method and every fitted model by name.

mod fitted;
mod method;
mod method_selects;
mod pipeline;
mod trained_model;

pub use fitted::FittedClassifier;
pub use method::Method;
pub use pipeline::{Pipeline, TrainedPipeline, Tune};
pub use trained_model::{Model, Predictions};
