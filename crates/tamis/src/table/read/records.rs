//! Delimited text, one record at a time: byte-order mark, guessed or declared delimiter.

use crate::base::error::Place;
use crate::base::{Error, Progress, Result};
use crate::table::read::delimiter::guess;
use crate::table::read::open::{ExpansionLimit, Input, raise_limit};
use crate::table::read::record::{Record, RecordEnd, WholeRecords, find_end, whole_records};
use crate::table::read::text_buffer::{TextBuffer, TextPiece};
use memchr::memchr;
use std::borrow::Cow;

const BUFFER: usize = 1 << 20;

/// The bytes and the number of the lines before a table that begin with `#`; a header may begin so too.
fn remarks(window: &[u8], finished: bool, delimiter: Option<u8>) -> (usize, u64) {
    let (mut at, mut last, mut lines) = (0, 0, 0);
    while window[at..].starts_with(b"#") {
        let Some(end) = memchr(b'\n', &window[at..]) else { return (0, 0) };
        (last, at, lines) = (at, at + end + 1, lines + 1);
    }
    if lines == 0 {
        return (0, 0);
    }
    let delimiter = delimiter.unwrap_or_else(|| guess(&window[at..], finished));
    let delimiters = |from: usize| {
        let line = window[from..].split(|c| *c == b'\n').next().unwrap_or_default();
        line.iter().filter(|c| **c == delimiter).count()
    };
    if delimiters(last) == delimiters(at) { (last, lines - 1) } else { (at, lines) }
}

/// Bytes that a text takes beside its letters: its own record, and what the allocator adds.
const TEXT_BYTES: u64 = 40;

/// A file's records.
pub(crate) struct Records {
    text: TextBuffer,
    limit: ExpansionLimit,
    /// Bytes of memory that texts kept by the caller take.
    kept: u64,
    /// Bytes handed out so far.
    consumed: u64,
    /// Lines handed out so far.
    lines: u64,
    pub(crate) delimiter: u8,
}

impl Records {
    pub(crate) fn open(input: Input, limit: ExpansionLimit, delimiter: Option<u8>) -> Result<Records> {
        let mut text = TextBuffer::open(input, limit, BUFFER)?;
        // Excel's own way of naming the delimiter: a first line `sep=;`
        let (length, declared) = match text.window() {
            [b's', b'e', b'p', b'=', c, b'\n', ..] => (6, Some(*c)),
            [b's', b'e', b'p', b'=', c, b'\r', b'\n', ..] => (7, Some(*c)),
            _ => (0, None),
        };
        text.take(length);
        let mut lines = u64::from(length > 0);
        let (length, remarks) = remarks(text.window(), text.finished(), delimiter.or(declared));
        text.take(length);
        lines += remarks;
        let delimiter = delimiter.or(declared).unwrap_or_else(|| guess(text.window(), text.finished()));
        Ok(Records { text, limit, kept: 0, consumed: 0, lines, delimiter })
    }

    pub(crate) fn name(&self) -> &str {
        &self.text.source().name
    }

    /// Counts texts that the caller keeps, so many bytes together: a compressed file, all of short cells, would take many
    /// times the memory of its text.
    pub(crate) fn keep(&mut self, texts: usize, bytes: usize) -> Result<()> {
        self.kept += texts as u64 * TEXT_BYTES + bytes as u64;
        let allowed = self.text.source().allowed_memory(self.limit);
        if self.kept <= allowed {
            return Ok(());
        }
        let problem = format!("its cells take more than {allowed} bytes of memory");
        Err(Error::read(self.name(), raise_limit(problem)))
    }

    /// An upper estimate of how many more records of the mean length so far there are, where the size tells.
    pub(crate) fn expected(&self, so_far: usize, columns: usize) -> Option<usize> {
        let size = self.text.source().text_size()?;
        let mean = self.consumed as f64 / so_far.max(1) as f64;
        let rows = (size as f64 / mean * 1.02) as usize + 16;
        Some(rows.min(size as usize / columns.max(1) + 1))
    }

    /// How many records there are if all are like those in the buffer, where the file's size tells.
    pub(crate) fn expected_rows(&self) -> Option<u64> {
        let window = self.text.window();
        let lines = memchr::memchr_iter(b'\n', window).count().max(1) as f64;
        if self.text.finished() {
            return Some(lines as u64 + 1);
        }
        let (read, size) = self.text.source().progress();
        let text = match self.text.source().text_size() {
            Some(size) => size as f64,
            None if size > 0 => size as f64 / read.max(1) as f64 * self.text.filled() as f64,
            None => return None,
        };
        Some((text / window.len() as f64 * lines) as u64 + 1)
    }

