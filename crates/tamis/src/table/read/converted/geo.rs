//! Series matrices of the Gene Expression Omnibus: a matrix of probes by samples between lines that describe the samples.

use super::cells::push_cell;
use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::table::{Input, ReadOptions};
use std::collections::HashMap;
use std::io::Cursor;

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
        let text = input.text(options.expansion)?;
        let refuse = |problem: &str| {
            let remedy = "download the series matrix again, or give the matrix and the samples as two files";
            Err(Error::data(Place::file(&name), problem, remedy))
        };
        let mut described: Vec<(String, Vec<String>)> = vec![];
        let mut matrix = String::new();
        let mut inside = false;
        for line in text.lines() {
            match line.strip_prefix('!') {
                Some("series_matrix_table_begin") => inside = true,
                Some("series_matrix_table_end") => inside = false,
                Some(rest) => described.extend(sample_line(rest)),
                None if inside && !line.starts_with('#') => {
                    matrix.push_str(line);
                    matrix.push('\n');
                }
                None => {}
            }
        }
        if matrix.is_empty() {
            return refuse("there is no matrix between `!series_matrix_table_begin` and `!series_matrix_table_end`");
        }
        let Some(names) = described.iter().position(|(key, _)| key == "geo_accession") else {
            return refuse("there is no line `!Sample_geo_accession`");
        };
        let names = described.remove(names).1;
        let Some(columns) = columns(described, names.len(), text.len()) else {
            return refuse("its samples have so many different characteristics that most would be empty");
        };
        if matrix.lines().count() < 2 {
            let problem = "its table has no row; series of sequencing data keep theirs among their supplementary files";
            let remedy = "give that table, with this file's samples in a file of their own";
            return Err(Error::data(Place::file(&name), problem, remedy));
        }
        let samples = samples_text(&names, &columns);
        Ok(SeriesMatrix { matrix: Input::from_reader(Cursor::new(matrix.into_bytes()), name), samples })
    }
}

/// The key and the cells of a line that describes samples.
fn sample_line(rest: &str) -> Option<(String, Vec<String>)> {
    let mut cells = rest.strip_prefix("Sample_")?.split('\t');
    let key = cells.next()?.to_string();
    Some((key, cells.map(|cell| cell.trim().trim_matches('"').to_string()).collect()))
}

/// A column per key; characteristics are written as `key: value`, and their keys are columns. `None` where these columns
/// have far more cells than the file has bytes: every sample can have keys of its own.
fn columns(
    described: Vec<(String, Vec<String>)>,
    samples: usize,
    file_bytes: usize,
) -> Option<Vec<(String, Vec<String>)>> {
    const CELLS_PER_BYTE: usize = 2; // a cell takes 24 bytes, empty or not
    let mut columns: Vec<(String, Vec<String>)> = vec![];
    let mut places = HashMap::<String, usize>::new();
    for (key, cells) in described {
        for (row, cell) in cells.iter().take(samples).enumerate() {
            let characteristic = cell.split_once(':').filter(|_| key.starts_with("characteristics"));
            let (name, value) = characteristic.map_or((key.as_str(), cell.as_str()), |(n, v)| (n.trim(), v.trim()));
            let at = match places.get(name) {
                Some(&at) => at,
                None if (columns.len() + 1).saturating_mul(samples) > CELLS_PER_BYTE * file_bytes => return None,
                None => {
                    places.insert(name.into(), columns.len());
                    columns.push((name.into(), vec![String::new(); samples]));
                    columns.len() - 1
                }
            };
            if columns[at].1[row].is_empty() {
                columns[at].1[row] = value.into();
            }
        }
    }
    Some(columns)
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
