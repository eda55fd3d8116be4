//! The knobs of the sparse-means step, their defaults and their ranges.

use crate::base::{Describe, Error, MethodInfo, Parameter, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Empirical Bayes for scores: estimates the prior of the effects from all scores, then decides which features matter.
///
/// The model is z_i ~ N(μ_i, 1), where μ_i = 0 with probability w and μ_i ~ γ otherwise. With g = γ ∗ N(0, 1), the
/// marginal of the non-zero effects, the probability that feature i is irrelevant is p_i = wφ(z_i)/(wφ(z_i) + (1 −
/// w)g(z_i)), and its effect is the posterior mean of μ_i. Under `prior=auto` a feature matters if |μ| > 1, one
/// standard deviation of the noise ([`auto`](crate::sparse_means::auto)); under the other priors, if μ ≠ 0.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `prior` | `auto` | prior of the effects of relevant features | `auto`, `kde`, `normal`, `laplace`, `npmle` |
/// | `null` | `theoretical` | scores of irrelevant features are N(0, 1), or N(m, s²) with median m and spread s of all scores | `theoretical`, `empirical` |
/// | `decide` | `auto` | rule that selects; auto: `prob:0.5` for `prior=auto`, else `count` | `auto`, `count`, `prob:P`, `fdr:Q` |
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

pub(super) const PARAMETERS: [Parameter; 9] = [
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
        purpose: "rule that selects; auto: prob:0.5 for prior=auto, count for the others",
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
    Parameter { name: "tol", range: "1e-15…0.1", purpose: "prior=kde stops when no probability changes more" },
    Parameter { name: "max_iter", range: "1…10000000", purpose: "most iterations of prior=kde" },
];

/// Parameters that only `prior=kde` uses.
const ONLY_KDE: [&str; 5] = ["bandwidth", "update", "mixing", "tol", "max_iter"];

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

    fn overruled(&self, key: &str) -> Option<&'static str> {
        (ONLY_KDE.contains(&key) && self.prior != Prior::Kde).then_some("prior")
    }
}

impl Default for SparseMeans {
    fn default() -> Self {
        SparseMeans {
            prior: Prior::Auto,
            null: Null::Theoretical,
            decide: Decide::Auto,
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
    /// The decision rule with `auto` resolved: `prob:0.5` for `prior=auto`, `count` for the papers' priors.
    pub fn decide_resolved(&self) -> Decide {
        match (self.decide, self.prior) {
            (Decide::Auto, Prior::Auto) => Decide::Probability(0.5),
            (Decide::Auto, _) => Decide::Count,
            (given, _) => given,
        }
    }
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
#[serde(try_from = "NumberOrText", into = "NumberOrText")]
pub enum Bandwidth {
    /// 1.06: just over the noise, so that the marginal is a true convolution with N(0, 1).
    Noise,
    /// 1.06 · sd(z) · K^(−1/5), the papers' normal reference rule.
    Paper,
    /// The user's own.
    Fixed(f64),
}

/// Which features are selected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Decide {
    /// `prob:0.5` for `prior=auto`, else `count`.
    Auto,
    /// The ⌊(1−w)K + ½⌋ features with the largest effects (SNBL §6).
    Count,
    /// Every feature that matters with more than this probability.
    Probability(f64),
    /// The largest set whose mean probability of being irrelevant is at most this.
    FalseDiscoveryRate(f64),
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(f64),
    Text(String),
}

impl TryFrom<NumberOrText> for Bandwidth {
    type Error = String;
    fn try_from(value: NumberOrText) -> Result<Self, String> {
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

impl From<Bandwidth> for NumberOrText {
    fn from(value: Bandwidth) -> Self {
        match value {
            Bandwidth::Noise => NumberOrText::Text("noise".into()),
            Bandwidth::Paper => NumberOrText::Text("paper".into()),
            Bandwidth::Fixed(h) => NumberOrText::Number(h),
        }
    }
}

impl FromStr for Decide {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<f64>().map_err(|_| format!("`{text}` is not a number"));
        match text.split_once(':') {
            None if text == "auto" => Ok(Decide::Auto),
            None if text == "count" => Ok(Decide::Count),
            Some(("prob", p)) => Ok(Decide::Probability(number(p)?)),
            Some(("fdr", q)) => Ok(Decide::FalseDiscoveryRate(number(q)?)),
            _ => Err("it takes `auto`, `count`, `prob:P` or `fdr:Q`, for example `fdr:0.1`".into()),
        }
    }
}

impl fmt::Display for Decide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decide::Auto => write!(f, "auto"),
            Decide::Count => write!(f, "count"),
            Decide::Probability(p) => write!(f, "prob:{p}"),
            Decide::FalseDiscoveryRate(q) => write!(f, "fdr:{q}"),
        }
    }
}

impl TryFrom<String> for Decide {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Decide> for String {
    fn from(value: Decide) -> Self {
        value.to_string()
    }
}
