//! Tests of counts over bootstraps.

use crate::numeric::special::ln_beta;
use serde::{Deserialize, Serialize};

/// How p-values are adjusted for there being many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Adjust {
    /// Benjamini & Hochberg 1995: the false discovery rate.
    Bh,
    /// Holm 1979: any false discovery at all.
    Holm,
    /// Not at all.
    None,
}

/// P(Z ≥ z) for Z binomial with `n` trials of probability `p`, relatively exact in both tails.
pub fn binomial_tail(n: u64, p: f64, z: u64) -> f64 {
    if z == 0 || p >= 1.0 {
        return if z <= n { 1.0 } else { 0.0 };
    }
    if z > n || p <= 0.0 {
        return 0.0;
    }
    let (n, z, odds) = (n as f64, z as f64, p / (1.0 - p));
    let mass = |j: f64| {
        // by products where they cannot underflow: p² must come out as p², for a level may be just that
        if n <= 60.0 {
            let ways: f64 = (0..j as u32).map(|i| (n - f64::from(i)) / (j - f64::from(i))).product();
            return ways.round() * p.powf(j) * (1.0 - p).powf(n - j);
        }
        (j * p.ln() + (n - j) * (-p).ln_1p() - (n + 1.0).ln() - ln_beta(j + 1.0, n - j + 1.0)).exp()
    };
    if z > n * p {
        // terms fall from z on
        let (mut term, mut sum, mut j) = (1.0, 1.0, z);
        while j < n && term > 1e-18 * sum {
            term *= (n - j) / (j + 1.0) * odds;
            sum += term;
            j += 1.0;
        }
        return (mass(z) * sum).min(1.0);
    }
    let (mut term, mut sum, mut j) = (1.0, 1.0, z - 1.0);
    while j > 0.0 && term > 1e-18 * sum {
        term *= j / (n - j + 1.0) / odds;
        sum += term;
        j -= 1.0;
    }
    (1.0 - mass(z - 1.0) * sum).max(0.0)
}

/// The smallest ζ with P(Z > ζ) ≤ α: a feature chosen more often than ζ times is relevant (NPFS eq. 3). Where it is `n`
/// the test can never reject.
pub fn critical_value(n: u64, p: f64, alpha: f64) -> u64 {
    // the tail falls as ζ grows
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = (low + high) / 2;
        if binomial_tail(n, p, middle + 1) <= alpha {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// p-values adjusted, in the order they came.
pub fn adjusted(p: &[f64], how: Adjust) -> Vec<f64> {
    let n = p.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut out = vec![0.0; n];
    match how {
        Adjust::None => out.copy_from_slice(p),
        Adjust::Bh => {
            let mut least = 1.0_f64;
            for (rank, &i) in order.iter().enumerate().rev() {
                least = least.min(p[i] * n as f64 / (rank + 1) as f64);
                out[i] = least;
            }
        }
        Adjust::Holm => {
            let mut most = 0.0_f64;
            for (rank, &i) in order.iter().enumerate() {
                most = most.max(p[i] * (n - rank) as f64).min(1.0);
                out[i] = most;
            }
        }
    }
    out
}

/// p-values against pooled values under the null: (1 + how many are as large)/(1 + how many there are).
pub(crate) fn pooled_p_values(found: &[f64], null: &[f64]) -> Vec<f64> {
    let mut sorted = null.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let as_large = |value: f64| sorted.len() - sorted.partition_point(|n| *n < value);
    found.iter().map(|&value| (1 + as_large(value)) as f64 / (1 + sorted.len()) as f64).collect()
}

/// After how many of the `n` bootstraps every feature is settled: it has been chosen more than ζ times, or cannot be
/// any more. `chosen` are the features of each bootstrap, in order; `None` if they do not settle it.
pub fn settled_after(chosen: &[Vec<u32>], features: usize, critical: u64, n: u64) -> Option<usize> {
    let mut counts = vec![0_u64; features];
    let is_open = |count: u64, done: u64| count <= critical && count + (n - done) > critical;
    for (b, some) in chosen.iter().enumerate() {
        some.iter().for_each(|&i| counts[i as usize] += 1);
        let done = b as u64 + 1;
        if !counts.iter().any(|&c| is_open(c, done)) {
            return Some(b + 1);
        }
    }
    None
}

/// Half the width of the interval around a frequency over `n` bootstraps that holds its expectation with probability
/// 1 − α, whatever the distribution (Hoeffding; NPFS eq. 5).
pub(crate) fn hoeffding_half_width(n: u64, alpha: f64) -> f64 {
    ((2.0 / alpha).ln() / (2.0 * n as f64)).sqrt()
}

/// Kuncheva's consistency index, averaged over all pairs of sets: 1 for equal sets, 0 for what chance would give. Sets of
/// different sizes enter with their expected overlap (Lustgarten 2009, scaled alike). NaN where nothing can vary.
///
/// Cost: by counts, features × different sizes of sets, not pairs of sets.
pub fn mean_kuncheva(counts: &[u32], sizes: &[u32]) -> f64 {
    let (features, n) = (counts.len() as f64, sizes.len() as f64);
    if n < 2.0 || sizes.iter().any(|s| *s != sizes[0]) {
        return mean_nogueira(counts, sizes);
    }
    let k = f64::from(sizes[0]);
    if k == 0.0 || k == features {
        return f64::NAN;
    }
    // Σ over pairs of |A∩B| = Σ_i z_i (z_i − 1)/2
    let shared: f64 = counts.iter().map(|z| f64::from(*z) * (f64::from(*z) - 1.0) / 2.0).sum();
    let overlap = shared / (n * (n - 1.0) / 2.0);
    (overlap * features - k * k) / (k * (features - k))
}

/// Nogueira's generalisation to sets of different sizes (JMLR 2018), which is Kuncheva's index where sizes are equal.
fn mean_nogueira(counts: &[u32], sizes: &[u32]) -> f64 {
    let (features, n) = (counts.len() as f64, sizes.len() as f64);
    if n < 2.0 {
        return f64::NAN;
    }
    let variance = |z: u32| {
        let p = f64::from(z) / n;
        n / (n - 1.0) * p * (1.0 - p)
    };
    let mean_size = sizes.iter().map(|s| f64::from(*s)).sum::<f64>() / n;
    let spread = mean_size / features * (1.0 - mean_size / features);
    if spread > 0.0 { 1.0 - counts.iter().map(|z| variance(*z)).sum::<f64>() / features / spread } else { f64::NAN }
}
