//! Families of priors for `prior=auto`: a point mass at 0 and normals, their weights fitted to binned scores.
//!
//! | family | normals | cost D |
//! | --- | --- | --- |
//! | A | N(m, 0.25²), m on multiples of 0.2 | 6 |
//! | B | N(m, 0.5²), m on multiples of 0.2 | 4.5 |
//! | C | N(m, 1), m on multiples of 0.4 | 3 |
//! | S | N(0, s²), s = ½·2^(k/2) | 0 |

use crate::numeric::special::{LN_SQRT_2PI, ndtr, normal_within};
use crate::sparse_means::binned::Binned;
use crate::sparse_means::mixture_interior_point;

/// The largest effect that counts as irrelevant.
pub(super) const LIMIT: f64 = 1.0;
/// The standard deviation of effects that cannot be told from 0.
const TOO_SMALL: f64 = 0.3;
/// The logarithm of a term, over the largest one, that changes nothing: 1e-14.
const NEGLIGIBLE: f64 = -32.0;
/// Weight of the penalty that favours irrelevance.
pub(super) const PENALTY: f64 = 10.0;

/// A normal component N(mean, sd²) of the prior; sd 0 is the point mass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Component {
    pub(super) mean: f64,
    pub(super) sd: f64,
}

impl Component {
    /// ln N(z; mean, 1 + sd²).
    fn ln_marginal(&self, z: f64) -> f64 {
        let v = 1.0 + self.sd * self.sd;
        let d = z - self.mean;
        -0.5 * d * d / v - 0.5 * v.ln() - LN_SQRT_2PI
    }

    /// The probability of being irrelevant under the component: |μ| ≤ 1, or μ ≤ 1 where only positive scores count.
    fn irrelevant(&self, one_sided: bool) -> f64 {
        match (self.sd == 0.0, one_sided) {
            (true, _) => 1.0,
            (false, false) => normal_within(LIMIT, self.mean, self.sd),
            (false, true) => ndtr((LIMIT - self.mean) / self.sd),
        }
    }

    /// The distribution of μ given z.
    fn given(&self, z: f64) -> Component {
        let v = self.sd * self.sd;
        Component { mean: (self.mean + v * z) / (1.0 + v), sd: self.sd / (1.0 + v).sqrt() }
    }

    /// The mean of μ given z, and the probability of being irrelevant given z.
    fn posterior(&self, z: f64, one_sided: bool) -> (f64, f64) {
        if self.sd == 0.0 {
            return (0.0, 1.0);
        }
        let given = self.given(z);
        (given.mean, given.irrelevant(one_sided))
    }

    /// P(μ < 0) and P(μ > 0) given z.
    fn signs(&self, z: f64) -> (f64, f64) {
        if self.sd == 0.0 {
            return (0.0, 0.0);
        }
        let given = self.given(z);
        (ndtr(-given.mean / given.sd), ndtr(given.mean / given.sd))
    }

    /// P(μ ≤ x).
    fn up_to(&self, x: f64) -> f64 {
        ndtr((x - self.mean) / self.sd)
    }
}

/// Normals of one width around 0 and the multiples of `step` that cover scores between `low` and `high`; the one at 0
/// is the point mass.
fn lattice((low, high): (f64, f64), one_sided: bool, sd: f64, step: f64) -> Vec<Component> {
    let lowest = if one_sided { 0.0 } else { low.min(0.0) };
    let (from, to) = ((lowest / step).floor() as i64, (high.max(0.0) / step).ceil() as i64);
    let means = (from..=to).filter(|m| *m != 0).map(|m| Component { mean: m as f64 * step, sd });
    std::iter::once(Component { mean: 0.0, sd: 0.0 }).chain(means).collect()
}

/// The components of family A.
fn narrow(range: (f64, f64), one_sided: bool) -> Vec<Component> {
    lattice(range, one_sided, 0.25, 0.2)
}

