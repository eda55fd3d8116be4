//! One array of NumPy: a header in Python's notation, then the numbers.
//!
//! A two-dimensional array is a table whose columns are `f1`, `f2`, …, the last one being the target unless another
//! is named. NaN is missing. The shape a header declares is never believed: memory grows with the bytes that come.

use super::parts::assemble;
use super::write::{only_numbers, target_numbers};
use super::{Column, Format, Input, ReadOptions, Table};
use crate::error::Place;
use crate::{Error, Progress, Result};
use std::io::{self, Write};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Bytes that are turned into numbers at a time.
const BLOCK: usize = 1 << 20;
/// A longer header than this describes no array of numbers.
const LONGEST_HEADER: usize = 1 << 16;

pub(super) fn read_table(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let mut decoded = input.decode(options.expansion)?;
    let place = Place::file(&decoded.name);
    let available = decoded.text_size();
    let mut fill = |buffer: &mut [u8]| {
        let (done, total) = decoded.progress();
        progress.step("reading", done, total)?;
        decoded.fill(buffer)
    };
    let columns =
        Source { fill: &mut fill, available, place: &place }.array("the array")?.matrix("the array", &place)?;
    let names: Vec<String> = (1..=columns.len()).map(|i| format!("f{i}")).collect();
    let mut options = options.clone();
    if let (true, Some(last)) = (options.target.is_empty(), names.last()) {
        options.target.clone_from(last);
    }
    assemble(names, columns.into_iter().map(Column::from).collect(), &options, &place)
}

/// Bytes of an array, from a file or from a member of an archive.
pub(super) struct Source<'a> {
    /// Fills a buffer as far as it goes; fewer bytes mean the end.
    pub(super) fill: &'a mut dyn FnMut(&mut [u8]) -> Result<usize>,
    /// How many bytes there are, where that is certain.
    pub(super) available: Option<u64>,
    pub(super) place: &'a Place,
}

/// What an array holds.
pub(super) enum Array {
    /// Numbers by column, of an array with so many dimensions.
    Numbers { columns: Vec<Vec<f64>>, dimensions: usize },
    /// One text per row.
    Texts(Vec<String>),
}

/// How the elements of an array are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    /// `f`, `i`, `u`, `b` or `U`, as NumPy has it.
    letter: u8,
    /// Bytes of an element.
    size: usize,
    big_endian: bool,
}

/// The header of an array.
#[derive(Debug, PartialEq, Eq)]
struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<usize>,
}

impl Array {
    /// The columns of a two-dimensional array of numbers.
    pub(super) fn matrix(self, what: &str, place: &Place) -> Result<Vec<Vec<f64>>> {
        match self {
            Array::Numbers { columns, dimensions: 2 } => Ok(columns),
            Array::Numbers { dimensions, .. } => {
                let problem = format!("{what} has {dimensions} dimension, not 2");
                Err(Error::data(place.clone(), problem, "save an array of rows by features (`x.reshape(-1, 1)`)"))
            }
            Array::Texts(_) => {
                let problem = format!("{what} holds text");
                Err(Error::data(place.clone(), problem, "save it as numbers (`x.astype(float)`)"))
            }
        }
    }
}

