//! `needed`: its parameters, and its answer.

use super::eigenbasis::Eigenbasis;
use super::findings::findings;
use super::gate::Gate;
use super::model::{Model, SHARES};
use super::plot_data::plot_data;
use super::projection::Projected;
use super::sampler::{self, Visits};
use crate::base::parameter::parameters;
use crate::base::remedies::BETWEEN_0_AND_1;
use crate::base::{Auto, Context, Describe, Error, MethodInfo, Note, NoteKind, Place, Result, counted};
use crate::selection::{FactorProbability, Finding, NeededFeatures, RankedFeatures, RelatedAtAll, Selection, Selector};
use crate::table::{BlockModel, Target, View, block_means};
use serde::{Deserialize, Serialize};

parameters! {
    /// Features that a linear explanation of the target needs, given all the others: of ten copies of one signal it asks for
    /// one.
    ///
    /// y = X_S b + u + e with S a small unknown set of features, b ~ N(0, t·s²), u a tiny effect of every feature (a share h of
    /// the variance that S leaves) and e ~ N(0, (1 − h)·s²). The leading principal components compete with the features as
    /// "factors". s² is integrated out, t and h are averaged over grids, and S is sampled by weighted tempered Gibbs steps in
    /// four independent chains. A finding is a set of interchangeable features of which at least one is in S; the method
    /// names as many, the most probable first, as keep the mean probability of a false one at `fdr`. Nothing is named unless
    /// permuted targets are rarely as strongly related to any feature (p ≤ .05). The features selected are the findings'
    /// leads.
    ///
    /// *Needed* belongs to the smallest linear explanation that the data support. It is predictive, not causal, and given
    /// what was measured: a feature that *is* the batch is named.
    ///
    /// Cost: N²K + N³ flops once (NK² + K³ with more rows than features), then draws × K·|S|, and N·K for every distinct
    /// feature that enters S.
    ///
    /// Errors: [`Error::Parameter`] for a value out of its range; [`Error::Data`] for fewer than 10 rows, a target that
    /// covariates determine, and a table without numeric features that vary.
    ///
    /// Reference: Zanella & Roberts, *Scalable importance tempering and Bayesian variable selection*, JRSS B 81, 2019.
    ///
    /// ```
    /// use tamis::{Context, Selector, needed::Needed, simulate::TwoGaussians};
    ///
    /// // two of five features separate the classes
    /// let drawn = TwoGaussians { rows: 200, features: 5 }.draw(1)?;
    /// let selection = Needed::default().select(&drawn.table.view(), &mut Context::default())?;
    /// let needed = selection.needed.expect("an answer");
    /// assert!(needed.findings.iter().all(|finding| finding.probability > 0.5));
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Needed {
        fdr: f64 = 0.1, "between 0 and 1", "share of named sets that may be expected to be false";
        keep: Auto<Selects> = Auto::Auto, "auto, findings, working, members",
            "the features selected: the findings' leads, the working set that predicts, or all members of findings; auto: the \
             working set where a classifier follows, else the leads";
        draws: usize = 2000, "100 to 1,000,000", "draws of each of the four chains, after a quarter as many that are not counted";
        permutations: usize = 199, "19 to 100,000", "permuted targets that say whether any feature is related to the target";
    }
}

/// Which features `needed` selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Selects {
    /// One for every finding.
    #[default]
    Findings,
    /// Those that predict together, without a claim about any one of them.
    Working,
    /// All members of findings.
    Members,
}

/// Independent chains.
const CHAINS: usize = 4;
/// Nothing is named with a larger p of the gate.
const LEVEL: f64 = 0.05;
pub(super) const FEWEST_ROWS: usize = 10;
/// Tables with more of both need too much memory.
const MOST: (usize, usize) = (5_000, 100_000);
/// Kept columns may take at least so many bytes, and as many as the table.
const LEAST_KEPT: usize = 32 << 20;
/// A factor with a larger probability gets a note.
const LIKELY_FACTOR: f64 = 0.5;

/// Nanoseconds, measured (`tamis-bench needed times`): of a term of a product of matrices; of a flip, of a column in it, and of a
/// column's response; of a cell of the columns whose products are made.
const PRODUCT: f64 = 0.1;
const FLIP: f64 = 1500.0;
const FLIP_COLUMN: f64 = 4.0;
const FLIP_RESPONSE: f64 = 4.0;
const MADE: f64 = 450.0;

