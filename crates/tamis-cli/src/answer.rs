//! The answer for people: how many, how sure, which.

use std::io::{self, Write};
use std::path::PathBuf;
use tamis::result::{InputFacts, peak_memory};
use tamis::{Method, NoteKind, Selection};

/// Rows of the table of features.
const SHOWN: usize = 20;

/// Prints the whole answer: the sentence, the facts, the best features.
pub fn print(selection: &Selection, facts: &InputFacts, seconds: f64, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", sentence(selection))?;
    writeln!(out)?;
    writeln!(out, "  data    {}", data_line(facts))?;
    if let Some(rule) = selection.notes.iter().find(|n| n.kind == NoteKind::TargetRule) {
        writeln!(out, "          {}", rule.message)?;
    }
    writeln!(out, "  method  {}", method_line(selection, seconds))?;
    writeln!(out)?;
    features(selection, out)
}

/// "117 of 6033 features can be named; about 440 are expected to matter (95 %: 405–476)".
pub fn sentence(selection: &Selection) -> String {
    let (n, k) = (selection.selected.len(), selection.names.len());
    if selection.notes.iter().any(|note| note.kind == NoteKind::NoEvidence) {
        return format!(
            "no evidence that any feature matters: 0 of {k} features can be named, about 0 are expected to matter"
        );
    }
    let mut text = format!("{n} of {k} features can be named");
    if let (Some(expected), Some([low, high])) = (selection.n_expected, selection.n_expected_95) {
        let about = if expected >= 10.0 { format!("{expected:.0}") } else { format!("{expected:.1}") };
        text.push_str(&format!("; about {about} are expected to matter (95 % given the fit: {low}–{high})"));
    }
    text
}

fn data_line(facts: &InputFacts) -> String {
    let classes = match (&facts.classes, &facts.positive) {
        (Some(classes), positive) => {
            const LISTED: usize = 8;
            let more = classes.len().saturating_sub(LISTED);
            let mut counts: Vec<String> = classes
                .iter()
                .take(LISTED)
                .map(|(label, n)| {
                    let mark = if positive.as_ref() == Some(label) { ", positive" } else { "" };
                    format!("{label} ({n}{mark})")
                })
                .collect();
            if more > 0 {
                counts.push(format!("and {more} more"));
            }
            format!(": {}", counts.join(", "))
        }
        (None, _) => String::new(),
    };
    let target = if facts.target.is_empty() { String::new() } else { format!("; `{}`{classes}", facts.target) };
    if facts.rows == facts.features {
        format!("{}: {} scores{target}", facts.file, facts.rows)
    } else {
        format!("{}: {} rows, {} features{target}", facts.file, facts.rows, facts.features)
    }
}

fn method_line(selection: &Selection, seconds: f64) -> String {
    let values = selection.method.parameters();
    let always = ["score", "prior", "null"];
    let said: Vec<String> = Method::find(selection.method.name())
        .map(|entry| {
            let defaults = entry.default.parameters();
            let keys = entry.parameters.iter().map(|p| p.name);
            keys.filter(|key| always.contains(key) || defaults.get(*key) != values.get(*key))
                .filter_map(|key| values.get(key).map(|value| format!("{key} {}", plain(value))))
                .collect()
        })
        .unwrap_or_default();
    let memory = peak_memory().map_or_else(String::new, |bytes| format!(", {} MB", bytes.div_ceil(1_000_000)));
    format!("{}: {}; seed {}; {seconds:.2} s{memory}", selection.method.name(), said.join(", "), selection.seed)
}

/// A JSON value as it is typed behind `--set key=`.
pub fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn features(selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    let mut best: Vec<usize> = (0..selection.names.len()).filter(|&i| !selection.scores[i].is_nan()).collect();
    let some = !selection.selected.is_empty();
    // without evidence every probability is 0 by decree, and effects beside it would contradict it
    let evidence = !selection.notes.iter().any(|note| note.kind == NoteKind::NoEvidence);
    if some {
        best = selection.selected.iter().map(|&i| i as usize).collect();
    } else {
        best.sort_by_key(|&i| selection.ranks[i]);
    }
    let total = best.len();
    best.truncate(if some { SHOWN } else { 5 });
    if !some {
        writeln!(out, "  the highest ranks, none of them selected:")?;
    }
    let number = |x: Option<f64>, digits: usize| {
        let plain = |x: f64| if x.abs() < 1e6 { format!("{x:.digits$}") } else { format!("{x:.2e}") };
        let text = x.map_or_else(|| "–".into(), plain);
        if text.trim_matches(['-', '0', '.']).is_empty() { text.replace('-', "") } else { text }
    };
    let rows: Vec<[String; 5]> = best
        .iter()
        .map(|&i| {
            [
                selection.ranks[i].to_string(),
                printable(&selection.names[i]),
                number(Some(selection.scores[i]), 2),
                number(selection.effects.as_ref().filter(|_| evidence).map(|e| e[i]), 2),
                number(selection.probabilities.as_ref().filter(|_| evidence).map(|p| p[i]), 3),
            ]
        })
        .collect();
    let head = ["rank", "feature", "score", "effect", "probability"].map(String::from);
    let width = |c: usize| rows.iter().chain([&head]).map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3), width(4)];
    for row in std::iter::once(&head).chain(&rows) {
        let [a, b, c, d, e] = widths;
        writeln!(out, "  {:>a$}  {:<b$}  {:>c$}  {:>d$}  {:>e$}", row[0], row[1], row[2], row[3], row[4])?;
    }
    if some && total > best.len() {
        writeln!(out, "  … and {} more (`--json` and `--reduced` write them all)", total - best.len())?;
    }
    Ok(())
}

/// A name without control characters, cut where it would break the table.
fn printable(name: &str) -> String {
    const LONGEST: usize = 40;
    let clean: String = name.chars().map(|c| if c.is_control() { '�' } else { c }).collect();
    if clean.chars().count() <= LONGEST {
        return clean;
    }
    clean.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// Prints the notes on standard error.
pub fn notes(selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    for note in selection.notes.iter().filter(|n| n.kind != NoteKind::TargetRule) {
        writeln!(out, "note: {}", note.message)?;
    }
    Ok(())
}

/// Says where files went.
pub fn files(written: &[PathBuf], out: &mut dyn Write) -> io::Result<()> {
    for path in written {
        writeln!(out, "wrote {}", path.display())?;
    }
    Ok(())
}
