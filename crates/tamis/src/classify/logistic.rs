//! `logistic`: logistic regression whose ridge is chosen by the evidence.

use crate::base::remedies::CHECK_RANGE;
use crate::base::{Context, Describe, Error, MethodInfo, Place, Progress, Result};
use crate::model::standardised_matrix::StandardisedMatrix;
use crate::model::training_classes::{TrainingClasses, normalise};
use crate::model::{Fitted, Linear};
use crate::numeric::factored_hessian::Curvature;
use crate::numeric::linalg::{Eigen, Matrix, dot};
use crate::numeric::logistic::{ln_sigmoid, sigmoid};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// The precision of the constant, next to nothing.
const CONSTANT: f64 = 1e-6;
/// Logarithms of the least and the largest precision of the weights.
const PRECISIONS: (f64, f64) = (-14.0, 18.5);

/// Logistic regression with a ridge penalty chosen by the evidence.
///
/// ln p/(1 − p) = b + Σ w_k (x_k − m_k)/s_k with w ~ N(0, I/α). The precision α maximises the evidence of the Laplace
/// approximation by MacKay's update α = γ/‖w‖², where γ is the effective number of weights; secant steps make it
/// converge faster. Several classes are separated one against the rest, and their probabilities are divided by their
/// sum. A missing value is replaced by the feature's mean.
///
/// It has no parameters.
///
/// Cost: 10 to 40 steps of rows × features² flops; if features outnumber rows, one product of rows² × features flops
/// and steps of rows³.
///
/// Errors: [`Error::Method`] for weighted rows; [`Error::Data`] for a numeric target, for a column of categories, and
/// for values so large that the fit overflows.
///
/// Reference: MacKay, *The evidence framework applied to classification networks*, Neural Computation 4, 1992.
///
/// ```
/// use tamis::{Context, Method, classify::Logistic, simulate::TwoGaussians};
///
/// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
/// let model = Method::from(Logistic::default()).fit(&drawn.table.view(), &mut Context::default())?;
/// let predictions = model.predict(&drawn.table.view())?;
/// assert_eq!(predictions.probabilities[0].len(), 100);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Logistic {}

/// A trained [`Logistic`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FittedLogistic {
    /// The log odds of each class against the others; for two classes half of them, with opposite signs.
    #[serde(flatten)]
    pub linear: Linear,
    /// The precision α of the weights, for two classes or each class against the others.
    pub precisions: Vec<f64>,
}

/// Log odds as they were found.
struct LogOdds {
    constant: f64,
    weights: Vec<f64>,
    precision: f64,
}

impl Describe for Logistic {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "logistic",
            summary: "a classifier: logistic regression with a ridge penalty chosen by the evidence",
            number_by: "",
            cost: "10 to 40 steps of rows × features × min(rows, features) flops",
            reference: "MacKay, The evidence framework applied to classification networks, 1992",
            parameters: vec![],
        }
    }
}

classifier!(Logistic, FittedLogistic);

impl Logistic {
    pub(super) fn train(&self, data: &View, context: &mut Context) -> Result<FittedLogistic> {
        let classes = TrainingClasses::unweighted(data, "logistic")?;
        let design = StandardisedMatrix::learn(data)?;
        let k = design.x.n_columns();
        let mut linear = Linear::majority(&classes.shares);
        let present = &classes.occurring;
        if k == 0 || present.len() < 2 {
            // with several classes the scores are log odds rather than logarithms of shares
            if present.len() > 2 {
                present.iter().for_each(|&c| linear.offsets[c] = (classes.shares[c] / (1.0 - classes.shares[c])).ln());
            }
            return Ok(FittedLogistic { linear, precisions: vec![] });
        }
        linear.weights = vec![vec![0.0; k]; classes.shares.len()];
        let space = ReducedRows::new(&design.x)?;
        let told = if present.len() == 2 { &present[1..] } else { &present[..] };
        let mut precisions = Vec::new();
        for &class in told {
            let y: Vec<f64> = classes.codes.iter().map(|&c| if c == class { 1.0 } else { -1.0 }).collect();
            let odds = space.fit(&y, context)?;
            if let [first, second] = present[..] {
                for (c, half) in [(second, 0.5), (first, -0.5)] {
                    linear.offsets[c] = half * odds.constant;
                    linear.weights[c] = odds.weights.iter().map(|w| half * w).collect();
                }
            } else {
                linear.offsets[class] = odds.constant;
                linear.weights[class] = odds.weights;
            }
            precisions.push(odds.precision);
        }
        linear.standardise = design.standardise;
        Ok(FittedLogistic { linear, precisions })
    }
}

/// The rows as a matrix with at most as many columns as rows, and the way back to the features.
struct ReducedRows<'a> {
    x: &'a Matrix,
    /// A column of ones, then the columns, rotated or not.
    columns: Matrix,
    /// UD^(−½) for the kept eigenvectors of XXᵀ = UDUᵀ, if features were rotated.
    back: Option<Matrix>,
}

impl<'a> ReducedRows<'a> {
    fn new(x: &'a Matrix) -> Result<ReducedRows<'a>> {
        let (n, k) = (x.n_rows(), x.n_columns());
        let with_ones = |size: usize, column: &dyn Fn(usize, &mut [f64])| {
            Matrix::from_columns(n, size + 1, |j, out| match j {
                0 => out.fill(1.0),
                j => column(j - 1, out),
            })
        };
        if k <= n {
            return Ok(ReducedRows {
                x,
                columns: with_ones(k, &|j, out| out.copy_from_slice(x.column(j))),
                back: None,
            });
        }
        let mut gram = Matrix::zeros(n, n);
        x.outer_gram(&mut gram);
        let Eigen { values, vectors } = Eigen::of(&gram).ok_or_else(no_fit)?;
        let largest = values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..n).filter(|&j| values[j] > 1e-12 * largest).collect();
        let scaled = |j: usize, by: f64, out: &mut [f64]| {
            out.iter_mut().zip(vectors.column(kept[j])).for_each(|(o, u)| *o = u * by);
        };
        let columns = with_ones(kept.len(), &|j, out| scaled(j, values[kept[j]].sqrt(), out));
        let back = Matrix::from_columns(n, kept.len(), |j, out| scaled(j, 1.0 / values[kept[j]].sqrt(), out));
        Ok(ReducedRows { x, columns, back: Some(back) })
    }

