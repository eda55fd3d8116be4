//! The knobs of the sparse-means step, their defaults and their ranges.

use crate::base::describe::check_effect;
use crate::base::parameter::NumberOrText;
use crate::base::remedies::BETWEEN_0_AND_1;
use crate::base::{Describe, Error, MethodInfo, Parameter, Result};
use crate::sparse_means::Decide;
use serde::{Deserialize, Serialize};

/// Empirical Bayes for scores: estimates the prior of the effects from all scores, then decides which features matter.
///
/// The model is z_i ~ N(μ_i, 1), where μ_i = 0 with probability w and μ_i ~ γ otherwise. With g = γ ∗ N(0, 1), the
/// marginal of the non-zero effects, the probability that feature i is irrelevant is p_i = wφ(z_i)/(wφ(z_i) + (1 −
/// w)g(z_i)), and its effect is the posterior mean of μ_i. Under `prior=auto` a feature matters if |μ| > 1, one
/// standard deviation of the noise ([`auto`](crate::sparse_means::auto_normal_mixtures)); under the other priors, if μ ≠ 0.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `prior` | `auto` | prior of the effects of relevant features | `auto`, `kde`, `normal`, `laplace`, `npmle` |
/// | `null` | `theoretical` | scores of irrelevant features are N(0, 1), or N(m, s²) with median m and spread s of all scores | `theoretical`, `empirical` |
/// | `decide` | `auto` | rule that selects; auto: by `fdr` for `prior=auto`, else `count` | `auto`, `count`, `prob:P`, `fdr:Q` |
/// | `fdr` | 0.1 | largest share of the selected features expected to be false (`decide=auto`) | 0…1 |
/// | `quiet` | 0.99 | share of tables of pure noise on which nothing is selected | 0.5…0.9999 |
/// | `permutations` | 199 | null targets that show how features are correlated; 0 takes them as independent | 0…100000 |
/// | `estimate` | `mean` | effect reported: posterior mean or median | `mean`, `median` (`normal`, `laplace`) |
/// | `bandwidth` | `noise` | bandwidth of `prior=kde`: 1.06, the papers' rule, or a number | `noise`, `paper`, 0.01…1000 |
/// | `update` | `em` | update of w in `prior=kde`: mean of p, or maximum of the likelihood | `em`, `argmax` |
/// | `mixing` | true | whether `prior=kde` has an atom at zero; without one it only shrinks | true, false |
/// | `tol` | 1e-8 | `prior=kde` stops when no probability changes more | 1e-15…0.1 |
/// | `max_iter` | 10000 | most iterations of `prior=kde` | 1…10⁷ |
///
/// Cost: one sort of the scores, then O(n) for `prior=auto`; for `kde` see [`kde`](crate::sparse_means::kde).
///
/// Errors: [`Error::Parameter`] for a value out of its range, and for `estimate=median` with a prior that has none;
/// [`Error::Data`] for an infinite score. A missing score (NaN) is set aside.
///
/// Reference: Raykar & Zhao, *Nonparametric prior for adaptive sparsity*, AISTATS 2010 (`kde`); Johnstone & Silverman,
/// *Needles and straw in haystacks*, Annals of Statistics 32, 2004 (`laplace`); Kiefer & Wolfowitz, Annals of
/// Mathematical Statistics 27, 1956 (`npmle`).
///
/// ```
/// use tamis::{Context, SparseMeans};
///
/// // 95 scores of noise on a regular grid, and five that stand out
/// let mut scores: Vec<f64> = (0..95).map(|i| (f64::from(i) - 47.0) / 25.0).collect();
/// scores.extend([6.0, -6.5, 7.0, 5.5, 6.2]);
/// let posterior = SparseMeans::default().fit(&scores, &mut Context::default())?;
/// let mut selected = posterior.selected.clone();
/// selected.sort();
/// assert_eq!(selected, [95, 96, 97, 98, 99]);
/// assert!(posterior.irrelevant[47] > 0.9);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SparseMeans {
    /// The prior of the effects of relevant features.
    pub prior: Prior,
    /// The null distribution: N(0, 1), or estimated from the scores.
    pub null: Null,
    /// Which features are selected, given their probabilities.
    pub decide: Decide,
    /// At most this share of the selected features is expected to be false (`decide=auto` with `prior=auto`).
    pub fdr: f64,
    /// The share of tables of pure noise on which nothing is selected (`prior=auto`).
    pub quiet: f64,
    /// Null targets that show how the features of a table are correlated (`prior=auto`); 0 takes features as
    /// independent, as they are where only scores are known.
    pub permutations: usize,
    /// The posterior's mean or its median.
    pub estimate: Estimate,
    /// How much `kde` smooths.
    pub bandwidth: Bandwidth,
    /// How `kde` moves the fraction of irrelevant features.
    pub update: Update,
    /// Whether `kde` has an atom at zero; without one it only shrinks (Greenshtein & Park 2009).
    pub mixing: bool,
    /// `kde` stops when no probability moves more than this.
    pub tol: f64,
    /// The most iterations `kde` takes; reaching it is reported, never silent.
    pub max_iter: usize,
}

