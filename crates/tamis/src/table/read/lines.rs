//! Text, one line at a time.

use crate::base::{Progress, Result};
use crate::table::read::open::{ExpansionLimit, Input};
use crate::table::read::text_buffer::TextBuffer;
use memchr::memchr;

const BUFFER: usize = 1 << 18;

/// A file's lines.
pub(crate) struct Lines {
    text: TextBuffer,
    /// Lines handed out so far.
    count: u64,
}

impl Lines {
    /// Opens a file, compressed or not; a byte-order mark is skipped.
    pub(crate) fn open(input: Input, limit: ExpansionLimit) -> Result<Lines> {
        Ok(Lines { text: TextBuffer::open(input, limit, BUFFER)?, count: 0 })
    }

    /// The file's name.
    pub(crate) fn name(&self) -> &str {
        &self.text.source().name
    }

    /// Bytes of text that were read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.text.bytes_read()
    }

    /// Bytes of the file that were read so far, as they stand there.
    pub(crate) fn compressed_bytes_read(&self) -> u64 {
        self.text.source().progress().0
    }

    /// The next line without its end; `None` behind the last.
    pub(crate) fn next(&mut self, progress: &mut dyn Progress) -> Result<Option<&[u8]>> {
        let length = loop {
            let window = self.text.window();
            match memchr(b'\n', window) {
                Some(at) => break at + 1,
                None if self.text.is_full() && !self.text.finished() => return Err(self.text.too_long(self.count + 1)),
                None if !self.text.finished() => self.text.refill(progress)?,
                None if window.is_empty() => return Ok(None),
                None => break window.len(),
            }
        };
        self.count += 1;
        let line = self.text.take(length);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
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
