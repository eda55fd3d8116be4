//! The method `npfs`: a base, its bootstraps, and the test.

use super::decide::{
    Adjust, adjusted, binomial_tail, critical_value, hoeffding_half_width, mean_kuncheva, pooled_p_values,
    settled_after,
};
use crate::base::{
    Auto, Command, Context, Describe, Error, MethodInfo, Note, NoteKind, OptionName, Parameter, Place, Progress,
    Result, parameter, text,
};
use crate::codes::{Codes, Discretise};
use crate::filter::{F, Fisher, L21, T, TraceRatio};
use crate::information::{Criterion, DISCRETISE, FORM, Form};
use crate::resample::bootstrap::{bootstrap, half_sample, permutation};
use crate::score::{self, Scale, Statistic};
use crate::selection::detail::{NpfsDetail, PictureRow};
use crate::selection::{K, RankedFeatures, Selection, Selector, near_duplicates};
use crate::sparse_means::Snbl;
use crate::table::{Table, Target, View};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// The selector that is run on every bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// Joint mutual information, as in the paper.
    #[default]
    Jmi,
    /// Relevance less redundancy.
    Mrmr,
    /// Mutual information.
    Mim,
    /// Conditional mutual information.
    Cmim,
    /// Symmetrical relevance.
    Disr,
    /// The least joint mutual information.
    Jmim,
    /// Fisher's score.
    Fisher,
    /// The trace ratio.
    TraceRatio,
    /// L2,1 regression.
    L21,
    /// Welch's or Pearson's t.
    T,
    /// Analysis of variance.
    F,
    /// Empirical Bayes, which chooses its own number.
    Snbl,
    /// A selector from elsewhere, known by its matrix of runs ([`decide_matrix`]).
    Matrix,
}

/// What a count is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NullModel {
    /// The same bootstraps with the target permuted.
    #[default]
    Permutation,
    /// A binomial with the chance of a blind choice, as in the paper.
    Binomial,
    /// A fixed share of half-samples (Meinshausen & Bühlmann 2010).
    Stability,
}

/// Bootstrap + base selector + test (Ditzler, Polikar & Rosen).
///
/// A feature is relevant if it is chosen more often than an irrelevant one would be. The paper takes each choice as a
/// coin of probability k/K (`null=binomial`); but the bootstraps share one sample, so chance winners keep winning, and
/// the default learns from permuted targets how often that happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Npfs {
    /// The selector run on every bootstrap.
    pub base: Base,
    /// How many features it chooses (not for `base=snbl`).
    pub k: Auto<usize>,
    /// Difference or quotient (`base=mrmr`).
    pub form: Form,
    /// How columns of numbers are cut (information bases).
    pub discretise: Discretise,
    /// Into how many levels.
    pub bins: usize,
    /// How many bootstraps.
    pub bootstraps: usize,
    /// What counts are compared with.
    pub null: NullModel,
    /// The level of the test; auto: .05 with permutations, .01 with the binomial.
    pub alpha: Auto<f64>,
    /// How p-values are adjusted; auto: `bh` with permutations, `none` with the binomial.
    pub adjust: Auto<Adjust>,
    /// Added to the chance of a blind choice (`null=binomial`).
    pub beta: f64,
    /// How many permutations (`null=permutation`); auto: max(20, 1/alpha).
    pub permutations: Auto<usize>,
    /// Stop as soon as every feature is settled (`null=binomial`).
    pub early_stop: bool,
    /// Whether the result carries which feature was chosen in which bootstrap.
    pub matrix: bool,
}

impl Default for Npfs {
    fn default() -> Self {
        Npfs {
            base: Base::Jmi,
            k: Auto::Auto,
            form: Form::Difference,
            discretise: Discretise::Width,
            bins: 10,
            bootstraps: 100,
            null: NullModel::Permutation,
            alpha: Auto::Auto,
            adjust: Auto::Auto,
            beta: 0.0,
            permutations: Auto::Auto,
            early_stop: false,
            matrix: false,
        }
    }
}

