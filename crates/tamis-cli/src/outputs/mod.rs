//! Output files: checked before the work and written after it. Every file is complete before the first gets its name.

mod file_kind;

pub use file_kind::{Content, separator};

use crate::interrupts::{check_interrupt, start_writing};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tamis::table::write::atomic_file::Output;
use tamis::{Error, Result};

/// An output file that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Destination<'a> {
    /// The option that names it.
    option: &'static str,
    content: Content,
    /// None where the option was not given.
    path: Option<&'a Path>,
    /// Whether `-` means standard output.
    standard_output: bool,
}

impl<'a> Destination<'a> {
    pub fn new(option: &'static str, content: Content, path: Option<&'a Path>) -> Self {
        Destination { option, content, path, standard_output: false }
    }

    /// The same, with `-` for standard output.
    pub fn or_standard_output(self) -> Self {
        Destination { standard_output: true, ..self }
    }
}

/// Output files under temporary names, which get their own once all are complete.
#[derive(Default)]
pub struct Files {
    ready: Vec<(PathBuf, Output)>,
    /// For standard output.
    printed: Option<Vec<u8>>,
}

impl Files {
    /// Refuses, before any work, outputs that could not be written, whose names promise another format, or that would
    /// overwrite the input or each other.
    pub fn check<'a>(input: &Path, outputs: impl IntoIterator<Item = Destination<'a>>) -> Result<()> {
        let mut seen: Vec<&Path> = vec![];
        for Destination { option, content, path, standard_output } in outputs {
            let Some(path) = path else { continue };
            if path == Path::new("-") {
                if standard_output {
                    continue;
                }
                return Err(Error::parameter(option, "-", "it takes a file's name"));
            }
            content.check_ending(option, path)?;
            Output::check(path)?;
            if same_file(path, input) {
                return Err(Error::parameter(option, path.display(), "it is the input; choose another name"));
            }
            if seen.contains(&path) {
                return Err(Error::parameter(
                    option,
                    path.display(),
                    "another output has the same name; choose another",
                ));
            }
            seen.push(path);
        }
        Ok(())
    }

    /// Whether something is written to standard output, which then holds nothing else.
    pub fn uses_standard_output(&self) -> bool {
        self.printed.is_some()
    }

    /// Writes one file under a temporary name; `-` is standard output.
    pub fn add(&mut self, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        start_writing();
        check_interrupt()?;
        if path == Path::new("-") {
            let printed = self.printed.insert(vec![]);
            return write(printed).map_err(|source| Error::Write { path: "standard output".into(), source });
        }
        let mut output = Output::create(path)?;
        let filled = output.fill(|out| compressed(path, out, |out| write(&mut Interruptible(out))));
        check_interrupt()?; // an interrupted write fails because of the interrupt, whatever it says
        filled?;
        self.ready.push((path.into(), output));
        Ok(())
    }

    /// Gives all files their names, one after the other, and returns them. If one cannot be renamed, the error names
    /// those that are in place already.
    pub fn commit(self) -> Result<Vec<PathBuf>> {
        check_interrupt()?;
        let mut written: Vec<PathBuf> = vec![];
        for (path, output) in self.ready {
            output.commit().map_err(|error| beside(error, &written))?;
            written.push(path);
        }
        if let Some(printed) = self.printed {
            let failed = |source| Error::Write { path: "standard output".into(), source };
            io::stdout().lock().write_all(&printed).map_err(failed)?;
        }
        Ok(written)
    }
}

/// The error of a file that cannot be written, with the files that were written before it.
fn beside(error: Error, written: &[PathBuf]) -> Error {
    match error {
        Error::Write { path, source } if !written.is_empty() => {
            let names: Vec<String> = written.iter().map(|path| format!("`{}`", path.display())).collect();
            let told = format!("{source}; {} written before it", names.join(", "));
            Error::Write { path, source: io::Error::new(source.kind(), told) }
        }
        error => error,
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
