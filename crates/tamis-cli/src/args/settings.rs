//! Parameters of methods: `--set KEY=VALUE`.

use clap::Args;
use tamis::{Error, Method, Result};

#[derive(Debug, Args)]
pub struct Settings {
    /// Set a parameter (repeatable); see `tamis methods NAME`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Settings {
    /// Several methods by name, each with the settings that are its own: `KEY=VALUE` is for every method that has that
    /// key, `METHOD.KEY=VALUE` for one. A setting that none of them has is refused.
    pub fn methods(&self, names: &[&str]) -> Result<Vec<Method>> {
        let pairs = self.pairs()?;
        let mut used = vec![false; pairs.len()];
        let mut methods = Vec::new();
        for name in names {
            let entry = Method::find(name)?;
            let mut own = Vec::new();
            for (at, (key, value)) in pairs.iter().enumerate() {
                let (wanted, key) = match key.split_once('.') {
                    Some((method, key)) => (method == *name, key),
                    None => (entry.has(key), *key),
                };
                if wanted {
                    used[at] = true;
                    own.push((key, *value));
                }
            }
            methods.push(Method::from_settings(name, own)?);
        }
        if let Some(at) = used.iter().position(|u| !u) {
            let key = pairs[at].0;
            let mut known: Vec<String> = Vec::new();
            for name in names {
                let entry = Method::find(name)?;
                known.extend(entry.info().parameters.iter().map(|p| p.name.to_string()));
                known.extend(entry.info().parameters.iter().map(|p| format!("{name}.{}", p.name)));
            }
            return Err(Error::Unknown { kind: "parameter", name: key.into(), known });
        }
        Ok(methods)
    }

    /// The method of this name with these settings.
    pub fn method(&self, name: &str) -> Result<Method> {
        Method::from_settings(name, self.pairs()?)
    }

    /// Keys and values.
    pub fn pairs(&self) -> Result<Vec<(&str, &str)>> {
        self.set
            .iter()
            .map(|s| {
                let (key, value) =
                    s.split_once('=').ok_or_else(|| Error::parameter("--set", s, "it takes KEY=VALUE"))?;
                Ok((key.trim(), value.trim()))
            })
            .collect()
    }
}
