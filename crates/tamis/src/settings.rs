//! Parameters by name: described once, set from text the same way everywhere.

use crate::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A parameter, for people; its default is that of the struct it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The key.
    pub name: &'static str,
    /// What it may be.
    pub range: &'static str,
    /// What it does.
    pub purpose: &'static str,
}

/// The fields of a value that is a struct, or a variant holding one.
pub(crate) fn fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(), // methods and simulations are structs: always an object
    }
}

/// `value` with some of its parameters set from text. A key that is not among `known` gets a did-you-mean, a text that
/// does not fit gets the parameter's range.
pub(crate) fn set<T: Serialize + DeserializeOwned>(
    value: T,
    known: &[Parameter],
    settings: &[(&str, &str)],
) -> Result<T> {
    settings.iter().try_fold(value, |value, (key, text)| {
        let Some(parameter) = known.iter().find(|p| p.name == *key) else {
            return Err(Error::Unknown {
                kind: "parameter",
                name: (*key).into(),
                known: known.iter().map(|p| p.name.to_string()).collect(),
            });
        };
        let mut all = fields(&value);
        all.insert((*key).into(), serde_json::from_str(text).unwrap_or_else(|_| Value::String((*text).into())));
        serde_json::from_value(Value::Object(all))
            .map_err(|_| Error::parameter(key, format!("`{text}`"), format!("it takes {}", parameter.range)))
    })
}