/// The four families for scores between two ends: name, cost and components.
pub(super) fn families_of(range: (f64, f64), one_sided: bool) -> [(&'static str, f64, Vec<Component>); 4] {
    let (low, high) = range;
    let widest = 2.0 * low.abs().max(high.abs()).max(2.0);
    let scales = (0..).map(|k| 0.5 * 2f64.powf(0.5 * f64::from(k))).take_while(|s| *s <= widest);
    let scale_family = std::iter::once(0.0).chain(scales).map(|sd| Component { mean: 0.0, sd }).collect();
    [
        ("A", 6.0, narrow(range, one_sided)),
        ("B", 4.5, lattice(range, one_sided, 0.5, 0.2)),
        ("C", 3.0, lattice(range, one_sided, 1.0, 0.4)),
        ("S", 0.0, scale_family),
    ]
}

/// A fitted family of priors.
#[derive(Debug, Clone)]
pub(super) struct Family {
    all: Vec<Component>,
    /// Components that carry weight, with the logarithm of it.
    kept: Vec<(f64, Component)>,
    /// Of the binned scores, without the penalty.
    pub(super) log_likelihood: f64,
    one_sided: bool,
}

impl Family {
    /// The weights that maximise the penalised likelihood.
    pub(super) fn fit(components: Vec<Component>, binned: &Binned, penalty: f64, one_sided: bool) -> Family {
        let nodes = binned.x.len();
        let mut counts = binned.count.clone();
        if penalty > 0.0 {
            counts.push(penalty);
        }
        // The penalty is one more observation, with "density" π_0 + 0.9 Σ π_j P_j(|μ| ≤ 1).
        let ln = |b: usize, j: usize| {
            let c = &components[j];
            if b < nodes {
                c.ln_marginal(binned.x[b])
            } else if c.sd == 0.0 {
                0.0
            } else {
                (0.9 * c.irrelevant(one_sided)).ln()
            }
        };
        let fitted = mixture_interior_point::fit(&counts, components.len(), ln);
        let log_likelihood = binned.count.iter().zip(&fitted.log_density).map(|(c, l)| c * l).sum();
        let kept =
            fitted.weights.iter().zip(&components).filter(|(w, _)| **w > 1e-15).map(|(w, c)| (w.ln(), *c)).collect();
        Family { kept, all: components, log_likelihood, one_sided }
    }

    /// (P(μ < 0 | z), P(μ > 0 | z)).
    pub(super) fn signs(&self, z: f64, ln_terms: &mut Vec<f64>) -> (f64, f64) {
        ln_terms.clear();
        ln_terms.extend(self.kept.iter().map(|(ln_w, c)| ln_w + c.ln_marginal(z)));
        let top = ln_terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut f, mut below, mut above) = (0.0, 0.0, 0.0);
        for (ln_term, (_, component)) in ln_terms.iter().zip(&self.kept) {
            if ln_term - top < NEGLIGIBLE {
                continue;
            }
            let d = (ln_term - top).exp();
            let (less, more) = component.signs(z);
            f += d;
            below += d * less;
            above += d * more;
        }
        (below / f, above / f)
    }

    /// The parts of the distribution of μ given z, with their shares of `weight`. The point mass stands for effects too
    /// small to be told from 0, so that it is as wide as those.
    pub(super) fn effect_given(&self, z: f64, weight: f64) -> Vec<(f64, Component)> {
        let ln_terms = self.kept.iter().map(|(ln_w, c)| ln_w + c.ln_marginal(z));
        let top = ln_terms.clone().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = ln_terms.clone().map(|ln_term| (ln_term - top).exp()).sum();
        let parts = ln_terms.zip(&self.kept).filter(|(ln_term, _)| ln_term - top >= NEGLIGIBLE);
        let as_wide = |c: &Component| Component { sd: c.sd.max(TOO_SMALL), ..*c };
        parts.map(|(ln_term, (_, c))| (weight * (ln_term - top).exp() / sum, as_wide(c).given(z))).collect()
    }

    /// (P(|μ| ≤ 1 | z), E[μ | z], ln f(z)).
    pub(super) fn posterior(&self, z: f64, ln_terms: &mut Vec<f64>) -> (f64, f64, f64) {
        ln_terms.clear();
        ln_terms.extend(self.kept.iter().map(|(ln_w, c)| ln_w + c.ln_marginal(z)));
        let top = ln_terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut f, mut within, mut mean) = (0.0, 0.0, 0.0);
        for (ln_term, (_, component)) in ln_terms.iter().zip(&self.kept) {
            if ln_term - top < NEGLIGIBLE {
                continue;
            }
            let d = (ln_term - top).exp();
            let (m, p) = component.posterior(z, self.one_sided);
            f += d;
            mean += d * m;
            within += d * p;
        }
        (within / f, mean / f, top + f.ln())
    }
}

/// A fitted family and its share in the average of effects.
pub(super) struct Weighed {
    pub(super) name: &'static str,
    pub(super) weight: f64,
    pub(super) family: Family,
}

/// Where the distribution of parts with these shares reaches a level, to 1e-6; sought within 9 of z and of 0.
pub(super) fn quantile(parts: &[(f64, Component)], z: f64, level: f64) -> f64 {
    let (mut low, mut high) = (z.min(0.0) - 9.0, z.max(0.0) + 9.0);
    while high - low > 1e-6 {
        let middle = 0.5 * (low + high);
        let reached: f64 = parts.iter().map(|(share, part)| share * part.up_to(middle)).sum();
        if reached < level { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The gain in log likelihood of the fitted family A over its components with |m| ≤ 1 alone, fitted without a penalty.
pub(super) fn gain_over_noise(family: &Family, binned: &Binned) -> f64 {
    let near = family.all.iter().copied().filter(|c| c.mean.abs() <= LIMIT + 1e-9).collect();
    family.log_likelihood - Family::fit(near, binned, 0.0, family.one_sided).log_likelihood
}

/// Like [`gain_over_noise`], with family A fitted here to scores between two ends.
pub(super) fn gain(binned: &Binned, range: (f64, f64), one_sided: bool) -> f64 {
    gain_over_noise(&Family::fit(narrow(range, one_sided), binned, PENALTY, one_sided), binned)
}
