//! Standard output and standard error as people read them: text of the data cannot steer the terminal.

use std::io::{self, IsTerminal, Write};
use tamis::front::visible_lines;

/// A writer that shows hidden characters as escapes. Line ends stay.
pub struct Screen<W> {
    out: W,
    /// The bytes of a character whose end comes with the next write.
    begun: Vec<u8>,
}

/// Standard output, for people.
pub fn stdout() -> Screen<io::StdoutLock<'static>> {
    Screen::new(io::stdout().lock())
}

/// Standard error, for people.
pub fn stderr() -> Screen<io::Stderr> {
    Screen::new(io::stderr())
}

/// Standard output, for data: as they are for another program, and like other text on a terminal.
pub fn data() -> io::BufWriter<Box<dyn Write>> {
    let out = io::stdout();
    io::BufWriter::new(if out.is_terminal() { Box::new(Screen::new(out.lock())) } else { Box::new(out.lock()) })
}

/// No failure where whoever reads our output has stopped reading.
pub fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

impl<W> Screen<W> {
    fn new(out: W) -> Screen<W> {
        Screen { out, begun: Vec::new() }
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let whole = self.begun.len() - unfinished(&self.begun);
        let shown: Vec<u8> = self.begun.drain(..whole).collect();
        self.out.write_all(visible_lines(&String::from_utf8_lossy(&shown)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How many bytes at the end are the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    (0..tail.len())
        .map(|at| &tail[at..])
        .find(|tail| std::str::from_utf8(tail).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none()))
        .map_or(0, <[u8]>::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_comes_in_two_writes_is_whole() {
        let text = "é基\u{1f9ec}\u{202e}\n".as_bytes();
        for cut in 0..=text.len() {
            let mut screen = Screen::new(Vec::new());
            screen.write_all(&text[..cut]).expect("in memory");
            screen.write_all(&text[cut..]).expect("in memory");
            assert_eq!(String::from_utf8(screen.out).expect("in memory"), "é基\u{1f9ec}\\u{202e}\n", "cut at {cut}");
        }
    }

    #[test]
    fn bytes_that_are_no_character_do_not_hold_back_what_follows() {
        let mut screen = Screen::new(Vec::new());
        screen.write_all(b"\xff\xe2\x82").expect("in memory");
        screen.write_all(b"a\n").expect("in memory");
        assert_eq!(String::from_utf8(screen.out).expect("in memory"), "\u{fffd}\u{fffd}a\n");
    }
}
