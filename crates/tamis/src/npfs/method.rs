//! The method `npfs`: its parameters, their ranges, and how it selects.

use super::count_significance::Adjust;
use super::{Base, BaseCount, NullModel};
use crate::base::parameter::parameters;
use crate::base::{Auto, Command, Context, Describe, Error, MethodInfo, OptionName, Result, text};
use crate::codes::{CodedTable, Discretise};
use crate::information::{Form, coding, form};
use crate::resample::bootstrap_and_half_samples::{bootstrap, half_sample};
use crate::selection::k::none_chosen;
use crate::selection::{Selection, Selector, clusters};
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
    /// A base selector on many bootstraps of the rows, and a test of how often each feature is chosen.
    ///
    /// Let z be the number of bootstraps, out of n, in which the base chooses a feature. `null` says which z an irrelevant
    /// feature could have:
    ///
    /// - `binomial`, as in the paper: z ~ Binomial(n, k/K + β) for K features; a feature is selected if P(Z ≥ z) ≤ α. All
    ///   bootstraps come from one sample, so features that win by chance win again and again: this test does not hold its
    ///   nominal level.
    /// - `permutation`, the default: the same bootstraps with permuted targets. The statistic is z/n · (1 + e), where e is
    ///   the share of the target that the feature explains by itself. Its p-value is the share of all features' statistics
    ///   under all permutations that are as large, adjusted for the number of features. Permutations end early once no
    ///   feature can be selected any more, whatever the others would give.
    /// - `stability`: half-samples instead of bootstraps; a feature is selected if z > 0.9 n (Meinshausen & Bühlmann 2010).
    ///
    /// Cost: n × (1 + permutations) runs of the base. Information bases run many bootstraps at once, at a fraction of that.
    ///
    /// Errors: [`Error::Parameter`] for a value out of its range; [`Error::Method`] for weighted rows with
    /// `null=stability`; and the errors of the base.
    ///
    /// Reference: Ditzler, Polikar & Rosen, *A bootstrap based Neyman–Pearson test for identifying variable importance*,
    /// IEEE TNNLS 26(4), 2015; the binomial test is its eq. (3).
    ///
    /// ```
    /// use tamis::{Context, Npfs, Selector, npfs::Base, simulate::TwoGroups};
    ///
    /// let setup = TwoGroups { features: 20, relevant: 2, effect: (2.0, 2.0), ..TwoGroups::default() };
    /// let drawn = setup.draw(1)?;
    /// let npfs = Npfs { base: Base::Mim, bootstraps: 20, ..Npfs::default() };
    /// let selection = npfs.select(&drawn.table.view(), &mut Context::default())?;
    /// let relevant = (0..20).filter(|&j| drawn.truth[j as usize] != 0.0);
    /// assert!(relevant.into_iter().all(|j| selection.selected.contains(&j)));
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Npfs {
        base: Base = Base::Jmi, "jmi, mrmr, mim, cmim, disr, jmim, fisher, trace-ratio, l21, t, f, snbl, ard",
            "the selector that is run on every bootstrap";
        /// Not for `base=snbl` and `base=ard`, which choose it themselves.
        k: BaseCount = BaseCount::Auto, "auto, own, 1…",
            "number of features that the base chooses; auto: 20, or half of the features if there are fewer than 40; own: \
             as many as jmi or cmim choose themselves with k=auto";
        form: Form = Form::Difference, form!(range), form!(purpose);
        /// Only for bases that count information.
        discretise: Discretise = Discretise::Frequency, coding!(discretise range), coding!(discretise purpose);
        bins: usize = 5, coding!(bins range), coding!(bins purpose);
        bootstraps: usize = 100, "2…1000000", "number of bootstraps";
        null: NullModel = NullModel::Permutation, "permutation, binomial, stability",
            "null distribution of the counts: permuted targets (counts are weighted by the share a feature explains \
             alone), the paper's binomial, or more than 90 % of half-samples";
        alpha: Auto<f64> = Auto::Auto, "auto, 0…1", "level of the test; auto: 0.05, or 0.01 with null=binomial";
        adjust: Auto<Adjust> = Auto::Auto, "auto, bh, holm, none",
            "adjustment for many tests; auto: bh, or none with null=binomial as in the paper";
        beta: f64 = 0.0, "0…1", "with null=binomial: added to the probability k/features of a random choice";
        permutations: Auto<usize> = Auto::Auto, "auto, 1…100000",
            "number of permutations with null=permutation; auto: the larger of 20 and 1/alpha, up to 1000";
        early_stop: bool = false, "true, false",
            "with null=binomial: stop once no bootstrap can change a decision; counts are then partial";
        matrix: bool = false, "true, false", "report the choice of every bootstrap";
    }
}

/// More permutations than this are taken only where they are asked for.
const MOST_AUTO_PERMUTATIONS: f64 = 1000.0;

