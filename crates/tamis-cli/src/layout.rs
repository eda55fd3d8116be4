//! Text that fits the terminal: lines broken between words, and tables whose columns give way.

use std::borrow::Cow;
use std::io::{self, Write};
use tamis::front::visible;

/// Where the width is not known.
const USUAL_WIDTH: usize = 80;
/// No line is broken to less.
const LEAST_WIDTH: usize = 40;
/// Names are cut to this at first, and to no less than [`LEAST_NAME`].
const LONGEST_NAME: usize = 40;
const LEAST_NAME: usize = 10;
/// Between two columns of a table, and before the first.
const GAP: usize = 2;

/// The width of the terminal, else what the variable `COLUMNS` says, else 80.
pub fn width() -> usize {
    #[cfg(not(target_os = "wasi"))]
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    #[cfg(target_os = "wasi")]
    let terminal = None;
    let told = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|&columns| columns > 0);
    terminal.or_else(told).unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH)
}

/// A line broken between words where it is too long; what follows stands under the first word of its text. Code between
/// backticks and command lines, which people copy, stay whole.
pub fn wrapped(line: &str, width: usize) -> Cow<'_, str> {
    let text_at = text_start(line);
    let text = &line[text_at..];
    if line.chars().count() <= width || text.starts_with("tamis ") {
        return line.into();
    }
    let indent = match text_at {
        0 if text.starts_with("note: ") || text.starts_with("error: ") => GAP,
        _ => line[..text_at].chars().count(),
    };
    let mut out = line[..text_at].to_string();
    let mut used = line[..text_at].chars().count();
    for (at, word) in words(text).into_iter().enumerate() {
        let length = word.chars().count();
        if at > 0 && used + 1 + length > width {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else if at > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out.into()
}

/// Where the text of a line starts: after its indentation, and after a head that two spaces or more set apart.
fn text_start(line: &str) -> usize {
    const FURTHEST: usize = 34;
    let indent = line.len() - line.trim_start_matches(' ').len();
    let near = line.char_indices().nth(FURTHEST).map_or(line.len(), |(at, _)| at);
    match line[..near].trim_end().rfind("  ") {
        Some(gap) if gap >= indent => gap + 2,
        _ => indent,
    }
}

/// The words of a text; what stands between backticks is part of one word.
fn words(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut in_code) = (Vec::new(), 0, false);
    let closed = text.matches('`').count().is_multiple_of(2);
    for (at, c) in text.char_indices() {
        match c {
            '`' => in_code = closed && !in_code,
            ' ' if !in_code => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

/// A column of a table on the screen.
#[derive(Clone)]
pub struct Column {
    /// Its head.
    pub head: String,
    /// A cell a row.
    pub cells: Vec<String>,
    /// Whether it holds text: to the left, and shortened in the middle where there is no room.
    pub text: bool,
    /// Whether its cells are never shortened.
    pub whole: bool,
    /// Where there is no room, columns go in the order of this number, the largest first; those of 0 stay.
    pub spare: u8,
}

impl Column {
    /// A column of numbers, which stays.
    pub fn numbers(head: impl Into<String>, cells: Vec<String>) -> Column {
        Column { head: head.into(), cells, text: false, whole: false, spare: 0 }
    }

    /// A column of words, which stays.
    pub fn words(head: impl Into<String>, cells: Vec<String>) -> Column {
        Column { text: true, ..Column::numbers(head, cells) }
    }

    /// A column of words that lose their meaning when shortened.
    pub fn whole_words(head: impl Into<String>, cells: Vec<String>) -> Column {
        Column { whole: true, ..Column::words(head, cells) }
    }

    /// The column, which goes after those of larger numbers where there is no room.
    pub fn spare(self, spare: u8) -> Column {
        Column { spare, ..self }
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.chars().count()).chain([self.head.chars().count()]).max().unwrap_or(0)
    }
}

/// Prints a table that fits the terminal: names are shortened first, then columns that can be spared go.
pub fn table(columns: Vec<Column>, out: &mut dyn Write) -> io::Result<()> {
    let columns = fitted(columns, width());
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    for row in 0..=rows {
        let mut line = String::new();
        for (column, width) in columns.iter().zip(&widths) {
            let cell = if row == 0 { column.head.as_str() } else { column.cells[row - 1].as_str() };
            line.push_str(&" ".repeat(GAP));
            line.push_str(&if column.text { format!("{cell:<width$}") } else { format!("{cell:>width$}") });
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Prints columns behind the first ones; where they do not fit, as several tables, each with the first columns.
pub fn in_blocks(first: &[Column], others: Vec<Column>, out: &mut dyn Write) -> io::Result<()> {
    let room = width().saturating_sub(first.iter().map(|column| GAP + column.width()).sum());
    let mut blocks: Vec<(usize, Vec<Column>)> = Vec::new();
    for column in others {
        let needed = GAP + column.width();
        match blocks.last_mut().filter(|(used, _)| used + needed <= room) {
            Some((used, block)) => {
                *used += needed;
                block.push(column);
            }
            None => blocks.push((needed, vec![column])),
        }
    }
    for (at, (_, block)) in blocks.into_iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        table(first.iter().cloned().chain(block).collect(), out)?;
    }
    Ok(())
}

fn fitted(mut columns: Vec<Column>, width: usize) -> Vec<Column> {
    let needed = |columns: &[Column]| columns.iter().map(|column| GAP + column.width()).sum::<usize>();
    loop {
        let over = needed(&columns).saturating_sub(width);
        if over == 0 {
            return columns;
        }
        let longest =
            columns.iter_mut().filter(|column| column.text && !column.whole).max_by_key(|column| column.width());
        let room = |column: &Column| column.width().saturating_sub(LEAST_NAME.max(column.head.chars().count()));
        if let Some(column) = longest.filter(|column| room(column) > 0) {
            let most = column.width() - over.min(room(column));
            column.cells.iter_mut().for_each(|cell| *cell = shortened(cell, most));
            continue;
        }
        let last = (0..columns.len()).max_by_key(|&at| columns[at].spare).filter(|&at| columns[at].spare > 0);
        let Some(last) = last else { return columns };
        columns.remove(last);
    }
}

/// A name with its hidden characters as escapes, cut where it would break a table.
pub fn printable(name: &str) -> String {
    shortened(&visible(name), LONGEST_NAME)
}

/// A text without its middle where it is longer than `most`: names differ most often at their ends.
fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_string();
    }
    let (first, last) = (most / 2, most - most / 2 - 1);
    text.chars().take(first).chain(['…']).chain(text.chars().skip(length - last)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_under_their_text() {
        assert_eq!(wrapped("one two three", 8), "one two\nthree");
        assert_eq!(wrapped("  data    one two three", 18), "  data    one two\n          three");
        assert_eq!(wrapped("note: one two three", 12), "note: one\n  two three");
        assert_eq!(wrapped("short", 8), "short");
        assert_eq!(wrapped("averyveryverylongword b", 8), "averyveryverylongword\nb");
    }

    #[test]
    fn what_people_copy_stays_whole() {
        assert_eq!(wrapped("add `--report report.html` now", 12), "add\n`--report report.html`\nnow");
        let command = "  tamis select people.csv --target smoker";
        assert_eq!(wrapped(command, 20), command);
        assert_eq!(wrapped("a ` alone b", 6), "a `\nalone\nb");
    }

    #[test]
    fn a_table_shortens_names_and_then_drops_what_can_be_spared() {
        let columns = || {
            vec![
                Column::words("feature", vec!["a_very_long_name_of_a_feature".into(), "b".into()]),
                Column::numbers("difference", vec!["1.250".into(), "-0.500".into()]).spare(1),
                Column::numbers("probability", vec!["0.99".into(), "0.98".into()]),
            ]
        };
        let shown = |width: usize| fitted(columns(), width);
        assert_eq!(shown(80)[0].cells[0], "a_very_long_name_of_a_feature");
        assert_eq!(shown(45)[0].cells[0].chars().count(), 45 - 12 - 13 - 2);
        assert!(shown(45)[0].cells[0].contains('…') && shown(45).len() == 3);
        let narrow = shown(30);
        assert_eq!(narrow.iter().map(|column| column.head.as_str()).collect::<Vec<_>>(), ["feature", "probability"]);
    }

    #[test]
    fn names_keep_both_ends() {
        assert_eq!(shortened("ENSG00000141510.18", 9), "ENSG…0.18");
        assert_eq!(shortened("gene", 9), "gene");
    }
}