const TEST: [Parameter; 8] = [
    Parameter { name: "bootstraps", range: "2…1000000", purpose: "how often the base is run" },
    Parameter {
        name: "null",
        range: "permutation, binomial, stability",
        purpose: "what counts, weighted by what a feature explains alone, are compared with: permuted targets; or plain \
                  counts with the paper's coin, or with 90 % of half-samples",
    },
    Parameter { name: "alpha", range: "auto, 0…1", purpose: "the level; auto: .05, and .01 with null=binomial" },
    Parameter {
        name: "adjust",
        range: "auto, bh, holm, none",
        purpose: "for many tests; auto: bh, and none with null=binomial as in the paper",
    },
    Parameter { name: "beta", range: "0…1", purpose: "added to the chance of a blind choice with null=binomial" },
    Parameter {
        name: "permutations",
        range: "auto, 1…100000",
        purpose: "with null=permutation; auto: the larger of 20 and 1/alpha",
    },
    Parameter {
        name: "early_stop",
        range: "true, false",
        purpose: "with null=binomial, stop once no bootstrap can change a decision; counts are then partial",
    },
    Parameter { name: "matrix", range: "true, false", purpose: "put which was chosen when into the result" },
];

const BASE: Parameter = Parameter {
    name: "base",
    range: "jmi, mrmr, mim, cmim, disr, jmim, fisher, trace-ratio, l21, t, f, snbl",
    purpose: "the selector that is run on every bootstrap",
};

/// The test of [`decide_matrix`] with some of its parameters set from text: `null`, `alpha`, `adjust`, `beta`.
pub fn matrix_test(settings: &[(&str, &str)]) -> Result<Npfs> {
    let known: Vec<Parameter> =
        TEST.into_iter().filter(|p| ["null", "alpha", "adjust", "beta"].contains(&p.name)).collect();
    let test =
        parameter::set(Npfs { base: Base::Matrix, null: NullModel::Binomial, ..Npfs::default() }, &known, settings)?;
    test.validate()?;
    test.check_effect(&settings.iter().map(|(key, _)| *key).collect::<Vec<_>>())?;
    Ok(test)
}

impl Base {
    pub(super) fn criterion(self, form: Form) -> Option<Criterion> {
        Some(match self {
            Base::Jmi => Criterion::Jmi,
            Base::Mrmr => form.criterion(),
            Base::Mim => Criterion::Mim,
            Base::Cmim => Criterion::Cmim,
            Base::Disr => Criterion::Disr,
            Base::Jmim => Criterion::Jmim,
            _ => return None,
        })
    }
}

/// The features chosen in every bootstrap, of the data and under every permutation, by position in the table.
pub(super) struct Runs {
    pub(super) chosen: Vec<Vec<u32>>,
    /// How often each feature was chosen under each permutation.
    pub(super) null: Vec<Vec<u32>>,
    /// What share of the target each feature explains by itself, for the data and under each permutation.
    pub(super) alone: Vec<Vec<f64>>,
    /// Features that can be chosen.
    pub(super) usable: Vec<u32>,
    pub(super) notes: Vec<Note>,
    pub(super) k: Option<usize>,
}

