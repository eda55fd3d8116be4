//! Results for R: every field of a result file, the features as columns of a data frame.

use crate::values::to_r;
use crate::work::{Failure, Outcome};
use extendr_api::prelude::*;
use serde::Serialize;
use serde_json::Value;
use tamis::NoteKind;
use tamis::result::{Evaluation, FeatureValues, SelectionResult};

/// A selection: its fields, its features by columns, sentences, and the document as bytes.
pub fn selection(mut result: SelectionResult) -> Outcome<List> {
    let mut document = Vec::new();
    result.write(&mut document).map_err(|error| Failure::Words(error.to_string()))?;
    let features = features(&result);
    let brief: Vec<&str> =
        result.columns().into_iter().filter(|column| column.brief).map(|column| column.key).collect();
    let shown = result.notes.iter().filter(|note| note.kind != NoteKind::TargetRule);
    let notes: Vec<&str> = shown.map(|note| note.message.as_str()).collect();
    let words = list!(
        answer = result.answer_words(),
        sentence = result.sentence(),
        data = result.input_words(),
        design = result.design_words().map_or_else(Robj::default, Robj::from),
        method = result.method_words(),
        notes = notes
    );
    result.features = vec![];
    let fields = to_r(&value(&result)?);
    Ok(list!(fields = fields, features = features, brief = brief, words = words, document = raw(&document)))
}

/// Everything that is known about every feature: names and vectors, in input order.
fn features(result: &SelectionResult) -> List {
    let columns = result.feature_table().into_iter().map(|column| {
        let values: Robj = match column.values {
            FeatureValues::Numbers(x) => {
                x.into_iter().map(|x| x.map_or(Rfloat::na(), Rfloat::from)).collect::<Doubles>().into()
            }
            FeatureValues::Counts(x) => {
                x.into_iter().map(|x| x.map_or(Rint::na(), |x| Rint::from(x as i32))).collect::<Integers>().into()
            }
            FeatureValues::Texts(x) => x.into(),
            FeatureValues::Flags(x) => x.into(),
            _ => ().into(),
        };
        (column.name, values)
    });
    List::from_pairs(columns.collect::<Vec<_>>())
}

/// An evaluation: its fields, and the document as bytes.
pub fn evaluation(evaluation: &Evaluation) -> Outcome<List> {
    let mut document = Vec::new();
    evaluation.write(&mut document).map_err(|error| Failure::Words(error.to_string()))?;
    Ok(list!(fields = to_r(&value(evaluation)?), document = raw(&document)))
}

/// Bytes as a raw vector.
pub fn raw(bytes: &[u8]) -> Robj {
    Raw::from_bytes(bytes).into()
}

fn value(document: &impl Serialize) -> Outcome<Value> {
    serde_json::to_value(document).map_err(|error| Failure::Words(error.to_string()))
}
