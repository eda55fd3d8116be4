//! Facts about an input that results carry.

use super::study::{ROW, SAMPLE};
use super::{Target, View};
use crate::base::counted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The input of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct InputFacts {
    /// The file's name, without its folder.
    pub file: String,
    /// Where the file was, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Rows that were used.
    pub rows: usize,
    /// Whether these are samples by the layout of the file: features are in rows, or samples have a file of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rows_are_samples: bool,
    /// Features there are.
    pub features: usize,
    /// The target's name (for `shrink`, the column of scores).
    pub target: String,
    /// How many rows each class has; absent for a target without classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<BTreeMap<String, u64>>,
    /// The positive class, where there are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// The column of events, where the target is survival times from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// In how many rows the event happened, where the target is survival times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
}

impl InputFacts {
    /// The facts of a view of a table.
    pub fn of(file: impl Into<String>, target_name: &str, data: &View) -> Self {
        // what is tested of a model is a number, whatever its variables are
        let tested = data.model().is_some();
        let (classes, positive) = match data.target() {
            _ if tested => (None, None),
            Target::Classes { labels, positive, .. } => (
                Some(labels.iter().cloned().zip(data.class_counts()).collect()),
                (labels.len() == 2).then(|| labels[*positive as usize].clone()),
            ),
            Target::Real { .. } | Target::Survival { .. } => (None, None),
        };
        InputFacts {
            file: file.into(),
            path: None,
            rows: usize::try_from(data.n_samples()).unwrap_or(usize::MAX),
            rows_are_samples: data.rows_are_samples(),
            features: data.names().len(),
            target: data.model().map_or(target_name, |model| &model.test).into(),
            classes,
            positive,
            event: data.event_name().map(Into::into),
            events: data.target().of_rows(data.rows()).n_events(),
        }
    }

    /// The rows in words: "12 samples", "1 row".
    pub fn rows_in_words(&self) -> String {
        counted(self.rows, if self.rows_are_samples { SAMPLE } else { ROW })
    }
}
