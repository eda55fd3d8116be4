//! Which methods are compared, and on which folds.

use super::Analysis;
use crate::base::{Error, Note, OptionName, Result, counted, text};
use crate::catalogue::{Method, Pipeline, Tune};
use crate::evaluate::compared_pipelines::{default_classifier, default_methods, further_default, pipelines};
use crate::resample::{self, Plan, RequestedFolds};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// The methods of an evaluation by name, with their settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compared {
    /// Selectors, classifiers, or `none` for all features; quick ones of each kind where none is named.
    pub methods: Vec<String>,
    /// Classifiers behind selectors; one that suits the table where none is named.
    pub classifiers: Vec<String>,
    /// Settings as [`Method::several`] takes them.
    pub settings: Vec<(String, String)>,
    /// What is tuned inside every fold, by the name of the method.
    pub tune: Vec<(String, Tune)>,
}

/// How rows are split into folds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedSplits {
    /// Folds that are drawn.
    Folds(RequestedFolds),
    /// Splits from a file.
    Given {
        /// The file's name.
        file: String,
        /// What it holds.
        text: String,
    },
}

impl RequestedSplits {
    /// The folds, and a line that says what they are.
    pub(super) fn plan(&self, view: &View, seed: u64) -> Result<(Plan, String)> {
        match self {
            RequestedSplits::Folds(folds) => folds.plan(view, seed),
            RequestedSplits::Given { file, text } => {
                let plan = resample::given(view, text, file)?;
                let line = format!("{} from {file}", counted(plan.len(), "split"));
                Ok((plan, line))
            }
        }
    }
}

impl Compared {
    /// Every selector with every classifier on a table with so many folds; classifiers among the methods stand alone. Also
    /// notes on methods left out.
    pub(super) fn pipelines(
        &self,
        analysis: &Analysis,
        view: &View,
        folds: usize,
    ) -> Result<(Vec<Pipeline>, Vec<Note>)> {
        let (methods, notes) = match self.methods.is_empty() {
            true => default_methods(view, folds),
            false => (self.methods.iter().map(String::as_str).collect(), vec![]),
        };
        let classifiers: Vec<&str> = match self.classifiers.is_empty() {
            true => vec![default_classifier(view)],
            false => self.classifiers.iter().map(String::as_str).collect(),
        };
        let named: Vec<&str> = methods.iter().chain(&classifiers).copied().filter(|name| *name != "none").collect();
        let settings: Vec<(&str, &str)> = self.settings.iter().map(|(key, value)| (&**key, &**value)).collect();
        let all = Method::several(&named, &settings)?;
        // `none`: every classifier on all features
        let of = |name: &&str| named.iter().position(|other| other == name).map(|at| all[at].clone());
        let selectors: Vec<Option<Method>> = methods.iter().map(of).collect();
        let behind: Vec<Method> = classifiers.iter().filter_map(of).collect();
        let mut pipelines = pipelines(&selectors, &behind, !self.classifiers.is_empty());
        if self.methods.is_empty() && self.classifiers.is_empty() {
            pipelines.extend(further_default(&methods));
        }
        let unused =
            self.classifiers.iter().find(|name| pipelines.iter().all(|p| p.classifier.name() != name.as_str()));
        if let Some(name) = unused {
            let expected = text![
                "none of the methods is a selector; add ",
                OptionName::Method.set("none"),
                " to use all features"
            ];
            return Err(Error::parameter(OptionName::Classifier, name, expected));
        }
        self.check_tuned(&named)?;
        for pipeline in &mut pipelines {
            let name = pipeline.selector.as_ref().unwrap_or(&pipeline.classifier).name();
            let own = self.tune.iter().find(|(method, _)| method == name || method == pipeline.classifier.name());
            pipeline.tune = own.map(|(_, tune)| tune.clone());
            pipeline.preparation = analysis.preparation.for_selector(pipeline.selector.as_ref());
            pipeline.calibrate = analysis.calibrate;
            pipeline.validate()?;
        }
        Ok((pipelines, notes))
    }

    /// Refuses to tune a method that is not compared.
    fn check_tuned(&self, named: &[&str]) -> Result<()> {
        match self.tune.iter().find(|(method, tune)| tune.values.is_empty() || !named.contains(&method.as_str())) {
            None => Ok(()),
            Some((method, tune)) => {
                let given = format!("{method}.{}={}", tune.key, tune.values.join(","));
                let expected = "it takes METHOD.KEY=VALUE,VALUE,… of a method that is compared, e.g. jmi.k=5,10,20";
                Err(Error::parameter(OptionName::Tune, given, expected))
            }
        }
    }
}
