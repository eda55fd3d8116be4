//! `peel`: an embedded selector again and again on what is left, until there are enough features.
//!
//! A sparse classifier keeps one of several features that say the same; the next fit finds the others.

use super::pfcvm_lp::{PfcvmLp, TruncationKind};
use crate::filter::Found;
use crate::method::Entry;
use crate::selection::{Selection, Selector};
use crate::settings::{Auto, Parameter};
use crate::table::View;
use crate::{Error, Method, Progress, Result};
use serde::{Deserialize, Serialize};

/// Fits `base`, records its features by weight, takes them out, and fits again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Peel {
    /// The selector; one that chooses its own number.
    pub base: String,
    /// How many features are wanted.
    pub k: usize,
    /// Most fits.
    pub fits: usize,
    /// The seed of the selector.
    #[serde(skip)]
    pub seed: u64,
}

impl Default for Peel {
    fn default() -> Self {
        Peel { base: "pfcvm-lp".into(), k: 10, fits: 8, seed: 0 }
    }
}

const PARAMETERS: [Parameter; 3] = [
    Parameter { name: "base", range: "pfcvm-lp, pfcvm-em, snbl, npfs", purpose: "what selects, again and again" },
    Parameter { name: "k", range: "1…", purpose: "how many features are wanted" },
    Parameter { name: "fits", range: "1…1000", purpose: "most fits" },
];

/// This method for the catalogue.
pub fn entry() -> Entry {
    Entry {
        name: "peel",
        summary: "a selector again and again on the features it has not chosen yet",
        number_by: "k",
        cost: "as much as its base, a few times",
        reference: "",
        parameters: PARAMETERS.into(),
        default: Method::Peel(Peel::default()),
    }
}

impl Peel {
    pub(crate) fn validate(&self) -> Result<()> {
        if self.k == 0 {
            return Err(Error::parameter("k", 0, "at least one feature must be chosen"));
        }
        if !(1..=1000).contains(&self.fits) {
            return Err(Error::parameter("fits", self.fits, "it takes 1…1000"));
        }
        self.selector(true).map(drop)
    }

    fn selector(&self, wide: bool) -> Result<Method> {
        let method = match self.base.as_str() {
            // cut off at zero and stopped early: what is wanted is an order, not a posterior
            "pfcvm-lp" => Method::PfcvmLp(PfcvmLp {
                truncation: TruncationKind::Hard,
                starts: if wide { Auto::Auto } else { Auto::Set(1) },
                max_iter: Auto::Set(60),
                ..PfcvmLp::default()
            }),
            "pfcvm-em" | "snbl" | "npfs" => Method::find(&self.base)?.default,
            other => return Err(Error::parameter("base", other, "it takes pfcvm-lp, pfcvm-em, snbl, npfs")),
        };
        Ok(method.with_seed(self.seed))
    }
}

impl Selector for Peel {
    fn select(&self, data: &View, progress: &mut dyn Progress) -> Result<Selection> {
        self.validate()?;
        let features = data.names().len();
        let selector = self.selector(features >= data.rows().len())?;
        let mut left: Vec<u32> = (0..features as u32).collect();
        let mut order: Vec<u32> = Vec::new();
        let mut notes = Vec::new();
        for fit in 0..self.fits {
            if order.len() >= self.k || left.is_empty() {
                break;
            }
            progress.step("peeling", fit as u64, self.fits as u64)?;
            let table = data.narrowed(&left);
            let found = match selector.select(&View::of_rows(&table, data.rows()), progress) {
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
        let mut selection = Found { order, scores, notes }.into_selection(data, Method::Peel(self.clone()));
        selection.seed = self.seed;
        Ok(selection)
    }
}
