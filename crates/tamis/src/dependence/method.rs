//! `dependence`: features related to the target in any way, each with the kind of its relation.

use super::levels::Levels;
use super::null_targets::{Classes, Targets};
use super::relations::{Found, Relations, Tested, for_pairs};
use crate::base::parameter::parameters;
use crate::base::remedies::{BETWEEN_0_AND_1, no_usable_feature};
use crate::base::{Context, Describe, Error, MethodInfo, Note, NoteKind, OptionName, Progress, Result, text};
use crate::codes::discretise::MISSING_IS_A_LEVEL;
use crate::numeric::random::permutation;
use crate::selection::detail::{DependenceDetail, RelationKind};
use crate::selection::{RankedFeatures, Selection, Selector};
use crate::table::View;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Columns that are read and tested between two reports of progress.
const BATCH: usize = 512;
/// Finds of another shape from which on a common cause is suspected, if they are most of the finds.
const SUSPICIOUS: usize = 10;
/// The share of tables with a permuted target in which anything may be found.
const LOUD: f64 = 0.05;

/// For each feature the kind of its relation, and its partner in a pair.
pub(crate) type KindsAndPartners = Vec<Option<(RelationKind, Option<u32>)>>;

parameters! {
    /// Features related to the target in any way: by their level, by their shape, or only together with another feature.
    ///
    /// A feature *alone* is tested twice: for a trend of its ranks over the classes, and for any difference between the
    /// classes in fifths of its ranks. Fifths are too wide for a class with fewer rows: where one of two classes is so small,
    /// a trend of the squared ranks is tested too. *Together*, every pair of features is tested: each feature is cut in half,
    /// and the product of the centred halves may have another mean in another class, as in an exclusive or. Permuted targets
    /// show how strong such relations get by chance. Of the allowed error ¾ goes to features alone and ¼ to pairs; Benjamini and
    /// Hochberg's procedure decides. What it finds counts only if it finds as much on at most 5 % of the tables with a permuted
    /// target: where features are correlated, false finds come many at once. Every find is of one kind: *level* (its values are higher in some class), *shape* (spread
    /// or form differ), or *together* with a partner.
    ///
    /// Categories are compared as they are. Missing values are a level of their own in the comparison of fifths, left out of
    /// the trend, and in the lower half of a pair. A numeric target is cut into fifths.
    ///
    /// Cost: for the data and for every permutation, 10 × features × rows/64 operations for features alone, and
    /// features²/2 × rows/64 for pairs (data and 20 permutations), times the number of classes less one.
    ///
    /// Errors: [`Error::Parameter`] for a value out of its range; [`Error::Method`] for weighted rows and survival times;
    /// [`Error::Data`] if no feature varies, or the target has one value only.
    ///
    /// Reference: none; the trend is that of Kruskal & Wallis, JASA 47, 1952, that of squared ranks Mood's, Annals of
    /// Mathematical Statistics 25, 1954, the moments of the comparison of fifths are those of Dawson, Biometrika 41, 1954, the
    /// procedure that of Benjamini & Hochberg, JRSS B 57, 1995.
    ///
    /// ```
    /// use tamis::selection::detail::RelationKind;
    /// use tamis::{Context, Selector, Table, dependence::Dependence, table::Target};
    ///
    /// // the class is the exclusive or of the first two features; the third is noise
    /// let bit = |row: usize, by: usize| (row / by % 2) as f64;
    /// let columns: Vec<Vec<f64>> = [1, 2, 4].iter().map(|&by| (0..80).map(|row| bit(row, by)).collect()).collect();
    /// let label = |row: usize| Some(if bit(row, 1) == bit(row, 2) { "same" } else { "differ" });
    /// let labels: Vec<Option<&str>> = (0..80).map(label).collect();
    /// let names = ["a", "b", "c"].map(String::from).to_vec();
    /// let table = Table::new(names, columns, "class", Target::classes(&labels))?;
    ///
    /// let selection = Dependence::default().select(&table.view(), &mut Context::default())?;
    /// assert_eq!(selection.selected, [0, 1]);
    /// let found = selection.detail.dependence.expect("kinds and partners");
    /// assert_eq!(found.kinds[0], Some(RelationKind::Together));
    /// assert_eq!(found.partners[0], Some(1));
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Dependence {
        fdr: f64 = 0.05, "0…1", "share of the selected features that may be expected to be false";
        permutations: usize = 200, "20…100000",
            "number of permutations of the target; pairs are compared with the first 20";
    }
}

impl Describe for Dependence {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "dependence",
            summary: "features related to the target in any way: by level, by shape, or together with another feature",
            number_by: "permutations and FDR",
            cost: "features² × rows × 21/128 bit operations for pairs, 10 × features × rows × permutations/64 alone",
            reference: "",
            parameters: Dependence::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        if !(self.fdr > 0.0 && self.fdr < 1.0) {
            return Err(Error::parameter("fdr", self.fdr, BETWEEN_0_AND_1));
        }
        if !(20..=100_000).contains(&self.permutations) {
            return Err(Error::parameter("permutations", self.permutations, "it takes 20…100000"));
        }
        Ok(())
    }
}

