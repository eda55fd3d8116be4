//! What there is to know about every method, as data for front ends.

use super::method::Method;
use crate::base::{MethodInfo, Parameter, Result};
use serde_json::{Map, Value, json};

impl Method {
    /// Every method by name: summary, reference, and its parameters with default, range and purpose.
    ///
    /// # Errors
    ///
    /// None; a name of the catalogue is always found.
    pub fn pages() -> Result<Map<String, Value>> {
        let page = |info: MethodInfo| {
            let defaults = Method::find(info.name)?.parameters();
            let one = |p: &Parameter| {
                let value = json!({ "default": defaults[p.name], "range": p.range, "purpose": p.purpose });
                (p.name.to_string(), value)
            };
            let parameters: Map<String, Value> = info.parameters.iter().map(one).collect();
            let about = json!({ "summary": info.summary, "reference": info.reference, "parameters": parameters });
            Ok((info.name.to_string(), about))
        };
        Method::catalogue().into_iter().map(page).collect()
    }
}
