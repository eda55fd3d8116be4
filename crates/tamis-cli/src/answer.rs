//! The answer for people: how many, how sure, which.

use crate::layout::{Column, printable, table};
use crate::screen::{self, Screen};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use tamis::base::Weight;
use tamis::front::{Cell, ColumnValues, GroupSummary, P_DIGITS, SET_QUESTIONS, SetSummary, note, some_of, visible};
use tamis::result::SelectionResult;

/// Rows of the table of features.
const SHOWN: usize = 10;
/// Rows of the table where no feature is selected.
const SHOWN_OTHERS: usize = 5;
/// Rows of the table of pairs, of findings beside the answer, and names of the working set.
const SHOWN_PAIRS: usize = 10;

/// Prints the whole answer: the sentence, notes that would change it (on standard error), the best features.
pub fn print<W: Write>(result: &SelectionResult, quiet: bool, out: &mut Screen<W>) -> io::Result<()> {
    head(result, out)?;
    out.flush()?;
    let urgent = result.notes.iter().any(|note| note.weight == Weight::ChangesAnswer);
    if urgent && !quiet {
        let mut err = screen::stderr();
        notes(result, Weight::ChangesAnswer..=Weight::ChangesAnswer, &mut err)?;
        writeln!(err)?;
    }
    list(result, out)
}

/// Prints the sentence, and what was compared how.
fn head<W: Write>(result: &SelectionResult, out: &mut Screen<W>) -> io::Result<()> {
    out.strong(&result.answer_words())?;
    writeln!(out)?;
    let mut facts = format!("  data    {}", visible(&result.input_words()));
    if let Some(rule) = note::target_rule(&result.notes) {
        facts.push_str(&format!("\n          {rule}"));
    }
    if let Some(design) = result.design_words() {
        facts.push_str(&format!("\n  design  {}", visible(&design)));
    }
    let memory = result.peak_bytes.map_or_else(String::new, |bytes| format!(", {} MB", bytes.div_ceil(1_000_000)));
    let (method, seed, seconds) = (result.method_words(), result.seed, result.seconds);
    facts.push_str(&format!("\n  method  {method}; seed {seed}\n  time    {seconds:.2} s{memory}"));
    out.faint(&facts)?;
    writeln!(out)
}

/// Prints the best features.
fn list(result: &SelectionResult, out: &mut dyn Write) -> io::Result<()> {
    if !findings(result, out)? {
        features(result, out)?;
    }
    beside(result, out)?;
    pairs(result, out)
}

/// Beside the answer of another method: the findings of `needed`, a row each, and its working set.
fn beside(result: &SelectionResult, out: &mut dyn Write) -> io::Result<()> {
    let Some(findings) = result.findings.as_ref().filter(|all| !all.is_empty() && result.method.name != "needed")
    else {
        return Ok(());
    };
    writeln!(out, "\n  needed, given the others:")?;
    for finding in findings.iter().take(SHOWN_PAIRS) {
        writeln!(out, "  {}", visible(&finding.words()))?;
    }
    if findings.len() > SHOWN_PAIRS {
        writeln!(out, "  … and {} more (`--json` writes them all)", findings.len() - SHOWN_PAIRS)?;
    }
    let names: Vec<String> = result.working_set.iter().take(SHOWN_PAIRS).map(|name| printable(name)).collect();
    let more = result.working_set.len() - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    if !names.is_empty() {
        writeln!(out, "  working set, which predicts together: {}{more}", names.join(", "))?;
    }
    Ok(())
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
    let columns = vec![
        Column::words("feature", shown.iter().map(|pair| name(pair.first)).collect()),
        Column::words("with", shown.iter().map(|pair| name(pair.second)).collect()),
        Column::numbers("gain", shown.iter().map(|pair| number(Some(pair.gain), 5)).collect()),
        Column::numbers("p", shown.iter().map(|pair| number(Some(pair.p_value), P_DIGITS)).collect()),
    ];
    table(columns, out)?;
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
    let columns = match result.features.column("probability").is_some() && some {
        true => {
            in_printed_order(&mut best, result);
            best.truncate(SHOWN);
            columns_of_effects(&best, result)
        }
        false => {
            best.truncate(if some { SHOWN } else { SHOWN_OTHERS });
            columns_of_method(&best, result)
        }
    };
    table(columns, out)?;
    if some && total > best.len() {
        writeln!(out, "  … and {} more (`--csv` and `--json` write them all)", total - best.len())?;
    }
    groups(result, out)
}

