//! The error of a file that seems to have its features in rows: it proposes what to type.

use super::SampleAnnotations;
use crate::base::error::Place;
use crate::base::{Context, Error, OptionName, text};
use crate::table::read::column_names::header;
use crate::table::read::number;
use crate::table::read::records::Records;
use crate::table::{ExpansionLimit, Input, ReadOptions};
use std::path::Path;

/// Files of a folder that are looked into.
const MOST_NEIGHBOURS: usize = 20;

/// Parts of names that files of samples have.
const SAMPLE_FILES: [&str; 7] = ["sample", "pheno", "meta", "annot", "clinical", "design", "coldata"];

/// The error of a file without this target, if its first row shows that features may be in rows: a name, then numbers only,
/// under a header of as many samples.
pub(crate) fn looks_transposed(target: &str, names: &[String], first: &[Vec<u8>], place: &Place) -> Option<Error> {
    let (name, values) = first.split_first()?;
    let is_number = |cell: &Vec<u8>| number::whole(cell).is_some() || number::is_missing(cell.trim_ascii(), &[]);
    let named = !is_number(name) && values.len() >= 3 && values.iter().all(is_number);
    if !named || values.len() + 1 < names.len() {
        return None;
    }
    let name = String::from_utf8_lossy(name);
    let problem = format!(
        "there is no column `{target}`, and features seem to be in rows: the first is called `{}`, and the header names {} \
         samples",
        name.trim(),
        values.len()
    );
    let file = neighbour(place.file.as_deref().unwrap_or_default(), target).unwrap_or_else(|| "FILE".into());
    let remedy = text![
        "pass ",
        OptionName::Transpose,
        ", and ",
        OptionName::Samples.set(file),
        format!(" for the file with a row per sample that has the column `{target}`")
    ];
    Some(Error::data(place.clone(), problem, remedy))
}

/// The error of a table that has no name in common with a file of samples, if its header names samples of that file.
pub(super) fn features_in_rows(
    annotations: Option<&SampleAnnotations>,
    options: &ReadOptions,
    place: &Place,
) -> Option<Error> {
    if options.transpose {
        return None;
    }
    let names = header_of(Path::new(place.file.as_ref()?), options.delimiter)?;
    let found = names.iter().filter(|name| annotations.is_some_and(|samples| samples.has(name))).count();
    if found < 2 || 2 * found < names.len() {
        return None;
    }
    let problem = format!("its header names {found} samples of the file of samples: features are in rows");
    Some(Error::data(place.clone(), problem, text!["pass ", OptionName::Transpose]))
}

/// The first line of a file of text, split into names; `None` where it cannot be read.
fn header_of(path: &Path, delimiter: Option<u8>) -> Option<Vec<String>> {
    if !path.is_file() {
        return None; // a pipe would never end
    }
    let mut records = Records::open(Input::open(path).ok()?, ExpansionLimit::default(), delimiter).ok()?;
    header(&mut records, &Place::default(), &mut Context::default()).ok()
}

/// A file beside this one that has the column `target`, and whose name says that it describes samples.
fn neighbour(file: &str, target: &str) -> Option<String> {
    let path = Path::new(file);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            let lower = name.to_lowercase();
            let text = [".csv", ".tsv", ".txt"].iter().any(|ending| lower.trim_end_matches(".gz").ends_with(ending));
            text && SAMPLE_FILES.iter().any(|part| lower.contains(part)) && path.file_name() != Some(name.as_ref())
        })
        .collect();
    names.sort();
    let has_target = |name: &String| {
        header_of(&folder.join(name), None).is_some_and(|header| header.iter().any(|column| column == target))
    };
    let first = names.into_iter().take(MOST_NEIGHBOURS).find(has_target)?;
    let beside = if folder == Path::new(".") { first } else { folder.join(first).display().to_string() };
    Some(beside)
}
