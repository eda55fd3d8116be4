//! Output files: checked before the work and written after it. Every file is complete before the first gets its name.

mod file_identity;
mod file_kind;

pub use file_kind::{Content, separator};

use crate::{interrupts, screen};
use file_identity::FileIdentity;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tamis::front::atomic_file::{Output, remove_leftovers};
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

/// Every file that a command reads, by the option or argument that names it.
#[derive(Debug, Default)]
pub struct Sources<'a>(Vec<(&'static str, Cow<'a, Path>)>);

/// The files beside a matrix of 10x Genomics that are read with it.
const BESIDE_MATRIX: [&str; 6] =
    ["features.tsv", "features.tsv.gz", "genes.tsv", "genes.tsv.gz", "barcodes.tsv", "barcodes.tsv.gz"];

impl<'a> Sources<'a> {
    /// The tables that a command is given.
    pub fn files(paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        let mut all = vec![];
        for path in paths {
            if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("matrix.mtx")) {
                all.extend(BESIDE_MATRIX.map(|name| ("FILE", Cow::Owned(path.with_file_name(name)))));
            }
            all.push(("FILE", Cow::Borrowed(path.as_path())));
        }
        Sources(all)
    }

    /// And the file of an option, where it is given.
    pub fn and(mut self, option: &'static str, path: Option<&'a Path>) -> Self {
        self.0.extend(path.map(|path| (option, Cow::Borrowed(path))));
        self
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
    /// overwrite an input or each other, by whatever path. What killed runs left in their folders is removed.
    pub fn check<'a>(sources: &Sources<'_>, outputs: impl IntoIterator<Item = Destination<'a>>) -> Result<()> {
        let read = sources.0.iter().filter(|(_, path)| path.as_ref() != Path::new("-"));
        let read: Vec<_> = read.map(|(option, path)| (*option, FileIdentity::of(path))).collect();
        let mut seen: Vec<(&'static str, FileIdentity)> = vec![];
        let mut folders: Vec<&Path> = vec![];
        for Destination { option, content, path, standard_output } in outputs {
            let Some(path) = path else { continue };
            if path == Path::new("-") {
                if standard_output {
                    continue;
                }
                return Err(Error::parameter(option, "-", "it takes a file's name"));
            }
            content.check_ending(option, path)?;
            let refuse = |reason: String| Err(Error::parameter(option, path.display(), reason));
            let identity = FileIdentity::of(path);
            if let Some((given, _)) = read.iter().find(|(_, other)| identity.is_some() && *other == identity) {
                let what =
                    if *given == "FILE" { "it is the input".into() } else { format!("it is the file of `{given}`") };
                return refuse(format!("{what}; choose another name"));
            }
            if let Some((other, _)) = seen.iter().find(|(_, other)| Some(other) == identity.as_ref()) {
                return refuse(format!("another output (`{other}`) is the same file; choose another name"));
            }
            seen.extend(identity.map(|identity| (option, identity)));
            if let Some(folder) = path.parent().filter(|folder| !folders.contains(folder)) {
                remove_leftovers(if folder == Path::new("") { Path::new(".") } else { folder });
                folders.push(folder);
            }
            interrupts::check(path).map_err(|error| refused(option, path, error))?;
        }
        Ok(())
    }

    /// Whether something is written to standard output, which then holds nothing else.
    pub fn uses_standard_output(&self) -> bool {
        self.printed.is_some()
    }

    /// Writes one file under a temporary name; `-` is standard output.
    pub fn add(&mut self, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        if path == Path::new("-") {
            let printed = self.printed.insert(vec![]);
            return write(printed).map_err(|source| Error::Write { path: "standard output".into(), source });
        }
        let mut output = interrupts::create(path)?;
        output.fill(|out| compressed(path, out, write))?;
        self.ready.push((path.into(), output));
        Ok(())
    }

    /// Writes to devices and pipes, then gives all files their names, and returns them. If anything fails, no file has
    /// its name.
    pub fn commit(self) -> Result<Vec<PathBuf>> {
        let (paths, mut outputs): (Vec<PathBuf>, Vec<Output>) = self.ready.into_iter().unzip();
        outputs.iter_mut().try_for_each(Output::deliver)?;
        if let Some(printed) = &self.printed {
            let mut out = screen::data();
            let written = out.write_all(printed).and_then(|()| out.flush());
            let failed = |source| Error::Write { path: "standard output".into(), source };
            screen::unless_closed(written).map_err(failed)?;
        }
        interrupts::rename(outputs)?;
        Ok(paths)
    }
}

/// What is wrong with an output, as a fault of the option that names it: nothing has been computed yet.
fn refused(option: &'static str, path: &Path, error: Error) -> Error {
    match error {
        Error::Write { source, .. } => {
            let reason = format!("nothing can be written there ({source}); choose another place");
            Error::parameter(option, path.display(), reason)
        }
        Error::Parameter { value, expected, .. } => Error::Parameter { name: option.into(), value, expected },
        other => other,
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
