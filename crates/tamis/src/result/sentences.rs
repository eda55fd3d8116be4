//! A selection in words: the answer in one sentence, its input, its method.

use super::SelectionResult;
use super::column_values::ColumnValues;
use super::remarks::rounded;
use crate::base::parameter::plain;
use crate::base::{counted, plural, visible_lines};
use crate::catalogue::Method;
use crate::selection::detail::RelationKind;

/// Features of a kind that a second look names in words; tables have all.
const LISTED_BY_SECOND_LOOK: usize = 6;

impl SelectionResult {
    /// The whole answer in words: its sentences, then the remarks that belong before the list of features, a line each.
    pub fn answer_words(&self) -> String {
        let lines: Vec<String> = self.sentences().into_iter().chain(self.remarks()).collect();
        lines.join("\n")
    }

    /// The answer in one sentence: "42 of 2000 features differ between treated and control; about 1 of the 42 is expected to
    /// be a false alarm."
    pub fn sentence(&self) -> String {
        self.sentences().swap_remove(0)
    }

    /// The answer, a sentence each: what is selected, how many there are in all, how many of them are clear. Hidden
    /// characters of names are escaped.
    pub fn sentences(&self) -> Vec<String> {
        let sentences = match () {
            () if self.is_of_needed() && self.findings.is_some() => self.needed_lines(),
            () if self.has_directional_probabilities() => self.answer_lines(),
            () => vec![self.short_answer()],
        };
        sentences.iter().map(|sentence| visible_lines(sentence).into_owned()).collect()
    }

    /// "12 of 60 features chosen", "3 of 60 features can be named (2 by level, 1 by shape)".
    fn short_answer(&self) -> String {
        let kept = self.kept.len();
        let (n, k) = (self.n_selected.saturating_sub(kept), self.features.len());
        let all = counted(k, "feature");
        let by = Method::find(&self.method.name).map_or("", |method| method.info().number_by);
        let mut text = match (by, n) {
            _ if self.no_evidence => {
                format!("no evidence that any feature matters: 0 of {all} can be named")
            }
            ("k", _) => format!("{n} of {all} chosen"),
            (_, 0) if self.n_expected_95.is_none() => format!("no feature stands out: 0 of {k} can be named"),
            (_, 0) => format!("no feature of {k} can be named"),
            _ => format!("{n} of {all} can be named"),
        };
        text.push_str(&self.kind_words());
        let clusters = self.clusters().len();
        if (1..n).contains(&clusters) {
            text.push_str(&format!(", in {}", counted(clusters, "cluster")));
        }
        if kept > 0 {
            text.push_str(&format!(", and {kept} kept on request"));
        }
        text + &self.number_words()
    }

