//! The answer of `prior=auto` in three lines: what is named, how many there are, how many of them are clear.

use super::SelectionResult;
use super::remarks::rounded;
use crate::base::{counted, plural, some_of};

/// What noise is compared with where there are no null targets.
pub(super) const TABLES_OF_NOISE: &str = "tables of independent noise";

impl SelectionResult {
    /// The three lines, fewer where a line would say nothing.
    pub(super) fn answer_lines(&self) -> Vec<String> {
        let named = self.n_selected.saturating_sub(self.kept.len());
        if self.no_evidence {
            return self.nothing_found();
        }
        let mut lines = vec![self.named_line(named)];
        lines.extend(self.how_many_line(named));
        lines.extend(self.clear_line());
        lines
    }

    /// "42 of 2000 features differ between treated and control; about 1 of the 42 is expected to be a false alarm."
    fn named_line(&self, named: usize) -> String {
        let all = counted(self.features.len(), "feature");
        let mut line = match named {
            0 => format!(
                "The table as a whole differs from noise, but none of {all} can be shown to {}",
                self.relation([1, 0])
            ),
            n => format!("{n} of {all} {}{}", self.relation([n, 1]), self.false_alarms(n)),
        };
        if !self.kept.is_empty() {
            line.push_str(&format!("; {} kept on request", counted(self.kept.len(), "feature")));
        }
        let clusters = self.clusters().len();
        if clusters > 0 && 2 * clusters <= named {
            let clusters = counted(clusters, "cluster");
            line.push_str(&format!(". The {named} form {clusters} of features that move together"));
        }
        line + "."
    }

    /// How a named feature is related to the target. The verb agrees with `number`; the second number asks for the form
    /// behind "to" (0) or for the finite one (1).
    fn relation(&self, [number, finite]: [usize; 2]) -> String {
        let verb = |one: &'static str, more: &'static str| if finite == 1 { plural(number, one, more) } else { more };
        let at_least = match self.method.parameters.get("min_difference").and_then(serde_json::Value::as_f64) {
            Some(least) if least > 0.0 => format!(" by more than {least}"),
            _ => String::new(),
        };
        let differ = verb("differs", "differ");
        let contrast = self.design.as_ref().and_then(|design| design.contrast.as_ref());
        match (&self.input.classes, contrast) {
            (_, Some([from, to])) => format!("{differ}{at_least} between {to} and {from}"),
            (Some(classes), None) => {
                let positive = self.input.positive.as_ref();
                let mut names: Vec<&str> = positive.into_iter().map(String::as_str).collect();
                names.extend(classes.keys().filter(|name| Some(*name) != positive).map(String::as_str));
                match &names[..] {
                    [first, second] => format!("{differ}{at_least} between {first} and {second}"),
                    [first, second, third] => format!("{differ} among {first}, {second} and {third}"),
                    _ => format!("{differ} among the {} classes of `{}`", names.len(), self.input.target),
                }
            }
            (None, None) if self.input.events.is_some() => {
                format!("{} with longer or shorter survival", verb("goes", "go"))
            }
            (None, None) if self.method.name == "shrink" => format!("{} an effect", verb("has", "have")),
            (None, None) => format!("{} with `{}`", verb("rises or falls", "rise or fall"), self.input.target),
        }
    }

    fn false_alarms(&self, named: usize) -> String {
        match (named, self.expected_false) {
            (_, None) => String::new(),
            (1, Some(wrong)) if wrong < 0.01 => "; it is a false alarm with a probability below 0.01".into(),
            (1, Some(wrong)) => format!("; it is a false alarm with a probability of {wrong:.2}"),
            (n, Some(wrong)) if wrong < 0.5 => format!("; hardly any of the {n} is expected to be a false alarm"),
            (n, Some(wrong)) => {
                let about = wrong.round().max(1.0) as usize;
                let words = plural(about, "is expected to be a false alarm", "are expected to be false alarms");
                format!("; about {about} of the {n} {words}")
            }
        }
    }

    /// "In all, 40 to 140 features are affected (95 % confidence), at least 36 of the 42 among them; the others are too weak
    /// to tell which."
    fn how_many_line(&self, named: usize) -> Option<String> {
        let sure = match self.at_least_named_95 {
            Some(n) if n > 0 && named > 1 && n as usize >= named => format!(", all of the {named} among them"),
            Some(n) if n > 0 && named > 1 => format!(", at least {n} of the {named} among them"),
            _ => String::new(),
        };
        match (self.n_expected_95, self.at_least_95) {
            (Some([low, high]), _) if high as usize <= named || low == high => {
                let range = if low == high { counted(low, "feature") } else { format!("{low} to {high} features") };
                Some(format!("In all, {range} {} affected (95 % confidence){sure}.", plural(high, "is", "are")))
            }
            (Some([low, high]), _) => Some(format!(
                "In all, {low} to {high} features are affected (95 % confidence){sure}; the others are too weak to tell \
                 which."
            )),
            (None, Some(least)) if least > 0 => Some(format!(
                "At least {} {} affected (95 % confidence){sure}; how many more cannot be told from this table.",
                counted(least, "feature"),
                plural(least, "is", "are")
            )),
            (None, Some(_)) => Some("How many more there are cannot be told from this table.".into()),
            (None, None) => None,
        }
    }

    /// "Clearly affected (expected |z| above 2): about 46, at most 75."
    fn clear_line(&self) -> Option<String> {
        let (about, [_, most]) = (self.n_strong?, self.n_strong_95?);
        Some(format!("Clearly affected (expected |z| above 2): about {}, at most {most}.", rounded(about)))
    }

    fn nothing_found(&self) -> Vec<String> {
        let mut line = format!(
            "Nothing found: none of {} can be shown to {}",
            counted(self.features.len(), "feature"),
            self.relation([1, 0])
        );
        if let Some((exceeded, permutations)) = self.gate.and_then(|gate| Some((gate.exceeded?, gate.permutations?))) {
            let drawn = self.detail.fit.as_ref().and_then(|fit| fit.gate).is_some_and(|gate| gate.drawn);
            let tables = if drawn { TABLES_OF_NOISE } else { "tables with a permuted target" };
            let some = some_of(exceeded, permutations, tables, ["has", "have"]);
            let allowed = self.detail.fit.as_ref().and_then(|fit| fit.gate?.allowed);
            let allowed = allowed.map_or_else(String::new, |n| match n {
                0 => " (none is allowed)".into(),
                n => format!(" (at most {n} {} allowed)", plural(n, "is", "are")),
            });
            line.push_str(&format!(": {some} scores as extreme{allowed}"));
        }
        let rows = self.input.rows_in_words();
        let rows = if self.method.name == "shrink" { "these data".into() } else { rows };
        vec![line + ".", format!("This does not show that there is no effect: effects may be too small for {rows}.")]
    }
}
