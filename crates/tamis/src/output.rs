//! Writing files so that nothing is ever half-written: to a temporary name, then renamed.

use crate::{Error, Result};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that appears under its name only when it is complete. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl Output {
    /// Whether a file could be put there: its folder exists and the name is not a folder's.
    pub fn check(path: &Path) -> Result<()> {
        let folder = folder_of(path);
        if !folder.is_dir() {
            return Err(Error::NoFolder { path: path.into(), folder: folder.into() });
        }
        if path.is_dir() {
            let expected = "it is a folder; name a file in it".to_string();
            return Err(Error::Parameter { name: "output".into(), value: path.display().to_string(), expected });
        }
        Ok(())
    }

    /// A file to be written at `path`.
    pub fn create(path: &Path) -> Result<Output> {
        Self::check(path)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tamis-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666)); // less the umask, as any new file
        }
        let file = builder.tempfile_in(folder_of(path)).map_err(|source| Error::Write { path: path.into(), source })?;
        Ok(Output { path: path.into(), file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Writes all of it with `write`.
    pub fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        write(&mut self.file).and_then(|()| self.file.flush()).map_err(|source| self.failed(source))
    }

    /// Gives the complete file its name, replacing what was there.
    pub fn commit(self) -> Result<()> {
        let path = self.path;
        let file = self.file.into_inner().map_err(|e| Error::Write { path: path.clone(), source: e.into_error() })?;
        file.persist(&path).map_err(|e| Error::Write { path: path.clone(), source: e.error })?;
        Ok(())
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::Write { path: self.path.clone(), source }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_only_when_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.txt");
        let mut output = Output::create(&path).expect("created");
        output.fill(|out| out.write_all(b"half")).expect("written");
        assert!(!path.exists());
        drop(output);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left behind");
        let mut output = Output::create(&path).expect("created");
        output.fill(|out| out.write_all(b"whole")).expect("written");
        output.commit().expect("renamed");
        assert_eq!(std::fs::read(&path).expect("there"), b"whole");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = Output::check(Path::new("no/such/x.txt")).expect_err("refused").to_string();
        assert!(error.contains("there is no folder `no/such`"), "{error}");
    }
}
