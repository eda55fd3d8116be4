//! What a test asks of a model: the columns of terms together, or a contrast of coefficients.

use super::matrix::{ModelMatrix, independent};
use super::request::Model;
use crate::base::{Error, OptionName, Result, Text, text};
use crate::numeric::linalg::dot;

/// A contrast of which more than this share lies outside of the rows' space cannot be estimated.
const OUTSIDE: f64 = 1e-7;

/// What is tested.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tested {
    /// Columns by F, those that add nothing left out.
    Columns(Vec<usize>),
    /// A weight for every coefficient.
    Contrast(Vec<f64>),
}

impl Tested {
    /// Understands a test: a term, terms with commas between them, a coefficient, or a sum of coefficients or levels.
    ///
    /// # Errors
    ///
    /// Names that the model does not have, and what its rows cannot estimate.
    pub(super) fn of(model: &Model, matrix: &ModelMatrix) -> Result<Tested> {
        let tested = match terms(model) {
            Some(terms) => {
                Tested::Columns((0..matrix.names.len()).filter(|&at| terms.contains(&matrix.terms[at])).collect())
            }
            None => Tested::Contrast(contrast(model, matrix)?),
        };
        let tested = match tested {
            // of a term with a single column the sign is known
            Tested::Columns(columns) if columns.len() == 1 => Tested::Contrast(unit(matrix.names.len(), columns[0])),
            other => other,
        };
        match tested {
            Tested::Columns(columns) => {
                let kept = beyond_others(matrix, &columns);
                if kept.is_empty() { Err(not_estimable(model, matrix)) } else { Ok(Tested::Columns(kept)) }
            }
            Tested::Contrast(weights) if is_estimable(matrix, &weights) => Ok(Tested::Contrast(weights)),
            Tested::Contrast(_) => Err(not_estimable(model, matrix)),
        }
    }
}

/// The numbers of the terms that a test names, if it names terms.
fn terms(model: &Model) -> Option<Vec<usize>> {
    let formula = &model.formula;
    let same = |a: &str, at: usize| {
        let name = formula.term_name(at);
        let parts = |text: &str| {
            let mut parts: Vec<String> = text
                .split(':')
                .map(|part| part.chars().filter(|c| !c.is_whitespace() && *c != '`').collect())
                .collect();
            parts.iter_mut().for_each(|part| *part = part.replace(",df=", ","));
            parts.sort();
            parts
        };
        parts(a) == parts(&name)
    };
    // a comma inside of `ns(x, 3)` separates nothing
    let mut depth = 0;
    let wanted = model.test.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    wanted.map(|part| (0..formula.terms.len()).find(|&at| same(part, at)).map(|at| at + 1)).collect()
}

/// The weights of a sum such as `late - early` or `dose + .5 dose:sexm`.
fn contrast(model: &Model, matrix: &ModelMatrix) -> Result<Vec<f64>> {
    let mut weights = vec![0.0; matrix.names.len()];
    let mut rest = model.test.trim();
    let mut first = true;
    while !rest.is_empty() {
        let sign = match rest.chars().next() {
            Some('-') => -1.0,
            Some('+') => 1.0,
            _ if first => 1.0,
            _ => return Err(unknown(model, matrix, rest)),
        };
        rest = rest.trim_start_matches(['+', '-']).trim_start();
        let (name, weights_of) = match longest(matrix, rest) {
            Some((length, found)) => ((length, found), 1.0),
            None => {
                let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
                let factor: f64 = rest[..end].parse().map_err(|_| unknown(model, matrix, rest))?;
                rest = rest[end..].trim_start().trim_start_matches('*').trim_start();
                (longest(matrix, rest).ok_or_else(|| unknown(model, matrix, rest))?, factor)
            }
        };
        for column in name.1 {
            weights[column] += sign * weights_of;
        }
        rest = rest[name.0..].trim_start();
        first = false;
    }
    if weights.iter().all(|weight| *weight == 0.0) {
        return Err(unknown(model, matrix, &model.test));
    }
    Ok(weights)
}