impl Describe for Npfs {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "npfs",
            summary: "a filter on many bootstraps; a test says which features are chosen too often for chance",
            number_by: "the test",
            cost: "bootstraps × (1 + permutations) times the base, a fraction of that for information bases",
            reference: "Ditzler, Polikar & Rosen, A bootstrap based Neyman–Pearson test for identifying variable \
                        importance, IEEE TNNLS 26(4), 2015",
            parameters: [BASE, K, FORM].into_iter().chain(DISCRETISE).chain(TEST).collect(),
        }
    }

    fn validate(&self) -> Result<()> {
        let alpha = self.alpha();
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(Error::parameter("alpha", alpha, "it takes a number between 0 and 1, neither included"));
        }
        if !(0.0..=1.0).contains(&self.beta) {
            return Err(Error::parameter("beta", self.beta, "it takes 0…1"));
        }
        if self.k == Auto::Set(0) {
            return Err(Error::parameter("k", 0, "at least one feature must be chosen"));
        }
        if self.base == Base::Matrix && self.null == NullModel::Permutation {
            let expected = "a ready matrix has no target to permute; it takes binomial or stability";
            return Err(Error::parameter("null", "permutation", expected));
        }
        if !(2..=1_000_000).contains(&self.bootstraps) {
            return Err(Error::parameter("bootstraps", self.bootstraps, "it takes 2…1000000"));
        }
        if !(2..256).contains(&self.bins) {
            return Err(Error::parameter("bins", self.bins, "it takes 2…255"));
        }
        if let Auto::Set(n) = self.permutations
            && !(1..=100_000).contains(&n)
        {
            return Err(Error::parameter("permutations", n, "it takes 1…100000"));
        }
        Ok(())
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        let information = self.base.criterion(self.form).is_some();
        match key {
            "k" if self.base == Base::Snbl => Some("base"),
            "form" if self.base != Base::Mrmr => Some("base"),
            "discretise" | "bins" if !information => Some("base"),
            "bins" if !self.discretise.has_bins() => Some("discretise"),
            "beta" | "early_stop" if self.null != NullModel::Binomial => Some("null"),
            "early_stop" if self.adjust() != Adjust::None => Some("adjust"),
            "permutations" if self.null != NullModel::Permutation => Some("null"),
            "alpha" | "adjust" if self.null == NullModel::Stability => Some("null"),
            _ => None,
        }
    }
}

impl Npfs {
    fn alpha(&self) -> f64 {
        self.alpha.or(if self.null == NullModel::Binomial { 0.01 } else { 0.05 })
    }

    fn adjust(&self) -> Adjust {
        self.adjust.or(if self.null == NullModel::Binomial { Adjust::None } else { Adjust::Bh })
    }

    /// How many permutations there are; none but with `null=permutation`.
    pub fn permutations(&self) -> usize {
        match self.null {
            NullModel::Permutation => self.permutations.or(((1.0 / self.alpha()).ceil() as usize).max(20)),
            _ => 0,
        }
    }

    /// Sample number `b` of so many rows: how often each is drawn.
    pub fn draw(&self, seed: u64, b: usize, rows: usize, weights: Option<&[f64]>) -> Vec<u32> {
        match self.null {
            NullModel::Stability => half_sample(seed, b as u64, rows),
            _ => bootstrap(seed, b as u64, rows, weights),
        }
    }

    /// What settles a feature, if bootstraps may stop early.
    pub(super) fn stop_value(&self, k: usize, features: usize) -> Result<Option<u64>> {
        if !self.early_stop || self.null != NullModel::Binomial || self.adjust() != Adjust::None {
            return Ok(None);
        }
        let p0 = self.chance(k as f64, features)?;
        Ok(Some(critical_value(self.bootstraps as u64, p0, self.alpha())))
    }

    /// Drops the bootstraps behind the one that settled every feature.
    pub(super) fn stop(&self, runs: &mut Runs, features: usize, critical: Option<u64>) -> bool {
        let Some(critical) = critical else { return false };
        match settled_after(&runs.chosen, features, critical, self.bootstraps as u64) {
            Some(n) => {
                runs.chosen.truncate(n);
                true
            }
            None => false,
        }
    }

    /// k/K + β.
    fn chance(&self, chosen: f64, features: usize) -> Result<f64> {
        let p0 = chosen / features as f64 + self.beta;
        if p0 > 1.0 {
            let expected = format!("{chosen:.1} of {features} features plus it must not exceed 1; lower it");
            return Err(Error::parameter("beta", self.beta, expected));
        }
        Ok(p0)
    }

