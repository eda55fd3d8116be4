//! Delimited text, one record at a time: quoted fields, CRLF, byte-order mark, guessed delimiter.
//!
//! The tokeniser is written by hand because reading in pieces needs the byte ranges of whole records, which the csv
//! crate knows only after splitting every field; measured, it is 1.46 times as fast as polars on tall files and 6.4
//! times on wide ones. The csv crate is its oracle in a property test.

use crate::base::error::Place;
use crate::base::{Error, Progress, Result};
use crate::table::read::open::{Decoded, ExpansionLimit, Input};
use memchr::{memchr, memchr2, memrchr};
use std::borrow::Cow;

const BUFFER: usize = 1 << 20;

/// A file's records.
pub(crate) struct Records {
    source: Decoded,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The source has nothing more.
    finished: bool,
    /// Bytes handed out so far.
    consumed: u64,
    pub(crate) delimiter: u8,
}

/// One record, without its line end.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether there is a quote in it anywhere.
    pub(crate) quoted: bool,
    delimiter: u8,
}

impl Records {
    pub(crate) fn open(input: Input, limit: ExpansionLimit, delimiter: Option<u8>) -> Result<Records> {
        let mut source = input.decode(limit)?;
        let mut buffer = vec![0; BUFFER];
        let end = source.fill(&mut buffer)?;
        let start = if buffer[..end].starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let finished = end < buffer.len();
        // Excel's own way of naming the delimiter: a first line `sep=;`
        let (start, declared) = match &buffer[start..end] {
            [b's', b'e', b'p', b'=', c, b'\n', ..] => (start + 6, Some(*c)),
            [b's', b'e', b'p', b'=', c, b'\r', b'\n', ..] => (start + 7, Some(*c)),
            _ => (start, None),
        };
        let delimiter = delimiter.or(declared).unwrap_or_else(|| guess(&buffer[start..end], finished));
        Ok(Records { source, buffer, start, end, finished, consumed: 0, delimiter })
    }

    pub(crate) fn name(&self) -> &str {
        &self.source.name
    }

    /// An upper estimate of how many more records of the mean length so far there are, where the size tells.
    pub(crate) fn expected(&self, so_far: usize, columns: usize) -> Option<usize> {
        let size = self.source.text_size()?;
        let mean = self.consumed as f64 / so_far.max(1) as f64;
        let rows = (size as f64 / mean * 1.02) as usize + 16;
        Some(rows.min(size as usize / columns.max(1) + 1))
    }

    /// How many records there are if all are like those in the buffer, where the file's size tells.
    pub(crate) fn expected_rows(&self) -> Option<u64> {
        let window = &self.buffer[self.start..self.end];
        let lines = memchr::memchr_iter(b'\n', window).count().max(1) as f64;
        if self.finished {
            return Some(lines as u64 + 1);
        }
        let (read, size) = self.source.progress();
        let text = match self.source.text_size() {
            Some(size) => size as f64,
            None if size > 0 => size as f64 / read.max(1) as f64 * self.end as f64,
            None => return None,
        };
        Some((text / window.len() as f64 * lines) as u64 + 1)
    }

    /// The fields of the next record that is not blank, without taking it; none at the end.
    pub(crate) fn ahead(&mut self, progress: &mut dyn Progress) -> Result<Vec<Vec<u8>>> {
        loop {
            let consumed = self.consumed;
            let Some(record) = self.next(progress)? else { return Ok(vec![]) };
            if record.is_blank() {
                continue;
            }
            let fields = record.fields().map(Cow::into_owned).collect();
            self.start -= (self.consumed - consumed) as usize;
            self.consumed = consumed;
            return Ok(fields);
        }
    }

