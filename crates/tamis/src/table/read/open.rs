//! Opening files: plain, gzip or zstd, known by their content, with a bound on how far they expand.

use crate::base::remedies::NAME_A_FILE;
use crate::base::{Error, OptionName, Result, Text, text};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where a table comes from.
///
/// ```
/// use tamis::prelude::*;
///
/// let text = "age,dose,relapse\n61,0.1,yes\n44,2.0,no\n58,0.3,yes\n39,2.2,no\n";
/// let table = read(Input::from_reader(text.as_bytes(), "four.csv"), &ReadOptions::target("relapse"), &mut Silent)?;
/// assert_eq!((table.n_rows(), table.names().len()), (4, 2));
/// # Ok::<(), Error>(())
/// ```
pub struct Input {
    source: Box<dyn Read>,
    name: String,
    size: Option<u64>,
    /// The file itself, for formats that are read from their end; `None` for streams.
    file: Option<File>,
}

impl Input {
    /// A file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Input> {
        if path == Path::new("-") {
            return Ok(Input::from_reader(io::stdin(), "standard input"));
        }
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => {
                let reason = format!("there is no such file{}", elsewhere(path)).into();
                Error::Read { file: name.clone(), reason, source: Some(e) }
            }
            _ => Error::read_io(name.clone(), e),
        })?;
        let meta = file.metadata().map_err(|e| Error::read_io(name.clone(), e))?;
        if meta.is_dir() {
            return Err(Error::read(name, NAME_A_FILE));
        }
        let size = meta.is_file().then_some(meta.len());
        let again = if meta.is_file() { file.try_clone().ok() } else { None };
        Ok(Input { source: Box::new(file), size, name, file: again })
    }

    /// Anything that can be read, under a name for messages.
    pub fn from_reader(reader: impl Read + 'static, name: impl Into<String>) -> Input {
        Input { source: Box::new(reader), name: name.into(), size: None, file: None }
    }

    /// The name to use in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name without its folder, for results: who gets one need not know where the file was.
    pub fn file_name(&self) -> &str {
        file_name(&self.name)
    }

    /// The file's size, where it has one.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// The file itself if it has a place where it can be sought.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub(crate) fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// All of it as text, decompressed if need be.
    pub fn text(self, limit: ExpansionLimit) -> Result<String> {
        let name = self.name.clone();
        let bytes = self.bytes(limit)?;
        String::from_utf8(bytes).map_err(|_| Error::read(name, "it is not UTF-8 text; save it as UTF-8"))
    }

    /// All bytes, decompressed if need be. A stream, which may have no end, is bounded by the limit.
    pub fn bytes(self, limit: ExpansionLimit) -> Result<Vec<u8>> {
        let endless = self.size.is_none();
        let decoded = self.decode_binary(limit)?;
        let most = if endless && !decoded.compressed { limit.bytes } else { u64::MAX - 1 };
        let mut bytes = Vec::new();
        let name = decoded.name;
        let read = decoded.reader.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|e| read_failed(name.clone(), e))?;
        if bytes.len() as u64 > most {
            return Err(Error::read(
                name,
                raise_limit(format!("it has more than {most} bytes, and no end is in sight")),
            ));
        }
        Ok(bytes)
    }

    /// Decompresses a text file if its first bytes show a compressed format.
    pub(crate) fn decode(self, limit: ExpansionLimit) -> Result<DecodedInput> {
        self.decode_as(limit, true)
    }

    /// Decompresses a file that need not be text.
    pub(crate) fn decode_binary(self, limit: ExpansionLimit) -> Result<DecodedInput> {
        self.decode_as(limit, false)
    }

    fn decode_as(mut self, limit: ExpansionLimit, text: bool) -> Result<DecodedInput> {
        let name = self.name.clone();
        let mut head = Vec::new();
        let read = (&mut self.source).take(8).read_to_end(&mut head);
        read.map_err(|e| Error::read_io(name.clone(), e))?;
        if let Some(reason) = foreign(&head, text).or_else(|| objects_of_r(&name)) {
            return Err(Error::read(name, reason));
        }
        let consumed = Rc::new(Cell::new(0));
        let compressed = matches!(head.as_slice(), [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..]);
        let gzip = head.starts_with(&[0x1f, 0x8b]);
        let raw = CountingReader { inner: Cursor::new(head).chain(self.source), count: Rc::clone(&consumed) };
        let reader: Box<dyn Read> = if !compressed {
            Box::new(raw)
        } else if gzip {
            let inner = flate2::bufread::MultiGzDecoder::new(io::BufReader::with_capacity(1 << 16, raw));
            Box::new(LimitedReader { inner, produced: 0, consumed: Rc::clone(&consumed), limit })
        } else {
            let inner = zstd_reader(raw, name)?;
            Box::new(LimitedReader { inner, produced: 0, consumed: Rc::clone(&consumed), limit })
        };
        Ok(DecodedInput { reader, compressed, consumed, size: self.size, name: self.name })
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

/// Decompresses what zstd has compressed.
#[cfg(feature = "zstd")]
fn zstd_reader(raw: impl Read + 'static, name: String) -> Result<Box<dyn Read>> {
    Ok(Box::new(zstd::Decoder::new(raw).map_err(|e| Error::read_io(name, e))?))
}

/// Refuses, and says what to do.
#[cfg(not(feature = "zstd"))]
fn zstd_reader(_: impl Read, name: String) -> Result<Box<dyn Read>> {
    Err(Error::read(
        name,
        "this build does not read files compressed by zstd; use gzip, or build with the feature `zstd`",
    ))
}

/// Why bytes that begin like this cannot be read, as text or at all.
fn foreign(head: &[u8], text: bool) -> Option<Text> {
    let typed = |what: &str, ending: &str| {
        let words = format!("it is {what} file; end its name in `.{ending}`, or pass ");
        Some(text![words, OptionName::Format.set(ending)])
    };
    match head {
        [b'P', b'K', 3, 4, ..] if text => Some("it is a zip archive or an Excel workbook; export it as CSV".into()),
        [b'P', b'A', b'R', b'1', ..] if text => typed("a Parquet", "parquet"),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] if text => typed("an Arrow", "arrow"),
        [0x89, b'H', b'D', b'F', ..] => Some(HDF5.into()),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => Some("it is a workbook of Excel before 2007; save it as `.xlsx` or CSV".into()),
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("it is UTF-32 text; save it as UTF-8".into()),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("it is UTF-16 text; save it as UTF-8".into()),
        [b'B', b'Z', b'h', ..] => Some("it is compressed by bzip2; use gzip or zstd".into()),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => Some("it is compressed by xz; use gzip or zstd".into()),
        _ => None,
    }
}

