//! Standard output and standard error as people read them: text of the data cannot steer the terminal.

use std::io::{self, IsTerminal, Write};
use tamis::base::visible_lines;

/// A writer that shows hidden characters as escapes. Line ends stay.
pub struct Screen<W>(W);

/// Standard output, for people.
pub fn stdout() -> Screen<io::StdoutLock<'static>> {
    Screen(io::stdout().lock())
}

/// Standard error, for people.
pub fn stderr() -> Screen<io::Stderr> {
    Screen(io::stderr())
}

/// Standard output, for data: as they are for another program, and like other text on a terminal.
pub fn data() -> io::BufWriter<Box<dyn Write>> {
    let out = io::stdout();
    io::BufWriter::new(if out.is_terminal() { Box::new(Screen(out.lock())) } else { Box::new(out.lock()) })
}

/// No failure where whoever reads our output has stopped reading.
pub fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(visible_lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
