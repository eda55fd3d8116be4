//! Trained classifiers.

use crate::analysis;
use crate::answer::{json_of, to_python};
use crate::input::{How, Rows, method};
use crate::matrix::{Matrix, NamedMatrix};
use crate::option_names::{PythonVoice, translate};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::collections::HashMap;
use tamis::catalogue::Preparation;
use tamis::model::Fitted;
use tamis::table::counts::CountSettings;
use tamis::{Analysis, Table, View};

/// A trained classifier, kept as the JSON that the program writes too.
#[pyclass(module = "tamis._core", frozen)]
pub struct Model {
    model: tamis::Model,
    /// Where the columns it needs are in the matrix it was trained on.
    columns: Vec<usize>,
}

/// A class, and the arguments with which it makes an object again.
type Pickled = (Py<PyAny>, (String, Vec<usize>));

#[pymethods]
impl Model {
    #[new]
    fn new(text: &str, columns: Vec<usize>) -> PyResult<Model> {
        let model = tamis::Model::read(text.as_bytes(), "model");
        let model = model.map_err(|error| translate(error, PythonVoice::Arrays))?;
        if model.column_names().len() != columns.len() {
            return Err(PyValueError::new_err("the model and its columns do not match"));
        }
        Ok(Model { model, columns })
    }

    /// The model as JSON.
    fn json(&self) -> PyResult<String> {
        json_of(&self.model)
    }

    /// Text and whole numbers, so that a pickle does not depend on this module's version.
    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Pickled> {
        let class = slf.py().get_type::<Model>().into_any().unbind();
        Ok((class, (slf.json()?, slf.columns.clone())))
    }

    /// The probability of each class, a row per row.
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        x: Matrix<'py>,
        how: How<'py>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers = x.numbers()?;
        if let Some(&last) = self.columns.iter().max()
            && last >= numbers.n_columns()
        {
            let text = format!("the model needs column {last}, and there are {}", numbers.n_columns());
            return Err(PyValueError::new_err(text));
        }
        let found = how.run(py, |_| {
            let rows = numbers.n_rows();
            let names: Vec<String> = self.model.column_names().into_iter().map(Into::into).collect();
            let x = NamedMatrix { names: [].into(), numbers, categories: BTreeMap::new() };
            let table = Table::to_predict(&x, &self.columns, names)?;
            let by_class = self.model.classifier.probabilities(&View::every_row(&table))?;
            Ok(Array2::from_shape_fn((rows, by_class.len()), |(row, class)| by_class[class][row]))
        })?;
        Ok(found.into_pyarray(py))
    }
}

/// A classifier, and the selection that came of its training where it drops features.
type FittedModel<'py> = (Model, Option<Bound<'py, PyDict>>);

/// Trains the classifier of this name.
#[pyfunction]
pub fn fit<'py>(
    py: Python<'py>,
    name: &str,
    settings: &str,
    rows: Rows<'py>,
    how: How<'py>,
) -> PyResult<FittedModel<'py>> {
    let said = Preparation { counts: Some(CountSettings::default()), ..Preparation::default() };
    let analysis = Analysis { preparation: said, ..analysis(method(name, settings)?, &how) };
    let data = rows.dataset()?;
    let names = data.x.names.clone();
    let trained = how.run(py, move |context| analysis.fit(&data.of_rows()?, context))?;
    let model = trained.model;
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    let columns = model.column_names().into_iter().filter_map(|name| places.get(name).copied()).collect();
    let found = trained.found.map(|found| to_python(py, found)).transpose()?;
    Ok((Model { model, columns }, found))
}