    /// The next record; `None` at the end.
    pub(crate) fn next(&mut self, progress: &mut dyn Progress) -> Result<Option<Record<'_>>> {
        loop {
            let window = &self.buffer[self.start..self.end];
            let (length, quoted) = match find_end(window, self.delimiter) {
                End::At { length, quoted } => (length, quoted),
                _ if !self.finished => {
                    self.refill(progress)?;
                    continue;
                }
                End::Open if window.is_empty() => return Ok(None),
                End::Open => (window.len(), memchr(b'"', window).is_some()),
                End::OpenQuote => {
                    return Err(self.open_quote());
                }
            };
            let from = self.start;
            self.start += length;
            self.consumed += length as u64;
            let mut bytes = &self.buffer[from..from + length];
            bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            return Ok(Some(Record { bytes, quoted, delimiter: self.delimiter }));
        }
    }

    /// The next piece of about `size` bytes: whole records, as they stand; `None` at the end. What is left over of the
    /// buffer moves to `room`, and the buffer goes out.
    pub(crate) fn piece(&mut self, size: usize, room: Vec<u8>, progress: &mut dyn Progress) -> Result<Option<Piece>> {
        let mut room = room;
        let mut wanted = size;
        loop {
            if self.buffer.len() < self.start + wanted {
                self.buffer.resize(self.start + wanted, 0);
            }
            if !self.finished && self.end < self.start + wanted {
                let (done, total) = self.source.progress();
                progress.step("reading", done, total)?;
                let space = &mut self.buffer[self.end..self.start + wanted];
                let got = self.source.fill(space)?;
                self.finished = got < space.len();
                self.end += got;
            }
            let window = &self.buffer[self.start..self.end.min(self.start + wanted)];
            let last = self.finished && window.len() == self.end - self.start;
            let length = match whole_records(window, self.delimiter) {
                _ if window.is_empty() => return Ok(None),
                Whole::OpenQuote if last => return Err(self.open_quote()),
                _ if last => window.len(),
                Whole::To(0) | Whole::OpenQuote => {
                    wanted *= 2; // a record longer than a piece
                    continue;
                }
                Whole::To(length) => length,
            };
            let cut = self.start + length;
            let left = self.end - cut;
            if room.len() < left.max(size) {
                room.resize(left.max(size), 0);
            }
            room[..left].copy_from_slice(&self.buffer[cut..self.end]);
            let bytes = std::mem::replace(&mut self.buffer, room);
            let from = self.start;
            (self.start, self.end) = (0, left);
            self.consumed += length as u64;
            return Ok(Some(Piece { bytes, from, to: cut }));
        }
    }

    fn open_quote(&self) -> Error {
        Error::data(
            Place::file(self.name()),
            "a quoted field is not closed before the end of the file",
            "add the missing quote, or remove the stray one",
        )
    }

    fn refill(&mut self, progress: &mut dyn Progress) -> Result<()> {
        let (done, total) = self.source.progress();
        progress.step("reading", done, total)?;
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end > self.buffer.len() / 2 {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let room = self.buffer.len() - self.end;
        let got = self.source.fill(&mut self.buffer[self.end..])?;
        self.finished = got < room;
        self.end += got;
        Ok(())
    }
}

/// Whole records, as they stand in a file.
pub(crate) struct Piece {
    bytes: Vec<u8>,
    from: usize,
    to: usize,
}

impl Piece {
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[self.from..self.to]
    }

    /// The memory, to be used again.
    pub(crate) fn into_room(self) -> Vec<u8> {
        self.bytes
    }
}

/// How far the whole records of a window go.
enum Whole {
    To(usize),
    /// There is not one, and the window ends inside quotes.
    OpenQuote,
}

fn whole_records(window: &[u8], delimiter: u8) -> Whole {
    if memchr(b'"', window).is_none() {
        return Whole::To(memrchr(b'\n', window).map_or(0, |at| at + 1));
    }
    let mut whole = 0;
    loop {
        match find_end(&window[whole..], delimiter) {
            End::At { length, .. } => whole += length,
            End::OpenQuote if whole == 0 => return Whole::OpenQuote,
            End::Open | End::OpenQuote => return Whole::To(whole),
        }
    }
}

