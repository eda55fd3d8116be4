//! The declarations of a file, and the fields its lines are made of.

use crate::base::error::Place;
use crate::base::{Error, Progress, Result};
use crate::table::read::lines::Lines;
use std::borrow::Cow;
use std::collections::HashMap;

/// What is wrong with a list that has no end.
pub(super) const OPEN_BRACE: &str = "a brace is not closed";

/// A column as declared.
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) kind: AttributeKind,
}

pub(crate) enum AttributeKind {
    Number,
    /// Categories: the values as declared, and where each is.
    Nominal {
        values: Vec<String>,
        index: HashMap<String, u32>,
    },
    Text,
    /// Text that stands for a moment; it can name rows, but is no feature.
    Date,
}

/// A value as it stands in a line.
pub(crate) struct Field<'a> {
    pub(crate) text: Cow<'a, [u8]>,
    pub(crate) quoted: bool,
}

/// Reads the field at the start of `text`, up to one of `stops`, a comment or the end. Returns it with the number
/// of bytes it takes; the error describes the problem.
pub(crate) fn field<'a>(text: &'a [u8], stops: &[u8]) -> Result<(Field<'a>, usize), &'static str> {
    let blank = |c: &u8| c.is_ascii_whitespace();
    let start = text.iter().position(|c| !blank(c)).unwrap_or(text.len());
    let stop = |c: &u8| stops.contains(c) || *c == b'%';
    let Some(&quote) = text.get(start).filter(|c| matches!(c, b'\'' | b'"')) else {
        let end = text[start..].iter().position(stop).map_or(text.len(), |n| start + n);
        return Ok((Field { text: Cow::Borrowed(text[start..end].trim_ascii()), quoted: false }, end));
    };
    let mut body = Vec::new();
    let mut at = start + 1;
    loop {
        match text.get(at) {
            None => return Err("a quote is not closed"),
            Some(c) if *c == quote => break,
            Some(b'\\') => {
                at += 1;
                match text.get(at) {
                    None => return Err("a quote is not closed"),
                    Some(b'n') => body.push(b'\n'),
                    Some(b'r') => body.push(b'\r'),
                    Some(b't') => body.push(b'\t'),
                    Some(c) => body.push(*c),
                }
            }
            Some(c) => body.push(*c),
        }
        at += 1;
    }
    at += 1;
    at += text[at..].iter().position(|c| !blank(c)).unwrap_or(text.len() - at);
    match text.get(at) {
        Some(c) if !stop(c) => Err("there is text behind a closing quote"),
        _ => Ok((Field { text: Cow::Owned(body), quoted: true }, at)),
    }
}

/// The attributes, up to `@data`.
pub(crate) fn header(lines: &mut Lines, place: &Place, progress: &mut dyn Progress) -> Result<Vec<Attribute>> {
    let mut attributes = Vec::new();
    let mut number = 0_u64;
    while let Some(line) = lines.next(progress)? {
        number += 1;
        let line = line.trim_ascii();
        if line.is_empty() || line[0] == b'%' {
            continue;
        }
        let length = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (keyword, rest) = line.split_at(length);
        let wrong = |problem: &str| {
            let remedy = "write `@attribute name numeric`, or `@attribute name {one, two}`";
            Error::data(place.clone(), format!("line {number}: {problem}"), remedy)
        };
        match keyword.to_ascii_lowercase().as_slice() {
            b"@relation" => {}
            b"@attribute" => attributes.push(attribute(rest, &wrong)?),
            b"@data" if attributes.is_empty() => return Err(wrong("there is no `@attribute` above `@data`")),
            b"@data" => return Ok(attributes),
            _ => {
                let text: String = String::from_utf8_lossy(line).chars().take(40).collect();
                return Err(wrong(&format!("`{text}` is no declaration")));
            }
        }
    }
    Err(Error::data(place.clone(), "there is no `@data`", "declare the attributes, then `@data`, then the rows"))
}

/// One declaration, behind its keyword.
fn attribute(rest: &[u8], wrong: &dyn Fn(&str) -> Error) -> Result<Attribute> {
    let text = |field: Field<'_>| {
        String::from_utf8(field.text.into_owned()).map_err(|_| wrong("the declaration is not UTF-8 text"))
    };
    let rest = rest.trim_ascii_start();
    let quoted = rest.first().is_some_and(|c| matches!(c, b'\'' | b'"'));
    let (name, at) = if quoted {
        // only the quoted text: what follows begins the type
        let close = closing(rest).ok_or_else(|| wrong("a quote is not closed"))?;
        (text(field(&rest[..=close], b"").map_err(wrong)?.0)?, close + 1)
    } else {
        let end = rest.iter().position(|c| c.is_ascii_whitespace() || *c == b'{').unwrap_or(rest.len());
        (text(Field { text: rest[..end].into(), quoted: false })?, end)
    };
    let kind = rest[at..].trim_ascii();
    if name.is_empty() || kind.is_empty() {
        return Err(wrong("an attribute needs a name and a type"));
    }
    if let Some(list) = kind.strip_prefix(b"{") {
        return Ok(Attribute { name, kind: nominal(list, &text, wrong)? });
    }
    let word = kind.split(|c| c.is_ascii_whitespace() || *c == b'%').next().unwrap_or_default().to_ascii_lowercase();
    let kind = match word.as_slice() {
        b"numeric" | b"real" | b"integer" => AttributeKind::Number,
        b"string" => AttributeKind::Text,
        b"date" => AttributeKind::Date,
        other => {
            let other: String = String::from_utf8_lossy(other).chars().take(40).collect();
            return Err(wrong(&format!("attribute `{name}` has the type `{other}`, which is not read")));
        }
    };
    Ok(Attribute { name, kind })
}

/// Where the quote that begins `text` is closed.
fn closing(text: &[u8]) -> Option<usize> {
    let quote = text.first()?;
    let mut at = 1;
    while text.get(at)? != quote {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    Some(at)
}

/// The values of a list, behind its opening brace.
fn nominal(
    mut list: &[u8],
    text: &dyn Fn(Field<'_>) -> Result<String>,
    wrong: &dyn Fn(&str) -> Error,
) -> Result<AttributeKind> {
    let mut values: Vec<String> = Vec::new();
    let mut index = HashMap::new();
    loop {
        let (value, taken) = field(list, b",}").map_err(wrong)?;
        let closes = match list.get(taken) {
            Some(b'}') => true,
            Some(b',') => false,
            _ => return Err(wrong(OPEN_BRACE)),
        };
        let value = (value.quoted, text(value)?);
        match value {
            (false, empty) if empty.is_empty() && closes && values.is_empty() => {}
            (_, value) => {
                if index.insert(value.clone(), values.len() as u32).is_some() {
                    return Err(wrong(&format!("the value `{value}` is declared twice")));
                }
                values.push(value);
            }
        }
        if closes {
            return Ok(AttributeKind::Nominal { values, index });
        }
        list = &list[taken + 1..];
    }
}
