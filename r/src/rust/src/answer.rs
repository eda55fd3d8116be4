//! Results for R: every field of a result file, the features as columns of a data frame.

use crate::values::to_r;
use crate::work::{Failure, Outcome};
use extendr_api::prelude::*;
use serde::Serialize;
use serde_json::Value;
use tamis::Note;
use tamis::front::{ColumnValues, FeatureTable, note};
use tamis::result::{Evaluation, SampleValues, SelectionResult};

/// A selection: its fields, its features by columns, sentences, and the document and the values for its report as bytes.
pub fn selection(mut result: SelectionResult, values: Option<&SampleValues>) -> Outcome<List> {
    let mut document = Vec::new();
    result.write(&mut document).map_err(|error| Failure::Words(error.to_string()))?;
    let features = features(&result.features);
    let brief: Vec<&str> =
        result.columns().into_iter().filter(|column| column.brief).map(|column| column.key).collect();
    let notes: Vec<String> = note::remarks(&result.notes).map(Note::to_string).collect();
    let words = list!(
        answer = result.answer_words(),
        sentence = result.sentence(),
        data = result.input_words(),
        design = result.design_words().map_or_else(Robj::default, Robj::from),
        method = result.method_words(),
        notes = notes
    );
    result.features = FeatureTable::default();
    let fields = to_r(&value(&result)?);
    let values = values.map_or_else(Robj::default, |values| raw(&values.to_bytes()));
    let document = raw(&document);
    Ok(list!(fields = fields, features = features, brief = brief, words = words, document = document, values = values))
}

/// Everything that is known about every feature: names and vectors, in input order.
fn features(table: &FeatureTable) -> List {
    let mut columns: Vec<(&str, Robj)> = vec![
        ("rank", table.ranks.iter().map(|rank| Rint::from(*rank as i32)).collect::<Integers>().into()),
        ("name", table.names.to_vec().into()),
        ("selected", table.selected.clone().into()),
    ];
    columns.extend(table.columns().map(|column| {
        let values: Robj = match &column.values {
            ColumnValues::Numbers(x) => {
                x.iter().map(|x| x.map_or(Rfloat::na(), Rfloat::from)).collect::<Doubles>().into()
            }
            ColumnValues::Counts(x) => {
                x.iter().map(|x| x.map_or(Rint::na(), |x| Rint::from(x as i32))).collect::<Integers>().into()
            }
            _ => table.texts(&column.values).collect::<Vec<&str>>().into(),
        };
        (&*column.name, values)
    }));
    List::from_pairs(columns)
}

/// An evaluation: its fields, and the document as bytes.
pub fn evaluation(evaluation: Evaluation) -> Outcome<List> {
    let mut document = Vec::new();
    evaluation.write(&mut document).map_err(|error| Failure::Words(error.to_string()))?;
    Ok(list!(fields = to_r(&value(&evaluation)?), document = raw(&document)))
}

/// Bytes as a raw vector.
pub fn raw(bytes: &[u8]) -> Robj {
    Raw::from_bytes(bytes).into()
}

fn value(document: &impl Serialize) -> Outcome<Value> {
    serde_json::to_value(document).map_err(|error| Failure::Words(error.to_string()))
}
