//! Counts, of sequencing reads for instance: from counts to log₂ counts per million.
//!
//! A row is a sample, a column a feature. The *library size* of a row is the sum of its counts. It depends on how deeply
//! the sample was sequenced, so counts are compared after dividing by it.
//!
//! | file | holds |
//! | --- | --- |
//! | `settings.rs` | how a table of counts is prepared |
//! | `checked_counts.rs` | the counts of some rows, checked; library sizes |
//! | `enough_counts.rs` | the features with enough counts to be compared |
//! | `group_size.rs` | in how many rows a feature needs them |
//! | `tmm.rs` | factors of library sizes: the trimmed mean of M values |
//! | `log_cpm.rs` | the logarithm of counts per million |
//! | `normaliser.rs` | everything that is learned from training rows and applied to others |
//! | `looks_like_counts.rs` | the note on a table that seems to hold counts |

mod checked_counts;
mod enough_counts;
mod group_size;
mod log_cpm;
mod looks_like_counts;
mod normaliser;
mod settings;
mod tmm;

pub use looks_like_counts::looks_like_counts;
pub use normaliser::CountNormaliser;
pub use settings::{CountSettings, Normalize};

use crate::base::Result;
use crate::table::View;

impl CountSettings {
    /// Learns from the rows of a view how counts are normalised; `None` with [`Normalize::None`].
    ///
    /// Cost: O(cells), and a sort of every row with [`Normalize::Tmm`] and [`Normalize::Voom`].
    ///
    /// # Errors
    ///
    /// Features that are no counts (categories; values that are missing or negative), a row without any
    /// count above 0, no feature with enough counts, and a `min_count` that [`CountSettings::validate`] refuses.
    pub fn learn(&self, data: &View) -> Result<Option<CountNormaliser>> {
        self.validate()?;
        match self.normalize {
            Normalize::None => Ok(None),
            Normalize::LogCpm | Normalize::Tmm | Normalize::Voom => CountNormaliser::learn(data, self).map(Some),
        }
    }
}

#[cfg(test)]
mod tests;