/// The longest coefficient or level at the beginning of a text, and its columns: none for the reference of a factor.
fn longest(matrix: &ModelMatrix, text: &str) -> Option<(usize, Vec<usize>)> {
    let ends = |name: &str| {
        let after = text.strip_prefix(name)?;
        let is_end = after.is_empty() || after.starts_with([' ', '+', '-', '\t']);
        is_end.then_some(name.len())
    };
    let coefficients = matrix.names.iter().enumerate().filter_map(|(at, name)| Some((ends(name)?, vec![at])));
    let best = coefficients.max_by_key(|(length, _)| *length);
    if best.is_some() {
        return best;
    }
    let levels = || matrix.levels.iter().flat_map(|factor| factor.levels.iter());
    let is_only = |label: &str| levels().filter(|(other, _)| other == label).count() == 1;
    let found = levels().filter(|(label, _)| !label.is_empty() && is_only(label));
    found
        .filter_map(|(label, column)| Some((ends(label)?, column.iter().copied().collect())))
        .max_by_key(|(length, _): &(usize, Vec<usize>)| *length)
}

fn unit(n: usize, at: usize) -> Vec<f64> {
    (0..n).map(|j| f64::from(u8::from(j == at))).collect()
}

/// Those of some columns that add to all others and to those before them.
fn beyond_others(matrix: &ModelMatrix, columns: &[usize]) -> Vec<usize> {
    let others = (0..matrix.columns.len()).filter(|at| !columns.contains(at));
    let order: Vec<usize> = others.chain(columns.iter().copied()).collect();
    let ordered: Vec<Vec<f64>> = order.iter().map(|&at| matrix.columns[at].clone()).collect();
    independent(&ordered).into_iter().map(|at| order[at]).filter(|at| columns.contains(at)).collect()
}

/// Whether the rows determine a contrast: it lies in their space, so that it is orthogonal to every combination of
/// coefficients that changes no row.
fn is_estimable(matrix: &ModelMatrix, weights: &[f64]) -> bool {
    let p = matrix.columns.len();
    // a row with the weights on top: a column that depends on earlier ones in the rows must do so with the same
    // coefficients on top
    let size = |column: &[f64]| dot(column, column).sqrt();
    let total = size(weights);
    let kept = matrix.kept();
    let mut basis: Vec<(Vec<f64>, f64)> = vec![];
    for at in 0..p {
        let mut left = matrix.columns[at].clone();
        let mut top = weights[at];
        for _ in 0..2 {
            for (direction, direction_top) in &basis {
                let share = dot(direction, &left);
                left.iter_mut().zip(direction).for_each(|(x, d)| *x -= share * d);
                top -= share * direction_top;
            }
        }
        if kept.contains(&at) {
            let length = size(&left);
            basis.push((left.iter().map(|x| x / length).collect(), top / length));
        } else if top.abs() > OUTSIDE * total {
            return false;
        }
    }
    true
}

/// The error of a name that the model does not have.
fn unknown(model: &Model, matrix: &ModelMatrix, name: &str) -> Error {
    let levels = matrix.levels.iter().flat_map(|factor| factor.levels.iter().map(|(label, _)| label.clone()));
    let known = model.formula.term_names().into_iter().chain(matrix.names.iter().cloned()).chain(levels);
    let mut distinct: Vec<String> = vec![];
    known.for_each(|name| {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    });
    Error::Unknown { kind: "term, coefficient or level", name: name.trim().into(), known: distinct }
}

/// The error of a test that the rows cannot answer.
fn not_estimable(model: &Model, matrix: &ModelMatrix) -> Error {
    let quoted = |names: Vec<&String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let n = matrix.names.len();
    let empty: Vec<&String> =
        (0..n).filter(|&at| matrix.columns[at].iter().all(|x| *x == 0.0)).map(|at| &matrix.names[at]).collect();
    let estimable: Vec<&String> =
        (0..n).filter(|&at| is_estimable(matrix, &unit(n, at))).map(|at| &matrix.names[at]).collect();
    let why = match empty.is_empty() {
        true => String::new(),
        false => format!("; no row belongs to {}", quoted(empty)),
    };
    let which: Text = match estimable.is_empty() {
        true => "; leave a variable out of the formula".into(),
        false => text![format!("; it determines {}: name one with ", quoted(estimable)), OptionName::Test],
    };
    let expected = text![format!("the rows do not determine it beside the rest of the formula{why}"), which];
    Error::parameter(OptionName::Test, &model.test, expected)
}
