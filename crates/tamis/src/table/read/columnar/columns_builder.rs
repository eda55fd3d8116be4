//! Batches of typed rows, gathered into columns of numbers and categories.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, text};
use crate::table::column::{Column, Dictionary, all_finite};
use crate::table::read::column_roles::TypedColumns;
use crate::table::read::number;
use crate::table::read::open::{ExpansionLimit, raise_limit};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray, RecordBatch};
use arrow_schema::{DataType, Fields};

/// The kind that a column is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadAs {
    /// Numbers or categories, by its type.
    Value,
    /// Text, whatever its type: integers beyond 2⁵³ that name rows must keep all their digits.
    Words,
    Skip,
}

/// Columns that grow by batches.
pub(crate) struct ColumnsBuilder {
    place: Place,
    columns: Vec<ColumnBuilder>,
    /// The positions in the file of the columns that are read.
    pub(crate) wanted: Vec<usize>,
    pub(crate) rows: u64,
    limit: ExpansionLimit,
    /// Whether no number was infinite so far.
    pub(crate) finite: bool,
}

struct ColumnBuilder {
    name: String,
    kind: ReadAs,
    values: BuilderValues,
}

enum BuilderValues {
    Numbers(Vec<f64>),
    Text(Dictionary),
}

impl ColumnsBuilder {
    /// Refuses a wanted column that is neither numeric nor text.
    pub(crate) fn new(
        fields: &Fields,
        kinds: &[ReadAs],
        limit: ExpansionLimit,
        place: &Place,
    ) -> Result<ColumnsBuilder> {
        let mut builder =
            ColumnsBuilder { place: place.clone(), columns: vec![], wanted: vec![], rows: 0, limit, finite: true };
        for (at, (field, &kind)) in fields.iter().zip(kinds).enumerate().filter(|(_, (_, kind))| **kind != ReadAs::Skip)
        {
            let name = field.name().clone();
            let values = match (kind, shape(field.data_type())) {
                (_, None) => {
                    let problem =
                        format!("it holds {}, which is neither a number nor text", describe(field.data_type()));
                    let remedy =
                        text!["pass ", OptionName::Drop.set(&name), " to leave it out, or convert it to numbers"];
                    return Err(Error::data(place.clone().at_column(name), problem, remedy));
                }
                (ReadAs::Words, Some(ValueKind::Integer)) | (_, Some(ValueKind::Text)) => {
                    BuilderValues::Text(Dictionary::default())
                }
                _ => BuilderValues::Numbers(vec![]),
            };
            builder.wanted.push(at);
            builder.columns.push(ColumnBuilder { name, kind, values });
        }
        Ok(builder)
    }

    /// Refuses a file of `bytes` that claims so many rows that it is more likely to be an attack than a table.
    pub(crate) fn check_size(&self, rows: u64, bytes: u64) -> Result<()> {
        let size = rows.saturating_mul(8).saturating_mul(self.columns.len() as u64);
        let allowed = self.limit.bytes.saturating_add(self.limit.ratio.saturating_mul(bytes));
        if size <= allowed {
            return Ok(());
        }
        let reason = raise_limit(format!("its {bytes} bytes expand to more than {allowed} bytes"));
        Err(Error::read(self.place.file.clone().unwrap_or_default(), reason))
    }

    /// One more batch of all the wanted columns; the file had `bytes` so far.
    pub(crate) fn push(&mut self, batch: &RecordBatch, bytes: u64) -> Result<()> {
        let rows = self.rows + batch.num_rows() as u64;
        self.check_size(rows, bytes)?;
        let all: Vec<usize> = (0..self.columns.len()).collect();
        self.push_some(&all, batch)?;
        self.finish_rows(rows)
    }

    /// More of some of the wanted columns, by their positions among those.
    pub(crate) fn push_some(&mut self, at: &[usize], batch: &RecordBatch) -> Result<()> {
        for (&at, array) in at.iter().zip(batch.columns()) {
            let column = &mut self.columns[at];
            let start = column.len();
            if column.push(array.as_ref()).is_none() {
                let place = self.place.clone().at_column(&column.name);
                let problem = format!("its type changes to {} on the way", describe(array.data_type()));
                return Err(Error::data(place, problem, "the file is damaged: write it again"));
            }
            if let BuilderValues::Numbers(values) = &column.values {
                self.finite &= all_finite(&values[start..]);
            }
        }
        Ok(())
    }

    /// The numbers of a wanted column, to be added to.
    pub(crate) fn numbers(&mut self, at: usize) -> Option<&mut Vec<f64>> {
        match &mut self.columns[at].values {
            BuilderValues::Numbers(values) => Some(values),
            BuilderValues::Text(_) => None,
        }
    }

