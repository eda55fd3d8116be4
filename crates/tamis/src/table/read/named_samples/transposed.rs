//! Delimited text with a feature per row: the first column names the features, the header names the samples.

use super::SampleAnnotations;
use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::remedies::{IF_MISSING, REPLACE_OR_LEAVE};
use crate::base::{Error, OptionName, Progress, Result, counted, plural, text};
use crate::table::column::{is_too_large, too_large};
use crate::table::read::column_names::header;
use crate::table::read::distinct_names::distinct;
use crate::table::read::number::{self, Decimal};
use crate::table::read::record::Record;
use crate::table::read::records::Records;
use crate::table::read::rows::{complete_the_row, not_text};
use crate::table::{Categories, Column, Input, ReadOptions};
use std::borrow::Cow;

/// Reads the features of a file, each a column of the table.
///
/// Columns of text that are no samples of `annotations` describe features, and are left out with a note.
///
/// Cost: one pass over the file; memory is that of the numbers.
pub(super) fn read(
    input: Input,
    options: &ReadOptions,
    annotations: Option<&SampleAnnotations>,
    progress: &mut dyn Progress,
) -> Result<NamedSamples> {
    let mut records = Records::open(input, options.expansion, options.delimiter)?;
    let place = Place::file(records.name());
    let head = header(&mut records, &place, progress)?;
    let ahead = records.ahead(progress)?;
    // R leaves out the name of the column of names
    let samples: Vec<String> = if ahead.len() == head.len() + 1 { head } else { head.into_iter().skip(1).collect() };
    if samples.is_empty() {
        let remedy = text!["it needs a column of names and one per sample; check ", OptionName::Delimiter];
        return Err(Error::data(place, "the file has one column", remedy));
    }
    let mut kept: Vec<bool> = samples.iter().map(|name| !options.drop.contains(name)).collect();
    let mut notes = vec![Note::new(NoteKind::RowNames, "features are read from rows, and samples from columns")];
    if let Some(annotations) = annotations.filter(|found| samples.iter().any(|name| found.has(name))) {
        notes.extend(leave_out_descriptions(&samples, &ahead, annotations, options, &mut kept));
    }
    let mut reader = Transposed { place, samples: &samples, kept: &kept, options, line: 0, features: vec![] };
    while let Some(record) = records.next(progress)? {
        reader.feature(record)?;
    }
    let Transposed { features, place, .. } = reader;
    if features.is_empty() {
        return Err(Error::data(place, "there is a line of sample names but no feature below it", "add data"));
    }
    let dropped = |name: &&String| samples.contains(name) || features.iter().any(|(own, _)| own == *name);
    if let Some(name) = options.drop.iter().find(|name| !dropped(name)) {
        let known = features.iter().map(|(name, _)| name).chain(&samples).cloned().collect();
        return Err(Error::Unknown { kind: "feature or sample", name: name.clone(), known });
    }
    let (names, columns): (Vec<String>, Vec<Column>) = features.into_iter().unzip();
    let (names, wanted) = distinct(names, options, &mut notes);
    let columns = columns.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(column, _)| column).collect();
    let samples = samples.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(name, _)| name.clone()).collect();
    Ok(NamedSamples { samples, names, columns, notes })
}

/// Leaves out columns that the file of samples does not have and whose first cell is text: gene symbols, places.
fn leave_out_descriptions(
    samples: &[String],
    first: &[Vec<u8>],
    annotations: &SampleAnnotations,
    options: &ReadOptions,
    kept: &mut [bool],
) -> Option<Note> {
    let decimal = Decimal::of(options.decimal);
    let is_text = |cell: &Vec<u8>| {
        !number::is_missing(cell.trim_ascii(), &options.missing) && decimal.cell(cell.trim_ascii()).is_none()
    };
    let mut described = vec![];
    for ((name, cell), kept) in samples.iter().zip(first.iter().skip(1)).zip(kept) {
        if *kept && is_text(cell) && !annotations.has(name) {
            *kept = false;
            described.push(format!("`{name}`"));
        }
    }
    (!described.is_empty()).then(|| Note::new(NoteKind::ColumnsNotUsed, descriptions_words(&described)))
}

/// Columns that describe features.
fn descriptions_words(columns: &[String]) -> String {
    let of = |one, more| plural(columns.len(), one, more);
    let [column, hold, samples, describe] =
        [of("column", "columns"), of("holds", "hold"), of("sample", "samples"), of("describes", "describe")];
    format!("the {column} {} {hold} text and no {samples}, and {describe} features: left out", columns.join(", "))
}

struct Transposed<'a> {
    place: Place,
    samples: &'a [String],
    /// Which samples are not dropped.
    kept: &'a [bool],
    options: &'a ReadOptions,
    line: u64,
    features: Vec<(String, Column)>,
}

