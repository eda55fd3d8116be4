//! The answer for people: how many, how sure, which.

use std::io::{self, Write};
use std::path::PathBuf;
use tamis::NoteKind;
use tamis::front::{Cell, ColumnValues, GroupSummary, P_DIGITS, some_of, visible, visible_lines};
use tamis::result::SelectionResult;

/// Rows of the table of features.
const SHOWN: usize = 20;
/// Rows of the table where no feature is selected.
const SHOWN_OTHERS: usize = 5;
/// Rows of the table of pairs.
const SHOWN_PAIRS: usize = 10;

/// Prints the whole answer: the sentence, the facts, the best features.
pub fn print(result: &SelectionResult, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", visible_lines(&result.answer_words()))?;
    writeln!(out, "  data    {}", visible(&result.input_words()))?;
    if let Some(rule) = result.notes.iter().find(|n| n.kind == NoteKind::TargetRule) {
        writeln!(out, "          {}", rule)?;
    }
    if let Some(design) = result.design_words() {
        writeln!(out, "  design  {}", visible(&design))?;
    }
    let memory = result.peak_bytes.map_or_else(String::new, |bytes| format!(", {} MB", bytes.div_ceil(1_000_000)));
    let (method, seed, seconds) = (result.method_words(), result.seed, result.seconds);
    writeln!(out, "  method  {method}; seed {seed}; {seconds:.2} s{memory}\n")?;
    if !findings(result, out)? {
        features(result, out)?;
    }
    pairs(result, out)
}

/// The findings of `needed`, a row each. Returns whether they are all that is selected.
fn findings(result: &SelectionResult, out: &mut dyn Write) -> io::Result<bool> {
    let Some(findings) = result.findings.as_ref().filter(|all| !all.is_empty() && result.method.name == "needed")
    else {
        return Ok(false);
    };
    for finding in findings.iter().take(SHOWN) {
        writeln!(out, "  {}", visible(&finding.words()))?;
    }
    if findings.len() > SHOWN {
        writeln!(out, "  … and {} more (`--json` writes them all)", findings.len() - SHOWN)?;
    }
    let leads = |&i: &usize| findings.iter().any(|finding| finding.lead == result.features.names[i]);
    let all = result.selected().iter().all(leads);
    if !all {
        writeln!(out, "\n  selected:")?;
    }
    Ok(all)
}

/// The pairs of features that need each other, where the method lists them.
fn pairs(result: &SelectionResult, out: &mut dyn Write) -> io::Result<()> {
    let pairs = result.detail.pairs.as_ref().map_or(&[][..], |found| &found.pairs);
    if pairs.is_empty() {
        return Ok(());
    }
    let shown = &pairs[..pairs.len().min(SHOWN_PAIRS)];
    let name = |index: u32| printable(&result.features.names[index as usize]);
    writeln!(out, "\n  pairs that tell more together than the better of the two:")?;
    let columns = [
        ("feature", shown.iter().map(|pair| name(pair.first)).collect()),
        ("with", shown.iter().map(|pair| name(pair.second)).collect()),
        ("gain", shown.iter().map(|pair| number(Some(pair.gain), 5)).collect()),
        ("p", shown.iter().map(|pair| number(Some(pair.p_value), P_DIGITS)).collect()),
    ];
    table(&columns, shown.len(), out)?;
    if pairs.len() > shown.len() {
        writeln!(out, "  … and {} more (`--json` writes them all)", pairs.len() - shown.len())?;
    }
    Ok(())
}

