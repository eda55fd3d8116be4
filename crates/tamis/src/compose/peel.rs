//! `peel`: an embedded selector, run repeatedly on the remaining features until there are enough.
//!
//! A sparse classifier keeps one of several features that say the same; the next fit finds the others.

use crate::base::{Auto, Context, Describe, Error, MethodInfo, Parameter, Progress, Result};
use crate::machines::{Ard, KernelShape, PfcvmEm, PfcvmLp, TruncationKind};
use crate::npfs::Npfs;
use crate::selection::{RankedFeatures, Selection, Selector};
use crate::sparse_means::Snbl;
use crate::table::View;
use serde::{Deserialize, Serialize};

/// Runs a sparse selector again and again, each time on the features that it has not selected yet.
///
/// A sparse selector keeps one of several features that carry the same information; the next run finds the others. The
/// result holds the features of the first run, then those of the second, and so on, until there are `k`.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `base` | `pfcvm-lp` | the selector; its parameters are its defaults, with a linear kernel and at most 60 iterations of `pfcvm-lp` | `pfcvm-lp`, `pfcvm-em`, `ard`, `snbl`, `npfs` |
/// | `k` | 10 | number of features to select | 1… |
/// | `fits` | 8 | most runs of the selector | 1…1000 |
///
/// Cost: as many runs of the base as it takes, at most `fits`.
///
/// Errors: [`Error::Parameter`] for a value out of its range; the errors of the base on the whole table.
///
/// Reference: none.
///
/// ```
/// use tamis::{Context, Selector, compose::Peel, simulate::TwoGroups};
///
/// let drawn = TwoGroups { features: 50, relevant: 12, ..TwoGroups::default() }.draw(1)?;
/// let selection = Peel { k: 3, ..Peel::default() }.select(&drawn.table.view(), &mut Context::default())?;
/// assert_eq!(selection.selected.len(), 3);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Peel {
    /// The selector, which chooses its own number of features.
    pub base: PeelBase,
    /// Number of features to select.
    pub k: usize,
    /// Maximum number of runs of the selector.
    pub fits: usize,
}

/// The selectors that can be peeled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PeelBase {
    /// A sparse Bayesian classifier.
    #[default]
    PfcvmLp,
    /// A sparse classifier by expectation–maximisation.
    PfcvmEm,
    /// Logistic regression that prunes features.
    Ard,
    /// Scores, then empirical Bayes.
    Snbl,
    /// A filter on many bootstraps, and a test.
    Npfs,
}

impl Default for Peel {
    fn default() -> Self {
        Peel { base: PeelBase::PfcvmLp, k: 10, fits: 8 }
    }
}

const PARAMETERS: [Parameter; 3] = [
    Parameter { name: "base", range: "pfcvm-lp, pfcvm-em, ard, snbl, npfs", purpose: "the selector to run repeatedly" },
    Parameter { name: "k", range: "1…", purpose: "number of features to select" },
    Parameter { name: "fits", range: "1…1000", purpose: "maximum number of runs of the selector" },
];

impl Describe for Peel {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "peel",
            summary: "a selector, run repeatedly on the features not selected yet",
            number_by: "k",
            cost: "a few runs of its base",
            reference: "",
            parameters: PARAMETERS.into(),
        }
    }

    fn validate(&self) -> Result<()> {
        if self.k == 0 {
            return Err(Error::parameter("k", 0, "at least one feature must be chosen"));
        }
        if !(1..=1000).contains(&self.fits) {
            return Err(Error::parameter("fits", self.fits, "it takes 1…1000"));
        }
        Ok(())
    }
}

impl PeelBase {
    fn selector(self, wide: bool) -> Box<dyn Selector> {
        match self {
            // cut off at zero and stopped early: what is wanted is an order, not a posterior
            PeelBase::PfcvmLp => Box::new(PfcvmLp {
                truncation: TruncationKind::Hard,
                starts: if wide { Auto::Auto } else { Auto::Set(1) },
                max_iter: Auto::Set(60),
                ..PfcvmLp::of(KernelShape::Linear)
            }),
            PeelBase::PfcvmEm => Box::new(PfcvmEm::default()),
            PeelBase::Ard => Box::new(Ard::default()),
            PeelBase::Snbl => Box::new(Snbl::default()),
            PeelBase::Npfs => Box::new(Npfs::default()),
        }
    }
}

impl Selector for Peel {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        self.validate()?;
        let features = data.names().len();
        let selector = self.base.selector(features >= data.rows().len());
        let mut left: Vec<u32> = (0..features as u32).collect();
        let mut order: Vec<u32> = Vec::new();
        let mut notes = Vec::new();
        for fit in 0..self.fits {
            if order.len() >= self.k || left.is_empty() {
                break;
            }
            context.step("peeling", fit as u64, self.fits as u64)?;
            let table = data.narrowed(&left);
            let found = match selector.select(&View::of_rows(&table, data.rows())?, context) {
                Ok(found) => found,
                // what is left holds nothing that varies: what was found stands
                Err(Error::Data { .. }) if !order.is_empty() => break,
                Err(e) => return Err(e),
            };
            if fit == 0 {
                notes.clone_from(&found.notes);
            }
            if found.selected.is_empty() {
                break;
            }
            order.extend(found.selected.iter().map(|&i| left[i as usize]));
            let chosen = found.mask();
            left = left.iter().zip(chosen).filter(|(_, chosen)| !chosen).map(|(i, _)| *i).collect();
        }
        order.truncate(self.k);
        // the place in the order is all the score there is
        let mut scores = vec![0.0; features];
        order.iter().enumerate().for_each(|(at, &i)| scores[i as usize] = 1.0 - at as f64 / self.k as f64);
        Ok(RankedFeatures { order, scores, notes }.into_selection(data, self.record(), context.seed))
    }
}
