//! The numbers or texts of an array, by column.

use crate::base::error::Place;
use crate::base::{Error, Result, Text};
use crate::table::column::all_finite;
use crate::table::read::npy::header::{ArrayHeader, ElementType, MAGIC, PythonParser, SAVE_AS_NUMBERS, kind};
use crate::table::read::open::read_failed;
use crate::table::read::zip::MemberContent;
use std::io::Read;

/// Bytes that are turned into numbers at a time: few enough to stay in the cache.
const BLOCK: usize = 1 << 18;
/// A longer header than this describes no array of numbers.
const LONGEST_HEADER: usize = 1 << 16;

/// Bytes of an array, from a file or from a member of an archive.
pub(crate) struct ArrayBytes<'a> {
    /// Fills a buffer as far as it goes; fewer bytes mean the end.
    pub(crate) fill: &'a mut dyn FnMut(&mut [u8]) -> Result<usize>,
    /// How many bytes there are, where that is certain.
    pub(crate) available: Option<u64>,
    pub(crate) place: &'a Place,
}

/// The content of an array.
pub(crate) enum Array {
    /// Numbers by column, of an array with so many dimensions, and whether none is infinite.
    Numbers { columns: Vec<Vec<f64>>, dimensions: usize, finite: bool },
    /// One text per row.
    Texts(Vec<String>),
}

impl Array {
    /// The columns of a two-dimensional array of numbers, and whether none is infinite.
    pub(crate) fn matrix(self, what: &str, place: &Place) -> Result<(Vec<Vec<f64>>, bool)> {
        match self {
            Array::Numbers { columns, dimensions: 2, finite } => Ok((columns, finite)),
            Array::Numbers { dimensions, .. } => {
                let problem = format!("{what} has {dimensions} dimension, not 2");
                Err(Error::data(place.clone(), problem, "save an array of rows by features (`x.reshape(-1, 1)`)"))
            }
            Array::Texts(_) => {
                let problem = format!("{what} holds text");
                Err(Error::data(place.clone(), problem, SAVE_AS_NUMBERS))
            }
        }
    }
}

/// Reads the array that a member of an archive holds; `what` names it in messages.
pub(crate) fn array_of_member(mut content: MemberContent<'_>, what: &str, place: &Place) -> Result<Array> {
    let available = content.available();
    let file = place.file.clone().unwrap_or_default();
    let mut fill = |buffer: &mut [u8]| {
        let mut filled = 0;
        while filled < buffer.len() {
            match content.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) => return Err(read_failed(file.clone(), e)),
            }
        }
        Ok(filled)
    };
    ArrayBytes { fill: &mut fill, available, place }.array(what)
}