impl Selector for Dependence {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        let (relations, mut notes) = self.relations(data, context)?;
        let found = relations.found(&vec![true; relations.features.len()], LOUD);
        let features = data.n_features();
        let (mut scores, mut q_values) = (vec![f64::NAN; features], vec![1.0; features]);
        for (at, &feature) in relations.features.iter().enumerate() {
            (scores[feature as usize], q_values[feature as usize]) = (relations.scores[at], found.q[at]);
        }
        let ranked: Vec<u32> = relations.order().into_iter().map(|at| relations.features[at]).collect();
        let selected: Vec<u32> = ranked.iter().copied().filter(|&i| q_values[i as usize] <= self.fdr).collect();
        let detail = self.detail(&relations, &found, features);
        notes.extend(match selected.len() {
            0 => Some(Note::new(NoteKind::NothingSelected, "no relation is stronger than under permuted targets")),
            found => shapes_dominate(detail.count(RelationKind::Shape), found),
        });
        let mut ranks = vec![0; features];
        let constant = (0..features as u32).filter(|&i| scores[i as usize].is_nan());
        (1..).zip(ranked.into_iter().chain(constant)).for_each(|(rank, i)| ranks[i as usize] = rank);
        let found = RankedFeatures { order: selected, scores, notes };
        let mut selection = found.into_selection(data, self.record(), context.seed);
        selection.selected.sort_by_key(|&i| ranks[i as usize]);
        selection.ranks = ranks;
        selection.q_values = Some(q_values);
        selection.detail.dependence = Some(detail);
        Ok(selection)
    }

    fn choose(&self, data: &View, context: &mut Context) -> Result<Vec<u32>> {
        let (relations, _) = self.relations(data, context)?;
        let q = relations.found(&vec![true; relations.features.len()], LOUD).q;
        let chosen = relations.order().into_iter().filter(|&at| q[at] <= self.fdr);
        Ok(chosen.map(|at| relations.features[at]).collect())
    }
}

impl Dependence {
    /// The kind of every find among the features that are not `named`, and the partners of pairs, by position in the table.
    /// Something is found on a share `level` of tables with a permuted target.
    pub(crate) fn kinds_beside(
        &self,
        data: &View,
        named: &[bool],
        level: f64,
        context: &mut Context,
    ) -> Result<KindsAndPartners> {
        let (tested, for_pairs, _) = self.tested(data, context)?;
        let mut found: KindsAndPartners = vec![None; data.n_features()];
        let Some(relations) = tested.relate_beside(&for_pairs, self.fdr, (named, level), context)? else {
            return Ok(found);
        };
        let named: Vec<bool> = relations.features.iter().map(|&feature| named[feature as usize]).collect();
        for (at, kind) in relations.kinds_beside(&named, self.fdr, level).into_iter().enumerate() {
            found[relations.features[at] as usize] = kind.map(|kind| (kind, relations.partner(at, kind)));
        }
        Ok(found)
    }

    /// Kinds, partners and p-values, by position in the table.
    fn detail(&self, relations: &Relations, found: &Found, features: usize) -> DependenceDetail {
        let mut detail = DependenceDetail::of_size(features);
        for (at, &feature) in relations.features.iter().enumerate() {
            let i = feature as usize;
            detail.p_values[i] = relations.p[at];
            detail.p_alone[i] = relations.p_alone()[at];
            detail.p_together[i] = relations.p_together[at];
            if found.q[at] <= self.fdr {
                detail.kinds[i] = Some(found.kinds[at]);
                detail.partners[i] = relations.partner(at, found.kinds[at]);
            }
        }
        detail
    }

    /// Tests every feature and every pair; notes tell of what was set aside.
    fn relations(&self, data: &View, context: &mut Context) -> Result<(Relations, Vec<Note>)> {
        let (tested, for_pairs, notes) = self.tested(data, context)?;
        Ok((tested.relate(&for_pairs, self.fdr, context)?, notes))
    }

    /// Tests every feature by itself; with the targets that pairs are compared with.
    fn tested(&self, data: &View, context: &mut Context) -> Result<(Tested, Targets, Vec<Note>)> {
        self.validate()?;
        if data.weights().is_some() {
            return Err(Error::method("dependence", "takes no weights", text!["remove ", OptionName::Weight]));
        }
        let classes = Classes::of(data)?;
        let rows = data.rows().len();
        let orders: Vec<Vec<u32>> =
            (0..self.permutations).into_par_iter().map(|r| permutation(context.seed, r as u64, rows)).collect();
        let targets = Targets::new(&classes, &orders);
        let (mut tested, mut constant, mut missing) = (Tested::default(), vec![], vec![]);
        for from in (0..data.n_features()).step_by(BATCH) {
            context.step("testing features", from as u64, data.n_features() as u64)?;
            let batch = from..(from + BATCH).min(data.n_features());
            let levels = batch.into_par_iter().map(|at| {
                Levels::of(&data.column(at), data.rows(), &data.names()[at]).map(|levels| (at as u32, levels))
            });
            let levels: Vec<(u32, Levels)> = levels.collect::<Result<_>>()?;
            for (at, levels) in &levels {
                let name = || data.names()[*at as usize].clone();
                match (levels.varies(), levels.missing) {
                    (false, _) => constant.push(name()),
                    (true, 0) => {}
                    (true, _) => missing.push(name()),
                }
            }
            tested.add(levels, &targets);
        }
        if tested.features.is_empty() {
            return Err(no_usable_feature("no feature can be tested: every one has a single value"));
        }
        let for_pairs = Targets::new(&classes, &orders[..for_pairs(orders.len())]);
        let notes = [Note::constant(constant), Note::counting(NoteKind::MissingValues, MISSING_IS_A_LEVEL, missing)];
        Ok((tested, for_pairs, notes.into_iter().flatten().collect()))
    }
}

/// A note if most of so many finds are of another shape: they may have a common cause.
pub(crate) fn shapes_dominate(shapes: usize, found: usize) -> Option<Note> {
    (shapes >= SUSPICIOUS && 2 * shapes > found).then(|| {
        let text = format!(
            "the classes differ in the form of many columns ({shapes} of {found} finds), not their level: look for a batch or scaling \
             effect"
        );
        Note::new(NoteKind::ShapesDominate, text)
    })
}
