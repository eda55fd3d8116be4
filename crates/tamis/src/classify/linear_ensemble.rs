//! `ensemble`: the sum of three linear classifiers.

use super::dlda::{Dlda, FittedDlda, Shrinkage};
use super::logistic::{FittedLogistic, Logistic};
use super::slda::{FittedSlda, Slda};
use crate::base::parameter::parameters;
use crate::base::{Context, Describe, MethodInfo, Result};
use crate::model::training_classes::{TrainingClasses, bad_shares, normalise};
use crate::model::{Fitted, Linear};
use crate::numeric::logistic::ln_sigmoid;
use crate::table::View;
use serde::{Deserialize, Serialize};

/// Logarithms of probabilities are cut off here before they are averaged.
const LEAST_LOG: f64 = -700.0;

parameters! {
    /// The sum of three linear classifiers: [`Dlda`], [`Slda`] and [`Logistic`].
    ///
    /// With two classes, p = σ(Σ_i l_i/s_i), where l_i are the log odds of classifier i and s_i their standard deviation
    /// over the training rows. With several classes the logarithms of the probabilities are averaged, and the results
    /// divided by their sum. A classifier whose log odds do not vary is left out.
    ///
    /// Cost: the sum of the three.
    ///
    /// Errors: [`Error::Method`](crate::Error::Method) for weighted rows; [`Error::Data`](crate::Error::Data) for a numeric
    /// target and for a column of categories.
    ///
    /// Reference: none; the references of its parts apply.
    ///
    /// ```
    /// use tamis::{Context, Method, classify::Ensemble, simulate::TwoGaussians};
    ///
    /// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
    /// let model = Method::from(Ensemble::default()).fit(&drawn.table.view(), &mut Context::default())?;
    /// let predictions = model.predict(&drawn.table.view())?;
    /// assert_eq!(predictions.probabilities[0].len(), 100);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Ensemble {
        prior: Shrinkage = Shrinkage::None, "none, auto, kde, normal, laplace, npmle",
            "prior that shrinks the class means of dlda";
    }
}

/// A trained [`Ensemble`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FittedEnsemble {
    /// Each class's share of the training rows.
    pub shares: Vec<f64>,
    /// The diagonal discriminant.
    pub dlda: FittedDlda,
    /// The discriminant with shrunken correlations.
    pub slda: FittedSlda,
    /// The logistic regression.
    pub logistic: FittedLogistic,
    /// How much each of them counts: one over the standard deviation of its log odds; 0 leaves it out.
    pub factors: [f64; 3],
}

impl Describe for Ensemble {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "ensemble",
            summary: "a classifier: the sum of dlda, slda and logistic",
            number_by: "",
            cost: "their sum",
            reference: "",
            parameters: Ensemble::described(),
        }
    }
}

classifier!(Ensemble, FittedEnsemble);

impl Ensemble {
    pub(super) fn train(&self, data: &View, context: &mut Context) -> Result<FittedEnsemble> {
        let classes = TrainingClasses::unweighted(data, "ensemble")?;
        let mut fitted = FittedEnsemble {
            shares: classes.shares,
            dlda: Dlda { prior: self.prior }.train(data, context)?,
            slda: Slda::default().train(data, context)?,
            logistic: Logistic::default().train(data, context)?,
            factors: [0.0; 3],
        };
        let mut factors = [0.0; 3];
        for (factor, linear) in factors.iter_mut().zip(fitted.members()) {
            if let [first, second] = fitted.occurring()[..] {
                let odds = log_odds(linear, first, second, data)?;
                let mean = odds.iter().sum::<f64>() / odds.len() as f64;
                let variance = odds.iter().map(|o| (o - mean).powi(2)).sum::<f64>() / odds.len() as f64;
                // a spread that is rounding, beside scores of that size, is none
                let varies = variance.sqrt() > 1e-12 * mean.abs() && variance.sqrt().recip().is_finite();
                *factor = if varies { variance.sqrt().recip() } else { 0.0 };
            } else if !linear.standardise.names.is_empty() {
                *factor = 1.0;
            }
        }
        fitted.factors = factors;
        Ok(fitted)
    }
}

/// The log odds of the second class against the first.
fn log_odds(linear: &Linear, first: usize, second: usize, data: &View) -> Result<Vec<f64>> {
    let scores = linear.scores(data)?;
    Ok(scores[second].iter().zip(&scores[first]).map(|(s, f)| s - f).collect())
}

impl FittedEnsemble {
    fn members(&self) -> [&Linear; 3] {
        [&self.dlda.linear, &self.slda.linear, &self.logistic.linear]
    }

    fn occurring(&self) -> Vec<usize> {
        (0..self.shares.len()).filter(|&c| self.shares[c] > 0.0).collect()
    }
}

impl Fitted for FittedEnsemble {
    fn column_names(&self) -> Vec<&str> {
        let mut known = std::collections::HashSet::new();
        let all = self.members().into_iter().flat_map(Linear::column_names);
        all.filter(|name| known.insert(*name)).collect()
    }

    fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        let occurring = self.occurring();
        let mut scores = vec![vec![0.0; data.rows().len()]; self.shares.len()];
        if self.factors.iter().all(|f| *f == 0.0) {
            return Linear::majority(&self.shares).probabilities(data);
        }
        if let [first, second] = occurring[..] {
            for (linear, factor) in self.members().into_iter().zip(self.factors).filter(|(_, f)| *f > 0.0) {
                let odds = log_odds(linear, first, second, data)?;
                scores[second].iter_mut().zip(odds).for_each(|(s, o)| *s += factor * o);
            }
            for row in 0..data.rows().len() {
                let odds = scores[second][row];
                (scores[first][row], scores[second][row]) = (ln_sigmoid(-odds), ln_sigmoid(odds));
            }
            return Ok(normalise(scores, &occurring));
        }
        let said = [self.dlda.probabilities(data)?, self.slda.probabilities(data)?, self.logistic.probabilities(data)?];
        let count = self.factors.iter().filter(|f| **f > 0.0).count() as f64;
        for (probabilities, _) in said.iter().zip(self.factors).filter(|(_, f)| *f > 0.0) {
            for &c in &occurring {
                let logs = probabilities[c].iter().map(|p| p.ln().max(LEAST_LOG) / count);
                scores[c].iter_mut().zip(logs).for_each(|(s, l)| *s += l);
            }
        }
        Ok(normalise(scores, &occurring))
    }

    fn fault(&self, classes: usize) -> Option<&'static str> {
        if let Some(fault) = bad_shares(&self.shares, classes) {
            return Some(fault);
        }
        if !self.factors.iter().all(|f| *f >= 0.0 && f.is_finite()) {
            return Some("it has a factor that is not a positive number");
        }
        self.dlda.fault(classes).or(self.slda.fault(classes)).or(self.logistic.fault(classes))
    }
}
