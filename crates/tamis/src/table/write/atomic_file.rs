//! Writing files so that nothing is ever half-written: to temporary names, then renamed, all or none.

use super::temporary_file::{create_in, second_name};
use crate::base::remedies::NAME_A_FILE;
use crate::base::{Error, Result};
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

pub use super::temporary_file::remove_leftovers;

/// A file that appears under its name only when it is complete. Dropping it leaves nothing behind.
///
/// A link is followed, a file that exists keeps its permissions, and a device or pipe is written to, not replaced.
#[derive(Debug)]
pub struct Output {
    /// As the user named it.
    path: PathBuf,
    /// Where it really goes.
    place: PathBuf,
    file: BufWriter<File>,
    /// The name until it is complete; none where `place` is a device or pipe, and the file has no name at all.
    temporary: Option<TempPath>,
}

impl Output {
    /// Whether a file could be put there: its folder exists and takes new files, and the name is one that a file can have,
    /// or that of a file, device or pipe that can be replaced or written to.
    pub fn check(path: &Path) -> Result<()> {
        let folder = folder_of(path);
        if !folder.is_dir() {
            return Err(Error::NoFolder { path: path.into(), folder: folder.into() });
        }
        if path.is_dir() || path.to_string_lossy().ends_with(std::path::is_separator) {
            let expected = NAME_A_FILE.to_string();
            return Err(Error::Parameter {
                name: "output".into(),
                value: path.display().to_string(),
                expected: expected.into(),
            });
        }
        let failed = |source| Error::Write { path: path.into(), source };
        let output = match std::fs::metadata(path) {
            // a name that is too long, a link in a circle
            Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(failed(source)),
            _ => Output::create(path)?,
        };
        output.check_place().map_err(failed)
    }

    /// A file to be written at `path`.
    pub fn create(path: &Path) -> Result<Output> {
        let failed = |source| Error::Write { path: path.into(), source };
        let before = std::fs::metadata(path).ok();
        let direct = before.as_ref().is_some_and(|m| !m.is_file());
        let place = if before.is_some() && !direct { path.canonicalize().map_err(failed)? } else { path.into() };
        let (file, temporary) = match direct {
            true => (tempfile::tempfile().map_err(failed)?, None),
            false => create_in(folder_of(&place)).map(|(file, name)| (file, Some(name))).map_err(failed)?,
        };
        if let Some(m) = before.filter(|_| !direct) {
            file.set_permissions(m.permissions()).map_err(failed)?;
        }
        Ok(Output { path: path.into(), place, file: BufWriter::with_capacity(1 << 16, file), temporary })
    }

    /// The name that it has until it is complete, where it has one.
    pub fn temporary_name(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    /// Whether the device or pipe can be written to, or the file that has the name be replaced.
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn check_place(&self) -> io::Result<()> {
        use rustix::fs::{Access, access};
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        const STICKY: u32 = 0o1000;
        let Ok(found) = std::fs::metadata(&self.place) else { return Ok(()) };
        if found.file_type().is_socket() {
            return Err(io::Error::other("it is a socket"));
        }
        if !found.is_file() {
            return Ok(access(&self.place, Access::WRITE_OK)?);
        }
        let (folder, ours) = (std::fs::metadata(folder_of(&self.place))?, self.file.get_ref().metadata()?.uid());
        if folder.mode() & STICKY != 0 && ours != 0 && ![found.uid(), folder.uid()].contains(&ours) {
            return Err(io::Error::other("the file belongs to somebody else, and only they can replace it"));
        }
        Ok(())
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn check_place(&self) -> io::Result<()> {
        Ok(())
    }

    /// Writes all of it with `write`.
    pub fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        write(&mut self.file).and_then(|()| self.file.flush()).map_err(|source| self.failed(source))
    }

    /// Copies the complete file to the device or pipe that it is for; a file with a name waits for [`rename_all`].
    pub fn deliver(&mut self) -> Result<()> {
        if self.temporary.is_some() {
            return Ok(());
        }
        let copy = |file: &mut File, place: &Path| {
            file.seek(SeekFrom::Start(0))?;
            io::copy(file, &mut File::options().write(true).open(place)?).map(drop)
        };
        copy(self.file.get_mut(), &self.place).map_err(|source| self.failed(source))
    }

    /// Gives the complete file its name, replacing what was there.
    pub fn commit(mut self) -> Result<()> {
        self.deliver()?;
        rename_all(vec![self])
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.path.clone(), source }
    }
}

/// Gives complete files their names, replacing what was there. If one cannot get its name, none has it: those before it
/// are taken back, and what they replaced is there again.
///
/// # Errors
///
/// [`Error::Write`] for the first file that cannot be renamed.
pub fn rename_all(outputs: Vec<Output>) -> Result<()> {
    let alone = outputs.len() == 1;
    let mut done: Vec<Renamed> = vec![];
    for output in outputs {
        let Output { path, place, file, temporary: Some(temporary) } = output else { continue };
        let existed = place.exists();
        let before = if alone || !existed { None } else { second_name(&place, folder_of(&place)) };
        if let Err(error) = temporary.persist(&place) {
            done.into_iter().rev().for_each(Renamed::undo);
            return Err(Error::Write { path, source: error.error });
        }
        drop(file); // held until it has its name
        done.push(Renamed { place, existed, before });
    }
    Ok(())
}

/// A file that has its name, and what had the name before.
struct Renamed {
    place: PathBuf,
    existed: bool,
    before: Option<(TempPath, Option<File>)>,
}

impl Renamed {
    /// Puts back what was there. A file that nothing is known of any more stays as it is.
    fn undo(self) {
        match self.before {
            Some((before, _held)) => drop(before.persist(&self.place)),
            None if !self.existed => drop(std::fs::remove_file(&self.place)),
            None => {}
        }
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

    fn filled(path: &Path, bytes: &[u8]) -> Output {
        let mut output = Output::create(path).expect("created");
        output.fill(|out| out.write_all(bytes)).expect("written");
        output
    }

    #[test]
    fn a_file_appears_only_when_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.txt");
        let output = filled(&path, b"half");
        assert!(!path.exists());
        drop(output);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left behind");
        filled(&path, b"whole").commit().expect("renamed");
        assert_eq!(std::fs::read(&path).expect("there"), b"whole");
    }

    #[test]
    fn files_are_renamed_all_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let [new, old, blocked] = ["new", "old", "blocked"].map(|name| folder.path().join(name));
        std::fs::write(&old, "before").expect("written");
        let outputs = [&new, &old, &blocked].map(|path| filled(path, b"after"));
        std::fs::create_dir(&blocked).expect("in the way");
        let error = rename_all(outputs.into()).expect_err("a folder is in the way");
        assert!(error.to_string().contains("blocked"), "{error}");
        assert!(!new.exists());
        assert_eq!(std::fs::read(&old).expect("there"), b"before");
        std::fs::remove_dir(&blocked).expect("removed");
        rename_all([&new, &old, &blocked].map(|path| filled(path, b"after")).into()).expect("renamed");
        assert_eq!(std::fs::read(&old).expect("there"), b"after");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 3, "nothing else is left");
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
        let put = |path: &Path| filled(path, b"new").commit().expect("committed");
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_takes_no_files_is_noticed_at_once() {
        let error = Output::check(Path::new("/proc/x.txt")).expect_err("refused").to_string();
        assert!(error.contains("cannot write `/proc/x.txt`"), "{error}");
    }
}
