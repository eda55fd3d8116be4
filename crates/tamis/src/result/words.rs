//! A selection in words: the answer in one sentence, its input, its method.

use super::SelectionResult;
use crate::base::parameter::plain;
use crate::catalogue::Method;

impl SelectionResult {
    /// The answer in one sentence: "117 of 6033 features can be named; about 440 are expected to matter (95 % given the
    /// fit: 405–476)".
    pub fn sentence(&self) -> String {
        let kept = self.kept().len();
        let (n, k) = (self.n_selected.saturating_sub(kept), self.features.len());
        if self.lacks_evidence() {
            return format!(
                "no evidence that any feature matters: 0 of {k} features can be named, about 0 are expected to matter"
            );
        }
        let by = Method::find(&self.method.name).map_or("", |method| method.info().number_by);
        let expected = self.n_expected.zip(self.n_expected_95);
        let mut text = match (by, n) {
            ("k", _) => format!("{n} of {k} features chosen"),
            (_, 0) if expected.is_none() => format!("no feature stands out: 0 of {k} can be named"),
            _ => format!("{n} of {k} features can be named"),
        };
        if kept > 0 {
            text.push_str(&format!(", and {kept} kept on request"));
        }
        if let Some((expected, [low, high])) = expected {
            let about = if expected >= 10.0 { format!("{expected:.0}") } else { format!("{expected:.1}") };
            text.push_str(&format!("; about {about} are expected to matter (95 % given the fit: {low}–{high})"));
        }
        text
    }

    /// The input in words: file, rows, features, target and its classes.
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
        let target = if input.target.is_empty() { String::new() } else { format!("; `{}`{classes}", input.target) };
        if self.method.name == "shrink" {
            return format!("{}: {} scores{target}", input.file, input.rows);
        }
        format!("{}: {} rows, {} features{target}", input.file, input.rows, input.features)
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
