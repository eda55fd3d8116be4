//! States as bytes, for files and for other engines.
//!
//! ```text
//! 8 bytes   mark            89 't' 'a' 'm' 'i' 's' 0d 0a
//! 4 bytes   format version
//! 8 bytes   length of the body
//! body      length of the head (8 bytes), head (JSON: frame, rows, labels, notes), target, features
//! 8 bytes   digest of the body (FNV-1a)
//! ```
//!
//! All numbers are little-endian, doubles bit by bit. A feature is its sort (1 byte), its rows (8) and its sums: per label
//! count, mean, rest and M2; or count, both means, xx, yy and xy.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::wording::Part;
use crate::base::{Command, Error, Progress, Result, Text, text};
use crate::merge::column_shards::Grid;
use crate::merge::feature::{Feature, Sums, Values};
use crate::merge::target_state::{Against, Label, Number};
use crate::merge::{Frame, State, check_method};
use crate::score::Moments;
use crate::score::comoments::CoMoments;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the format that is written, and the only one that is read.
pub const FORMAT_VERSION: u32 = 1;

/// A kind of file: its leading mark, its name, and its maker.
pub(crate) struct Sort {
    mark: [u8; 8],
    called: &'static str,
    from: Part,
}

const STATE: Sort =
    Sort { mark: *b"\x89tamis\r\n", called: "the state of a shard", from: Part::Command(Command::Partial) };
pub(crate) const EDGES: Sort =
    Sort { mark: *b"\x89tamie\r\n", called: "the result of a first pass", from: made_by("`Edges`") };
pub(crate) const CODINGS: Sort =
    Sort { mark: *b"\x89tamic\r\n", called: "a coding of columns", from: made_by("`Codings`") };
pub(crate) const BLOCK: Sort = Sort { mark: *b"\x89tamib\r\n", called: "a block of codes", from: made_by("`Codings`") };
pub(crate) const COUNTS: Sort = Sort { mark: *b"\x89tamin\r\n", called: "counts of levels", from: made_by("`Counts`") };
pub(crate) const CODES: Sort = Sort { mark: *b"\x89tamit\r\n", called: "a table of codes", from: made_by("`Coded`") };

const fn made_by(name: &'static str) -> Part {
    Part::Words(Cow::Borrowed(name))
}

/// Bytes before and behind the body.
const BEFORE: usize = 20;
const BEHIND: usize = 8;

const UNKNOWN: u8 = 0;
const NUMBERS: u8 = 1;
const CATEGORIES: u8 = 2;

/// The header: everything but the long arrays.
#[derive(Serialize, Deserialize)]
struct Head {
    tamis: String,
    frame: Frame,
    rows: u64,
    used: u64,
    /// Text, rows, rows with any weight; absent for a numeric target.
    labels: Option<Vec<(String, u64, u64)>>,
    notes: Vec<Note>,
}

impl State {
    /// The state as bytes; [`State::from_bytes`] gives the same state back, bit by bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        envelope(&STATE, &self.body())
    }

    /// A digest of everything the state holds: equal states have equal ones.
    pub fn digest(&self) -> u64 {
        digest(&self.body())
    }

    fn body(&self) -> Vec<u8> {
        let labels = match &self.against {
            Against::Labels(labels) => Some(labels.iter().map(|l| (l.text.clone(), l.rows, l.used)).collect()),
            Against::Number(_) => None,
        };
        let head = Head {
            tamis: env!("CARGO_PKG_VERSION").into(),
            frame: Frame::clone(&self.frame),
            rows: self.rows,
            used: self.used,
            labels,
            notes: self.notes.clone(),
        };
        let head = serde_json::to_vec(&head).unwrap_or_default(); // texts and finite numbers: it cannot fail
        let mut body = Body(vec![]);
        body.count(head.len() as u64);
        body.0.extend_from_slice(&head);
        if let Against::Number(Number { size, rows, moments }) = &self.against {
            body.count(*rows);
            body.numbers(&[*size]);
            body.moments(moments);
        }
        for feature in &self.features {
            body.feature(feature);
        }
        body.0
    }

    /// Reads a state back; `name` is the file's, for messages. Bytes that are cut short, damaged, of another format or of
    /// something else are refused.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<State> {
        let body = opened(&STATE, bytes, name)?;
        let refuse = |problem: &str, remedy: Text| Err(Error::data(Place::file(name), problem, remedy));
        match decode(body) {
            Some(state) => {
                check_method(&state.frame.method)?;
                Ok(state)
            }
            None => refuse("its contents are not those of a state", text!["make it again with ", Command::Partial]),
        }
    }
}

