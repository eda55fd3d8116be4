//! The line of column names of delimited text.

use crate::base::error::Place;
use crate::base::remedies::SAVE_AS_UTF8;
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::table::read::converted::geo::is_series_matrix;
use crate::table::read::number;
use crate::table::read::record::Record;
use crate::table::read::records::Records;

/// The columns' names, from the first line that is not blank.
pub(super) fn header(records: &mut Records, place: &Place, progress: &mut dyn Progress) -> Result<Vec<String>> {
    let empty = || Error::data(place.clone(), "the file is empty", "it needs a line of column names and rows below");
    let header = loop {
        let record = records.next(progress)?.ok_or_else(empty)?;
        if !record.bytes.trim_ascii().is_empty() {
            break record;
        }
    };
    if is_series_matrix(header.bytes) {
        let remedy = text!["pass ", OptionName::Format.set("geo")];
        return Err(Error::data(place.clone(), "it looks like a series matrix of GEO", remedy));
    }
    if header.bytes.contains(&b'\r') && !header.quoted {
        let problem = "its lines end with a lone carriage return";
        return Err(Error::data(place.clone(), problem, "save it with Unix or Windows line ends"));
    }
    let (line, quoted) = (header.bytes.to_vec(), header.quoted);
    let columns = memchr::memchr_iter(records.delimiter, &line).count() + 1;
    records.keep(columns, line.len())?;
    let header = Record::new(&line, quoted, records.delimiter);
    let mut names = Vec::new();
    for (i, field) in header.fields().enumerate() {
        names.push(String::from_utf8(field.into_owned()).map_err(|_| {
            let problem = format!("the name of column {} is not UTF-8 text", i + 1);
            Error::data(place.clone(), problem, SAVE_AS_UTF8)
        })?);
    }
    let numbers: Vec<f64> = names.iter().filter_map(|n| number::whole(n.as_bytes())).collect();
    if numbers.len() == names.len() && numbers.iter().any(|x| x.is_nan() || x.fract() != 0.0) {
        return Err(Error::data(
            place.clone(),
            "the first line holds numbers, not column names",
            "add a line with the columns' names at the top",
        ));
    }
    Ok(names)
}
