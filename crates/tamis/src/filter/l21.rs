//! `l21`: L2,1-regularised regression.

use super::l21_solver::{Options, fit};
use super::ranking::{BY_THE_MEAN, info, largest, missing_note, numbers, set_aside};
use crate::base::parameter::parameters;
use crate::base::{Auto, Context, Describe, Error, MethodInfo, Note, NoteKind, OptionName, Result, text};
use crate::selection::k::k;
use crate::selection::{Selection, Selector, resolve_k};
use crate::table::{Target, View};
use serde::{Deserialize, Serialize};

parameters! {
    /// The `k` features with the largest coefficients in a regression of the target on all features at once.
    ///
    /// W minimises Σ_i ‖(x_i W − y_i)/γ‖ + Σ_j ‖w_j‖ over standardised features; y_i is the indicator of row i's class, or
    /// the standardised numeric target. The norms are not squared: outlying rows weigh less, and whole rows w_j of W are
    /// drawn to zero. The score of feature j is ‖w_j‖. A missing value is replaced by the feature's mean.
    ///
    /// Cost: tens of iterations of rows × features × min(rows, features) flops.
    ///
    /// Errors: [`Error::Parameter`] for a value out of its range and for a `gamma` so small that the equations are
    /// singular; [`Error::Data`] for a column of categories and if no feature varies.
    ///
    /// Reference: Nie et al., *Efficient and robust feature selection via joint l2,1-norms minimization*, NIPS 2010.
    ///
    /// ```
    /// use tamis::{Context, Selector, filter::L21, simulate::TwoGroups};
    ///
    /// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
    /// let selection = L21::default().select(&drawn.table.view(), &mut Context::default())?;
    /// assert_eq!(selection.selected.len(), 10);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct L21 {
        k: Auto<usize> = Auto::Auto, k!(range), k!(purpose);
        gamma: f64 = 1.0, "1e-6…1e6", "divisor γ of the errors; a larger value sets more coefficients to zero";
        tol: f64 = 1e-10, "1e-15…0.1", "stop when the relative change of the objective is smaller";
        max_iter: usize = 1000, "1…10000000", "most iterations";
    }
}

impl Describe for L21 {
    fn info() -> MethodInfo {
        let cost = "tens of iterations of rows × features × min(rows, features) flops";
        let summary = "regression on all features at once, with row norms of errors and coefficients";
        let reference =
            "Nie et al., Efficient and robust feature selection via joint l2,1-norms minimization, NIPS 2010";
        MethodInfo { cost, ..info("l21", summary, reference, L21::described()) }
    }

    fn validate(&self) -> Result<()> {
        let check = |name: &'static str, value: f64, low: f64, high: f64| {
            let expected = format!("it takes {low:e}…{high:e}");
            if (low..=high).contains(&value) { Ok(()) } else { Err(Error::parameter(name, value, expected)) }
        };
        check("gamma", self.gamma, 1e-6, 1e6)?;
        check("tol", self.tol, 1e-15, 0.1)?;
        check("max_iter", self.max_iter as f64, 1.0, 1e7)
    }
}

impl Selector for L21 {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        self.validate()?;
        data.target().refuse_survival("l21")?;
        let columns = numbers(data, "l21")?;
        let rows = data.rows();
        let weights: Vec<f64> = rows.iter().map(|&r| data.weights().map_or(1.0, |w| w[r as usize])).collect();
        let standardised: Vec<Option<Vec<f64>>> = columns.iter().map(|x| standardise(x, rows, &weights)).collect();
        let mut notes: Vec<Note> = set_aside(data, |i| standardised[i].is_some()).into_iter().collect();
        notes.extend(missing_note(data, &columns, BY_THE_MEAN));
        let used: Vec<u32> = (0..columns.len() as u32).filter(|&i| standardised[i as usize].is_some()).collect();
        let x: Vec<Vec<f64>> = standardised.into_iter().flatten().collect();
        let (k, note) = resolve_k(self.k, x.len())?;
        notes.extend(note);
        let y: Vec<Vec<f64>> = match data.target() {
            Target::Classes { codes, labels, .. } => (0..labels.len() as u32)
                .map(|class| rows.iter().map(|&r| f64::from(u8::from(codes[r as usize] == class))).collect())
                .collect(),
            Target::Real { values } | Target::Survival { times: values, .. } => {
                standardise(values, rows, &weights).into_iter().collect()
            }
        };
        let options = Options { gamma: self.gamma, tol: self.tol, max_iter: self.max_iter };
        let fitted = fit(&x, &y, &weights, options, context)?;
        let mut scores = vec![f64::NAN; columns.len()];
        used.iter().zip(&fitted.norms).for_each(|(&i, norm)| scores[i as usize] = *norm);
        let record = L21 { k: Auto::Set(k), ..self.clone() }.record();
        let mut selection = largest(Auto::Set(k), scores, notes)?.1.into_selection(data, record, context.seed);
        (selection.converged, selection.iterations) = (fitted.converged, fitted.iterations);
        if !fitted.converged {
            let text = text![
                format!("not converged after {} iterations; raise ", fitted.iterations),
                OptionName::from("max_iter"),
                " or ",
                OptionName::from("tol")
            ];
            selection.notes.push(Note::new(NoteKind::NotConverged, text));
        }
        Ok(selection)
    }
}

/// Mean 0 and variance 1, missing values at the mean; `None` without variance.
fn standardise(x: &[f64], rows: &[u32], weights: &[f64]) -> Option<Vec<f64>> {
    let size = rows.iter().map(|&r| x[r as usize].abs()).fold(0.0, f64::max);
    let unit = crate::score::moments::scale_to_one(size); // squares stay in range
    let known = || rows.iter().zip(weights).map(|(&r, w)| (x[r as usize] * unit, *w)).filter(|(x, _)| !x.is_nan());
    let total: f64 = known().map(|(_, w)| w).sum();
    let mean = known().map(|(x, w)| x * w).sum::<f64>() / total;
    let variance = known().map(|(x, w)| (x - mean).powi(2) * w).sum::<f64>() / total;
    let sd = variance.sqrt();
    if !(sd > 1e-300 && sd.is_finite()) || sd <= 1e-14 * mean.abs() {
        return None;
    }
    Some(rows.iter().map(|&r| if x[r as usize].is_nan() { 0.0 } else { (x[r as usize] * unit - mean) / sd }).collect())
}