    /// The fields of the next record that is not blank, without taking it; none at the end.
    pub(crate) fn ahead(&mut self, progress: &mut dyn Progress) -> Result<Vec<Vec<u8>>> {
        loop {
            let (consumed, lines) = (self.consumed, self.lines);
            let Some(record) = self.next(progress)? else { return Ok(vec![]) };
            if record.is_blank() {
                continue;
            }
            let fields = record.fields().map(Cow::into_owned).collect();
            self.text.give_back((self.consumed - consumed) as usize);
            (self.consumed, self.lines) = (consumed, lines);
            return Ok(fields);
        }
    }

    /// The next record; `None` at the end.
    pub(crate) fn next(&mut self, progress: &mut dyn Progress) -> Result<Option<Record<'_>>> {
        let (length, quoted) = loop {
            let window = self.text.window();
            match find_end(window, self.delimiter) {
                RecordEnd::At { length, quoted } => break (length, quoted),
                RecordEnd::OpenQuote(at) if self.text.is_full() || self.text.finished() => {
                    return Err(self.open_quote(at));
                }
                RecordEnd::Open if self.text.is_full() && !self.text.finished() => {
                    return Err(self.text.too_long(self.lines + 1));
                }
                _ if !self.text.finished() => self.text.refill(progress)?,
                _ if window.is_empty() => return Ok(None),
                _ => break (window.len(), memchr(b'"', window).is_some()),
            }
        };
        self.consumed += length as u64;
        self.lines += if quoted { count_lines(&self.text.window()[..length]) } else { 1 };
        Ok(Some(Record::new(self.text.take(length), quoted, self.delimiter)))
    }

    /// The next piece of about `size` bytes: whole records, as they stand; `None` at the end. What is left over of the
    /// buffer moves to `room`, and the buffer goes out.
    pub(crate) fn piece(
        &mut self,
        size: usize,
        room: Vec<u8>,
        progress: &mut dyn Progress,
    ) -> Result<Option<TextPiece>> {
        let mut wanted = size;
        let length = loop {
            self.text.widen(wanted, progress)?;
            let all = self.text.window();
            let window = &all[..all.len().min(wanted)];
            let last = self.text.finished() && window.len() == all.len();
            match whole_records(window, self.delimiter) {
                _ if window.is_empty() => return Ok(None),
                WholeRecords::OpenQuote(at) if last || self.text.is_full() => return Err(self.open_quote(at)),
                _ if last => break window.len(),
                WholeRecords::To(0) if self.text.is_full() => return Err(self.text.too_long(self.lines + 1)),
                WholeRecords::To(0) | WholeRecords::OpenQuote(_) => wanted *= 2, // a record longer than a piece
                WholeRecords::To(length) => break length,
            }
        };
        self.consumed += length as u64;
        self.lines += count_lines(&self.text.window()[..length]);
        Ok(Some(self.text.cut(length, room, size)))
    }

    /// The refusal of a quote that opens at this position of the window and is not closed.
    fn open_quote(&self, at: usize) -> Error {
        let line = self.lines + count_lines(&self.text.window()[..at]) + 1;
        let place = Place::file(self.name());
        let mend = "add the missing quote, or remove the stray one";
        if self.text.finished() {
            let problem = format!("a quoted field that opens in line {line} is not closed before the end of the file");
            return Error::data(place, problem, mend);
        }
        let problem =
            format!("a quoted field that opens in line {line} is not closed within {}", self.text.longest_words());
        Error::data(place, problem, self.text.longer(mend))
    }
}

fn count_lines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
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
    fn remarks_above_a_header_are_skipped_but_not_a_header_that_begins_like_one() {
        let first = |text: &str| {
            let fields = all(text.as_bytes(), None).swap_remove(0);
            fields.into_iter().map(|f| String::from_utf8(f).expect("text")).collect::<Vec<_>>().join("|")
        };
        assert_eq!(first("# made by \"x\"\n# today\na\tb\n1\t2\n"), "a|b");
        assert_eq!(first("#a,b\n1,2\n"), "#a|b");
        assert_eq!(first("# remark\n#a,b\n1,2\n"), "#a|b");
        assert_eq!(first("#end"), "#end");
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