impl Describe for Needed {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "needed",
            summary: "features that are needed given all the others, as sets of interchangeable ones with a probability",
            number_by: "the data",
            cost: "rows² × features or rows × features², whichever is less, and four chains of draws × features × size of the set",
            reference: "Zanella & Roberts, Scalable importance tempering and Bayesian variable selection, JRSS B 81, 2019",
            parameters: Needed::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        if !(self.fdr > 0.0 && self.fdr < 1.0) {
            return Err(Error::parameter("fdr", self.fdr, BETWEEN_0_AND_1));
        }
        if !(100..=1_000_000).contains(&self.draws) {
            return Err(Error::parameter("draws", self.draws, "it takes 100 to 1,000,000"));
        }
        if !(19..=100_000).contains(&self.permutations) {
            return Err(Error::parameter("permutations", self.permutations, "it takes 19 to 100,000"));
        }
        Ok(())
    }
}

impl Selector for Needed {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        let (needed, notes) = self.explain(data, context)?;
        let order = match self.keep.or(Selects::Findings) {
            Selects::Findings => needed.leads(),
            Selects::Working => needed.working_set.clone(),
            Selects::Members => needed.findings.iter().flat_map(|finding| finding.members.iter().copied()).collect(),
        };
        let scores = needed.inclusion_probabilities.clone();
        let ranked = RankedFeatures { order, scores, notes };
        let mut selection = ranked.into_plain(data.names(), self.record(), context.seed);
        selection.no_evidence = !needed.gate.open;
        selection.needed = Some(needed);
        selection.keep(data.keep());
        Ok(selection)
    }
}

impl Needed {
    /// Which features are needed, with notes on how the data were read.
    ///
    /// # Errors
    ///
    /// As [`Needed`] says.
    pub fn explain(&self, data: &View, context: &mut Context) -> Result<(NeededFeatures, Vec<Note>)> {
        self.validate()?;
        let data = &data.copies_as_rows()?;
        refuse_too_large(data.rows().len(), data.n_features())?;
        let averaged = block_means(data, BlockModel::Auto)?;
        let data = &averaged.as_ref().map_or_else(|| data.clone(), |table| table.view());
        let mut projected = Projected::of(data, FEWEST_ROWS)?;
        let mut notes: Vec<Note> = averaged.iter().flat_map(|table| table.notes().first().cloned()).collect();
        notes.append(&mut projected.notes);
        let features = std::mem::take(&mut projected.features);
        let gate = Gate::of(&projected, &levels(data, &projected), self.permutations, context.seed, context)?;
        let mut needed = NeededFeatures {
            gate: RelatedAtAll {
                open: gate.p() <= LEVEL,
                p_value: gate.p(),
                exceeded: gate.exceeded,
                permutations: gate.permutations,
            },
            inclusion_probabilities: vec![f64::NAN; data.n_features()],
            ..NeededFeatures::default()
        };
        features.iter().for_each(|&feature| needed.inclusion_probabilities[feature as usize] = 0.0);
        if gate.drawn {
            let text =
                "too few different arrangements of the target; normal numbers take the place of permuted targets";
            notes.push(Note::new(NoteKind::Rotations, text));
        }
        if !needed.gate.open {
            return Ok((needed, notes));
        }
        let bounded = projected.bounded;
        let bytes = (8 * data.rows().len() * features.len()).max(LEAST_KEPT);
        let model = Model::new(Eigenbasis::of(projected)?, bounded, None, bytes);
        let visits = sampler::run(&model, CHAINS, [self.draws / 4, self.draws], context.seed, context)?;
        self.answer(&model, &visits, &features, &mut needed);
        notes.extend(chains_disagree(&needed, data));
        notes.extend(follows_factor(&needed));
        Ok((needed, notes))
    }

    /// With the working set selected, unless somebody has said what is.
    pub(crate) fn for_prediction(self) -> Needed {
        Needed { keep: Auto::Set(self.keep.or(Selects::Working)), ..self }
    }

    /// About how long it takes on one thread: products for the gate and the eigenbasis, columns of products, and flips.
    pub(crate) fn nanoseconds(&self, data: &View) -> f64 {
        let (rows, features) = (data.rows().len() as f64, data.n_features() as f64);
        let responses = data.n_compared().map_or(1.0, |classes| classes.saturating_sub(1).max(1) as f64);
        let rank = rows.min(features);
        let products = rows * features * (rank + responses * self.permutations as f64) + 10.0 * rank.powi(3);
        let flips = CHAINS as f64 * 1.25 * self.draws as f64;
        let flip = FLIP + features * (FLIP_COLUMN + FLIP_RESPONSE * responses);
        PRODUCT * products + MADE * rank * features + flips * flip
    }

