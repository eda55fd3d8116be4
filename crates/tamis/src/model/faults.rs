//! What can be wrong with a model that was read from a file.

/// Arrays that belong together have other lengths.
pub(crate) const SIZES_DIFFER: &str = "its parts differ in size";
/// A number cannot be used.
pub(crate) const NOT_FINITE: &str = "it has a number that is not finite, or a spread that is not positive";
/// A position is beyond the features.
pub(crate) const UNNAMED_FEATURE: &str = "it uses a feature that it does not name";
