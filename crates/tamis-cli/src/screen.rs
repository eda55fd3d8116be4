//! Standard output and standard error as people read them: text of the data cannot steer the terminal.

use crate::layout;
use std::io::{self, IsTerminal, Write};
use tamis::front::visible_lines;

/// A writer that shows hidden characters as escapes and, for people, breaks long lines between words. Line ends stay.
pub struct Screen<W: Write> {
    out: W,
    /// The bytes of a character whose end comes with the next write.
    begun: Vec<u8>,
    /// Lines are broken at this width.
    width: Option<usize>,
    /// A line whose end comes with the next write.
    line: String,
    /// Whether the terminal shows bold and dim text.
    styled: bool,
}

/// Standard output, for people.
pub fn stdout() -> Screen<io::StdoutLock<'static>> {
    let out = io::stdout();
    let styled = out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|told| told.is_empty());
    Screen::new(out.lock(), Some(layout::width()), styled)
}

/// Standard error, for people.
pub fn stderr() -> Screen<io::Stderr> {
    Screen::new(io::stderr(), Some(layout::width()), false)
}

/// Standard output, for data: as they are for another program, and like other text on a terminal.
pub fn data() -> io::BufWriter<Box<dyn Write>> {
    let out = io::stdout();
    io::BufWriter::new(if out.is_terminal() {
        Box::new(Screen::new(out.lock(), None, false))
    } else {
        Box::new(out.lock())
    })
}

/// No failure where whoever reads our output has stopped reading.
pub fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

impl<W: Write> Screen<W> {
    fn new(out: W, width: Option<usize>, styled: bool) -> Screen<W> {
        Screen { out, begun: Vec::new(), width, line: String::new(), styled }
    }

    /// Writes lines that matter most.
    pub fn strong(&mut self, text: &str) -> io::Result<()> {
        self.in_style("1", text)
    }

    /// Writes lines that matter least.
    pub fn faint(&mut self, text: &str) -> io::Result<()> {
        self.in_style("2", text)
    }

    fn in_style(&mut self, style: &str, text: &str) -> io::Result<()> {
        if !self.styled {
            return writeln!(self, "{text}");
        }
        self.flush()?;
        write!(self.out, "\x1b[{style}m")?;
        let written = writeln!(self, "{text}");
        write!(self.out, "\x1b[0m")?;
        written
    }

    fn write_text(&mut self, text: &str) -> io::Result<()> {
        let Some(width) = self.width else { return self.out.write_all(text.as_bytes()) };
        self.line.push_str(text);
        let Some(end) = self.line.rfind('\n') else { return Ok(()) };
        let rest = self.line.split_off(end + 1);
        let lines = std::mem::replace(&mut self.line, rest);
        lines.lines().try_for_each(|line| writeln!(self.out, "{}", layout::wrapped(line, width)))
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let whole = self.begun.len() - unfinished(&self.begun);
        let shown: Vec<u8> = self.begun.drain(..whole).collect();
        self.write_text(&visible_lines(&String::from_utf8_lossy(&shown)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(std::mem::take(&mut self.line).as_bytes())?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Screen<W> {
    fn drop(&mut self) {
        if !self.line.is_empty() {
            let _ = self.flush(); // nothing can be done if it cannot be written
        }
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
            let mut screen = Screen::new(Vec::new(), None, false);
            screen.write_all(&text[..cut]).expect("in memory");
            screen.write_all(&text[cut..]).expect("in memory");
            assert_eq!(String::from_utf8_lossy(&screen.out), "é基\u{1f9ec}\\u{202e}\n", "cut at {cut}");
        }
    }

    #[test]
    fn bytes_that_are_no_character_do_not_hold_back_what_follows() {
        let mut screen = Screen::new(Vec::new(), None, false);
        screen.write_all(b"\xff\xe2\x82").expect("in memory");
        screen.write_all(b"a\n").expect("in memory");
        assert_eq!(String::from_utf8_lossy(&screen.out), "\u{fffd}\u{fffd}a\n");
    }

    #[test]
    fn long_lines_are_broken_whatever_the_writes() {
        let text = "  data    one two three\nfour five\n";
        for cut in 0..=text.len() {
            let mut screen = Screen::new(Vec::new(), Some(18), false);
            screen.write_all(&text.as_bytes()[..cut]).expect("in memory");
            screen.write_all(&text.as_bytes()[cut..]).expect("in memory");
            let shown = String::from_utf8_lossy(&screen.out).into_owned();
            assert_eq!(shown, "  data    one two\n          three\nfour five\n", "cut at {cut}");
        }
    }
}
