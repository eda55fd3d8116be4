//! `auc-curve`: the validation AUC of a linear discriminant as features are added one by one, best first.
//!
//! With the pooled covariance S = LLᵀ of the features in that order, the discriminant on the first t of them is
//! (L_t⁻¹x)·(L_t⁻¹d), and L_t is the corner of L: one factorisation gives the scores of every t as running sums.

use crate::base::parameter::parameters;
use crate::base::{Context, Describe, Error, MethodInfo, OptionName, Place, Progress, Result, text};
use crate::model::Standardise;
use crate::numeric::linalg::{Cholesky, Matrix};
use crate::numeric::roc::auc;
use crate::resample::inner;
use crate::score;
use crate::selection::detail::AucCurveDetail;
use crate::selection::{RankedFeatures, Selection, Selector};
use crate::table::{Target, View};
use serde::{Deserialize, Serialize};

parameters! {
    /// The first features in the order of |t|, up to the largest validation AUC of a linear discriminant; for two classes.
    ///
    /// A stratified share of the rows is held out, of whole groups where rows belong together. Features are ordered by |t| on the other rows; for every m a linear
    /// discriminant on the first m features is scored by its AUC on the rows held out, and the m with the largest AUC is
    /// taken, the smallest of equals. Features that are combinations of earlier ones are skipped. One Cholesky
    /// factorisation serves the whole curve ([`auc_curve`]).
    ///
    /// Cost: features³/3 + features² × rows flops for the whole curve; at most as many features are added as there are
    /// training rows.
    ///
    /// Errors: [`Error::Parameter`] for a share out of its range; [`Error::Method`] for a numeric target and for other than
    /// two classes; [`Error::Data`] for a column of categories and for training rows of a single class.
    ///
    /// Reference: Raykar & Zhao, *Feature selection via sparse non-parametric Bayesian learning*, §5.
    ///
    /// ```
    /// use tamis::{Context, Selector, compose::AucCurve, simulate::TwoGroups};
    ///
    /// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
    /// let selection = AucCurve::default().select(&drawn.table.view(), &mut Context::default())?;
    /// let curve = selection.detail.auc_curve.as_ref().expect("the curve is part of the result");
    /// assert_eq!(curve.order[..selection.selected.len()], selection.selected);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct AucCurve {
        validation: f64 = 0.3, "0.05…0.9", "share of the rows held out for validation";
    }
}

/// The AUC on `valid` of a linear discriminant learned on `train`, for the first 1, 2, … features by the size of t.
///
/// It ends where the covariance of the training rows does: a feature that is a combination of those before it is left
/// out, and so is one of a single value.
pub fn auc_curve(train: &View, valid: &View, progress: &mut dyn Progress) -> Result<AucCurveDetail> {
    /// A feature's variance beyond what those before it explain must be more than rounding.
    const LEAST: f64 = 1e-10;
    train.target().refuse_survival("auc-curve")?;
    let Target::Classes { labels, codes, positive } = train.target() else {
        let remedy = text!["pass ", OptionName::Task.set("classes")];
        return Err(Error::method("auc-curve", "needs classes", remedy));
    };
    if labels.len() != 2 {
        let problem = format!("needs two classes, but there are {}", labels.len());
        return Err(Error::method("auc-curve", problem, "use another method"));
    }
    let scores = score::each_by_itself(train, progress)?;
    let learned = Standardise::learn(train, false)?;
    let size = |k: usize| scores.strength(learned.features[k] as usize);
    let mut order: Vec<usize> = (0..learned.features.len()).filter(|&k| !size(k).is_nan()).collect();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
    if order.is_empty() {
        let remedy = "give more rows, or use another method";
        return Err(Error::method("auc-curve", "finds no feature that its training rows can score", remedy));
    }
    let is_positive: Vec<bool> = train.rows().iter().map(|&r| codes[r as usize] == *positive).collect();
    let (centred, difference) = centred(&learned.x, &order, &is_positive)?;
    progress.step("adding features", 0, 2)?;
    let mut variance = pooled_variance(&centred);
    let kept = independent(&mut variance, LEAST);
    if kept.is_empty() {
        let remedy = "give more rows, or use another method";
        return Err(Error::method(
            "auc-curve",
            "finds no feature that varies within the classes of its training rows",
            remedy,
        ));
    }
    let factor = match Cholesky::factor(sub(&variance, &kept)) {
        Ok(factor) => factor,
        Err(_) => {
            let problem = "the features are combinations of each other";
            return Err(Error::data(Place::default(), problem, "leave out copies"));
        }
    };
    let wanted: Vec<usize> = kept.iter().map(|&j| order[j]).collect();
    let bound = learned.standardise.bind(valid, wanted.clone())?;
    let rows = bound.standardised(valid.rows());
    let (m, t) = (rows.n_rows(), kept.len());
    // a column per validation row, and the difference of the means last
    let mut solved = Matrix::from_fn(t, m + 1, |i, r| if r < m { rows.column(i)[r] } else { difference[kept[i]] });
    progress.step("adding features", 1, 2)?;
    factor.half_solve(&mut solved);
    let truth: Vec<bool> =
        valid.rows().iter().map(|&r| valid.target().code(r as usize) == Some(*positive as usize)).collect();
    let mut scores = vec![0.0; m];
    let mut curve =
        AucCurveDetail { order: wanted.iter().map(|&k| learned.features[k]).collect(), auc: Vec::with_capacity(t) };
    for i in 0..t {
        let weight = solved.column(m)[i];
        scores.iter_mut().enumerate().for_each(|(r, s)| *s += weight * solved.column(r)[i]);
        curve.auc.push(auc(&scores, &truth)?);
    }
    Ok(curve)
}

