//! The summary of one column in the first walk: its range, quantiles or values, mergeable.

use crate::base::{Place, Result};
use crate::merge::feature::{check_categories, text_among_numbers};
use crate::stream::sketch::Sketch;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The summary kept of a numeric column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SummaryKind {
    /// The smallest and the largest.
    Range,
    /// A [`Sketch`] of so many.
    Quantiles(usize),
    /// The different values, while a byte can tell them apart.
    Values,
}

/// The most different values that are kept.
const MOST_VALUES: usize = 256;

/// A column so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColumnSummary {
    /// Whether a row that counts has no value.
    pub(crate) missing: bool,
    pub(crate) known: ValueSummary,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) enum ValueSummary {
    #[default]
    Nothing,
    Numbers(NumberSummary),
    Categories(BTreeSet<String>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NumberSummary {
    pub(crate) low: f64,
    /// The smallest number above it.
    pub(crate) next: Option<f64>,
    pub(crate) high: f64,
    pub(crate) sketch: Option<Sketch>,
    /// Sorted; one too many where there are too many.
    pub(crate) values: Vec<f64>,
}

impl ColumnSummary {
    pub(super) fn merge(&mut self, other: ColumnSummary, place: impl Fn() -> Place) -> Result<()> {
        self.missing |= other.missing;
        match (&mut self.known, other.known) {
            (_, ValueSummary::Nothing) => {}
            (ours @ ValueSummary::Nothing, theirs) => *ours = theirs,
            (ValueSummary::Numbers(ours), ValueSummary::Numbers(theirs)) => ours.merge(theirs),
            (ValueSummary::Categories(ours), ValueSummary::Categories(theirs)) => {
                ours.extend(theirs);
                check_categories(ours.len(), ours.first(), place)?;
            }
            (ValueSummary::Categories(texts), _) => return Err(text_among_numbers(texts.first(), place())),
            (_, ValueSummary::Categories(texts)) => return Err(text_among_numbers(texts.first(), place())),
        }
        Ok(())
    }
}

impl NumberSummary {
    /// Of these numbers with weights; `None` if there are none.
    pub(super) fn of(known: &[(f64, f64)], keep: SummaryKind) -> Option<NumberSummary> {
        let numbers = || known.iter().map(|(x, _)| *x);
        let low = numbers().reduce(f64::min)?;
        let high = numbers().fold(low, f64::max);
        let next = numbers().filter(|x| *x > low).reduce(f64::min);
        let sketch = match keep {
            SummaryKind::Quantiles(k) => {
                let mut sketch = Sketch::new(k);
                sketch.extend(known.iter().copied());
                Some(sketch)
            }
            _ => None,
        };
        let mut values = vec![];
        if keep == SummaryKind::Values {
            values = numbers().map(|x| x + 0.0).collect();
            sort_values(&mut values);
        }
        Some(NumberSummary { low, next, high, sketch, values })
    }

    fn merge(&mut self, other: NumberSummary) {
        let low = self.low.min(other.low);
        let above = [Some(self.low), self.next, Some(other.low), other.next];
        self.next = above.into_iter().flatten().filter(|x| *x > low).reduce(f64::min);
        self.low = low;
        self.high = self.high.max(other.high);
        match (&mut self.sketch, other.sketch) {
            (Some(ours), Some(theirs)) => ours.merge(theirs),
            (ours @ None, theirs) => *ours = theirs,
            _ => {}
        }
        self.values.extend(other.values);
        sort_values(&mut self.values);
    }
}

fn sort_values(values: &mut Vec<f64>) {
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    values.truncate(MOST_VALUES + 1);
}
