//! Output files: checked before the work, written after it, all or none.

use crate::bar::{check_interrupt, start_writing};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tamis::table::write::output::Output;
use tamis::{Error, Result};

/// Output files that appear together once all are complete.
#[derive(Default)]
pub struct Files {
    ready: Vec<(PathBuf, Output)>,
}

impl Files {
    /// Refuses, before any work, outputs that could not be written or would overwrite the input or each other.
    pub fn check<'a>(
        input: &Path,
        outputs: impl IntoIterator<Item = (&'static str, Option<&'a PathBuf>)>,
    ) -> Result<()> {
        let mut seen: Vec<&Path> = vec![];
        for (option, path) in outputs {
            let Some(path) = path else { continue };
            if path.as_path() == Path::new("-") {
                if option == "--json" {
                    continue;
                }
                return Err(Error::parameter(option, "-", "it takes a file's name"));
            }
            Output::check(path)?;
            if same_file(path, input) {
                return Err(Error::parameter(option, path.display(), "it is the input; choose another name"));
            }
            if seen.contains(&path.as_path()) {
                return Err(Error::parameter(option, path.display(), "another output goes there; choose another name"));
            }
            seen.push(path);
        }
        Ok(())
    }

    /// Writes one file under a temporary name.
    pub fn add(&mut self, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        start_writing();
        check_interrupt()?;
        let mut output = Output::create(path)?;
        let filled = output.fill(|out| compressed(path, out, |out| write(&mut Interruptible(out))));
        check_interrupt()?; // an interrupted write fails because of the interrupt, whatever it says
        filled?;
        self.ready.push((path.into(), output));
        Ok(())
    }

    /// Gives all files their names, and returns them.
    pub fn commit(self) -> Result<Vec<PathBuf>> {
        check_interrupt()?;
        let mut written = vec![];
        for (path, output) in self.ready {
            output.commit()?;
            written.push(path);
        }
        Ok(written)
    }
}

/// Compresses what is written if the file's ending asks for it.
fn compressed(
    path: &Path,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("gz") => {
            let mut gz = GzEncoder::new(out, Compression::default());
            write(&mut gz)?;
            gz.finish().map(drop)
        }
        Some("zst") => {
            let mut zst = zstd::Encoder::new(out, 0)?;
            write(&mut zst)?;
            zst.finish().map(drop)
        }
        _ => write(out),
    }
}

/// Lets an interrupt stop a long write.
struct Interruptible<'a>(&'a mut dyn Write);

impl Write for Interruptible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check_interrupt().map_err(io::Error::other)?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