    /// Says that all columns have so many rows now, and refuses one that has not.
    pub(crate) fn finish_rows(&mut self, rows: u64) -> Result<()> {
        if let Some(column) = self.columns.iter().find(|column| column.len() as u64 != rows) {
            let place = self.place.clone().at_column(&column.name);
            let problem = format!("it has {} of {rows} rows", column.len());
            return Err(Error::data(place, problem, "the file is damaged: write it again"));
        }
        self.rows = rows;
        Ok(())
    }

    /// The columns with their names; `missing` are further texts, or numbers, that mean *missing*.
    pub(crate) fn finish(self, missing: &[String]) -> TypedColumns {
        let finite = self.finite;
        let absent: Vec<f64> = missing.iter().filter_map(|text| number::whole(text.as_bytes())).collect();
        let is_missing = |text: &str| {
            let text = text.trim_ascii();
            matches!(text, "" | "NA" | "NaN" | "?") || missing.iter().any(|m| m == text)
        };
        let finished = self.columns.into_iter().map(|column| {
            let values = match column.values {
                BuilderValues::Numbers(mut values) => {
                    if !absent.is_empty() {
                        values.iter_mut().filter(|x| absent.contains(x)).for_each(|x| *x = f64::NAN);
                    }
                    Column::Numbers(values)
                }
                BuilderValues::Text(dictionary) => Column::Categories(dictionary.without(is_missing).into_categories()),
            };
            (column.name, values)
        });
        let (names, columns) = finished.unzip();
        TypedColumns { names, columns, finite, ..TypedColumns::default() }
    }
}

impl ColumnBuilder {
    fn len(&self) -> usize {
        match &self.values {
            BuilderValues::Numbers(values) => values.len(),
            BuilderValues::Text(dictionary) => dictionary.codes.len(),
        }
    }

    /// Appends an array; `None` if it is not of the column's type.
    fn push(&mut self, array: &dyn Array) -> Option<()> {
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            return self.push_dictionary(dictionary.keys(), dictionary.values().as_ref());
        }
        match &mut self.values {
            BuilderValues::Numbers(values) => push_numbers(values, array),
            BuilderValues::Text(dictionary) => push_text(dictionary, array),
        }
    }

    /// Appends the values that the keys point to.
    fn push_dictionary(&mut self, keys: &dyn Array, values: &dyn Array) -> Option<()> {
        let mut at = Vec::new();
        push_numbers(&mut at, keys)?;
        let empty = match &self.values {
            BuilderValues::Numbers(_) => BuilderValues::Numbers(vec![]),
            BuilderValues::Text(_) => BuilderValues::Text(Dictionary::default()),
        };
        let mut pointed = ColumnBuilder { name: String::new(), kind: self.kind, values: empty };
        pointed.push(values)?;
        match (&mut self.values, &pointed.values) {
            (BuilderValues::Numbers(out), BuilderValues::Numbers(values)) => {
                out.extend(at.iter().map(|&k| values.get(k as usize).filter(|_| !k.is_nan()).unwrap_or(&f64::NAN)));
            }
            (BuilderValues::Text(out), BuilderValues::Text(values)) => {
                let text = |k: f64| values.labels.get(*values.codes.get(k as usize)? as usize).map(String::as_str);
                for &k in &at {
                    out.push(if k.is_nan() { None } else { text(k) });
                }
            }
            _ => return None,
        }
        Some(())
    }
}

fn push_text(out: &mut Dictionary, array: &dyn Array) -> Option<()> {
    fn all<'a>(out: &mut Dictionary, texts: impl Iterator<Item = Option<&'a str>>) {
        for text in texts {
            out.push(text);
        }
    }
    fn integers<T: ArrowPrimitiveType<Native: ToString>>(out: &mut Dictionary, array: &PrimitiveArray<T>) {
        for x in array.iter() {
            out.push(x.map(|x| x.to_string()).as_deref());
        }
    }
    match array.data_type() {
        DataType::Utf8 => all(out, array.as_string_opt::<i32>()?.iter()),
        DataType::LargeUtf8 => all(out, array.as_string_opt::<i64>()?.iter()),
        DataType::Utf8View => all(out, array.as_string_view_opt()?.iter()),
        DataType::Int8 => integers(out, array.as_primitive_opt::<Int8Type>()?),
        DataType::Int16 => integers(out, array.as_primitive_opt::<Int16Type>()?),
        DataType::Int32 => integers(out, array.as_primitive_opt::<Int32Type>()?),
        DataType::Int64 => integers(out, array.as_primitive_opt::<Int64Type>()?),
        DataType::UInt8 => integers(out, array.as_primitive_opt::<UInt8Type>()?),
        DataType::UInt16 => integers(out, array.as_primitive_opt::<UInt16Type>()?),
        DataType::UInt32 => integers(out, array.as_primitive_opt::<UInt32Type>()?),
        DataType::UInt64 => integers(out, array.as_primitive_opt::<UInt64Type>()?),
        _ => return None,
    }
    Some(())
}

