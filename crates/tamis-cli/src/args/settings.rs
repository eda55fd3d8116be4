//! Parameters of methods: `--set KEY=VALUE`.

use clap::Args;
use tamis::{Error, Method, Result};

#[derive(Debug, Args)]
pub struct Settings {
    /// Set a parameter (repeatable); see `tamis methods NAME`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// A parameter with an option of its own.
#[derive(Debug, Args)]
pub struct FdrOption {
    /// At most this share of the selected features is expected to be false; short for `--set fdr=Q` [default: 0.1,
    /// for dependence 0.05]
    #[arg(long, value_name = "Q")]
    fdr: Option<String>,
}

/// A parameter with an option of its own.
#[derive(Debug, Args)]
pub struct PermutationsOption {
    /// Permuted targets that the method is compared with; short for `--set permutations=N`. For snbl they show how
    /// features are correlated, and 0 takes features as independent [default: 199 for snbl, 20 npfs, 50 pairs,
    /// 200 dependence]
    #[arg(long, value_name = "N")]
    permutations: Option<String>,
}

/// A parameter with an option of its own.
#[derive(Debug, Args)]
pub struct MinDifferenceOption {
    /// Only a difference above this, in the feature's own unit, matters; short for `--set min_difference=D` [default: 0]
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    min_difference: Option<String>,
}

/// Parameters with options of their own.
#[derive(Debug, Args)]
pub struct RowNoiseOptions {
    /// What is done about rows of a block: `correlated`, one correlation that all features share (limma's
    /// duplicateCorrelation), `fixed`, adjusted for, or `mean`, averaged; short for `--set block_model=HOW` [default: auto:
    /// averaged where the target is constant inside blocks, rows repeat or blocks respond differently, else fixed]
    #[arg(long, value_name = "HOW")]
    block_model: Option<String>,
    /// `auto`: weight samples by how precise they are, as all features show (limma's arrayWeights); short for
    /// `--set sample_weights=HOW` [default: none, and a note names samples that disagree]
    #[arg(long, value_name = "HOW")]
    sample_weights: Option<String>,
}

impl RowNoiseOptions {
    /// Keys and values, as far as they are given.
    pub fn pairs(&self) -> [Option<(&str, &str)>; 2] {
        let model = self.block_model.as_deref().map(|value| ("block_model", value));
        [model, self.sample_weights.as_deref().map(|value| ("sample_weights", value))]
    }
}

impl MinDifferenceOption {
    /// Key and value, if given.
    pub fn pair(&self) -> Option<(&str, &str)> {
        self.min_difference.as_deref().map(|value| ("min_difference", value))
    }
}

impl FdrOption {
    /// Key and value, if given.
    pub fn pair(&self) -> Option<(&str, &str)> {
        self.fdr.as_deref().map(|value| ("fdr", value))
    }
}

impl PermutationsOption {
    /// Key and value, if given.
    pub fn pair(&self) -> Option<(&str, &str)> {
        self.permutations.as_deref().map(|value| ("permutations", value))
    }
}

impl Settings {
    /// The method of this name with these settings.
    pub fn method(&self, name: &str) -> Result<Method> {
        self.method_with(name, [])
    }

    /// The method of this name with these settings and those that were given by options of their own.
    pub fn method_with<'a>(
        &'a self,
        name: &str,
        options: impl IntoIterator<Item = Option<(&'a str, &'a str)>>,
    ) -> Result<Method> {
        Method::from_settings(name, self.pairs_with(options)?)
    }

    /// Keys and values, of options too; a key given twice is refused.
    pub fn pairs_with<'a>(
        &'a self,
        options: impl IntoIterator<Item = Option<(&'a str, &'a str)>>,
    ) -> Result<Vec<(&'a str, &'a str)>> {
        let mut pairs = self.pairs()?;
        for (key, value) in options.into_iter().flatten() {
            if pairs.iter().any(|(set, _)| *set == key) {
                let expected = format!("it is also given by `--set {key}=…`; remove one of them");
                return Err(Error::parameter(format!("--{}", key.replace('_', "-")), value, expected));
            }
            pairs.push((key, value));
        }
        Ok(pairs)
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
