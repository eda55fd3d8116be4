//! A table in pieces: what it allows, and the answer.

use super::{Analysis, Caller, Found, TableFiles};
use crate::base::parameter::plain;
use crate::base::{Error, OptionName, Progress, Result, Text, text};
use crate::catalogue::Method;
use crate::merge::{Frame, Merged, merge_files};
use crate::sparse_means::Snbl;
use crate::table::sample_like_columns;
use std::path::PathBuf;

/// Scores that sums or binned ranks give.
const SCORES: [&str; 7] = ["auto", "welch", "pooled", "f", "pearson", "mann-whitney", "kruskal"];
/// Bases of npfs that count information.
const BASES: [&str; 6] = ["jmi", "mrmr", "mim", "cmim", "disr", "jmim"];

impl Analysis {
    /// Refuses what needs the whole table.
    pub(super) fn check_pieces(&self, files: &TableFiles) -> Result<()> {
        let needs = |what: &str| text![format!("{what} the whole table, and "), files.reason()];
        if let Some(event) = &files.options.event {
            return Err(Error::parameter(OptionName::Event, event, needs("survival times need")));
        }
        if let Some(path) = &files.feature_groups {
            return Err(Error::parameter(OptionName::FeatureGroups, path.display(), needs("groups of features need")));
        }
        self.refuse_beside("tables read in pieces")?;
        let normalize = self.preparation.normalize();
        if normalize.gives_log_counts() {
            let expected = text![needs("library sizes need"), "; ", files.otherwise()];
            return Err(Error::parameter(OptionName::Normalize, normalize, expected));
        }
        let (key, others) = match &self.method {
            Method::Snbl(snbl) if snbl.score.by_moments() || snbl.score.by_ranks() => return Ok(()),
            method if method.coding().is_some() => return Ok(()),
            Method::Snbl(_) => ("score", one_of("score", &SCORES)),
            Method::Npfs(_) => ("base", one_of("base", &BASES)),
            _ => ("", text![OptionName::Method.set("snbl"), ", a mutual-information filter, or `npfs`"]),
        };
        let value = self.method.parameters().get(key).map(plain);
        let with = value.map_or_else(String::new, |value| format!("with {key}={value} "));
        let problem = text![format!("{with}needs the whole table, and "), files.reason()];
        Err(Error::method(self.method.name(), problem, text!["pass ", others, "; or ", files.otherwise()]))
    }

    /// Selects from files that are read in pieces.
    pub(super) fn select_pieces(
        &self,
        files: &TableFiles,
        caller: Caller,
        progress: &mut dyn Progress,
    ) -> Result<Found> {
        self.check_pieces(files)?;
        let keep = &files.options.keep;
        let mut answer = match &self.method {
            Method::Snbl(snbl) => {
                let stream = files.stream(snbl.clone(), self.seed);
                match snbl.score.by_moments() {
                    true => stream.select_summed(&files.paths, keep, progress)?,
                    false => stream.select_ranked(&files.paths, keep, progress)?,
                }
            }
            method => files.stream(Snbl::default(), self.seed).select_coded(&files.paths, method, keep, progress)?,
        };
        let selection = &mut answer.selection;
        selection.reach(self.least_features);
        let like_samples = sample_like_columns(selection.names.iter().map(String::as_str));
        selection.notes.splice(0..0, like_samples);
        Ok(Found::of_answer(answer, &files.name, caller))
    }
}

/// The answer of the states of many shards, in files that the user calls `name`, with some settings of their method changed;
/// features called as in `keep` are selected in any case.
///
/// # Errors
///
/// States that are not of one table, settings that the method does not have, and those of [`State::answer`].
///
/// [`State::answer`]: crate::front::State::answer
pub fn answer_of_parts(
    parts: &[PathBuf],
    name: &str,
    settings: &[(&str, &str)],
    keep: &[String],
    progress: &mut dyn Progress,
) -> Result<Found> {
    let caller = Caller::of(progress);
    let method = |frame: &Frame| -> Result<Snbl> {
        let own = Method::Snbl(frame.method.clone());
        settings.iter().try_fold(own, |method, (key, value)| method.with(key, value))?.into_snbl()
    };
    let answer = match merge_files(parts, progress)? {
        Merged::Plain(state) => state.answer(&method(state.frame())?, keep, progress)?,
        Merged::Rows(state) => state.answer(&method(state.frame())?, keep, progress)?,
    };
    Ok(Found::of_answer(answer, name, caller))
}

/// The first of several values of a parameter as a front end sets it, and the others.
fn one_of(key: &'static str, values: &[&str]) -> Text {
    let [first, others @ .., last] = values else { return Text::default() };
    let others: String = others.iter().map(|value| format!(", `{value}`")).collect();
    text![OptionName::from(key).set(first), format!("{others} or `{last}`")]
}
