//! Weka's attribute-relation text: declared attributes, then dense or sparse rows.
//!
//! Numbers (`numeric`, `real`, `integer`), categories (`{a, b}`, however many) and text (`string`) are read. In a
//! sparse row an absent number is 0 and an absent category the first declared.

use super::column::{Categories, Column, Dictionary};
use super::lines::Lines;
use super::parts::{Found, Role, assemble, assign, check_dense};
use super::rows::shell;
use super::write::write_number;
use super::{Input, MISSING, ReadOptions, Table, Target, Task, number};
use crate::error::Place;
use crate::{Error, Progress, Result};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

pub(super) fn read_table(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let mut lines = Lines::open(input, options.expansion)?;
    let place = Place::file(lines.name());
    let attributes = header(&mut lines, &place, progress)?;
    let names: Vec<String> = attributes.iter().map(|a| a.name.clone()).collect();
    let roles = assign(&names, options, &place)?;
    let mut rows = Rows::new(&attributes, &roles, &options.missing, &place)?;
    while let Some(line) = lines.next(progress)? {
        let line = line.trim_ascii();
        if !line.is_empty() && line[0] != b'%' {
            rows.push(line)?;
        }
    }
    if rows.count == 0 {
        return Err(Error::data(place, "there is no row below `@data`", "add data"));
    }
    let columns = rows.finish();
    let declared: Vec<bool> = attributes.iter().map(|a| matches!(a.kind, Kind::Nominal { .. })).collect();
    let mut options = options.clone();
    // a nominal target is classes, even if its values look like numbers that would be taken as a number
    let numbers = |values: &[String]| values.iter().all(|v| number::whole(v.as_bytes()).is_some());
    let target = attributes.iter().find(|a| a.name == options.target).map(|a| &a.kind);
    if let (None, Some(Kind::Nominal { values, .. })) = (options.task, target)
        && numbers(values)
    {
        options.task = Some(Task::Classes);
    }
    assemble(Found { names, columns, declared, finite: true }, &options, &place)
}

/// A column as declared.
struct Attribute {
    name: String,
    kind: Kind,
}

enum Kind {
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
struct Field<'a> {
    text: Cow<'a, [u8]>,
    quoted: bool,
}

