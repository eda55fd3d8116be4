//! Temporary files beside the outputs, and the removal of those that a killed run left behind.

use std::fs::File;
use std::io;
use std::path::Path;
use tempfile::TempPath;

/// Temporary files begin and end so.
const BEGINNING: &str = ".tamis-";
const ENDING: &str = ".part";

/// A new file in `folder`, held for as long as it is open, so that no other run takes it for a leftover.
pub(super) fn create_in(folder: &Path) -> io::Result<(File, TempPath)> {
    loop {
        let (file, path) = builder().tempfile_in(folder)?.into_parts();
        match hold(&file) {
            Hold::Taken => continue, // another run looks whether it is a leftover, and removes it
            Hold::Held if !path.exists() => continue,
            Hold::Held | Hold::Unknown => return Ok((file, path)),
        }
    }
}

/// A second name for the file at `path`, in the same folder, which disappears when it is dropped; `None` where the file
/// system has no second names.
pub(super) fn second_name(path: &Path, folder: &Path) -> Option<(TempPath, Option<File>)> {
    let name = builder().make_in(folder, |name| std::fs::hard_link(path, name)).ok()?.into_temp_path();
    let held = File::open(&name).ok().filter(|file| matches!(hold(file), Hold::Held));
    Some((name, held))
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(BEGINNING).suffix(ENDING);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666)); // less the umask, as any new file
    }
    builder
}

/// Removes temporary files that nobody holds: those of runs that were killed. Files that cannot be removed stay.
pub fn remove_leftovers(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(BEGINNING) && name.ends_with(ENDING));
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = File::open(entry.path())
            && matches!(hold(&file), Hold::Held)
        {
            let _ = std::fs::remove_file(entry.path()); // the next run tries again
        }
    }
}

/// The outcome of claiming a file.
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), allow(dead_code))]
enum Hold {
    /// It is ours until it is closed.
    Held,
    /// Another process holds it.
    Taken,
    /// The system or the file system cannot tell.
    Unknown,
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn hold(file: &File) -> Hold {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Hold::Held,
        Err(rustix::io::Errno::WOULDBLOCK) => Hold::Taken,
        Err(_) => Hold::Unknown,
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn hold(_file: &File) -> Hold {
    Hold::Unknown
}

#[cfg(all(test, any(target_os = "linux", target_os = "macos")))]
mod tests {
    use super::*;

    #[test]
    fn leftovers_go_and_files_in_use_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = [".tamis-dead.part", "data.csv", ".tamis-x.txt"].map(|name| folder.path().join(name));
        names.iter().for_each(|name| std::fs::write(name, "x").expect("written"));
        let (_file, live) = create_in(folder.path()).expect("created");
        remove_leftovers(folder.path());
        assert!(!names[0].exists() && names[1].exists() && names[2].exists());
        assert!(live.exists());
    }
}