/// A body between its marks.
pub(crate) fn envelope(sort: &Sort, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BEFORE + body.len() + BEHIND);
    bytes.extend_from_slice(&sort.mark);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(body);
    bytes.extend_from_slice(&digest(body).to_le_bytes());
    bytes
}

/// The body of a file of this kind; truncated, damaged and foreign files are refused.
pub(crate) fn opened<'b>(sort: &Sort, bytes: &'b [u8], name: &str) -> Result<&'b [u8]> {
    let again = || text!["copy it again, or make it again with ", sort.from.clone()];
    let refuse = |problem: String, remedy: Text| Err(Error::data(Place::file(name), problem, remedy));
    let short = |whole: u64| refuse(format!("it is truncated: {} of {whole} bytes are present", bytes.len()), again());
    if !sort.mark.starts_with(&bytes[..bytes.len().min(8)]) || bytes.is_empty() {
        return refuse(format!("it is not {}", sort.called), text!["give what ", sort.from.clone(), " wrote"]);
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
        let problem = format!("{} extra bytes follow its end", bytes.len() as u64 - whole);
        return refuse(problem, again());
    }
    let (body, told) = rest.split_at(rest.len() - BEHIND);
    if told != digest(body).to_le_bytes() {
        return refuse("it is damaged".into(), again());
    }
    Ok(body)
}

/// FNV-1a: every change of a byte changes it.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A body being written.
struct Body(Vec<u8>);

impl Body {
    fn count(&mut self, n: u64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.0.extend_from_slice(&x.to_bits().to_le_bytes()));
    }

    fn moments(&mut self, m: &Moments) {
        self.numbers(&[m.count, m.mean, m.rest, m.m2]);
    }

    fn sums(&mut self, sums: &Sums) {
        match sums {
            Sums::Labels(all) => all.iter().for_each(|m| self.moments(m)),
            Sums::Number(m) => self.numbers(&[m.count, m.mean_x, m.mean_y, m.xx, m.yy, m.xy]),
        }
    }

    fn feature(&mut self, feature: &Feature) {
        let sort = match feature.values {
            Values::Unknown => UNKNOWN,
            Values::Numbers { .. } => NUMBERS,
            Values::Categories(_) => CATEGORIES,
        };
        self.0.push(sort);
        self.count(feature.rows);
        match &feature.values {
            Values::Unknown => {}
            Values::Numbers { size, sums } => {
                self.numbers(&[*size]);
                self.sums(sums);
            }
            Values::Categories(all) => {
                self.count(all.len() as u64);
                for (text, sums) in all {
                    self.count(text.len() as u64);
                    self.0.extend_from_slice(text.as_bytes());
                    self.sums(sums);
                }
            }
        }
    }
}

/// The state that a body holds; `None` if it does not.
fn decode(body: &[u8]) -> Option<State> {
    let mut rest = Rest(body);
    let length = rest.count()?;
    let head: Head = serde_json::from_slice(rest.take(length)?).ok()?;
    let names = &head.frame.names;
    if names.is_empty() || names.iter().collect::<HashSet<_>>().len() < names.len() {
        return None;
    }
    let against = match head.labels {
        Some(labels) => {
            let sorted = labels.windows(2).all(|pair| pair[0].0 < pair[1].0);
            let labels = labels.into_iter().map(|(text, rows, used)| Label { text, rows, used });
            sorted.then(|| Against::Labels(labels.collect()))?
        }
        None => {
            let rows = rest.count()?;
            Against::Number(Number { rows, size: rest.number()?, moments: rest.moments()? })
        }
    };
    let features = names.iter().map(|_| rest.feature(&against)).collect::<Option<Vec<Feature>>>()?;
    let complete = rest.0.is_empty() && features.iter().all(|feature| feature.fits(&against));
    let Head { frame, rows, used, notes, .. } = head;
    complete.then(|| State { frame: Arc::new(frame), rows, used, against, features, notes })
}