impl ArrayBytes<'_> {
    /// Reads a whole array; `what` names it in messages.
    pub(crate) fn array(&mut self, what: &str) -> Result<Array> {
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
        let array = match decoder(kind) {
            Some(decode) => {
                let shape = (rows, width);
                let numbers = if header.fortran || width == 1 {
                    self.by_column(shape, kind, decode)?
                } else {
                    self.by_row(shape, kind, decode)?
                };
                let (columns, finite) = numbers.ok_or_else(|| self.short(what, &header))?;
                Array::Numbers { columns, dimensions, finite }
            }
            None if width > 1 => return Err(self.refuse(format!("{what} holds text"), "save it as numbers")),
            None => Array::Texts(self.texts(what, &header, rows, kind)?),
        };
        if (self.fill)(&mut [0])? > 0 {
            return Err(self.refuse(format!("there are bytes behind {what}"), "save one array per file"));
        }
        Ok(array)
    }

    /// Numbers stored column after column, and whether none is infinite; `None` if there are too few.
    fn by_column(
        &mut self,
        (rows, width): (usize, usize),
        kind: ElementType,
        decode: Decode,
    ) -> Result<Option<Numbers>> {
        let as_stored = kind.letter == b'f' && kind.size == 8 && kind.big_endian == cfg!(target_endian = "big");
        let mut buffer = Vec::new();
        let mut columns = Vec::new();
        let mut finite = true;
        for _ in 0..width {
            let mut column = vec![0.0; self.certain(rows)];
            let mut done = 0;
            while done < rows {
                let to = rows.min(done + BLOCK / kind.size);
                if column.len() < to {
                    column.resize(to, 0.0);
                }
                let block = &mut column[done..to];
                if as_stored {
                    let bytes = bytemuck::cast_slice_mut(block);
                    if (self.fill)(bytes)? < bytes.len() {
                        return Ok(None);
                    }
                } else {
                    if !self.take(block.len() * kind.size, &mut buffer)? {
                        return Ok(None);
                    }
                    decode(&buffer, kind.size, block);
                }
                finite &= all_finite(block);
                done = to;
            }
            columns.push(column);
        }
        Ok(Some((columns, finite)))
    }

    /// Reads numbers stored row after row.
    fn by_row(&mut self, (rows, width): (usize, usize), kind: ElementType, decode: Decode) -> Result<Option<Numbers>> {
        let mut buffer = Vec::new();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut finite = true;
        let mut done = 0;
        while done < rows {
            let to = rows.min(done + (BLOCK / kind.size / width).max(1));
            if !self.take((to - done) * width * kind.size, &mut buffer)? {
                return Ok(None);
            }
            if columns.is_empty() {
                columns = (0..width).map(|_| vec![0.0; self.certain(rows)]).collect(); // a row of them has come
            }
            for (c, column) in columns.iter_mut().enumerate() {
                if column.len() < to {
                    column.resize(to, 0.0);
                }
                decode(&buffer[c * kind.size..], width * kind.size, &mut column[done..to]);
                finite &= all_finite(&column[done..to]);
            }
            done = to;
        }
        Ok(Some((columns, finite)))
    }

    /// Texts of code points of 32 bits, filled up with zeros.
    fn texts(&mut self, what: &str, header: &ArrayHeader, rows: usize, kind: ElementType) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        let mut bytes = Vec::new();
        for row in 0..rows {
            if !self.take(kind.size, &mut bytes)? {
                return Err(self.short(what, header));
            }
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

    /// Puts so many bytes into `bytes`; false if there are fewer. Memory doubles as bytes come, whatever is asked
    /// for.
    fn take(&mut self, want: usize, bytes: &mut Vec<u8>) -> Result<bool> {
        bytes.truncate(want);
        let mut from = 0;
        while from < want {
            let to = want.min(bytes.len().max(from + from.max(BLOCK)));
            bytes.resize(to, 0);
            if (self.fill)(&mut bytes[from..])? < to - from {
                return Ok(false);
            }
            from = to;
        }
        Ok(true)
    }

    fn header(&mut self, what: &str) -> Result<ArrayHeader> {
        let foreign = |s: &Self| s.refuse(format!("{what} is not in NumPy's format"), "save it with `np.save`");
        let mut bytes = Vec::new();
        if !self.take(8, &mut bytes)? || !bytes.starts_with(MAGIC) {
            return Err(foreign(self));
        }
        let length_bytes = match bytes[6] {
            1 => 2,
            2 | 3 => 4,
            version => {
                let problem = format!("{what} is in version {version} of NumPy's format, which is not known");
                return Err(self.refuse(problem, "save it with `np.save`"));
            }
        };
        let mut length = [0; 4];
        let mut text = Vec::new();
        let whole = (self.fill)(&mut length[..length_bytes])? == length_bytes;
        let length = u32::from_le_bytes(length) as usize;
        if !whole || length > LONGEST_HEADER || !self.take(length, &mut text)? {
            return Err(foreign(self));
        }
        let mut python = PythonParser::new(&text);
        match python.header() {
            Some(header) => Ok(header),
            None if python.structured() => Err(self.refuse(
                format!("{what} is structured: its rows are records, not numbers"),
                "save a plain array (`numpy.lib.recfunctions.structured_to_unstructured`)",
            )),
            None => Err(self.refuse(format!("the header of {what} is damaged"), "save it again with `np.save`")),
        }
    }

    fn short(&self, what: &str, header: &ArrayHeader) -> Error {
        let shape: Vec<String> = header.shape.iter().map(usize::to_string).collect();
        let problem = format!("{what} ends before the {} elements that its header declares", shape.join(" × "));
        self.refuse(problem, "copy or save the file again")
    }

    fn refuse(&self, problem: impl Into<Text>, remedy: &str) -> Error {
        Error::data(self.place.clone(), problem, remedy)
    }
}

/// Columns, and whether no number of theirs is infinite.
type Numbers = (Vec<Vec<f64>>, bool);

/// Turns elements that begin so many bytes apart into numbers.
type Decode = fn(&[u8], usize, &mut [f64]);

/// How numbers of a kind are read; `None` for text.
fn decoder(kind: ElementType) -> Option<Decode> {
    fn each<const N: usize>(bytes: &[u8], step: usize, out: &mut [f64], number: impl Fn([u8; N]) -> f64) {
        for (out, element) in out.iter_mut().zip(bytes.chunks(step)) {
            *out = number(array(element));
        }
    }
    macro_rules! read {
        ($t:ty) => {
            if kind.big_endian {
                |bytes, step, out| each(bytes, step, out, |b| <$t>::from_be_bytes(b) as f64)
            } else {
                |bytes, step, out| each(bytes, step, out, |b| <$t>::from_le_bytes(b) as f64)
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
        (b'b', 1) => |bytes, step, out| each(bytes, step, out, |b: [u8; 1]| f64::from(u8::from(b != [0]))),
        _ => return None,
    })
}

/// The first bytes; zeros where there are too few, which no caller lets happen.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}