/// The records of a text that ends with one.
pub(crate) fn records_of(text: &[u8], delimiter: u8) -> impl Iterator<Item = Record<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (length, quoted) = match find_end(rest, delimiter) {
            End::At { length, quoted } => (length, quoted),
            End::Open | End::OpenQuote => (rest.len(), memchr(b'"', rest).is_some()),
        };
        let (record, after) = rest.split_at(length);
        rest = after;
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        Some(Record { bytes: record.strip_suffix(b"\r").unwrap_or(record), quoted, delimiter })
    })
}

enum End {
    /// The record takes this many bytes, line end included.
    At { length: usize, quoted: bool },
    /// The window ends before the record does.
    Open,
    /// The window ends inside quotes.
    OpenQuote,
}

fn find_end(window: &[u8], delimiter: u8) -> End {
    match memchr(b'\n', window) {
        Some(at) if memchr(b'"', &window[..at]).is_none() => return End::At { length: at + 1, quoted: false },
        None if memchr(b'"', window).is_none() => return End::Open,
        _ => {}
    }
    let mut i = 0;
    loop {
        // at the start of a field
        if window.get(i) == Some(&b'"') {
            match close_quote(window, i + 1) {
                Some(after) => i = after,
                None => return End::OpenQuote,
            }
        }
        match memchr2(delimiter, b'\n', &window[i.min(window.len())..]) {
            None => return End::Open,
            Some(at) if window[i + at] == b'\n' => return End::At { length: i + at + 1, quoted: true },
            Some(at) => i += at + 1,
        }
    }
}

/// The position behind the quote that closes a field opened before `from`; `None` if it stays open.
fn close_quote(text: &[u8], from: usize) -> Option<usize> {
    let mut i = from;
    loop {
        let at = i + memchr(b'"', text.get(i..)?)?;
        if text.get(at + 1) != Some(&b'"') {
            return Some(at + 1);
        }
        i = at + 2;
    }
}

impl<'a> Record<'a> {
    /// Whether there is nothing in it but spaces.
    pub(crate) fn is_blank(&self) -> bool {
        self.bytes.iter().all(|c| *c == b' ' && *c != self.delimiter)
    }

    /// The fields, unquoted.
    pub(crate) fn fields(self) -> Fields<'a> {
        Fields { bytes: self.bytes, at: Some(0), delimiter: self.delimiter }
    }
}

/// The fields of a record, one after the other.
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: Option<usize>,
    delimiter: u8,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Cow<'a, [u8]>;

    fn next(&mut self) -> Option<Cow<'a, [u8]>> {
        let from = self.at?;
        let mut inside = from;
        let opened = self.bytes.get(from) == Some(&b'"');
        if opened {
            inside = close_quote(self.bytes, from + 1).unwrap_or(self.bytes.len());
        }
        let to = memchr(self.delimiter, &self.bytes[inside..]).map(|d| inside + d);
        self.at = to.map(|t| t + 1);
        let end = to.unwrap_or(self.bytes.len());
        if !opened {
            return Some(Cow::Borrowed(&self.bytes[from..end]));
        }
        let body = &self.bytes[from + 1..inside.max(from + 1)];
        let body = body.strip_suffix(b"\"").unwrap_or(body);
        if memchr(b'"', body).is_none() && inside == end {
            return Some(Cow::Borrowed(body));
        }
        let mut text = Vec::with_capacity(body.len());
        let mut rest = body;
        while let Some(q) = memchr(b'"', rest) {
            text.extend_from_slice(&rest[..=q]);
            rest = rest.get(q + 2..).unwrap_or_default();
        }
        text.extend_from_slice(rest);
        text.extend_from_slice(&self.bytes[inside..end]);
        Some(Cow::Owned(text))
    }
}

