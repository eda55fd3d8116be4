//! Dense and sparse rows, parsed by the declarations of the file.

use crate::base::error::Place;
use crate::base::remedies::SAVE_AS_UTF8;
use crate::base::{Error, OptionName, Result, counted, text};
use crate::table::column::{Categories, Column, Dictionary, is_too_large, too_large_words};
use crate::table::read::arff::header::{Attribute, AttributeKind, Field, OPEN_BRACE, field};
use crate::table::read::column_roles::Role;
use crate::table::read::memory_limits::{check_dense, rows_that_fit};
use crate::table::read::number;
use crate::table::read::rows::replace_or_missing;
use crate::table::{ExpansionLimit, MISSING, ReadOptions};

/// The values of a column as they come.
enum AttributeValues {
    Numbers(Vec<f64>),
    /// Positions among the declared values.
    Codes(Vec<u32>),
    Words(Dictionary),
    Skip,
}

/// Rows being read.
pub(crate) struct ArffRowParser<'a> {
    attributes: &'a [Attribute],
    values: Vec<AttributeValues>,
    missing: &'a [String],
    place: &'a Place,
    pub(crate) count: usize,
    limit: ExpansionLimit,
    /// Rows that fit the memory if their zeros are written out.
    most_sparse_rows: usize,
}

impl<'a> ArffRowParser<'a> {
    pub(crate) fn new(
        attributes: &'a [Attribute],
        roles: &[Role],
        options: &'a ReadOptions,
        place: &'a Place,
    ) -> Result<Self> {
        let mut values = Vec::with_capacity(attributes.len());
        for (attribute, role) in attributes.iter().zip(roles) {
            values.push(match (&attribute.kind, role) {
                (_, Role::Skip) => AttributeValues::Skip,
                (AttributeKind::Number, _) => AttributeValues::Numbers(vec![]),
                (AttributeKind::Nominal { .. }, _) => AttributeValues::Codes(vec![]),
                (AttributeKind::Text, _)
                | (AttributeKind::Date, Role::Id(_) | Role::Event | Role::Group | Role::Block | Role::Counted) => {
                    AttributeValues::Words(Dictionary::default())
                }
                (AttributeKind::Date, _) => {
                    let drop = OptionName::Drop.set(&attribute.name);
                    let remedy = text!["pass ", drop, " to leave it out, or write the dates as numbers"];
                    return Err(Error::data(place.clone().at_column(&attribute.name), "it holds dates", remedy));
                }
            });
        }
        let limit = options.expansion;
        let most_sparse_rows = rows_that_fit(values.len(), limit);
        Ok(ArffRowParser { attributes, values, missing: &options.missing, place, count: 0, limit, most_sparse_rows })
    }

    /// Every column; those left out are empty.
    pub(crate) fn finish(self) -> Vec<Column> {
        let columns =
            self.attributes.iter().zip(self.values).map(|(attribute, values)| match (values, &attribute.kind) {
                (AttributeValues::Numbers(numbers), _) => numbers.into(),
                (AttributeValues::Codes(codes), AttributeKind::Nominal { values, .. }) => {
                    Categories::of(codes.iter().map(|&code| values.get(code as usize))).into()
                }
                (AttributeValues::Words(words), _) => words.into_categories().into(),
                _ => Column::Numbers(vec![]),
            });
        columns.collect()
    }

    /// One row, trimmed and not empty.
    pub(crate) fn push(&mut self, line: &[u8]) -> Result<()> {
        self.count += 1;
        if line[0] == b'{' { self.sparse(line) } else { self.dense(line) }
    }