pub(super) const PARAMETERS: [Parameter; 12] = [
    Parameter {
        name: "prior",
        range: "auto, kde, normal, laplace, npmle",
        purpose: "prior of the effects of relevant features",
    },
    Parameter {
        name: "null",
        range: "theoretical, empirical",
        purpose: "null distribution of the scores: N(0, 1), or estimated from their median and spread",
    },
    Parameter {
        name: "decide",
        range: "auto, count, prob:P, fdr:Q",
        purpose: "rule that selects; auto: by fdr for prior=auto, count for the others",
    },
    Parameter {
        name: "fdr",
        range: "0…1",
        purpose: "at most this share of the selected features is expected to be false (decide=auto, prior=auto)",
    },
    Parameter {
        name: "quiet",
        range: "0.5…0.9999",
        purpose: "share of tables of pure noise on which nothing is selected (prior=auto)",
    },
    Parameter {
        name: "permutations",
        range: "0…100000",
        purpose: "null targets that show how features are correlated (prior=auto); 0: take them as independent",
    },
    Parameter {
        name: "estimate",
        range: "mean, median",
        purpose: "the effect reported; median (prior=normal, laplace) is exactly 0 for small scores",
    },
    Parameter {
        name: "bandwidth",
        range: "noise, paper, 0.01…1000",
        purpose: "bandwidth of prior=kde: 1.06, the papers' rule, or a number",
    },
    Parameter {
        name: "update",
        range: "em, argmax",
        purpose: "how prior=kde updates its fraction of irrelevant features",
    },
    Parameter { name: "mixing", range: "true, false", purpose: "whether prior=kde has an atom at zero" },
    Parameter {
        name: "tol",
        range: "1e-15…0.1",
        purpose: "convergence tolerance of prior=kde: largest change of a probability",
    },
    Parameter { name: "max_iter", range: "1…10000000", purpose: "most iterations of prior=kde" },
];

/// Parameters that only `prior=kde` uses.
const ONLY_KDE: [&str; 5] = ["bandwidth", "update", "mixing", "tol", "max_iter"];
/// Parameters that only `prior=auto` uses.
const ONLY_AUTO: [&str; 3] = ["fdr", "quiet", "permutations"];

