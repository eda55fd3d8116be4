//! What `snbl` says about a table by default, beside two procedures for p-values.

use tamis::numeric::special::{ndtr, normal_two_sided};
use tamis::selection::Selection;
use tamis::{Context, Selector, Snbl, Table};

/// The answer about a table.
pub struct Judged {
    pub selection: Selection,
    one_sided: bool,
}

/// The answer by default.
pub fn judge(table: &Table, seed: u64) -> Judged {
    judge_by(&Snbl::default(), table, seed)
}

/// The answer of a method with these settings.
pub fn judge_by(snbl: &Snbl, table: &Table, seed: u64) -> Judged {
    let selection = snbl.select(&table.view(), &mut Context::seeded(seed)).unwrap();
    let one_sided = table.target().n_classes().is_some_and(|n| n > 2);
    Judged { selection, one_sided }
}

impl Judged {
    /// The scores, on the normal scale.
    pub fn z(&self) -> &[f64] {
        &self.selection.scores
    }

    /// The named features.
    pub fn named(&self) -> &[u32] {
        &self.selection.selected
    }

    /// What Benjamini and Hochberg's procedure names.
    pub fn by_p(&self, rate: f64) -> Vec<u32> {
        benjamini_hochberg(self.z(), self.one_sided, rate)
    }

    /// What it names with Storey's estimate of how many features do not differ, from p-values above ½: his q-value.
    pub fn by_q(&self, rate: f64) -> Vec<u32> {
        let p = p_values(self.z(), self.one_sided);
        let large = p.iter().filter(|(p, _)| *p > 0.5).count() as f64;
        let share = (2.0 * large / p.len() as f64).clamp(1e-3, 1.0);
        benjamini_hochberg(self.z(), self.one_sided, rate / share)
    }
}

/// p-values that are not missing, each with its feature.
fn p_values(scores: &[f64], one_sided: bool) -> Vec<(f64, u32)> {
    let p = |z: f64| if one_sided { ndtr(-z) } else { normal_two_sided(z) };
    scores.iter().zip(0..).filter(|(z, _)| !z.is_nan()).map(|(z, i)| (p(*z), i)).collect()
}

/// The features that Benjamini and Hochberg's step-up procedure rejects.
pub fn benjamini_hochberg(scores: &[f64], one_sided: bool, rate: f64) -> Vec<u32> {
    let mut by_p = p_values(scores, one_sided);
    by_p.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = by_p.len() as f64;
    let rejected = (1..=by_p.len()).rev().find(|&k| by_p[k - 1].0 <= rate * k as f64 / n).unwrap_or(0);
    by_p[..rejected].iter().map(|(_, i)| *i).collect()
}

/// How many of the named are right, and how many are not.
pub fn split(named: &[u32], is_right: impl Fn(u32) -> bool) -> [usize; 2] {
    let right = named.iter().filter(|i| is_right(**i)).count();
    [right, named.len() - right]
}

/// The share of false ones, 0 if nothing is named.
pub fn false_share([right, wrong]: [usize; 2]) -> f64 {
    wrong as f64 / (right + wrong).max(1) as f64
}