/// The columns in their order, centred within the classes so that their gram matrix is the pooled scatter; and the
/// difference of the classes' means in each.
fn centred(x: &Matrix, order: &[usize], is_positive: &[bool]) -> Result<(Matrix, Vec<f64>)> {
    let counts =
        [is_positive.iter().filter(|p| !**p).count() as f64, is_positive.iter().filter(|p| **p).count() as f64];
    if counts.contains(&0.0) {
        let problem = "the training rows are all of one class";
        return Err(Error::data(Place::default(), problem, "give rows of both"));
    }
    let mut difference = vec![0.0; order.len()];
    let centred = Matrix::from_columns(x.n_rows(), order.len(), |j, out| {
        let x = x.column(order[j]);
        let mut means = [0.0, 0.0];
        x.iter().zip(is_positive).for_each(|(x, p)| means[usize::from(*p)] += x);
        means = [means[0] / counts[0], means[1] / counts[1]];
        difference[j] = means[1] - means[0];
        out.iter_mut().zip(x).zip(is_positive).for_each(|((o, x), p)| *o = x - means[usize::from(*p)]);
    });
    Ok((centred, difference))
}

/// The pooled covariance of as many of the first columns as the rows can tell apart.
fn pooled_variance(centred: &Matrix) -> Matrix {
    let (n, k) = (centred.n_rows(), centred.n_columns());
    let most = k.min(n.saturating_sub(2)).max(1);
    let mut scatter = Matrix::zeros(most, most);
    centred.select_columns(&(0..most).collect::<Vec<_>>()).add_gram(&mut scatter);
    let freedom = (n as f64 - 2.0).max(1.0);
    Matrix::from_columns(most, most, |j, out| {
        out.iter_mut().zip(scatter.column(j)).for_each(|(o, s)| *o = s / freedom);
    })
}

/// Which columns of a covariance are not combinations of those before them, by elimination; it is left as it was but
/// for the upper half.
fn independent(variance: &mut Matrix, least: f64) -> Vec<usize> {
    let p = variance.n_columns();
    let scales: Vec<f64> = (0..p).map(|j| variance.column(j)[j]).collect();
    // an ordinary factorisation first: where it goes through with room, every column stays
    let whole: Vec<usize> = (0..p).collect();
    if let Ok(factor) = Cholesky::factor(variance.clone())
        && factor.smallest_pivot() > least * scales.iter().copied().fold(f64::INFINITY, f64::min)
    {
        return whole;
    }
    // row by row, leaving out a column whose pivot is nothing beside its own variance
    let mut kept: Vec<usize> = Vec::new();
    let mut rows: Vec<Vec<f64>> = Vec::new(); // of L, over the kept columns
    for j in 0..p {
        let mut row = Vec::with_capacity(kept.len());
        for (at, &i) in kept.iter().enumerate() {
            let dot: f64 = rows[at][..at].iter().zip(&row).map(|(a, b): (&f64, &f64)| a * b).sum();
            row.push((variance.column(i)[j] - dot) / rows[at][at]);
        }
        let pivot = scales[j] - row.iter().map(|x| x * x).sum::<f64>();
        if pivot > least * scales[j] {
            row.push(pivot.sqrt());
            rows.push(row);
            kept.push(j);
        }
    }
    kept
}

/// The lower half over some columns.
fn sub(matrix: &Matrix, which: &[usize]) -> Matrix {
    Matrix::from_fn(which.len(), which.len(), |i, j| if i >= j { matrix.column(which[j])[which[i]] } else { 0.0 })
}

impl Describe for AucCurve {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "auc-curve",
            summary: "features by t, up to the best validation AUC of a linear discriminant; two classes",
            number_by: "the curve's maximum",
            cost: "features³/3 + features² × rows flops, once for the whole curve",
            reference: "Raykar & Zhao, Feature selection via sparse non-parametric Bayesian learning, §5",
            parameters: AucCurve::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        if (0.05..=0.9).contains(&self.validation) {
            return Ok(());
        }
        Err(Error::parameter("validation", self.validation, "it takes 0.05…0.9"))
    }
}

impl Selector for AucCurve {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        self.validate()?;
        let split = inner::holdout(data, self.validation, context.seed)?;
        let (train, valid) = (data.of_these_rows(&split.train)?, data.of_these_rows(&split.test)?);
        let curve = auc_curve(&train, &valid, context)?;
        let best = (0..curve.auc.len()).max_by(|&a, &b| curve.auc[a].total_cmp(&curve.auc[b]).then(b.cmp(&a)));
        let scores = score::each_by_itself(&train, context)?;
        let order = curve.order[..best.map_or(0, |b| b + 1)].to_vec();
        let strengths = (0..scores.z().len()).map(|i| scores.strength(i)).collect();
        let ranked = RankedFeatures { order, scores: strengths, notes: scores.notes.clone() };
        let mut selection = ranked.into_selection(data, self.record(), context.seed);
        selection.scores = scores.into_z();
        selection.detail.auc_curve = Some(curve);
        Ok(selection)
    }
}