/// Features that look equally probable are in the order of their scores.
fn in_printed_order(features: &mut [usize], result: &SelectionResult) {
    let printed = |i: usize| result.features.number("probability", i).map_or(-1.0, |p| (p * 1000.0).round());
    let size = |i: usize| result.features.number("score", i).map_or(0.0, f64::abs);
    features.sort_by(|&a, &b| printed(b).total_cmp(&printed(a)).then(size(b).total_cmp(&size(a))));
}

/// What people read of every feature with an effect: where it is higher, by how much, and how sure that is.
fn columns_of_effects(shown: &[usize], result: &SelectionResult) -> Vec<Column> {
    let table = &result.features;
    let cells = |cell: &dyn Fn(usize) -> String| shown.iter().map(|&i| cell(i)).collect::<Vec<String>>();
    let numbers = |key: &str, digits: usize| cells(&|i| number(table.number(key, i), digits));
    let mut columns = vec![Column::words("feature", cells(&|i| printable(&table.names[i])))];
    let classes = table.column("stands_out");
    if let Some(classes) = classes {
        let class = |i: usize| match classes.cell(i, &table.names) {
            Some(Cell::Text(class)) => printable(class),
            _ => "–".into(),
        };
        columns.push(Column::words("stands out", cells(&class)));
    } else if shown.iter().any(|&i| result.higher_in(i).is_some()) {
        columns.push(Column::words("higher in", cells(&|i| result.higher_in(i).map_or_else(|| "–".into(), printable))));
    }
    let known = result.columns();
    match known.iter().find(|column| column.key == "difference") {
        Some(difference) => {
            let ends = |i: usize| Some([table.number("difference_low", i)?, table.number("difference_high", i)?]);
            let interval = shown.iter().any(|&i| ends(i).is_some());
            let head = if interval { format!("{} [95 %]", difference.head) } else { difference.head.into() };
            let cell = |i: usize| match (table.number("difference", i), ends(i)) {
                (Some(x), Some([low, high])) => format!("{} [{}, {}]", size(x), size(low), size(high)),
                (x, _) => x.map_or_else(|| "–".into(), size),
            };
            columns.push(Column::numbers(head, cells(&cell)).spare(1));
        }
        None => {
            columns.push(Column::numbers("score", numbers("score", 2)));
            if table.column("effect").is_some() {
                columns.push(Column::numbers("effect (z)", numbers("effect", 2)).spare(1));
            }
        }
    }
    if table.column("p_value").is_some() {
        columns.push(Column::numbers("p", numbers("p_value", P_DIGITS)).spare(2));
    }
    if table.column("q_value").is_some() {
        columns.push(Column::numbers("q", cells(&|i| share(table.number("q_value", i)))).spare(3));
    }
    columns.push(Column::numbers("probability", cells(&|i| probability(table.number("probability", i)))));
    if known.iter().any(|column| column.key == "cluster") {
        columns.push(
            Column::numbers(
                "cluster",
                cells(&|i| match table.column("cluster").and_then(|c| c.cell(i, &table.names)) {
                    Some(Cell::Count(n)) => n.to_string(),
                    Some(Cell::Number(n)) => format!("{n:.0}"),
                    _ => String::new(),
                }),
            )
            .spare(4),
        );
    }
    columns
}