    /// All runs of any other base.
    fn by_method(&self, data: &View, context: &mut Context) -> Result<Runs> {
        let seed = context.seed;
        let first = self.base_selector(self.k).select(data, &mut Context::seeded(seed)).map_err(about_base)?;
        let usable: Vec<u32> = (0..first.names.len() as u32).filter(|&i| !first.scores[i as usize].is_nan()).collect();
        let k = (self.base != Base::Snbl).then_some(first.selected.len());
        let base = self.base_selector(k.map_or(Auto::Auto, Auto::Set));
        let kinds = [NoteKind::ConstantFeature, NoteKind::TooFewValues, NoteKind::MissingValues, NoteKind::FewFeatures];
        let mut notes: Vec<Note> = first.notes.into_iter().filter(|n| kinds.contains(&n.kind)).collect();
        let rows = data.rows();
        let mut targets = vec![data.target().clone()];
        for r in 0..self.permutations() {
            targets.push(permuted(data, &permutation(seed, r as u64, rows.len())));
        }
        let own: Option<Vec<f64>> = data.weights().map(|w| rows.iter().map(|&r| w[r as usize]).collect());
        let n_rows = data.target().len();
        let mut runs = Runs {
            chosen: vec![],
            null: vec![vec![0; data.names().len()]; targets.len() - 1],
            alone: targets.par_iter().map(|target| self.explained(base.as_ref(), &data.permuted(target))).collect(),
            usable,
            notes: vec![],
            k,
        };
        let critical = match k {
            Some(k) => self.stop_value(k, runs.usable.len())?,
            None => None,
        };
        let mut failed = 0;
        let at_once = rayon::current_num_threads().max(2);
        for from in (0..self.bootstraps).step_by(at_once) {
            context.step("bootstrapping", from as u64, self.bootstraps as u64)?;
            let batch = from..(from + at_once).min(self.bootstraps);
            let chosen: Vec<Vec<Option<Vec<u32>>>> = batch
                .into_par_iter()
                .map(|b| {
                    let drawn = self.draw(seed, b, rows.len(), own.as_deref());
                    let mut weights = vec![0.0; n_rows];
                    rows.iter().zip(drawn).for_each(|(&r, w)| weights[r as usize] = f64::from(w));
                    let choose = |target: &Target| {
                        let sample = data.permuted(target).bootstrapped(&weights);
                        let selected = base.select(&sample, &mut Context::seeded(seed));
                        // a sample without two rows of every class, say, chooses nothing
                        selected.ok().map(|s| s.selected)
                    };
                    targets.iter().map(choose).collect()
                })
                .collect();
            for lanes in chosen {
                for (r, features) in lanes.into_iter().enumerate() {
                    failed += usize::from(features.is_none());
                    let features = features.unwrap_or_default();
                    match r {
                        0 => runs.chosen.push(features),
                        r => features.iter().for_each(|&i| runs.null[r - 1][i as usize] += 1),
                    }
                }
            }
            if self.stop(&mut runs, data.names().len(), critical) {
                break;
            }
        }
        if failed > 0 {
            let text = format!(
                "{failed} of {} samples had too few rows of some class for the base, and chose nothing",
                runs.chosen.len() * targets.len()
            );
            notes.push(Note::new(NoteKind::FailedSamples, text));
        }
        runs.notes = notes;
        Ok(runs)
    }

    /// The share of the target that each feature explains by itself, 0…1: of its variance, for most bases.
    fn explained(&self, base: &(dyn Selector + Sync), data: &View) -> Vec<f64> {
        let nothing = || vec![0.0; data.names().len()];
        let statistic = match self.base {
            Base::F => Statistic::F,
            Base::T | Base::Snbl => Statistic::Auto,
            _ => {
                let found = base.select(data, &mut Context::default());
                return found.map_or_else(|_| nothing(), |s| s.scores.iter().map(|s| s / (1.0 + s)).collect());
            }
        };
        match score::compute(data, statistic, Scale::Z, &mut Context::default()) {
            Ok(scores) => (0..scores.z().len()).map(|i| scores.explained(i, data.rows().len())).collect(),
            Err(_) => nothing(),
        }
    }

    /// The base as a method of its own.
    fn base_selector(&self, k: Auto<usize>) -> Box<dyn Selector + Sync> {
        match self.base {
            Base::Fisher => Box::new(Fisher { k }),
            Base::TraceRatio => Box::new(TraceRatio { k }),
            Base::L21 => Box::new(L21 { k, ..L21::default() }),
            Base::T => Box::new(T { k }),
            Base::F => Box::new(F { k }),
            _ => Box::new(Snbl::default()),
        }
    }
}

/// An error of the base in terms of the parameter that names it.
fn about_base(error: Error) -> Error {
    let rename = |name| if name == OptionName::Method { "base".into() } else { name };
    match error {
        Error::Method { method, problem, remedy } => {
            Error::Method { method, problem: problem.renamed(rename), remedy: remedy.renamed(rename) }
        }
        other => other,
    }
}

