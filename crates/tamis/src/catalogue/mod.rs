//! Every method and every fitted model by name.

mod fitted;
mod method;
mod model;
mod pipeline;

pub use fitted::FittedClassifier;
pub use method::Method;
pub use model::{Model, Predictions};
pub use pipeline::{Pipeline, TrainedPipeline, Tune};
