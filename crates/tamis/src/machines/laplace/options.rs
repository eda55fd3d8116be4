//! The settings of a run by Laplace approximation.

/// How weights are kept from being negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::machines) enum Truncation {
    /// σ(5√precision·x): as steep as the prior is narrow.
    Relative,
    /// Cut off at zero, and no more.
    Hard,
    /// σ(5x), as in the paper.
    Paper,
}

/// The settings of one run.
#[derive(Debug, Clone)]
pub(in crate::machines) struct LaplaceOptions {
    pub(in crate::machines) truncation: Truncation,
    /// Added to γ/2 of the samples' and of the features' precision: larger leaves fewer.
    pub(in crate::machines) strictness: [f64; 2],
    /// A weight goes when its precision times the square of the largest weight exceeds this.
    pub(in crate::machines) prune_precision: f64,
    /// Whether that square is taken; otherwise the precision itself counts, as in the paper.
    pub(in crate::machines) prune_relative: bool,
    /// A weight goes when it is below this share of the largest.
    pub(in crate::machines) prune_share: f64,
    pub(in crate::machines) max_iter: usize,
    pub(in crate::machines) tol: f64,
    pub(in crate::machines) theta_steps: usize,
    pub(in crate::machines) theta_start: f64,
    /// Whether features that matter alone or in pairs start with larger weights, where there are any.
    pub(in crate::machines) screened: bool,
    /// Whether the scale of a linear kernel, which only w·θ fixes, is kept at max θ = 1.
    pub(in crate::machines) gauge: bool,
    /// Whether the features' weights are learned; they stay as they start otherwise.
    pub(in crate::machines) features: bool,
    /// Whether the samples' weights may be negative.
    pub(in crate::machines) signed: bool,
}

impl Default for LaplaceOptions {
    fn default() -> Self {
        LaplaceOptions {
            truncation: Truncation::Relative,
            strictness: [0.0, 0.5],
            prune_precision: 1e6,
            prune_relative: true,
            prune_share: 1e-3,
            max_iter: 200,
            tol: 1e-5,
            theta_steps: 1,
            theta_start: 1.0,
            screened: false,
            gauge: true,
            features: true,
            signed: false,
        }
    }
}
