//! `dlda`: diagonal linear discriminant, its centroids shrunk by a prior that the features themselves tell.

use crate::base::parameter::parameters;
use crate::base::{Context, Describe, MethodInfo, Progress, Result};
use crate::model::linear::shares_as_scores;
use crate::model::model_columns::holds_categories;
use crate::model::training_classes::TrainingClasses;
use crate::model::{Classifier, Linear, Standardise, Training};
use crate::numeric::special::t_to_z;
use crate::score::class_moments::{Grouped, Scratch};
use crate::score::moments::Moments;
use crate::score::score_from_moments::LARGEST;
use crate::selection::{RankedFeatures, Selection};
use crate::sparse_means::{Curves, Prior, Sides, SparseMeans};
use crate::table::{Target, View};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The prior that shrinks the centroids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shrinkage {
    /// Nothing: plain diagonal discriminant.
    None,
    /// Four families of normal mixtures; features that do not matter more likely than not are dropped.
    #[default]
    Auto,
    /// A kernel estimate, as in the paper.
    Kde,
    /// A normal.
    Normal,
    /// A Laplace density.
    Laplace,
    /// Any distribution on a grid.
    Npmle,
}

impl Shrinkage {
    fn prior(self) -> Option<Prior> {
        match self {
            Shrinkage::None => None,
            Shrinkage::Auto => Some(Prior::Auto),
            Shrinkage::Kde => Some(Prior::Kde),
            Shrinkage::Normal => Some(Prior::Normal),
            Shrinkage::Laplace => Some(Prior::Laplace),
            Shrinkage::Npmle => Some(Prior::Npmle),
        }
    }
}

parameters! {
    /// Diagonal linear discriminant analysis, its class means shrunk by empirical Bayes.
    ///
    /// Features are taken as independent normals with the same variance in every class. Let m_c be the mean of a feature in
    /// class c, m its mean over all rows and s its pooled standard deviation. Then t_c = (m_c − m_rest)/(s √(1/n_c +
    /// 1/n_rest)), mapped to a normal score z_c through its degrees of freedom, is N(0, 1) if the class does not differ.
    /// The prior shrinks z_c to an effect μ̂_c, and the standardised centroid becomes d_c = (m_c − m)/s · μ̂_c/z_c. The
    /// score of a class is Σ d_c (x − m)/s − ½ Σ d_c² + ln π_c, summed over the features, where π_c is the class's share of
    /// the rows. `prior=none` gives the usual DLDA.
    ///
    /// A feature whose effects are all zero is dropped; under `prior=auto`, so is every feature that is not selected.
    /// Missing values are left out, in training and in prediction.
    ///
    /// Cost: one pass over the table; then a fit of the prior, one for two classes and otherwise one per class.
    ///
    /// Errors: [`Error::Data`](crate::Error::Data) for a numeric target and for a column of categories.
    ///
    /// Reference: Raykar & Zhao, *Nonparametric prior for adaptive sparsity*, AISTATS 2010, §6.
    ///
    /// ```
    /// use tamis::{Context, Method, classify::Dlda, simulate::TwoGroups};
    ///
    /// let drawn = TwoGroups { features: 200, relevant: 10, ..TwoGroups::default() }.draw(1)?;
    /// let model = Method::from(Dlda::default()).fit(&drawn.table.view(), &mut Context::default())?;
    /// assert!(model.features().len() < 50); // the prior drops features without effect
    /// let predictions = model.predict(&drawn.table.view())?;
    /// assert_eq!(predictions.probabilities[0].len(), 200);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Dlda {
        prior: Shrinkage = Shrinkage::Auto, "auto, none, kde, normal, laplace, npmle",
            "prior that shrinks the class means; auto drops every feature that is not selected";
    }
}

/// A trained [`Dlda`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FittedDlda {
    /// The scores of the classes.
    #[serde(flatten)]
    pub linear: Linear,
}

/// Per column: centre, unit, then for each class z and the (m_c − m)/s that each unit of it stands for.
const CENTRE: usize = 0;
const UNIT: usize = 1;
const CLASSES: usize = 2;

impl Describe for Dlda {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "dlda",
            summary: "a classifier: diagonal discriminant with shrunken class means",
            number_by: "",
            cost: "one pass over the table",
            reference: "Raykar & Zhao, Nonparametric prior for adaptive sparsity, AISTATS 2010, §6",
            parameters: Dlda::described(),
        }
    }
}

impl Classifier for Dlda {
    type Fitted = FittedDlda;

    fn fit(&self, data: &View, context: &mut Context) -> Result<Training<FittedDlda>> {
        Ok(self.train(data, context)?.into())
    }