impl Describe for SparseMeans {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "shrink",
            summary: "empirical Bayes on scores you already have",
            number_by: "the data",
            cost: "one sort of the scores",
            reference: "as snbl",
            parameters: PARAMETERS.into(),
        }
    }

    fn validate(&self) -> Result<()> {
        if let Bandwidth::Fixed(h) = self.bandwidth
            && !(0.01..=1000.0).contains(&h)
        {
            return Err(Error::parameter("bandwidth", h, "it takes `noise`, `paper` or a number from 0.01 to 1000"));
        }
        if self.estimate == Estimate::Median && !matches!(self.prior, Prior::Normal | Prior::Laplace) {
            return Err(Error::parameter("estimate", "median", "only prior=normal and prior=laplace have one"));
        }
        if !(1e-15..=0.1).contains(&self.tol) {
            return Err(Error::parameter("tol", self.tol, "it takes a number from 1e-15 to 0.1"));
        }
        if !(1..=10_000_000).contains(&self.max_iter) {
            return Err(Error::parameter("max_iter", self.max_iter, "it takes a whole number from 1 to 10000000"));
        }
        if !(self.fdr > 0.0 && self.fdr < 1.0) {
            return Err(Error::parameter("fdr", self.fdr, BETWEEN_0_AND_1));
        }
        if !(0.5..=0.9999).contains(&self.quiet) {
            return Err(Error::parameter("quiet", self.quiet, "it takes a number from 0.5 to 0.9999"));
        }
        if self.permutations > 100_000 {
            return Err(Error::parameter(
                "permutations",
                self.permutations,
                "it takes a whole number from 0 to 100000",
            ));
        }
        match self.decide {
            Decide::Probability(p) if !(0.0..1.0).contains(&p) => {
                Err(Error::parameter("decide", self.decide, "the probability after `prob:` is at least 0 and below 1"))
            }
            Decide::FalseDiscoveryRate(q) if !(q > 0.0 && q < 1.0) => {
                Err(Error::parameter("decide", self.decide, "the rate after `fdr:` lies between 0 and 1"))
            }
            _ => Ok(()),
        }
    }

    /// Also refuses what only a table can give: scores have no rows to permute.
    fn check_effect(&self, given: &[&str]) -> Result<()> {
        if given.contains(&"permutations") && self.permutations > 0 {
            let beside = "scores alone, without a table".into();
            return Err(Error::NoEffect { name: "permutations".into(), beside });
        }
        check_effect(self, given)
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        match key {
            _ if ONLY_KDE.contains(&key) && self.prior != Prior::Kde => Some("prior"),
            _ if ONLY_AUTO.contains(&key) && self.prior != Prior::Auto => Some("prior"),
            "fdr" if self.decide != Decide::Auto => Some("decide"),
            _ => None,
        }
    }
}

impl Default for SparseMeans {
    fn default() -> Self {
        SparseMeans {
            prior: Prior::Auto,
            null: Null::Theoretical,
            decide: Decide::Auto,
            fdr: 0.1,
            quiet: 0.99,
            permutations: 199,
            estimate: Estimate::Mean,
            bandwidth: Bandwidth::Noise,
            update: Update::Em,
            mixing: true,
            tol: 1e-8,
            max_iter: 10_000,
        }
    }
}

impl SparseMeans {
    /// The decision rule, `auto` resolved to `count` for the papers' priors; with `prior=auto` it stays `auto`, the rule
    /// at `fdr`.
    pub fn decide_resolved(&self) -> Decide {
        match (self.decide, self.prior) {
            (Decide::Auto, Prior::Auto) => Decide::Auto,
            (Decide::Auto, _) => Decide::Count,
            (given, _) => given,
        }
    }

    /// Refuses null targets too few for `quiet`: with R of them no test can be surer than 1 − 2/(R + 1).
    pub fn validate_permutations(&self) -> Result<()> {
        let needed = fewest_permutations(self.quiet);
        if self.prior != Prior::Auto || self.permutations == 0 || self.permutations >= needed {
            return Ok(());
        }
        let expected = format!("quiet={} needs at least {needed} null targets, or 0 for none", self.quiet);
        Err(Error::parameter("permutations", self.permutations, expected))
    }
}

/// Rounding of 1 − quiet must not cost a null target.
const ROUNDING: f64 = 1e-9;

/// The fewest null targets with which a share `quiet` of tables of noise can stay quiet: 2/(1 − quiet) − 1.
pub(super) fn fewest_permutations(quiet: f64) -> usize {
    (2.0 / (1.0 - quiet) - 1.0 - ROUNDING).ceil() as usize
}

