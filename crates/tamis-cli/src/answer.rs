//! The answer for people: how many, how sure, which.

use std::io::{self, Write};
use std::path::PathBuf;
use tamis::result::{InputFacts, peak_memory};
use tamis::{Method, NoteKind, Selection};

/// Rows of the table of features.
const SHOWN: usize = 20;

/// Digits behind the point of p-values, and of scores that are not z.
const P_DIGITS: usize = 4;
const SCORE_DIGITS: usize = 5;

/// Prints the whole answer: the sentence, the facts, the best features.
pub fn print(selection: &Selection, facts: &InputFacts, seconds: f64, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", selection.sentence())?;
    writeln!(out)?;
    writeln!(out, "  data    {}", data_line(selection, facts))?;
    if let Some(rule) = selection.notes.iter().find(|n| n.kind == NoteKind::TargetRule) {
        writeln!(out, "          {}", rule.message)?;
    }
    writeln!(out, "  method  {}", method_line(selection, seconds))?;
    writeln!(out)?;
    features(selection, out)
}

fn data_line(selection: &Selection, facts: &InputFacts) -> String {
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
    if matches!(selection.method, Method::Shrink(_)) {
        format!("{}: {} scores{target}", facts.file, facts.rows)
    } else {
        format!("{}: {} rows, {} features{target}", facts.file, facts.rows, facts.features)
    }
}

fn method_line(selection: &Selection, seconds: f64) -> String {
    let told = selection.method.told().into_iter();
    let said: Vec<String> = told.map(|(key, value)| format!("{key} {}", plain(&value))).collect();
    let memory = peak_memory().map_or_else(String::new, |bytes| format!(", {} MB", bytes.div_ceil(1_000_000)));
    let said = if said.is_empty() { String::new() } else { format!(": {}", said.join(", ")) };
    format!("{}{said}; seed {}; {seconds:.2} s{memory}", selection.method.name(), selection.seed)
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
        let least = 0.5 * 0.1_f64.powi(digits as i32);
        let plain = |x: f64| match x.abs() {
            // a p-value that would be shown as 0 is not
            size if size > 0.0 && size < least && digits == P_DIGITS => format!("{x:.0e}"),
            size if size < 1e6 => format!("{x:.digits$}"),
            _ => format!("{x:.2e}"),
        };
        let text = x.filter(|x| !x.is_nan()).map_or_else(|| "–".into(), plain);
        if text.trim_matches(['-', '0', '.']).is_empty() { text.replace('-', "") } else { text }
    };
    let mut columns: Vec<(&str, Vec<String>)> = vec![
        ("rank", best.iter().map(|&i| selection.ranks[i].to_string()).collect()),
        ("feature", best.iter().map(|&i| printable(&selection.names[i])).collect()),
    ];
    let mut add = |head: &'static str, digits: usize, value: &dyn Fn(usize) -> Option<f64>| {
        columns.push((head, best.iter().map(|&i| number(value(i), digits)).collect()));
    };
    match (&selection.detail.npfs, &selection.detail.pairs) {
        (Some(npfs), _) => {
            add("frequency", 2, &|i| Some(npfs.frequency[i]));
            if !npfs.explained.is_empty() {
                add("explains", 3, &|i| Some(npfs.explained[i]));
            }
            if !npfs.p_values.is_empty() {
                add("p", P_DIGITS, &|i| Some(npfs.p_values[i]));
                add("adjusted", P_DIGITS, &|i| Some(npfs.adjusted[i]));
            }
        }
        (_, Some(pairs)) => {
            add("score", SCORE_DIGITS, &|i| Some(selection.scores[i]));
            add("p", P_DIGITS, &|i| Some(pairs.p_values[i]));
            let partner =
                |i: &usize| pairs.partners[*i].map_or(String::new(), |p| printable(&selection.names[p as usize]));
            columns.push(("with", best.iter().map(partner).collect()));
        }
        _ => {
            let inferred = selection.probabilities.is_some();
            add("score", if inferred { 2 } else { SCORE_DIGITS }, &|i| Some(selection.scores[i]));
            if inferred {
                add("effect", 2, &|i| selection.effects.as_ref().filter(|_| evidence).map(|e| e[i]));
                add("probability", 3, &|i| selection.probabilities.as_ref().filter(|_| evidence).map(|p| p[i]));
            }
        }
    }
    let width = |(head, cells): &(&str, Vec<String>)| {
        cells.iter().map(|c| c.chars().count()).chain([head.chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().map(width).collect();
    for row in 0..=best.len() {
        let mut line = String::new();
        for ((head, cells), width) in columns.iter().zip(&widths) {
            let cell = if row == 0 { head } else { cells[row - 1].as_str() };
            let text = matches!(*head, "feature" | "with");
            line.push_str(&if text { format!("  {cell:<width$}") } else { format!("  {cell:>width$}") });
        }
        writeln!(out, "{}", line.trim_end())?;
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
