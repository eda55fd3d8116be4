//! Sparse normal means: from scores to *how many features matter, and which*.
//!
//! The model: z_i ~ N(μ_i, 1), most μ_i are nothing, the rest come from a prior that is estimated
//! from the scores themselves (empirical Bayes). One file per prior; what is done with the
//! posterior is the same for all of them ([`posterior`]).
//!
//! | `prior` | an effect μ is irrelevant if | reference |
//! | --- | --- | --- |
//! | [`auto`] (default) | \|μ\| ≤ 1, less than one noise standard deviation | four families of normal mixtures, averaged |
//! | [`kde`] | μ = 0 | Raykar & Zhao, SNBL, and AISTATS 2010 |
//! | [`normal`], [`laplace`] | μ = 0 | SNBL eq. (23–24); Johnstone & Silverman 2004 |
//! | [`npmle`] | μ = 0 | Kiefer & Wolfowitz 1956, with an atom at zero |

pub mod auto;
mod grid;
pub mod kde;
pub mod laplace;
mod mixture;
pub mod normal;
pub mod npmle;
pub mod null;
mod parametric;
pub mod params;
pub mod posterior;
mod snbl;

pub use params::{Bandwidth, Decide, Estimate, Null, Prior, SparseMeans, Update};
pub use posterior::Posterior;
pub use snbl::{Snbl, shrink};

use crate::base::{Describe, Error, Place, Progress, Result};
use crate::selection::detail::FitDetail;

/// The fit of a prior to sorted scores.
#[derive(Debug, Clone)]
pub(crate) struct PriorFit {
    /// The posterior probability that each score's feature is irrelevant, p_i.
    pub irrelevant: Vec<f64>,
    /// The posterior mean of each μ_i.
    pub effects: Vec<f64>,
    /// Whether the iteration reached its tolerance.
    pub converged: bool,
    /// Iterations taken.
    pub iterations: usize,
    /// Data for plots.
    pub detail: FitDetail,
}

/// Whether the curves that only plots need are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curves {
    /// They are.
    Drawn,
    /// Nobody will look at them.
    LeftOut,
}

/// Which scores speak for a feature.
#[derive(Debug, Clone, Copy)]
pub enum Sides<'a> {
    /// Large positive and large negative ones.
    Two,
    /// Only positive ones: a small F or χ² is no evidence of anything.
    One,
    /// Feature by feature: `true` where only positive ones do.
    Mixed(&'a [bool]),
}

impl Sides<'_> {
    /// Whether only positive scores speak for feature `i`.
    fn one(&self, i: usize) -> bool {
        match self {
            Sides::Two => false,
            Sides::One => true,
            Sides::Mixed(one) => one[i],
        }
    }
}

impl SparseMeans {
    /// Fits the prior to two-sided scores and decides which features matter; see [`SparseMeans::fit_sides`].
    pub fn fit(&self, scores: &[f64], progress: &mut dyn Progress) -> Result<Posterior> {
        self.fit_sides(scores, Sides::Two, Curves::Drawn, progress)
    }

    /// Fits the prior to the scores and decides which features matter.
    ///
    /// Where only positive scores count, a negative one is irrelevant with certainty; under `prior=auto` with all
    /// scores so, *matters* means μ > 1 and the prior has no component below zero.
    ///
    /// A missing score (NaN) is set aside: irrelevant with certainty, effect 0, counted nowhere. The
    /// result does not depend on the order of the scores: they are sorted first, and every sum runs
    /// in that order.
    ///
    /// Cost: one sort, then O(n) for `auto`; see [`kde`] for the iteration. Memory: about five
    /// numbers a score.
    pub fn fit_sides(
        &self,
        scores: &[f64],
        sides: Sides<'_>,
        curves: Curves,
        progress: &mut dyn Progress,
    ) -> Result<Posterior> {
        self.validate()?;
        if u32::try_from(scores.len()).is_err() {
            let problem = format!("{} scores are more than the 4,294,967,295 that can be ranked", scores.len());
            return Err(Error::data(Place::default(), problem, "split them"));
        }
        if let Some(i) = scores.iter().position(|z| z.is_infinite()) {
            return Err(Error::data(
                Place::default().at_row(i as u64 + 1),
                format!("the score is {}", scores[i]),
                "give a finite score, or leave it empty to set it aside",
            ));
        }
        let (mut sorted, order) = sort(scores);
        let rescaled = match self.null {
            Null::Theoretical => None,
            Null::Empirical => Some(null::standardise(&mut sorted)?),
        };
        let mut fit = match self.prior {
            Prior::Auto => auto::fit(&sorted, matches!(sides, Sides::One), curves == Curves::LeftOut, progress)?,
            Prior::Kde => kde::fit(&sorted, self, progress)?,
            Prior::Normal => parametric::fit(&normal::Normal, &sorted, self.estimate, progress)?,
            Prior::Laplace => parametric::fit(&laplace::Laplace, &sorted, self.estimate, progress)?,
            Prior::Npmle => npmle::fit(&sorted, progress)?,
        };
        for (at, &i) in order.iter().enumerate() {
            if sorted[at] < 0.0 && sides.one(i as usize) {
                fit.irrelevant[at] = 1.0;
                fit.effects[at] = 0.0;
            }
        }
        Ok(posterior::decide(scores.len(), (sorted, &order), sides, fit, self.decide_resolved(), rescaled))
    }
}

/// The scores that are not missing, ascending, and where each came from.
fn sort(scores: &[f64]) -> (Vec<f64>, Vec<u32>) {
    let mut keyed: Vec<(u64, u32)> =
        scores.iter().enumerate().filter(|(_, z)| !z.is_nan()).map(|(i, z)| (ascending_key(*z), i as u32)).collect();
    keyed.sort_unstable();
    let mut sorted = Vec::with_capacity(keyed.len());
    let mut order = Vec::with_capacity(keyed.len());
    for (key, i) in keyed {
        sorted.push(from_key(key));
        order.push(i);
    }
    (sorted, order)
}

/// An integer that orders like the number; −0 counts as 0.
fn ascending_key(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The number of a key.
fn from_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

/// ⌊x⌋ as an integer, without a call on processors that have no instruction for it.
fn floor(x: f64) -> i64 {
    let towards_zero = x as i64;
    towards_zero - i64::from((towards_zero as f64) > x)
}
