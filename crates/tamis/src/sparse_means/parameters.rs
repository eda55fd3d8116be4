//! The knobs of the sparse-means step, their defaults and their ranges.

use crate::base::describe::check_effect;
use crate::base::parameter::{NumberOrText, parameters};
use crate::base::remedies::BETWEEN_0_AND_1;
use crate::base::{Auto, Describe, Error, MethodInfo, Result};
use crate::sparse_means::Decide;
use crate::sparse_means::noise_states::fewest_rows;
use serde::{Deserialize, Serialize};

parameters! {
    /// Empirical Bayes for scores: estimates the prior of the effects from all scores, then decides which features matter.
    ///
    /// The model is z_i ~ N(μ_i, 1), where μ_i = 0 with probability w and μ_i ~ γ otherwise. With g = γ ∗ N(0, 1), the
    /// marginal of the non-zero effects, the probability that feature i is irrelevant is p_i = wφ(z_i)/(wφ(z_i) + (1 −
    /// w)g(z_i)), and its effect is the posterior mean of μ_i. Under `prior=auto` p_i is the probability of no effect, or one in
    /// the other direction, averaged over the states of the noise ([`noise_states`](crate::sparse_means::noise_states)); under
    /// the other priors, that μ = 0.
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
        prior: Prior = Prior::Auto, "auto, kde, normal, laplace, npmle", "prior of the effects of relevant features";
        null: Null = Null::Theoretical, "theoretical, empirical",
            "null distribution of the scores: N(0, 1), or estimated from their median and spread";
        decide: Decide = Decide::Auto, "auto, count, prob:P, fdr:Q",
            "rule that selects; auto: by fdr for prior=auto, count for the others";
        fdr: f64 = 0.1, "0…1",
            "at most this share of the selected features is expected to be false (decide=auto, prior=auto)";
        quiet: f64 = 0.99, "0.5…0.9999", "share of tables of pure noise on which nothing is selected (prior=auto)";
        /// `auto` is 999 up to 2·10⁶ numbers, 399 up to 2·10⁷, else 199.
        permutations: Auto<usize> = Auto::Auto, "auto, 0…100000",
            "null targets that show how features are correlated (prior=auto); auto: by size, 999 to 199; 0: take \
             them as independent";
        estimate: Estimate = Estimate::Mean, "mean, median",
            "the effect reported; median (prior=normal, laplace) is exactly 0 for small scores";
        bandwidth: Bandwidth = Bandwidth::Noise, "noise, paper, 0.01…1000",
            "bandwidth of prior=kde: 1.06, the papers' rule, or a number";
        update: Update = Update::Em, "em, argmax", "how prior=kde updates its fraction of irrelevant features";
        /// Without one it only shrinks (Greenshtein & Park 2009).
        mixing: bool = true, "true, false", "whether prior=kde has an atom at zero";
        tol: f64 = 1e-8, "1e-15…0.1", "convergence tolerance of prior=kde: largest change of a probability";
        /// Reaching it is reported, never silent.
        max_iter: usize = 10_000, "1…10000000", "most iterations of prior=kde";
    }
}

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
            parameters: SparseMeans::described(),
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
        if let Auto::Set(permutations) = self.permutations
            && permutations > 100_000
        {
            let expected = "it takes `auto` or a whole number from 0 to 100000";
            return Err(Error::parameter("permutations", permutations, expected));
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
        if given.contains(&"permutations") && !self.takes_independent() {
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
        let needed = fewest_rows(self.quiet);
        match self.permutations {
            Auto::Set(permutations) if self.prior == Prior::Auto && (1..needed).contains(&permutations) => {
                let expected = format!("quiet={} needs at least {needed} null targets, or 0 for none", self.quiet);
                Err(Error::parameter("permutations", permutations, expected))
            }
            _ => Ok(()),
        }
    }

    /// Whether features are taken as independent without a look at null targets.
    pub(crate) fn takes_independent(&self) -> bool {
        self.permutations == Auto::Set(0)
    }

    /// How many null targets a table of this size has.
    pub(crate) fn permutations_for(&self, rows: usize, features: usize) -> usize {
        let by_size = match rows.saturating_mul(features) {
            0..=2_000_000 => 999,
            2_000_001..=20_000_000 => 399,
            _ => 199,
        };
        self.permutations.or(by_size.max(fewest_rows(self.quiet)))
    }
}

/// The prior on the effects of relevant features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Prior {
    /// Normal mixtures given each state the noise may be in, averaged; calibrated on pure noise.
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
#[non_exhaustive]
pub enum Estimate {
    /// Its mean.
    Mean,
    /// Its median: exactly 0 for small scores.
    Median,
}

/// The distribution of the scores of irrelevant features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Null {
    /// N(0, 1).
    Theoretical,
    /// N(m, s²) with m and s from the middle of the scores: (z − median)/(MAD/0.67449).
    Empirical,
}

/// How the fraction of irrelevant features moves from one iteration to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Update {
    /// The mean posterior probability (adaptive sparsity, §3.3).
    Em,
    /// The maximiser of the marginal likelihood given the kernel estimate (SNBL, eq. 16); 0 and 1 absorb.
    Argmax,
}

/// The bandwidth of the kernel estimate; with a free marginal it alone identifies the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "NumberOrText<f64>", into = "NumberOrText<f64>")]
#[non_exhaustive]
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
        for (quiet, needed) in [(0.99, 99), (0.9, 9), (0.95, 19), (0.999, 999), (0.5, 1), (0.98, 49)] {
            let means =
                |permutations| SparseMeans { quiet, permutations: Auto::Set(permutations), ..SparseMeans::default() };
            assert!(means(needed).validate_permutations().is_ok() && means(0).validate_permutations().is_ok());
            if needed > 1 {
                let error = means(needed - 1).validate_permutations().expect_err("too few").to_string();
                assert!(error.contains(&needed.to_string()), "{error}");
            }
        }
    }

    #[test]
    fn large_tables_have_fewer_null_targets_but_enough_for_quiet() {
        let means = SparseMeans::default();
        assert_eq!(
            [(62, 2000), (100, 100_000), (1000, 20_001)].map(|(n, k)| means.permutations_for(n, k)),
            [999, 399, 199]
        );
        assert_eq!(SparseMeans { quiet: 0.999, ..means.clone() }.permutations_for(1000, 1_000_000), 999);
        assert_eq!(SparseMeans { permutations: Auto::Set(250), ..means }.permutations_for(10, 10), 250);
    }

    #[test]
    fn a_rate_beside_another_rule_is_overruled() {
        let means = SparseMeans { decide: Decide::Count, ..SparseMeans::default() };
        assert_eq!(means.overruled("fdr"), Some("decide"));
        assert_eq!(SparseMeans::default().overruled("fdr"), None);
        assert_eq!(SparseMeans { prior: Prior::Kde, ..means }.overruled("quiet"), Some("prior"));
    }
}