/// Why a file of HDF5 is not read, and who reads it.
const HDF5: &str = "it is an HDF5 file, which is read in Python: `tamis.select(anndata.read_h5ad(FILE), TARGET)` for AnnData's \
                    `.h5ad`, or the matrix exported as `.mtx`";

/// Why a file that is called like R's own is not read. Most are compressed, so that their first bytes do not tell.
fn objects_of_r(name: &str) -> Option<Text> {
    let lower = name.to_lowercase();
    let is_one = [".rds", ".rda", ".rdata"].iter().any(|ending| lower.ends_with(ending));
    is_one.then(|| "it holds objects of R; use the R package of tamis, or save a table with `write.csv`".into())
}

/// Says so when the file exists with a common ending.
fn elsewhere(path: &Path) -> String {
    [".gz", ".csv", ".csv.gz", ".tsv", ".zst"]
        .iter()
        .map(|ending| PathBuf::from(format!("{}{ending}", path.display())))
        .find(|p| p.is_file())
        .map_or_else(String::new, |p| format!(" (but there is `{}`)", p.display()))
}

/// How far a compressed file may expand: this much in any case, and beyond it a multiple of its own size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpansionLimit {
    /// Bytes that are always allowed.
    pub bytes: u64,
    /// Times the compressed size that is allowed on top.
    pub ratio: u64,
    /// Bytes of the longest record or line of text, compressed or not.
    pub record: u64,
}

