//! Delimited text with a feature per row: the first column names the features, the header names the samples.

use super::NamedSamples;
use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::table::column::{is_too_large, too_large_words};
use crate::table::read::csv::header;
use crate::table::read::number::{self, Decimal};
use crate::table::read::record::Record;
use crate::table::read::records::Records;
use crate::table::{Categories, Column, Input, ReadOptions};
use std::borrow::Cow;

/// Reads the features of a file, each a column of the table.
///
/// Cost: one pass over the file; memory is that of the numbers.
pub(super) fn read(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<NamedSamples> {
    let mut records = Records::open(input, options.expansion, options.delimiter)?;
    let place = Place::file(records.name());
    let head = header(&mut records, &place, progress)?;
    let ahead = records.ahead(progress)?.len();
    // R leaves out the name of the column of names
    let samples: Vec<String> = if ahead == head.len() + 1 { head } else { head.into_iter().skip(1).collect() };
    if samples.is_empty() {
        let remedy = text!["it needs a column of names and one per sample; check ", OptionName::Delimiter];
        return Err(Error::data(place, "the file has one column", remedy));
    }
    let kept: Vec<bool> = samples.iter().map(|name| !options.drop.contains(name)).collect();
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
    let (names, columns) = features.into_iter().filter(|(name, _)| !options.drop.contains(name)).unzip();
    let samples = samples.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(name, _)| name.clone()).collect();
    let note = Note::new(NoteKind::RowNames, "features are read from rows, and samples from columns");
    Ok(NamedSamples { samples, names, columns, notes: vec![note] })
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
            let problem = format!("the row has {} values for {} samples", cells.len(), self.samples.len());
            let remedy = text!["complete the row, or check ", OptionName::Delimiter];
            return Err(Error::data(self.place.clone().at_row(self.line), problem, remedy));
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
                let problem = format!("the value of sample `{sample}` {}", too_large_words(value));
                return Err(Error::data(place, problem, "replace it by a number, or leave it missing"));
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
        if let Some(other) = decimal.other_mark(texts.iter().flatten().map(String::as_str)) {
            let place = self.place.clone().at_row(self.line).at_column(name);
            return Err(Error::data(place, format!("`{first}` is not a number"), other));
        }
        Ok(Column::Categories(Categories::of(texts)))
    }

    /// A cell as text.
    fn text<'c>(&self, cell: &'c [u8], sample: Option<&String>) -> Result<&'c str> {
        std::str::from_utf8(cell).map_err(|_| {
            let mut place = self.place.clone().at_row(self.line);
            if let Some(sample) = sample {
                place = place.at_column(sample);
            }
            Error::data(place, "the cell is not UTF-8 text", "save the file as UTF-8")
        })
    }
}