/// A target whose rows, those of the view, are in another order.
fn permuted(data: &View, order: &[u32]) -> Target {
    let rows = data.rows();
    let mut target = data.target().clone();
    match (&mut target, data.target()) {
        (Target::Classes { codes: new, .. }, Target::Classes { codes: old, .. }) => {
            rows.iter().zip(order).for_each(|(&r, &o)| new[r as usize] = old[rows[o as usize] as usize]);
        }
        (Target::Real { values: new }, Target::Real { values: old }) => {
            rows.iter().zip(order).for_each(|(&r, &o)| new[r as usize] = old[rows[o as usize] as usize]);
        }
        _ => {}
    }
    target
}

impl Selector for Npfs {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        self.validate()?;
        self.check_use(data.weights().is_some())?;
        let runs = match self.base.criterion(self.form) {
            Some(criterion) => {
                let codes = Codes::learn(data, self.discretise, self.bins, context)?;
                self.by_information(criterion, &codes, data.names().len(), context)?
            }
            None => self.by_method(data, context)?,
        };
        self.answer(runs, data.names(), context.seed, |selection| near_duplicates::annotate(selection, data))
    }
}

impl Npfs {
    /// The test on runs of a selector from elsewhere: the features chosen in every bootstrap ([`Npfs::draw`]), and for
    /// each permutation of the target ([`permutation`]) how often each feature was chosen. What share of the target a
    /// feature explains by itself is told by its score, z²/(z² + rows).
    pub fn decide_runs(
        &self,
        data: &View,
        chosen: Vec<Vec<u32>>,
        null: Vec<Vec<u32>>,
        context: &mut Context,
    ) -> Result<Selection> {
        Npfs { base: Base::F, ..self.clone() }.validate()?;
        let (rows, features) = (data.rows().len(), data.names().len());
        let fits = chosen.iter().flatten().all(|&i| (i as usize) < features)
            && null.iter().all(|counts| counts.len() == features);
        if chosen.len() != self.bootstraps || null.len() != self.permutations() || !fits {
            let problem = format!("{} runs and {} permutations do not fit the test", chosen.len(), null.len());
            return Err(Error::data(Place::default(), problem, "give what it asks for"));
        }
        let targets: Vec<Target> =
            (0..null.len() as u64).map(|r| permuted(data, &permutation(context.seed, r, rows))).collect();
        let mut alone = Vec::with_capacity(targets.len() + 1);
        let (mut usable, mut notes) = (vec![], vec![]);
        for target in std::iter::once(data.target()).chain(&targets) {
            let found = score::compute(&data.permuted(target), Statistic::Auto, Scale::Z, context)?;
            if alone.is_empty() {
                usable = (0..features as u32).filter(|&i| !found.z()[i as usize].is_nan()).collect();
                notes.clone_from(&found.notes);
            }
            alone.push((0..features).map(|i| found.explained(i, rows)).collect::<Vec<f64>>());
        }
        if usable.is_empty() {
            let problem = "no feature can be scored: every one is constant or has too few values";
            return Err(Error::data(Place::default(), problem, "check that the right columns and rows are read"));
        }
        let runs = Runs { chosen, null, alone, usable, notes, k: None };
        let resolved = Npfs { base: Base::Matrix, ..self.clone() };
        let annotate = |selection: &mut Selection| near_duplicates::annotate(selection, data);
        self.decide(runs, data.names(), resolved, context.seed, annotate)
    }

    /// Refuses what no table can be given to.
    pub(super) fn check_use(&self, weighted: bool) -> Result<()> {
        if self.base == Base::Matrix {
            return Err(Error::parameter("base", "matrix", text!["run ", Command::NpfsDecide, " for a ready matrix"]));
        }
        if self.null == NullModel::Stability && weighted {
            let remedy =
                text!["pass ", OptionName::from("null").set("permutation"), ", or remove ", OptionName::Weight];
            return Err(Error::method("npfs", "takes no weights with null=stability, which halves the rows", remedy));
        }
        Ok(())
    }

