//! Settings that are given for several methods at once.

use super::Method;
use crate::base::{Error, Result};

impl Method {
    /// Several methods by name, each with the settings that are its own: `KEY` is for every method that has that parameter,
    /// `METHOD.KEY` for one.
    ///
    /// # Errors
    ///
    /// A name that is no method, a setting that none of them has, and those of [`Method::from_settings`].
    pub fn several(names: &[&str], settings: &[(&str, &str)]) -> Result<Vec<Method>> {
        let mut used = vec![false; settings.len()];
        let mut methods = Vec::new();
        for name in names {
            let entry = Method::find(name)?;
            let mut own = Vec::new();
            for ((key, value), used) in settings.iter().zip(&mut used) {
                let (wanted, key) = match key.split_once('.') {
                    Some((method, key)) => (method == *name, key),
                    None => (entry.has(key), *key),
                };
                if wanted {
                    *used = true;
                    own.push((key, *value));
                }
            }
            methods.push(Method::from_settings(name, own)?);
        }
        match used.iter().position(|used| !used) {
            None => Ok(methods),
            Some(at) => Err(unknown(settings[at].0, names)?),
        }
    }
}

/// The error of a setting that none of these methods has.
fn unknown(key: &str, names: &[&str]) -> Result<Error> {
    let mut known: Vec<String> = Vec::new();
    for name in names {
        let parameters = Method::find(name)?.info().parameters;
        known.extend(parameters.iter().map(|parameter| parameter.name.to_string()));
        known.extend(parameters.iter().map(|parameter| format!("{name}.{}", parameter.name)));
    }
    Ok(Error::Unknown { kind: "parameter", name: key.into(), known })
}
