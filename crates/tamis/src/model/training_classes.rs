//! The classes of a view's rows, and their probabilities.

use crate::base::remedies::no_rows;
use crate::base::{Error, OptionName, Place, Result, text};
use crate::table::{Target, View};

/// The target as training needs it.
pub(crate) struct TrainingClasses {
    /// The class of each row of the view.
    pub(crate) codes: Vec<usize>,
    /// Each class's share of the rows' weights; 0 where it has no row.
    pub(crate) shares: Vec<f64>,
    /// The classes that have rows.
    pub(crate) occurring: Vec<usize>,
    /// The class that counts as positive when there are two.
    pub(crate) positive: usize,
}

impl TrainingClasses {
    /// The classes of a view, which must have a row.
    pub(crate) fn of(data: &View) -> Result<TrainingClasses> {
        data.target().refuse_survival("a classifier")?;
        let Target::Classes { codes, labels, .. } = data.target() else {
            let place = Place::default().at_column(data.target_name());
            let remedy = text!["classifiers need classes: pass ", OptionName::Task.set("classes")];
            return Err(Error::data(place, "the target is numeric", remedy));
        };
        if data.rows().is_empty() {
            return Err(no_rows());
        }
        let codes: Vec<usize> = data.rows().iter().map(|&r| codes[r as usize] as usize).collect();
        let mut shares = vec![0.0; labels.len()];
        for (&code, &row) in codes.iter().zip(data.rows()) {
            shares[code] += data.weights().map_or(1.0, |w| w[row as usize]);
        }
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|s| *s /= total);
        let occurring = (0..labels.len()).filter(|&c| shares[c] > 0.0).collect();
        Ok(TrainingClasses { codes, shares, occurring, positive: data.target().positive() })
    }

    /// The classes of a view whose rows have no weights.
    pub(crate) fn unweighted(data: &View, who: &str) -> Result<TrainingClasses> {
        if data.weights().is_some() {
            let remedy = text!["remove ", OptionName::Weight, ", or use dlda, naive-bayes or cart"];
            return Err(Error::method(who, "takes no weights", remedy));
        }
        TrainingClasses::of(data)
    }

    /// How many rows a class has, where rows have no weights.
    pub(crate) fn count(&self, class: usize) -> f64 {
        self.codes.iter().filter(|&&c| c == class).count() as f64
    }
}

/// Logarithms of what is in proportion to probabilities, class by class, turned into probabilities. A class that is
/// not among `occurring` gets 0.
pub(crate) fn normalise(mut scores: Vec<Vec<f64>>, occurring: &[usize]) -> Vec<Vec<f64>> {
    let rows = scores.first().map_or(0, Vec::len);
    for row in 0..rows {
        let largest = occurring.iter().map(|&c| scores[c][row]).fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for &c in occurring {
            scores[c][row] = (scores[c][row] - largest).exp();
            sum += scores[c][row];
        }
        occurring.iter().for_each(|&c| scores[c][row] /= sum);
    }
    for (c, column) in scores.iter_mut().enumerate() {
        if !occurring.contains(&c) {
            column.fill(0.0);
        }
    }
    scores
}

/// Whether shares are those of `classes` classes.
pub(crate) fn bad_shares(shares: &[f64], classes: usize) -> Option<&'static str> {
    if shares.len() != classes {
        Some("its classes do not match the target's")
    } else if !shares.iter().all(|s| (0.0..=1.0).contains(s)) || !shares.iter().any(|s| *s > 0.0) {
        Some("its classes have no shares")
    } else if (shares.iter().sum::<f64>() - 1.0).abs() > 1e-9 {
        Some("the shares of its classes do not sum to one")
    } else {
        None
    }
}