    /// Log odds of y = 1 against y = −1.
    fn fit(&self, y: &[f64], progress: &mut dyn Progress) -> Result<LogOdds> {
        const MOST_STEPS: u64 = 100;
        let mut w = vec![0.0; self.columns.n_columns()];
        let share = y.iter().filter(|y| **y > 0.0).count() as f64 / y.len() as f64;
        w[0] = (share / (1.0 - share)).ln();
        // the root of ln(γ/‖w‖²) − ln α: first as MacKay steps, then by secants
        let mut at = (self.x.n_columns() as f64).ln();
        let mut before: Option<(f64, f64)> = None;
        for step in 0..MOST_STEPS {
            progress.step("evidence", step, 0)?;
            let shares = self.mode(y, at.exp(), &mut w)?;
            let determined: f64 = shares[1..].iter().sum();
            let wanted = (determined / dot(&w[1..], &w[1..])).ln().clamp(PRECISIONS.0, PRECISIONS.1);
            let gap = wanted - at;
            if !gap.is_finite() || gap.abs() < 1e-10 {
                break;
            }
            let secant = before.map(|(u, g)| -gap * (at - u) / (gap - g));
            before = Some((at, gap));
            let move_by = match secant {
                Some(s) if s.is_finite() && s * gap > 0.0 => s.clamp(-4.0, 4.0),
                _ => gap,
            };
            at = (at + move_by).clamp(PRECISIONS.0, PRECISIONS.1);
        }
        let weights = match &self.back {
            None => w[1..].to_vec(),
            Some(back) => {
                let mut rows = vec![0.0; back.n_rows()];
                back.times(&w[1..], &mut rows);
                let mut weights = vec![0.0; self.x.n_columns()];
                self.x.transpose_times(&rows, &mut weights);
                weights
            }
        };
        Ok(LogOdds { constant: w[0], weights, precision: at.exp() })
    }

    /// Moves `w` to the mode of the posterior by Newton's method, and says how far the data determine each weight.
    fn mode(&self, y: &[f64], precision: f64, w: &mut Vec<f64>) -> Result<Vec<f64>> {
        const MOST_STEPS: usize = 50;
        let mut diagonal = vec![precision; w.len()];
        diagonal[0] = CONSTANT;
        let mut f = vec![0.0; y.len()];
        let value = |w: &[f64], f: &[f64]| -> f64 {
            let fit: f64 = f.iter().zip(y).map(|(f, y)| ln_sigmoid(f * y)).sum();
            fit - 0.5 * w.iter().zip(&diagonal).map(|(w, d)| d * w * w).sum::<f64>()
        };
        self.columns.times(w, &mut f);
        let mut now = value(w, &f);
        let mut last = false;
        for _ in 0..MOST_STEPS {
            let residual: Vec<f64> = f.iter().zip(y).map(|(f, y)| y * sigmoid(-f * y)).collect();
            let spread: Vec<f64> = f.iter().map(|f| sigmoid(*f) * sigmoid(-f)).collect();
            let mut gradient = vec![0.0; w.len()];
            self.columns.transpose_times(&residual, &mut gradient);
            gradient.iter_mut().zip(&*w).zip(&diagonal).for_each(|((g, w), d)| *g -= d * w);
            let curvature = Curvature::of(&self.columns, &spread, &diagonal).ok_or_else(no_fit)?;
            let mut step = gradient.clone();
            curvature.solve(&mut step);
            let slope = dot(&gradient, &step);
            if last || slope.is_nan() || slope <= 1e-20 * (1.0 + now.abs()) {
                return Ok(curvature.shares());
            }
            last = slope < 1e-11 * (1.0 + now.abs()); // the next step is exact to rounding
            let mut size = 1.0;
            loop {
                let tried: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w + size * s).collect();
                self.columns.times(&tried, &mut f);
                let then = value(&tried, &f);
                if then >= now + 1e-4 * size * slope || last {
                    (*w, now) = (tried, then);
                    break;
                }
                size *= 0.5;
                if size < 1e-10 {
                    self.columns.times(w, &mut f);
                    return Ok(curvature.shares());
                }
            }
        }
        let spread: Vec<f64> = f.iter().map(|f| sigmoid(*f) * sigmoid(-f)).collect();
        Ok(Curvature::of(&self.columns, &spread, &diagonal).ok_or_else(no_fit)?.shares())
    }
}

fn no_fit() -> Error {
    Error::data(Place::default(), "the log odds cannot be fitted", CHECK_RANGE)
}

impl Fitted for FittedLogistic {
    fn column_names(&self) -> Vec<&str> {
        self.linear.column_names()
    }

    fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        let occurring = self.linear.occurring();
        if occurring.len() <= 2 {
            return self.linear.probabilities(data);
        }
        let mut scores = self.linear.scores(data)?;
        scores.iter_mut().flatten().for_each(|s| *s = ln_sigmoid(*s));
        Ok(normalise(scores, &occurring))
    }

    fn fault(&self, classes: usize) -> Option<&'static str> {
        self.linear.fault(classes)
    }
}
