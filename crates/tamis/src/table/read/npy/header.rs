//! The header of an array: type, order and shape, as a dictionary in Python's notation.

use std::io::{self, Write};

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// The remedy for elements that are no numbers.
pub(super) const SAVE_AS_NUMBERS: &str = "save it as numbers (`x.astype(float)`)";

/// How the elements of an array are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ElementType {
    /// `f`, `i`, `u`, `b` or `U`, as NumPy has it.
    pub(crate) letter: u8,
    /// Bytes of an element.
    pub(crate) size: usize,
    pub(crate) big_endian: bool,
}

/// The header of an array.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ArrayHeader {
    pub(crate) descr: String,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<usize>,
}

/// The kind of elements a `descr` stands for; the error has the problem and the remedy.
pub(crate) fn kind(descr: &str) -> Result<ElementType, (String, &'static str)> {
    let (order, rest) = match descr.as_bytes() {
        [order @ (b'<' | b'>' | b'|' | b'='), rest @ ..] => (*order, rest),
        rest => (b'<', rest),
    };
    let letter = rest.first().copied().unwrap_or_default();
    let count: Option<usize> = std::str::from_utf8(rest.get(1..).unwrap_or_default()).ok().and_then(|t| t.parse().ok());
    let count = count.filter(|n| *n > 0);
    let big_endian = order == b'>';
    match (letter, count) {
        (b'f', Some(size @ (4 | 8))) | (b'i' | b'u', Some(size @ (1 | 2 | 4 | 8))) | (b'b', Some(size @ 1)) => {
            Ok(ElementType { letter, size, big_endian })
        }
        (b'U', Some(n)) if n <= 1 << 20 => Ok(ElementType { letter, size: 4 * n, big_endian }),
        (b'O', _) => Err((
            "holds Python objects, which only Python can read".into(),
            "save it as numbers (`x.astype(float)`) or as text (`y.astype(str)`)",
        )),
        (b'c', _) => Err(("holds complex numbers".into(), "save real and imaginary parts as columns")),
        (b'M' | b'm', _) => Err(("holds dates or times".into(), "save them as numbers (`x.astype(float)`)")),
        (b'S' | b'a', _) => Err(("holds bytes".into(), "save it as text (`y.astype(str)`)")),
        _ => Err((format!("has elements of type `{descr}`"), SAVE_AS_NUMBERS)),
    }
}

/// The dictionary in Python's notation that a header is.
pub(crate) struct PythonParser<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> PythonParser<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        PythonParser { text, at: 0 }
    }

    pub(crate) fn header(&mut self) -> Option<ArrayHeader> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.expect(b'{')?;
        while self.peek()? != b'}' {
            let key = self.string()?;
            self.expect(b':')?;
            match key.as_str() {
                "descr" => descr = Some(self.string()?),
                "fortran_order" => fortran = Some(self.boolean()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return None,
            }
            if self.peek()? != b'}' {
                self.expect(b',')?;
            }
        }
        Some(ArrayHeader { descr: descr?, fortran: fortran?, shape: shape? })
    }

    /// Whether reading stopped at a list, which is how records are described.
    pub(crate) fn structured(&mut self) -> bool {
        self.peek() == Some(b'[')
    }

    /// The next byte that is not blank.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek().filter(|q| matches!(q, b'\'' | b'"'))?;
        let rest = &self.text[self.at + 1..];
        let length = rest.iter().position(|c| *c == quote)?;
        self.at += length + 2;
        String::from_utf8(rest[..length].to_vec()).ok()
    }

    fn boolean(&mut self) -> Option<bool> {
        self.peek()?;
        let rest = &self.text[self.at..];
        let (value, length) = if rest.starts_with(b"True") { (true, 4) } else { (false, 5) };
        (value || rest.starts_with(b"False")).then(|| self.at += length)?;
        Some(value)
    }

    fn tuple(&mut self) -> Option<Vec<usize>> {
        let mut values = vec![];
        self.expect(b'(')?;
        while self.peek()? != b')' {
            let digits = self.text[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
            let text = std::str::from_utf8(&self.text[self.at..self.at + digits]).ok()?;
            values.push(text.parse().ok()?);
            self.at += digits;
            if self.text.get(self.at) == Some(&b'L') {
                self.at += 1; // Python 2 marked long integers
            }
            if self.peek()? != b')' {
                self.expect(b',')?;
            }
        }
        self.expect(b')')?;
        Some(values)
    }
}

/// Writes the header of an array, filled up so that the numbers begin at a multiple of 64.
pub(crate) fn write_header(descr: &str, shape: &[usize], out: &mut dyn Write) -> io::Result<()> {
    let shape: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': True, 'shape': ({}), }}", shape.trim_end());
    let filled = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(64);
    text.push_str(&" ".repeat(filled - MAGIC.len() - 4 - text.len() - 1));
    text.push('\n');
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&(text.len() as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())
}