    /// From the runs to the answer, its parameters resolved.
    pub(super) fn answer(
        &self,
        runs: Runs,
        names: &Arc<[String]>,
        seed: u64,
        annotate: impl FnOnce(&mut Selection),
    ) -> Result<Selection> {
        let mut resolved = self.clone();
        resolved.k = runs.k.map_or(self.k, Auto::Set);
        self.decide(runs, names, resolved, seed, annotate)
    }

    /// From the runs to the answer; `annotate` adds what needs more than the runs.
    fn decide(
        &self,
        runs: Runs,
        names: &Arc<[String]>,
        resolved: Npfs,
        seed: u64,
        annotate: impl FnOnce(&mut Selection),
    ) -> Result<Selection> {
        let features = names.len();
        let (mut detail, mut selected, notes) = self.test(&runs, features)?;
        let mut notes: Vec<Note> = runs.notes.into_iter().chain(notes).collect();
        if self.matrix {
            detail.matrix = matrix(&runs.chosen, features);
        }
        let mut scores = vec![f64::NAN; features];
        runs.usable.iter().for_each(|&i| scores[i as usize] = detail.frequency[i as usize]);
        // among features chosen equally often, those chosen earlier come first
        let mut early = vec![0_u64; features];
        for some in &runs.chosen {
            some.iter().enumerate().for_each(|(at, &i)| early[i as usize] += (some.len() - at) as u64);
        }
        // what decides comes first; among equals, how often and how early a feature was chosen
        let value = |i: u32| {
            let explained = detail.explained.get(i as usize).copied().unwrap_or(0.0);
            statistic(detail.counts[i as usize], runs.chosen.len(), explained)
        };
        let better = |&a: &u32, &b: &u32| {
            let key = |i: u32| (detail.counts[i as usize], early[i as usize]);
            value(b).total_cmp(&value(a)).then(key(b).cmp(&key(a))).then(a.cmp(&b))
        };
        selected.sort_by(better);
        if selected.is_empty() && self.null != NullModel::Stability {
            notes.push(Note::new(NoteKind::NothingSelected, "no feature is chosen more often than chance explains"));
        }
        let adjusted = (!detail.adjusted.is_empty()).then(|| detail.adjusted.clone());
        let mut selection =
            RankedFeatures { order: selected, scores, notes }.into_plain(names, resolved.record(), seed);
        annotate(&mut selection);
        let mut all: Vec<u32> = (0..features as u32).collect();
        all.sort_by(|a, b| {
            let aside = |i: u32| selection.scores[i as usize].is_nan();
            aside(*a).cmp(&aside(*b)).then(better(a, b))
        });
        all.iter().zip(1..).for_each(|(&i, rank)| selection.ranks[i as usize] = rank);
        selection.q_values = adjusted;
        detail.picture = picture(&runs.chosen, &all, &detail.counts);
        selection.detail.npfs = Some(detail);
        Ok(selection)
    }

