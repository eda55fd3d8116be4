//! A file of samples: a row per sample, with its name, its target, its covariates.

use super::almost_matching::almost;
use crate::base::error::Place;
use crate::base::note::{Note, NoteKind, Weight};
use crate::base::remedies::another_column;
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::table::read::column_names::header;
use crate::table::read::column_roles::position;
use crate::table::read::converted::{self, Dates};
use crate::table::read::number::{self, Decimal};
use crate::table::read::records::Records;
use crate::table::read::rows::wrong_width;
use crate::table::{Categories, Column, Format, Input, ReadOptions, SampleColumn, notes_on_unused};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Names that a note or an error lists.
const LISTED: usize = 5;

/// The cells of a file of samples.
pub(in crate::table::read) struct SampleAnnotations {
    place: Place,
    names: Vec<String>,
    /// One list of cells per column; `None` is missing.
    cells: Vec<Vec<Option<String>>>,
    /// Which column names the samples.
    id: usize,
    rows: HashMap<String, usize>,
}

impl SampleAnnotations {
    /// Reads the file. Its first column names the samples, unless another is named.
    pub(in crate::table::read) fn read(
        input: Input,
        options: &ReadOptions,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let input = match Format::of_path(Path::new(input.name())) {
            Format::Xlsx => converted::sheet(input, options, Dates::AsText, progress)?.0,
            _ => input,
        };
        let mut records = Records::open(input, options.expansion, None)?;
        let place = Place::file(records.name());
        let mut names = header(&mut records, &place, progress)?;
        if records.ahead(progress)?.len() == names.len() + 1 {
            names.insert(0, String::new());
        }
        let wanted = options.samples.as_ref().and_then(|file| file.id.as_ref());
        let id = wanted.map_or(Ok(0), |name| position(&names, name))?;
        let mut cells: Vec<Vec<Option<String>>> = vec![vec![]; names.len()];
        let mut line = 0;
        while let Some(record) = records.next(progress)? {
            if record.is_blank() {
                continue;
            }
            line += 1;
            let fields: Vec<_> = record.fields().collect();
            if fields.len() != names.len() {
                let problem = wrong_width(fields.len(), names.len());
                let remedy = "quote fields that contain the delimiter, or complete the row";
                return Err(Error::data(place.at_row(line), problem, remedy));
            }
            let bytes = fields.iter().map(|field| field.len()).sum();
            for (column, field) in cells.iter_mut().zip(&fields) {
                let known = !number::is_missing(field.trim_ascii(), &options.missing);
                let text = std::str::from_utf8(field)
                    .map_err(|_| Error::data(place.clone().at_row(line), "it is not UTF-8 text", "save it as UTF-8"))?;
                column.push(known.then(|| text.trim().to_string()));
            }
            drop(fields);
            records.keep(names.len(), bytes)?;
        }
        let mut rows = HashMap::new();
        for (row, name) in cells[id].iter().enumerate() {
            let Some(name) = name else { continue };
            if rows.insert(name.clone(), row).is_some() {
                let place = place.at_row(row as u64 + 1).at_column(&names[id]);
                let remedy = text![another_column(OptionName::SampleId), ", or remove one of the rows"];
                return Err(Error::data(place, format!("the sample `{name}` stands twice"), remedy));
            }
        }
        Ok(SampleAnnotations { place, names, cells, id, rows })
    }

    /// A note on names that only one of the files has; an error where they have none in common, or a name stands twice.
    pub(in crate::table::read) fn note_on_names(&self, samples: &[String], table: &Place) -> Result<Option<Note>> {
        let mut seen = HashSet::new();
        if let Some(name) = samples.iter().find(|name| !seen.insert(name.as_str())) {
            let problem = format!("two samples are called `{name}`");
            return Err(Error::data(table.clone(), problem, "give every sample a name of its own"));
        }
        let here: Vec<&str> = samples.iter().filter(|s| !self.has(s)).map(String::as_str).collect();
        let there: Vec<&str> =
            self.cells[self.id].iter().flatten().map(String::as_str).filter(|s| !seen.contains(s)).collect();
        if here.len() == samples.len() {
            return Err(self.none_in_common(&here, &there));
        }
        if here.is_empty() && there.is_empty() {
            return Ok(None);
        }
        let mut parts = vec![];
        if !here.is_empty() {
            parts.push(format!("{} of the table not in the file of samples ({})", here.len(), listed(&here)));
        }
        if !there.is_empty() {
            parts.push(format!("{} of the file of samples not in the table ({})", there.len(), listed(&there)));
        }
        parts.extend(almost(&here, &there));
        Ok(Some(Note::new(NoteKind::SampleNames, format!("samples of one file only: {}", parts.join("; ")))))
    }

