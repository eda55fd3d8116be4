//! Every method and every fitted model by name.

mod fitted_classifier;
mod method;
mod method_pages;
mod method_selects;
mod method_settings;
mod needed_beside;
mod pipeline;
mod preparation;
mod second_look;
mod trained_model;

pub use fitted_classifier::FittedClassifier;
pub use method::Method;
pub use pipeline::{Pipeline, TrainedPipeline, Tune};
pub(crate) use preparation::no_groups;
pub use preparation::{Beside, LearnedPreparation, Preparation, PreparedRows, PreparedTable};
pub use trained_model::{Model, Predictions};