    /// Counts, p-values, decisions and what should be said of them.
    fn test(&self, runs: &Runs, features: usize) -> Result<(NpfsDetail, Vec<u32>, Vec<Note>)> {
        const INTERVAL: f64 = 0.05;
        const STABLE: f64 = 0.9;
        let n = runs.chosen.len();
        let mut counts = vec![0_u32; features];
        runs.chosen.iter().flatten().for_each(|&i| counts[i as usize] += 1);
        let sizes: Vec<u32> = runs.chosen.iter().map(|c| c.len() as u32).collect();
        let mean_chosen = sizes.iter().map(|s| f64::from(*s)).sum::<f64>() / n as f64;
        let usable = &runs.usable;
        let among: Vec<u32> = usable.iter().map(|&i| counts[i as usize]).collect();
        let mut detail = NpfsDetail {
            frequency: counts.iter().map(|z| f64::from(*z) / n as f64).collect(),
            half_width: hoeffding_half_width(n as u64, INTERVAL),
            p0: mean_chosen / usable.len() as f64,
            mean_chosen,
            kuncheva: mean_kuncheva(&among, &sizes),
            bootstraps: n,
            ..NpfsDetail::default()
        };
        let mut notes = Vec::new();
        let alpha = self.alpha();
        let selected: Vec<u32> = match self.null {
            NullModel::Stability => {
                detail.critical_value = Some((STABLE * n as f64).floor() as u64);
                usable.iter().copied().filter(|&i| f64::from(counts[i as usize]) > STABLE * n as f64).collect()
            }
            NullModel::Binomial => {
                let total = self.bootstraps as u64;
                detail.p0 = self.chance(mean_chosen, usable.len())?;
                let critical = critical_value(total, detail.p0, alpha);
                detail.critical_value = Some(critical);
                let text = "bootstraps of one sample are not independent, as null=binomial takes them to be: expect features \
                            that won by chance among these (null=permutation learns how often that happens)";
                notes.push(Note::new(NoteKind::BinomialNull, text));
                if critical == total {
                    let remedy = match self.base {
                        Base::Matrix => "choose fewer features in a run, or make more runs",
                        _ => "lower `k` or raise `bootstraps`",
                    };
                    let text = format!(
                        "the test can never reject: even a feature chosen in all {total} bootstraps would not be \
                         unusual where each is chosen with probability {:.2}; {remedy}",
                        detail.p0
                    );
                    notes.push(Note::new(NoteKind::CannotReject, text));
                }
                let p: Vec<f64> = among.iter().map(|&z| binomial_tail(total, detail.p0, u64::from(z))).collect();
                let early = n < self.bootstraps;
                if early {
                    let text = format!(
                        "stopped after {n} of {total} bootstraps, when every feature was settled: counts, frequencies \
                         and p-values are partial, the decisions are not"
                    );
                    notes.push(Note::new(NoteKind::EarlyStop, text));
                }
                let q = adjusted(&p, self.adjust());
                let passes = |at: usize| match self.adjust() {
                    Adjust::None => u64::from(among[at]) > critical,
                    _ => q[at] <= alpha,
                };
                let selected = (0..usable.len()).filter(|&at| passes(at)).map(|at| usable[at]).collect();
                (detail.p_values, detail.adjusted) = (spread(&p, usable, features), spread(&q, usable, features));
                selected
            }
            NullModel::Permutation => {
                let values = |counts: &[u32], alone: &[f64]| -> Vec<f64> {
                    usable.iter().map(|&i| statistic(counts[i as usize], n, alone[i as usize])).collect()
                };
                let null: Vec<f64> = runs.null.iter().zip(&runs.alone[1..]).flat_map(|(c, a)| values(c, a)).collect();
                let p = pooled_p_values(&values(&counts, &runs.alone[0]), &null);
                let q = adjusted(&p, self.adjust());
                let selected: Vec<u32> = (0..usable.len()).filter(|&at| q[at] <= alpha).map(|at| usable[at]).collect();
                detail.explained = spread_with(
                    &usable.iter().map(|&i| runs.alone[0][i as usize]).collect::<Vec<_>>(),
                    usable,
                    features,
                    0.0,
                );
                let smallest = adjusted_best(null.len(), usable.len(), self.adjust());
                if smallest > alpha {
                    let text = format!(
                        "the test can never reject: with {} permutations of {} features the least p-value a single \
                         feature can reach is {smallest:.2}; raise `permutations`",
                        runs.null.len(),
                        usable.len()
                    );
                    notes.push(Note::new(NoteKind::CannotReject, text));
                }
                detail.null_counts = vec![0; n + 1];
                for counts in &runs.null {
                    usable.iter().for_each(|&i| detail.null_counts[counts[i as usize] as usize] += 1);
                }
                let often = (STABLE * n as f64).floor() as usize + 1;
                let always: u64 = detail.null_counts.iter().skip(often).sum();
                let share = always as f64 / null.len() as f64;
                if share > alpha / 5.0 {
                    let text = format!(
                        "even with the target permuted {:.1} % of the features are chosen in more than 90 % of the \
                         bootstraps, so being chosen often says little here; lower `k`, or use another method such as snbl",
                        100.0 * share
                    );
                    notes.push(Note::new(NoteKind::SaturatedNull, text));
                }
                (detail.p_values, detail.adjusted) = (spread(&p, usable, features), spread(&q, usable, features));
                selected
            }
        };
        detail.counts = counts;
        Ok((detail, selected, notes))
    }
}

