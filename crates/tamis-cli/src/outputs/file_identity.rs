//! Which paths lead to the same file, however they are written.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// The file that a path leads to, or the place where one would be.
#[derive(Debug, PartialEq, Eq)]
pub enum FileIdentity {
    /// A file that exists, by device and number.
    #[cfg(unix)]
    File(u64, u64),
    /// A place, links resolved.
    Place(PathBuf),
}

impl FileIdentity {
    /// The identity of a path; `None` for a terminal or a device such as `/dev/null`, which many may share.
    pub fn of(path: &Path) -> Option<FileIdentity> {
        match std::fs::metadata(path) {
            Ok(found) => FileIdentity::of_existing(path, &found),
            Err(_) => Some(FileIdentity::Place(place(path))),
        }
    }

    #[cfg(unix)]
    fn of_existing(_path: &Path, found: &Metadata) -> Option<FileIdentity> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        (!found.file_type().is_char_device()).then(|| FileIdentity::File(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn of_existing(path: &Path, found: &Metadata) -> Option<FileIdentity> {
        (found.is_file() || found.is_dir()).then(|| FileIdentity::Place(place(path)))
    }
}

/// The path with the links of its folder resolved.
fn place(path: &Path) -> PathBuf {
    let whole = || {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(whole).unwrap_or_else(|| path.into())
}
