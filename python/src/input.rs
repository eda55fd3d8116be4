//! Calls of the core: rows to learn from, methods by name, threads and seeds.

use crate::matrix::{Matrix, NamedMatrix};
use crate::option_names::{PythonVoice, translate};
use crate::work;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tamis::analysis::Data;
use tamis::front::{SampleColumn, Text};
use tamis::table::counts::CountSettings;
use tamis::table::{
    Categories, Column, Covariate, FeatureGroup, FeatureGroups, Model, RequestedComparison, RowWeights,
};
use tamis::table::{Study, Target, Task, WeightKind};
use tamis::{Context, Method, Npfs, Snbl};

/// Threads, seed and listener, which Python gives with every call.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct How<'py> {
    pub threads: usize,
    pub seed: u64,
    pub say: Option<Bound<'py, PyAny>>,
}

impl How<'_> {
    /// Runs work for an estimator, without the interpreter's lock.
    pub fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Context) -> tamis::Result<T> + Send,
    ) -> PyResult<T> {
        self.run_for(PythonVoice::Arrays, py, work)
    }

    /// Like [`How::run`], with errors in the words of tables.
    pub fn run_on_tables<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Context) -> tamis::Result<T> + Send,
    ) -> PyResult<T> {
        self.run_for(PythonVoice::Tables, py, work)
    }

    fn run_for<T: Send>(
        &self,
        voice: PythonVoice,
        py: Python<'_>,
        work: impl FnOnce(&mut Context) -> tamis::Result<T> + Send,
    ) -> PyResult<T> {
        let seed = self.seed;
        let done = work::run(py, self.threads, self.say.as_ref(), voice.forever(), move |progress| {
            work(&mut Context::new(seed, progress))
        })?;
        done.map_err(|error| translate(error, voice))
    }
}

/// Rows to learn from.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Rows<'py> {
    x: Matrix<'py>,
    /// A number per row, which may still turn out to be classes.
    numbers: Option<PyReadonlyArray1<'py, f64>>,
    /// Or a class per row.
    codes: Option<PyReadonlyArray1<'py, u32>>,
    labels: Vec<String>,
    /// Or a survival time per row, with 1 for an event, 0 for a censored row, NaN where that is not known.
    times: Option<PyReadonlyArray1<'py, f64>>,
    events: Option<PyReadonlyArray1<'py, f64>>,
    task: Option<String>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    /// What they mean.
    weight_kind: String,
    /// Names that tell features apart, if there are any.
    names: Option<Vec<String>>,
    /// Columns that are categories, by position; the matrix has anything in their place.
    categories: Vec<(usize, Factor<'py>)>,
    covariates: Vec<CovariateRows<'py>>,
    /// A block per row.
    blocks: Option<Factor<'py>>,
    /// Which classes are compared; without it the last of two is the positive one.
    compare: Option<Compare>,
    /// Features that count together: names and positions.
    groups: Vec<(String, Vec<u32>)>,
    /// A formula and its test; the target is the variable that stands for it.
    model: Option<(String, Option<String>)>,
}

/// The classes that are compared.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Compare {
    reference: Option<String>,
    contrast: Option<[String; 2]>,
}

/// A variable that features are adjusted for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct CovariateRows<'py> {
    name: String,
    /// A number per row.
    numbers: Option<PyReadonlyArray1<'py, f64>>,
    /// Or a level per row.
    levels: Option<Factor<'py>>,
}

/// A level per row.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Factor<'py> {
    codes: PyReadonlyArray1<'py, u32>,
    labels: Vec<String>,
}

impl Factor<'_> {
    fn categories(&self) -> PyResult<Categories> {
        Categories::new(self.labels.clone(), self.codes.as_array().to_vec())
            .map_err(|error| translate(error, PythonVoice::Arrays))
    }
}

impl CovariateRows<'_> {
    fn covariate(&self) -> PyResult<Covariate> {
        let values = match (&self.numbers, &self.levels) {
            (Some(numbers), _) => Column::Numbers(numbers.as_array().to_vec()),
            (None, Some(levels)) => Column::Categories(levels.categories()?),
            (None, None) => return Err(PyValueError::new_err("a covariate has neither numbers nor levels")),
        };
        Ok(Covariate { name: self.name.clone(), values })
    }
}

