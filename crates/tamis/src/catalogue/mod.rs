//! Every method and every fitted model by name.

mod fitted_classifier;
mod method;
mod method_pages;
mod method_selects;
mod pipeline;
mod prepared_table;
mod second_look;
mod trained_model;

pub use fitted_classifier::FittedClassifier;
pub use method::Method;
pub use pipeline::{Pipeline, TrainedPipeline, Tune};
pub use prepared_table::PreparedTable;
pub use trained_model::{Model, Predictions};