/// The columns that a method shows.
fn columns_of_method(shown: &[usize], result: &SelectionResult) -> Vec<Column> {
    let mut columns = vec![
        Column::numbers("rank", shown.iter().map(|&i| result.features.ranks[i].to_string()).collect()),
        Column::words("feature", shown.iter().map(|&i| printable(&result.features.names[i])).collect()),
    ];
    for (at, column) in result.columns().into_iter().filter(|column| column.brief).enumerate() {
        let cell = |&i: &usize| match (column.values.cell(i, &result.features.names), &*column.values) {
            (Some(Cell::Number(x)), _) => number(Some(x).filter(|x| x.is_finite()), column.digits),
            (Some(Cell::Count(n)), _) => n.to_string(),
            (Some(Cell::Text(text)), _) => printable(text),
            (None, ColumnValues::Texts(_) | ColumnValues::Features(_)) => String::new(),
            (None, _) => number(None, column.digits),
        };
        let text = matches!(*column.values, ColumnValues::Texts(_) | ColumnValues::Features(_));
        let cells = shown.iter().map(cell).collect();
        let spare = at.min(usize::from(u8::MAX)) as u8; // those behind the first go first
        columns.push(Column { text, ..Column::numbers(column.head, cells).spare(spare) });
    }
    columns
}

/// The groups of features: those with named ones, and those that were tested.
fn groups(result: &SelectionResult, out: &mut dyn Write) -> io::Result<()> {
    let groups = &result.feature_groups;
    if groups.is_empty() {
        return Ok(());
    }
    let named = groups.iter().filter(|group| group.selected > 0).count();
    writeln!(out, "\n  {} named features", some_of(named, groups.len(), "groups", ["has", "have"]))?;
    let worth: Vec<&GroupSummary> = groups.iter().filter(|group| group.selected > 0 || group.test.is_some()).collect();
    let shown = &worth[..worth.len().min(SHOWN)];
    if shown.is_empty() {
        return Ok(());
    }
    let mut columns = vec![
        Column::words("group", shown.iter().map(|group| printable(&group.name)).collect()),
        Column::numbers("features", shown.iter().map(|group| group.size.to_string()).collect()),
        Column::numbers("named", shown.iter().map(|group| group.selected.to_string()).collect()),
    ];
    let tested = shown.iter().any(|group| group.test.is_some());
    let expected = shown.iter().map(|group| number(group.expected, 1)).collect();
    columns.push(Column::numbers("expected effects", expected).spare(u8::from(tested) * 2));
    if tested {
        let of_test = |value: &dyn Fn(&SetSummary) -> String| -> Vec<String> {
            shown.iter().map(|group| group.test.as_ref().map_or_else(|| "–".into(), value)).collect()
        };
        columns.push(Column::numbers("mean score", of_test(&|test| number(Some(test.mean_score), 2))).spare(1));
        let heads = ["q direction", "q mixed", "q comp. direction", "q comp. mixed"];
        for (at, head) in heads.into_iter().enumerate() {
            columns.push(Column::numbers(head, of_test(&|test| number(test.questions()[at].2, P_DIGITS))));
        }
    }
    table(columns, out)?;
    if worth.len() > shown.len() {
        writeln!(out, "  … and {} more (`--groups-csv` and `--json` write them all)", worth.len() - shown.len())?;
    }
    if tested {
        SET_QUESTIONS.iter().try_for_each(|question| writeln!(out, "  {question}"))?;
    }
    Ok(())
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

/// A difference or an end of its interval with three digits or more that count.
fn size(x: f64) -> String {
    match x.abs() {
        size if size >= 1e6 || (size > 0.0 && size < 0.0005) => format!("{x:.2e}"),
        size if size >= 1000.0 => number(Some(x), 0),
        size if size >= 100.0 => number(Some(x), 1),
        size if size >= 10.0 => number(Some(x), 2),
        _ => number(Some(x), 3),
    }
}

/// A probability in a cell: none is 1.
fn probability(p: Option<f64>) -> String {
    match p {
        Some(p) if p >= 0.9995 => ">0.999".into(),
        p => number(p, 3),
    }
}

/// An expected share of false discoveries in a cell: it is an estimate, and none is 0.
fn share(q: Option<f64>) -> String {
    match q {
        Some(q) if q < 0.00005 => "<0.0001".into(),
        q => number(q, P_DIGITS),
    }
}

/// Prints the notes of these weights on standard error.
pub fn notes(result: &SelectionResult, weights: RangeInclusive<Weight>, out: &mut dyn Write) -> io::Result<()> {
    for note in note::remarks(&result.notes).filter(|note| weights.contains(&note.weight)) {
        writeln!(out, "note: {note}")?;
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
