//! Tables that are laid out otherwise than a row per sample: features in rows, or sample annotations in a file of their own.
//!
//! ```text
//! genes.tsv, features in rows ──▶ transposed ─┐
//! any table, a row per sample ────────────────┼─▶ columns by name ──▶ roles ──▶ table
//! samples.tsv ──▶ sample_annotations ─────────┘
//! ```

mod almost_matching;
mod looks_transposed;
mod sample_annotations;
mod transposed;

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, OptionName, Progress, Result, Text, text};
use crate::table::read::column_roles::{TypedColumns, assemble};
use crate::table::read::converted::geo::SeriesMatrix;
use crate::table::read::format_of;
use crate::table::read::row_per_sample::read_by_format;
use crate::table::{Column, Format, Input, ReadOptions, Table};
use looks_transposed::features_in_rows;
pub(super) use looks_transposed::looks_transposed;
pub(in crate::table::read) use sample_annotations::SampleAnnotations;
use std::io::Cursor;
use transposed::NamedSamples;

/// Reads a table whose features are in rows, or whose target is in the file of samples.
pub(super) fn read_table(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let place = Place::file(input.name());
    let given = options.samples.as_ref().map(|file| Input::open(&file.path)).transpose()?;
    let given = given.map(|input| SampleAnnotations::read(input, options, progress)).transpose()?;
    let mut described = None;
    let found = match format_of(&input, options)? {
        Format::Geo => {
            let SeriesMatrix { matrix, samples } = SeriesMatrix::read(input, options)?;
            described = Some(Input::from_reader(Cursor::new(samples.into_bytes()), matrix.name()));
            let tabs = ReadOptions { delimiter: Some(b'\t'), ..options.clone() };
            transposed::read(matrix, &tabs, None, progress)?
        }
        _ if options.transpose => read_transposed(input, options, given.as_ref(), progress)?,
        _ => {
            let upright = read_upright(input, options, progress);
            upright.map_err(|error| features_in_rows(given.as_ref(), options, &place).unwrap_or(error))?
        }
    };
    let NamedSamples { samples, mut names, mut columns, mut notes } = found;
    let mut inner = options.clone();
    let plain = ReadOptions { samples: None, ..options.clone() };
    let described = described.map(|input| SampleAnnotations::read(input, &plain, progress)).transpose()?;
    let mut known: Vec<String> = vec![];
    // a file of samples goes before what a series matrix says about them
    for (annotations, is_given) in [(given, true), (described, false)] {
        let Some(annotations) = annotations else { continue };
        known.extend(annotations.names().iter().cloned());
        let on_names = annotations.note_on_names(&samples, &place);
        notes.extend(on_names.map_err(|error| features_in_rows(Some(&annotations), options, &place).unwrap_or(error))?);
        notes.extend(annotations.notes_on_unused(&samples, options));
        if options.no_target {
            notes.push(annotations.note_on_columns());
        }
        for (name, column) in annotations.columns_for(&samples, options)? {
            if !is_given && options.samples.is_some() && names.contains(&name) {
                continue;
            }
            if names.contains(&name) {
                let problem = format!("the table and the file of samples both have a column `{name}`");
                return Err(Error::data(place, problem, text!["rename one, or ", OptionName::Drop.set(&name)]));
            }
            names.push(name);
            columns.push(column);
        }
    }
    check_wanted(&names, &known, options, &place)?;
    if !samples.is_empty() {
        let name = free_name("sample", &names);
        names.push(name.clone());
        columns.push(Column::Categories(crate::table::Categories::of(samples.iter().map(Some))));
        inner.ids = vec![name];
    }
    inner.drop.clear(); // they were never read
    let found = TypedColumns { names, columns, rows_are_samples: true, ..TypedColumns::default() };
    let mut table = assemble(found, &inner, &place)?;
    table.notes.splice(0..0, notes);
    Ok(table)
}

/// The remedy for a table whose target must be in a file of samples.
pub(super) fn name_sample_file() -> Text {
    text!["name the file with a row per sample with ", OptionName::Samples.set("FILE")]
}

/// Refuses a target or another column that is neither a feature nor in a file of samples.
pub(super) fn check_wanted(names: &[String], known: &[String], options: &ReadOptions, place: &Place) -> Result<()> {
    let target = (!options.no_target && options.only.is_none()).then_some(&options.target);
    let single =
        [target, options.event.as_ref(), options.weight.as_ref(), options.group.as_ref(), options.block.as_ref()];
    let mut wanted = single.into_iter().flatten().chain(&options.covariates);
    let Some(name) = wanted.find(|name| !name.is_empty() && !names.contains(name)) else { return Ok(()) };
    if known.is_empty() {
        let problem = format!("there is no feature `{name}`, and no file of samples that could have it");
        return Err(Error::data(place.clone(), problem, name_sample_file()));
    }
    Err(Error::Unknown { kind: "column", name: name.clone(), known: known.to_vec() })
}

fn read_transposed(
    input: Input,
    options: &ReadOptions,
    annotations: Option<&SampleAnnotations>,
    progress: &mut dyn Progress,
) -> Result<NamedSamples> {
    match format_of(&input, options)? {
        Format::Csv | Format::Tsv => transposed::read(input, options, annotations, progress),
        format => {
            let expected = format!("a file in the format {format} has a row per sample; leave it out");
            Err(Error::parameter(OptionName::Transpose, "given", expected))
        }
    }
}

/// Reads a table that has a row per sample, for annotations from another file. The first identifying column names the
/// samples.
fn read_upright(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<NamedSamples> {
    let place = Place::file(input.name());
    let plain = ReadOptions {
        ids: options.ids.clone(),
        drop: options.drop.clone(),
        missing: options.missing.clone(),
        format: options.format,
        delimiter: options.delimiter,
        decimal: options.decimal,
        sheet: options.sheet.clone(),
        expansion: options.expansion,
        no_target: true,
        ..ReadOptions::target("")
    };
    let table = read_by_format(input, &plain, progress)?;
    let Some(ids) = table.ids.first() else {
        let remedy = text![
            "pass ",
            OptionName::Transpose,
            " if features are in rows, or say which column names the rows with ",
            OptionName::Id
        ];
        return Err(Error::data(place, "its rows have no names that samples could be found by", remedy));
    };
    let mut notes = table.notes.clone();
    let text = format!("samples are found by the column `{}`", ids.name);
    notes.push(Note::new(NoteKind::RowNames, text));
    Ok(NamedSamples { samples: ids.values.clone(), names: table.names.to_vec(), columns: table.columns, notes })
}

/// A name that no column has.
fn free_name(wanted: &str, names: &[String]) -> String {
    let mut name = wanted.to_string();
    while names.contains(&name) {
        name.push('_');
    }
    name
}
