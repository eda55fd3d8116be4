//! What the test of a model is beside a target of numbers.

/// What a coded study has beside a target of numbers and covariates.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CodedTest {
    /// Further columns of the target, a number per row of the table.
    pub(crate) further: Vec<Vec<f64>>,
    /// Whether nothing stands for the mean but the covariates and the target themselves.
    pub(crate) no_mean: bool,
    /// Whether the model has no mean, for which blocks may stand.
    pub(crate) lacks_mean: bool,
}
