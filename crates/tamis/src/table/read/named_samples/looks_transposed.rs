//! The error of a file that seems to have its features in rows: it proposes what to type.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Part, Text};
use crate::table::read::number;
use std::path::Path;

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
    let mut remedy: Vec<Part> = vec!["pass ".into(), OptionName::Transpose.into(), ", and ".into()];
    match neighbour(place.file.as_deref().unwrap_or_default()) {
        Some(file) => remedy.push(OptionName::Samples.set(file)),
        None => remedy.push(OptionName::Samples.set("FILE")),
    }
    remedy.push(format!(" for the file with a row per sample that has the column `{target}`").into());
    Some(Error::data(place.clone(), problem, Text::of_parts(remedy)))
}

/// A file beside this one whose name says that it describes samples.
fn neighbour(file: &str) -> Option<String> {
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
    let first = names.into_iter().next()?;
    let beside = if folder == Path::new(".") { first } else { folder.join(first).display().to_string() };
    Some(beside)
}
