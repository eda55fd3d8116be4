//! The envelope of every file of states: a mark, the format version, the length of the body, the body, its digest.

use crate::base::error::Place;
use crate::base::wording::Part;
use crate::base::{Command, Error, Result, Text, counted, plural, text};
use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The version of the format that is written, and the only one that is read.
pub const FORMAT_VERSION: u32 = 1;

/// A kind of file: its leading mark, its name, and its maker.
pub(crate) struct FileKind {
    mark: [u8; 8],
    called: &'static str,
    from: Part,
}

impl FileKind {
    /// Whether bytes begin as files of this kind do.
    pub(super) fn begins(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(&self.mark)
    }

    /// The digest of a body: of words where bodies are long.
    fn digest(&self, body: &[u8]) -> u64 {
        if self.mark != ROW_STATE.mark {
            return digest(body);
        }
        let (words, rest) = body.as_chunks::<8>();
        let each = words.iter().map(|word| u64::from_le_bytes(*word));
        digest(rest)
            ^ each
                .fold(0x9e37_79b9_7f4a_7c15, |hash, word| (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29))
    }
}

pub(super) const STATE: FileKind =
    FileKind { mark: *b"\x89tamis\r\n", called: "the state of a shard", from: Part::Command(Command::Partial) };
pub(super) const PROFILE: FileKind =
    FileKind { mark: *b"\x89tamip\r\n", called: "the profile of a table", from: Part::Command(Command::Profile) };
pub(super) const ROW_STATE: FileKind = FileKind {
    mark: *b"\x89tamir\r\n",
    called: "the state of a shard with null targets",
    from: Part::Command(Command::Partial),
};
pub(crate) const EDGES: FileKind =
    FileKind { mark: *b"\x89tamie\r\n", called: "the result of a first pass", from: made_by("`Edges`") };
pub(crate) const CODINGS: FileKind =
    FileKind { mark: *b"\x89tamic\r\n", called: "a coding of columns", from: made_by("`Codings`") };
pub(crate) const BLOCK: FileKind =
    FileKind { mark: *b"\x89tamib\r\n", called: "a block of codes", from: made_by("`Codings`") };
pub(crate) const COUNTS: FileKind =
    FileKind { mark: *b"\x89tamin\r\n", called: "counts of levels", from: made_by("`Counts`") };
pub(crate) const CODES: FileKind =
    FileKind { mark: *b"\x89tamit\r\n", called: "a table of codes", from: made_by("`CodedStream`") };

const fn made_by(name: &'static str) -> Part {
    Part::Words(Cow::Borrowed(name))
}

/// Bytes before and behind the body.
const BEFORE: usize = 20;
const BEHIND: usize = 8;

/// A body between its marks.
pub(crate) fn envelope(kind: &FileKind, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BEFORE + body.len() + BEHIND);
    bytes.extend_from_slice(&kind.mark);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(body);
    bytes.extend_from_slice(&kind.digest(body).to_le_bytes());
    bytes
}

/// The remedy for a file that cannot be used.
pub(crate) const MAKE_AGAIN: &str = "make it again";

/// The error of a file whose contents cannot be understood.
pub(crate) fn not_a_state(name: &str, remedy: Text) -> Error {
    Error::data(Place::file(name), "its contents are not those of a state", remedy)
}

/// The body of a file of this kind; truncated, damaged and foreign files are refused.
pub(crate) fn opened<'b>(kind: &FileKind, bytes: &'b [u8], name: &str) -> Result<&'b [u8]> {
    let again = || text!["copy it again, or make it again with ", kind.from.clone()];
    let refuse = |problem: String, remedy: Text| Err(Error::data(Place::file(name), problem, remedy));
    let short = |whole: u64| refuse(format!("it is truncated: {} of {whole} bytes are present", bytes.len()), again());
    if !kind.mark.starts_with(&bytes[..bytes.len().min(8)]) || bytes.is_empty() {
        return refuse(format!("it is not {}", kind.called), text!["give what ", kind.from.clone(), " wrote"]);
    }
    let Some((before, rest)) = bytes.split_at_checked(BEFORE) else { return short((BEFORE + BEHIND) as u64) };
    let version = before[8..12].iter().rev().fold(0, |sum: u32, b| sum << 8 | u32::from(*b));
    if version != FORMAT_VERSION {
        let problem = format!("it has format version {version}, but this tamis reads {FORMAT_VERSION}");
        return refuse(problem, "make it again with this version of tamis".into());
    }
    let length = before[12..20].iter().rev().fold(0, |sum: u64, b| sum << 8 | u64::from(*b));
    let whole = length.saturating_add((BEFORE + BEHIND) as u64);
    if whole > bytes.len() as u64 {
        return short(whole);
    }
    if whole < bytes.len() as u64 {
        let problem = {
            let extra = bytes.len() as u64 - whole;
            format!("{} {} its end", counted(extra, "extra byte"), plural(extra, "follows", "follow"))
        };
        return refuse(problem, again());
    }
    let (body, told) = rest.split_at(rest.len() - BEHIND);
    if told != kind.digest(body).to_le_bytes() {
        return refuse("it is damaged".into(), again());
    }
    Ok(body)
}

/// FNV-1a: every change of a byte changes it.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The digest at the end of a file, not yet checked; 0 where there is none.
pub(super) fn told_digest(path: &Path) -> std::io::Result<u64> {
    let mut file = File::open(path)?;
    let mut told = [0; BEHIND];
    let read = file.seek(SeekFrom::End(-(BEHIND as i64))).and_then(|_| file.read_exact(&mut told));
    Ok(read.map_or(0, |()| u64::from_le_bytes(told)))
}