/// The delimiter that cuts the first lines most consistently.
fn guess(text: &[u8], complete: bool) -> u8 {
    let mut lines: Vec<&[u8]> = text.split(|c| *c == b'\n').take(21).collect();
    if lines.len() > 1 && (lines.len() <= 20 || !complete) {
        lines.pop(); // perhaps cut short
    }
    lines.retain(|l| !l.trim_ascii().is_empty());
    lines.truncate(20);
    let count = |line: &[u8], delimiter: u8| {
        let mut outside = true;
        line.iter()
            .filter(|c| {
                if **c == b'"' {
                    outside = !outside;
                }
                outside && **c == delimiter
            })
            .count()
    };
    let Some((header, rest)) = lines.split_first() else { return b',' };
    let mut best = (0, b',');
    for delimiter in [b',', b'\t', b';', b'|', b' '] {
        let first = count(header, delimiter);
        let same = |n: usize| rest.iter().all(|line| count(line, delimiter) == n);
        // row names without a header make every line but the first one longer
        let consistent = (first > 0 && same(first)) || (!rest.is_empty() && same(first + 1) && first > 0);
        let weight = if consistent {
            first + 1_000_000
        } else if delimiter == b' ' {
            0
        } else {
            first
        };
        if weight > best.0 {
            best = (weight, delimiter);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use proptest::prelude::*;

    fn all(text: &[u8], delimiter: Option<u8>) -> Vec<Vec<Vec<u8>>> {
        let input = Input::from_reader(std::io::Cursor::new(text.to_vec()), "test");
        let mut records = Records::open(input, ExpansionLimit::default(), delimiter).expect("opens");
        let mut out = vec![];
        while let Some(record) = records.next(&mut Context::default()).expect("reads") {
            out.push(record.fields().map(|f| f.into_owned()).collect());
        }
        out
    }

    #[test]
    fn quotes_line_ends_and_marks() {
        let got = all(b"\xef\xbb\xbfa,\"b,1\",c\r\n1,\"x\"\"y\",\"line\nbreak\"\n,,\n\"q\"", None);
        let want: Vec<Vec<&[u8]>> =
            vec![vec![b"a", b"b,1", b"c"], vec![b"1", b"x\"y", b"line\nbreak"], vec![b"", b"", b""], vec![b"q"]];
        assert_eq!(got, want);
    }

    #[test]
    fn delimiters_are_guessed() {
        assert_eq!(guess(b"a\tb c\td\n1\t2\t3\n", true), b'\t');
        assert_eq!(guess(b"a;b;c\n1,5;2,5;3,5\n", true), b';');
        assert_eq!(guess(b"a b c\n1 2 3\n", true), b' ');
        assert_eq!(guess(b"x y\t z\n1\t2\n", true), b'\t');
        assert_eq!(guess(b"score\n1.5\n", true), b',');
        assert_eq!(guess(b"\"a,b\"\tc\n1\t2\n", true), b'\t');
        assert_eq!(guess(b"a\tb\nr1\t1\t2\nr2\t1\t2\n", true), b'\t');
    }

    proptest! {
        #[test]
        fn records_are_those_of_the_csv_crate(text in "([a1\", ]|\n|\r\n|\",\"|\n\"){0,40}") {
            let mut theirs = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            let want: Vec<Vec<Vec<u8>>> = theirs
                .byte_records()
                .map(|r| r.expect("bytes").iter().map(<[u8]>::to_vec).collect())
                .collect();
            // the crate skips blank lines and forgives a quote left open: compare without
            let input = Input::from_reader(std::io::Cursor::new(text.into_bytes()), "test");
            let mut records = Records::open(input, ExpansionLimit::default(), Some(b',')).expect("opens");
            let mut got: Vec<Vec<Vec<u8>>> = vec![];
            loop {
                match records.next(&mut Context::default()) {
                    Ok(Some(r)) if r.bytes.is_empty() => {}
                    Ok(Some(r)) => got.push(r.fields().map(|f| f.into_owned()).collect()),
                    Ok(None) => break,
                    Err(_) => return Ok(()),
                }
            }
            prop_assert_eq!(got, want);
        }
    }
}
