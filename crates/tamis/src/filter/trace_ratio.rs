//! `trace-ratio`: the set of features with the largest ratio of variance between the classes to that within, together.

use super::ranking::info;
use super::scatter::{Scatter, scored};
use crate::base::parameter::parameters;
use crate::base::remedies::no_scored_feature;
use crate::base::{Auto, Context, Describe, MethodInfo, Progress, Result};
use crate::selection::k::k;
use crate::selection::{RankedFeatures, Selection, Selector, resolve_k};
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
    /// The set S of `k` features that maximises Σ_{j∈S} B_j / Σ_{j∈S} W_j, where B_j is the scatter of feature j between
    /// the classes and W_j its scatter within them.
    ///
    /// Unlike [`Fisher`](crate::filter::Fisher), it sums scatter over features, so that their units matter: standardise
    /// features of different units first. A missing value is left out.
    ///
    /// Cost: two passes over the table and a few sorts ([`trace_ratio`]).
    ///
    /// Errors: [`Error::Method`](crate::Error::Method) for a numeric target; [`Error::Data`](crate::Error::Data) for a
    /// column of categories and if no feature varies; [`Error::Parameter`](crate::Error::Parameter) if `k` is 0 or not less
    /// than the number of features that vary.
    ///
    /// Reference: Nie et al., *Trace ratio criterion for feature selection*, AAAI 2008.
    ///
    /// ```
    /// use tamis::{Context, Selector, filter::TraceRatio, simulate::TwoGroups};
    ///
    /// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
    /// let selection = TraceRatio::default().select(&drawn.table.view(), &mut Context::default())?;
    /// assert_eq!(selection.selected.len(), 10);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct TraceRatio {
        k: Auto<usize> = Auto::Auto, k!(range), k!(purpose);
    }
}

impl Describe for TraceRatio {
    fn info() -> MethodInfo {
        info(
            "trace-ratio",
            "the k features whose summed variance between the classes is largest relative to that within; units matter",
            "Nie et al., Trace ratio criterion for feature selection, AAAI 2008",
            TraceRatio::described(),
        )
    }
}

impl Selector for TraceRatio {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        context.step("scoring", 0, 1)?;
        let (scatter, size, mut notes) = scored(data, "trace-ratio")?;
        let usable = size.iter().filter(|s| !s.is_nan()).count();
        if usable == 0 {
            return Err(no_scored_feature());
        }
        let (k, note) = resolve_k(self.k, usable)?;
        notes.extend(note);
        let (order, _) = trace_ratio(&scatter, k);
        let order = order.into_iter().map(|i| i as u32).collect();
        let record = TraceRatio { k: Auto::Set(k) }.record();
        Ok(RankedFeatures { order, scores: size, notes }.into_selection(data, record, context.seed))
    }
}

/// The `k` features whose scatter between the classes, summed, is largest against that within (Nie et al. 2008), best
/// first, and the ratio λ: with it, features rank by between − λ·within.
///
/// Cost: a handful of sorts. The ratio rises at every step, so the iteration ends at the optimum.
pub fn trace_ratio(scatter: &[Scatter], k: usize) -> (Vec<usize>, f64) {
    let usable: Vec<usize> = (0..scatter.len()).filter(|&i| scatter[i].between + scatter[i].within > 0.0).collect();
    let mut ratio = 0.0;
    loop {
        let gain = |i: usize| scatter[i].between - ratio * scatter[i].within;
        let mut order = usable.clone();
        order.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
        order.truncate(k);
        let sums = order.iter().fold((0.0, 0.0), |(a, b), &i| (a + scatter[i].between, b + scatter[i].within));
        let next = sums.0 / sums.1;
        let rises = next > ratio * (1.0 + 1e-14);
        if !rises || next.is_infinite() {
            return (order, if next.is_infinite() { next } else { ratio.max(next) });
        }
        ratio = next;
    }
}
