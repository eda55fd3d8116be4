//! The text of a file, a window at a time: decompressed, without its byte-order mark.

use crate::base::{Progress, Result};
use crate::table::read::open::{DecodedInput, ExpansionLimit, Input};

/// A file and the window of its text that is in memory.
pub(super) struct TextBuffer {
    source: DecodedInput,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The source has nothing more.
    finished: bool,
}

impl TextBuffer {
    /// Opens a file, compressed or not, and reads its first `size` bytes; a byte-order mark is skipped.
    pub(super) fn open(input: Input, limit: ExpansionLimit, size: usize) -> Result<TextBuffer> {
        let mut source = input.decode(limit)?;
        let mut buffer = vec![0; size];
        let end = source.fill(&mut buffer)?;
        let start = if buffer[..end].starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let finished = end < buffer.len();
        Ok(TextBuffer { source, buffer, start, end, finished })
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

    /// Reads on. A window that fills more than half of the buffer gets a larger one.
    pub(super) fn refill(&mut self, progress: &mut dyn Progress) -> Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end > self.buffer.len() / 2 {
            self.buffer.resize(self.buffer.len() * 2, 0);
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
        let space = &mut self.buffer[self.end..to];
        let got = self.source.fill(space)?;
        self.finished = got < space.len();
        self.end += got;
        Ok(())
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