impl Source<'_> {
    /// Reads a whole array; `what` names it in messages.
    pub(super) fn array(&mut self, what: &str) -> Result<Array> {
        let header = self.header(what)?;
        let kind = kind(&header.descr).map_err(|(problem, remedy)| self.refuse(format!("{what} {problem}"), remedy))?;
        let dimensions = header.shape.len();
        let (rows, width) = match header.shape[..] {
            [rows] => (rows, 1),
            [rows, width] => (rows, width),
            _ => {
                let problem = format!("{what} has {dimensions} dimensions");
                return Err(self.refuse(problem, "save an array of rows by features"));
            }
        };
        let total = rows.checked_mul(width).and_then(|n| n.checked_mul(kind.size));
        let total = total.ok_or_else(|| self.short(what, &header))?;
        if total == 0 {
            return Err(self.refuse(format!("{what} is empty: {rows} rows, {width} columns"), "save one that is not"));
        }
        if self.available.is_some_and(|n| n < total as u64) {
            return Err(self.short(what, &header));
        }
        let array = match number(kind) {
            Some(number) => {
                let columns = if header.fortran || width == 1 {
                    self.by_column(what, &header, (rows, width), kind.size, number)?
                } else {
                    self.by_row(what, &header, (rows, width), kind.size, number)?
                };
                Array::Numbers { columns, dimensions }
            }
            None if width > 1 => return Err(self.refuse(format!("{what} holds text"), "save it as numbers")),
            None => Array::Texts(self.texts(what, &header, rows, kind)?),
        };
        if (self.fill)(&mut [0])? > 0 {
            return Err(self.refuse(format!("there are bytes behind {what}"), "save one array per file"));
        }
        Ok(array)
    }

    /// Numbers stored column after column.
    fn by_column(
        &mut self,
        what: &str,
        header: &Header,
        (rows, width): (usize, usize),
        size: usize,
        number: Number,
    ) -> Result<Vec<Vec<f64>>> {
        let mut columns = Vec::new();
        for _ in 0..width {
            let mut column = Vec::with_capacity(self.certain(rows));
            while column.len() < rows {
                let n = (rows - column.len()).min(BLOCK / size);
                let bytes = self.take(n * size)?.ok_or_else(|| self.short(what, header))?;
                column.extend(bytes.chunks_exact(size).map(number));
            }
            columns.push(column);
        }
        Ok(columns)
    }

    /// Numbers stored row after row.
    fn by_row(
        &mut self,
        what: &str,
        header: &Header,
        (rows, width): (usize, usize),
        size: usize,
        number: Number,
    ) -> Result<Vec<Vec<f64>>> {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut done = 0;
        while done < rows {
            let n = (rows - done).min((BLOCK / size / width).max(1));
            let bytes = self.take(n * width * size)?.ok_or_else(|| self.short(what, header))?;
            if columns.is_empty() {
                let reserve = self.certain(rows);
                columns = (0..width).map(|_| Vec::with_capacity(reserve)).collect();
            }
            for (c, column) in columns.iter_mut().enumerate() {
                column.extend(bytes[c * size..].chunks(size).step_by(width).map(number));
            }
            done += n;
        }
        Ok(columns)
    }

    /// Texts of code points of 32 bits, filled up with zeros.
    fn texts(&mut self, what: &str, header: &Header, rows: usize, kind: Kind) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        for row in 0..rows {
            let bytes = self.take(kind.size)?.ok_or_else(|| self.short(what, header))?;
            let points = bytes.chunks_exact(4).map(|b| {
                let b = array(b);
                if kind.big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) }
            });
            let text: Option<String> = points.map(char::from_u32).collect();
            let text = text.ok_or_else(|| {
                let place = self.place.clone().at_row(row as u64 + 1);
                Error::data(place, format!("the text in {what} is not Unicode"), "save the array again")
            })?;
            texts.push(text.trim_end_matches('\0').into());
        }
        Ok(texts)
    }

    /// As many elements as may be reserved ahead: all if it is certain that they come.
    fn certain(&self, rows: usize) -> usize {
        if self.available.is_some() { rows } else { 0 }
    }

    /// So many bytes, `None` if there are fewer. Memory doubles as bytes come, whatever is asked for.
    fn take(&mut self, want: usize) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        while bytes.len() < want {
            let from = bytes.len();
            let step = (want - from).min(from.max(BLOCK));
            bytes.resize(from + step, 0);
            if (self.fill)(&mut bytes[from..])? < step {
                return Ok(None);
            }
        }
        Ok(Some(bytes))
    }

    fn header(&mut self, what: &str) -> Result<Header> {
        let foreign = |s: &Self| s.refuse(format!("{what} is not in NumPy's format"), "save it with `np.save`");
        let head = self.take(8)?.filter(|b| b.starts_with(MAGIC)).ok_or_else(|| foreign(self))?;
        let length = match head[6] {
            1 => self.take(2)?.map(|b| usize::from(u16::from_le_bytes(array(&b)))),
            2 | 3 => self.take(4)?.map(|b| u32::from_le_bytes(array(&b)) as usize),
            version => {
                let problem = format!("{what} is in version {version} of NumPy's format, which is not known");
                return Err(self.refuse(problem, "save it with `np.save`"));
            }
        };
        let length = length.filter(|n| *n <= LONGEST_HEADER).ok_or_else(|| foreign(self))?;
        let text = self.take(length)?.ok_or_else(|| foreign(self))?;
        let mut python = Python { text: &text, at: 0 };
        match python.header() {
            Some(header) => Ok(header),
            None if python.structured() => Err(self.refuse(
                format!("{what} is structured: its rows are records, not numbers"),
                "save a plain array (`numpy.lib.recfunctions.structured_to_unstructured`)",
            )),
            None => Err(self.refuse(format!("the header of {what} is damaged"), "save it again with `np.save`")),
        }
    }

    fn short(&self, what: &str, header: &Header) -> Error {
        let shape: Vec<String> = header.shape.iter().map(usize::to_string).collect();
        let problem = format!("{what} ends before the {} elements that its header declares", shape.join(" × "));
        self.refuse(problem, "copy or save the file again")
    }

    fn refuse(&self, problem: impl Into<String>, remedy: &str) -> Error {
        Error::data(self.place.clone(), problem, remedy)
    }
}

