//! What is known of the samples and nobody asked for, though an answer may depend on it: donors, batches.

use crate::base::note::{Note, NoteKind};
use crate::base::remedies::TO_ADJUST;
use crate::base::{OptionName, text};
use crate::numeric::special::chi2_upper;
use std::collections::BTreeMap;

/// Columns with more values are no batches.
const MOST_BATCHES: usize = 20;
/// With fewer samples nothing is said.
const FEWEST_SAMPLES: usize = 8;
/// A column whose relation to the target is rarer than this by chance is told.
const RELATED: f64 = 0.005;
const MOST_NOTES: usize = 3;

/// A column of what is known of the samples: text, or nothing where a value is missing.
#[derive(Debug, Clone)]
pub struct SampleColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// One cell per sample.
    pub cells: Vec<Option<&'a str>>,
}

/// At most three notes, on columns that go together with the target though no option names them: those whose every value
/// stands with one value of the target only (donors), and those related to it more than by chance (χ² test, p < .005;
/// batches). `source` says where the columns are, such as "of the file of samples".
///
/// Cost: one pass over the cells.
pub fn notes_on_unused<'a>(
    target: &SampleColumn<'a>,
    unused: impl IntoIterator<Item = SampleColumn<'a>>,
    source: &str,
) -> Vec<Note> {
    let told = |column: SampleColumn<'a>| {
        let both = column.cells.iter().zip(&target.cells).filter_map(|(value, target)| Some(((*value)?, (*target)?)));
        note(column.name, target.name, &both.collect::<Vec<_>>(), source)
    };
    unused.into_iter().filter_map(told).take(MOST_NOTES).collect()
}

/// What a column says of the target.
#[derive(Debug, PartialEq, Eq)]
enum Relation {
    /// Each of its so many values stands with one value of the target only, and with several samples.
    Nested(usize),
    /// Its values and those of the target go together more than by chance.
    Related,
}

/// A note on a column, cell by cell beside the target's.
fn note(name: &str, target: &str, cells: &[(&str, &str)], source: &str) -> Option<Note> {
    let relation = relation(cells)?;
    let column = format!("`{name}` {source}").trim_end().to_string();
    let text = match relation {
        Relation::Nested(values) => text![
            format!(
                "{column} is not used: it has {values} values for {} samples, each with one `{target}` only, and samples \
                 that share one are hardly independent; give it as ",
                cells.len()
            ),
            OptionName::Block,
            " if it says where samples come from"
        ],
        Relation::Related => text![
            format!(
                "{column} is not used, and goes together with `{target}`: differences may come from it; give it as "
            ),
            OptionName::Covariate,
            TO_ADJUST
        ],
    };
    Some(Note::new(NoteKind::SampleColumns, text))
}

fn relation(cells: &[(&str, &str)]) -> Option<Relation> {
    let mut table = BTreeMap::<&str, BTreeMap<&str, f64>>::new();
    let mut totals = BTreeMap::<&str, f64>::new();
    for (value, target) in cells {
        *table.entry(value).or_default().entry(target).or_default() += 1.0;
        *totals.entry(target).or_default() += 1.0;
    }
    let (samples, values, classes) = (cells.len(), table.len(), totals.len());
    if samples < FEWEST_SAMPLES || classes < 2 || values < 2 || 2 * values > samples {
        return None;
    }
    if table.values().all(|row| row.len() == 1) {
        // as many values as classes: another name of the target
        return (values > classes).then_some(Relation::Nested(values));
    }
    if values > MOST_BATCHES || classes > MOST_BATCHES {
        return None;
    }
    let n = samples as f64;
    let mut statistic = -n;
    for row in table.values() {
        let size: f64 = row.values().sum();
        statistic += row.iter().map(|(class, count)| n * count * count / (size * totals[class])).sum::<f64>();
    }
    let df = ((values - 1) * (classes - 1)) as f64;
    (chi2_upper(statistic, df) < RELATED).then_some(Relation::Related)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(of: impl Fn(usize) -> (&'static str, &'static str)) -> Vec<(&'static str, &'static str)> {
        (0..40).map(of).collect()
    }

    #[test]
    fn donors_and_batches_are_told_and_others_are_not() {
        let classes = ["a", "b"];
        let donors = cells(|i| (["d1", "d2", "d3", "d4"][i / 10], classes[i / 20]));
        assert_eq!(relation(&donors), Some(Relation::Nested(4)));
        let batches = cells(|i| (["p", "q"][usize::from(i % 20 < 15)], classes[i / 20]));
        assert_eq!(relation(&batches), None);
        let confounded = cells(|i| (["p", "q"][usize::from(i % 10 < 8) ^ (i / 20)], classes[i / 20]));
        assert_eq!(relation(&confounded), Some(Relation::Related));
        assert_eq!(relation(&cells(|i| (["x", "y"][i / 20], classes[i / 20]))), None);
        assert_eq!(relation(&donors[..6]), None);
    }
}
