//! Writing files so that nothing is ever half-written: to a temporary name, then renamed.

use crate::base::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that appears under its name only when it is complete. Dropping it leaves nothing behind.
///
/// A link is followed, a file that exists keeps its permissions, and a device or pipe is written to, not replaced.
#[derive(Debug)]
pub struct Output {
    /// As the user named it.
    path: PathBuf,
    /// Where it really goes.
    place: PathBuf,
    file: BufWriter<NamedTempFile>,
    /// `place` is a device or pipe.
    direct: bool,
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
            return Err(Error::Parameter {
                name: "output".into(),
                value: path.display().to_string(),
                expected: expected.into(),
            });
        }
        Ok(())
    }

    /// A file to be written at `path`.
    pub fn create(path: &Path) -> Result<Output> {
        Self::check(path)?;
        let failed = |source| Error::Write { path: path.into(), source };
        let before = std::fs::metadata(path).ok();
        let direct = before.as_ref().is_some_and(|m| !m.is_file());
        let place = if before.is_some() && !direct { path.canonicalize().map_err(failed)? } else { path.into() };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tamis-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666)); // less the umask, as any new file
        }
        let file = if direct { builder.tempfile() } else { builder.tempfile_in(folder_of(&place)) }.map_err(failed)?;
        if let Some(m) = before.filter(|_| !direct) {
            file.as_file().set_permissions(m.permissions()).map_err(failed)?;
        }
        Ok(Output { path: path.into(), place, file: BufWriter::with_capacity(1 << 16, file), direct })
    }

    /// Writes all of it with `write`.
    pub fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        write(&mut self.file).and_then(|()| self.file.flush()).map_err(|source| self.failed(source))
    }

    /// Gives the complete file its name, replacing what was there.
    pub fn commit(self) -> Result<()> {
        let Output { path, place, file, direct } = self;
        let failed = |source| Error::Write { path: path.clone(), source };
        let mut file = file.into_inner().map_err(|e| failed(e.into_error()))?;
        if direct {
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            let mut out = File::options().write(true).open(&place).map_err(failed)?;
            std::io::copy(&mut file, &mut out).map_err(failed)?;
        } else {
            file.persist(&place).map_err(|e| failed(e.error))?;
        }
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

    #[cfg(unix)]
    #[test]
    fn links_are_followed_modes_kept_and_pipes_written_to() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, "old").expect("written");
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).expect("set");
        symlink(&real, &link).expect("linked");
        let put = |path: &Path| {
            let mut output = Output::create(path).expect("created");
            output.fill(|out| out.write_all(b"new")).expect("written");
            output.commit().expect("committed");
        };
        put(&link);
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&real).expect("there"), b"new");
        assert_eq!(std::fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o600);
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("runs").success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read(pipe).expect("read")
        });
        put(&pipe);
        assert_eq!(reader.join().expect("joined"), b"new");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = Output::check(Path::new("no/such/x.txt")).expect_err("refused").to_string();
        assert!(error.contains("there is no folder `no/such`"), "{error}");
    }
}
