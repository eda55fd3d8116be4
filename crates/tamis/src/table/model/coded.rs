//! The study in which what is tested is the target, and all else is adjusted for.
//!
//! A contrast c of coefficients is one target column, T = Xc/(c·c), beside Z = X times the space orthogonal to c: the
//! coefficient of T is then the contrast. Terms have their own columns as T and all others as Z.

use super::coded_test::CodedTest;
use super::matrix::ModelMatrix;
use super::test::Tested;
use crate::base::{Note, NoteKind, Result, counted};
use crate::table::{Column, Covariate, Study, Target, View};

impl View<'_> {
    /// The study of the view's rows in which the model's test is the target, and notes; `None` without a model.
    ///
    /// # Errors
    ///
    /// Variables that cannot be coded, a test of what the model does not have, and one that the rows do not determine.
    pub(crate) fn coded(&self) -> Result<Option<(Study, Vec<Note>)>> {
        let Some(model) = self.model() else { return Ok(None) };
        let matrix = ModelMatrix::of(model, self)?;
        let tested = Tested::of(model, &matrix)?;
        let notes = notes(self, &matrix, &tested);
        let (target, others) = match &tested {
            Tested::Columns(columns) => {
                // a column of a tested term that adds nothing is left out with the term
                let terms: Vec<usize> = columns.iter().map(|&at| matrix.terms[at]).collect();
                let is_other = |at: &usize| !terms.contains(&matrix.terms[*at]);
                let others: Vec<(String, Vec<f64>)> = (0..matrix.names.len())
                    .filter(is_other)
                    .map(|at| (matrix.names[at].clone(), matrix.columns[at].clone()))
                    .collect();
                (columns.iter().map(|&at| matrix.columns[at].clone()).collect(), others)
            }
            Tested::Contrast(weights) => {
                let (target, others) = turned(&matrix, weights);
                (vec![target], others)
            }
        };
        let has_mean = matrix.intercept && others.iter().any(|(name, _)| name == matrix.names[0].as_str());
        let covariates = others
            .into_iter()
            .filter(|(name, _)| !(has_mean && *name == matrix.names[0]))
            .map(|(name, values)| Covariate { name, values: Column::Numbers(self.over_all_rows(&values)) })
            .collect();
        let mut target: Vec<Vec<f64>> = target.iter().map(|values: &Vec<f64>| self.over_all_rows(values)).collect();
        let further = target.split_off(1);
        let values = target.pop().unwrap_or_default();
        let no_mean = !has_mean && self.blocks().is_none();
        let coded = CodedTest { further, no_mean, lacks_mean: !has_mean };
        let study = self.study_of_test(model.test.clone(), Target::Real { values }, covariates, coded);
        Ok(Some((study, notes)))
    }

    /// Numbers of the view's rows as a column of the table, missing elsewhere.
    fn over_all_rows(&self, values: &[f64]) -> Vec<f64> {
        let mut all = vec![f64::NAN; self.columns().n_rows()];
        self.rows().iter().zip(values).for_each(|(&row, value)| all[row as usize] = *value);
        all
    }
}

/// A contrast as a column of its own, and the columns orthogonal to it in the space of coefficients.
fn turned(matrix: &ModelMatrix, weights: &[f64]) -> (Vec<f64>, Vec<(String, Vec<f64>)>) {
    let rows = matrix.columns.first().map_or(0, Vec::len);
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    let mut target = vec![0.0; rows];
    for (weight, column) in weights.iter().zip(&matrix.columns).filter(|(weight, _)| **weight != 0.0) {
        target.iter_mut().zip(column).for_each(|(t, x)| *t += weight * x / squares);
    }
    let pivot = (0..weights.len()).max_by(|&a, &b| weights[a].abs().total_cmp(&weights[b].abs())).unwrap_or(0);
    let others = (0..weights.len()).filter(|at| *at != pivot).map(|at| {
        let share = weights[at] / weights[pivot];
        let column = matrix.columns[at].iter().zip(&matrix.columns[pivot]).map(|(x, p)| x - share * p).collect();
        let name =
            if share == 0.0 { matrix.names[at].clone() } else { format!("{}, beside the test", matrix.names[at]) };
        (name, column)
    });
    (target, others.collect())
}

/// Notes on columns that add nothing, and on main effects beside their interactions.
fn notes(data: &View, matrix: &ModelMatrix, tested: &Tested) -> Vec<Note> {
    let kept = matrix.kept();
    let dropped: Vec<String> =
        (0..matrix.names.len()).filter(|at| !kept.contains(at)).map(|at| format!("`{}`", matrix.names[at])).collect();
    let mut notes = vec![];
    if !dropped.is_empty() {
        let text = format!(
            "{} of the formula add nothing to the others: {}",
            counted(dropped.len(), "column"),
            dropped.join(", ")
        );
        notes.push(Note::new(NoteKind::DependentCovariate, text));
    }
    let Some(model) = data.model() else { return notes };
    let formula = &model.formula;
    let terms: Vec<usize> = match tested {
        Tested::Columns(columns) => columns.iter().map(|&at| matrix.terms[at]).collect(),
        Tested::Contrast(weights) => {
            (0..weights.len()).filter(|&at| weights[at] != 0.0).map(|at| matrix.terms[at]).collect()
        }
    };
    let contains = |outer: &[usize], inner: &[usize]| inner.iter().all(|variable| outer.contains(variable));
    let larger: Vec<usize> = (1..=formula.terms.len())
        .filter(|at| !terms.contains(at))
        .filter(|at| {
            let inner = |term: &usize| *term > 0 && contains(&formula.terms[at - 1], &formula.terms[term - 1]);
            terms.iter().any(inner)
        })
        .collect();
    if let (false, Some(&term)) = (larger.is_empty(), terms.iter().find(|term| **term > 0)) {
        let own = &formula.terms[term - 1];
        let mut beside: Vec<String> = vec![];
        for variable in larger.iter().flat_map(|at| &formula.terms[at - 1]).filter(|variable| !own.contains(variable)) {
            let label = format!("`{}`", formula.variables[*variable].label());
            if !beside.contains(&label) {
                beside.push(label);
            }
        }
        let all: Vec<String> =
            std::iter::once(term).chain(larger.iter().copied()).map(|at| formula.term_name(at - 1)).collect();
        let text = format!(
            "`{}` is tested where {} is at its reference (0 for a number); the test `{}` is about it and all its interactions",
            model.test,
            beside.join(", "),
            all.join(", ")
        );
        notes.push(Note::new(NoteKind::Interactions, text));
    }
    notes
}