    fn answer(&self, model: &Model, visits: &[Visits], features: &[u32], needed: &mut NeededFeatures) {
        let chains = visits.len() as f64;
        let mean = |of: &dyn Fn(&Visits) -> f64| visits.iter().map(of).sum::<f64>() / chains;
        let inclusion: Vec<f64> = (0..model.len()).map(|j| mean(&|visits| visits.inclusion[j])).collect();
        let size = |visits: &Visits| visits.sets().zip(&visits.weights).map(|(set, w)| set.len() as f64 * w).sum();
        needed.effects = mean(&size);
        needed.background = mean(&|visits| visits.shares.iter().zip(SHARES).map(|(weight, h)| weight * h).sum());
        needed.factors = inclusion[model.features..]
            .iter()
            .zip(1..)
            .map(|(&probability, component)| FactorProbability { component, probability })
            .collect();
        let inclusion = &inclusion[..model.features];
        features.iter().zip(inclusion).for_each(|(&feature, p)| needed.inclusion_probabilities[feature as usize] = *p);
        let of_table = |members: &[u32]| members.iter().map(|&j| features[j as usize]).collect::<Vec<u32>>();
        needed.findings = findings(model, inclusion, visits, self.fdr)
            .into_iter()
            .map(|set| Finding::new(of_table(&set.members), set.probability, set.correlation, set.disputed))
            .collect();
        let mut best: Vec<u32> = (0..model.features as u32).collect();
        best.sort_by(|&a, &b| inclusion[b as usize].total_cmp(&inclusion[a as usize]));
        best.truncate((needed.effects.round() as usize).max(1));
        needed.working_set = of_table(&best);
        needed.detail = plot_data(model, visits, features, &needed.findings, &needed.working_set, &needed.factors);
    }
}

/// Numbers that are equal for rows of equal targets.
fn levels(data: &View, projected: &Projected) -> Vec<u32> {
    if let Target::Classes { codes, .. } = data.target() {
        return data.rows().iter().map(|&row| codes[row as usize]).collect();
    }
    let value = |row: u32| match data.target() {
        Target::Real { values } | Target::Survival { times: values, .. } => values[row as usize],
        Target::Classes { .. } => 0.0,
    };
    let mut order: Vec<usize> = (0..projected.columns.n_rows()).collect();
    order.sort_by(|&a, &b| value(data.rows()[a]).total_cmp(&value(data.rows()[b])));
    let mut levels = vec![0; order.len()];
    let same = |a: &usize, b: &usize| value(data.rows()[*a]) == value(data.rows()[*b]);
    for (level, tied) in (0..).zip(order.chunk_by(same)) {
        tied.iter().for_each(|&at| levels[at] = level);
    }
    levels
}

fn refuse_too_large(rows: usize, features: usize) -> Result<()> {
    if rows <= MOST.0 || features <= MOST.1 {
        return Ok(());
    }
    let gigabytes = 2.0 * 8.0 * rows as f64 * features as f64 / 1e9;
    let problem = format!("{rows} rows of {features} features need about {gigabytes:.0} GB of memory");
    Err(Error::data(Place::default(), problem, "select features with `snbl` first, then ask which of them are needed"))
}

fn chains_disagree(needed: &NeededFeatures, data: &View) -> Option<Note> {
    let disputed = needed.findings.iter().filter(|finding| finding.disputed);
    let names: Vec<String> = disputed.map(|finding| data.names()[finding.lead() as usize].clone()).collect();
    let text =
        "{}: independent chains disagree, so the least of their probabilities is given; more `draws` may settle it";
    Note::counting(NoteKind::ChainsDisagree, text, names)
}

/// A batch, or another factor that many features share.
fn follows_factor(needed: &NeededFeatures) -> Option<Note> {
    let likely = needed.factors.iter().filter(|factor| factor.probability > LIKELY_FACTOR);
    let named: Vec<String> =
        likely.map(|factor| format!("component {} with P = {:.2}", factor.component, factor.probability)).collect();
    let text = format!(
        "the target follows {} shared by many features ({}): is there a batch?",
        if named.len() == 1 { "a factor".into() } else { counted(named.len(), "factor") },
        named.join(", ")
    );
    (!named.is_empty()).then(|| Note::new(NoteKind::FollowsFactor, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_beyond_memory_are_refused_with_the_memory_they_need() {
        assert!(refuse_too_large(5_000, 1_000_000).is_ok() && refuse_too_large(1_000_000, 100_000).is_ok());
        let error = refuse_too_large(6_000, 200_000).expect_err("too large").to_string();
        assert!(error.contains("6000 rows of 200000 features need about 19 GB"), "{error}");
        assert!(error.contains("snbl"), "{error}");
    }

    #[test]
    fn the_estimated_time_grows_with_rows_features_and_draws() {
        let drawn = crate::simulate::TwoGaussians { rows: 60, features: 30 }.draw(1).expect("a table");
        let view = drawn.table.view();
        let own = Needed::default();
        let half: Vec<u32> = (0..30).map(|row| 2 * row).collect();
        let fewer = view.of_these_rows(&half).expect("rows");
        assert!(own.nanoseconds(&fewer) < own.nanoseconds(&view));
        assert!(own.nanoseconds(&view) < Needed { draws: 4000, ..own }.nanoseconds(&view));
    }
}