/// How many of `targets` null targets may do as well as the data in each of the gate's two tests:
/// ⌊(1 − quiet)/2·(R + 1)⌋ − 1. None if there are too few of them.
pub(super) fn allowed_exceedances(quiet: f64, targets: usize) -> Option<usize> {
    let rank = ((1.0 - quiet) / 2.0 * (targets as f64 + 1.0) + ROUNDING).floor() as usize;
    rank.checked_sub(1)
}

/// The prior on the effects of relevant features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prior {
    /// Four families of normal mixtures, averaged; calibrated on pure noise.
    Auto,
    /// A weighted kernel estimate of the marginal, as in the papers.
    Kde,
    /// A normal with mean 0.
    Normal,
    /// A Laplace density with mean 0.
    Laplace,
    /// Any distribution on a grid, by maximum likelihood.
    Npmle,
}

/// Which value of the posterior is reported as the effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimate {
    /// Its mean.
    Mean,
    /// Its median: exactly 0 for small scores.
    Median,
}

/// The distribution of the scores of irrelevant features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Null {
    /// N(0, 1).
    Theoretical,
    /// N(m, s²) with m and s from the middle of the scores: (z − median)/(MAD/0.67449).
    Empirical,
}

/// How the fraction of irrelevant features moves from one iteration to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Update {
    /// The mean posterior probability (adaptive sparsity, §3.3).
    Em,
    /// The maximiser of the marginal likelihood given the kernel estimate (SNBL, eq. 16); 0 and 1 absorb.
    Argmax,
}

/// The bandwidth of the kernel estimate; with a free marginal it alone identifies the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "NumberOrText<f64>", into = "NumberOrText<f64>")]
pub enum Bandwidth {
    /// 1.06: just over the noise, so that the marginal is a true convolution with N(0, 1).
    Noise,
    /// 1.06 · sd(z) · K^(−1/5), the papers' normal reference rule.
    Paper,
    /// The user's own.
    Fixed(f64),
}

impl TryFrom<NumberOrText<f64>> for Bandwidth {
    type Error = String;
    fn try_from(value: NumberOrText<f64>) -> Result<Self, String> {
        match value {
            NumberOrText::Number(h) => Ok(Bandwidth::Fixed(h)),
            NumberOrText::Text(text) => match text.as_str() {
                "noise" => Ok(Bandwidth::Noise),
                "paper" => Ok(Bandwidth::Paper),
                _ => Err("it takes `noise`, `paper` or a number".into()),
            },
        }
    }
}

impl From<Bandwidth> for NumberOrText<f64> {
    fn from(value: Bandwidth) -> Self {
        match value {
            Bandwidth::Noise => NumberOrText::Text("noise".into()),
            Bandwidth::Paper => NumberOrText::Text("paper".into()),
            Bandwidth::Fixed(h) => NumberOrText::Number(h),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_null_targets_are_refused_with_the_number_needed() {
        for (quiet, needed) in [(0.99, 199), (0.9, 19), (0.95, 39), (0.999, 1999), (0.5, 3), (0.98, 99)] {
            assert_eq!(fewest_permutations(quiet), needed);
            assert_eq!(allowed_exceedances(quiet, needed), Some(0));
            assert_eq!(allowed_exceedances(quiet, needed - 1), None);
            let means = |permutations| SparseMeans { quiet, permutations, ..SparseMeans::default() };
            assert!(means(needed).validate_permutations().is_ok() && means(0).validate_permutations().is_ok());
            let error = means(needed - 1).validate_permutations().expect_err("too few").to_string();
            assert!(error.contains(&needed.to_string()), "{error}");
        }
        assert_eq!(allowed_exceedances(0.9, 59), Some(2));
    }

    #[test]
    fn a_rate_beside_another_rule_is_overruled() {
        let means = SparseMeans { decide: Decide::Count, ..SparseMeans::default() };
        assert_eq!(means.overruled("fdr"), Some("decide"));
        assert_eq!(SparseMeans::default().overruled("fdr"), None);
        assert_eq!(SparseMeans { prior: Prior::Kde, ..means }.overruled("quiet"), Some("prior"));
    }
}