/// Turns the bytes of an element into a number.
type Number = fn(&[u8]) -> f64;

/// How numbers of a kind are read; `None` for text.
fn number(kind: Kind) -> Option<Number> {
    macro_rules! read {
        ($t:ty) => {
            if kind.big_endian {
                |b| <$t>::from_be_bytes(array(b)) as f64
            } else {
                |b| <$t>::from_le_bytes(array(b)) as f64
            }
        };
    }
    Some(match (kind.letter, kind.size) {
        (b'f', 4) => read!(f32),
        (b'f', 8) => read!(f64),
        (b'i', 1) => read!(i8),
        (b'i', 2) => read!(i16),
        (b'i', 4) => read!(i32),
        (b'i', 8) => read!(i64),
        (b'u', 1) => read!(u8),
        (b'u', 2) => read!(u16),
        (b'u', 4) => read!(u32),
        (b'u', 8) => read!(u64),
        (b'b', 1) => |b| f64::from(u8::from(b != [0])),
        _ => return None,
    })
}

/// The first bytes; zeros where there are too few, which no caller lets happen.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// The kind of elements a `descr` stands for; otherwise what is wrong with it, and what to do.
fn kind(descr: &str) -> Result<Kind, (String, &'static str)> {
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
            Ok(Kind { letter, size, big_endian })
        }
        (b'U', Some(n)) if n <= 1 << 20 => Ok(Kind { letter, size: 4 * n, big_endian }),
        (b'O', _) => Err((
            "holds Python objects, which only Python can read".into(),
            "save it as numbers (`x.astype(float)`) or as text (`y.astype(str)`)",
        )),
        (b'c', _) => Err(("holds complex numbers".into(), "save real and imaginary parts as columns")),
        (b'M' | b'm', _) => Err(("holds dates or times".into(), "save them as numbers (`x.astype(float)`)")),
        (b'S' | b'a', _) => Err(("holds bytes".into(), "save it as text (`y.astype(str)`)")),
        _ => Err((format!("has elements of type `{descr}`"), "save it as numbers (`x.astype(float)`)")),
    }
}

/// The dictionary in Python's notation that a header is.
struct Python<'a> {
    text: &'a [u8],
    at: usize,
}

