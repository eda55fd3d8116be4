//! Text, one line at a time.

use crate::base::{Progress, Result};
use crate::table::read::open::{Decoded, ExpansionLimit, Input};
use memchr::memchr;

const BUFFER: usize = 1 << 18;

/// A file's lines.
pub(crate) struct Lines {
    source: Decoded,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The source has nothing more.
    finished: bool,
}

impl Lines {
    /// Opens a file, compressed or not; a byte-order mark is skipped.
    pub(crate) fn open(input: Input, limit: ExpansionLimit) -> Result<Lines> {
        let mut source = input.decode(limit)?;
        let mut buffer = vec![0; BUFFER];
        let end = source.fill(&mut buffer)?;
        let start = if buffer[..end].starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let finished = end < buffer.len();
        Ok(Lines { source, buffer, start, end, finished })
    }

    /// The file's name.
    pub(crate) fn name(&self) -> &str {
        &self.source.name
    }

    /// The next line without its end; `None` behind the last.
    pub(crate) fn next(&mut self, progress: &mut dyn Progress) -> Result<Option<&[u8]>> {
        let (length, taken) = loop {
            let window = &self.buffer[self.start..self.end];
            match memchr(b'\n', window) {
                Some(at) => break (at, at + 1),
                None if !self.finished => self.refill(progress)?,
                None if window.is_empty() => return Ok(None),
                None => break (window.len(), window.len()),
            }
        };
        let line = &self.buffer[self.start..self.start + length];
        self.start += taken;
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;

    #[test]
    fn lines_longer_than_the_buffer_come_whole() {
        let long = "x".repeat(3 * BUFFER + 7);
        let text = format!("\u{feff}a\r\n\n{long}\nend");
        let input = Input::from_reader(std::io::Cursor::new(text.into_bytes()), "test");
        let mut lines = Lines::open(input, ExpansionLimit::default()).expect("opens");
        let mut got = vec![];
        while let Some(line) = lines.next(&mut Context::default()).expect("reads") {
            got.push(String::from_utf8(line.to_vec()).expect("text"));
        }
        assert_eq!(got, ["a", "", &long, "end"]);
    }
}