    fn fit_selecting(&self, data: &View, context: &mut Context) -> Result<(Training<FittedDlda>, Option<Selection>)> {
        let fitted = self.train(data, context)?;
        let selection = self.selection(&fitted, data, context.seed);
        Ok((fitted.into(), Some(selection)))
    }
}

impl Dlda {
    pub(super) fn train(&self, data: &View, context: &mut Context) -> Result<FittedDlda> {
        let classes = TrainingClasses::of(data)?;
        let n_classes = classes.shares.len();
        let Target::Classes { codes, .. } = data.target() else { return Ok(majority(&classes)) };
        if classes.occurring.len() < 2 || data.n_features() == 0 {
            return Ok(majority(&classes));
        }
        let is_text = |at: &usize| data.columns().categories(*at).is_some();
        if let Some(at) = (0..data.n_features()).find(is_text) {
            return Err(holds_categories(&data.names()[at]));
        }
        context.step("scoring", 0, 0)?;
        let groups = Grouped::new(data.rows(), codes, n_classes, data.weights());
        let stride = CLASSES + 2 * n_classes;
        let mut found = vec![f64::NAN; stride * data.n_features()];
        found.par_chunks_mut(stride).enumerate().try_for_each_init(Scratch::default, |scratch, (at, out)| {
            let values = data.numbers(at).ok_or_else(|| holds_categories(&data.names()[at]))?;
            let (moments, _, scale) = groups.scaled_moments(&values, scratch);
            contrasts(moments, scale, out);
            Ok(())
        })?;

        // the effects of each class: for two classes one is the other's negative
        let mut effects: Vec<Vec<f64>> = vec![vec![]; n_classes];
        let two = n_classes == 2 || classes.occurring.len() == 2;
        let first = if n_classes == 2 { classes.positive } else { classes.occurring[0] };
        for &c in &classes.occurring {
            if two && c != first {
                continue;
            }
            let z: Vec<f64> = found.chunks_exact(stride).map(|column| column[CLASSES + 2 * c]).collect();
            effects[c] = self.shrink(z, context)?;
        }
        if two && let Some(&other) = classes.occurring.iter().find(|&&c| c != first) {
            effects[other] = effects[first].iter().map(|e| -e).collect();
        }

        let mut linear = Linear::majority(&classes.shares);
        let Standardise { names, means, spreads, .. } = &mut linear.standardise;
        let mut offsets = shares_as_scores(&classes.shares);
        for (k, column) in found.chunks_exact(stride).enumerate() {
            let d = |c: usize| effects[c][k] * column[CLASSES + 2 * c + 1];
            if column[UNIT].is_nan() || classes.occurring.iter().all(|&c| d(c) == 0.0) {
                continue;
            }
            names.push(data.names()[k].clone());
            means.push(column[CENTRE]);
            spreads.push(column[UNIT]);
            for c in 0..n_classes {
                let d = if classes.shares[c] > 0.0 { d(c) } else { 0.0 };
                linear.weights[c].push(d);
                offsets[c] -= 0.5 * d * d;
            }
        }
        linear.offsets = offsets;
        Ok(FittedDlda { linear })
    }

    /// The features that predictions rest on, by their largest weight among the classes.
    fn selection(&self, fitted: &FittedDlda, data: &View, seed: u64) -> Selection {
        let Linear { standardise, weights, .. } = &fitted.linear;
        let mut scores = vec![0.0; data.names().len()];
        let mut names = data.names().iter().enumerate();
        for (k, name) in standardise.names.iter().enumerate() {
            // both are in the order of the columns
            if let Some((at, _)) = names.by_ref().find(|(_, given)| *given == name) {
                scores[at] = weights.iter().map(|of_class| of_class[k].abs()).fold(0.0, f64::max);
            }
        }
        let mut order: Vec<u32> = (0..scores.len() as u32).filter(|&i| scores[i as usize] > 0.0).collect();
        order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        RankedFeatures { order, scores, notes: vec![] }.into_selection(data, self.record(), seed)
    }

    /// The shrunken scores; NaN becomes 0.
    fn shrink(&self, mut z: Vec<f64>, context: &mut Context) -> Result<Vec<f64>> {
        let Some(prior) = self.prior.prior() else {
            z.iter_mut().for_each(|z| *z = if z.is_nan() { 0.0 } else { *z });
            return Ok(z);
        };
        let means = SparseMeans { prior, ..SparseMeans::default() };
        let mut posterior = means.fit_sides(&z, Sides::Two, Curves::LeftOut, context)?;
        if prior == Prior::Auto {
            // a prediction gains by every feature that matters more likely than not, false ones among them or not
            let unlikely = posterior.irrelevant.iter().map(|p| *p >= 0.5);
            posterior.effects.iter_mut().zip(unlikely).filter(|(_, unlikely)| *unlikely).for_each(|(e, _)| *e = 0.0);
        }
        Ok(posterior.effects)
    }
}

