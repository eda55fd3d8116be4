//! Several files as one table: a folder, a pattern, or a list.

use std::path::{Path, PathBuf};
use tamis::front::{NAMED_TWICE, TableFiles, counted};
use tamis::table::ReadOptions;
use tamis::{Error, Result};

/// The files that are meant: a folder stands for the tables in it, `*` and `?` in a file's name for any text and any
/// character. In the order of their names, but as listed where several are.
pub fn expand(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = vec![];
    for path in given {
        if let Some(matrix) = sparse_matrix_in(path) {
            files.push(matrix);
        } else if path.is_dir() {
            let none =
                "it is a folder without a table (.csv, .tsv, .txt or .parquet, plain or compressed); name a file";
            files.extend(in_folder(path, is_table, none)?);
        } else if let Some(pattern) = pattern(path) {
            let none = "no file matches it";
            files.extend(in_folder(folder_of(path), |name| matches(&pattern, name), none).map_err(|e| match e {
                Error::Read { reason, source, .. } => Error::Read { file: path.display().to_string(), reason, source },
                other => other,
            })?);
        } else {
            files.push(path.clone());
        }
    }
    if files.len() > 1 {
        if files.iter().any(|path| path == Path::new("-")) {
            return Err(Error::parameter("FILE", "-", "standard input cannot be one of several files"));
        }
        let mut seen = std::collections::HashSet::new();
        let twice = files.iter().find(|path| !seen.insert(path.canonicalize().unwrap_or_else(|_| path.to_path_buf())));
        if let Some(path) = twice {
            return Err(Error::parameter("FILE", path.display(), NAMED_TWICE));
        }
    }
    Ok(files)
}

/// The table that some files are.
pub fn tables(given: &[PathBuf], options: ReadOptions) -> Result<TableFiles> {
    let paths = expand(given)?;
    let name = name(&paths, given);
    Ok(TableFiles { name, ..TableFiles::new(paths, options) })
}

/// The matrix of a folder of 10x Genomics.
fn sparse_matrix_in(folder: &Path) -> Option<PathBuf> {
    ["matrix.mtx", "matrix.mtx.gz"].iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// The files that are meant, where a folder stands for nothing.
pub fn expand_patterns(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    match given.iter().find(|path| path.is_dir()) {
        Some(folder) => Err(Error::read(folder.display().to_string(), "it is a folder; name the files in it")),
        None => expand(given),
    }
}

/// The one file that is meant, for commands that take no more; a folder of 10x Genomics is one.
pub fn expand_to_one(given: &Path, what: &'static str) -> Result<PathBuf> {
    match &expand(&[given.to_path_buf()])?[..] {
        [one] => Ok(one.clone()),
        _ => Err(Error::parameter("FILE", given.display(), what)),
    }
}

/// The name of a list of files in a result, without folders. A folder of 10x Genomics has a name of its own, its matrix
/// has not.
pub fn name(files: &[PathBuf], given: &[PathBuf]) -> String {
    let last = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match (files, given) {
        ([one], _) if one == Path::new("-") => "standard input".into(),
        ([_], [folder]) if sparse_matrix_in(folder).is_some() && folder.file_name().is_some() => last(folder),
        ([one], _) => last(one),
        (_, [one]) => format!("{} ({})", last(one), counted(files.len(), "file")),
        _ => format!("{} and {} more", last(&files[0]), files.len() - 1),
    }
}

/// The pattern in a path's last part, unless there is a file of exactly this name.
fn pattern(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    (name.contains(['*', '?']) && !path.exists()).then(|| name.to_string())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The files in a folder whose names are wanted, sorted.
fn in_folder(folder: &Path, wanted: impl Fn(&str) -> bool, none: &str) -> Result<Vec<PathBuf>> {
    let fail = |reason: String| Error::read(folder.display().to_string(), reason);
    let entries = std::fs::read_dir(folder).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => fail("there is no such folder".into()),
        _ => fail(e.to_string()),
    })?;
    let mut files = vec![];
    for entry in entries {
        let entry = entry.map_err(|e| fail(e.to_string()))?;
        let name = entry.file_name();
        // names that begin so are left over by programs that write folders of tables
        let hidden = name.to_str().is_none_or(|name| name.starts_with(['.', '_']));
        if !hidden && name.to_str().is_some_and(&wanted) && entry.path().is_file() {
            let path = if folder == Path::new(".") { PathBuf::from(name) } else { entry.path() };
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() { Err(fail(none.into())) } else { Ok(files) }
}

fn is_table(name: &str) -> bool {
    let name = name.to_lowercase();
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    [".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq"].iter().any(|ending| plain.ends_with(ending))
}

/// Whether a name fits a pattern of `*` and `?`.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                // let the last star take one more character
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_text_and_question_marks_for_one_character() {
        for (pattern, name, fits) in [
            ("*.csv", "a.csv", true),
            ("*.csv", "a.csv.gz", false),
            ("part-??.parquet", "part-07.parquet", true),
            ("part-??.parquet", "part-7.parquet", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXc", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
