//! The logarithm of counts per million.

/// Counts added to every count of a row of mean library size, so that the logarithm of 0 is finite.
const PRIOR_COUNT: f64 = 2.0;

/// The scale of one row: its library size and the prior count in proportion to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowScale {
    prior: f64,
    /// The library size with the prior count added twice.
    size: f64,
}

impl RowScale {
    /// The scale of a row with library size L, among training rows whose library sizes have the given mean: the prior
    /// count is 2·L/mean.
    pub(super) fn new(library_size: f64, mean_library_size: f64) -> RowScale {
        let prior = PRIOR_COUNT * library_size / mean_library_size;
        RowScale { prior, size: library_size + 2.0 * prior }
    }

    /// The scale of a row whose values have precisions of their own: half a count is added to every count and one to the
    /// library.
    pub(super) fn of_precise(library_size: f64) -> RowScale {
        RowScale { prior: 0.5, size: library_size + 1.0 }
    }

    /// log₂((count + prior)/(L + 2·prior)·10⁶).
    pub(super) fn log_cpm(&self, count: f64) -> f64 {
        ((count + self.prior) / self.size * 1e6).log2()
    }
}