impl Describe for Npfs {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "npfs",
            summary: "a filter on many bootstraps, and a test for features chosen more often than by chance",
            number_by: "the test",
            cost: "bootstraps × (1 + permutations) runs of the base; a fraction of that for mutual-information bases",
            reference: "Ditzler, Polikar & Rosen, A bootstrap based Neyman–Pearson test for identifying variable \
                        importance, IEEE TNNLS 26(4), 2015",
            parameters: Npfs::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        if self.base == Base::Matrix {
            return Err(Error::parameter("base", "matrix", text!["run ", Command::NpfsDecide, " for a ready matrix"]));
        }
        if self.k == BaseCount::Own && !matches!(self.base, Base::Jmi | Base::Cmim) {
            let remedy =
                text!["pass ", OptionName::from("base").set("jmi"), " or ", OptionName::from("base").set("cmim")];
            return Err(Error::parameter("k", "own", remedy));
        }
        self.validate_test()
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        let information = self.base.criterion(self.form).is_some();
        match key {
            "k" if self.base.chooses_number() => Some("base"),
            "form" if self.base != Base::Mrmr => Some("base"),
            "discretise" | "bins" if !information => Some("base"),
            "bins" if !self.discretise.has_bins() => Some("discretise"),
            "beta" | "early_stop" if self.null != NullModel::Binomial => Some("null"),
            "early_stop" if self.adjust() != Adjust::None => Some("adjust"),
            "early_stop" if self.k == BaseCount::Own => Some("k"),
            "permutations" if self.null != NullModel::Permutation => Some("null"),
            "alpha" | "adjust" if self.null == NullModel::Stability => Some("null"),
            _ => None,
        }
    }
}

impl Npfs {
    /// Refuses parameters that are out of range, whatever the base.
    pub(super) fn validate_test(&self) -> Result<()> {
        let alpha = self.alpha();
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(Error::parameter("alpha", alpha, "it takes a number between 0 and 1, neither included"));
        }
        if !(0.0..=1.0).contains(&self.beta) {
            return Err(Error::parameter("beta", self.beta, "it takes 0…1"));
        }
        if self.k == BaseCount::Set(0) {
            return Err(none_chosen());
        }
        if !(2..=1_000_000).contains(&self.bootstraps) {
            return Err(Error::parameter("bootstraps", self.bootstraps, "it takes 2…1000000"));
        }
        if !(2..256).contains(&self.bins) {
            return Err(Error::parameter("bins", self.bins, "it takes 2…255"));
        }
        if self.null == NullModel::Permutation
            && self.permutations == Auto::Auto
            && 1.0 / alpha > MOST_AUTO_PERMUTATIONS
        {
            let needed = (1.0 / alpha).ceil();
            let words = format!("it needs {needed} permutations, each as long as the run itself; raise it, or set ");
            return Err(Error::parameter("alpha", alpha, text![words, OptionName::from("permutations")]));
        }
        if let Auto::Set(n) = self.permutations
            && !(1..=100_000).contains(&n)
        {
            return Err(Error::parameter("permutations", n, "it takes 1…100000"));
        }
        Ok(())
    }

    pub(super) fn alpha(&self) -> f64 {
        self.alpha.or(if self.null == NullModel::Binomial { 0.01 } else { 0.05 })
    }

    pub(super) fn adjust(&self) -> Adjust {
        self.adjust.or(if self.null == NullModel::Binomial { Adjust::None } else { Adjust::Bh })
    }

    /// The number of permutations; 0 unless `null=permutation`.
    pub fn permutations(&self) -> usize {
        match self.null {
            NullModel::Permutation => self.permutations.or(((1.0 / self.alpha()).ceil() as usize).max(20)),
            _ => 0,
        }
    }

    /// How often bootstrap `b` draws each of `rows` rows.
    pub fn draw(&self, seed: u64, b: usize, rows: usize, weights: Option<&[f64]>) -> Vec<u32> {
        match self.null {
            NullModel::Stability => half_sample(seed, b as u64, rows),
            _ => bootstrap(seed, b as u64, rows, weights),
        }
    }

    /// Refuses weights that the null hypothesis cannot use.
    pub(super) fn check_weights(&self, weighted: bool) -> Result<()> {
        if self.null == NullModel::Stability && weighted {
            let remedy =
                text!["pass ", OptionName::from("null").set("permutation"), ", or remove ", OptionName::Weight];
            return Err(Error::method("npfs", "takes no weights with null=stability, which halves the rows", remedy));
        }
        Ok(())
    }
}

impl Selector for Npfs {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        self.validate()?;
        data.target().refuse_survival("npfs")?;
        self.check_weights(data.weights().is_some())?;
        let runs = match self.base.criterion(self.form) {
            Some(criterion) => {
                let codes = CodedTable::learn(data, self.discretise, self.bins, context)?;
                let copies = codes.copies_as_rows()?;
                self.by_information(criterion, copies.as_ref().unwrap_or(&codes), data.names().len(), context)?
            }
            None => match data.copies_as_table()? {
                Some(copies) => self.by_method(&copies.view(), context)?,
                None => self.by_method(data, context)?,
            },
        };
        self.answer(runs, data.names(), context.seed, |selection| clusters::annotate(selection, data))
    }
}
