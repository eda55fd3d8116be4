//! The test on the runs of a selector from elsewhere, which was given the bootstraps and the permutations.

use super::by_method::permuted;
use super::chosen_by_run::SelectionRuns;
use super::{Base, Npfs};
use crate::base::remedies::no_scored_feature;
use crate::base::{Context, Error, OptionName, Place, Result, counted, text};
use crate::resample::bootstrap_and_half_samples::permutation;
use crate::score::{self, Scale, Statistic};
use crate::selection::{Selection, clusters};
use crate::table::{Target, View};

impl Npfs {
    /// Tests the runs of a selector outside this library: the features chosen in every bootstrap ([`Npfs::draw`]), and
    /// for
    /// each permutation of the target ([`permutation`]) how often each feature was chosen. The share of the target that
    /// a feature explains by itself follows from its score, z²/(z² + rows).
    pub fn decide_runs(
        &self,
        data: &View,
        chosen: Vec<Vec<u32>>,
        null: Vec<Vec<u32>>,
        context: &mut Context,
    ) -> Result<Selection> {
        self.validate_test()?;
        let (rows, features) = (data.rows().len(), data.names().len());
        let fits = chosen.iter().flatten().all(|&i| (i as usize) < features)
            && null.iter().all(|counts| counts.len() == features);
        if chosen.len() != self.bootstraps || null.len() != self.permutations() || !fits {
            let problem = format!(
                "{} and {} do not match the parameters of the test",
                counted(chosen.len(), "run"),
                counted(null.len(), "permutation")
            );
            let [bootstraps, permutations] = ["bootstraps", "permutations"].map(OptionName::from);
            let remedy = text!["give as many as ", bootstraps, " and ", permutations, " say"];
            return Err(Error::data(Place::default(), problem, remedy));
        }
        let targets: Vec<Target> =
            (0..null.len() as u64).map(|r| permuted(data, &permutation(context.seed, r, rows))).collect();
        let mut alone = Vec::with_capacity(targets.len() + 1);
        let (mut usable, mut notes) = (vec![], vec![]);
        for target in std::iter::once(data.target()).chain(&targets) {
            let scores = score::compute(&data.permuted(target), Statistic::Auto, Scale::Z, context)?;
            if alone.is_empty() {
                usable = (0..features as u32).filter(|&i| !scores.z()[i as usize].is_nan()).collect();
                notes.clone_from(&scores.notes);
            }
            alone.push((0..features).map(|i| scores.explained(i, rows)).collect::<Vec<f64>>());
        }
        if usable.is_empty() {
            return Err(no_scored_feature());
        }
        let runs = SelectionRuns { chosen, null, alone, usable, notes, k: None };
        let resolved = Npfs { base: Base::Matrix, ..self.clone() };
        let annotate = |selection: &mut Selection| clusters::annotate(selection, data);
        self.decide(runs, data.names(), resolved, context.seed, annotate)
    }
}