    /// The error of two files without a name in common.
    fn none_in_common(&self, here: &[&str], there: &[&str]) -> Error {
        let column = &self.names[self.id];
        let mut problem = format!(
            "no sample of the table ({}) is among those of its column `{column}` ({})",
            listed(here),
            listed(there)
        );
        let matching = |cells: &Vec<Option<String>>| cells.iter().flatten().any(|cell| here.contains(&cell.as_str()));
        if let Some(other) = self.cells.iter().position(matching) {
            let remedy = text!["pass ", OptionName::SampleId.set(&self.names[other]), ", which has them"];
            return Error::data(self.place.clone(), problem, remedy);
        }
        let remedy = match almost(here, there) {
            Some(words) => {
                problem.push_str(&format!("; {words}"));
                text!["write the names alike, or ", another_column(OptionName::SampleId)]
            }
            None => text!["name the column of sample names with ", OptionName::SampleId],
        };
        Error::data(self.place.clone(), problem, remedy)
    }

    /// Whether it has a sample of this name.
    pub(super) fn has(&self, sample: &str) -> bool {
        self.rows.contains_key(sample)
    }

    /// Notes on columns that no option names, and that say much about the target: donors, batches.
    pub(in crate::table::read) fn notes_on_unused(&self, samples: &[String], options: &ReadOptions) -> Vec<Note> {
        let Some(target) = self.names.iter().position(|name| *name == options.target) else { return vec![] };
        let used = [&options.event, &options.weight, &options.group, &options.block].into_iter().flatten();
        let used: Vec<&String> = used.chain(&options.covariates).chain(&options.drop).chain(&options.ids).collect();
        let rows: Vec<usize> = samples.iter().filter_map(|sample| self.rows.get(sample).copied()).collect();
        let column = |at: usize| SampleColumn {
            name: &self.names[at],
            cells: rows.iter().map(|&row| self.cells[at][row].as_deref()).collect(),
        };
        let unused = (0..self.names.len()).filter(|at| *at != self.id && *at != target);
        let unused = unused.filter(|at| !used.contains(&&self.names[*at])).map(column);
        notes_on_unused(&column(target), unused, "of the file of samples")
    }

    /// The names of the columns, that of the samples' names included.
    pub(in crate::table::read) fn names(&self) -> &[String] {
        &self.names
    }

    /// A note on the columns there are.
    pub(in crate::table::read) fn note_on_columns(&self) -> Note {
        let columns: Vec<String> = self
            .names
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != self.id)
            .map(|(_, name)| format!("`{name}`"))
            .collect();
        let text = format!("samples are described by the columns {}", columns.join(", "));
        Note::new(NoteKind::SampleNames, text).weighing(Weight::HowRead)
    }

    /// The columns that options name, in the order of the table's samples.
    pub(in crate::table::read) fn columns_for(
        &self,
        samples: &[String],
        options: &ReadOptions,
    ) -> Result<Vec<(String, Column)>> {
        let single = [&options.event, &options.weight, &options.group, &options.block];
        let target = (!options.no_target && !options.target.is_empty()).then_some(&options.target);
        let wanted: Vec<&String> =
            target.into_iter().chain(single.into_iter().flatten()).chain(&options.covariates).collect();
        let mut found: Vec<(String, Column)> = vec![];
        for name in wanted {
            let at = self.names.iter().position(|own| own == name);
            if let Some(at) = at.filter(|_| found.iter().all(|(own, _)| own != name)) {
                found.push((name.clone(), self.column(at, samples, options)?));
            }
        }
        Ok(found)
    }

    /// A column at the table's samples: numbers where every cell is one, else text.
    fn column(&self, at: usize, samples: &[String], options: &ReadOptions) -> Result<Column> {
        let cell = |sample: &String| self.rows.get(sample).and_then(|&row| self.cells[at][row].as_deref());
        let decimal = Decimal::of(options.decimal);
        let number = |text: &str| decimal.cell(text.as_bytes());
        if samples.iter().filter_map(cell).all(|text| number(text).is_some()) {
            let value = |sample: &String| cell(sample).and_then(number).unwrap_or(f64::NAN);
            return Ok(Column::Numbers(samples.iter().map(value).collect()));
        }
        if let Some(remedy) = decimal.other_mark(samples.iter().filter_map(cell)) {
            let place = self.place.clone().at_column(&self.names[at]);
            let first = samples.iter().find_map(cell).unwrap_or_default();
            return Err(Error::data(place, format!("`{first}` is not a number"), remedy));
        }
        Ok(Column::Categories(Categories::of(samples.iter().map(cell))))
    }
}

/// The first names, in quotation marks.
fn listed(names: &[&str]) -> String {
    let mut few: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    if names.len() > LISTED {
        few.push("…".into());
    }
    few.join(", ")
}