fn majority(classes: &TrainingClasses) -> FittedDlda {
    FittedDlda { linear: Linear::majority(&classes.shares) }
}

/// Fills in what a column says of the classes; NaN where it says nothing.
fn contrasts(classes: &[Moments], scale: f64, out: &mut [f64]) {
    let total = Moments::merge_in_order(classes);
    let n = total.count;
    let present = classes.iter().filter(|c| c.count > 0.0).count();
    let within: f64 = classes.iter().map(|c| c.m2).sum();
    let df = n - present as f64;
    // (m_c − m_rest, √(1/n_c + 1/n_rest), n_rest/n)
    let contrast = |c: &Moments| {
        let rest = n - c.count;
        (total.difference(c) * n / rest, (1.0 / c.count + 1.0 / rest).sqrt(), rest / n)
    };
    let apart = classes.iter().filter(|c| c.count > 0.0).map(|c| total.difference(c).abs()).fold(0.0, f64::max);
    if present < 2 || df <= 0.0 || (within == 0.0 && apart == 0.0) {
        return;
    }
    let largest_t = |s: f64| {
        let t = |c: &Moments| (contrast(c).0 / (s * contrast(c).1)).abs();
        classes.iter().filter(|c| c.count > 0.0).map(t).fold(0.0, f64::max)
    };
    let mut s = (within / df).sqrt();
    if !largest_t(s).is_finite() {
        s = largest_t(1.0) / LARGEST; // no variance within the classes: the largest score is large but finite
    }
    let (centre, unit) = ((total.mean + total.rest) / scale, s / scale);
    if !(centre.is_finite() && unit.is_finite() && unit > 0.0) {
        return;
    }
    out[CENTRE] = centre;
    out[UNIT] = unit;
    for (c, moments) in classes.iter().enumerate() {
        // a class without a value in this column has no score, and says nothing
        let (mut z, mut per_z) = (f64::NAN, 0.0);
        if moments.count > 0.0 {
            let (difference, error, rest) = contrast(moments);
            let t = difference / (s * error);
            z = t_to_z(t, df);
            per_z = error * rest * if z == 0.0 { 1.0 } else { t / z };
        }
        out[CLASSES + 2 * c] = z;
        out[CLASSES + 2 * c + 1] = per_z;
    }
}

super::predicts_by_linear!(FittedDlda);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score;
    use crate::score::{Scale, Statistic};
    use crate::table::{RowWeights, Table, WeightKind};

    /// With gaps, with weights, and with a column that separates the classes.
    #[test]
    fn two_classes_are_scored_as_everywhere_else() {
        let y: Vec<Option<&str>> = (0..30).map(|i| Some(if i % 3 == 0 { "a" } else { "b" })).collect();
        let wave = |by: f64| (0..30).map(|i| (by * f64::from(i)).sin()).collect::<Vec<f64>>();
        let mut gaps = wave(2.3);
        gaps[4] = f64::NAN;
        let perfect = (0..30).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        let columns = vec![wave(1.7), gaps, wave(0.4).iter().map(|x| x * 1e200).collect(), vec![2.0; 30], perfect];
        let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
        let plain = Table::new(names, columns, "y", Target::classes(&y)).expect("a table");
        let weights = (0..30).map(|i| f64::from(1 + i % 4)).collect();
        let weights = RowWeights::new(weights, WeightKind::Frequency).expect("weights");
        let weighted = plain.clone().with_weights(weights).expect("weights");
        for table in [plain, weighted] {
            let data = table.view();
            let Target::Classes { codes, .. } = data.target() else { panic!("classes") };
            let groups = Grouped::new(data.rows(), codes, 2, data.weights());
            let wanted =
                score::compute(&data, Statistic::Pooled, Scale::Z, &mut Context::default()).expect("scores").into_z();
            for k in 0..data.n_features() {
                let mut scratch = Scratch::default();
                let (moments, _, scale) = groups.scaled_moments(&data.numbers(k).expect("numbers"), &mut scratch);
                let mut out = [f64::NAN; CLASSES + 4];
                contrasts(moments, scale, &mut out);
                let z = out[CLASSES + 2];
                match k {
                    3 => assert!(z.is_nan() && wanted[k].is_nan()),
                    4 => assert!(z < -5.0 && z.is_finite()), // a large t, but one that its degrees of freedom allow
                    _ => {
                        let other = -out[CLASSES];
                        assert!((z - wanted[k]).abs() < 1e-12 && (z - other).abs() < 1e-12, "{k}: {z} {}", wanted[k]);
                    }
                }
            }
        }
    }
}
