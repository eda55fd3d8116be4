//! The rows of a view as a matrix of standardised columns, and what a linear classifier is made of.

use crate::base::Result;
use crate::model::Standardise;
use crate::model::linear::Linear;
use crate::model::model_columns::holds_categories;
use crate::model::standardise::{mean, spread};
use crate::model::training_classes::TrainingClasses;
use crate::numeric::linalg::{Matrix, dot};
use crate::table::View;

/// Columns of mean 0 and variance 1, missing values at 0; columns of one value are left out.
pub(crate) struct StandardisedMatrix {
    pub(crate) standardise: Standardise,
    pub(crate) x: Matrix,
    /// Positions of the columns in the table.
    pub(crate) features: Vec<usize>,
}

impl StandardisedMatrix {
    /// Cost: a few passes over the columns.
    pub(crate) fn learn(data: &View) -> Result<StandardisedMatrix> {
        let (rows, names) = (data.rows(), data.names());
        let mut x = Matrix::zeros(rows.len(), names.len());
        let mut learned = Standardise { names: vec![], means: vec![], spreads: vec![], samplewise: false };
        let mut features = Vec::new();
        let mut known = Vec::with_capacity(rows.len());
        for at in 0..data.n_features() {
            let values = data.numbers(at).ok_or_else(|| holds_categories(&names[at]))?;
            known.clear();
            known.extend(rows.iter().map(|&r| values[r as usize]).filter(|x| !x.is_nan()));
            if known.is_empty() {
                continue;
            }
            let middle = mean(&known);
            let out = x.column_mut(features.len());
            for (o, &r) in out.iter_mut().zip(rows) {
                let x = values[r as usize];
                *o = if x.is_nan() { middle } else { x };
            }
            let (mean, spread) = (middle, spread(out, middle));
            if spread > 0.0 {
                out.iter_mut().for_each(|o| *o = (*o - mean) / spread);
                learned.names.push(names[at].clone());
                learned.means.push(mean);
                learned.spreads.push(spread);
                features.push(at);
            }
        }
        if features.len() < names.len() {
            x = x.select_columns(&(0..features.len()).collect::<Vec<usize>>());
        }
        Ok(StandardisedMatrix { standardise: learned, x, features })
    }

    /// The mean of each occurring class, a row of `classes.occurring` each; and the rows minus the mean of their class.
    pub(crate) fn centred(&self, classes: &TrainingClasses) -> (Vec<Vec<f64>>, Matrix) {
        let (n, k) = (self.x.n_rows(), self.x.n_columns());
        let mut place = vec![0; classes.shares.len()];
        classes.occurring.iter().enumerate().for_each(|(at, &c)| place[c] = at);
        let counts: Vec<f64> = classes.occurring.iter().map(|&c| classes.count(c)).collect();
        let mut means = vec![vec![0.0; k]; classes.occurring.len()];
        let centred = Matrix::from_columns(n, k, |j, out| {
            let column = self.x.column(j);
            for (x, &c) in column.iter().zip(&classes.codes) {
                means[place[c]][j] += x;
            }
            means.iter_mut().zip(&counts).for_each(|(m, n)| m[j] /= n);
            for ((o, x), &c) in out.iter_mut().zip(column).zip(&classes.codes) {
                *o = x - means[place[c]][j];
            }
        });
        (means, centred)
    }

    /// The discriminant with these means of the occurring classes, of which `solve` gives Σ⁻¹ times them:
    /// scores x·Σ⁻¹m_c − ½ m_c·Σ⁻¹m_c + ln π_c.
    pub(crate) fn discriminant(
        self,
        classes: &TrainingClasses,
        means: &[Vec<f64>],
        solve: impl Fn(&mut [f64]),
    ) -> Linear {
        let mut linear = Linear::majority(&classes.shares);
        linear.weights = vec![vec![0.0; means.first().map_or(0, Vec::len)]; classes.shares.len()];
        for (&c, mean) in classes.occurring.iter().zip(means) {
            let mut w = mean.clone();
            solve(&mut w);
            linear.offsets[c] -= 0.5 * dot(&w, mean);
            linear.weights[c] = w;
        }
        linear.standardise = self.standardise;
        linear
    }
}

/// Σ_ij (AᵀA)_ij² = Σ_ij (AAᵀ)_ij², from whichever is smaller.
///
/// Cost: rows × columns × the smaller of both flops.
pub(crate) fn squared_gram(a: &Matrix) -> f64 {
    let size = a.n_rows().min(a.n_columns());
    let mut gram = Matrix::zeros(size, size);
    if a.n_rows() < a.n_columns() {
        a.outer_gram(&mut gram);
    } else {
        a.add_gram(&mut gram);
    }
    (0..size).map(|j| 2.0 * dot(&gram.column(j)[j..], &gram.column(j)[j..]) - gram.column(j)[j].powi(2)).sum()
}

/// Σ_k a_ik² of every row i.
pub(crate) fn row_squares(a: &Matrix) -> Vec<f64> {
    let mut squares = vec![0.0; a.n_rows()];
    for j in 0..a.n_columns() {
        squares.iter_mut().zip(a.column(j)).for_each(|(s, x)| *s += x * x);
    }
    squares
}
