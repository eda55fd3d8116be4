//! The whole table of features as delimited text, best rank first.

use super::{ColumnValues, Feature, SelectionResult};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Columns that are the same for every method, in their order.
type Value = fn(&Feature) -> Option<f64>;
const COLUMNS: [(&str, Value); 13] = [
    ("score", |f| f.score),
    ("statistic", |f| f.statistic),
    ("df", |f| f.df),
    ("p_value", |f| f.p_value),
    ("difference", |f| f.difference),
    ("difference_low", |f| f.difference_low),
    ("difference_high", |f| f.difference_high),
    ("shrunken_difference", |f| f.shrunken_difference),
    ("effect", |f| f.effect),
    ("lfsr", |f| f.lfsr),
    ("probability", |f| f.probability),
    ("q_value", |f| f.q_value),
    ("cluster", |f| f.cluster.map(f64::from)),
];

impl SelectionResult {
    /// Writes the table of features with this separator: rank, name, whether it is selected, then every number there is.
    /// A column that no feature has a number in is left out, and so is a cell without one.
    pub fn write_csv(&self, separator: char, out: &mut dyn Write) -> io::Result<()> {
        let own: Vec<_> = self.columns().into_iter().filter(|c| COLUMNS.iter().all(|(key, _)| *key != c.key)).collect();
        let known: Vec<_> =
            COLUMNS.iter().filter(|(_, value)| self.features.iter().any(|f| value(f).is_some())).collect();
        let classes: BTreeSet<&String> = self.features.iter().flat_map(|f| f.mean.keys()).collect();
        let counted = self.features.iter().any(|f| f.n.is_some());
        let mut head: Vec<String> = ["rank", "name", "selected"].map(String::from).to_vec();
        head.extend(counted.then(|| "n".into()));
        head.extend(classes.iter().map(|class| format!("mean_{class}")));
        let outstanding = self.features.iter().any(|f| f.stands_out.is_some());
        head.extend(outstanding.then(|| "stands_out".into()));
        head.extend(known.iter().map(|(key, _)| key.to_string()).chain(own.iter().map(|column| column.key.into())));
        write_line(&head, separator, out)?;
        let mut order: Vec<usize> = (0..self.features.len()).collect();
        order.sort_by_key(|&i| self.features[i].rank);
        let text = |value: Option<f64>| value.map_or_else(String::new, |x| x.to_string());
        for i in order {
            let feature = &self.features[i];
            let mut cells = vec![feature.rank.to_string(), feature.name.clone(), feature.selected.to_string()];
            cells.extend(counted.then(|| feature.n.map_or_else(String::new, |n| n.to_string())));
            cells.extend(classes.iter().map(|class| text(feature.mean.get(*class).copied())));
            cells.extend(outstanding.then(|| feature.stands_out.clone().unwrap_or_default()));
            cells.extend(known.iter().map(|(_, value)| text(value(feature))));
            cells.extend(own.iter().map(|column| match &column.values {
                ColumnValues::Numbers(numbers) => text(numbers[i]),
                ColumnValues::Features(others) => {
                    others[i].map_or_else(String::new, |other| self.features[other as usize].name.clone())
                }
            }));
            write_line(&cells, separator, out)?;
        }
        Ok(())
    }
}

/// Writes cells, in quotation marks where they need them.
fn write_line(cells: &[String], separator: char, out: &mut dyn Write) -> io::Result<()> {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            write!(out, "{separator}")?;
        }
        if cell.contains([separator, '"', '\n', '\r']) {
            write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            out.write_all(cell.as_bytes())?;
        }
    }
    out.write_all(b"\n")
}
