//! The volcano plot and, for counts, the MA plot: differences against p-values and against means.

use crate::escape::rounded;
use serde::Serialize;
use tamis::front::ColumnValues;
use tamis::result::SelectionResult;

/// Digits of a coordinate.
const DIGITS: usize = 5;

/// What the script needs beside the column of differences.
#[derive(Serialize)]
pub(crate) struct VolcanoPart {
    /// −log₁₀ p of every feature.
    log_p: Vec<Option<f64>>,
    /// The name of the differences.
    x: &'static str,
    /// The meaning of a difference, in one sentence.
    words: String,
    /// The mean of every feature over all rows, for counts.
    means: Option<Vec<Option<f64>>>,
}

/// The plots of a result whose features have differences and p-values.
pub(crate) fn part(saved: &SelectionResult) -> Option<VolcanoPart> {
    let columns = saved.columns();
    let differences = columns.iter().find(|column| column.key == "difference")?;
    let ColumnValues::Numbers(values) = &*differences.values else { return None };
    let shortened = |x: f64| rounded(x, DIGITS);
    let log_p = |feature: usize| saved.features.minus_log10_p(feature).map(shortened);
    let log_p: Vec<Option<f64>> = (0..saved.features.len()).map(log_p).collect();
    if !values.iter().zip(&log_p).any(|(value, p)| value.is_some() && p.is_some()) {
        return None;
    }
    let counts = saved.log_counts;
    let means = counts.then(|| saved.overall_means().into_iter().map(|mean| mean.map(shortened)).collect::<Vec<_>>());
    Some(VolcanoPart {
        log_p,
        x: match (&saved.input.classes, saved.input.events) {
            (Some(_), _) if counts => "log₂ fold change",
            (None, Some(_)) => "log hazard ratio",
            _ => differences.head,
        },
        words: words(saved),
        means: means.filter(|means| means.iter().any(Option::is_some)),
    })
}

/// How to read the plot.
fn words(saved: &SelectionResult) -> String {
    let right = match (&saved.input.positive, &saved.input.classes, saved.input.events) {
        (Some(positive), ..) => format!("are higher in class {positive}"),
        (None, Some(_), _) => "are higher in the positive class".into(),
        (None, None, Some(_)) => "raise the hazard".into(),
        (None, None, None) => "rise with the target".into(),
    };
    format!("Features to the right {right}; the higher a feature stands, the less it looks like chance.")
}