/// What is compared with permuted targets: how often a feature was chosen, times one plus the share of the target it
/// explains by itself. Chance winners are often chosen every time, and a count cannot exceed that; but they explain
/// nothing.
fn statistic(count: u32, n: usize, explained: f64) -> f64 {
    f64::from(count) / n as f64 * (1.0 + explained)
}

/// The least adjusted p-value that one feature alone can reach against `null` pooled counts.
fn adjusted_best(null: usize, features: usize, adjust: Adjust) -> f64 {
    let p = 1.0 / (1 + null) as f64;
    if adjust == Adjust::None { p } else { p * features as f64 }
}

/// Values of the usable features at their places, 1 elsewhere.
fn spread(values: &[f64], usable: &[u32], features: usize) -> Vec<f64> {
    spread_with(values, usable, features, 1.0)
}

fn spread_with(values: &[f64], usable: &[u32], features: usize, elsewhere: f64) -> Vec<f64> {
    let mut out = vec![elsewhere; features];
    usable.iter().zip(values).for_each(|(&i, v)| out[i as usize] = *v);
    out
}

/// The corner of the matrix that fits a page, from features in their order.
fn picture(chosen: &[Vec<u32>], order: &[u32], counts: &[u32]) -> Vec<PictureRow> {
    const ROWS: usize = 120;
    const COLUMNS: usize = 500;
    let shown: Vec<u32> = order.iter().copied().filter(|&i| counts[i as usize] > 0).take(ROWS).collect();
    let mut rows = vec![vec![b'0'; chosen.len().min(COLUMNS)]; shown.len()];
    let place: HashMap<u32, usize> = shown.iter().copied().zip(0..).collect();
    for (b, some) in chosen.iter().take(COLUMNS).enumerate() {
        some.iter().filter_map(|i| place.get(i)).for_each(|&at| rows[at][b] = b'1');
    }
    let text = |row: Vec<u8>| row.into_iter().map(char::from).collect();
    shown.into_iter().zip(rows).map(|(index, row)| PictureRow { index, runs: text(row) }).collect()
}

/// For each feature, 0 and 1 over the bootstraps.
fn matrix(chosen: &[Vec<u32>], features: usize) -> Vec<String> {
    let mut rows = vec![vec![b'0'; chosen.len()]; features];
    for (b, some) in chosen.iter().enumerate() {
        some.iter().for_each(|&i| rows[i as usize][b] = b'1');
    }
    rows.into_iter().map(|row| row.iter().map(|c| char::from(*c)).collect()).collect()
}

/// The same test on a selection matrix from elsewhere: a row per run, a column per feature, 1 where it was chosen; the
/// table's target is not looked at. `null` is `binomial` or `stability`: there is nothing to permute.
pub fn decide_matrix(test: &Npfs, matrix: &Table) -> Result<Selection> {
    let test = Npfs { base: Base::Matrix, ..test.clone() };
    test.validate()?;
    let runs = matrix.n_rows();
    if runs < 2 {
        return Err(Error::data(Place::default(), "there are fewer than 2 runs", "give a row per run"));
    }
    let mut chosen = vec![vec![]; runs];
    for (feature, (column, name)) in matrix.columns().iter().zip(matrix.names().iter()).enumerate() {
        for (run, chosen) in chosen.iter_mut().enumerate() {
            match column.numbers().map(|x| x[run]) {
                Some(0.0) => {}
                Some(1.0) => chosen.push(feature as u32),
                _ => {
                    let place = Place::default().at_row(run as u64 + 1).at_column(name);
                    let problem = format!("`{}` is neither 0 nor 1", column.text(run));
                    let remedy = "give a row per run and a column per feature, with 1 where the feature was chosen";
                    return Err(Error::data(place, problem, remedy));
                }
            }
        }
    }
    let test = Npfs { bootstraps: runs, ..test };
    let usable = (0..matrix.names().len() as u32).collect();
    let found = Runs { chosen, null: vec![], alone: vec![], usable, notes: vec![], k: None };
    test.decide(found, matrix.names(), test.clone(), 0, |_| {})
}
