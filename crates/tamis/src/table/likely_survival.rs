//! Two columns that together may be a survival time: how long a row was watched, and whether the event happened.

use super::Column;
use crate::table::target_rule::value_of;

/// Words by which columns of times are often called.
const USUAL_TIMES: [&str; 13] =
    ["day", "days", "dfs", "follow", "followup", "month", "months", "os", "pfs", "rfs", "survival", "time", "years"];
/// Words by which columns of events are often called.
const USUAL_EVENTS: [&str; 15] = [
    "dead",
    "death",
    "deceased",
    "dfs",
    "died",
    "event",
    "os",
    "pfs",
    "progressed",
    "progression",
    "recurrence",
    "relapse",
    "relapsed",
    "rfs",
    "status",
];
/// Labels that mean a death, whatever the column is called.
const DEATHS: [&str; 3] = ["dead", "deceased", "died"];
/// Other labels that mean that an event happened.
const USUAL_LABELS: [&str; 5] = ["event", "progressed", "relapse", "relapsed", "yes"];

/// The event that makes a column a survival time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LikelyEvent {
    /// The column that says whether it happened.
    pub column: String,
    /// The label that means so, where it is not 1 or true.
    pub label: Option<String>,
    /// The rows with that label.
    pub rows: u64,
}

/// Whether one of a name's words is in a list.
pub(super) fn has_word(name: &str, usual: &[&str]) -> bool {
    let lower = name.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| usual.contains(&word))
}

/// Whether a column may hold survival times: it has their name, and more than `least` different numbers, all above 0.
pub(super) fn may_be_time(name: &str, column: &Column, least: usize) -> bool {
    let Some(numbers) = column.numbers().filter(|_| has_word(name, &USUAL_TIMES)) else { return false };
    let mut known: Vec<f64> = numbers.iter().copied().filter(|x| !x.is_nan()).collect();
    known.sort_unstable_by(f64::total_cmp);
    known.dedup();
    known.first().is_some_and(|x| *x > 0.0) && known.len() > least
}

/// The event that a column with these classes may hold, by its name and its labels.
pub(super) fn may_be_event(name: &str, classes: &[(String, u64)]) -> Option<LikelyEvent> {
    if classes.len() != 2 {
        return None;
    }
    let named = has_word(name, &USUAL_EVENTS);
    let plain =
        |label: &str, number: f64, word: &str| value_of(label) == Some(number) || label.eq_ignore_ascii_case(word);
    let [a, b] = [&classes[0], &classes[1]];
    for (event, other) in [(a, b), (b, a)] {
        if named && plain(&event.0, 1.0, "true") && plain(&other.0, 0.0, "false") {
            return Some(LikelyEvent { column: name.into(), label: None, rows: event.1 });
        }
        let among = |words: &[&str], label: &str| words.iter().any(|word| label.eq_ignore_ascii_case(word));
        let usual = |label: &str| among(&DEATHS, label) || (named && among(&USUAL_LABELS, label));
        if usual(&event.0) && !usual(&other.0) {
            return Some(LikelyEvent { column: name.into(), label: Some(event.0.clone()), rows: event.1 });
        }
    }
    None
}