fn push_numbers(out: &mut Vec<f64>, array: &dyn Array) -> Option<()> {
    fn all<T: ArrowPrimitiveType>(out: &mut Vec<f64>, array: &dyn Array, to: impl Fn(T::Native) -> f64) -> Option<()> {
        let array = array.as_primitive_opt::<T>()?;
        if array.null_count() == 0 {
            out.extend(array.values().iter().map(|x| to(*x)));
        } else {
            out.extend(array.iter().map(|x| x.map_or(f64::NAN, &to)));
        }
        Some(())
    }
    /// By way of text, so that the nearest number is found whatever the scale.
    fn decimals<T: DecimalType>(out: &mut Vec<f64>, array: &dyn Array) -> Option<()> {
        let array = array.as_primitive_opt::<T>()?;
        for row in 0..array.len() {
            let text = (!array.is_null(row)).then(|| array.value_as_string(row));
            out.push(text.map_or(Some(f64::NAN), |text| number::whole(text.as_bytes()))?);
        }
        Some(())
    }
    match array.data_type() {
        DataType::Null => out.extend(std::iter::repeat_n(f64::NAN, array.len())),
        DataType::Boolean => {
            out.extend(array.as_boolean_opt()?.iter().map(|x| x.map_or(f64::NAN, |x| f64::from(u8::from(x)))));
        }
        DataType::Int8 => all::<Int8Type>(out, array, f64::from)?,
        DataType::Int16 => all::<Int16Type>(out, array, f64::from)?,
        DataType::Int32 => all::<Int32Type>(out, array, f64::from)?,
        DataType::Int64 => all::<Int64Type>(out, array, |x| x as f64)?,
        DataType::UInt8 => all::<UInt8Type>(out, array, f64::from)?,
        DataType::UInt16 => all::<UInt16Type>(out, array, f64::from)?,
        DataType::UInt32 => all::<UInt32Type>(out, array, f64::from)?,
        DataType::UInt64 => all::<UInt64Type>(out, array, |x| x as f64)?,
        DataType::Float16 => all::<Float16Type>(out, array, |x| x.to_f64())?,
        DataType::Float32 => all::<Float32Type>(out, array, f64::from)?,
        DataType::Float64 => all::<Float64Type>(out, array, |x| x)?,
        DataType::Decimal32(..) => decimals::<Decimal32Type>(out, array)?,
        DataType::Decimal64(..) => decimals::<Decimal64Type>(out, array)?,
        DataType::Decimal128(..) => decimals::<Decimal128Type>(out, array)?,
        DataType::Decimal256(..) => decimals::<Decimal256Type>(out, array)?,
        _ => return None,
    }
    Some(())
}

/// The kind of values that an Arrow type maps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Integer,
    Number,
    Text,
}

/// `None` if a column of this type cannot be used.
fn shape(data_type: &DataType) -> Option<ValueKind> {
    use DataType::*;
    match data_type {
        Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 => Some(ValueKind::Integer),
        Null | Boolean | Float16 | Float32 | Float64 => Some(ValueKind::Number),
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => Some(ValueKind::Number),
        Utf8 | LargeUtf8 | Utf8View => Some(ValueKind::Text),
        Dictionary(_, values) if !matches!(**values, Dictionary(..)) => shape(values),
        _ => None,
    }
}

/// A type in words users know.
fn describe(data_type: &DataType) -> String {
    use DataType::*;
    let words = match data_type {
        Date32 | Date64 => "dates",
        Time32(_) | Time64(_) => "times of day",
        Timestamp(..) => "timestamps",
        Duration(_) | Interval(_) => "durations",
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => "binary data",
        List(_) | LargeList(_) | ListView(_) | LargeListView(_) | FixedSizeList(..) => "lists",
        Struct(_) => "structs",
        Map(..) => "maps",
        Union(..) => "unions",
        _ => return format!("`{data_type}`"),
    };
    let full = data_type.to_string();
    let short: String = full.chars().take(60).collect();
    let more = if short.len() < full.len() { "…" } else { "" };
    format!("{words} (`{short}{more}`)")
}