fn features(result: &SelectionResult, out: &mut dyn Write) -> io::Result<()> {
    let mut best = result.selected();
    let some = !best.is_empty();
    if !some {
        best = result.features.by_rank();
        best.retain(|&i| result.features.number("score", i).is_some());
        writeln!(out, "  the highest ranks, none of them selected:")?;
    }
    let total = best.len();
    best.truncate(if some { SHOWN } else { SHOWN_OTHERS });
    let mut columns: Vec<(&str, Vec<String>)> = vec![
        ("rank", best.iter().map(|&i| result.features.ranks[i].to_string()).collect()),
        ("feature", best.iter().map(|&i| printable(&result.features.names[i])).collect()),
    ];
    for column in result.columns().into_iter().filter(|column| column.brief) {
        let cell = |&i: &usize| match (column.values.cell(i, &result.features.names), &*column.values) {
            (Some(Cell::Number(x)), _) => number(Some(x).filter(|x| x.is_finite()), column.digits),
            (Some(Cell::Count(n)), _) => n.to_string(),
            (Some(Cell::Text(text)), _) => printable(text),
            (None, ColumnValues::Texts(_) | ColumnValues::Features(_)) => String::new(),
            (None, _) => number(None, column.digits),
        };
        columns.push((column.head, best.iter().map(cell).collect()));
        if column.key == "difference" && best.iter().any(|&i| result.higher_in(i).is_some()) {
            let class = |&i: &usize| result.higher_in(i).map_or_else(|| "–".into(), printable);
            columns.push(("higher in", best.iter().map(class).collect()));
        }
    }
    table(&columns, best.len(), out)?;
    if some && total > best.len() {
        writeln!(out, "  … and {} more (`--csv` and `--json` write them all)", total - best.len())?;
    }
    groups(result, out)
}

/// The groups of features with the most named ones.
fn groups(result: &SelectionResult, out: &mut dyn Write) -> io::Result<()> {
    let named: Vec<&GroupSummary> = result.feature_groups.iter().filter(|group| group.selected > 0).collect();
    if result.feature_groups.is_empty() {
        return Ok(());
    }
    let some = some_of(named.len(), result.feature_groups.len(), "groups", ["has", "have"]);
    writeln!(out, "\n  {some} named features")?;
    let shown = &named[..named.len().min(SHOWN)];
    if shown.is_empty() {
        return Ok(());
    }
    let columns: Vec<(&str, Vec<String>)> = vec![
        ("group", shown.iter().map(|group| printable(&group.name)).collect()),
        ("features", shown.iter().map(|group| group.size.to_string()).collect()),
        ("named", shown.iter().map(|group| group.selected.to_string()).collect()),
        ("expected effects", shown.iter().map(|group| number(group.expected, 1)).collect()),
    ];
    table(&columns, shown.len(), out)
}

/// A number in a cell; a p-value that would be shown as 0 is not.
fn number(x: Option<f64>, digits: usize) -> String {
    let least = 0.5 * 0.1_f64.powi(digits as i32);
    let plain = |x: f64| match x.abs() {
        size if size > 0.0 && size < least && digits == P_DIGITS => format!("{x:.0e}"),
        size if size < 1e6 => format!("{x:.digits$}"),
        _ => format!("{x:.2e}"),
    };
    let text = x.map_or_else(|| "–".into(), plain);
    if text.trim_matches(['-', '0', '.']).is_empty() { text.replace('-', "") } else { text }
}

/// Columns of cells under their heads, numbers to the right and text to the left.
fn table(columns: &[(&str, Vec<String>)], rows: usize, out: &mut dyn Write) -> io::Result<()> {
    let width = |(head, cells): &(&str, Vec<String>)| {
        cells.iter().map(|c| c.chars().count()).chain([head.chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().map(width).collect();
    for row in 0..=rows {
        let mut line = String::new();
        for ((head, cells), width) in columns.iter().zip(&widths) {
            let cell = if row == 0 { head } else { cells[row - 1].as_str() };
            let text = matches!(*head, "feature" | "kind" | "with" | "group" | "higher in");
            line.push_str(&if text { format!("  {cell:<width$}") } else { format!("  {cell:>width$}") });
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// A name with its hidden characters as escapes, cut where it would break the table.
pub fn printable(name: &str) -> String {
    const LONGEST: usize = 40;
    let clean = visible(name);
    if clean.chars().count() <= LONGEST {
        return clean.into_owned();
    }
    clean.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// Prints the notes on standard error.
pub fn notes(result: &SelectionResult, out: &mut dyn Write) -> io::Result<()> {
    for note in result.notes.iter().filter(|n| n.kind != NoteKind::TargetRule) {
        writeln!(out, "note: {}", note)?;
    }
    Ok(())
}

/// Says where files went.
pub fn files(written: &[PathBuf], out: &mut dyn Write) -> io::Result<()> {
    for path in written {
        writeln!(out, "wrote {}", visible(&path.display().to_string()))?;
    }
    Ok(())
}