    /// How many of the named features are of each kind.
    fn kind_words(&self) -> String {
        let Some(ColumnValues::Texts(kinds)) = self.features.column("kind") else { return String::new() };
        let count = |kind: RelationKind| {
            let of_kind =
                |(selected, found): &(&bool, &Option<String>)| **selected && found.as_deref() == Some(kind.name());
            self.features.selected.iter().zip(kinds).filter(of_kind).count()
        };
        let words = |kind: RelationKind| match kind {
            RelationKind::Level => "by level",
            RelationKind::Shape => "by shape",
            RelationKind::Together => "together with another",
        };
        let found = RelationKind::ALL.map(|kind| (count(kind), words(kind)));
        let told: Vec<String> =
            found.iter().filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")).collect();
        if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) }
    }

    /// Relations that a second look found, if any: "Not named, but related in other ways: 2 by shape (f3, f9), 4 only together
    /// with another feature (f1, f2, f5, f6) (method `dependence`)".
    pub(super) fn second_look_words(&self) -> Option<String> {
        let seen = self.second_look.as_ref().filter(|seen| !seen.is_empty())?;
        let parts = [(&seen.shape, "by shape"), (&seen.together, "only together with another feature")];
        let found = parts.iter().filter(|(features, _)| !features.is_empty());
        let told: Vec<String> = found
            .map(|(features, words)| {
                let listed: Vec<String> = features
                    .iter()
                    .take(LISTED_BY_SECOND_LOOK)
                    .map(|&feature| format!("`{}`", self.features.names[feature as usize]))
                    .chain((features.len() > LISTED_BY_SECOND_LOOK).then(|| "…".into()))
                    .collect();
                format!("{} {words} ({})", features.len(), listed.join(", "))
            })
            .collect();
        let among = match seen.features < self.features.len() {
            true => format!(
                ", among {} that {} looked at",
                counted(seen.features, "feature"),
                plural(seen.features, "was", "were")
            ),
            false => String::new(),
        };
        Some(format!("Not named, but related in other ways: {}{among} (method `dependence`)", told.join(", ")))
    }

    /// How many features matter, given the prior.
    fn number_words(&self) -> String {
        let Some([low, high]) = self.n_expected_95 else { return String::new() };
        let Some(expected) = self.n_expected.filter(|_| !self.no_evidence) else { return String::new() };
        let about = rounded(expected);
        format!("; about {about} are expected to matter ({low} to {high}, if the fitted prior is right)")
    }

    /// The input in words: file, rows, features, target and its classes or events.
    pub fn input_words(&self) -> String {
        const LISTED: usize = 8;
        let input = &self.input;
        let classes = input.classes.as_ref().map_or_else(String::new, |classes| {
            let count = |(label, n): (&String, &u64)| {
                let mark = if input.positive.as_ref() == Some(label) { ", positive" } else { "" };
                format!("{label} ({n}{mark})")
            };
            let mut counts: Vec<String> = classes.iter().take(LISTED).map(count).collect();
            if classes.len() > LISTED {
                counts.push(format!("and {} more", classes.len() - LISTED));
            }
            format!(": {}", counts.join(", "))
        });
        let events = input.events.map_or_else(String::new, |events| match &input.event {
            Some(name) => format!(": {} in `{name}`", counted(events, "event")),
            None => format!(": {}", counted(events, "event")),
        });
        let target =
            if input.target.is_empty() { String::new() } else { format!("; `{}`{classes}{events}", input.target) };
        if self.method.name == "shrink" {
            return format!("{}: {}{target}", input.file, counted(input.rows, "score"));
        }
        format!("{}: {}, {}{target}", input.file, input.rows_in_words(), counted(input.features, "feature"))
    }

    /// What features were adjusted for and how their variances were moderated, in words; `None` where they were not.
    pub fn design_words(&self) -> Option<String> {
        let design = self.design.as_ref()?;
        let quoted = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let mut parts = vec![];
        if !design.covariates.is_empty() {
            parts.push(format!("adjusted for {}", quoted(&design.covariates)));
        }
        if let (Some(formula), Some(test)) = (&design.formula, &design.test) {
            let how = if design.test_df > 1 {
                format!(", F on {} degrees of freedom", design.test_df)
            } else {
                String::new()
            };
            parts.push(format!("model `{formula}`, test `{test}`{how}"));
        }
        if let Some(blocks) = &design.blocks {
            parts.push(format!("blocks of `{blocks}`, {}", counted(design.rows_used, "sample")));
        }
        if let Some(rho) = design.block_correlation {
            parts.push(format!("rows of a block correlated by {rho:.2}"));
        }
        if !design.sample_weights.is_empty() {
            let weights = design.sample_weights.iter().map(|sample| sample.weight);
            let [least, most] = [weights.clone().fold(f64::INFINITY, f64::min), weights.fold(0.0, f64::max)];
            parts.push(format!("samples weighted from {least:.2} to {most:.2}"));
        }
        if let Some([from, to]) = &design.contrast {
            parts.push(format!("`{to}` compared with `{from}`"));
        }
        match (design.prior_df, design.prior_var) {
            _ if design.by_class => parts.push("variances moderated by class".into()),
            (Some(df), _) => parts.push(format!("variances moderated (prior {df:.1} degrees of freedom)")),
            (None, Some(_)) => parts.push("variances fully moderated: they differ by no more than chance".into()),
            (None, None) => {}
        }
        if let (Some(true), Some(share)) = (design.trend, design.trend_share) {
            let percent = 100.0 * share;
            parts.push(format!("variances follow the features' means, which explain {percent:.0} % of their spread"));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The method's name and the parameters worth telling: those that say most, and those that are not their defaults.
    pub fn method_words(&self) -> String {
        const ALWAYS: [&str; 4] = ["score", "prior", "null", "base"];
        let Ok(default) = Method::find(&self.method.name) else { return self.method.name.clone() };
        let defaults = default.parameters();
        let keys = default.info().parameters.into_iter().map(|parameter| parameter.name);
        let told: Vec<String> = keys
            .filter_map(|key| self.method.parameters.get(key).map(|value| (key, value)))
            .filter(|(key, value)| ALWAYS.contains(key) || defaults.get(*key) != Some(value))
            .filter(|(key, _)| !(self.method.name == "shrink" && *key == "permutations")) // scores have none
            .map(|(key, value)| format!("{key} {}", plain(value)))
            .collect();
        let told = if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) };
        format!("{}{told}", self.method.name)
    }

    /// The method's page in one line.
    pub fn method_summary(&self) -> &'static str {
        Method::find(&self.method.name).map_or("", |method| method.info().summary)
    }
}
