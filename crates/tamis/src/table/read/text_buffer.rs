//! The text of a file, a window at a time: decompressed, without its byte-order mark.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Progress, Result, Text, text};
use crate::table::read::open::{DecodedInput, ExpansionLimit, Input};
use memchr::memchr;

/// A file and the window of its text that is in memory.
pub(super) struct TextBuffer {
    source: DecodedInput,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes of the text before the buffer.
    before: u64,
    /// The source has nothing more.
    finished: bool,
    /// Bytes that a record may have.
    longest: usize,
}

impl TextBuffer {
    /// Opens a file, compressed or not, and reads its first `size` bytes; a byte-order mark is skipped.
    pub(super) fn open(input: Input, limit: ExpansionLimit, size: usize) -> Result<TextBuffer> {
        let source = input.decode(limit)?;
        let longest = usize::try_from(limit.record).unwrap_or(usize::MAX).max(size);
        let (buffer, finished) = (vec![0; size], false);
        let mut text = TextBuffer { source, buffer, start: 0, end: 0, before: 0, finished, longest };
        text.fill_to(size)?;
        text.start = if text.window().starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Ok(text)
    }

    /// The file.
    pub(super) fn source(&self) -> &DecodedInput {
        &self.source
    }

    /// Whether nothing follows the window.
    pub(super) fn finished(&self) -> bool {
        self.finished
    }

    /// The text that was read and not taken.
    pub(super) fn window(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Bytes of the buffer in use, taken or not.
    pub(super) fn filled(&self) -> usize {
        self.end
    }

    /// Bytes of text that were read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.before + self.end as u64
    }

    /// Takes so many bytes of the window.
    pub(super) fn take(&mut self, length: usize) -> &[u8] {
        let from = self.start;
        self.start += length;
        &self.buffer[from..self.start]
    }

    /// Gives back the last `length` bytes taken; nothing may have been read since.
    pub(super) fn give_back(&mut self, length: usize) {
        self.start -= length;
    }

    /// Whether the window is longer than a record may be.
    pub(super) fn is_full(&self) -> bool {
        self.window().len() >= self.longest
    }

    /// The refusal of a record that begins in this line and is longer than allowed.
    pub(super) fn too_long(&self, line: u64) -> Error {
        let problem = format!("the record that begins in line {line} is longer than {}", self.longest_words());
        Error::data(Place::file(&self.source.name), problem, self.longer("check the ends of its lines"))
    }

    /// The remedy for a record that is longer than allowed.
    pub(super) fn longer(&self, first: &'static str) -> Text {
        text![first, ", or allow longer records with more ", OptionName::Memory]
    }

    /// The length that a record may have.
    pub(super) fn longest_words(&self) -> String {
        format!("{} MB", self.longest.div_ceil(1 << 20))
    }

    /// Reads on. A window that fills more than half of the buffer gets a larger one.
    pub(super) fn refill(&mut self, progress: &mut dyn Progress) -> Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.before += self.start as u64;
        self.end -= self.start;
        self.start = 0;
        if self.end > self.buffer.len() / 2 {
            let length = (self.buffer.len() * 2).min(self.longest.max(self.end + 1));
            self.buffer.resize(length, 0);
        }
        self.read(self.buffer.len(), progress)
    }

    /// Reads on until the window has `size` bytes, if the file has them.
    pub(super) fn widen(&mut self, size: usize, progress: &mut dyn Progress) -> Result<()> {
        let to = self.start + size;
        if self.buffer.len() < to {
            self.buffer.resize(to, 0);
        }
        if self.finished || self.end >= to { Ok(()) } else { self.read(to, progress) }
    }

    /// Fills the buffer up to this position.
    fn read(&mut self, to: usize, progress: &mut dyn Progress) -> Result<()> {
        let (done, total) = self.source.progress();
        progress.step("reading", done, total)?;
        self.fill_to(to)
    }

    fn fill_to(&mut self, to: usize) -> Result<()> {
        let from = self.end;
        let space = &mut self.buffer[from..to];
        let got = self.source.fill(space)?;
        self.finished = got < space.len();
        self.end += got;
        match memchr(0, &self.buffer[from..self.end]) {
            None => Ok(()),
            Some(at) => {
                let problem = format!("byte {} is NUL: it is not a file of text", self.before + (from + at) as u64 + 1);
                let remedy = text!["save it as UTF-8 text, or name its format with ", OptionName::Format];
                Err(Error::data(Place::file(&self.source.name), problem, remedy))
            }
        }
    }

    /// Hands out the buffer with the first `length` bytes of the window. The rest of the window moves to `room`, the new
    /// buffer, of at least `size` bytes.
    pub(super) fn cut(&mut self, length: usize, mut room: Vec<u8>, size: usize) -> TextPiece {
        let cut = self.start + length;
        let left = self.end - cut;
        if room.len() < left.max(size) {
            room.resize(left.max(size), 0);
        }
        room[..left].copy_from_slice(&self.buffer[cut..self.end]);
        let bytes = std::mem::replace(&mut self.buffer, room);
        let from = self.start;
        self.before += cut as u64;
        (self.start, self.end) = (0, left);
        TextPiece { bytes, from, to: cut }
    }
}

/// Whole records, as they stand in a file.
pub(crate) struct TextPiece {
    bytes: Vec<u8>,
    from: usize,
    to: usize,
}

impl TextPiece {
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[self.from..self.to]
    }

    /// The memory, to be used again.
    pub(crate) fn into_room(self) -> Vec<u8> {
        self.bytes
    }
}
