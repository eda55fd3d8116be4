//! `peel`: an embedded selector, run repeatedly on the remaining features until there are enough.
//!
//! A sparse classifier keeps one of several features that say the same; the next fit finds the others.

use crate::base::parameter::parameters;
use crate::base::{Auto, Context, Describe, Error, MethodInfo, Progress, Result};
use crate::machines::{Ard, KernelShape, PfcvmEm, PfcvmLp, TruncationKind};
use crate::npfs::Npfs;
use crate::selection::k::none_chosen;
use crate::selection::{RankedFeatures, Selection, Selector};
use crate::sparse_means::Snbl;
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
    /// Runs a sparse selector again and again, each time on the features that it has not selected yet.
    ///
    /// A sparse selector keeps one of several features that carry the same information; the next run finds the others. The
    /// result holds the features of the first run, then those of the second, and so on, until there are `k`.
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
        /// It chooses its own number of features. Its parameters are its defaults, with a linear kernel and at most 60
        /// iterations of `pfcvm-lp`.
        base: PeelBase = PeelBase::PfcvmLp, "pfcvm-lp, pfcvm-em, ard, snbl, npfs", "the selector to run repeatedly";
        k: usize = 10, "1…", "number of features to select";
        fits: usize = 8, "1…1000", "maximum number of runs of the selector";
    }
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

impl Describe for Peel {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "peel",
            summary: "a selector, run repeatedly on the features not selected yet",
            number_by: "k",
            cost: "a few runs of its base",
            reference: "",
            parameters: Peel::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        if self.k == 0 {
            return Err(none_chosen());
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
        let (mut notes, mut no_evidence) = (Vec::new(), false);
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
                no_evidence = found.no_evidence;
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
        let ranked = RankedFeatures { order, scores, notes };
        Ok(Selection { no_evidence, ..ranked.into_selection(data, self.record(), context.seed) })
    }
}