    fn dense(&mut self, line: &[u8]) -> Result<()> {
        let width = self.values.len();
        let mut at = 0;
        for column in 0..width {
            let rest = &line[at..];
            match (&mut self.values[column], number::leading(rest, b',')) {
                (AttributeValues::Numbers(numbers), Some((x, taken))) if x.is_finite() => {
                    let missing = !self.missing.is_empty() && number::is_missing(&rest[..taken], self.missing);
                    numbers.push(if missing { f64::NAN } else { x });
                    at += taken;
                }
                _ => {
                    let (field, taken) = field(rest, b",").map_err(|problem| self.wrong(problem))?;
                    self.cell(column, &field)?;
                    at += taken;
                }
            }
            match line.get(at) {
                Some(b',') if column + 1 < width => at += 1,
                Some(b',') if line[at + 1..].trim_ascii_start().starts_with(b"{") => return Err(self.weighted()),
                Some(b',') => return Err(self.wrong(&format!("the row has more than {}", counted(width, "value")))),
                _ if column + 1 < width => {
                    let (values, attributes) = (counted(column + 1, "value"), counted(width, "attribute"));
                    return Err(self.wrong(&format!("the row has {values} for {attributes}")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn sparse(&mut self, line: &[u8]) -> Result<()> {
        if self.count >= self.most_sparse_rows {
            check_dense((self.count, self.values.len()), u64::MAX, self.limit, self.place)?;
        }
        let mut next = 0;
        let mut at = 1;
        loop {
            at += line[at..].iter().take_while(|c| c.is_ascii_whitespace()).count();
            if line.get(at) == Some(&b'}') {
                break;
            }
            let digits = line[at..].iter().take_while(|c| c.is_ascii_digit()).count();
            let index = std::str::from_utf8(&line[at..at + digits]).ok().and_then(|text| text.parse::<usize>().ok());
            at += digits;
            let Some(index) = index.filter(|_| line.get(at).is_some_and(u8::is_ascii_whitespace)) else {
                return Err(self.wrong("a sparse row needs `{index value, index value}`"));
            };
            if index >= self.values.len() {
                let count = self.values.len();
                return Err(self.wrong(&format!("there is no attribute {index}: the {count} are counted from 0")));
            }
            if index < next {
                return Err(self.wrong(&format!("the index {index} does not ascend")));
            }
            for column in next..index {
                self.absent(column)?;
            }
            let (field, taken) = field(&line[at..], b",}").map_err(|problem| self.wrong(problem))?;
            self.cell(index, &field)?;
            next = index + 1;
            at += taken;
            match line.get(at) {
                Some(b',') => at += 1,
                Some(b'}') => {}
                _ => return Err(self.wrong(OPEN_BRACE)),
            }
        }
        match line[at + 1..].trim_ascii_start() {
            [] | [b'%', ..] => {}
            [b',', ..] => return Err(self.weighted()),
            _ => return Err(self.wrong("there is text behind the closing brace")),
        }
        for column in next..self.values.len() {
            self.absent(column)?;
        }
        Ok(())
    }

    /// Adds the default value of a column that a sparse row leaves out.
    fn absent(&mut self, column: usize) -> Result<()> {
        match &mut self.values[column] {
            AttributeValues::Numbers(numbers) => numbers.push(0.0),
            AttributeValues::Codes(codes) => codes.push(0),
            AttributeValues::Skip => {}
            AttributeValues::Words(_) => {
                let place = self.place.clone().at_row(self.count as u64).at_column(&self.attributes[column].name);
                let remedy = "write it, or `?` if it is missing";
                return Err(Error::data(place, "a sparse row leaves out a text, which has no zero", remedy));
            }
        }
        Ok(())
    }

    fn cell(&mut self, column: usize, field: &Field<'_>) -> Result<()> {
        let attribute = &self.attributes[column];
        let place = || self.place.clone().at_row(self.count as u64).at_column(&attribute.name);
        let text = || {
            std::str::from_utf8(&field.text)
                .map_err(|_| Error::data(place(), "the value is not UTF-8 text", SAVE_AS_UTF8))
        };
        let asked_for =
            !field.quoted && (*field.text == *b"?" || self.missing.iter().any(|m| *m.as_bytes() == *field.text));
        let missing = !field.quoted && number::is_missing(&field.text, self.missing);
        match (&mut self.values[column], &attribute.kind) {
            (AttributeValues::Numbers(numbers), _) => {
                let x = if missing { Some(f64::NAN) } else { number::whole(&field.text) };
                match x {
                    Some(x) if !is_too_large(x) => numbers.push(x),
                    Some(x) => {
                        let text = text()?;
                        return Err(Error::data(
                            place(),
                            format!("`{text}` {}", too_large_words(x)),
                            replace_or_missing(text),
                        ));
                    }
                    None => {
                        let text = text()?;
                        return Err(Error::data(
                            place(),
                            format!("`{text}` is not a number"),
                            replace_or_missing(text),
                        ));
                    }
                }
            }
            (AttributeValues::Codes(codes), AttributeKind::Nominal { index, .. }) => {
                // a declared `NA` is a value, an undeclared one is missing
                let code = if asked_for { None } else { index.get(text()?) };
                match code {
                    Some(code) => codes.push(*code),
                    None if missing => codes.push(MISSING),
                    None => {
                        let text = text()?;
                        let remedy = text!["declare it in `@attribute`, or pass ", OptionName::Missing.set(text)];
                        return Err(Error::data(place(), format!("the value `{text}` is not declared"), remedy));
                    }
                }
            }
            (AttributeValues::Words(words), _) => {
                let text = text()?;
                words.push((!missing).then_some(text));
            }
            _ => {}
        }
        Ok(())
    }

    fn weighted(&self) -> Error {
        let remedy = text!["take the `{…}` off the end of the rows and make it a column for ", OptionName::Weight];
        Error::data(self.place.clone().at_row(self.count as u64), "the row has a weight, which is not read", remedy)
    }

    fn wrong(&self, problem: &str) -> Error {
        Error::data(self.place.clone().at_row(self.count as u64), problem, "correct the row")
    }
}