/// The unread rest of a body.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<u64> {
        let (taken, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*taken))
    }

    fn number(&mut self) -> Option<f64> {
        self.count().map(f64::from_bits)
    }

    fn moments(&mut self) -> Option<Moments> {
        Some(Moments { count: self.number()?, mean: self.number()?, rest: self.number()?, m2: self.number()? })
    }

    fn sums(&mut self, against: &Against) -> Option<Sums> {
        Some(match against {
            Against::Labels(labels) => Sums::Labels(labels.iter().map(|_| self.moments()).collect::<Option<_>>()?),
            Against::Number(_) => Sums::Number(CoMoments {
                count: self.number()?,
                mean_x: self.number()?,
                mean_y: self.number()?,
                xx: self.number()?,
                yy: self.number()?,
                xy: self.number()?,
            }),
        })
    }

    fn feature(&mut self, against: &Against) -> Option<Feature> {
        let sort = self.take(1)?[0];
        let rows = self.count()?;
        let values = match sort {
            UNKNOWN => Values::Unknown,
            NUMBERS => Values::Numbers { size: self.number()?, sums: self.sums(against)? },
            CATEGORIES => {
                let mut all = BTreeMap::new();
                for _ in 0..self.count()? {
                    let length = self.count()?;
                    let text = String::from_utf8(self.take(length)?.to_vec()).ok()?;
                    all.insert(text, self.sums(against)?);
                }
                Values::Categories(all)
            }
            _ => return None,
        };
        Some(Feature { rows, values })
    }
}

/// Merges the states in these files, one in memory at a time, in order of their digests: to the same bits as
/// [`State::merge_all`], whatever order they are named in. States of other features and the same rows are shards of
/// columns, and are put side by side.
pub fn merge_files(paths: &[PathBuf], progress: &mut dyn Progress) -> Result<State> {
    let mut files: Vec<(u64, &PathBuf)> = vec![];
    let mut seen = HashSet::new();
    for path in paths {
        let name = path.display().to_string();
        if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            let problem = "it is named twice, and its rows would count twice";
            return Err(Error::data(Place::file(name), problem, "name every file once"));
        }
        files.push((told_digest(path)?, path));
    }
    files.sort_by_key(|(digest, _)| *digest);
    let mut grid = Grid::default();
    for (done, (_, path)) in files.iter().enumerate() {
        progress.step("merging", done as u64, files.len() as u64)?;
        let name = path.display().to_string();
        let state = State::from_bytes(&std::fs::read(path).map_err(|e| unreadable(path, e))?, &name)?;
        grid.add(state, &Place::file(name))?;
    }
    let nothing = || {
        Error::data(
            Place::default(),
            "there is nothing to merge",
            text!["name files that ", Command::Partial, " wrote"],
        )
    };
    let mut whole = grid.finish()?.ok_or_else(nothing)?;
    let repeated = files.windows(2).find(|pair| pair[0].0 == pair[1].0);
    if let Some([(_, a), (_, b)]) = repeated
        && whole.rows > 0
    {
        let text = format!("`{}` and `{}` hold the same data", a.display(), b.display());
        whole.note(Note::new(NoteKind::SameShard, text));
    }
    Ok(whole)
}

/// The digest at the end of a file, not yet checked; 0 where there is none.
fn told_digest(path: &Path) -> Result<u64> {
    let mut file = File::open(path).map_err(|e| unreadable(path, e))?;
    let mut told = [0; BEHIND];
    let read = file.seek(SeekFrom::End(-(BEHIND as i64))).and_then(|_| file.read_exact(&mut told));
    Ok(read.map_or(0, |()| u64::from_le_bytes(told)))
}

fn unreadable(path: &Path, error: std::io::Error) -> Error {
    let file = path.display().to_string();
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::Read { file, reason: "there is no such file".into(), source: Some(error) }
        }
        _ => Error::read_io(file, error),
    }
}