/// What the data are called in results.
pub const NAME: &str = "Python";

/// [`Rows`] in the library's types, for other threads.
pub struct Dataset<'a> {
    pub x: NamedMatrix<'a>,
    study: Study,
}

/// What is asked of a selection beside its method.
#[derive(FromPyObject, Default)]
#[pyo3(from_item_all)]
pub struct Asked {
    /// How counts are normalised, and the least count; none where nobody has said whether features are counts.
    counts: Option<(String, f64)>,
    pub second_look: Option<bool>,
    pub needed: Option<bool>,
    /// Select at least so many features.
    pub least: usize,
    /// What is known of the samples: the target and the columns that nobody asked for, with names.
    samples: Option<(Cells, Vec<Cells>)>,
}

/// A column of the observations: its name and its cells.
type Cells = (String, Vec<Option<String>>);

fn column((name, cells): &Cells) -> SampleColumn<'_> {
    SampleColumn { name, cells: cells.iter().map(Option::as_deref).collect() }
}

impl Asked {
    /// How counts are normalised.
    pub fn counts(&self) -> PyResult<Option<CountSettings>> {
        let Some((normalize, min_count)) = &self.counts else { return Ok(None) };
        let normalize = normalize.parse().map_err(|error| translate(error, PythonVoice::Arrays))?;
        Ok(Some(CountSettings { normalize, min_count: *min_count }))
    }

    /// The data with notes on what nobody asked for.
    pub fn told<'a>(&self, data: Data<'a>) -> Data<'a> {
        match &self.samples {
            None => data,
            Some((target, unused)) => data.beside(&column(target), unused.iter().map(column)),
        }
    }
}

impl Rows<'_> {
    pub fn dataset(&self) -> PyResult<Dataset<'_>> {
        let x = self.x.numbers()?;
        let weights = self.weights()?;
        let (target, rule) = self.target(weights.as_ref())?;
        if target.len() != x.n_rows() {
            let text = format!("the target has {} rows, the matrix {}", target.len(), x.n_rows());
            return Err(PyValueError::new_err(text));
        }
        let names = self.names.clone().unwrap_or_else(|| numbered(x.n_columns())).into();
        let covariates = self.covariates.iter().map(CovariateRows::covariate).collect::<PyResult<_>>()?;
        let blocks = self.blocks.as_ref().map(Factor::categories).transpose()?;
        let categories = self.categories.iter().map(|(at, levels)| Ok((*at, levels.categories()?)));
        let categories = categories.collect::<PyResult<BTreeMap<_, _>>>()?;
        let refused = |error| translate(error, PythonVoice::Arrays);
        let model = self.model.as_ref().map(|(formula, test)| Model::new(formula, test.as_deref()));
        let model = model.transpose().map_err(refused)?;
        let model = if self.codes.is_some() { model.map(Model::of_levels) } else { model };
        let named = model.as_ref().map_or("y", Model::target);
        let mut study = study(named, target, weights, covariates, blocks, self.comparison()).map_err(refused)?;
        if let Some(model) = &model {
            study = study.with_model(model.clone()).map_err(refused)?;
        }
        Ok(Dataset { x: NamedMatrix { names, numbers: x, categories }, study: study.with_rule(rule) })
    }

    /// Features that count together.
    pub fn feature_groups(&self) -> FeatureGroups {
        let group = |(name, members): &(String, Vec<u32>)| {
            let mut members = members.clone();
            members.sort_unstable();
            FeatureGroup { name: name.clone(), members }
        };
        FeatureGroups { groups: self.groups.iter().map(group).collect(), notes: vec![] }
    }

    /// The classes that are compared.
    fn comparison(&self) -> Option<RequestedComparison> {
        let Compare { reference, contrast } = self.compare.as_ref()?;
        let mut wanted = RequestedComparison::default();
        wanted.reference.clone_from(reference);
        wanted.contrast.clone_from(contrast);
        Some(wanted)
    }

    /// The weight of every row.
    fn weights(&self) -> PyResult<Option<RowWeights>> {
        let refused = |error| translate(error, PythonVoice::Arrays);
        let kind: WeightKind = self.weight_kind.parse().map_err(refused)?;
        let weigh = |w: &PyReadonlyArray1<'_, f64>| RowWeights::new(w.as_array().to_vec(), kind).map_err(refused);
        self.weights.as_ref().map(weigh).transpose()
    }

    /// The target of every row, and what it is treated as, in words.
    fn target(&self, weights: Option<&RowWeights>) -> PyResult<(Target, Text)> {
        if let (Some(times), Some(events)) = (&self.times, &self.events) {
            if let Some(task) = task(self.task.as_deref())? {
                let name = if task == Task::Real { "real" } else { "classes" };
                let text = format!("`task` cannot be '{name}' with survival times; leave it out");
                return Err(PyValueError::new_err(text));
            }
            let event = |event: &f64| (!event.is_nan()).then_some(*event != 0.0);
            let target = Target::survival(times.as_array().to_vec(), events.as_array().iter().map(event).collect());
            return Ok((target.map_err(|error| translate(error, PythonVoice::Arrays))?, "survival times".into()));
        }
        Ok(match (&self.codes, &self.numbers, task(self.task.as_deref())?) {
            (Some(_), _, Some(Task::Real)) => {
                return Err(PyValueError::new_err("the target is not numeric, which `task='real'` asks for"));
            }
            (Some(codes), _, task) => {
                let positive = (self.labels.len() as u32).saturating_sub(1);
                let target = Target::of_codes(self.labels.clone(), codes.as_array().to_vec(), positive)
                    .map_err(|error| translate(error, PythonVoice::Arrays))?;
                (target, Target::rule_of_labels(task).into())
            }
            (None, Some(numbers), task) => Target::of_numbers(&numbers.as_array().to_vec(), weights, task)
                .map_err(|error| translate(error, PythonVoice::Arrays))?,
            (None, None, _) => return Err(PyValueError::new_err("there is no target")),
        })
    }
}