/// Reads the field at the start of `text`, up to one of `stops`, a comment or the end. Returns it with the number
/// of bytes it takes; an error is what is wrong.
fn field<'a>(text: &'a [u8], stops: &[u8]) -> Result<(Field<'a>, usize), &'static str> {
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
fn header(lines: &mut Lines, place: &Place, progress: &mut dyn Progress) -> Result<Vec<Attribute>> {
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
        b"numeric" | b"real" | b"integer" => Kind::Number,
        b"string" => Kind::Text,
        b"date" => Kind::Date,
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
fn nominal(mut list: &[u8], text: &dyn Fn(Field<'_>) -> Result<String>, wrong: &dyn Fn(&str) -> Error) -> Result<Kind> {
    let mut values: Vec<String> = Vec::new();
    let mut index = HashMap::new();
    loop {
        let (value, taken) = field(list, b",}").map_err(wrong)?;
        let closes = match list.get(taken) {
            Some(b'}') => true,
            Some(b',') => false,
            _ => return Err(wrong("a brace is not closed")),
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
            return Ok(Kind::Nominal { values, index });
        }
        list = &list[taken + 1..];
    }
}

/// The values of a column as they come.
enum Values {
    Numbers(Vec<f64>),
    /// Positions among the declared values.
    Codes(Vec<u32>),
    Words(Dictionary),
    Skip,
}

/// Rows being read.
struct Rows<'a> {
    attributes: &'a [Attribute],
    values: Vec<Values>,
    missing: &'a [String],
    place: &'a Place,
    count: usize,
}

impl<'a> Rows<'a> {
    fn new(attributes: &'a [Attribute], roles: &[Role], missing: &'a [String], place: &'a Place) -> Result<Self> {
        let mut values = Vec::with_capacity(attributes.len());
        for (attribute, role) in attributes.iter().zip(roles) {
            values.push(match (&attribute.kind, role) {
                (_, Role::Skip) => Values::Skip,
                (Kind::Number, _) => Values::Numbers(vec![]),
                (Kind::Nominal { .. }, _) => Values::Codes(vec![]),
                (Kind::Text, _) | (Kind::Date, Role::Id(_) | Role::Group) => Values::Words(Dictionary::default()),
                (Kind::Date, _) => {
                    let name = shell(&attribute.name);
                    let remedy = format!("pass `--drop {name}` to leave it out, or write the dates as numbers");
                    return Err(Error::data(place.clone().at_column(&attribute.name), "it holds dates", remedy));
                }
            });
        }
        Ok(Rows { attributes, values, missing, place, count: 0 })
    }

    /// Every column; those left out are empty.
    fn finish(self) -> Vec<Column> {
        let columns =
            self.attributes.iter().zip(self.values).map(|(attribute, values)| match (values, &attribute.kind) {
                (Values::Numbers(numbers), _) => numbers.into(),
                (Values::Codes(codes), Kind::Nominal { values, .. }) => {
                    Categories::of(codes.iter().map(|&code| values.get(code as usize))).into()
                }
                (Values::Words(words), _) => words.into_categories().into(),
                _ => Column::Numbers(vec![]),
            });
        columns.collect()
    }

    /// One row, trimmed and not empty.
    fn push(&mut self, line: &[u8]) -> Result<()> {
        self.count += 1;
        if line[0] == b'{' { self.sparse(line) } else { self.dense(line) }
    }

    fn dense(&mut self, line: &[u8]) -> Result<()> {
        let width = self.values.len();
        let mut at = 0;
        for column in 0..width {
            let rest = &line[at..];
            match (&mut self.values[column], number::leading(rest, b',')) {
                (Values::Numbers(numbers), Some((x, taken))) if x.is_finite() => {
                    numbers.push(x);
                    at += taken;
                }
                _ => {
                    let (field, taken) = field(rest, b",").map_err(|problem| self.wrong(problem))?;
                    self.cell(column, &field)?;
                    at += taken;
                }
            }
            match line.get(at) {
                Some(b',') if column + 1 < width => at += 1,
                Some(b',') if line[at + 1..].trim_ascii_start().starts_with(b"{") => return Err(self.weighted()),
                Some(b',') => return Err(self.wrong(&format!("the row has more than {width} values"))),
                _ if column + 1 < width => {
                    return Err(self.wrong(&format!("the row has {} values for {width} attributes", column + 1)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn sparse(&mut self, line: &[u8]) -> Result<()> {
        check_dense(self.count, self.values.len(), self.place)?;
        let mut next = 0;
        let mut at = 1;
        loop {
            at += line[at..].iter().take_while(|c| c.is_ascii_whitespace()).count();
            if line.get(at) == Some(&b'}') {
                break;
            }
            let digits = line[at..].iter().take_while(|c| c.is_ascii_digit()).count();
            let index = std::str::from_utf8(&line[at..at + digits]).ok().and_then(|text| text.parse::<usize>().ok());
            at += digits;
            let Some(index) = index.filter(|_| line.get(at).is_some_and(u8::is_ascii_whitespace)) else {
                return Err(self.wrong("a sparse row needs `{index value, index value}`"));
            };
            if index >= self.values.len() {
                let count = self.values.len();
                return Err(self.wrong(&format!("there is no attribute {index}: the {count} are counted from 0")));
            }
            if index < next {
                return Err(self.wrong(&format!("the index {index} does not ascend")));
            }
            for column in next..index {
                self.absent(column)?;
            }
            let (field, taken) = field(&line[at..], b",}").map_err(|problem| self.wrong(problem))?;
            self.cell(index, &field)?;
            next = index + 1;
            at += taken;
            match line.get(at) {
                Some(b',') => at += 1,
                Some(b'}') => {}
                _ => return Err(self.wrong("a brace is not closed")),
            }
        }
        match line[at + 1..].trim_ascii_start() {
            [] | [b'%', ..] => {}
            [b',', ..] => return Err(self.weighted()),
            _ => return Err(self.wrong("there is text behind the closing brace")),
        }
        for column in next..self.values.len() {
            self.absent(column)?;
        }
        Ok(())
    }

    /// What a sparse row leaves out.
    fn absent(&mut self, column: usize) -> Result<()> {
        match &mut self.values[column] {
            Values::Numbers(numbers) => numbers.push(0.0),
            Values::Codes(codes) => codes.push(0),
            Values::Skip => {}
            Values::Words(_) => {
                let place = self.place.clone().at_row(self.count as u64).at_column(&self.attributes[column].name);
                let remedy = "write it, or `?` if it is missing";
                return Err(Error::data(place, "a sparse row leaves out a text, which has no zero", remedy));
            }
        }
        Ok(())
    }

    fn cell(&mut self, column: usize, field: &Field<'_>) -> Result<()> {
        let attribute = &self.attributes[column];
        let place = || self.place.clone().at_row(self.count as u64).at_column(&attribute.name);
        let text = || {
            std::str::from_utf8(&field.text)
                .map_err(|_| Error::data(place(), "the value is not UTF-8 text", "save the file as UTF-8"))
        };
        let asked_for =
            !field.quoted && (*field.text == *b"?" || self.missing.iter().any(|m| *m.as_bytes() == *field.text));
        let missing = !field.quoted && number::is_missing(&field.text, self.missing);
        match (&mut self.values[column], &attribute.kind) {
            (Values::Numbers(numbers), _) => {
                let x = if missing { Some(f64::NAN) } else { number::whole(&field.text) };
                let remedy = |text| format!("replace it by a number, or pass `--missing {text}` to take it as missing");
                match x {
                    Some(x) if !x.is_infinite() => numbers.push(x),
                    Some(_) => {
                        let text = text()?;
                        return Err(Error::data(place(), format!("`{text}` is infinite"), remedy(shell(text))));
                    }
                    None => {
                        let text = text()?;
                        return Err(Error::data(place(), format!("`{text}` is not a number"), remedy(shell(text))));
                    }
                }
            }
            (Values::Codes(codes), Kind::Nominal { index, .. }) => {
                // a declared `NA` is a value, an undeclared one is missing
                let code = if asked_for { None } else { index.get(text()?) };
                match code {
                    Some(code) => codes.push(*code),
                    None if missing => codes.push(MISSING),
                    None => {
                        let text = text()?;
                        let remedy = format!("declare it in `@attribute`, or pass `--missing {}`", shell(text));
                        return Err(Error::data(place(), format!("the value `{text}` is not declared"), remedy));
                    }
                }
            }
            (Values::Words(words), _) => {
                let text = text()?;
                words.push((!missing).then_some(text));
            }
            _ => {}
        }
        Ok(())
    }

    fn weighted(&self) -> Error {
        let remedy = "take the `{…}` off the end of the rows and make it a column for `--weight`";
        Error::data(self.place.clone().at_row(self.count as u64), "the row has a weight, which is not read", remedy)
    }

    fn wrong(&self, problem: &str) -> Error {
        Error::data(self.place.clone().at_row(self.count as u64), problem, "correct the row")
    }
}

/// A text, quoted where it must be.
fn quote(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "_-.+:/".contains(c);
    if text.chars().all(plain) && !number::is_missing(text.as_bytes(), &[]) {
        return text.into();
    }
    let mut quoted = String::from("'");
    for c in text.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\'' | '"' | '\\' | '%' => quoted.extend(['\\', c]),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted.into()
}

/// Writes the value of a row.
type WriteValue<'a> = Box<dyn Fn(usize, &mut dyn Write) -> io::Result<()> + 'a>;

/// A column to be written.
struct Written<'a> {
    name: &'a str,
    kind: String,
    value: WriteValue<'a>,
}

fn numbers<'a>(name: &'a str, values: &'a [f64]) -> Written<'a> {
    let value = |row: usize, out: &mut dyn Write| match values[row] {
        x if x.is_nan() => out.write_all(b"?"),
        x => write_number(out, x),
    };
    Written { name, kind: "numeric".into(), value: Box::new(value) }
}

fn categories<'a>(name: &'a str, labels: &'a [String], codes: &'a [u32]) -> Written<'a> {
    let quoted: Vec<Cow<'a, str>> = labels.iter().map(|label| quote(label)).collect();
    let kind = format!("{{{}}}", quoted.join(","));
    let value = move |row: usize, out: &mut dyn Write| {
        out.write_all(quoted.get(codes[row] as usize).map_or(b"?", |text| text.as_bytes()))
    };
    Written { name, kind, value: Box::new(value) }
}

/// Writes numbers as `numeric`, categories and classes as lists, what identifies rows as `string`.
pub(super) fn write(table: &Table, kept: &[u32], out: &mut dyn Write) -> io::Result<()> {
    let mut columns: Vec<Written<'_>> = Vec::new();
    for id in table.ids() {
        let value = |row: usize, out: &mut dyn Write| out.write_all(quote(&id.values[row]).as_bytes());
        // row names without a header have no name, but an attribute must
        let name = if id.name.is_empty() { "row" } else { &id.name };
        columns.push(Written { name, kind: "string".into(), value: Box::new(value) });
    }
    columns.extend(table.weights.iter().map(|(name, weights)| numbers(name, weights)));
    columns.extend(table.groups.iter().map(|(name, groups)| categories(name, &groups.labels, &groups.codes)));
    for &feature in kept {
        let name = &table.names()[feature as usize];
        columns.push(match &table.columns()[feature as usize] {
            Column::Numbers(values) => numbers(name, values),
            Column::Categories(c) => categories(name, &c.labels, &c.codes),
        });
    }
    columns.push(match table.target() {
        Target::Real { values } => numbers(table.target_name(), values),
        Target::Classes { labels, codes, .. } => categories(table.target_name(), labels, codes),
    });
    out.write_all(b"@relation tamis\n\n")?;
    for column in &columns {
        writeln!(out, "@attribute {} {}", quote(column.name), column.kind)?;
    }
    out.write_all(b"\n@data\n")?;
    for row in 0..table.n_rows() {
        for (i, column) in columns.iter().enumerate() {
            if i > 0 {
                out.write_all(b",")?;
            }
            (column.value)(row, out)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    fn read_with(text: &str, options: &ReadOptions) -> Result<Table> {
        let input = Input::from_reader(io::Cursor::new(text.as_bytes().to_vec()), "a.arff");
        read_table(input, options, &mut Silent)
    }

    fn read(text: &str) -> Result<Table> {
        read_with(text, &ReadOptions::target("class"))
    }

    const HEAD: &str = "% about\n@RELATION 'a relation'\n\n@Attribute 'the \\'x\\'' REAL\n@attribute y integer [0,9] \n\
                        @attribute\tcolour {red, 'deep blue',\"it's\", NA}\n@attribute class {no,yes}\n@DATA\n";

    fn texts(column: &Column) -> Vec<String> {
        (0..column.len()).map(|row| column.text(row)).collect()
    }

    #[test]
    fn dense_and_sparse_rows() {
        let rows = "1.5, 2,red,no\n% between\n?,-1e3,'deep blue',yes % behind\n\n{1 7, 3 yes}\n{}\n{ 2 'it\\'s' }\n\
                    0,0,NA,?\n-0,0,?,yes\n";
        let table = read(&format!("{HEAD}{rows}")).expect("reads");
        assert_eq!(**table.names(), ["the 'x'", "y", "colour"]);
        assert_eq!(texts(&table.columns()[0]), ["1.5", "", "0", "0", "0", "0", "-0"]);
        assert_eq!(texts(&table.columns()[1]), ["2", "-1000", "7", "0", "0", "0", "0"]);
        assert_eq!(texts(&table.columns()[2]), ["red", "deep blue", "red", "red", "it's", "NA", ""]);
        let classes: Vec<String> = (0..7).map(|row| table.target().text(row)).collect();
        assert_eq!(classes, ["no", "yes", "yes", "no", "no", "", "yes"]);
    }

    #[test]
    fn every_fault_says_where_it_is() {
        let cases = [
            ("x,1,red,no", "row 2, column `the 'x'`: `x` is not a number"),
            ("1,inf,red,no", "row 2, column `y`: `inf` is infinite"),
            ("1,1,green,no", "row 2, column `colour`: the value `green` is not declared"),
            ("1,1,red", "row 2: the row has 3 values for 4 attributes"),
            ("1,1,red,no,1", "row 2: the row has more than 4 values"),
            ("1,1,red,no, {5}", "row 2: the row has a weight"),
            ("{1 1}, {5}", "row 2: the row has a weight"),
            ("{1 1} x", "row 2: there is text behind"),
            ("{4 1}", "row 2: there is no attribute 4"),
            ("{1 1, 1 2}", "row 2: the index 1 does not ascend"),
            ("{x 1}", "row 2: a sparse row needs"),
            ("{1}", "row 2: a sparse row needs"),
            ("{1 1", "row 2: a brace is not closed"),
            ("1,1,'red,no", "row 2: a quote is not closed"),
            ("1,1,'red'x,no", "row 2: there is text behind a closing quote"),
        ];
        for (row, says) in cases {
            let error = read(&format!("{HEAD}1,1,red,no\n{row}\n")).expect_err(row).to_string().replace("\\'", "'");
            assert!(error.starts_with("`a.arff`, ") && error.contains(says), "{row}: {error}");
        }
        let heads = [
            ("@attribute x\n", "line 1: an attribute needs a name and a type"),
            ("\n@attribute x {a,b\n", "line 2: a brace is not closed"),
            ("@attribute 'x numeric\n", "line 1: a quote is not closed"),
            ("@attribute x {a,a}\n", "line 1: the value `a` is declared twice"),
            ("@attribute x relational\n", "line 1: attribute `x` has the type `relational`"),
            ("a,b\n1,2\n", "line 1: `a,b` is no declaration"),
            ("@data\n", "no `@attribute`"),
            ("@attribute x real\n", "no `@data`"),
            ("@attribute class real\n@data\n", "no row below"),
        ];
        for (text, says) in heads {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains("`a.arff`") && error.contains(says), "{text}: {error}");
        }
        let error = read_with(&format!("{HEAD}1,1,red,no\n"), &ReadOptions::target("")).expect_err("no target");
        assert!(error.to_string().contains("say which column to explain with `--target`"), "{error}");
    }

    #[test]
    fn dates_are_refused_unless_left_out() {
        let text = "@attribute when date 'yyyy-MM-dd'\n@attribute x real\n@attribute class {a,b}\n@data\n\
                    '2001-01-01',1,a\n?,2,b\n'2003-01-01',3,a\n'2004-01-01',4,b\n";
        let error = read(text).expect_err("dates").to_string();
        assert!(error.contains("column `when`") && error.contains("--drop when"), "{error}");
        let mut options = ReadOptions::target("class");
        options.drop.push("when".into());
        assert_eq!(**read_with(text, &options).expect("reads").names(), ["x"]);
    }

    #[test]
    fn declared_categories_may_be_many_but_text_may_not() {
        let values: Vec<String> = (0..100).map(|i| format!("v{i}")).collect();
        let rows: String = values.iter().enumerate().map(|(i, v)| format!("{v},{}\n", i % 2)).collect();
        let table = |kind: &str| read(&format!("@attribute x {kind}\n@attribute class {{0,1}}\n@data\n{rows}"));
        let many = table(&format!("{{{}}}", values.join(","))).expect("reads");
        let Column::Categories(c) = &many.columns()[0] else { panic!("categories") };
        assert_eq!(c.labels.len(), 100);
        let error = table("string").expect_err("text").to_string();
        assert!(error.contains("column `x`") && error.contains("more than 64"), "{error}");
    }

    #[test]
    fn a_nominal_target_is_classes_even_if_it_looks_like_a_number() {
        let text =
            "@attribute x real\n@attribute class {1.5,2.5,3.5}\n@data\n1,1.5\n2,2.5\n3,3.5\n4,1.5\n5,2.5\n6,3.5\n";
        assert_eq!(read(text).expect("reads").target().n_classes(), Some(3));
    }
}
