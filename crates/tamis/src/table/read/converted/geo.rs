//! Series matrices of the Gene Expression Omnibus: a matrix of probes by samples between lines that describe the samples.

use super::cells::push_cell;
use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::table::{Input, ReadOptions};
use std::collections::HashMap;
use std::io::Cursor;
use std::ops::Range;

/// A series matrix as two files of text: probes in rows, and a row per sample.
pub(crate) struct SeriesMatrix {
    /// Tab-separated text, the samples' names in its header.
    pub(crate) matrix: Input,
    /// Comma-separated text, a row per sample.
    pub(crate) samples: String,
}

/// Whether a text begins as a series matrix does.
pub(crate) fn is_series_matrix(text: &[u8]) -> bool {
    text.starts_with(b"!Series_") || text.starts_with(b"!Sample_")
}

impl SeriesMatrix {
    /// Splits a series matrix.
    ///
    /// # Errors
    ///
    /// A file without a matrix or without names of samples.
    pub(crate) fn read(input: Input, options: &ReadOptions) -> Result<SeriesMatrix> {
        let name = input.name().to_string();
        let size = input.size();
        let mut text = input.text(options.expansion)?;
        let refuse = |problem: &str| {
            let remedy = "download the series matrix again, or give the matrix and the samples as two files";
            Err(Error::data(Place::file(&name), problem, remedy))
        };
        let Some(table) = lines_of_table(&text) else {
            return refuse("there is no matrix between `!series_matrix_table_begin` and `!series_matrix_table_end`");
        };
        let Ok(table) = table else {
            return refuse("it has no line `!series_matrix_table_end`: it seems to be cut off");
        };
        let mut described: Vec<(&str, &str)> =
            text[..table.start].lines().chain(text[table.end..].lines()).filter_map(sample_line).collect();
        let Some(names) = described.iter().position(|(key, _)| *key == "geo_accession") else {
            return refuse("there is no line `!Sample_geo_accession`");
        };
        let names: Vec<String> = cells_of(described.remove(names).1).map(String::from).collect();
        let compressed = size.filter(|size| *size < text.len() as u64);
        let most = most_cells(text.len(), compressed.map(|size| options.expansion.of_file(size)));
        let Some(columns) = columns(&described, names.len(), most) else {
            return refuse("its samples have so many different characteristics that most would be empty");
        };
        if text[table.clone()].lines().count() < 2 {
            let problem = "its table has no row; series of sequencing data keep theirs among their supplementary files";
            let remedy = "give that table, with this file's samples in a file of their own";
            return Err(Error::data(Place::file(&name), problem, remedy));
        }
        let samples = samples_text(&names, &columns);
        text.truncate(table.end);
        text.drain(..table.start);
        Ok(SeriesMatrix { matrix: Input::from_reader(Cursor::new(text.into_bytes()), name), samples })
    }
}

/// Where the lines of the matrix are; an error if nothing ends them. A probe may be called as it likes: inside, no line
/// but the last is a remark.
fn lines_of_table(text: &str) -> Option<Result<Range<usize>, ()>> {
    let lines = || {
        let mut at = 0;
        text.split_inclusive('\n').map(move |line| {
            at += line.len();
            (at - line.len()..at, line.trim_end())
        })
    };
    let start = lines().find(|(_, line)| *line == "!series_matrix_table_begin")?.0.end;
    let end = lines().find(|(at, line)| at.start >= start && *line == "!series_matrix_table_end");
    match end {
        Some((end, _)) if end.start == start => None,
        Some((end, _)) => Some(Ok(start..end.start)),
        None => Some(Err(())),
    }
}

/// The key and the cells of a line that describes samples.
fn sample_line(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("!Sample_")?.split_once('\t')
}

fn cells_of(line: &str) -> impl Iterator<Item = &str> {
    line.split('\t').map(|cell| cell.trim().trim_matches('"'))
}

/// How many cells may describe samples, in a text of so many bytes. Where the text was compressed, the cells have to fit
/// the bound on what it may expand to.
fn most_cells(text_bytes: usize, allowed: Option<u64>) -> usize {
    const CELLS_PER_BYTE: usize = 2; // a cell takes 24 bytes, empty or not
    const CELL_BYTES: u64 = 96; // it becomes text, and is read again
    let allowed = allowed.map_or(usize::MAX, |bytes| usize::try_from(bytes / CELL_BYTES).unwrap_or(usize::MAX));
    text_bytes.saturating_mul(CELLS_PER_BYTE).min(allowed)
}

/// A column per key; characteristics are written as `key: value`, and their keys are columns. A second value of one key is
/// a column of its own, with a number. `None` where there would be more cells than `most`: every sample can have keys of
/// its own.
fn columns(described: &[(&str, &str)], samples: usize, most: usize) -> Option<Vec<(String, Vec<String>)>> {
    let mut columns: Vec<(String, Vec<String>)> = vec![];
    // by key, and by how many values of that key a sample has had before
    let mut places = HashMap::<(&str, usize), usize>::new();
    for (key, cells) in described {
        let characteristics = key.starts_with("characteristics");
        for (row, cell) in cells_of(cells).take(samples).enumerate() {
            let characteristic = cell.split_once(':').filter(|_| characteristics);
            let (name, value) = characteristic.map_or((*key, cell), |(name, value)| (name.trim(), value.trim()));
            let mut before = 0;
            loop {
                let at = match places.get(&(name, before)) {
                    Some(&at) => at,
                    None if (columns.len() + 1).saturating_mul(samples) > most => return None,
                    None => {
                        places.insert((name, before), columns.len());
                        columns.push((free_name(name, before, &columns), vec![String::new(); samples]));
                        columns.len() - 1
                    }
                };
                let known = &mut columns[at].1[row];
                if known.is_empty() {
                    *known = value.into();
                }
                if *known == value || characteristic.is_none() || value.is_empty() {
                    break;
                }
                before += 1;
            }
        }
    }
    Some(columns)
}

/// The key, with a number if it is not the first of its name.
fn free_name(key: &str, before: usize, columns: &[(String, Vec<String>)]) -> String {
    let mut name = if before == 0 { key.to_string() } else { format!("{key}-{}", before + 1) };
    while columns.iter().any(|(own, _)| *own == name) {
        name.push('\'');
    }
    name
}

/// Comma-separated text with a row per sample.
fn samples_text(names: &[String], columns: &[(String, Vec<String>)]) -> String {
    let mut text = String::from("geo_accession");
    for (name, _) in columns {
        text.push(',');
        push_cell(name, &mut text);
    }
    for (row, name) in names.iter().enumerate() {
        text.push('\n');
        push_cell(name, &mut text);
        for (_, cells) in columns {
            text.push(',');
            push_cell(&cells[row], &mut text);
        }
    }
    text.push('\n');
    text
}
