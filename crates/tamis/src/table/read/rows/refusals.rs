//! Rows and columns that cannot be read: what is wrong with them, and the remedy.

use super::{BadCells, CellKind, RowParser, TextColumn, complete_the_row, too_many_values, wrong_width};
use crate::base::{Error, OptionName, Result, Text, counted, plural, text};
use crate::table::read::column_roles::{MOST_CATEGORIES, row_names_or_drop};
use crate::table::read::number;

impl RowParser<'_> {
    /// A row with too few or too many fields.
    pub(super) fn ragged(&self, found: usize, width: usize) -> Error {
        let problem = wrong_width(found, width);
        let remedy = if found < width {
            complete_the_row()
        } else {
            text!["quote fields that contain the delimiter, or check ", OptionName::Delimiter]
        };
        Error::data(self.place.clone().at_row(self.rows), problem, remedy)
    }

    /// Refuses columns that mix numbers with text, and text with too many values.
    pub(super) fn check(&self) -> Result<()> {
        self.check_target()?;
        let faults = self.faults.iter().map(|(&column, fault)| (column, self.not_numbers(column, fault)));
        let texts = self.texts.iter().filter(|(column, _)| self.kinds[**column] == CellKind::Text);
        let texts = texts.filter_map(|(&column, text)| Some((column, self.not_categories(column, text)?)));
        let mut wrong: Vec<(usize, (String, Text))> = faults.chain(texts).collect();
        wrong.sort_by_key(|(column, _)| *column);
        let others: Vec<String> = wrong.iter().skip(1).map(|(c, _)| format!("`{}`", self.names[*c])).collect();
        let Some((column, (mut problem, remedy))) = wrong.into_iter().next() else { return Ok(()) };
        if !others.is_empty() {
            let more = if others.len() > 4 { ", …" } else { "" };
            let few = others[..others.len().min(4)].join(", ");
            problem.push_str(&format!(" ({} cannot be used: {few}{more})", counted(others.len(), "more column")));
        }
        Err(Error::data(self.place.clone().at_column(&self.names[column]), problem, remedy))
    }

    /// Refuses a target of numbers with another decimal mark, which would be classes.
    fn check_target(&self) -> Result<()> {
        let labels = &self.labels.dictionary.labels;
        let Some(column) = self.kinds.iter().position(|kind| *kind == CellKind::Target) else { return Ok(()) };
        let Some((row, text)) = &self.labels.text else { return Ok(()) };
        match self.decimal.other_mark(labels.iter().map(String::as_str)) {
            None => Ok(()),
            Some(remedy) => {
                let place = self.place.clone().at_row(*row).at_column(&self.names[column]);
                Err(Error::data(place, format!("`{text}` is not a number as it is written"), remedy))
            }
        }
    }

    /// The problem and the remedy of a column of numbers with text in it.
    fn not_numbers(&self, column: usize, fault: &BadCells) -> (String, Text) {
        let BadCells { count, first } = fault;
        let told: Vec<String> = first.iter().map(|(row, text)| format!("`{text}` in row {row}")).collect();
        let more = if *count > told.len() as u64 { ", …" } else { "" };
        let are_not = plural(*count, "is not a number", "are not numbers");
        let problem = format!("{} {are_not}: {}{more}", counted(*count, "value"), told.join(", "));
        let text = first.first().map_or("", |(_, text)| text.as_str());
        let wrong_mark = first.iter().all(|(_, text)| number::looks_like(text));
        let remedy = match self.kinds[column] {
            CellKind::NumberOrText if !wrong_mark => self.missing_or_drop(text, column),
            _ => self.decimal.remedy(text),
        };
        (problem, remedy)
    }

    /// The problem and the remedy of a column of text that cannot be categories; `None` where it can.
    fn not_categories(&self, column: usize, text: &TextColumn) -> Option<(String, Text)> {
        let first = text.words.labels.first().map_or("", String::as_str);
        if let Some(remedy) = self.decimal.other_mark(text.words.labels.iter().map(String::as_str)) {
            return Some((format!("`{first}` is not a number as it is written"), remedy));
        }
        if let Some((row, number)) = &text.number {
            let problem = format!("text is mixed with numbers (`{first}`, but `{number}` in row {row})");
            let remedy = match number::looks_like(first) {
                true => self.decimal.remedy(first),
                false => self.missing_or_drop(first, column),
            };
            return Some((problem, remedy));
        }
        if text.words.labels.len() <= MOST_CATEGORIES {
            return None;
        }
        Some((too_many_values(first), row_names_or_drop(&self.names[column])))
    }

    fn missing_or_drop(&self, text: &str, column: usize) -> Text {
        let drop = OptionName::Drop.set(&self.names[column]);
        text!["pass ", OptionName::Missing.set(text), " if it means missing, or ", drop]
    }
}