impl Python<'_> {
    fn header(&mut self) -> Option<Header> {
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
        Some(Header { descr: descr?, fortran: fortran?, shape: shape? })
    }

    /// Whether reading stopped at a list, which is how records are described.
    fn structured(&mut self) -> bool {
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
pub(super) fn write_header(descr: &str, shape: &[usize], out: &mut dyn Write) -> io::Result<()> {
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

/// Writes numbers of 8 bytes.
pub(super) fn write_numbers(values: &[f64], out: &mut dyn Write) -> io::Result<()> {
    for block in values.chunks(1 << 13) {
        let bytes: Vec<u8> = block.iter().flat_map(|x| x.to_le_bytes()).collect();
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Writes the features and, as the last column, the target.
pub(super) fn write(table: &Table, kept: &[u32], out: &mut dyn Write) -> io::Result<()> {
    let columns = only_numbers(table, kept, Format::Npy)?;
    let target = target_numbers(table.target(), Format::Npy)?;
    write_header("<f8", &[table.n_rows(), columns.len() + 1], out)?;
    for column in columns {
        write_numbers(column, out)?;
    }
    write_numbers(&target, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(bytes: Vec<u8>) -> Result<Table> {
        let input = Input::from_reader(io::Cursor::new(bytes), "a.npy");
        read_table(input, &ReadOptions::target(""), &mut Silent)
    }

    fn header(descr: &str, order: &str, shape: &str) -> String {
        format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n")
    }

    #[test]
    fn both_orders_and_both_ends_first() {
        let data: Vec<u8> = [1_i16, 0, 2, 1, 3, 0, 4, 1].iter().flat_map(|x| x.to_be_bytes()).collect();
        let table = read(file(&header("'>i2'", "False", "(4, 2)"), &data)).expect("reads");
        assert_eq!(**table.names(), ["f1"]);
        assert_eq!(table.target_name(), "f2");
        assert_eq!(table.columns()[0].numbers().expect("numbers"), [1.0, 2.0, 3.0, 4.0]);
        let table = read(file(&header("'|u1'", "True", "(4, 2)"), &[1, 2, 3, 4, 0, 1, 0, 1])).expect("reads");
        assert_eq!(table.columns()[0].numbers().expect("numbers"), [1.0, 2.0, 3.0, 4.0]);
        let table = read(file(&header("'|b1'", "True", "(4, 2)"), &[1, 0, 0, 1, 0, 1, 0, 1])).expect("reads");
        assert_eq!(table.columns()[0].numbers().expect("numbers"), [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_shape_is_not_believed() {
        for shape in ["(1000000000000, 2)", "(2, 1000000000000)", "(18446744073709551615, 18446744073709551615)"] {
            for order in ["True", "False"] {
                let error = read(file(&header("'<f8'", order, shape), &[0; 64])).expect_err(shape).to_string();
                assert!(error.contains("`a.npy`: the array ends before"), "{error}");
            }
        }
        let error = read(file(&header("'|u1'", "True", "(2, 2)"), &[0; 5])).expect_err("too long").to_string();
        assert!(error.contains("behind"), "{error}");
    }

    #[test]
    fn what_is_not_numbers_is_refused_with_what_to_do() {
        let cases = [
            ("'|O'", "(2, 2)", "astype(float)"),
            ("'<c16'", "(2, 2)", "complex"),
            ("'<U3'", "(2, 2)", "holds text"),
            ("'|S3'", "(2, 2)", "bytes"),
            ("'<U0'", "(2, 2)", "`<U0`"),
            ("'<M8[ns]'", "(2, 2)", "dates"),
            ("'<f2'", "(2, 2)", "`<f2`"),
            ("[('a', '<f8')]", "(2,)", "structured"),
            ("'<f8'", "(2,)", "1 dimension, not 2"),
            ("'<f8'", "(2, 1, 1)", "3 dimensions"),
            ("'<f8'", "(0, 3)", "empty"),
            ("'<f8'", "(x, 3)", "header of the array is damaged"),
        ];
        for (descr, shape, says) in cases {
            let error = read(file(&header(descr, "True", shape), &[0; 16])).expect_err(descr).to_string();
            assert!(error.contains("`a.npy`") && error.contains(says), "{descr} {shape}: {error}");
        }
        let error = read(b"a,b\n1,2\n".to_vec()).expect_err("text").to_string();
        assert!(error.contains("np.save"), "{error}");
    }

    #[test]
    fn infinities_say_where_they_are() {
        let numbers = |x: [f64; 6]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let header = header("'<f8'", "False", "(3, 2)");
        let error = read(file(&header, &numbers([1.0, 0.0, f64::INFINITY, 1.0, 2.0, 5.0]))).expect_err("infinite");
        assert!(error.to_string().contains("row 2, column `f1`"), "{error}");
        let error = read(file(&header, &numbers([1.0, 0.0, 3.0, 1.0, 2.0, f64::INFINITY]))).expect_err("infinite");
        assert!(error.to_string().contains("row 3, column `f2`"), "{error}");
    }
}