impl ExpansionLimit {
    /// A limit that replaces the rule of the default; records keep theirs.
    pub fn of_bytes(bytes: u64) -> Self {
        ExpansionLimit { bytes, ratio: 0, ..ExpansionLimit::default() }
    }

    /// The bytes that a compressed file of this size may stand for.
    pub(crate) fn of_file(self, compressed: u64) -> u64 {
        self.bytes.saturating_add(self.ratio.saturating_mul(compressed))
    }

    /// Whether the bound on expansion is the default's.
    pub(crate) fn is_default(self) -> bool {
        let default = ExpansionLimit::default();
        (self.bytes, self.ratio) == (default.bytes, default.ratio)
    }
}

impl Default for ExpansionLimit {
    fn default() -> Self {
        ExpansionLimit { bytes: 1 << 30, ratio: 50, record: 256 << 20 }
    }
}

/// Plain bytes from an input.
pub(crate) struct DecodedInput {
    reader: Box<dyn Read>,
    compressed: bool,
    consumed: Rc<Cell<u64>>,
    size: Option<u64>,
    pub(crate) name: String,
}

impl DecodedInput {
    /// Fills `buffer` as far as it goes; fewer bytes mean the end.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.failed(e)),
            }
        }
        Ok(filled)
    }

    fn failed(&self, e: io::Error) -> Error {
        let reason = match e.kind() {
            _ if !self.compressed || ExpansionExceeded::caused(&e) => return read_failed(self.name.clone(), e),
            io::ErrorKind::UnexpectedEof => "the compressed data end early; copy the file again".into(),
            _ => format!("the compressed data are damaged ({e}); copy the file again").into(),
        };
        Error::Read { file: self.name.clone(), reason, source: Some(e) }
    }

    /// The bytes of memory that texts kept from it may take: as many as it may expand to. A file that is not compressed
    /// has no bound, since it holds what it asks for.
    pub(crate) fn allowed_memory(&self, limit: ExpansionLimit) -> u64 {
        if self.compressed { limit.of_file(self.consumed.get()) } else { u64::MAX }
    }

    /// Bytes read of the file, and its size if known.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.consumed.get(), self.size.unwrap_or(0))
    }

    /// Whether the bytes come out of a decompressor.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub(crate) fn compressed(&self) -> bool {
        self.compressed
    }

    /// The size of the text, where the file's size tells.
    pub(crate) fn text_size(&self) -> Option<u64> {
        self.size.filter(|_| !self.compressed)
    }
}

struct CountingReader<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.count.set(self.count.get() + n as u64);
        Ok(n)
    }
}

struct LimitedReader<R> {
    inner: R,
    produced: u64,
    consumed: Rc<Cell<u64>>,
    limit: ExpansionLimit,
}

/// Compressed bytes that expand further than allowed.
#[derive(Debug, thiserror::Error)]
#[error("its {compressed} compressed bytes expand to more than {allowed} bytes")]
pub(crate) struct ExpansionExceeded {
    pub(crate) compressed: u64,
    pub(crate) allowed: u64,
}

impl ExpansionExceeded {
    fn caused(e: &io::Error) -> bool {
        e.get_ref().is_some_and(|inner| inner.is::<ExpansionExceeded>())
    }
}

/// A file that expands too far or that the system cannot read.
pub(crate) fn read_failed(file: String, e: io::Error) -> Error {
    if ExpansionExceeded::caused(&e) {
        let reason = raise_limit(e.to_string());
        return Error::Read { file, reason, source: Some(e) };
    }
    Error::read_io(file, e)
}

/// How far a file would expand, and the option that allows it.
pub(crate) fn raise_limit(expands: String) -> Text {
    text![expands, "; if the file is to be trusted, raise ", OptionName::MaxExpanded]
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.produced += n as u64;
        let consumed = self.consumed.get();
        let allowed = self.limit.of_file(consumed);
        if self.produced > allowed {
            return Err(io::Error::other(ExpansionExceeded { compressed: consumed, allowed }));
        }
        Ok(n)
    }
}