impl Dataset<'_> {
    /// The matrix where it lies.
    pub fn of_rows(&self) -> tamis::Result<Data<'_>> {
        Data::of_columns(NAME, &self.x, &self.study)
    }
}

/// Everything about the rows but their features.
fn study(
    name: &str,
    target: Target,
    weights: Option<RowWeights>,
    covariates: Vec<Covariate>,
    blocks: Option<Categories>,
    comparison: Option<RequestedComparison>,
) -> tamis::Result<Study> {
    let mut study = Study::new(name, target, weights)?.with_covariates(covariates)?;
    if let Some(wanted) = comparison {
        study = study.with_comparison(&wanted)?;
    }
    match blocks {
        Some(blocks) => study.with_blocks("blocks", blocks),
        None => Ok(study),
    }
}

/// The kind of target that a user asks for; None leaves it to the library's rule.
pub fn task(given: Option<&str>) -> PyResult<Option<Task>> {
    match given {
        None | Some("auto") => Ok(None),
        Some(name) => serde_json::from_value(name.into())
            .map(Some)
            .map_err(|_| PyValueError::new_err(format!("`task` cannot be {name}: it takes auto, classes or real"))),
    }
}

/// The variables of a formula: the one that stands for the target, and the others.
#[pyfunction]
pub fn model_variables(formula: &str, test: Option<&str>) -> PyResult<(String, Vec<String>)> {
    let model = Model::new(formula, test).map_err(|error| translate(error, PythonVoice::Arrays))?;
    Ok((model.target().into(), model.covariates().into_iter().map(Into::into).collect()))
}

/// Names for features that have none.
pub fn numbered(n: usize) -> Vec<String> {
    (0..n).map(|j| format!("x{j}")).collect()
}

/// The method of this name, with parameters from a JSON object.
pub fn method(name: &str, settings: &str) -> PyResult<Method> {
    let values: Map<String, Value> = serde_json::from_str(settings)
        .map_err(|e| PyValueError::new_err(format!("parameters are not an object: {e}")))?;
    Method::from_values(name, values).map_err(|error| translate(error, PythonVoice::Arrays))
}

pub fn snbl(settings: &str) -> PyResult<Snbl> {
    match method("snbl", settings)? {
        Method::Snbl(snbl) => Ok(snbl),
        _ => Err(PyValueError::new_err("settings of snbl are needed")),
    }
}

pub fn npfs(settings: &str) -> PyResult<Npfs> {
    match method("npfs", settings)? {
        Method::Npfs(npfs) => Ok(npfs),
        _ => Err(PyValueError::new_err("settings of npfs are needed")),
    }
}