impl Transposed<'_> {
    /// Reads one row of the file.
    fn feature(&mut self, record: Record<'_>) -> Result<()> {
        if record.is_blank() {
            return Ok(());
        }
        self.line += 1;
        let mut fields = record.fields();
        let name = fields.next().unwrap_or_default();
        let name = self.text(&name, None)?.trim().to_string();
        let cells: Vec<Cow<'_, [u8]>> = fields.collect();
        if cells.len() != self.samples.len() {
            let problem =
                format!("the row has {} for {}", counted(cells.len(), "value"), counted(self.samples.len(), "sample"));
            return Err(Error::data(self.place.clone().at_row(self.line), problem, complete_the_row()));
        }
        let column = self.column(&name, &cells)?;
        self.features.push((name, column));
        Ok(())
    }

    /// The values of a feature: numbers, or categories if the first is text.
    fn column(&self, name: &str, cells: &[Cow<'_, [u8]>]) -> Result<Column> {
        let decimal = Decimal::of(self.options.decimal);
        let is_missing = |cell: &[u8]| number::is_missing(cell.trim_ascii(), &self.options.missing);
        let kept = || cells.iter().zip(self.samples).zip(self.kept).filter(|(_, kept)| **kept).map(|(pair, _)| pair);
        let mut known = kept().filter(|(cell, _)| !is_missing(cell)).map(|(cell, _)| cell);
        if known.next().is_some_and(|cell| decimal.cell(cell).is_none()) {
            return self.categories(name, kept().map(|(cell, sample)| (!is_missing(cell), &**cell, sample)));
        }
        let mut values = Vec::with_capacity(cells.len());
        for (cell, sample) in kept() {
            let value = if is_missing(cell) { Some(f64::NAN) } else { decimal.cell(cell) };
            let Some(value) = value else {
                let text = self.text(cell, Some(sample))?;
                let place = self.place.clone().at_row(self.line).at_column(name);
                let problem = format!("`{}` of sample `{sample}` is not a number", text.trim());
                return Err(Error::data(place, problem, decimal.remedy(text.trim())));
            };
            if is_too_large(value) {
                let place = self.place.clone().at_row(self.line).at_column(name);
                let what = format!("the value of sample `{sample}`");
                return Err(too_large(&what, value, place, REPLACE_OR_LEAVE));
            }
            values.push(value);
        }
        Ok(Column::Numbers(values))
    }

    fn categories<'c>(&self, name: &str, cells: impl Iterator<Item = (bool, &'c [u8], &'c String)>) -> Result<Column> {
        let mut texts: Vec<Option<String>> = vec![];
        for (known, cell, sample) in cells {
            texts.push(known.then(|| self.text(cell, Some(sample)).map(|text| text.trim().to_string())).transpose()?);
        }
        let first = texts.iter().flatten().next().cloned().unwrap_or_default();
        let decimal = Decimal::of(self.options.decimal);
        let place = self.place.clone().at_row(self.line).at_column(name);
        if let Some(other) = decimal.other_mark(texts.iter().flatten().map(String::as_str)) {
            return Err(Error::data(place, format!("`{first}` is not a number"), other));
        }
        let is_number = |text: &String| decimal.cell(text.as_bytes()).is_some();
        match texts.iter().flatten().find(|text| is_number(text)) {
            Some(number) if self.is_feature(name) => Err(self.mixed(&texts, number, place)),
            _ => Ok(Column::Categories(Categories::of(texts))),
        }
    }

    /// Whether no option names it as something else, whose labels may look like numbers.
    fn is_feature(&self, name: &str) -> bool {
        let ReadOptions { target, event, weight, group, block, covariates, .. } = self.options;
        let others = [event, weight, group, block].into_iter().flatten().chain(covariates);
        name != target && others.into_iter().all(|other| other != name)
    }

    /// The error of a feature that is text in the first column and a number in another.
    fn mixed(&self, texts: &[Option<String>], number: &str, place: Place) -> Error {
        let decimal = Decimal::of(self.options.decimal);
        let kept = self.samples.iter().zip(self.kept).filter(|(_, kept)| **kept).map(|(sample, _)| sample);
        let mut known = kept.zip(texts).filter_map(|(sample, text)| Some((sample, text.as_ref()?)));
        let Some((column, text)) = known.find(|(_, text)| decimal.cell(text.as_bytes()).is_none()) else {
            return Error::data(place, "text is mixed with numbers", "correct it");
        };
        let problem = format!("text is mixed with numbers: `{text}` in the column `{column}`, but also `{number}`");
        let drop = OptionName::Drop.set(column);
        let missing = OptionName::Missing.set(text);
        let remedy = text!["pass ", drop, " if that column describes features, or ", missing, IF_MISSING];
        Error::data(place, problem, remedy)
    }

    /// A cell as text.
    fn text<'c>(&self, cell: &'c [u8], sample: Option<&String>) -> Result<&'c str> {
        std::str::from_utf8(cell).map_err(|_| {
            let mut place = self.place.clone().at_row(self.line);
            if let Some(sample) = sample {
                place = place.at_column(sample);
            }
            not_text(place)
        })
    }
}

/// Features with a row per sample, and the samples' names.
pub(super) struct NamedSamples {
    /// The name of each row; empty where the file has none.
    pub(super) samples: Vec<String>,
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Column>,
    pub(super) notes: Vec<Note>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_describe_features_are_told_in_the_singular_and_the_plural() {
        let names = ["`Symbol`", "`Place`"].map(String::from);
        let one = "the column `Symbol` holds text and no sample, and describes features: left out";
        assert_eq!(descriptions_words(&names[..1]), one);
        let two = "the columns `Symbol`, `Place` hold text and no samples, and describe features: left out";
        assert_eq!(descriptions_words(&names), two);
    }
}
